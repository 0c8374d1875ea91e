/*
 * atom_copy: the copy atoms, as one table.
 *
 * A copy atom is one instruction that moves data, and what must be known to feed it: which thread
 * gives the address of which bits, and which thread gets them. Src and Dst are CuTe text in the
 * convention of CuTe's Copy_Traits: (T,V) -> bit of the data moved. T is the thread; V counts the
 * thread's bits, in registers from the low bit of the first one, in memory from the address that
 * the thread gives. Threads of stride 0 repeat what others give: their addresses are not used.
 * Composing Src's inverse with Dst says what a load does: bit (t,v) of the registers comes from bit
 * (t',v') of memory.
 *
 * Names are CuTe's, template arguments included; a UniversalCopy is followed by the instruction
 * that it becomes, LDG, STG, LDS or STS. Mnemonic and operands are the PTX manual's, with these
 * names for the operands: dst, src addresses; r0 r1 r2 r3 registers of 32 bits; map the tensor map;
 * c0... the box's first coordinates; mbar the barrier; mask the blocks of the cluster; n the bytes
 * that are read of src. A tensor copy exists for 1 to 5 dimensions and many boxes: such a row is
 * the atom of the smallest box of 1 dimension, and copy_atom_at_box makes the others.
 *
 * Errors: a search gives NULL. An atom that cannot be made has a NULL name, and its text says why.
 */
#ifndef KNAP_LAYOUT_ATOM_COPY_H
#define KNAP_LAYOUT_ATOM_COPY_H

#include "layout/layout.h"

typedef enum { COPY_GLOBAL, COPY_SHARED, COPY_REGISTERS } CopySpace;

/* How the program learns that the data has arrived. */
typedef enum {
    COPY_IN_ORDER,     /* the next instruction of the thread sees it */
    COPY_COMMIT_GROUP, /* cp.async.commit_group, cp.async.wait_group */
    COPY_MBARRIER,     /* an mbarrier counts the bytes */
    COPY_BULK_GROUP    /* cp.async.bulk.commit_group, cp.async.bulk.wait_group */
} CopyDone;

typedef struct {
    const char *name;     /* SM75_U32x4_LDSM_N */
    const char *mnemonic; /* ldmatrix.sync.aligned.m8n8.x4.shared.b16 */
    const char *operands; /* {r0, r1, r2, r3}, [src] */
    int sm;               /* lowest compute capability, 10*major + minor */
    int ptx;              /* lowest PTX ISA version, 10*major + minor */
    const char *suffix;   /* of the target, as in MmaAtom */
    const char *thr_id;   /* logical thread -> lane */
    CopySpace from, to;
    int bits; /* moved, for each thread */
    const char *src_tv, *dst_tv;
    int src_align, dst_align; /* bytes that must divide the address; 0: registers */
    CopyDone done;
    bool zfill; /* has the operand n: what lies past n bytes arrives as zeros */
    int dims;   /* most dimensions of a tensor copy; 0: the copy knows addresses alone */
} CopyAtom;

enum { COPY_BOX_BITS = 128, COPY_BOX_BYTES_MAX = 227 * 1024 }; /* shared memory of a block */

/* The rows, ended by one whose name is NULL. */
extern const CopyAtom copy_atoms[];

/* The row called name, or NULL. */
const CopyAtom *copy_atom_find(const char *name);

/* The widest UniversalCopy between these spaces whose bits divide `bits`, or NULL: what CuTe's
 * AutoVectorizingCopyWithAssumedAlignment<bits> comes to. */
const CopyAtom *copy_atom_vectorized(CopySpace from, CopySpace to, int bits);

/* Texts of an atom made for one box; they must live as long as it. */
typedef struct {
    char name[48], mnemonic[112], operands[64], tv[32], why[192];
} CopyAtomText;

/* The tensor copy of a row for boxes of `dims` dimensions that hold `bits`, under CuTe's name
 * ("SM90_TMA_LOAD_3D"). Post: copy_atom_at_box(row, 1, row->bits) says what row says, but for the
 * name. */
CopyAtom copy_atom_at_box(const CopyAtom *row, int dims, int64_t bits, CopyAtomText *text);

/* Threads that take part: size of thr_id. */
int copy_atom_threads(const CopyAtom *atom);

/* 32-bit registers that a thread gives or gets; 0: none, memory to memory. */
int copy_atom_regs(const CopyAtom *atom);

/* The (T,V) layouts: (T,V) -> bit of the data moved. */
Layout copy_atom_src(const CopyAtom *atom);
Layout copy_atom_dst(const CopyAtom *atom);

/* "global", "shared", "registers". */
const char *copy_space_name(CopySpace space);

/* "in order", "commit_group", "mbarrier", "bulk_group". */
const char *copy_done_name(CopyDone done);

#endif
