/*
 * divide: cutting a layout into tiles, and repeating one. Compositions with a complement, and a
 * regrouping of the modes; what each promises is in layout.h. Refusals are those of composition and
 * complement.
 */
#include "layout/tree.h"

/* -- Regrouping -------------------------------------------------------------------------------- */
/* ((x0,y0),(x1,y1),...,further) of the given rank -> ((x0,x1,...),(y0,y1,...,further)). */
static Layout unzip(Layout L, int rank)
{
    if (L.poisoned || rank == 0) return L;
    Layout side[2];
    for (int s = 0; s < 2; s++) {
        Builder b = tree_begin();
        int mark = tree_open(&b), modes = rank;
        for (int i = 0; i < rank; i++) {
            int pair = tree_mode(&L, 0, i);
            tree_copy(&b, &L, tree_mode(&L, pair, s));
        }
        if (s == 1) {
            modes = layout_rank(L);
            tree_modes(&b, &L, rank, modes);
        }
        tree_close(&b, mark, modes);
        side[s] = tree_end(&b);
    }
    return layout_pair(side[0], side[1]);
}

/* (x,(y0,y1,...)) -> (x,y0,y1,...), and where `both` (x0,x1,...,y0,y1,...). */
static Layout unpack(Layout L, bool both)
{
    if (L.poisoned) return L;
    Layout x = layout_mode(L, 0), y = layout_mode(L, 1);
    int x_rank = both ? layout_rank(x) : 1, y_rank = layout_rank(y);
    Builder b = tree_begin();
    int mark = tree_open(&b);
    if (both)
        tree_modes(&b, &x, 0, x_rank);
    else
        tree_copy(&b, &x, 0);
    tree_modes(&b, &y, 0, y_rank);
    tree_close(&b, mark, x_rank + y_rank);
    return tree_end(&b);
}

/* -- Division ---------------------------------------------------------------------------------- */
static Layout divide(Layout a, Layout b)
{
    if (b.poisoned) return b;
    Layout both = layout_pair(b, layout_complement(b, layout_size(a)));
    return tree_named("divide", &a, &b, layout_composition(a, both));
}

Layout layout_logical_divide(Layout a, Tiler t)
{
    return tree_by_mode("logical_divide", a, &t, divide);
}

Layout layout_zipped_divide(Layout a, Tiler t)
{
    Layout R = unzip(tree_by_mode("zipped_divide", a, &t, divide), t.rank);
    return tree_named_by_mode("zipped_divide", &a, &t, R);
}

Layout layout_tiled_divide(Layout a, Tiler t)
{
    Layout R = unpack(unzip(tree_by_mode("tiled_divide", a, &t, divide), t.rank), false);
    return tree_named_by_mode("tiled_divide", &a, &t, R);
}

Layout layout_flat_divide(Layout a, Tiler t)
{
    Layout R = unpack(unzip(tree_by_mode("flat_divide", a, &t, divide), t.rank), true);
    return tree_named_by_mode("flat_divide", &a, &t, R);
}

/* -- Product ----------------------------------------------------------------------------------- */
static Layout product(Layout a, Layout b)
{
    if (a.poisoned) return a;
    if (b.poisoned) return b;
    int64_t cosize = layout_cosize(b), reach;
    if (cosize < 0)
        return layout_poison("product: %s: strides must be integers >= 0", tree_text(b).s);
    if (__builtin_mul_overflow(layout_size(a), cosize, &reach))
        return layout_poison("product: %s times %s overflows", tree_text(a).s, tree_text(b).s);
    Layout copies = layout_composition(layout_complement(a, reach), b);
    return tree_named("product", &a, &b, layout_pair(a, copies));
}

Layout layout_logical_product(Layout a, Tiler t)
{
    return tree_by_mode("logical_product", a, &t, product);
}

Layout layout_zipped_product(Layout a, Tiler t)
{
    Layout R = unzip(tree_by_mode("zipped_product", a, &t, product), t.rank);
    return tree_named_by_mode("zipped_product", &a, &t, R);
}

Layout layout_tiled_product(Layout a, Tiler t)
{
    Layout R = unpack(unzip(tree_by_mode("tiled_product", a, &t, product), t.rank), false);
    return tree_named_by_mode("tiled_product", &a, &t, R);
}

/* L as a tuple of at least `rank` modes; those that were not there are 1:0. */
static Layout padded(Layout L, int rank)
{
    while (layout_ok(L) && layout_rank(L) < rank) L = layout_append(L, layout_leaf(1, 0));
    return layout_ok(L) && layout_depth(L) == 0 ? layout_tuple(1, &L) : L;
}

/* The two sides of a product, mode by mode: (first_i, second_i). */
static Layout zip(Layout a, Layout b, bool a_first)
{
    int rank = layout_rank(a) > layout_rank(b) ? layout_rank(a) : layout_rank(b);
    Layout both = product(padded(a, rank), padded(b, rank));
    if (both.poisoned) return both;
    Builder out = tree_begin();
    int mark = tree_open(&out);
    for (int i = 0; i < rank; i++) {
        int pair = tree_open(&out);
        for (int s = 0; s < 2; s++) {
            int side = tree_mode(&both, 0, a_first ? s : 1 - s);
            tree_copy(&out, &both, tree_mode(&both, side, i));
        }
        tree_close(&out, pair, 2);
    }
    tree_close(&out, mark, rank);
    return tree_end(&out);
}

Layout layout_blocked_product(Layout a, Layout b)
{
    return tree_named("blocked_product", &a, &b, zip(a, b, true));
}

Layout layout_raked_product(Layout a, Layout b)
{
    return tree_named("raked_product", &a, &b, zip(a, b, false));
}
