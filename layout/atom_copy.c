/*
 * atom_copy: the table of copy atoms, its readers, and tensor copies made for one box. See
 * atom_copy.h.
 *
 * A row is three lines: the name; mnemonic and operands; and
 *
 *     MOVES, bits, source layout, destination layout, alignments, completion, zfill, dims
 *
 * where MOVES is a macro below: what all instructions of one kind share. Sources: the PTX ISA
 * manual, "Data movement and conversion instructions"; names and layouts are those of CuTe's copy
 * operations and traits.
 */
#include "layout/atom_copy.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */

/* -- Moves: sm, ptx, suffix, thr_id, from, to -------------------------------------------------- */
#define LDG  70, 60, "", "1:0",  COPY_GLOBAL,    COPY_REGISTERS
#define STG  70, 60, "", "1:0",  COPY_REGISTERS, COPY_GLOBAL
#define LDS  70, 60, "", "1:0",  COPY_SHARED,    COPY_REGISTERS
#define STS  70, 60, "", "1:0",  COPY_REGISTERS, COPY_SHARED
#define LDSM 75, 65, "", "32:1", COPY_SHARED,    COPY_REGISTERS
#define STSM 90, 78, "", "32:1", COPY_REGISTERS, COPY_SHARED
#define CPA  80, 70, "", "1:0",  COPY_GLOBAL,    COPY_SHARED
#define TMAL 90, 80, "", "1:0",  COPY_GLOBAL,    COPY_SHARED
#define TMAS 90, 80, "", "1:0",  COPY_SHARED,    COPY_GLOBAL

/* -- Layouts ----------------------------------------------------------------------------------- */
/* A thread's own bits, the same on both sides; and what is the same for all widths of a kind. */
#define OWN(bits)   bits, "(1," #bits "):(0,1)", "(1," #bits "):(0,1)"
#define LOAD(bytes)   bytes, 0, COPY_IN_ORDER, false, 0
#define STORE(bytes)  0, bytes, COPY_IN_ORDER, false, 0
#define ASYNC(bytes)  bytes, bytes, COPY_COMMIT_GROUP, false, 0
#define ZFILL(bytes)  bytes, bytes, COPY_COMMIT_GROUP, true, 0
#define BOX_LOAD      16, 128, COPY_MBARRIER, false, 5
#define BOX_STORE     128, 16, COPY_BULK_GROUP, false, 5

/* 1, 2 or 4 matrices of 8 rows of 128 bits: as rows in shared memory, each at an address that one
 * thread gives; as fragments in registers; the same of the transposed matrices. */
#define ROWS_1  "((8,4),128):((128,0),1)"
#define ROWS_2  "((16,2),128):((128,0),1)"
#define ROWS_4  "(32,128):(128,1)"
#define FRAG_1  "(32,32):(32,1)"
#define FRAG_2  "(32,(32,2)):(32,(1,1024))"
#define FRAG_4  "(32,(32,4)):(32,(1,1024))"
#define TRANS_1 "((4,8),(16,2)):((256,16),(1,128))"
#define TRANS_2 "((4,8),(16,2,2)):((256,16),(1,128,1024))"
#define TRANS_4 "((4,8),(16,2,4)):((256,16),(1,128,1024))"

const CopyAtom copy_atoms[] = {
    /* -- A thread: loads and stores ------------------------------------------------------------ */
    { "UniversalCopy<uint8_t>_LDG",
      "ld.global.b8", "r0, [src]",
      LDG, OWN(8), LOAD(1) },
    { "UniversalCopy<uint16_t>_LDG",
      "ld.global.b16", "r0, [src]",
      LDG, OWN(16), LOAD(2) },
    { "UniversalCopy<uint32_t>_LDG",
      "ld.global.b32", "r0, [src]",
      LDG, OWN(32), LOAD(4) },
    { "UniversalCopy<uint64_t>_LDG",
      "ld.global.v2.b32", "{r0, r1}, [src]",
      LDG, OWN(64), LOAD(8) },
    { "UniversalCopy<uint128_t>_LDG",
      "ld.global.v4.b32", "{r0, r1, r2, r3}, [src]",
      LDG, OWN(128), LOAD(16) },
    { "UniversalCopy<uint8_t>_STG",
      "st.global.b8", "[dst], r0",
      STG, OWN(8), STORE(1) },
    { "UniversalCopy<uint16_t>_STG",
      "st.global.b16", "[dst], r0",
      STG, OWN(16), STORE(2) },
    { "UniversalCopy<uint32_t>_STG",
      "st.global.b32", "[dst], r0",
      STG, OWN(32), STORE(4) },
    { "UniversalCopy<uint64_t>_STG",
      "st.global.v2.b32", "[dst], {r0, r1}",
      STG, OWN(64), STORE(8) },
    { "UniversalCopy<uint128_t>_STG",
      "st.global.v4.b32", "[dst], {r0, r1, r2, r3}",
      STG, OWN(128), STORE(16) },
    { "UniversalCopy<uint8_t>_LDS",
      "ld.shared.b8", "r0, [src]",
      LDS, OWN(8), LOAD(1) },
    { "UniversalCopy<uint16_t>_LDS",
      "ld.shared.b16", "r0, [src]",
      LDS, OWN(16), LOAD(2) },
    { "UniversalCopy<uint32_t>_LDS",
      "ld.shared.b32", "r0, [src]",
      LDS, OWN(32), LOAD(4) },
    { "UniversalCopy<uint64_t>_LDS",
      "ld.shared.v2.b32", "{r0, r1}, [src]",
      LDS, OWN(64), LOAD(8) },
    { "UniversalCopy<uint128_t>_LDS",
      "ld.shared.v4.b32", "{r0, r1, r2, r3}, [src]",
      LDS, OWN(128), LOAD(16) },
    { "UniversalCopy<uint8_t>_STS",
      "st.shared.b8", "[dst], r0",
      STS, OWN(8), STORE(1) },
    { "UniversalCopy<uint16_t>_STS",
      "st.shared.b16", "[dst], r0",
      STS, OWN(16), STORE(2) },
    { "UniversalCopy<uint32_t>_STS",
      "st.shared.b32", "[dst], r0",
      STS, OWN(32), STORE(4) },
    { "UniversalCopy<uint64_t>_STS",
      "st.shared.v2.b32", "[dst], {r0, r1}",
      STS, OWN(64), STORE(8) },
    { "UniversalCopy<uint128_t>_STS",
      "st.shared.v4.b32", "[dst], {r0, r1, r2, r3}",
      STS, OWN(128), STORE(16) },

    /* -- Turing: a warp loads matrices from shared memory -------------------------------------- */
    { "SM75_U32x1_LDSM_N",
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16", "{r0}, [src]",
      LDSM, 32, ROWS_1, FRAG_1, LOAD(16) },
    { "SM75_U32x2_LDSM_N",
      "ldmatrix.sync.aligned.m8n8.x2.shared.b16", "{r0, r1}, [src]",
      LDSM, 64, ROWS_2, FRAG_2, LOAD(16) },
    { "SM75_U32x4_LDSM_N",
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16", "{r0, r1, r2, r3}, [src]",
      LDSM, 128, ROWS_4, FRAG_4, LOAD(16) },
    { "SM75_U16x2_LDSM_T",
      "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16", "{r0}, [src]",
      LDSM, 32, ROWS_1, TRANS_1, LOAD(16) },
    { "SM75_U16x4_LDSM_T",
      "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", "{r0, r1}, [src]",
      LDSM, 64, ROWS_2, TRANS_2, LOAD(16) },
    { "SM75_U16x8_LDSM_T",
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", "{r0, r1, r2, r3}, [src]",
      LDSM, 128, ROWS_4, TRANS_4, LOAD(16) },

    /* -- Ampere: from global to shared memory past the registers ------------------------------- */
    { "SM80_CP_ASYNC_CACHEALWAYS<uint32_t>",
      "cp.async.ca.shared.global", "[dst], [src], 4",
      CPA, OWN(32), ASYNC(4) },
    { "SM80_CP_ASYNC_CACHEALWAYS<uint64_t>",
      "cp.async.ca.shared.global", "[dst], [src], 8",
      CPA, OWN(64), ASYNC(8) },
    { "SM80_CP_ASYNC_CACHEALWAYS<uint128_t>",
      "cp.async.ca.shared.global", "[dst], [src], 16",
      CPA, OWN(128), ASYNC(16) },
    { "SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>",
      "cp.async.cg.shared.global", "[dst], [src], 16",
      CPA, OWN(128), ASYNC(16) },
    { "SM80_CP_ASYNC_CACHEALWAYS_ZFILL<uint32_t>",
      "cp.async.ca.shared.global", "[dst], [src], 4, n",
      CPA, OWN(32), ZFILL(4) },
    { "SM80_CP_ASYNC_CACHEALWAYS_ZFILL<uint64_t>",
      "cp.async.ca.shared.global", "[dst], [src], 8, n",
      CPA, OWN(64), ZFILL(8) },
    { "SM80_CP_ASYNC_CACHEALWAYS_ZFILL<uint128_t>",
      "cp.async.ca.shared.global", "[dst], [src], 16, n",
      CPA, OWN(128), ZFILL(16) },
    { "SM80_CP_ASYNC_CACHEGLOBAL_ZFILL<uint128_t>",
      "cp.async.cg.shared.global", "[dst], [src], 16, n",
      CPA, OWN(128), ZFILL(16) },

    /* -- Hopper: a warp stores matrices to shared memory --------------------------------------- */
    { "SM90_U32x1_STSM_N",
      "stmatrix.sync.aligned.m8n8.x1.shared.b16", "[dst], {r0}",
      STSM, 32, FRAG_1, ROWS_1, STORE(16) },
    { "SM90_U32x2_STSM_N",
      "stmatrix.sync.aligned.m8n8.x2.shared.b16", "[dst], {r0, r1}",
      STSM, 64, FRAG_2, ROWS_2, STORE(16) },
    { "SM90_U32x4_STSM_N",
      "stmatrix.sync.aligned.m8n8.x4.shared.b16", "[dst], {r0, r1, r2, r3}",
      STSM, 128, FRAG_4, ROWS_4, STORE(16) },
    { "SM90_U16x2_STSM_T",
      "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16", "[dst], {r0}",
      STSM, 32, TRANS_1, ROWS_1, STORE(16) },
    { "SM90_U16x4_STSM_T",
      "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16", "[dst], {r0, r1}",
      STSM, 64, TRANS_2, ROWS_2, STORE(16) },
    { "SM90_U16x8_STSM_T",
      "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16", "[dst], {r0, r1, r2, r3}",
      STSM, 128, TRANS_4, ROWS_4, STORE(16) },

    /* -- Hopper: a box of a tensor, here the smallest of 1 dimension --------------------------- */
    { "SM90_TMA_LOAD",
      "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes",
      "[dst], [map, {c0}], [mbar]",
      TMAL, OWN(128), BOX_LOAD },
    { "SM90_TMA_LOAD_MULTICAST",
      "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster",
      "[dst], [map, {c0}], [mbar], mask",
      TMAL, OWN(128), BOX_LOAD },
    { "SM90_TMA_STORE",
      "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group", "[map, {c0}], [src]",
      TMAS, OWN(128), BOX_STORE },
    { "SM90_TMA_REDUCE_ADD",
      "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group", "[map, {c0}], [src]",
      TMAS, OWN(128), BOX_STORE },
    { .name = NULL },
};
/* clang-format on */

/* -- Searches ---------------------------------------------------------------------------------- */
const CopyAtom *copy_atom_find(const char *name)
{
    for (const CopyAtom *row = copy_atoms; row->name; row++)
        if (strcmp(row->name, name) == 0) return row;
    return NULL;
}

const CopyAtom *copy_atom_vectorized(CopySpace from, CopySpace to, int bits)
{
    const CopyAtom *widest = NULL;
    for (const CopyAtom *row = copy_atoms; row->name && bits > 0; row++) {
        const bool plain = row->done == COPY_IN_ORDER && copy_atom_threads(row) == 1;
        if (!plain || row->from != from || row->to != to || bits % row->bits != 0) continue;
        if (!widest || row->bits > widest->bits) widest = row;
    }
    return widest;
}

/* -- A tensor copy of one box ------------------------------------------------------------------ */
/* Why the row has no such box, in why; "" where it has. */
static void judge_box(char *why, size_t size, const CopyAtom *row, int dims, int64_t bits)
{
    const long long all = (long long)bits;
    why[0] = '\0';
    if (!row->dims)
        snprintf(why, size, "copy_atom_at_box: %s is no tensor copy and has no box", row->name);
    else if (dims < 1 || dims > row->dims)
        snprintf(why, size, "copy_atom_at_box: %s has 1 to %d dimensions, not %d", row->name,
                 row->dims, dims);
    else if (bits < COPY_BOX_BITS || bits % COPY_BOX_BITS != 0)
        snprintf(why, size, "copy_atom_at_box: %s moves multiples of %d bits, not %lld", row->name,
                 COPY_BOX_BITS, all);
    else if (bits / 8 > COPY_BOX_BYTES_MAX)
        snprintf(why, size,
                 "copy_atom_at_box: %s of %lld bits is more than the %d bytes of shared "
                 "memory",
                 row->name, all, COPY_BOX_BYTES_MAX);
}

/* Copies the operands of 1 dimension with coordinates for `dims`: {c0} becomes {c0, c1}. */
static void add_coordinates(char *out, size_t size, const char *operands, int dims)
{
    const char *rest = strchr(operands, '}');
    size_t len = (size_t)(rest - operands);
    memcpy(out, operands, len);
    for (int i = 1; i < dims; i++) len += (size_t)snprintf(out + len, size - len, ", c%d", i);
    snprintf(out + len, size - len, "%s", rest);
}

CopyAtom copy_atom_at_box(const CopyAtom *row, int dims, int64_t bits, CopyAtomText *text)
{
    CopyAtom atom = *row;
    judge_box(text->why, sizeof text->why, row, dims, bits);
    if (text->why[0]) return (CopyAtom){.name = NULL};
    snprintf(text->name, sizeof text->name, "%s_%dD", row->name, dims);
    snprintf(text->mnemonic, sizeof text->mnemonic, "%s", row->mnemonic);
    *strstr(text->mnemonic, "1d.") = (char)('0' + dims);
    add_coordinates(text->operands, sizeof text->operands, row->operands, dims);
    snprintf(text->tv, sizeof text->tv, "(1,%d):(0,1)", (int)bits);
    atom.name = text->name;
    atom.mnemonic = text->mnemonic;
    atom.operands = text->operands;
    atom.bits = (int)bits;
    atom.src_tv = atom.dst_tv = text->tv;
    return atom;
}

/* -- Asking ------------------------------------------------------------------------------------ */
int copy_atom_threads(const CopyAtom *atom)
{
    return (int)layout_size(layout_parse(atom->thr_id));
}

int copy_atom_regs(const CopyAtom *atom)
{
    if (atom->from != COPY_REGISTERS && atom->to != COPY_REGISTERS) return 0;
    return (atom->bits + 31) / 32;
}

Layout copy_atom_src(const CopyAtom *atom)
{
    return layout_parse(atom->src_tv);
}

Layout copy_atom_dst(const CopyAtom *atom)
{
    return layout_parse(atom->dst_tv);
}

/* -- Names ------------------------------------------------------------------------------------- */
const char *copy_space_name(CopySpace space)
{
    return space == COPY_GLOBAL ? "global" : space == COPY_SHARED ? "shared" : "registers";
}

const char *copy_done_name(CopyDone done)
{
    switch (done) {
    case COPY_COMMIT_GROUP: return "commit_group";
    case COPY_MBARRIER: return "mbarrier";
    case COPY_BULK_GROUP: return "bulk_group";
    default: return "in order";
    }
}
