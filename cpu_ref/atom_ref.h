/*
 * atom_ref: where a warp's registers lie in the matrices of an mma instruction, by the formulas of
 * the PTX ISA manual ("Matrix fragments for mma.m16n8k16", and so on). It knows nothing of layouts:
 * what the table of atoms says in CuTe's notation is held against it, and a simulated mma computes
 * from it.
 */
#ifndef KNAP_CPU_REF_ATOM_REF_H
#define KNAP_CPU_REF_ATOM_REF_H

/* As the manual names them: A is (m,k), B is (k,n), C and D are (m,n). */
typedef struct {
    int row, col;
} AtomCoord;

/* Element i of a lane's fragment, in register order, the low bits of a register first. */
typedef AtomCoord AtomFragment(int lane, int i);

typedef struct {
    const char *shape; /* as in the mnemonic: m16n8k16 */
    int bits;          /* of an element of A and B */
    int m, n, k;
    int lanes;
    int a_count, b_count, c_count; /* elements a lane holds */
    AtomFragment *a, *b, *c;
} AtomRef;

/* The shapes, ended by a row whose shape is NULL. */
extern const AtomRef atom_refs[];

/* The row of a shape and element width, or NULL. */
const AtomRef *atom_ref_find(int m, int n, int k, int bits);

#endif
