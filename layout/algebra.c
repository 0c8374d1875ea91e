/*
 * algebra: coalesce, composition, complement and the inverses. See layout.h for what each promises;
 * the meaning is CuTe's. An operation works on the flat list of leaves and is refused, with the
 * rule that was broken, where its result would not be a layout.
 */
#include "layout/tree.h"

#include <string.h>

/* -- Coalesce ---------------------------------------------------------------------------------- */
static Layout coalesce_at(const Layout *L, int at)
{
    LayoutNode leaf[LAYOUT_NODES];
    int n = tree_leaves(L, at, leaf);
    return tree_from_leaves(leaf, tree_merge(leaf, n, false));
}

Layout layout_coalesce(Layout L)
{
    return L.poisoned ? L : coalesce_at(&L, 0);
}

static void coalesce_tree(Builder *b, const Layout *L, int at, const Layout *profile, int p_at)
{
    if (profile->node[p_at].rank == LAYOUT_LEAF) {
        Layout whole = coalesce_at(L, at);
        tree_copy(b, &whole, 0);
        return;
    }
    int rank = L->node[at].rank, mark = tree_open(b);
    for (int i = 0; i < rank; i++) {
        int mode = tree_mode(L, at, i), p_mode = tree_mode(profile, p_at, i);
        if (p_mode < 0)
            tree_copy(b, L, mode);
        else
            coalesce_tree(b, L, mode, profile, p_mode);
    }
    if (profile->node[p_at].rank > rank)
        tree_fail(b, layout_poison("coalesce: the profile %s does not fit %s",
                                   tree_text(*profile).s, tree_text(*L).s));
    tree_close(b, mark, rank);
}

Layout layout_coalesce_by(Layout L, Layout profile)
{
    if (L.poisoned) return L;
    if (profile.poisoned) return profile;
    Builder b = tree_begin();
    coalesce_tree(&b, &L, 0, &profile, 0);
    return tree_named("coalesce", &L, &profile, tree_end(&b));
}

static int filter_tree(Builder *b, const Layout *L, int at)
{
    const LayoutNode *node = &L->node[at];
    if (node->rank == LAYOUT_LEAF) {
        if (node->shape != 1) tree_leaf(b, *node);
        return node->shape != 1;
    }
    LayoutNode leaf[LAYOUT_NODES];
    int n = tree_leaves(L, at, leaf);
    if (tree_merge(leaf, n, false) == 0) return 0;
    int mark = tree_open(b), rank = 0;
    for (int i = 0; i < node->rank; i++) rank += filter_tree(b, L, tree_mode(L, at, i));
    tree_close(b, mark, rank);
    return 1;
}

Layout layout_filter_ones(Layout L)
{
    if (L.poisoned) return L;
    Builder b = tree_begin();
    return filter_tree(&b, &L, 0) ? tree_end(&b) : layout_leaf(1, 0);
}

/* -- Composition ------------------------------------------------------------------------------- */
typedef struct {
    const Layout *a, *b;
    Builder out;
} Composition;

static void refuse(Composition *c, const char *rule, int64_t x, int64_t y)
{
    tree_fail(&c->out, layout_poison("composition: %s o %s: %s %lld does not divide %lld",
                                     tree_text(*c->a).s, tree_text(*c->b).s, rule, (long long)x,
                                     (long long)y));
}

static void refuse_because(Composition *c, const char *why)
{
    tree_fail(&c->out, layout_poison("composition: %s o %s: %s", tree_text(*c->a).s,
                                     tree_text(*c->b).s, why));
}

/* The leaves of A that a stride of B counts in: all, or those of the mode that a basis element
 * names. Their number; 0 where there is no such mode. */
static int domain(const Composition *c, const LayoutNode *b, LayoutNode leaf[LAYOUT_NODES])
{
    int at = 0;
    for (int i = 0; i < LAYOUT_PATH && b->basis[i]; i++) {
        at = tree_mode(c->a, at, b->basis[i] - 1);
        if (at < 0) return 0;
    }
    int n = tree_leaves(c->a, at, leaf);
    if (n == 0) leaf[n++] = tree_node(1, 0);
    n = tree_merge(leaf, n, true);
    return n;
}

/* One leaf of the result: extent steps of `stride` in a leaf of A. */
static bool add_piece(Composition *c, LayoutNode piece[], int *n, LayoutNode leaf, int64_t extent,
                      int64_t stride)
{
    leaf.shape = extent;
    if (!tree_scale(&leaf, stride)) {
        refuse_because(c, "a stride overflows");
        return false;
    }
    piece[(*n)++] = leaf;
    return true;
}

/*
 * Walks extent:stride through the leaves of A, first fastest. A stride that is a multiple of a
 * leaf's extent passes it by; one that divides it takes what is left of the leaf and goes on in the
 * next; steps that all stay within the leaf end there. The last leaf has no end. Returns the
 * pieces, 0 where refused.
 */
static int walk(Composition *c, const LayoutNode leaf[], int n, LayoutNode b, LayoutNode piece[])
{
    int64_t extent = b.shape, stride = b.stride;
    int pieces = 0, i = 0;
    for (; i + 1 < n && extent > 1; i++) {
        int64_t room = leaf[i].shape;
        if (stride % room == 0) {
            stride /= room;
            continue;
        }
        if (extent - 1 <= (room - 1) / stride) break;
        if (room % stride != 0) return refuse(c, "stride", stride, room), 0;
        int64_t part = room / stride;
        if (extent % part != 0) return refuse(c, "the part", part, extent), 0;
        if (!add_piece(c, piece, &pieces, leaf[i], part, stride)) return 0;
        extent /= part;
        stride = 1;
    }
    if ((extent > 1 || pieces == 0) && !add_piece(c, piece, &pieces, leaf[i], extent, stride))
        return 0;
    return pieces;
}

static bool has_empty(const LayoutNode leaf[], int n)
{
    for (int i = 0; i < n; i++)
        if (leaf[i].shape == 0) return true;
    return false;
}

/* It has one value, 0, or none. */
static bool stays(const LayoutNode *b)
{
    return b->shape <= 1 || b->stride == 0;
}

static void compose_leaf(Composition *c, LayoutNode b)
{
    if (stays(&b)) {
        tree_leaf(&c->out, tree_node(b.shape, 0));
        return;
    }
    LayoutNode leaf[LAYOUT_NODES], piece[LAYOUT_NODES];
    int n = domain(c, &b, leaf), pieces = 0;
    if (n == 0)
        refuse_because(c, "a basis element names a mode that is not there");
    else if (n > 1 && has_empty(leaf, n))
        refuse_because(c, "the left layout is empty");
    else if (n > 1 && b.stride < 0)
        refuse_because(c, "a negative stride in more than one mode");
    else
        pieces = walk(c, leaf, n, b, piece);
    if (pieces == 0) return;
    Layout part = tree_from_leaves(piece, pieces);
    tree_copy(&c->out, &part, 0);
}

/*
 * A sees the sum of what B's leaves give. That is the sum of what A gives for each only where the
 * addition does not carry from one leaf of A into the next: where no digit of the leaves' last
 * values, in A's mixed radix, adds up to an extent. Asked of the leaves of B that count in the same
 * part of A as b[0].
 */
static bool carries(const Composition *c, const LayoutNode b[], int n)
{
    LayoutNode leaf[LAYOUT_NODES];
    int leaves = domain(c, &b[0], leaf);
    int64_t sum[LAYOUT_NODES] = {0};
    for (int j = 0; j < n; j++) {
        if (memcmp(b[j].basis, b[0].basis, sizeof b[0].basis) != 0 || stays(&b[j])) continue;
        int64_t last = (b[j].shape - 1) * b[j].stride;
        for (int k = 0; k + 1 < leaves && last > 0; last /= leaf[k++].shape) {
            int64_t digit = last % leaf[k].shape;
            if (digit >= leaf[k].shape - sum[k]) return true;
            sum[k] += digit;
        }
    }
    return false;
}

/* One of two basis elements names a part of what the other one names, as E<1> and E<1,0> do. An
 * integer counts in the whole. */
static bool nests(const LayoutNode *a, const LayoutNode *b)
{
    int i = 0;
    while (i < LAYOUT_PATH && a->basis[i] == b->basis[i] && a->basis[i]) i++;
    return i < LAYOUT_PATH && a->basis[i] != b->basis[i] && (!a->basis[i] || !b->basis[i]);
}

static bool any_nests(const LayoutNode b[], int n)
{
    for (int j = 1; j < n; j++)
        if (!stays(&b[0]) && !stays(&b[j]) && nests(&b[0], &b[j])) return true;
    return false;
}

static void refuse_sums(Composition *c)
{
    LayoutNode b[LAYOUT_NODES];
    int n = tree_leaves(c->b, 0, b);
    if (has_empty(b, n)) return;
    for (int i = 0; i + 1 < n && !c->out.L.poisoned; i++) {
        if (carries(c, b + i, n - i))
            refuse_because(c, "the right layout's modes add up past a mode of the left one");
        if (any_nests(b + i, n - i))
            refuse_because(c, "a mode of the right layout counts within what another counts in");
    }
}

static void compose_tree(Composition *c, int at)
{
    const LayoutNode *node = &c->b->node[at];
    if (node->rank == LAYOUT_LEAF) {
        compose_leaf(c, *node);
        return;
    }
    int mark = tree_open(&c->out);
    for (int i = 0; i < node->rank; i++) compose_tree(c, tree_mode(c->b, at, i));
    tree_close(&c->out, mark, node->rank);
}

Layout layout_composition(Layout a, Layout b)
{
    if (a.poisoned) return a;
    if (b.poisoned) return b;
    Composition c = {.a = &a, .b = &b, .out = tree_begin()};
    compose_tree(&c, 0);
    refuse_sums(&c);
    return tree_named("composition", &a, &b, tree_end(&c.out));
}

Layout layout_composition_by(Layout a, Tiler t)
{
    return tree_by_mode("composition", a, &t, layout_composition);
}

/* -- Complement and inverses ------------------------------------------------------------------- */
typedef struct {
    int64_t shape, stride;
    int64_t index; /* 1-D index of the mode's second element */
} Mode;

/* The coalesced modes of a in the order of their strides. Their number, or -1: *why says it. */
static int sorted_modes(const Layout *a, Mode mode[LAYOUT_NODES], const char **why)
{
    LayoutNode leaf[LAYOUT_NODES];
    int n = tree_merge(leaf, tree_leaves(a, 0, leaf), false);
    int64_t index = 1;
    *why = NULL;
    if (has_empty(leaf, n)) *why = "it is empty";
    if (!layout_is_integral(*a)) *why = "its strides are coordinates";
    for (int i = 0; i < n && !*why; i++) {
        if (leaf[i].stride < 0) *why = "a stride is negative";
        int at = i;
        for (; at > 0 && mode[at - 1].stride > leaf[i].stride; at--) mode[at] = mode[at - 1];
        mode[at] = (Mode){leaf[i].shape, leaf[i].stride, index};
        index *= leaf[i].shape;
    }
    return *why ? -1 : n;
}

/* Where the mode would go on. Saturates: no stride of a layout that is not empty and holds this
 * mode too reaches the end of int64_t. */
static int64_t end_of(const Mode *mode)
{
    int64_t end;
    return __builtin_mul_overflow(mode->shape, mode->stride, &end) ? INT64_MAX : end;
}

static Layout refusal(const char *name, const Layout *a, const char *why)
{
    return layout_poison("%s: %s: %s", name, tree_text(*a).s, why);
}

/* A mode of this stride begins before the one of the stride below ends. */
static Layout refuse_overlap(const Layout *a, int64_t below, int64_t stride)
{
    return refusal("complement", a,
                   stride % below == 0 ? "it overlaps itself" : "one mode steps within another");
}

Layout layout_complement(Layout a, int64_t m)
{
    if (a.poisoned) return a;
    Mode mode[LAYOUT_NODES];
    const char *why;
    int n = sorted_modes(&a, mode, &why), gaps = 0;
    if (n < 0) return refusal("complement", &a, why);
    LayoutNode gap[LAYOUT_NODES + 1];
    int64_t filled = 1; /* everything below it is reached, or is padding */
    for (int i = 0; i < n; i++) {
        if (mode[i].stride == 0) continue;
        if (mode[i].stride < filled) return refuse_overlap(&a, mode[i - 1].stride, mode[i].stride);
        gap[gaps++] = tree_node(mode[i].stride / filled, filled);
        filled = end_of(&mode[i]);
    }
    gap[gaps++] = tree_node(m / filled + (m % filled > 0), filled);
    if (m < 0) return refusal("complement", &a, "the bound is negative");
    Layout R = tree_from_leaves(gap, tree_merge(gap, gaps, false));
    return tree_named("complement", &a, NULL, R);
}

Layout layout_right_inverse(Layout a)
{
    if (a.poisoned) return a;
    Mode mode[LAYOUT_NODES];
    const char *why;
    int n = sorted_modes(&a, mode, &why), found = 0;
    if (n < 0) return refusal("right_inverse", &a, why);
    LayoutNode leaf[LAYOUT_NODES];
    int64_t next = 1; /* the values below it are inverted */
    for (int i = 0; i < n; i++) {
        if (mode[i].stride != next) continue;
        leaf[found++] = tree_node(mode[i].shape, mode[i].index);
        next *= mode[i].shape;
    }
    return tree_from_leaves(leaf, tree_merge(leaf, found, false));
}

Layout layout_left_inverse(Layout a)
{
    if (a.poisoned) return a;
    Mode mode[LAYOUT_NODES];
    const char *why;
    int n = sorted_modes(&a, mode, &why);
    if (n < 0) return refusal("left_inverse", &a, why);
    LayoutNode leaf[LAYOUT_NODES + 1];
    Mode last = {.shape = 1, .stride = 1, .index = 0};
    for (int i = 0; i < n; i++) {
        if (mode[i].stride % last.stride != 0)
            return refusal("left_inverse", &a, "no stride may leave a remainder by a smaller one");
        if (mode[i].stride < end_of(&last))
            return refusal("left_inverse", &a, "it is not injective");
        leaf[i] = tree_node(mode[i].stride / last.stride, last.index);
        last = mode[i];
    }
    leaf[n] = tree_node(last.shape, last.index);
    Layout R = tree_from_leaves(leaf, tree_merge(leaf, n + 1, false));
    return tree_named("left_inverse", &a, NULL, R);
}
