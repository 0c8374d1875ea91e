/* kernel_simt: FFMA and DFMA kernels, any chip from SM70. One thread multiplies columns of A by
 * rows of B. */
#include "gpu/kernel_tiled.h"

const char *simt_reject(const KernelDesc *kernel, const GemmProblem *p, int sm)
{
    const MmaAtom *atom = mma_atom_find(kernel->atom);
    if (p->c.type != atom->d) return "C is of another type than the products";
    if (p->compute != COMPUTE_AUTO && p->compute != COMPUTE_FP32)
        return "another compute mode was asked for";
    return tiled_reject(kernel, p, sm);
}

/* Rows are contiguous in shared memory and a thread's rows come in runs of 16 bytes, so that one
 * load brings a run; 16 bytes of padding keep runs aligned and spread the stores of a K-major
 * operand. */
const char *simt_plan(const KernelDesc *kernel, const KernelKey *key, GemmPlan *plan)
{
    int run = 16 / dtype_bytes(mma_atom_find(kernel->atom)->a);
    return tiled_plan(kernel, key, (TiledStyle){MAJOR_MN, run, run}, plan);
}
