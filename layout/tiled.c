/* tiled: atoms over threads and values, and copies. See tiled.h. */
#include "layout/tiled.h"

/* -- Multiply ---------------------------------------------------------------------------------- */
/* One dimension of an operand: the tile's extent, the atom's, the copies over threads, the
 * permutation. */
typedef struct {
    char name;
    int tile, atom, thr;
    Layout perm;
} Side;

int tiled_mma_threads(const TiledMma *mma)
{
    return mma_atom_threads(mma->atom) * mma->thr_m * mma->thr_n;
}

static Side side_of(const TiledMma *mma, char dim)
{
    const MmaAtom *atom = mma->atom;
    switch (dim) {
    case 'm': return (Side){dim, mma->tile_m, atom->m, mma->thr_m, mma->perm_m};
    case 'n': return (Side){dim, mma->tile_n, atom->n, mma->thr_n, mma->perm_n};
    default: return (Side){dim, mma->tile_k, atom->k, 1, layout_leaf(mma->tile_k, 1)};
    }
}

/* Positions of the tile -> rows (columns) of it, or why that cannot be. */
static Layout permutation(const Side *side)
{
    if (side->tile <= 0 || side->thr <= 0 || side->tile % (side->atom * side->thr) != 0)
        return layout_poison("tiled_mma: %d atoms of %d do not divide the tile's %d along %c",
                             side->thr, side->atom, side->tile, side->name);
    if (layout_rank(side->perm) == 0 && layout_ok(side->perm)) return layout_leaf(side->tile, 1);
    Layout inverse = layout_right_inverse(side->perm);
    if (!layout_ok(inverse)) return inverse;
    if (layout_size(side->perm) != side->tile || layout_size(inverse) != side->tile)
        return layout_poison("tiled_mma: perm_%c is no permutation of %d", side->name, side->tile);
    return side->perm;
}

static Tiler tiler_pair(Layout a, Layout b)
{
    return (Tiler){.rank = 2, .mode = {a, b}};
}

/* ((T,V),(rest0,rest1)): the tile of two sides, permuted, cut into atoms, each seen as (T,V). */
static Layout over_atoms(const Side side[2], const char *atom_tv)
{
    Layout tile = layout_identity(2, (int64_t[]){side[0].tile, side[1].tile});
    Layout placed =
        layout_composition_by(tile, tiler_pair(permutation(&side[0]), permutation(&side[1])));
    Layout cut =
        layout_zipped_divide(placed, tiler_shape(2, (int64_t[]){side[0].atom, side[1].atom}));
    Layout atom = layout_composition(layout_mode(cut, 0), layout_parse(atom_tv));
    return layout_pair(atom, layout_mode(cut, 1));
}

Layout tiled_mma_tv(const TiledMma *mma, char operand)
{
    const MmaAtom *atom = mma->atom;
    if (operand != 'A' && operand != 'B' && operand != 'C')
        return layout_poison("tiled_mma: operand must be A, B or C");
    Side side[2] = {side_of(mma, operand == 'B' ? 'n' : 'm'),
                    side_of(mma, operand == 'C' ? 'n' : 'k')};
    const char *atom_tv = operand == 'A' ? atom->a_tv : operand == 'B' ? atom->b_tv : atom->c_tv;
    Layout atoms = over_atoms(side, atom_tv);
    Layout tv = layout_mode(atoms, 0);
    Layout rest = layout_zipped_divide(layout_mode(atoms, 1),
                                       tiler_shape(2, (int64_t[]){side[0].thr, side[1].thr}));
    Layout thr = layout_mode(rest, 0), reps = layout_mode(rest, 1);
    Layout thr_m = operand == 'B' ? layout_leaf(mma->thr_m, 0) : layout_mode(thr, 0);
    Layout thr_n = operand == 'A' ? layout_leaf(mma->thr_n, 0) : layout_mode(thr, operand == 'C');
    return layout_pair(layout_tuple(3, (Layout[]){layout_mode(tv, 0), thr_m, thr_n}),
                       layout_tuple(3, (Layout[]){layout_mode(tv, 1), layout_mode(reps, 0),
                                                  layout_mode(reps, 1)}));
}

/* -- Copy -------------------------------------------------------------------------------------- */
Layout tiled_copy_tv(const int64_t n[2], int threads, int vec, int major)
{
    int64_t along = n[major], across = n[1 - major], vectors = vec > 0 ? along / vec : 0;
    int64_t thr_along = threads < vectors ? threads : vectors;
    int64_t thr_across = thr_along > 0 ? threads / thr_along : 0;
    if (thr_along <= 0 || thr_along * thr_across != threads || along % (vec * thr_along) != 0 ||
        across % thr_across != 0)
        return layout_poison("tiled_copy: %d threads of %d do not divide %lld x %lld along %d",
                             threads, vec, (long long)n[0], (long long)n[1], major);
    int64_t step = vec * thr_along;
    Layout thr[] = {layout_basis(thr_along, vec, major), layout_basis(thr_across, 1, 1 - major)};
    Layout val[] = {layout_basis(vec, 1, major), layout_basis(along / step, step, major),
                    layout_basis(across / thr_across, thr_across, 1 - major)};
    return layout_pair(layout_tuple(2, thr), layout_tuple(3, val));
}
