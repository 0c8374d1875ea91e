/*
 * atom_table: the rows of mma_atoms. See atom_mma.h.
 *
 * A row is three lines: the name; the mnemonic; and
 *
 *     sm, ptx, suffix, types of D, A, B, C, op, SHAPE, registers of C, majors, rate, sum_bits
 *
 * where SHAPE is one of the macros below: everything that instructions of one shape and one element
 * width share. Sources: the PTX ISA manual, "Warp level matrix instructions" and "Asynchronous
 * warpgroup level matrix instructions"; names and layouts are those of CuTe's MMA operations and
 * traits, where CuTe has the instruction, and in its manner where not.
 */
#include "layout/atom_mma.h"

/* clang-format off */
#define TYPES(d, a, b, c) DTYPE_##d, DTYPE_##a, DTYPE_##b, DTYPE_##c

/* -- Majors of A and B ------------------------------------------------------------------------- */
#define TN      MMA_K_MAJOR, MMA_K_MAJOR
#define NT      MMA_MN_MAJOR, MMA_MN_MAJOR
#define NN      MMA_MN_MAJOR, MMA_K_MAJOR
#define TT      MMA_K_MAJOR, MMA_MN_MAJOR
#define K_ANY   MMA_K_MAJOR, MMA_ANY_MAJOR
#define ANY_ANY MMA_ANY_MAJOR, MMA_ANY_MAJOR

/* -- Sets of N --------------------------------------------------------------------------------- */
#define ONE_N     0
#define N_BY_8    0xFFFFFFFFu /* 8 to 256 by 8 */
#define N_INTEGER 0xAAAAAAAFu /* 8, 16, 24, 32, and 48 to 256 by 16 */

/* -- Shapes: m, n, k, set of N, thr_id, A, B, C, sources of A and B, registers of A and B ------ */
#define IN_REGISTERS MMA_REGISTERS, MMA_REGISTERS

#define THREAD_1x1x1 1, 1, 1, ONE_N, "1:0", \
    "(1,1):(0,0)", "(1,1):(0,0)", "(1,1):(0,0)", IN_REGISTERS, 1, 1
#define THREAD_1x1x4 1, 1, 4, ONE_N, "1:0", \
    "(1,4):(0,1)", "(1,4):(0,1)", "(1,1):(0,0)", IN_REGISTERS, 1, 1

/* Volta: a fragment holds a run along k, or one along m (n); C also gives its registers. */
#define ALONG_K  "(8,4):(1,8)"
#define ALONG_MN "((4,2),4):((8,4),1)"
#define QUADPAIR 8, 8, 4, ONE_N, "(4,2):(1,16)"
#define QUADPAIR_TN QUADPAIR, ALONG_K, ALONG_K
#define QUADPAIR_NT QUADPAIR, ALONG_MN, ALONG_MN
#define QUADPAIR_NN QUADPAIR, ALONG_MN, ALONG_K
#define QUADPAIR_TT QUADPAIR, ALONG_K, ALONG_MN
#define QUADPAIR_C_F16 "(8,8):(1,8)", IN_REGISTERS, 2, 2, 4
#define QUADPAIR_C_F32 "((2,2,2),(2,2,2)):((1,16,4),(8,2,32))", IN_REGISTERS, 2, 2, 8

/* B16 and so on: the width of an element of A and B; where there is none, it fills a register. */
#define C_8x8  "((4,8),2):((16,1),8)"
#define C_16x8 "((4,8),(2,2)):((32,1),(16,8))"
#define WARP_16x8x8_B16 16, 8, 8, ONE_N, "32:1", \
    "((4,8),(2,2)):((32,1),(16,8))", "((4,8),2):((16,1),8)", C_16x8, IN_REGISTERS, 2, 1
#define WARP_16x8x16_B16 16, 8, 16, ONE_N, "32:1", \
    "((4,8),(2,2,2)):((32,1),(16,8,128))", "((4,8),(2,2)):((16,1),(8,64))", C_16x8, \
    IN_REGISTERS, 4, 2
#define WARP_8x8x4 8, 8, 4, ONE_N, "32:1", \
    "((4,8),1):((8,1),0)", "((4,8),1):((8,1),0)", C_8x8, IN_REGISTERS, 1, 1
#define WARP_16x8x4 16, 8, 4, ONE_N, "32:1", \
    "((4,8),2):((16,1),8)", "((4,8),1):((8,1),0)", C_16x8, IN_REGISTERS, 2, 1
#define WARP_16x8x8 16, 8, 8, ONE_N, "32:1", \
    "((4,8),(2,2)):((16,1),(8,64))", "((4,8),2):((8,1),32)", C_16x8, IN_REGISTERS, 4, 2
#define WARP_16x8x16 16, 8, 16, ONE_N, "32:1", \
    "((4,8),(2,4)):((16,1),(8,64))", "((4,8),4):((8,1),32)", C_16x8, IN_REGISTERS, 8, 4
#define WARP_8x8x16_B8 8, 8, 16, ONE_N, "32:1", \
    "((4,8),4):((32,1),8)", "((4,8),4):((32,1),8)", C_8x8, IN_REGISTERS, 1, 1
#define WARP_16x8x16_B8 16, 8, 16, ONE_N, "32:1", \
    "((4,8),(4,2)):((64,1),(16,8))", "((4,8),4):((32,1),8)", C_16x8, IN_REGISTERS, 2, 1
#define WARP_16x8x32_B8 16, 8, 32, ONE_N, "32:1", \
    "((4,8),(4,2,2)):((64,1),(16,8,256))", "((4,8),(4,2)):((32,1),(8,128))", C_16x8, \
    IN_REGISTERS, 4, 2
#define WARP_8x8x32_B4 8, 8, 32, ONE_N, "32:1", \
    "((4,8),8):((64,1),8)", "((4,8),8):((64,1),8)", C_8x8, IN_REGISTERS, 1, 1
#define WARP_16x8x32_B4 16, 8, 32, ONE_N, "32:1", \
    "((4,8),(8,2)):((128,1),(16,8))", "((4,8),8):((64,1),8)", C_16x8, IN_REGISTERS, 2, 1
#define WARP_16x8x64_B4 16, 8, 64, ONE_N, "32:1", \
    "((4,8),(8,2,2)):((128,1),(16,8,512))", "((4,8),(8,2)):((64,1),(8,256))", C_16x8, \
    IN_REGISTERS, 4, 2
#define WARP_8x8x128_B1 8, 8, 128, ONE_N, "32:1", \
    "((4,8),32):((256,1),8)", "((4,8),32):((256,1),8)", C_8x8, IN_REGISTERS, 1, 1
#define WARP_16x8x128_B1 16, 8, 128, ONE_N, "32:1", \
    "((4,8),(32,2)):((512,1),(16,8))", "((4,8),32):((256,1),8)", C_16x8, IN_REGISTERS, 2, 1
#define WARP_16x8x256_B1 16, 8, 256, ONE_N, "32:1", \
    "((4,8),(32,2,2)):((512,1),(16,8,2048))", "((4,8),(32,2)):((256,1),(8,1024))", C_16x8, \
    IN_REGISTERS, 4, 2

/* wgmma of the smallest N; mma_atom_at_n repeats B and C along N. */
#define GROUP(k, set, a, b) \
    64, 8, k, set, "128:1", a, b, "((4,8,4),(2,2,1)):((128,1,16),(64,8,512))"
#define SS(k, set, a, b) GROUP(k, set, a, b), MMA_SHARED, MMA_SHARED, 0, 0
#define RS(k, set, a, b) GROUP(k, set, a, b), MMA_REGISTERS, MMA_SHARED, 4, 0
#define SS_64x8x8(set)   SS(8, set, "(128,(64,8)):(0,(1,64))", "(128,(8,8)):(0,(1,8))")
#define SS_64x8x16(set)  SS(16, set, "(128,(64,16)):(0,(1,64))", "(128,(8,16)):(0,(1,8))")
#define SS_64x8x32(set)  SS(32, set, "(128,(64,32)):(0,(1,64))", "(128,(8,32)):(0,(1,8))")
#define SS_64x8x256(set) SS(256, set, "(128,(64,256)):(0,(1,64))", "(128,(8,256)):(0,(1,8))")
#define RS_64x8x8(set) \
    RS(8, set, "((4,8,4),(2,2)):((64,1,16),(8,256))", "(128,(8,8)):(0,(1,8))")
#define RS_64x8x16(set) \
    RS(16, set, "((4,8,4),(2,2,2)):((128,1,16),(64,8,512))", "(128,(8,16)):(0,(1,8))")
#define RS_64x8x32(set) \
    RS(32, set, "((4,8,4),(4,2,2)):((256,1,16),(64,8,1024))", "(128,(8,32)):(0,(1,8))")
#define RS_64x8x256(set) \
    RS(256, set, "((4,8,4),(32,2,2)):((2048,1,16),(64,8,8192))", "(128,(8,256)):(0,(1,8))")

const MmaAtom mma_atoms[] = {
    /* -- A thread: multiply-add ---------------------------------------------------------------- */
    { "FMA_1x1x1_F32F32F32F32",
      "fma.rn.f32",
      70, 60, "", TYPES(F32, F32, F32, F32), MMA_DOT, THREAD_1x1x1, 1, ANY_ANY, 128, 0 },
    { "FMA_1x1x1_F64F64F64F64",
      "fma.rn.f64",
      70, 60, "", TYPES(F64, F64, F64, F64), MMA_DOT, THREAD_1x1x1, 1, ANY_ANY, 64, 0 },
    { "SM61_DP4A",
      "dp4a.s32.s32",
      61, 50, "", TYPES(S32, S8, S8, S32), MMA_DOT, THREAD_1x1x4, 1, TN, 1024, 0 },
    /* -- A quadpair: mma.sync, Volta ----------------------------------------------------------- */
    { "SM70_8x8x4_F16F16F16F16_TN",
      "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16",
      70, 64, "", TYPES(F16, F16, F16, F16), MMA_DOT, QUADPAIR_TN, QUADPAIR_C_F16, TN, 1024, 23 },
    { "SM70_8x8x4_F16F16F16F16_NT",
      "mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16",
      70, 64, "", TYPES(F16, F16, F16, F16), MMA_DOT, QUADPAIR_NT, QUADPAIR_C_F16, NT, 1024, 23 },
    { "SM70_8x8x4_F16F16F16F16_NN",
      "mma.sync.aligned.m8n8k4.col.col.f16.f16.f16.f16",
      70, 64, "", TYPES(F16, F16, F16, F16), MMA_DOT, QUADPAIR_NN, QUADPAIR_C_F16, NN, 1024, 23 },
    { "SM70_8x8x4_F16F16F16F16_TT",
      "mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16",
      70, 64, "", TYPES(F16, F16, F16, F16), MMA_DOT, QUADPAIR_TT, QUADPAIR_C_F16, TT, 1024, 23 },
    { "SM70_8x8x4_F32F16F16F32_TN",
      "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32",
      70, 64, "", TYPES(F32, F16, F16, F32), MMA_DOT, QUADPAIR_TN, QUADPAIR_C_F32, TN, 1024, 23 },
    { "SM70_8x8x4_F32F16F16F32_NT",
      "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32",
      70, 64, "", TYPES(F32, F16, F16, F32), MMA_DOT, QUADPAIR_NT, QUADPAIR_C_F32, NT, 1024, 23 },
    { "SM70_8x8x4_F32F16F16F32_NN",
      "mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f32",
      70, 64, "", TYPES(F32, F16, F16, F32), MMA_DOT, QUADPAIR_NN, QUADPAIR_C_F32, NN, 1024, 23 },
    { "SM70_8x8x4_F32F16F16F32_TT",
      "mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32",
      70, 64, "", TYPES(F32, F16, F16, F32), MMA_DOT, QUADPAIR_TT, QUADPAIR_C_F32, TT, 1024, 23 },
    /* -- A warp: mma.sync, Turing -------------------------------------------------------------- */
    { "SM75_16x8x8_F32F16F16F32_TN",
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32",
      75, 65, "", TYPES(F32, F16, F16, F32), MMA_DOT, WARP_16x8x8_B16, 4, TN, 1024, 24 },
    { "SM75_16x8x8_F16F16F16F16_TN",
      "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16",
      75, 65, "", TYPES(F16, F16, F16, F16), MMA_DOT, WARP_16x8x8_B16, 2, TN, 1024, 24 },
    { "SM75_8x8x16_S32S8S8S32_TN",
      "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32",
      75, 65, "", TYPES(S32, S8, S8, S32), MMA_DOT, WARP_8x8x16_B8, 2, TN, 2048, 0 },
    /* -- A warp: mma.sync, Ampere, floating point ---------------------------------------------- */
    { "SM80_16x8x8_F32F16F16F32_TN",
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32",
      75, 65, "", TYPES(F32, F16, F16, F32), MMA_DOT, WARP_16x8x8_B16, 4, TN, 2048, 24 },
    { "SM80_16x8x8_F16F16F16F16_TN",
      "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16",
      75, 65, "", TYPES(F16, F16, F16, F16), MMA_DOT, WARP_16x8x8_B16, 2, TN, 2048, 24 },
    { "SM80_16x8x8_F32BF16BF16F32_TN",
      "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32",
      80, 70, "", TYPES(F32, BF16, BF16, F32), MMA_DOT, WARP_16x8x8_B16, 4, TN, 2048, 24 },
    { "SM80_16x8x16_F32F16F16F32_TN",
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
      80, 70, "", TYPES(F32, F16, F16, F32), MMA_DOT, WARP_16x8x16_B16, 4, TN, 2048, 24 },
    { "SM80_16x8x16_F16F16F16F16_TN",
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
      80, 70, "", TYPES(F16, F16, F16, F16), MMA_DOT, WARP_16x8x16_B16, 2, TN, 2048, 24 },
    { "SM80_16x8x16_F32BF16BF16F32_TN",
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
      80, 70, "", TYPES(F32, BF16, BF16, F32), MMA_DOT, WARP_16x8x16_B16, 4, TN, 2048, 24 },
    { "SM80_16x8x4_F32TF32TF32F32_TN",
      "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32",
      80, 70, "", TYPES(F32, TF32, TF32, F32), MMA_DOT, WARP_16x8x4, 4, TN, 1024, 24 },
    { "SM80_16x8x8_F32TF32TF32F32_TN",
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
      80, 70, "", TYPES(F32, TF32, TF32, F32), MMA_DOT, WARP_16x8x8, 4, TN, 1024, 24 },
    { "SM80_8x8x4_F64F64F64F64_TN",
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
      80, 70, "", TYPES(F64, F64, F64, F64), MMA_DOT, WARP_8x8x4, 2, TN, 128, 0 },
    /* -- A warp: mma.sync, Ampere, integers ---------------------------------------------------- */
    { "SM80_8x8x16_S32S8S8S32_TN",
      "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32",
      75, 65, "", TYPES(S32, S8, S8, S32), MMA_DOT, WARP_8x8x16_B8, 2, TN, 4096, 0 },
    { "SM80_8x8x16_S32S8S8S32_TN_SATURATE",
      "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32",
      75, 65, "", TYPES(S32, S8, S8, S32), MMA_DOT_SAT, WARP_8x8x16_B8, 2, TN, 4096, 0 },
    { "SM80_8x8x16_S32S8U8S32_TN",
      "mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32",
      75, 65, "", TYPES(S32, S8, U8, S32), MMA_DOT, WARP_8x8x16_B8, 2, TN, 4096, 0 },
    { "SM80_8x8x16_S32S8U8S32_TN_SATURATE",
      "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32",
      75, 65, "", TYPES(S32, S8, U8, S32), MMA_DOT_SAT, WARP_8x8x16_B8, 2, TN, 4096, 0 },
    { "SM80_8x8x16_S32U8S8S32_TN",
      "mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32",
      75, 65, "", TYPES(S32, U8, S8, S32), MMA_DOT, WARP_8x8x16_B8, 2, TN, 4096, 0 },
    { "SM80_8x8x16_S32U8S8S32_TN_SATURATE",
      "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.s8.s32",
      75, 65, "", TYPES(S32, U8, S8, S32), MMA_DOT_SAT, WARP_8x8x16_B8, 2, TN, 4096, 0 },
    { "SM80_8x8x16_S32U8U8S32_TN",
      "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32",
      75, 65, "", TYPES(S32, U8, U8, S32), MMA_DOT, WARP_8x8x16_B8, 2, TN, 4096, 0 },
    { "SM80_8x8x16_S32U8U8S32_TN_SATURATE",
      "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.u8.s32",
      75, 65, "", TYPES(S32, U8, U8, S32), MMA_DOT_SAT, WARP_8x8x16_B8, 2, TN, 4096, 0 },
    { "SM80_16x8x16_S32S8S8S32_TN",
      "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32",
      80, 70, "", TYPES(S32, S8, S8, S32), MMA_DOT, WARP_16x8x16_B8, 4, TN, 4096, 0 },
    { "SM80_16x8x16_S32S8S8S32_TN_SATURATE",
      "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32",
      80, 70, "", TYPES(S32, S8, S8, S32), MMA_DOT_SAT, WARP_16x8x16_B8, 4, TN, 4096, 0 },
    { "SM80_16x8x16_S32S8U8S32_TN",
      "mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32",
      80, 70, "", TYPES(S32, S8, U8, S32), MMA_DOT, WARP_16x8x16_B8, 4, TN, 4096, 0 },
    { "SM80_16x8x16_S32S8U8S32_TN_SATURATE",
      "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.u8.s32",
      80, 70, "", TYPES(S32, S8, U8, S32), MMA_DOT_SAT, WARP_16x8x16_B8, 4, TN, 4096, 0 },
    { "SM80_16x8x16_S32U8S8S32_TN",
      "mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32",
      80, 70, "", TYPES(S32, U8, S8, S32), MMA_DOT, WARP_16x8x16_B8, 4, TN, 4096, 0 },
    { "SM80_16x8x16_S32U8S8S32_TN_SATURATE",
      "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.s8.s32",
      80, 70, "", TYPES(S32, U8, S8, S32), MMA_DOT_SAT, WARP_16x8x16_B8, 4, TN, 4096, 0 },
    { "SM80_16x8x16_S32U8U8S32_TN",
      "mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32",
      80, 70, "", TYPES(S32, U8, U8, S32), MMA_DOT, WARP_16x8x16_B8, 4, TN, 4096, 0 },
    { "SM80_16x8x16_S32U8U8S32_TN_SATURATE",
      "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.u8.s32",
      80, 70, "", TYPES(S32, U8, U8, S32), MMA_DOT_SAT, WARP_16x8x16_B8, 4, TN, 4096, 0 },
    { "SM80_16x8x32_S32S8S8S32_TN",
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32",
      80, 70, "", TYPES(S32, S8, S8, S32), MMA_DOT, WARP_16x8x32_B8, 4, TN, 4096, 0 },
    { "SM80_16x8x32_S32S8S8S32_TN_SATURATE",
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32",
      80, 70, "", TYPES(S32, S8, S8, S32), MMA_DOT_SAT, WARP_16x8x32_B8, 4, TN, 4096, 0 },
    { "SM80_16x8x32_S32S8U8S32_TN",
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32",
      80, 70, "", TYPES(S32, S8, U8, S32), MMA_DOT, WARP_16x8x32_B8, 4, TN, 4096, 0 },
    { "SM80_16x8x32_S32S8U8S32_TN_SATURATE",
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32",
      80, 70, "", TYPES(S32, S8, U8, S32), MMA_DOT_SAT, WARP_16x8x32_B8, 4, TN, 4096, 0 },
    { "SM80_16x8x32_S32U8S8S32_TN",
      "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32",
      80, 70, "", TYPES(S32, U8, S8, S32), MMA_DOT, WARP_16x8x32_B8, 4, TN, 4096, 0 },
    { "SM80_16x8x32_S32U8S8S32_TN_SATURATE",
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32",
      80, 70, "", TYPES(S32, U8, S8, S32), MMA_DOT_SAT, WARP_16x8x32_B8, 4, TN, 4096, 0 },
    { "SM80_16x8x32_S32U8U8S32_TN",
      "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32",
      80, 70, "", TYPES(S32, U8, U8, S32), MMA_DOT, WARP_16x8x32_B8, 4, TN, 4096, 0 },
    { "SM80_16x8x32_S32U8U8S32_TN_SATURATE",
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32",
      80, 70, "", TYPES(S32, U8, U8, S32), MMA_DOT_SAT, WARP_16x8x32_B8, 4, TN, 4096, 0 },
    { "SM80_8x8x32_S32S4S4S32_TN",
      "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32",
      75, 65, "", TYPES(S32, S4, S4, S32), MMA_DOT, WARP_8x8x32_B4, 2, TN, 8192, 0 },
    { "SM80_8x8x32_S32S4S4S32_TN_SATURATE",
      "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.s4.s4.s32",
      75, 65, "", TYPES(S32, S4, S4, S32), MMA_DOT_SAT, WARP_8x8x32_B4, 2, TN, 8192, 0 },
    { "SM80_8x8x32_S32S4U4S32_TN",
      "mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32",
      75, 65, "", TYPES(S32, S4, U4, S32), MMA_DOT, WARP_8x8x32_B4, 2, TN, 8192, 0 },
    { "SM80_8x8x32_S32S4U4S32_TN_SATURATE",
      "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.s4.u4.s32",
      75, 65, "", TYPES(S32, S4, U4, S32), MMA_DOT_SAT, WARP_8x8x32_B4, 2, TN, 8192, 0 },
    { "SM80_8x8x32_S32U4S4S32_TN",
      "mma.sync.aligned.m8n8k32.row.col.s32.u4.s4.s32",
      75, 65, "", TYPES(S32, U4, S4, S32), MMA_DOT, WARP_8x8x32_B4, 2, TN, 8192, 0 },
    { "SM80_8x8x32_S32U4S4S32_TN_SATURATE",
      "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.u4.s4.s32",
      75, 65, "", TYPES(S32, U4, S4, S32), MMA_DOT_SAT, WARP_8x8x32_B4, 2, TN, 8192, 0 },
    { "SM80_8x8x32_S32U4U4S32_TN",
      "mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32",
      75, 65, "", TYPES(S32, U4, U4, S32), MMA_DOT, WARP_8x8x32_B4, 2, TN, 8192, 0 },
    { "SM80_8x8x32_S32U4U4S32_TN_SATURATE",
      "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.u4.u4.s32",
      75, 65, "", TYPES(S32, U4, U4, S32), MMA_DOT_SAT, WARP_8x8x32_B4, 2, TN, 8192, 0 },
    { "SM80_16x8x32_S32S4S4S32_TN",
      "mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32",
      80, 70, "", TYPES(S32, S4, S4, S32), MMA_DOT, WARP_16x8x32_B4, 4, TN, 8192, 0 },
    { "SM80_16x8x32_S32S4S4S32_TN_SATURATE",
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s4.s4.s32",
      80, 70, "", TYPES(S32, S4, S4, S32), MMA_DOT_SAT, WARP_16x8x32_B4, 4, TN, 8192, 0 },
    { "SM80_16x8x32_S32S4U4S32_TN",
      "mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32",
      80, 70, "", TYPES(S32, S4, U4, S32), MMA_DOT, WARP_16x8x32_B4, 4, TN, 8192, 0 },
    { "SM80_16x8x32_S32S4U4S32_TN_SATURATE",
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s4.u4.s32",
      80, 70, "", TYPES(S32, S4, U4, S32), MMA_DOT_SAT, WARP_16x8x32_B4, 4, TN, 8192, 0 },
    { "SM80_16x8x32_S32U4S4S32_TN",
      "mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32",
      80, 70, "", TYPES(S32, U4, S4, S32), MMA_DOT, WARP_16x8x32_B4, 4, TN, 8192, 0 },
    { "SM80_16x8x32_S32U4S4S32_TN_SATURATE",
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u4.s4.s32",
      80, 70, "", TYPES(S32, U4, S4, S32), MMA_DOT_SAT, WARP_16x8x32_B4, 4, TN, 8192, 0 },
    { "SM80_16x8x32_S32U4U4S32_TN",
      "mma.sync.aligned.m16n8k32.row.col.s32.u4.u4.s32",
      80, 70, "", TYPES(S32, U4, U4, S32), MMA_DOT, WARP_16x8x32_B4, 4, TN, 8192, 0 },
    { "SM80_16x8x32_S32U4U4S32_TN_SATURATE",
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u4.u4.s32",
      80, 70, "", TYPES(S32, U4, U4, S32), MMA_DOT_SAT, WARP_16x8x32_B4, 4, TN, 8192, 0 },
    { "SM80_16x8x64_S32S4S4S32_TN",
      "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32",
      80, 70, "", TYPES(S32, S4, S4, S32), MMA_DOT, WARP_16x8x64_B4, 4, TN, 8192, 0 },
    { "SM80_16x8x64_S32S4S4S32_TN_SATURATE",
      "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.s4.s32",
      80, 70, "", TYPES(S32, S4, S4, S32), MMA_DOT_SAT, WARP_16x8x64_B4, 4, TN, 8192, 0 },
    { "SM80_16x8x64_S32S4U4S32_TN",
      "mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32",
      80, 70, "", TYPES(S32, S4, U4, S32), MMA_DOT, WARP_16x8x64_B4, 4, TN, 8192, 0 },
    { "SM80_16x8x64_S32S4U4S32_TN_SATURATE",
      "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.u4.s32",
      80, 70, "", TYPES(S32, S4, U4, S32), MMA_DOT_SAT, WARP_16x8x64_B4, 4, TN, 8192, 0 },
    { "SM80_16x8x64_S32U4S4S32_TN",
      "mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32",
      80, 70, "", TYPES(S32, U4, S4, S32), MMA_DOT, WARP_16x8x64_B4, 4, TN, 8192, 0 },
    { "SM80_16x8x64_S32U4S4S32_TN_SATURATE",
      "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.s4.s32",
      80, 70, "", TYPES(S32, U4, S4, S32), MMA_DOT_SAT, WARP_16x8x64_B4, 4, TN, 8192, 0 },
    { "SM80_16x8x64_S32U4U4S32_TN",
      "mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32",
      80, 70, "", TYPES(S32, U4, U4, S32), MMA_DOT, WARP_16x8x64_B4, 4, TN, 8192, 0 },
    { "SM80_16x8x64_S32U4U4S32_TN_SATURATE",
      "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.u4.s32",
      80, 70, "", TYPES(S32, U4, U4, S32), MMA_DOT_SAT, WARP_16x8x64_B4, 4, TN, 8192, 0 },
    /* -- A warp: mma.sync, Ampere, bits -------------------------------------------------------- */
    { "SM80_8x8x128_S32U1U1S32_TN_XORPOPC",
      "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc",
      75, 70, "", TYPES(S32, B1, B1, S32), MMA_XOR_POPC, WARP_8x8x128_B1, 2, TN, 32768, 0 },
    { "SM80_8x8x128_S32U1U1S32_TN_ANDPOPC",
      "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc",
      80, 71, "", TYPES(S32, B1, B1, S32), MMA_AND_POPC, WARP_8x8x128_B1, 2, TN, 32768, 0 },
    { "SM80_16x8x128_S32U1U1S32_TN_XORPOPC",
      "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc",
      80, 70, "", TYPES(S32, B1, B1, S32), MMA_XOR_POPC, WARP_16x8x128_B1, 4, TN, 32768, 0 },
    { "SM80_16x8x128_S32U1U1S32_TN_ANDPOPC",
      "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc",
      80, 71, "", TYPES(S32, B1, B1, S32), MMA_AND_POPC, WARP_16x8x128_B1, 4, TN, 32768, 0 },
    { "SM80_16x8x256_S32U1U1S32_TN_XORPOPC",
      "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc",
      80, 70, "", TYPES(S32, B1, B1, S32), MMA_XOR_POPC, WARP_16x8x256_B1, 4, TN, 32768, 0 },
    { "SM80_16x8x256_S32U1U1S32_TN_ANDPOPC",
      "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc",
      80, 71, "", TYPES(S32, B1, B1, S32), MMA_AND_POPC, WARP_16x8x256_B1, 4, TN, 32768, 0 },
    /* -- A warp: mma.sync, Ada ----------------------------------------------------------------- */
    { "SM89_16x8x32_F32E4M3E4M3F32_TN",
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32",
      89, 84, "", TYPES(F32, E4M3, E4M3, F32), MMA_DOT, WARP_16x8x32_B8, 4, TN, 2048, 24 },
    { "SM89_16x8x32_F32E4M3E5M2F32_TN",
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32",
      89, 84, "", TYPES(F32, E4M3, E5M2, F32), MMA_DOT, WARP_16x8x32_B8, 4, TN, 2048, 24 },
    { "SM89_16x8x32_F32E5M2E4M3F32_TN",
      "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32",
      89, 84, "", TYPES(F32, E5M2, E4M3, F32), MMA_DOT, WARP_16x8x32_B8, 4, TN, 2048, 24 },
    { "SM89_16x8x32_F32E5M2E5M2F32_TN",
      "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32",
      89, 84, "", TYPES(F32, E5M2, E5M2, F32), MMA_DOT, WARP_16x8x32_B8, 4, TN, 2048, 24 },
    { "SM89_16x8x32_F16E4M3E4M3F16_TN",
      "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16",
      89, 87, "", TYPES(F16, E4M3, E4M3, F16), MMA_DOT, WARP_16x8x32_B8, 2, TN, 2048, 24 },
    { "SM89_16x8x32_F16E4M3E5M2F16_TN",
      "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16",
      89, 87, "", TYPES(F16, E4M3, E5M2, F16), MMA_DOT, WARP_16x8x32_B8, 2, TN, 2048, 24 },
    { "SM89_16x8x32_F16E5M2E4M3F16_TN",
      "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e4m3.f16",
      89, 87, "", TYPES(F16, E5M2, E4M3, F16), MMA_DOT, WARP_16x8x32_B8, 2, TN, 2048, 24 },
    { "SM89_16x8x32_F16E5M2E5M2F16_TN",
      "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e5m2.f16",
      89, 87, "", TYPES(F16, E5M2, E5M2, F16), MMA_DOT, WARP_16x8x32_B8, 2, TN, 2048, 24 },
    /* -- A warp: mma.sync, Hopper -------------------------------------------------------------- */
    { "SM90_16x8x4_F64F64F64F64_TN",
      "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64",
      90, 78, "", TYPES(F64, F64, F64, F64), MMA_DOT, WARP_16x8x4, 4, TN, 256, 0 },
    { "SM90_16x8x8_F64F64F64F64_TN",
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64",
      90, 78, "", TYPES(F64, F64, F64, F64), MMA_DOT, WARP_16x8x8, 4, TN, 256, 0 },
    { "SM90_16x8x16_F64F64F64F64_TN",
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64",
      90, 78, "", TYPES(F64, F64, F64, F64), MMA_DOT, WARP_16x8x16, 4, TN, 256, 0 },
    /* -- A warpgroup: wgmma, A and B in shared memory (SS) or A in registers (RS) -------------- */
    { "SM90_64x8x16_F32F16F16_SS",
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16",
      90, 80, "a", TYPES(F32, F16, F16, F32), MMA_DOT, SS_64x8x16(N_BY_8), 4, ANY_ANY, 4096, 25 },
    { "SM90_64x8x16_F32F16F16_RS",
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16",
      90, 80, "a", TYPES(F32, F16, F16, F32), MMA_DOT, RS_64x8x16(N_BY_8), 4, K_ANY, 4096, 25 },
    { "SM90_64x8x16_F16F16F16_SS",
      "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16",
      90, 80, "a", TYPES(F16, F16, F16, F16), MMA_DOT, SS_64x8x16(N_BY_8), 2, ANY_ANY, 4096, 25 },
    { "SM90_64x8x16_F16F16F16_RS",
      "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16",
      90, 80, "a", TYPES(F16, F16, F16, F16), MMA_DOT, RS_64x8x16(N_BY_8), 2, K_ANY, 4096, 25 },
    { "SM90_64x8x16_F32BF16BF16_SS",
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16",
      90, 80, "a", TYPES(F32, BF16, BF16, F32), MMA_DOT, SS_64x8x16(N_BY_8), 4, ANY_ANY, 4096, 25 },
    { "SM90_64x8x16_F32BF16BF16_RS",
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16",
      90, 80, "a", TYPES(F32, BF16, BF16, F32), MMA_DOT, RS_64x8x16(N_BY_8), 4, K_ANY, 4096, 25 },
    { "SM90_64x8x8_F32TF32TF32_SS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32",
      90, 80, "a", TYPES(F32, TF32, TF32, F32), MMA_DOT, SS_64x8x8(N_BY_8), 4, TN, 2048, 25 },
    { "SM90_64x8x8_F32TF32TF32_RS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32",
      90, 80, "a", TYPES(F32, TF32, TF32, F32), MMA_DOT, RS_64x8x8(N_BY_8), 4, TN, 2048, 25 },
    { "SM90_64x8x32_F32E4M3E4M3_SS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3",
      90, 80, "a", TYPES(F32, E4M3, E4M3, F32), MMA_DOT, SS_64x8x32(N_BY_8), 4, TN, 8192, 13 },
    { "SM90_64x8x32_F32E4M3E4M3_RS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3",
      90, 80, "a", TYPES(F32, E4M3, E4M3, F32), MMA_DOT, RS_64x8x32(N_BY_8), 4, TN, 8192, 13 },
    { "SM90_64x8x32_F32E4M3E5M2_SS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2",
      90, 80, "a", TYPES(F32, E4M3, E5M2, F32), MMA_DOT, SS_64x8x32(N_BY_8), 4, TN, 8192, 13 },
    { "SM90_64x8x32_F32E4M3E5M2_RS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2",
      90, 80, "a", TYPES(F32, E4M3, E5M2, F32), MMA_DOT, RS_64x8x32(N_BY_8), 4, TN, 8192, 13 },
    { "SM90_64x8x32_F32E5M2E4M3_SS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.f32.e5m2.e4m3",
      90, 80, "a", TYPES(F32, E5M2, E4M3, F32), MMA_DOT, SS_64x8x32(N_BY_8), 4, TN, 8192, 13 },
    { "SM90_64x8x32_F32E5M2E4M3_RS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.f32.e5m2.e4m3",
      90, 80, "a", TYPES(F32, E5M2, E4M3, F32), MMA_DOT, RS_64x8x32(N_BY_8), 4, TN, 8192, 13 },
    { "SM90_64x8x32_F32E5M2E5M2_SS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.f32.e5m2.e5m2",
      90, 80, "a", TYPES(F32, E5M2, E5M2, F32), MMA_DOT, SS_64x8x32(N_BY_8), 4, TN, 8192, 13 },
    { "SM90_64x8x32_F32E5M2E5M2_RS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.f32.e5m2.e5m2",
      90, 80, "a", TYPES(F32, E5M2, E5M2, F32), MMA_DOT, RS_64x8x32(N_BY_8), 4, TN, 8192, 13 },
    { "SM90_64x8x32_F16E4M3E4M3_SS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.f16.e4m3.e4m3",
      90, 80, "a", TYPES(F16, E4M3, E4M3, F16), MMA_DOT, SS_64x8x32(N_BY_8), 2, TN, 8192, 13 },
    { "SM90_64x8x32_F16E4M3E4M3_RS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.f16.e4m3.e4m3",
      90, 80, "a", TYPES(F16, E4M3, E4M3, F16), MMA_DOT, RS_64x8x32(N_BY_8), 2, TN, 8192, 13 },
    { "SM90_64x8x32_F16E4M3E5M2_SS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.f16.e4m3.e5m2",
      90, 80, "a", TYPES(F16, E4M3, E5M2, F16), MMA_DOT, SS_64x8x32(N_BY_8), 2, TN, 8192, 13 },
    { "SM90_64x8x32_F16E4M3E5M2_RS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.f16.e4m3.e5m2",
      90, 80, "a", TYPES(F16, E4M3, E5M2, F16), MMA_DOT, RS_64x8x32(N_BY_8), 2, TN, 8192, 13 },
    { "SM90_64x8x32_F16E5M2E4M3_SS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.f16.e5m2.e4m3",
      90, 80, "a", TYPES(F16, E5M2, E4M3, F16), MMA_DOT, SS_64x8x32(N_BY_8), 2, TN, 8192, 13 },
    { "SM90_64x8x32_F16E5M2E4M3_RS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.f16.e5m2.e4m3",
      90, 80, "a", TYPES(F16, E5M2, E4M3, F16), MMA_DOT, RS_64x8x32(N_BY_8), 2, TN, 8192, 13 },
    { "SM90_64x8x32_F16E5M2E5M2_SS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.f16.e5m2.e5m2",
      90, 80, "a", TYPES(F16, E5M2, E5M2, F16), MMA_DOT, SS_64x8x32(N_BY_8), 2, TN, 8192, 13 },
    { "SM90_64x8x32_F16E5M2E5M2_RS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.f16.e5m2.e5m2",
      90, 80, "a", TYPES(F16, E5M2, E5M2, F16), MMA_DOT, RS_64x8x32(N_BY_8), 2, TN, 8192, 13 },
    { "SM90_64x8x32_S32S8S8_SS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8",
      90, 80, "a", TYPES(S32, S8, S8, S32), MMA_DOT, SS_64x8x32(N_INTEGER), 4, TN, 8192, 0 },
    { "SM90_64x8x32_S32S8S8_RS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8",
      90, 80, "a", TYPES(S32, S8, S8, S32), MMA_DOT, RS_64x8x32(N_INTEGER), 4, TN, 8192, 0 },
    { "SM90_64x8x32_S32S8S8_SS_TN_SATURATE",
      "wgmma.mma_async.sync.aligned.m64n8k32.satfinite.s32.s8.s8",
      90, 80, "a", TYPES(S32, S8, S8, S32), MMA_DOT_SAT, SS_64x8x32(N_INTEGER), 4, TN, 8192, 0 },
    { "SM90_64x8x32_S32S8S8_RS_TN_SATURATE",
      "wgmma.mma_async.sync.aligned.m64n8k32.satfinite.s32.s8.s8",
      90, 80, "a", TYPES(S32, S8, S8, S32), MMA_DOT_SAT, RS_64x8x32(N_INTEGER), 4, TN, 8192, 0 },
    { "SM90_64x8x32_S32S8U8_SS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8",
      90, 84, "a", TYPES(S32, S8, U8, S32), MMA_DOT, SS_64x8x32(N_INTEGER), 4, TN, 8192, 0 },
    { "SM90_64x8x32_S32S8U8_RS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8",
      90, 84, "a", TYPES(S32, S8, U8, S32), MMA_DOT, RS_64x8x32(N_INTEGER), 4, TN, 8192, 0 },
    { "SM90_64x8x32_S32S8U8_SS_TN_SATURATE",
      "wgmma.mma_async.sync.aligned.m64n8k32.satfinite.s32.s8.u8",
      90, 84, "a", TYPES(S32, S8, U8, S32), MMA_DOT_SAT, SS_64x8x32(N_INTEGER), 4, TN, 8192, 0 },
    { "SM90_64x8x32_S32S8U8_RS_TN_SATURATE",
      "wgmma.mma_async.sync.aligned.m64n8k32.satfinite.s32.s8.u8",
      90, 84, "a", TYPES(S32, S8, U8, S32), MMA_DOT_SAT, RS_64x8x32(N_INTEGER), 4, TN, 8192, 0 },
    { "SM90_64x8x32_S32U8S8_SS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8",
      90, 84, "a", TYPES(S32, U8, S8, S32), MMA_DOT, SS_64x8x32(N_INTEGER), 4, TN, 8192, 0 },
    { "SM90_64x8x32_S32U8S8_RS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8",
      90, 84, "a", TYPES(S32, U8, S8, S32), MMA_DOT, RS_64x8x32(N_INTEGER), 4, TN, 8192, 0 },
    { "SM90_64x8x32_S32U8S8_SS_TN_SATURATE",
      "wgmma.mma_async.sync.aligned.m64n8k32.satfinite.s32.u8.s8",
      90, 84, "a", TYPES(S32, U8, S8, S32), MMA_DOT_SAT, SS_64x8x32(N_INTEGER), 4, TN, 8192, 0 },
    { "SM90_64x8x32_S32U8S8_RS_TN_SATURATE",
      "wgmma.mma_async.sync.aligned.m64n8k32.satfinite.s32.u8.s8",
      90, 84, "a", TYPES(S32, U8, S8, S32), MMA_DOT_SAT, RS_64x8x32(N_INTEGER), 4, TN, 8192, 0 },
    { "SM90_64x8x32_S32U8U8_SS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8",
      90, 80, "a", TYPES(S32, U8, U8, S32), MMA_DOT, SS_64x8x32(N_INTEGER), 4, TN, 8192, 0 },
    { "SM90_64x8x32_S32U8U8_RS_TN",
      "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8",
      90, 80, "a", TYPES(S32, U8, U8, S32), MMA_DOT, RS_64x8x32(N_INTEGER), 4, TN, 8192, 0 },
    { "SM90_64x8x32_S32U8U8_SS_TN_SATURATE",
      "wgmma.mma_async.sync.aligned.m64n8k32.satfinite.s32.u8.u8",
      90, 80, "a", TYPES(S32, U8, U8, S32), MMA_DOT_SAT, SS_64x8x32(N_INTEGER), 4, TN, 8192, 0 },
    { "SM90_64x8x32_S32U8U8_RS_TN_SATURATE",
      "wgmma.mma_async.sync.aligned.m64n8k32.satfinite.s32.u8.u8",
      90, 80, "a", TYPES(S32, U8, U8, S32), MMA_DOT_SAT, RS_64x8x32(N_INTEGER), 4, TN, 8192, 0 },
    { "SM90_64x8x256_S32U1U1_SS_TN_ANDPOPC",
      "wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc",
      90, 80, "a", TYPES(S32, B1, B1, S32), MMA_AND_POPC, SS_64x8x256(N_INTEGER), 4, TN, 0, 0 },
    { "SM90_64x8x256_S32U1U1_RS_TN_ANDPOPC",
      "wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc",
      90, 80, "a", TYPES(S32, B1, B1, S32), MMA_AND_POPC, RS_64x8x256(N_INTEGER), 4, TN, 0, 0 },
    { 0 },
};
/* clang-format on */
