/* atom_mma: the table of MMA atoms and its readers. See atom_mma.h. */
#include "layout/atom_mma.h"

#include <string.h>

/* Sources: the PTX ISA manual, "Warp-level matrix instructions", for the fragments of each shape;
 * the names are those of CuTe's MMA operations. */
/* clang-format off */
const MmaAtom mma_atoms[] = {
    /* -- One thread: fused multiply-add -------------------------------------------------------- */
    /* name, mnemonic                                                       sm ptx   m n  k
       types D A B C, thr_id
       A (T,V)
       B (T,V)
       C (T,V)                                                              regs A B C */
    { "FMA_1x1x1_F32F32F32F32", "fma.rn.f32",                               70, 60,  1, 1, 1,
      DTYPE_F32, DTYPE_F32, DTYPE_F32, DTYPE_F32, "1:0",
      "(1,1):(0,0)",
      "(1,1):(0,0)",
      "(1,1):(0,0)",                                                        1, 1, 1 },
    { "FMA_1x1x1_F64F64F64F64", "fma.rn.f64",                               70, 60,  1, 1, 1,
      DTYPE_F64, DTYPE_F64, DTYPE_F64, DTYPE_F64, "1:0",
      "(1,1):(0,0)",
      "(1,1):(0,0)",
      "(1,1):(0,0)",                                                        1, 1, 1 },
    /* -- A warp: mma.sync, Ampere and later ---------------------------------------------------- */
    { "SM80_16x8x16_F32F16F16F32_TN",
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",                  80, 70,  16, 8, 16,
      DTYPE_F32, DTYPE_F16, DTYPE_F16, DTYPE_F32, "32:1",
      "((4,8),(2,2,2)):((32,1),(16,8,128))",
      "((4,8),(2,2)):((16,1),(8,64))",
      "((4,8),(2,2)):((32,1),(16,8))",                                      4, 2, 4 },
    { "SM80_16x8x16_F32BF16BF16F32_TN",
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",                80, 70,  16, 8, 16,
      DTYPE_F32, DTYPE_BF16, DTYPE_BF16, DTYPE_F32, "32:1",
      "((4,8),(2,2,2)):((32,1),(16,8,128))",
      "((4,8),(2,2)):((16,1),(8,64))",
      "((4,8),(2,2)):((32,1),(16,8))",                                      4, 2, 4 },
    { 0 },
};
/* clang-format on */

const MmaAtom *mma_atom_find(const char *name)
{
    for (const MmaAtom *atom = mma_atoms; atom->name; atom++)
        if (strcmp(atom->name, name) == 0) return atom;
    return NULL;
}

int mma_atom_threads(const MmaAtom *atom)
{
    return (int)layout_size(layout_parse(atom->thr_id));
}

Layout mma_atom_tv(const MmaAtom *atom, char operand)
{
    switch (operand) {
    case 'A':
        return layout_composition(layout_identity(2, (int64_t[]){atom->m, atom->k}),
                                  layout_parse(atom->a_tv));
    case 'B':
        return layout_composition(layout_identity(2, (int64_t[]){atom->n, atom->k}),
                                  layout_parse(atom->b_tv));
    case 'C':
        return layout_composition(layout_identity(2, (int64_t[]){atom->m, atom->n}),
                                  layout_parse(atom->c_tv));
    default: return layout_poison("mma_atom_tv: operand must be A, B or C");
    }
}
