/* tiled_copy: tiles copied by threads, the second half of tiled.h. */
#include "layout/tiled.h"

/* -- Making ------------------------------------------------------------------------------------ */
/* L, or why it does not count its coordinates from 0 on, in some order. */
static Layout bijection(const char *name, Layout L)
{
    char text[LAYOUT_TEXT];
    Layout inverse = layout_right_inverse(L);
    if (!layout_ok(L) || (layout_ok(inverse) && layout_size(inverse) == layout_size(L))) return L;
    layout_print(text, sizeof text, L);
    return layout_poison("tiled_copy: %s %s is no bijection", name, text);
}

TiledCopy tiled_copy_make(Layout thr, Layout val, int vec)
{
    /* place in the tile -> thread + threads * value */
    Layout number = layout_raked_product(bijection("thr", thr), bijection("val", val));
    if (layout_ok(number) && layout_rank(number) > 2)
        number = layout_poison("tiled_copy: threads or values have more than two modes");
    Layout mode[] = {layout_leaf(layout_size(thr), 1),
                     layout_leaf(layout_size(val), layout_size(thr))};
    TiledCopy copy = {.vec = vec};
    copy.tv = layout_composition(layout_right_inverse(number), layout_tuple(2, mode));
    copy.n[0] = layout_size(layout_mode(number, 0));
    copy.n[1] = layout_rank(number) == 2 ? layout_size(layout_mode(number, 1)) : 1;
    return copy;
}

TiledCopy tiled_copy_mma(const TiledMma *mma, char operand, int vec)
{
    int rows = operand == 'B' ? mma->tile_n : mma->tile_m;
    int cols = operand == 'C' ? mma->tile_n : mma->tile_k;
    Layout tile = layout_pair(layout_leaf(rows, 1), layout_leaf(cols, rows));
    Layout tv = tiled_mma_by_index(mma, tiled_mma_thrfrg(mma, operand, tile));
    return (TiledCopy){.tv = tv, .n = {rows, cols}, .vec = vec};
}

/* -- Partition --------------------------------------------------------------------------------- */
/* (vec, V/vec) */
static Layout by_vectors(Layout values, int vec)
{
    int64_t n = layout_size(values);
    if (layout_ok(values) && (vec < 0 || n % vec != 0))
        return layout_poison("tiled_copy: vectors of %d do not divide %lld values", vec,
                             (long long)n);
    return layout_logical_divide(values, tiler_whole(layout_leaf(vec, 1)));
}

static Layout whole_tiles(const TiledCopy *copy, Layout data)
{
    for (int i = 0; i < 2 && layout_ok(data); i++) {
        int64_t n = layout_size(layout_mode(data, i));
        if (copy->n[i] <= 0 || n <= 0 || n % copy->n[i] != 0)
            return layout_poison("tiled_copy: tiles of %lld do not divide the data's %lld",
                                 (long long)copy->n[i], (long long)n);
    }
    return layout_zipped_divide(data, tiler_shape(2, copy->n));
}

Layout tiled_copy_thrfrg(const TiledCopy *copy, Layout data)
{
    if (!layout_ok(copy->tv)) return copy->tv;
    Layout cut = whole_tiles(copy, data);
    Layout tv = layout_composition(layout_mode(cut, 0), copy->tv), rest = layout_mode(cut, 1);
    Layout values = by_vectors(layout_mode(tv, 1), copy->vec ? copy->vec : 1);
    values = layout_tuple(1, &values);
    for (int i = 0; i < layout_rank(rest); i++)
        values = layout_append(values, layout_mode(rest, i));
    return layout_pair(layout_mode(tv, 0), values);
}

Tensor tiled_copy_partition(const TiledCopy *copy, Tensor data, int64_t index)
{
    Layout tv = tiled_copy_thrfrg(copy, data.layout);
    return tiled_part(data, tv, index);
}

/* -- Vectors along one dimension --------------------------------------------------------------- */
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
