/* cli_list: the tables of atoms and kernels, for people. See cli.h. */
#include "plugin/cli.h"

#include "gpu/kernel.h"

#include <stdio.h>

static void list_atoms(void)
{
    printf("%-32s %-5s %-9s %-21s %s\n", "atom", "from", "m n k", "D = A*B + C", "instruction");
    for (const MmaAtom *a = mma_atoms; a->name; a++) {
        char shape[32], types[40];
        snprintf(shape, sizeof shape, "%d %d %d", a->m, a->n, a->k);
        snprintf(types, sizeof types, "%s = %s*%s + %s", dtype_name(a->d), dtype_name(a->a),
                 dtype_name(a->b), dtype_name(a->c));
        printf("%-32s sm_%-2d %-9s %-21s %s\n", a->name, a->sm, shape, types, a->mnemonic);
    }
}

static void list_kernels(void)
{
    printf("\n%-32s %-32s %-12s %s\n", "kernel", "atom", "tile m n k", "flops/clock");
    for (const KernelDesc *k = kernels; k->name; k++) {
        char tile[32];
        snprintf(tile, sizeof tile, "%d %d %d", k->tile_m, k->tile_n, k->tile_k);
        printf("%-32s %-32s %-12s %g\n", k->name, k->atom, tile, k->flops_per_clock);
    }
}

int cli_list(int argc, char **argv)
{
    if (argc > 1) return cli_wrong("list takes no argument, but got %s", argv[1]);
    list_atoms();
    list_kernels();
    return 0;
}
