/*
 * emit: the vocabulary in which kernels are written.
 *
 * Everything rests on coordinates. A (T,V) layout whose strides are coordinates says which (i,j)
 * thread t holds as its v-th value: the thread's part becomes a few instructions, the value's part
 * is known while emitting. One coordinate then serves three masters: compared with a bound it is
 * the predicate; its inner product with strides, constant or run-time, is the address in any
 * memory.
 */
#ifndef KNAP_GPU_EMIT_H
#define KNAP_GPU_EMIT_H

#include "gpu/kernel.h"

enum { EMIT_VALUES = 128 }; /* values of one thread in one fragment or copy */

/* -- Coordinates (emit_coord.c) ---------------------------------------------------------------- */

/* The coordinates of one thread's values: (thread[0] + value[v][0], thread[1] + value[v][1]). */
typedef struct {
    int count;
    PtxVal thread[2];
    int64_t value[EMIT_VALUES][2];
} EmitCoord;

/* Evaluates tv at thread tid. Mode 0 of tv is T, mode 1 is V. */
EmitCoord emit_coord(Ptx *x, Layout tv, PtxVal tid);

/* Two strides, in bytes: constants, or 64-bit registers. */
typedef struct {
    PtxVal by[2];
} EmitStrides;

/* Where value v lies from the thread's pointer: a run-time part and a constant part, in bytes. */
typedef struct {
    PtxVal run; /* constant 0, or a register */
    int64_t con;
} EmitOffset;

/* base + the inner product of the thread's part with the strides. base B32 (shared) or B64
 * (global). */
PtxVal emit_pointer(Ptx *x, PtxVal base, const EmitCoord *c, EmitStrides s);

/* The values' parts, out[0..count). Equal run-time parts share a register. */
void emit_offsets(Ptx *x, const EmitCoord *c, EmitStrides s, EmitOffset *out);

/* The predicates "thread[dim] + value[v][dim] < bound", out[0..count). Equal ones share a register.
 */
void emit_inside(Ptx *x, const EmitCoord *c, int dim, PtxVal bound, PtxVal *out);

/* The largest power of two, at most 16, that divides every byte offset tv's thread part can have in
 * shared memory with these element strides: what a vector access may count on. */
int emit_granule(Layout tv, const int stride[2], int element_bytes);

/* -- Copies (emit_copy.c) ---------------------------------------------------------------------- */

/* The registers that hold one vector of neighbours. */
typedef struct {
    int n;
    PtxVal reg[4];
} EmitVec;

/* One operand's copy from global to shared memory, as one thread sees it. */
typedef struct {
    const PlanOperand *op;
    EmitCoord coord; /* in the tile, one entry a vector (its first element) */
    PtxVal global;   /* running pointer, the thread's part included */
    PtxVal step;     /* bytes to the next tile along k */
    EmitOffset from[EMIT_VALUES];
    PtxVal row_ok[EMIT_VALUES];
    PtxVal shared; /* address in stage 0, the thread's part included */
    EmitVec hold[EMIT_VALUES];
} EmitCopy;

/* Everything that does not change along k. global: pointer to the block's first row; rows: how many
 * rows there are from there; strides: of (row, k), in bytes; smem: the address of shared memory. */
void emit_copy_begin(Ptx *x, EmitCopy *copy, const PlanOperand *op, PtxVal tid, PtxVal global,
                     PtxVal rows, EmitStrides strides, PtxVal smem, int tile_k);
/* Global to registers; room_k: k left from the tile's first. Elements outside are zero. */
void emit_copy_load(Ptx *x, EmitCopy *copy, PtxVal room_k);
/* Moves the running pointer to the next tile. */
void emit_copy_advance(Ptx *x, EmitCopy *copy);
/* Registers to shared memory, stage bytes further. */
void emit_copy_store(Ptx *x, const EmitCopy *copy, PtxVal stage);

/* One operand's fragments in shared memory, as one thread sees them. */
typedef struct {
    const PlanOperand *op;
    PtxClass cls;                /* of a fragment register */
    int reps, depth;             /* repetitions along the row and along k */
    int regs, per;               /* registers of one atom's operand; values in a register */
    PtxVal shared;               /* address in stage 0, the thread's part included */
    int64_t offset[EMIT_VALUES]; /* of each value, in bytes */
    int granule;
} EmitFrag;

void emit_frag_begin(Ptx *x, EmitFrag *frag, const PlanOperand *op, int regs, PtxVal tid,
                     PtxVal smem);
/* Loads the registers of all repetitions at depth d: out[rep * regs + r]. */
void emit_frag_load(Ptx *x, const EmitFrag *frag, PtxVal stage, int d, PtxVal *out);

/* -- Arithmetic and results (emit_mma.c, emit_epilogue.c) -------------------------------------- */

/* acc += a * b: one instruction of the atom. */
void emit_atom(Ptx *x, const MmaAtom *atom, const PtxVal *acc, const PtxVal *a, const PtxVal *b);

/* C = alpha * acc + beta * C for the block whose first row and column are m0 and n0; C is not read
 * where beta is 0. */
void emit_epilogue(Ptx *x, const GemmPlan *plan, const PtxVal *acc, PtxVal tid, PtxVal m0,
                   PtxVal n0);

/* The whole kernel: tiles of A and B through registers into two stages of shared memory, fragments,
 * atoms, epilogue. What the simt and mma families share. */
void emit_tiled_gemm(const GemmPlan *plan, Ptx *x);

#endif
