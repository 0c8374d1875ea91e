/* layout_ops_rows: the operations of layout expressions, as one table. See layout_ops.h. */
#include "plugin/layout_ops.h"

#include <string.h>

/* The argument as what its row's letter promised. */
static Layout tree(const OpsValue *v)
{
    return v->is.mode[0];
}

static int64_t integer(const OpsValue *v)
{
    return v->is.mode[0].node[0].stride;
}

/* Mode numbers beyond int are beyond any layout too. */
static int index_of(const OpsValue *v)
{
    int64_t i = integer(v);
    return i > LAYOUT_NODES ? LAYOUT_NODES : (int)i;
}

static OpsValue refused(Layout poison)
{
    return layout_ops_layout(poison);
}

/* -- The tree ---------------------------------------------------------------------------------- */
static OpsValue no_modes(const OpsValue *v, int64_t begin, int64_t end)
{
    char text[200];
    if (v->kind == OPS_TUPLE)
        layout_print_stride(text, sizeof text, tree(v));
    else
        layout_print(text, sizeof text, tree(v));
    if (end == begin + 1)
        return refused(layout_poison("%s has no mode %lld", text, (long long)begin));
    return refused(layout_poison("%s has no modes from %lld to before %lld", text, (long long)begin,
                                 (long long)end));
}

/* The first argument, or the mode of it that the others name, one inside the other. */
static OpsValue get(const OpsValue a[], int n)
{
    OpsValue v = a[0];
    for (int i = 1; i < n; i++) {
        int rank = layout_rank(tree(&v)), mode = index_of(&a[i]);
        if (mode >= rank) return no_modes(&v, integer(&a[i]), integer(&a[i]) + 1);
        v.is.mode[0] = layout_mode(tree(&v), mode);
    }
    return v;
}

static OpsValue select(const OpsValue a[], int n)
{
    Layout chosen = layout_tuple(0, NULL);
    for (int i = 1; i < n; i++) {
        OpsValue mode = get((OpsValue[]){a[0], a[i]}, 2);
        chosen = layout_append(chosen, tree(&mode));
        if (layout_ops_poison(&mode)) return mode;
    }
    return (OpsValue){.kind = a[0].kind, .is.mode[0] = chosen};
}

static OpsValue group(const OpsValue a[], int n)
{
    (void)n;
    int64_t begin = integer(&a[1]), end = integer(&a[2]);
    if (begin >= end || end > layout_rank(tree(&a[0]))) return no_modes(&a[0], begin, end);
    Layout grouped = layout_group(tree(&a[0]), index_of(&a[1]), index_of(&a[2]));
    return (OpsValue){.kind = a[0].kind, .is.mode[0] = grouped};
}

static OpsValue flatten(const OpsValue a[], int n)
{
    (void)n;
    return (OpsValue){.kind = a[0].kind, .is.mode[0] = layout_flatten(tree(&a[0]))};
}

static OpsValue append(const OpsValue a[], int n)
{
    (void)n;
    return layout_ops_layout(layout_append(tree(&a[0]), tree(&a[1])));
}

static OpsValue rank(const OpsValue a[], int n)
{
    OpsValue v = get(a, n);
    return layout_ops_poison(&v) ? v : layout_ops_int(layout_rank(tree(&v)));
}

static OpsValue depth(const OpsValue a[], int n)
{
    OpsValue v = get(a, n);
    return layout_ops_poison(&v) ? v : layout_ops_int(layout_depth(tree(&v)));
}

static OpsValue shape(const OpsValue a[], int n)
{
    OpsValue v = get(a, n);
    if (v.kind == OPS_TUPLE || layout_ops_poison(&v)) return v;
    Layout tuple = tree(&v);
    for (int i = 0; i < tuple.node[0].span; i++) {
        LayoutNode *node = &tuple.node[i];
        if (node->rank != LAYOUT_LEAF) continue;
        node->stride = node->shape;
        node->shape = 1;
        memset(node->basis, 0, sizeof node->basis);
    }
    return layout_ops_tuple(tuple);
}

static OpsValue stride(const OpsValue a[], int n)
{
    OpsValue v = get(a, n);
    if (layout_ops_poison(&v)) return v;
    Layout tuple = tree(&v);
    for (int i = 0; i < tuple.node[0].span; i++)
        if (tuple.node[i].rank == LAYOUT_LEAF) tuple.node[i].shape = 1;
    return layout_ops_tuple(tuple);
}

static OpsValue size(const OpsValue a[], int n)
{
    OpsValue v = get(a, n);
    if (layout_ops_poison(&v)) return v;
    v = layout_ops_convert(&v, 'L');
    return layout_ops_poison(&v) ? v : layout_ops_int(layout_size(tree(&v)));
}

static OpsValue cosize(const OpsValue a[], int n)
{
    OpsValue v = get(a, n);
    if (layout_ops_poison(&v)) return v;
    int64_t values = layout_cosize(tree(&v));
    if (values < 0) return refused(layout_poison("strides must be integers >= 0"));
    return layout_ops_int(values);
}

/* -- Making ------------------------------------------------------------------------------------ */
static bool all_are(OpsKind kind, const OpsValue a[], int n)
{
    for (int i = 0; i < n; i++)
        if (a[i].kind != kind) return false;
    return true;
}

/* make_layout(SHAPE), make_layout(SHAPE,STRIDE) or make_layout(L,...). */
static OpsValue make_layout(const OpsValue a[], int n)
{
    if (n == 1) return layout_ops_convert(&a[0], 'L');
    if (n == 2 && all_are(OPS_TUPLE, a, n))
        return layout_ops_layout(layout_ops_join(tree(&a[0]), tree(&a[1])));
    if (!all_are(OPS_LAYOUT, a, n))
        return refused(layout_poison("wants a shape, a shape and a stride, or layouts"));
    Layout mode[OPS_ARGS];
    for (int i = 0; i < n; i++) mode[i] = tree(&a[i]);
    return layout_ops_layout(layout_tuple(n, mode));
}

static OpsValue basis_too_deep(void)
{
    return refused(layout_poison("nested deeper than a basis element, which has %d indices at most",
                                 LAYOUT_PATH));
}

/* Strides 1@i@...: each leaf's own path, so that the value is the coordinate. */
static bool set_paths(Layout *L, int at, const LayoutNode *above, int length)
{
    LayoutNode *node = &L->node[at];
    if (node->rank == LAYOUT_LEAF) {
        node->stride = 1;
        memcpy(node->basis, above->basis, sizeof node->basis);
        return true;
    }
    LayoutNode path = *above;
    for (int i = 0, mode = at + 1; i < node->rank; i++, mode += L->node[mode].span) {
        if (length == LAYOUT_PATH) return false;
        path.basis[length] = (uint8_t)(i + 1);
        if (!set_paths(L, mode, &path, length + 1)) return false;
    }
    return true;
}

static OpsValue identity(const OpsValue a[], int n)
{
    Layout L = tree(&a[0]);
    if (n > 1) {
        Layout mode[OPS_ARGS];
        for (int i = 0; i < n; i++) mode[i] = tree(&a[i]);
        L = layout_tuple(n, mode);
    }
    LayoutNode root = {0};
    return layout_ok(L) && !set_paths(&L, 0, &root, 0) ? basis_too_deep() : layout_ops_layout(L);
}

/* Compact, with the modes of the shape filled in the ascending order of `order`. */
static OpsValue make_ordered_layout(const OpsValue a[], int n)
{
    (void)n;
    Layout L = tree(&a[0]), order = tree(&a[1]);
    if (!layout_congruent(L, order))
        return refused(layout_poison("shape and order nest differently"));
    int64_t filled = 1;
    for (int step = 0; step < L.node[0].span; step++) {
        int next = -1;
        for (int i = 0; i < L.node[0].span; i++) {
            if (order.node[i].rank != LAYOUT_LEAF || order.node[i].shape < 0) continue;
            if (next < 0 || order.node[i].stride < order.node[next].stride) next = i;
        }
        if (next < 0) break;
        L.node[next].stride = filled;
        filled *= L.node[next].shape;
        order.node[next].shape = -1; /* done */
    }
    return layout_ops_layout(L);
}

static OpsValue filter_zeros(const OpsValue a[], int n)
{
    (void)n;
    Layout L = tree(&a[0]);
    for (int i = 0; layout_ok(L) && i < L.node[0].span; i++)
        if (L.node[i].rank == LAYOUT_LEAF && L.node[i].stride == 0) L.node[i].shape = 1;
    return layout_ops_layout(L);
}

static OpsValue filter(const OpsValue a[], int n)
{
    OpsValue v = filter_zeros(a, n);
    return layout_ops_layout(layout_coalesce(tree(&v)));
}

/* -- Evaluation -------------------------------------------------------------------------------- */
static OpsValue crd2idx(const OpsValue a[], int n)
{
    (void)n;
    return layout_ops_offset(tree(&a[1]), tree(&a[0]));
}

static OpsValue idx2crd(const OpsValue a[], int n)
{
    (void)n;
    OpsValue of_identity = identity(&a[1], 1);
    return layout_ops_at(tree(&of_identity), tree(&a[0]));
}

/* -- Algebra ----------------------------------------------------------------------------------- */
static OpsValue coalesce(const OpsValue a[], int n)
{
    return layout_ops_layout(n == 1 ? layout_coalesce(tree(&a[0]))
                                    : layout_coalesce_by(tree(&a[0]), tree(&a[1])));
}

static OpsValue complement(const OpsValue a[], int n)
{
    int64_t m = n > 1 ? layout_size(tree(&a[1])) : layout_cosize(tree(&a[0]));
    return layout_ops_layout(layout_complement(tree(&a[0]), m < 0 ? 0 : m));
}

#define ONE(name)                                             \
    static OpsValue name(const OpsValue a[], int n)           \
    {                                                         \
        (void)n;                                              \
        return layout_ops_layout(layout_##name(tree(&a[0]))); \
    }
#define WITH_LAYOUT(name)                                                  \
    static OpsValue name(const OpsValue a[], int n)                        \
    {                                                                      \
        (void)n;                                                           \
        return layout_ops_layout(layout_##name(tree(&a[0]), tree(&a[1]))); \
    }
#define WITH_TILER(name)                                               \
    static OpsValue name(const OpsValue a[], int n)                    \
    {                                                                  \
        (void)n;                                                       \
        return layout_ops_layout(layout_##name(tree(&a[0]), a[1].is)); \
    }

ONE(left_inverse)
ONE(right_inverse)
WITH_LAYOUT(blocked_product)
WITH_LAYOUT(raked_product)
WITH_TILER(composition_by)
WITH_TILER(logical_divide)
WITH_TILER(zipped_divide)
WITH_TILER(tiled_divide)
WITH_TILER(flat_divide)
WITH_TILER(logical_product)
WITH_TILER(zipped_product)
WITH_TILER(tiled_product)

/* clang-format off */
const OpsRow layout_ops[] = {
    /* name                    kinds least most */
    { "coalesce",              "LS",  1, 2, coalesce },
    { "composition",           "LT",  2, 2, composition_by },
    { "complement",            "LS",  1, 2, complement },
    { "left_inverse",          "L",   1, 1, left_inverse },
    { "right_inverse",         "L",   1, 1, right_inverse },
    { "logical_divide",        "LT",  2, 2, logical_divide },
    { "zipped_divide",         "LT",  2, 2, zipped_divide },
    { "tiled_divide",          "LT",  2, 2, tiled_divide },
    { "flat_divide",           "LT",  2, 2, flat_divide },
    { "logical_product",       "LT",  2, 2, logical_product },
    { "zipped_product",        "LT",  2, 2, zipped_product },
    { "tiled_product",         "LT",  2, 2, tiled_product },
    { "blocked_product",       "LL",  2, 2, blocked_product },
    { "raked_product",         "LL",  2, 2, raked_product },
    { "size",                  "xi",  1, OPS_ARGS, size },
    { "cosize",                "Li",  1, OPS_ARGS, cosize },
    { "rank",                  "xi",  1, OPS_ARGS, rank },
    { "depth",                 "xi",  1, OPS_ARGS, depth },
    { "shape",                 "xi",  1, OPS_ARGS, shape },
    { "stride",                "Li",  1, OPS_ARGS, stride },
    { "flatten",               "x",   1, 1, flatten },
    { "group",                 "xi",  3, 3, group },
    { "group_modes",           "xi",  3, 3, group },
    { "select",                "xi",  2, OPS_ARGS, select },
    { "get",                   "xi",  2, OPS_ARGS, get },
    { "mode",                  "xi",  2, OPS_ARGS, get },
    { "append",                "LL",  2, 2, append },
    { "make_layout",           "m",   1, OPS_ARGS, make_layout },
    { "make_ordered_layout",   "Sc",  2, 2, make_ordered_layout },
    { "identity",              "S",   1, OPS_ARGS, identity },
    { "make_identity_layout",  "S",   1, 1, identity },
    { "filter",                "L",   1, 1, filter },
    { "filter_zeros",          "L",   1, 1, filter_zeros },
    { "crd2idx",               "cL",  2, 2, crd2idx },
    { "idx2crd",               "cS",  2, 2, idx2crd },
    { 0 },
};
/* clang-format on */

const OpsRow *layout_ops_find(const char *name, size_t length)
{
    for (const OpsRow *row = layout_ops; row->name; row++)
        if (strlen(row->name) == length && memcmp(row->name, name, length) == 0) return row;
    return NULL;
}
