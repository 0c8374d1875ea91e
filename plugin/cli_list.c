/* cli_list: the tables of atoms and kernels, for people. See cli.h. */
#include "plugin/cli.h"

#include "gpu/kernel.h"
#include "layout/atom_copy.h"

#include <stdio.h>
#include <string.h>

/* -- Columns ----------------------------------------------------------------------------------- */
static int wider(int width, const char *name)
{
    const int length = (int)strlen(name);
    return length > width ? length : width;
}

/* Of the first column of each table, so that they stand in line. */
static int name_width(void)
{
    int width = 0;
    for (const MmaAtom *a = mma_atoms; a->name; a++) width = wider(width, a->name);
    for (const CopyAtom *a = copy_atoms; a->name; a++) width = wider(width, a->name);
    for (const KernelDesc *k = kernels; k->name; k++) width = wider(width, k->name);
    return width;
}

/* sm_90a */
static void print_target(char *buf, size_t size, int sm, const char *suffix)
{
    snprintf(buf, size, "sm_%d%s", sm, suffix);
}

/* -- Tables ------------------------------------------------------------------------------------ */
static void list_mma_atoms(int width)
{
    printf("%-*s %-6s %3s %-25s %3s  %-21s %s\n", width, "atom", "from", "m", "n", "k",
           "D = A*B + C", "instruction");
    for (const MmaAtom *a = mma_atoms; a->name; a++) {
        char target[16], n[64], types[40];
        print_target(target, sizeof target, a->sm, a->suffix);
        mma_atom_print_n(n, sizeof n, a);
        snprintf(types, sizeof types, "%s = %s*%s + %s", dtype_name(a->d), dtype_name(a->a),
                 dtype_name(a->b), dtype_name(a->c));
        printf("%-*s %-6s %3d %-25s %3d  %-21s %s\n", width, a->name, target, a->m, n, a->k, types,
               a->mnemonic);
    }
}

/* "16", or of a tensor copy "box" and its dimensions. */
static void print_bytes(char *buf, size_t size, const CopyAtom *a)
{
    if (a->dims)
        snprintf(buf, size, "box, 1..%dd", a->dims);
    else
        snprintf(buf, size, "%d", a->bits / 8);
}

static void list_copy_atoms(int width)
{
    printf("\n%-*s %-6s %-7s %-13s %-19s %-12s %s\n", width, "copy atom", "from", "threads",
           "bytes each", "source -> target", "done by", "instruction");
    for (const CopyAtom *a = copy_atoms; a->name; a++) {
        char target[16], bytes[16], way[40];
        print_target(target, sizeof target, a->sm, a->suffix);
        print_bytes(bytes, sizeof bytes, a);
        snprintf(way, sizeof way, "%s -> %s", copy_space_name(a->from), copy_space_name(a->to));
        printf("%-*s %-6s %-7d %-13s %-19s %-12s %s %s\n", width, a->name, target,
               copy_atom_threads(a), bytes, way, copy_done_name(a->done), a->mnemonic, a->operands);
    }
}

static void list_kernels(int width)
{
    printf("\n%-*s %-32s %-12s %s\n", width, "kernel", "atom", "tile m n k", "flops/clock");
    for (const KernelDesc *k = kernels; k->name; k++) {
        char tile[32];
        snprintf(tile, sizeof tile, "%d %d %d", k->tile_m, k->tile_n, k->tile_k);
        printf("%-*s %-32s %-12s %g\n", width, k->name, k->atom, tile, k->flops_per_clock);
    }
}

int cli_list(int argc, char **argv)
{
    if (argc > 1) return cli_wrong("list takes no argument, but got %s", argv[1]);
    const int width = name_width();
    list_mma_atoms(width);
    list_copy_atoms(width);
    list_kernels(width);
    return 0;
}
