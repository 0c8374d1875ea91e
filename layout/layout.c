/*
 * layout: making, asking, evaluation and the shape of the tree. The contract is in layout.h; text
 * is in text.c, the algebra in algebra.c and divide.c.
 */
#include "layout/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* -- Making ------------------------------------------------------------------------------------ */
bool layout_ok(Layout L)
{
    return !L.poisoned;
}

const char *layout_why(const Layout *L)
{
    return L->poisoned ? L->why : "";
}

Layout layout_poison(const char *fmt, ...)
{
    Layout L;
    memset(&L, 0, sizeof L);
    L.poisoned = 1;
    va_list args;
    va_start(args, fmt);
    vsnprintf(L.why, sizeof L.why, fmt, args);
    va_end(args);
    return L;
}

static Layout single(LayoutNode leaf)
{
    if (leaf.shape < 0) return layout_poison("layout: extent %lld", (long long)leaf.shape);
    Builder b = tree_begin();
    tree_leaf(&b, leaf);
    return tree_end(&b);
}

Layout layout_leaf(int64_t shape, int64_t stride)
{
    return single(tree_node(shape, stride));
}

Layout layout_basis(int64_t shape, int64_t stride, int dim)
{
    if (dim < 0 || dim >= UINT8_MAX) return layout_poison("layout_basis: no dimension %d", dim);
    LayoutNode leaf = tree_node(shape, stride);
    if (stride != 0) leaf.basis[0] = (uint8_t)(dim + 1);
    return single(leaf);
}

Layout layout_tuple(int rank, const Layout modes[])
{
    Builder b = tree_begin();
    int mark = tree_open(&b);
    for (int i = 0; i < rank; i++) tree_copy(&b, &modes[i], 0);
    tree_close(&b, mark, rank);
    return tree_end(&b);
}

Layout layout_pair(Layout a, Layout b)
{
    return layout_tuple(2, (Layout[]){a, b});
}

Layout layout_compact(Layout shape)
{
    if (shape.poisoned) return shape;
    int64_t stride = 1;
    for (int i = 0; i < shape.node[0].span; i++) {
        LayoutNode *node = &shape.node[i];
        if (node->rank != LAYOUT_LEAF) continue;
        memset(node->basis, 0, sizeof node->basis);
        node->stride = stride;
        /* too large a shape is not a layout yet: whoever makes one of it refuses it */
        if (__builtin_mul_overflow(stride, node->shape, &stride)) stride = INT64_MAX;
    }
    return shape;
}

Layout layout_identity(int rank, const int64_t n[])
{
    Builder b = tree_begin();
    int mark = tree_open(&b);
    for (int i = 0; i < rank; i++) {
        Layout mode = layout_basis(n[i], 1, i);
        tree_copy(&b, &mode, 0);
    }
    tree_close(&b, mark, rank);
    return tree_end(&b);
}

Tiler tiler_whole(Layout L)
{
    return (Tiler){.rank = 0, .mode[0] = L};
}

Tiler tiler_shape(int rank, const int64_t n[])
{
    if (rank < 1 || rank > LAYOUT_TILER)
        return tiler_whole(layout_poison("tiler: %d modes, not 1 to %d", rank, LAYOUT_TILER));
    Tiler t = {.rank = rank};
    for (int i = 0; i < rank; i++) t.mode[i] = layout_leaf(n[i], 1);
    return t;
}

/* -- Asking ------------------------------------------------------------------------------------ */
int layout_rank(Layout L)
{
    if (L.poisoned) return 0;
    return L.node[0].rank == LAYOUT_LEAF ? 1 : L.node[0].rank;
}

static int depth(const Layout *L, int at)
{
    if (L->node[at].rank == LAYOUT_LEAF) return 0;
    int deepest = 0;
    for (int i = 0; i < L->node[at].rank; i++) {
        int d = depth(L, tree_mode(L, at, i));
        if (d > deepest) deepest = d;
    }
    return 1 + deepest;
}

int layout_depth(Layout L)
{
    return L.poisoned ? 0 : depth(&L, 0);
}

Layout layout_mode(Layout L, int i)
{
    if (L.poisoned) return L;
    int at = tree_mode(&L, 0, i);
    if (at < 0) return layout_poison("layout_mode: %s has no mode %d", tree_text(L).s, i);
    Builder b = tree_begin();
    tree_copy(&b, &L, at);
    return tree_end(&b);
}

static int64_t size_at(const Layout *L, int at)
{
    int64_t size = 1;
    for (int i = at; i < at + L->node[at].span; i++)
        if (L->node[i].rank == LAYOUT_LEAF) size *= L->node[i].shape;
    return size;
}

int64_t layout_size(Layout L)
{
    return L.poisoned ? 0 : size_at(&L, 0);
}

static bool has_basis(const LayoutNode *node)
{
    return node->basis[0] != 0;
}

int64_t layout_cosize(Layout L)
{
    if (L.poisoned) return -1;
    LayoutNode leaf[LAYOUT_NODES];
    int n = tree_leaves(&L, 0, leaf);
    int64_t last = 0;
    for (int i = 0; i < n; i++) {
        if (has_basis(&leaf[i]) || leaf[i].stride < 0) return -1;
        if (leaf[i].shape > 1) last += (leaf[i].shape - 1) * leaf[i].stride;
    }
    return size_at(&L, 0) == 0 ? 0 : last + 1;
}

static bool same_node(const LayoutNode *a, const LayoutNode *b)
{
    return a->shape == b->shape && a->stride == b->stride && a->rank == b->rank &&
           memcmp(a->basis, b->basis, sizeof a->basis) == 0;
}

/* All nodes; a zeroed Layout is (), which has one. */
static int span(const Layout *L)
{
    return L->node[0].span ? L->node[0].span : 1;
}

bool layout_equal(Layout a, Layout b)
{
    if (!layout_congruent(a, b)) return false;
    for (int i = 0; i < span(&a); i++)
        if (!same_node(&a.node[i], &b.node[i])) return false;
    return true;
}

bool layout_congruent(Layout a, Layout b)
{
    if (a.poisoned || b.poisoned || span(&a) != span(&b)) return false;
    for (int i = 0; i < span(&a); i++)
        if (a.node[i].rank != b.node[i].rank) return false;
    return true;
}

bool layout_is_integral(Layout L)
{
    for (int i = 0; !L.poisoned && i < L.node[0].span; i++)
        if (has_basis(&L.node[i])) return false;
    return !L.poisoned;
}

/* -- Evaluation -------------------------------------------------------------------------------- */
/* The coordinate of a leaf, taken off *index; the last leaf takes all that is left. */
static int64_t unfold(const LayoutNode *leaf, bool last, int64_t *index)
{
    if (last || leaf->shape == 0) return *index;
    int64_t c = *index % leaf->shape;
    *index /= leaf->shape;
    return c;
}

/* a + b, and LAYOUT_OVERFLOW where either is that or the sum does not fit. */
static int64_t sum_of(int64_t a, int64_t b)
{
    int64_t sum;
    if (a == LAYOUT_OVERFLOW || b == LAYOUT_OVERFLOW) return LAYOUT_OVERFLOW;
    return __builtin_add_overflow(a, b, &sum) ? LAYOUT_OVERFLOW : sum;
}

static int64_t product_of(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? LAYOUT_OVERFLOW : product;
}

static int64_t value_at(const Layout *L, int at, int64_t index)
{
    LayoutNode leaf[LAYOUT_NODES];
    int n = tree_leaves(L, at, leaf);
    int64_t value = 0;
    for (int i = 0; i < n; i++) {
        int64_t c = unfold(&leaf[i], i == n - 1, &index);
        value = sum_of(value, product_of(c, leaf[i].stride));
    }
    return value;
}

int64_t layout_at(Layout L, int64_t index)
{
    return L.poisoned ? 0 : value_at(&L, 0, index);
}

int64_t layout_at_nd(Layout L, const int64_t *c, int n)
{
    int64_t value = 0;
    for (int i = 0; i < n; i++) {
        int at = L.poisoned ? -1 : tree_mode(&L, 0, i);
        if (at >= 0) value = sum_of(value, value_at(&L, at, c[i]));
    }
    return value;
}

static int64_t value_at_coord(const Layout *L, int at, const Layout *c, int c_at, bool *fits)
{
    int rank = c->node[c_at].rank;
    if (rank == LAYOUT_LEAF) return value_at(L, at, c->node[c_at].shape);
    if (rank != L->node[at].rank) *fits = false;
    int64_t value = 0;
    for (int i = 0; i < rank && *fits; i++)
        value =
            sum_of(value, value_at_coord(L, tree_mode(L, at, i), c, tree_mode(c, c_at, i), fits));
    return value;
}

int64_t layout_at_coord(Layout L, Layout c, bool *ok)
{
    bool fits = !L.poisoned && !c.poisoned;
    int64_t value = fits ? value_at_coord(&L, 0, &c, 0, &fits) : 0;
    if (ok) *ok = fits;
    return fits ? value : 0;
}

/* The one dimension that a stride points along: 0 for integers, -1 for nested basis elements. */
static int dimension(const LayoutNode *leaf)
{
    if (leaf->basis[1] != 0) return -1;
    return leaf->basis[0] == 0 ? 0 : leaf->basis[0] - 1;
}

bool layout_coord_at(Layout L, int64_t index, int64_t out[LAYOUT_DIMS])
{
    memset(out, 0, LAYOUT_DIMS * sizeof out[0]);
    if (L.poisoned) return false;
    LayoutNode leaf[LAYOUT_NODES];
    int n = tree_leaves(&L, 0, leaf);
    for (int i = 0; i < n; i++) {
        int d = dimension(&leaf[i]);
        if (d < 0 || d >= LAYOUT_DIMS) return false;
        int64_t c = unfold(&leaf[i], i == n - 1, &index);
        out[d] = sum_of(out[d], product_of(c, leaf[i].stride));
        if (out[d] == LAYOUT_OVERFLOW) return false;
    }
    return true;
}

int layout_leaves(Layout L, LayoutLeaf *out, int max)
{
    if (L.poisoned) return -1;
    LayoutNode leaf[LAYOUT_NODES];
    int all = tree_leaves(&L, 0, leaf), n = 0;
    for (int i = 0; i < all; i++) {
        if (leaf[i].shape == 1) continue;
        if (n == max || dimension(&leaf[i]) < 0) return -1;
        out[n++] = (LayoutLeaf){leaf[i].shape, leaf[i].stride, dimension(&leaf[i])};
    }
    return n;
}

/* -- Shape of the tree ------------------------------------------------------------------------- */
Layout layout_flatten(Layout L)
{
    if (L.poisoned || L.node[0].rank == LAYOUT_LEAF) return L;
    LayoutNode leaf[LAYOUT_NODES];
    int n = tree_leaves(&L, 0, leaf);
    Builder b = tree_begin();
    int mark = tree_open(&b);
    for (int i = 0; i < n; i++) tree_leaf(&b, leaf[i]);
    tree_close(&b, mark, n);
    return tree_end(&b);
}

Layout layout_group(Layout L, int begin, int end)
{
    if (L.poisoned) return L;
    int rank = layout_rank(L);
    if (begin < 0 || begin >= end || end > rank)
        return layout_poison("layout_group: %s has no modes [%d,%d)", tree_text(L).s, begin, end);
    Builder b = tree_begin();
    int outer = tree_open(&b);
    tree_modes(&b, &L, 0, begin);
    int inner = tree_open(&b);
    tree_modes(&b, &L, begin, end);
    tree_close(&b, inner, end - begin);
    tree_modes(&b, &L, end, rank);
    tree_close(&b, outer, rank - (end - begin) + 1);
    return tree_named("layout_group", &L, NULL, tree_end(&b));
}

Layout layout_select(Layout L, int n, const int idx[])
{
    Builder b = tree_begin();
    int mark = tree_open(&b);
    for (int i = 0; i < n; i++) {
        Layout mode = layout_mode(L, idx[i]);
        tree_copy(&b, &mode, 0);
    }
    tree_close(&b, mark, n);
    return tree_named("layout_select", &L, NULL, L.poisoned ? L : tree_end(&b));
}

Layout layout_append(Layout a, Layout b)
{
    Builder out = tree_begin();
    int mark = tree_open(&out), rank = layout_rank(a);
    tree_modes(&out, &a, 0, rank);
    tree_copy(&out, &b, 0);
    tree_close(&out, mark, rank + 1);
    return tree_named("layout_append", &a, &b, tree_end(&out));
}
