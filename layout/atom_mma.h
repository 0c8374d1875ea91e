/*
 * atom_mma: the MMA atoms, as one table.
 *
 * An atom is one instruction, D = A*B + C, and what must be known to feed it: who holds which
 * element. Layouts are CuTe text in the convention of CuTe's MMA_Traits: (T,V) -> column-major
 * linear index, A: m + M*k, B: n + N*k, C and D: m + M*n. T is the logical thread, sent to a lane
 * by thr_id; V counts a thread's values in register order, the first in the low bits of the first
 * register.
 *
 * Names are CuTe's. The mnemonic is the PTX manual's. A row is checked by tests/test_atoms.c: A, B
 * and C are bijections, and each element is where the PTX manual's formula says.
 */
#ifndef KNAP_LAYOUT_ATOM_MMA_H
#define KNAP_LAYOUT_ATOM_MMA_H

#include "layout/dtype.h"
#include "layout/layout.h"

typedef struct {
    const char *name;     /* SM80_16x8x16_F32F16F16F32_TN */
    const char *mnemonic; /* mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 */
    int sm;               /* lowest compute capability, 10*major + minor */
    int ptx;              /* lowest PTX ISA version, 10*major + minor */
    int m, n, k;
    Dtype d, a, b, c;   /* element types */
    const char *thr_id; /* logical thread -> lane */
    const char *a_tv, *b_tv, *c_tv;
    int a_regs, b_regs, c_regs; /* registers a thread gives for each operand */
} MmaAtom;

/* The rows, ended by one whose name is NULL. */
extern const MmaAtom mma_atoms[];

/* The row called name, or NULL. */
const MmaAtom *mma_atom_find(const char *name);

/* Threads that take part: size of thr_id. */
int mma_atom_threads(const MmaAtom *atom);

/* The (T,V) layout of an operand with strides that are coordinates: (T,V) -> (m,k), (n,k) or (m,n).
 * operand is 'A', 'B' or 'C'. */
Layout mma_atom_tv(const MmaAtom *atom, char operand);

#endif
