/*
 * atom_ref: the matrix instructions by the formulas of the PTX ISA manual: where the registers of
 * the threads lie in the matrices ("Matrix fragments for mma.m16n8k16", and so on), and what is
 * computed of them. It is made from a mnemonic and knows nothing of layouts: what the table of
 * atoms says in CuTe's notation is held against it.
 *
 * It covers mma.sync and wgmma.mma_async in their dense forms, fma and dp4a. A mnemonic that it
 * does not know gives false. Nothing allocates; pure functions, any thread.
 */
#ifndef KNAP_CPU_REF_ATOM_REF_H
#define KNAP_CPU_REF_ATOM_REF_H

#include "layout/dtype.h"

#include <stdbool.h>
#include <stddef.h>

/* As the manual names them: A is (m,k), B is (k,n), C and D are (m,n). */
typedef struct {
    int row, col;
} AtomCoord;

typedef struct AtomRef AtomRef;

/* Element i of a lane's fragment, in register order, the low bits of a register first. A lane is a
 * thread's number in its warp, or in its warpgroup. */
typedef AtomCoord AtomFragment(const AtomRef *ref, int lane, int i);

struct AtomRef {
    int m, n, k;
    Dtype d, a, b, c;
    bool saturate, xor_popc, and_popc;
    bool a_row, b_col;             /* .row of A, .col of B: of either, k is contiguous */
    int threads;                   /* that take part */
    int a_threads, b_threads;      /* that hold a part of A and of B: 1 for shared memory */
    int a_count, b_count, c_count; /* elements each of them holds */
    AtomFragment *a_at, *b_at, *c_at;
};

/* The instruction of this mnemonic. a_shared: wgmma takes A, as always B, from shared memory; such
 * an operand is one fragment that is the matrix, columns of A and rows of B one after another. */
bool atom_ref_of(AtomRef *ref, const char *mnemonic, bool a_shared);

/* The lane that is thread t of those that take part: a Volta quadpair is lanes 0-3 and 16-19. */
int atom_ref_lane(const AtomRef *ref, int t);

/* Elements as numbers (bits are 0 and 1): value i of thread t is at [t + threads*i], of A and B
 * [t + a_threads*i] and [t + b_threads*i]. */
typedef struct {
    const double *a, *b, *c;
    double *d;
} AtomValues;

/* Doubles that atom_ref_run needs to work with. */
size_t atom_ref_work(const AtomRef *ref);

/* D = A*B + C, or what the mnemonic says instead. Sums are in double, k ascending: exact on
 * integers; 32-bit integers wrap or saturate at the end. */
void atom_ref_run(const AtomRef *ref, const AtomValues *v, double *work);

#endif
