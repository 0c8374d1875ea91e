/*
 * sim_isa: the instruction set as tables, and what an instruction becomes when it is decoded.
 *
 * Each sim_exec_*.c holds the instructions of one class: their semantics and a table of SimOp
 * rows. A new instruction is a function and a row. sim_isa.c finds the row of a mnemonic;
 * sim_insn.c fits operands.
 *
 * Mnemonic patterns, word by word between the dots:
 *   add        the word itself
 *   a|b|c      one of these; its number, from 0, is put into SimInsn.sel, in order of such words
 *   ?a|b       the same, but it may be missing (0: missing, 1: a, 2: b)
 *   ?VEC       nothing, v2 or v4, put into SimInsn.vec
 *   $          any data type of 8 to 64 bits, put into SimInsn.type
 *
 * Operand forms, separated by commas, destinations first:
 *   =T         a destination register of type T        T       a register or constant of type T
 *   =T|pred    one register, or it and a predicate
 *   T*n        n of them in braces                      ?T      T, a special register or an address
 *   ~          as many registers in braces as vec says, each as wide as $ or wider (=~ to write)
 *   [g] [s] [p]  an address in global, shared or parameter space: one source and one immediate
 *   #          an integer constant (an immediate)       @       a label
 */
#ifndef KNAP_GPU_SIM_SIM_ISA_H
#define KNAP_GPU_SIM_SIM_ISA_H

#include "gpu/sim/sim.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* clang-format off */
/*         id     name   bytes kind */
#define SIM_TYPE_LIST(ROW) \
    ROW(PRED,  "pred",  0, 'p') \
    ROW(B8,    "b8",    1, 'b') \
    ROW(U8,    "u8",    1, 'i') \
    ROW(S8,    "s8",    1, 'i') \
    ROW(B16,   "b16",   2, 'b') \
    ROW(U16,   "u16",   2, 'i') \
    ROW(S16,   "s16",   2, 'i') \
    ROW(F16,   "f16",   2, 'f') \
    ROW(B32,   "b32",   4, 'b') \
    ROW(U32,   "u32",   4, 'i') \
    ROW(S32,   "s32",   4, 'i') \
    ROW(F32,   "f32",   4, 'f') \
    ROW(F16X2, "f16x2", 4, 'h') \
    ROW(B64,   "b64",   8, 'b') \
    ROW(U64,   "u64",   8, 'i') \
    ROW(S64,   "s64",   8, 'i') \
    ROW(F64,   "f64",   8, 'f')
/* clang-format on */

typedef enum {
#define ROW(id, name, bytes, kind) SIM_##id,
    SIM_TYPE_LIST(ROW)
#undef ROW
        SIM_TYPES,
    SIM_NO_TYPE = SIM_TYPES
} SimType;

typedef struct {
    const char *name;
    int bytes;
    char kind; /* p predicate, b bits, i integer, f float, h packed halves */
} SimTypeInfo;

extern const SimTypeInfo sim_types[SIM_TYPES];

/* The type whose name is the n characters at s, or SIM_NO_TYPE. */
SimType sim_type_parse(const char *s, size_t n);
/* May a register of type reg stand where the instruction wants type want? */
bool sim_type_fits(SimType want, SimType reg);
/* Signed integer: loads and conversions extend its sign. */
bool sim_type_signed(SimType t);

/*
 * A slot is 32 lanes of 4 bytes in a warp's register file. Registers of 64 bits take two slots in
 * a row (32 lanes of 8 bytes), those of 16 bits the first half of one; a predicate is a mask of 32
 * bits in the first word. Constants and special registers are slots that nobody writes.
 */
typedef uint32_t SimSlot;
enum {
    SIM_LANES = 32,
    SIM_SLOT_BYTES = 4 * SIM_LANES,
    SIM_ALWAYS = 0 /* slot of the constant true */
};

typedef struct SimWarp SimWarp;
typedef struct SimInsn SimInsn;
typedef void SimExec(SimWarp *w, const SimInsn *in);

typedef struct {
    const char *mnemonic, *form;
    SimExec *exec;
    int sm, ptx;       /* lowest .target and .version, 10*major + minor; 0: any */
    const void *extra; /* exec's own */
} SimOp;

#define SIM_OP(mnemonic, form, exec)     \
    {                                    \
        mnemonic, form, exec, 0, 0, NULL \
    }
#define SIM_OP_SINCE(sm, ptx, mnemonic, form, exec) \
    {                                               \
        mnemonic, form, exec, sm, ptx, NULL         \
    }

struct SimInsn {
    const SimOp *op;
    const SimSlot *arg; /* destinations, then sources, in the order of the text */
    uint32_t first_arg; /* where arg begins in the program's pool */
    uint16_t dsts, srcs;
    SimSlot guard; /* a predicate; SIM_ALWAYS where there is none */
    bool guard_negated;
    uint8_t cls;      /* SimClass */
    uint32_t negated; /* bit i: arg[i] is a predicate to be negated */
    uint32_t wide;    /* bit i: arg[i] is an address in a 64-bit register */
    uint32_t line;
    uint32_t target; /* of a branch: index of an instruction */
    int64_t imm[3];  /* offsets of addresses and constants, in the order of the text */
    uint8_t imms;
    uint8_t sel[6];
    uint8_t type;  /* SimType */
    uint8_t vec;   /* 1, 2, 4 */
    uint8_t width; /* bytes of each register of a ~ operand */
};

/* The table of one class, ended by a row without mnemonic. */
extern const SimOp sim_ops_integer[], sim_ops_float[], sim_ops_move[], sim_ops_convert[];
extern const SimOp sim_ops_memory[], sim_ops_matrix[], sim_ops_flow[];

/* The next row after `after` (NULL: the first) whose pattern takes the mnemonic; fills in op,
 * cls, sel, type and vec of *in. NULL: there is none. */
const SimOp *sim_isa_find(const char *mnemonic, size_t n, const SimOp *after, SimInsn *in);

/* Does control never go on behind it (where it has no guard)? */
bool sim_insn_ends(const SimInsn *in);

#endif
