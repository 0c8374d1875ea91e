/*
 * atom_mma: the MMA atoms, as one table.
 *
 * An atom is one instruction, D = A*B + C, and what must be known to feed it: who holds which
 * element. Layouts are CuTe text in the convention of CuTe's MMA_Traits: (T,V) -> column-major
 * linear index, A: m + M*k, B: n + N*k, C and D: m + M*n. T is the logical thread, sent to a lane
 * by thr_id; V counts a thread's values in register order, the first in the low bits of the first
 * register. An operand that the instruction reads from shared memory has T of stride 0: every
 * thread sees the whole matrix, of which it gives a descriptor.
 *
 * Names are CuTe's (U1 is its name of b1). The mnemonic is the PTX manual's. wgmma exists for many
 * N: such a row is the atom of its smallest N, n_set holds all of them, and mma_atom_at_n makes the
 * others. tests/test_atoms.c checks every row at every N: A, B and C are bijections, each element
 * is where the PTX manual's formula says, and the atom multiplies matrices.
 *
 * Errors: a search gives NULL. An atom that cannot be made has a NULL name, and its text says why.
 */
#ifndef KNAP_LAYOUT_ATOM_MMA_H
#define KNAP_LAYOUT_ATOM_MMA_H

#include "layout/dtype.h"
#include "layout/layout.h"

/* Where the instruction takes A or B from. */
typedef enum { MMA_REGISTERS, MMA_SHARED } MmaSource;

/* Majors of an operand that the instruction can take, as bits. In registers the major says how the
 * fragment is spread: only Volta's quadpairs have one of their own for each. */
typedef enum { MMA_K_MAJOR = 1, MMA_MN_MAJOR = 2, MMA_ANY_MAJOR = 3 } MmaMajors;

/* What the instruction computes of its operands. */
typedef enum {
    MMA_DOT,      /* C + sum over k of A*B; integers wrap */
    MMA_DOT_SAT,  /* the same, clamped to the type of D */
    MMA_XOR_POPC, /* C + number of k where A and B differ */
    MMA_AND_POPC  /* C + number of k where both are 1 */
} MmaOp;

typedef struct {
    const char *name;     /* SM80_16x8x16_F32F16F16F32_TN */
    const char *mnemonic; /* mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 */
    int sm;               /* lowest compute capability, 10*major + minor */
    int ptx;              /* lowest PTX ISA version, 10*major + minor */
    const char *suffix;   /* of the target: "a" where only that very chip has it, else "" */
    Dtype d, a, b, c;     /* element types */
    MmaOp op;
    int m, n, k;
    uint32_t n_set;     /* bit i: N = 8*(i+1) exists; 0: only n does */
    const char *thr_id; /* logical thread -> lane */
    const char *a_tv, *b_tv, *c_tv;
    MmaSource a_source, b_source;
    int a_regs, b_regs, c_regs; /* registers a thread gives for each operand; 0: a descriptor */
    MmaMajors a_majors, b_majors;
    int rate;     /* operations (2*m*n*k) per clock and SM, the dense peak of its types on the data
                   * centre chip of its generation; 0: not known */
    int sum_bits; /* fraction bits kept where products are aligned and summed, by truncation; 0:
                   * IEEE arithmetic, or exact */
} MmaAtom;

/* The rows, ended by one whose name is NULL. */
extern const MmaAtom mma_atoms[];

/* The row called name, or NULL. Of a row with many N this is the name at the smallest, as in
 * "SM90_64x8x16_F32F16F16_SS"; mma_atom_by_name knows the others. */
const MmaAtom *mma_atom_find(const char *name);

/* Texts of an atom made for one N; they must live as long as it. */
typedef struct {
    char name[64], mnemonic[96], b_tv[48], c_tv[64], why[192];
} MmaAtomText;

/* The row has this N. */
bool mma_atom_has_n(const MmaAtom *row, int n);

/* The atom of the row with this N. Post: mma_atom_at_n(row, row->n) says what row says. */
MmaAtom mma_atom_at_n(const MmaAtom *row, int n, MmaAtomText *text);

/* The atom called name, at any N: "SM90_64x128x16_F32F16F16_SS". */
MmaAtom mma_atom_by_name(const char *name, MmaAtomText *text);

/* Writes the N of a row into buf: "8", "8..256 by 8", "8..32 by 8, 48..256 by 16". Returns the full
 * length, as snprintf does. */
int mma_atom_print_n(char *buf, size_t size, const MmaAtom *row);

/* Threads that take part: size of thr_id. */
int mma_atom_threads(const MmaAtom *atom);

/* The (T,V) layout of an operand with strides that are coordinates: (T,V) -> (m,k), (n,k) or (m,n).
 * operand is 'A', 'B' or 'C'. */
Layout mma_atom_tv(const MmaAtom *atom, char operand);

#endif
