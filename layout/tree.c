/* tree: building and walking the node array. See tree.h. */
#include "layout/tree.h"

#include <string.h>

/* -- Building ---------------------------------------------------------------------------------- */
Builder tree_begin(void)
{
    Builder b;
    memset(&b, 0, sizeof b);
    return b;
}

/* Room for count more nodes, or the builder is poisoned. */
static bool room(Builder *b, int count)
{
    if (b->L.poisoned) return false;
    if (b->n + count <= LAYOUT_NODES) return true;
    b->L = layout_poison("layout: more than %d nodes", LAYOUT_NODES);
    return false;
}

void tree_leaf(Builder *b, LayoutNode leaf)
{
    if (room(b, 1)) b->L.node[b->n++] = leaf;
}

int tree_open(Builder *b)
{
    if (!room(b, 1)) return 0;
    b->L.node[b->n] = (LayoutNode){.span = 1};
    return b->n++;
}

void tree_close(Builder *b, int mark, int rank)
{
    if (rank < 0) tree_fail(b, layout_poison("layout: a tuple of %d modes", rank));
    if (b->L.poisoned) return;
    b->L.node[mark].rank = (int8_t)rank;
    b->L.node[mark].span = (uint8_t)(b->n - mark);
}

void tree_copy(Builder *b, const Layout *L, int at)
{
    if (L->poisoned) {
        tree_fail(b, *L);
        return;
    }
    int span = L->node[at].span ? L->node[at].span : 1; /* a zeroed Layout is () */
    if (!room(b, span)) return;
    memcpy(&b->L.node[b->n], &L->node[at], (size_t)span * sizeof(LayoutNode));
    b->L.node[b->n].span = (uint8_t)span;
    b->n += span;
}

void tree_modes(Builder *b, const Layout *L, int begin, int end)
{
    if (L->poisoned) tree_fail(b, *L);
    for (int i = begin; i < end && !L->poisoned; i++) tree_copy(b, L, tree_mode(L, 0, i));
}

void tree_fail(Builder *b, Layout poison)
{
    if (!b->L.poisoned) b->L = poison;
}

/* Adds the leaf's last value to the sum; false where that overflows. */
static bool add_last(int64_t *sum, const LayoutNode *leaf)
{
    int64_t last;
    return !__builtin_mul_overflow(leaf->shape - 1, leaf->stride, &last) &&
           !__builtin_add_overflow(*sum, last, sum);
}

/* The leaves from leaf[0] on that point in its direction: neither their largest value nor their
 * smallest is beyond 64 bits. Room for cosize, one more than the largest, and a free INT64_MIN. */
static bool values_fit(const LayoutNode leaf[], int n)
{
    int64_t most = 0, least = 0;
    for (int i = 0; i < n; i++) {
        if (leaf[i].shape <= 1 || leaf[i].stride == 0) continue;
        if (memcmp(leaf[i].basis, leaf[0].basis, sizeof leaf[0].basis) != 0) continue;
        if (!add_last(leaf[i].stride > 0 ? &most : &least, &leaf[i])) return false;
    }
    return most < INT64_MAX && least > INT64_MIN;
}

const char *tree_misfit(const Layout *L)
{
    LayoutNode leaf[LAYOUT_NODES];
    int n = tree_leaves(L, 0, leaf);
    int64_t size = 1;
    for (int i = 0; i < n; i++)
        if (leaf[i].shape > 1 && __builtin_mul_overflow(size, leaf[i].shape, &size))
            return "the product of the extents overflows";
    for (int i = 0; i < n; i++)
        if (!values_fit(leaf + i, n - i)) return "a value overflows";
    return NULL;
}

Layout tree_end(const Builder *b)
{
    const char *misfit = b->L.poisoned ? NULL : tree_misfit(&b->L);
    return misfit ? layout_poison("layout: %s: %s", tree_text(b->L).s, misfit) : b->L;
}

Layout tree_named(const char *name, const Layout *a, const Layout *b, Layout R)
{
    static const char making[] = "layout: ";
    bool mine = R.poisoned && !a->poisoned && !(b && b->poisoned);
    if (!mine || strncmp(R.why, making, sizeof making - 1) != 0) return R;
    return layout_poison("%s: %s%s%s: %.500s", name, tree_text(*a).s, b ? ", " : "",
                         b ? tree_text(*b).s : "", R.why + sizeof making - 1);
}

/* -- Walking ----------------------------------------------------------------------------------- */
int tree_mode(const Layout *L, int at, int i)
{
    const LayoutNode *node = &L->node[at];
    if (node->rank == LAYOUT_LEAF) return i == 0 ? at : -1;
    if (i < 0 || i >= node->rank) return -1;
    int child = at + 1;
    while (i-- > 0) child += L->node[child].span;
    return child;
}

int tree_leaves(const Layout *L, int at, LayoutNode leaf[LAYOUT_NODES])
{
    int n = 0;
    for (int i = at; i < at + L->node[at].span; i++)
        if (L->node[i].rank == LAYOUT_LEAF) leaf[n++] = L->node[i];
    return n;
}

Layout tree_from_leaves(const LayoutNode leaf[], int n)
{
    if (n == 0) return layout_leaf(1, 0);
    Builder b = tree_begin();
    int mark = n > 1 ? tree_open(&b) : 0;
    for (int i = 0; i < n; i++) tree_leaf(&b, leaf[i]);
    if (n > 1) tree_close(&b, mark, n);
    return tree_end(&b);
}

/* -- Leaves ------------------------------------------------------------------------------------ */
LayoutNode tree_node(int64_t shape, int64_t stride)
{
    return (LayoutNode){.shape = shape, .stride = stride, .rank = LAYOUT_LEAF, .span = 1};
}

bool tree_scale(LayoutNode *leaf, int64_t k)
{
    if (__builtin_mul_overflow(leaf->stride, k, &leaf->stride)) return false;
    if (leaf->stride == 0) memset(leaf->basis, 0, sizeof leaf->basis);
    return true;
}

/* b goes on where a ends. */
static bool continues(const LayoutNode *a, const LayoutNode *b)
{
    int64_t end;
    return !__builtin_mul_overflow(a->shape, a->stride, &end) && end == b->stride &&
           memcmp(a->basis, b->basis, sizeof a->basis) == 0;
}

int tree_merge(LayoutNode leaf[], int n, bool open)
{
    int out = 0;
    for (int i = 0; i < n; i++) {
        if (leaf[i].shape == 1 && !(open && i == n - 1)) continue;
        if (out > 0 && continues(&leaf[out - 1], &leaf[i]))
            leaf[out - 1].shape *= leaf[i].shape;
        else
            leaf[out++] = leaf[i];
    }
    return out;
}

/* -- Modes ------------------------------------------------------------------------------------- */
Layout tree_named_by_mode(const char *name, const Layout *a, const Tiler *t, Layout R)
{
    for (int i = 0; i == 0 || i < t->rank; i++)
        if (t->mode[i].poisoned) return R;
    return tree_named(name, a, NULL, R);
}

Layout tree_by_mode(const char *name, Layout a, const Tiler *t, TreeOp *op)
{
    if (a.poisoned) return a;
    if (t->rank == 0) return op(a, t->mode[0]);
    int rank = layout_rank(a);
    if (t->rank > rank)
        return layout_poison("%s: %s: the tiler has %d modes, more than the layout's %d", name,
                             tree_text(a).s, t->rank, rank);
    Builder b = tree_begin();
    int mark = tree_open(&b);
    for (int i = 0; i < t->rank; i++) {
        Layout mode = op(layout_mode(a, i), t->mode[i]);
        tree_copy(&b, &mode, 0);
    }
    tree_modes(&b, &a, t->rank, rank);
    tree_close(&b, mark, rank);
    return tree_named_by_mode(name, &a, t, tree_end(&b));
}

TreeText tree_text(Layout L)
{
    TreeText text;
    layout_print(text.s, sizeof text.s, L);
    return text;
}
