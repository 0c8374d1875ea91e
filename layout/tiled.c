/* tiled: atoms over threads and values. See tiled.h; the copies are in tiled_copy.c. */
#include "layout/tiled.h"

/* -- The atoms over threads -------------------------------------------------------------------- */
static bool is_absent(Layout L)
{
    return layout_ok(L) && layout_rank(L) == 0;
}

/* L with modes 1:0 appended, up to three. */
static Layout three_modes(Layout L)
{
    if (layout_rank(L) > 3) return layout_poison("tiled_mma: atoms are laid over m, n and k only");
    Layout R = layout_rank(L) == 1 ? layout_tuple(1, (Layout[]){layout_mode(L, 0)}) : L;
    while (layout_ok(R) && layout_rank(R) < 3) R = layout_append(R, layout_leaf(1, 0));
    return R;
}

static Layout atoms_of(const TiledMma *mma)
{
    if (!is_absent(mma->atoms)) return three_modes(mma->atoms);
    if (mma->thr_m <= 0 || mma->thr_n <= 0)
        return layout_poison("tiled_mma: no threads, %d x %d atoms", mma->thr_m, mma->thr_n);
    Layout mode[] = {layout_leaf(mma->thr_m, 1), layout_leaf(mma->thr_n, mma->thr_m),
                     layout_leaf(1, 0)};
    return layout_tuple(3, mode);
}

/* The copies of the atom along 'm', 'n' or 'k'. */
static int copies(Layout atoms, char dim)
{
    return (int)layout_size(layout_mode(atoms, dim == 'm' ? 0 : dim == 'n' ? 1 : 2));
}

Layout tiled_mma_thr(const TiledMma *mma)
{
    if (!mma->atom || !mma->atom->name) return layout_poison("tiled_mma: there is no atom");
    Layout thr = layout_tiled_product(layout_parse(mma->atom->thr_id), tiler_whole(atoms_of(mma)));
    Layout logical = layout_left_inverse(layout_filter_ones(thr));
    if (!layout_ok(thr) || layout_ok(logical)) return thr;
    return layout_poison("tiled_mma: the atoms' threads cannot be told apart: %s",
                         layout_why(&logical));
}

int tiled_mma_threads(const TiledMma *mma)
{
    return (int)layout_size(tiled_mma_thr(mma));
}

static int tile_of(Layout perm, int natural)
{
    return is_absent(perm) || !layout_ok(perm) ? natural : (int)layout_size(perm);
}

TiledMma tiled_mma_make(const MmaAtom *atom, Layout atoms, Tiler perm)
{
    TiledMma mma = {.atom = atom, .atoms = three_modes(atoms)};
    if (!atom) return mma;
    Layout *mode[] = {&mma.perm_m, &mma.perm_n, &mma.perm_k};
    for (int i = 0; i < 3 && i < perm.rank; i++) *mode[i] = perm.mode[i];
    mma.thr_m = copies(mma.atoms, 'm');
    mma.thr_n = copies(mma.atoms, 'n');
    mma.tile_m = tile_of(mma.perm_m, atom->m * mma.thr_m);
    mma.tile_n = tile_of(mma.perm_n, atom->n * mma.thr_n);
    mma.tile_k = tile_of(mma.perm_k, atom->k * copies(mma.atoms, 'k'));
    return mma;
}

/* -- One dimension of an operand --------------------------------------------------------------- */
typedef struct {
    char name;
    int tile, atom, thr;
    Layout perm;
} Side;

static Side side_of(const TiledMma *mma, char dim)
{
    const MmaAtom *atom = mma->atom;
    int thr = copies(atoms_of(mma), dim);
    switch (dim) {
    case 'm': return (Side){dim, mma->tile_m, atom->m, thr, mma->perm_m};
    case 'n': return (Side){dim, mma->tile_n, atom->n, thr, mma->perm_n};
    default: return (Side){dim, mma->tile_k, atom->k, thr, mma->perm_k};
    }
}

/* Positions of the tile -> rows (columns) of it, or why that cannot be. */
static Layout permutation(const Side *side)
{
    if (side->tile <= 0 || side->thr <= 0 || side->tile % (side->atom * side->thr) != 0)
        return layout_poison("tiled_mma: %d atoms of %d do not divide the tile's %d along %c",
                             side->thr, side->atom, side->tile, side->name);
    if (is_absent(side->perm)) return layout_leaf(side->tile, 1);
    Layout inverse = layout_right_inverse(side->perm);
    if (!layout_ok(inverse)) return inverse;
    if (layout_size(side->perm) != side->tile || layout_size(inverse) != side->tile)
        return layout_poison("tiled_mma: perm_%c is no permutation of %d", side->name, side->tile);
    return side->perm;
}

/* One mode of the data in the order of positions: each tile permuted. */
static Layout placed(Layout rows, const Side *side)
{
    Layout perm = permutation(side);
    int64_t n = layout_size(rows);
    if (!layout_ok(rows) || !layout_ok(perm)) return layout_ok(rows) ? perm : rows;
    if (n == side->tile) return layout_composition(rows, perm);
    if (n <= 0 || n % side->tile != 0)
        return layout_poison("tiled_mma: tiles of %d do not divide the data's %lld along %c",
                             side->tile, (long long)n, side->name);
    return layout_logical_divide(rows, tiler_whole(perm));
}

/* -- Partition --------------------------------------------------------------------------------- */
/* (first, modes of rest [0, rank of rest)) */
static Layout prepend(Layout first, Layout rest)
{
    Layout R = layout_tuple(1, &first);
    for (int i = 0; i < layout_rank(rest); i++) R = layout_append(R, layout_mode(rest, i));
    return layout_ok(rest) ? R : rest;
}

/* ((T,V),(rest0,rest1,...)): data permuted, cut into atoms, each seen as (T,V). */
static Layout over_atoms(const Side side[2], const char *atom_tv, Layout data)
{
    Layout order =
        layout_pair(placed(layout_mode(data, 0), &side[0]), placed(layout_mode(data, 1), &side[1]));
    for (int i = 2; i < layout_rank(data); i++) order = layout_append(order, layout_mode(data, i));
    Layout cut =
        layout_zipped_divide(order, tiler_shape(2, (int64_t[]){side[0].atom, side[1].atom}));
    Layout atom = layout_composition(layout_mode(cut, 0), layout_parse(atom_tv));
    return layout_pair(atom, layout_mode(cut, 1));
}

/* The copies along dim, of which thr holds those that the operand has. */
static Layout copies_over(const Side side[2], Layout thr, Layout atoms, char dim)
{
    for (int i = 0; i < 2; i++)
        if (side[i].name == dim) return layout_mode(thr, i);
    return layout_leaf(copies(atoms, dim), 0);
}

Layout tiled_mma_thrfrg(const TiledMma *mma, char operand, Layout data)
{
    Layout atoms = atoms_of(mma), vmnk = tiled_mma_thr(mma);
    if (!layout_ok(vmnk)) return vmnk;
    if (operand != 'A' && operand != 'B' && operand != 'C')
        return layout_poison("tiled_mma: operand must be A, B or C");
    const MmaAtom *atom = mma->atom;
    const char *atom_tv = operand == 'A' ? atom->a_tv : operand == 'B' ? atom->b_tv : atom->c_tv;
    Side side[2] = {side_of(mma, operand == 'B' ? 'n' : 'm'),
                    side_of(mma, operand == 'C' ? 'n' : 'k')};
    Layout cut = over_atoms(side, atom_tv, data);
    Layout tv = layout_mode(cut, 0);
    Layout rest = layout_zipped_divide(layout_mode(cut, 1),
                                       tiler_shape(2, (int64_t[]){side[0].thr, side[1].thr}));
    Layout thr = layout_mode(rest, 0);
    Layout t[] = {layout_mode(tv, 0), copies_over(side, thr, atoms, 'm'),
                  copies_over(side, thr, atoms, 'n'), copies_over(side, thr, atoms, 'k')};
    return layout_pair(layout_tuple(4, t), prepend(layout_mode(tv, 1), layout_mode(rest, 1)));
}

Layout tiled_mma_tv(const TiledMma *mma, char operand)
{
    int64_t rows = operand == 'B' ? mma->tile_n : mma->tile_m;
    int64_t cols = operand == 'C' ? mma->tile_n : mma->tile_k;
    return tiled_mma_thrfrg(mma, operand, layout_identity(2, (int64_t[]){rows, cols}));
}

Layout tiled_mma_by_index(const TiledMma *mma, Layout thrfrg)
{
    Layout vmnk = tiled_mma_thr(mma);
    Layout free_indices = layout_complement(vmnk, layout_cosize(vmnk));
    Layout logical = layout_right_inverse(layout_pair(vmnk, free_indices));
    if (!layout_ok(logical)) return logical;
    int64_t repeats = layout_size(free_indices);
    if (layout_size(logical) != layout_size(vmnk) * repeats)
        return layout_poison("tiled_mma: the thread indices have gaps that are no layout");
    Layout t = layout_pair(layout_mode(thrfrg, 0), layout_leaf(repeats, 0));
    return layout_pair(layout_composition(t, logical), layout_mode(thrfrg, 1));
}

Tensor tiled_part(Tensor data, Layout tv, int64_t index)
{
    int64_t threads = layout_size(layout_mode(tv, 0));
    if (layout_ok(tv) && (index < 0 || index >= threads))
        return tensor_poison("tiled: no thread has index %lld of %lld", (long long)index,
                             (long long)threads);
    Tensor whole = tensor_make(data.base, tv);
    return tensor_make(tensor_at(&whole, index), layout_mode(tv, 1));
}

Tensor tiled_mma_partition(const TiledMma *mma, char operand, Tensor data, int64_t index)
{
    Layout tv = tiled_mma_thrfrg(mma, operand, data.layout);
    return tiled_part(data, tiled_mma_by_index(mma, tv), index);
}

Layout tiled_mma_fragment(const TiledMma *mma, char operand)
{
    Layout frg = layout_mode(tiled_mma_tv(mma, operand), 1);
    bool in_smem = layout_ok(frg) && ((operand == 'A' && mma->atom->a_source == MMA_SHARED) ||
                                      (operand == 'B' && mma->atom->b_source == MMA_SHARED));
    if (!in_smem) return layout_compact(frg);
    Layout mode[] = {layout_leaf(1, 0), layout_mode(frg, 1), layout_mode(frg, 2)};
    return layout_compact(layout_tuple(3, mode));
}
