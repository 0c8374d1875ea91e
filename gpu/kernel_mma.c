/* kernel_mma: mma.sync kernels from the warp-level rows of the atom table, SM80 and up. */
#include "gpu/kernel_tiled.h"

const char *mma_reject(const KernelDesc *kernel, const GemmProblem *p, int sm)
{
    const MmaAtom *atom = mma_atom_find(kernel->atom);
    if (p->c.type != atom->d && p->c.type != atom->a)
        return "C is neither of the input type nor f32";
    if (p->compute != COMPUTE_AUTO && p->compute != COMPUTE_FP32)
        return "another compute mode was asked for";
    return tiled_reject(kernel, p, sm);
}

/* K is contiguous in shared memory, since a fragment register holds two neighbours along K. Rows
 * lie 16 bytes further apart than they are long: eight rows times four registers then touch 32
 * different banks. */
const char *mma_plan(const KernelDesc *kernel, const KernelKey *key, GemmPlan *plan)
{
    int pad = 16 / dtype_bytes(mma_atom_find(kernel->atom)->a);
    return tiled_plan(kernel, key, (TiledStyle){MAJOR_K, pad, 1}, plan);
}
