/* layout_ops: values of layout expressions, their kinds and evaluation. See layout_ops.h. */
#include "plugin/layout_ops.h"

#include <string.h>

/* -- Values ------------------------------------------------------------------------------------ */
OpsValue layout_ops_tuple(Layout tuple)
{
    return (OpsValue){.kind = OPS_TUPLE, .is.mode[0] = tuple};
}

OpsValue layout_ops_layout(Layout L)
{
    return (OpsValue){.kind = OPS_LAYOUT, .is.mode[0] = L};
}

OpsValue layout_ops_int(int64_t n)
{
    return layout_ops_tuple(layout_leaf(1, n));
}

Layout layout_ops_open(void)
{
    return layout_leaf(0, 0);
}

const Layout *layout_ops_poison(const OpsValue *v)
{
    int modes = v->kind == OPS_TILER && v->is.rank > 0 ? v->is.rank : 1;
    for (int i = 0; i < modes; i++)
        if (!layout_ok(v->is.mode[i])) return &v->is.mode[i];
    return NULL;
}

typedef struct {
    char s[200];
} Text;

static Text text_of(Layout L)
{
    Text t;
    layout_print(t.s, sizeof t.s, L);
    return t;
}

static Text tuple_text(Layout tuple)
{
    Text t;
    layout_print_stride(t.s, sizeof t.s, tuple);
    return t;
}

static bool is_leaf(const LayoutNode *node)
{
    return node->rank == LAYOUT_LEAF;
}

static int nodes_of(const Layout *L)
{
    return L->poisoned ? 0 : L->node[0].span;
}

/* The extents that a tuple names, with strides 0; poisoned where they are none. */
static Layout extents(Layout tuple)
{
    for (int i = 0; i < nodes_of(&tuple); i++) {
        LayoutNode *node = &tuple.node[i];
        if (!is_leaf(node)) continue;
        if (node->shape == 0) return layout_poison("'_' is no extent");
        if (node->basis[0]) return layout_poison("%s is no shape", tuple_text(tuple).s);
        if (node->stride < 0) return layout_poison("%s: negative extent", tuple_text(tuple).s);
        node->shape = node->stride;
        node->stride = 0;
    }
    return tuple;
}

/* Size and the sum of all steps fit 64 bits, so that evaluation cannot overflow. */
static Layout within_64_bits(Layout L)
{
    int64_t size = 1, reach = 0, steps;
    for (int i = 0; i < nodes_of(&L); i++) {
        const LayoutNode *node = &L.node[i];
        if (!is_leaf(node) || node->shape == 0) continue;
        if (__builtin_mul_overflow(size, node->shape, &size) ||
            __builtin_mul_overflow(node->shape - 1, node->stride, &steps) ||
            __builtin_add_overflow(reach, steps < 0 ? -steps : steps, &reach))
            return layout_poison("%s: its size or values leave 64 bits", text_of(L).s);
    }
    return L;
}

Layout layout_ops_join(Layout shape, Layout stride)
{
    Layout L = extents(shape);
    if (!layout_ok(L)) return L;
    if (!layout_congruent(shape, stride))
        return layout_poison("shape %s and stride %s nest differently", tuple_text(shape).s,
                             tuple_text(stride).s);
    for (int i = 0; i < nodes_of(&L); i++) {
        if (is_leaf(&L.node[i]) && stride.node[i].shape == 0)
            return layout_poison("'_' is no stride");
        L.node[i].stride = stride.node[i].stride;
        memcpy(L.node[i].basis, stride.node[i].basis, sizeof L.node[i].basis);
    }
    return within_64_bits(L);
}

/* -- Kinds ------------------------------------------------------------------------------------- */
static Layout compact(Layout tuple)
{
    return within_64_bits(layout_compact(extents(tuple)));
}

static Layout as_layout(const OpsValue *v)
{
    if (v->kind == OPS_LAYOUT) return within_64_bits(v->is.mode[0]);
    if (v->kind == OPS_TUPLE) return compact(v->is.mode[0]);
    return layout_poison("a tiler, where a layout is wanted");
}

static Tiler tiler_of_extents(Layout tuple)
{
    Layout shape = extents(tuple);
    int rank = layout_rank(shape);
    if (!layout_ok(shape)) return tiler_whole(shape);
    if (is_leaf(&shape.node[0])) return tiler_whole(compact(tuple));
    if (layout_depth(shape) != 1 || rank > LAYOUT_TILER)
        return tiler_whole(layout_poison("%s is not a flat tuple of at most %d extents",
                                         tuple_text(tuple).s, LAYOUT_TILER));
    int64_t n[LAYOUT_TILER] = {0};
    for (int i = 0; i < rank; i++) n[i] = shape.node[i + 1].shape;
    return tiler_shape(rank, n);
}

static OpsValue as_tiler(const OpsValue *v)
{
    if (v->kind == OPS_TILER) return *v;
    Tiler t = v->kind == OPS_LAYOUT ? tiler_whole(v->is.mode[0]) : tiler_of_extents(v->is.mode[0]);
    return (OpsValue){.kind = OPS_TILER, .is = t};
}

static Layout as_int(const OpsValue *v)
{
    const LayoutNode *node = &v->is.mode[0].node[0];
    if (v->kind != OPS_TUPLE || !is_leaf(node)) return layout_poison("a number is wanted");
    if (node->shape == 0 || node->basis[0] || node->stride < 0)
        return layout_poison("a number >= 0 is wanted");
    return v->is.mode[0];
}

static Layout as_coordinate(const OpsValue *v)
{
    if (v->kind != OPS_TUPLE) return layout_poison("a coordinate is wanted");
    for (int i = 0; i < nodes_of(&v->is.mode[0]); i++) {
        const LayoutNode *node = &v->is.mode[0].node[i];
        if (is_leaf(node) && (node->stride < 0 || node->basis[0]))
            return layout_poison("%s: a coordinate is made of numbers >= 0",
                                 tuple_text(v->is.mode[0]).s);
    }
    return v->is.mode[0];
}

static Layout as_shape(const OpsValue *v)
{
    if (v->kind != OPS_TUPLE) return layout_poison("a shape is wanted");
    return compact(v->is.mode[0]);
}

static OpsValue as_either(const OpsValue *v)
{
    if (v->kind == OPS_TILER) return layout_ops_layout(as_layout(v));
    for (int i = 0; v->kind == OPS_TUPLE && i < nodes_of(&v->is.mode[0]); i++)
        if (is_leaf(&v->is.mode[0].node[i]) && v->is.mode[0].node[i].shape == 0)
            return layout_ops_layout(layout_poison("'_' stands in a coordinate only"));
    return *v;
}

OpsValue layout_ops_convert(const OpsValue *v, char kind)
{
    switch (kind) {
    case 'L': return layout_ops_layout(as_layout(v));
    case 'T': return as_tiler(v);
    case 'S': return layout_ops_layout(as_shape(v));
    case 'i': return layout_ops_tuple(as_int(v));
    case 'c': return layout_ops_tuple(as_coordinate(v));
    default: return as_either(v);
    }
}

/* -- Evaluation -------------------------------------------------------------------------------- */
typedef struct {
    const Layout *L, *coord;
    LayoutNode term[LAYOUT_NODES]; /* strides times coordinates */
    int terms;
    bool open;   /* a mode is left open */
    Layout kept; /* those modes */
    const char *why;
} Eval;

static int next_mode(const Layout *L, int at)
{
    return at + L->node[at].span;
}

/* The leaf's share of a 1-D coordinate; the last leaf takes all that is left. */
static int64_t unfold(const LayoutNode *leaf, bool last, int64_t *index)
{
    if (last || leaf->shape == 0) return *index;
    int64_t c = *index % leaf->shape;
    *index /= leaf->shape;
    return c;
}

static void add_terms(Eval *e, int at, int64_t index)
{
    int end = next_mode(e->L, at), last = end - 1;
    while (last > at && !is_leaf(&e->L->node[last])) last--;
    for (int i = at; i < end; i++) {
        LayoutNode leaf = e->L->node[i];
        if (!is_leaf(&leaf)) continue;
        int64_t c = unfold(&leaf, i == last, &index);
        if (__builtin_mul_overflow(leaf.stride, c, &leaf.stride)) e->why = "the value overflows";
        e->term[e->terms++] = leaf;
    }
}

static void keep(Eval *e, int at)
{
    Layout mode = layout_leaf(1, 0);
    memcpy(mode.node, &e->L->node[at], e->L->node[at].span * sizeof mode.node[0]);
    e->kept = at == 0 ? mode : layout_append(e->kept, mode);
    e->open = true;
    add_terms(e, at, 0);
}

static void eval_at(Eval *e, int at, int c_at)
{
    const LayoutNode *c = &e->coord->node[c_at];
    if (is_leaf(c)) {
        if (c->shape == 0)
            keep(e, at);
        else
            add_terms(e, at, c->stride);
        return;
    }
    if (c->rank != e->L->node[at].rank) {
        e->why = "the coordinate does not fit the shape";
        return;
    }
    int mode = at + 1, c_mode = c_at + 1;
    for (int i = 0; i < c->rank && !e->why; i++) {
        eval_at(e, mode, c_mode);
        mode = next_mode(e->L, mode);
        c_mode = next_mode(e->coord, c_mode);
    }
}

static Layout sum_of(const LayoutNode term[], int n)
{
    int64_t sum = 0;
    for (int i = 0; i < n; i++)
        if (__builtin_add_overflow(sum, term[i].stride, &sum))
            return layout_poison("the value overflows");
    return layout_leaf(1, sum);
}

/* The coordinate that a sum of multiples of basis elements is. Their first `depth` indices agree.
 * Integers can be added to integers only, and a stride of 0 adds nothing. */
static Layout combine(const LayoutNode term[], int n, int depth)
{
    int plain = 0, nested = 0, modes = 0;
    for (int i = 0; i < n; i++) {
        int index = depth < LAYOUT_PATH ? term[i].basis[depth] : 0;
        plain += index == 0 && term[i].stride != 0;
        nested += index != 0;
        if (index > modes) modes = index;
    }
    if (nested == 0) return sum_of(term, n);
    if (plain > 0) return layout_poison("an integer and a coordinate cannot be added");
    Layout tuple = layout_tuple(0, NULL);
    for (int m = 0; m < modes; m++) {
        LayoutNode part[LAYOUT_NODES];
        int parts = 0;
        for (int i = 0; i < n; i++)
            if (term[i].basis[depth] == m + 1) part[parts++] = term[i];
        tuple = layout_append(tuple, combine(part, parts, depth + 1));
    }
    return tuple;
}

static Layout refused_at(const Eval *e, const char *why)
{
    return layout_poison("%s at %s: %s", text_of(*e->L).s, tuple_text(*e->coord).s, why);
}

static Eval evaluate(const Layout *L, const Layout *coord)
{
    Eval e = {.L = L, .coord = coord};
    e.kept = layout_tuple(0, NULL);
    eval_at(&e, 0, 0);
    return e;
}

static Layout value_of(const Eval *e)
{
    if (e->why) return refused_at(e, e->why);
    Layout value = combine(e->term, e->terms, 0);
    return layout_ok(value) ? value : refused_at(e, layout_why(&value));
}

OpsValue layout_ops_at(Layout L, Layout coord)
{
    Eval e = evaluate(&L, &coord);
    if (e.open && !e.why) return layout_ops_layout(e.kept);
    return layout_ops_tuple(value_of(&e));
}

OpsValue layout_ops_offset(Layout L, Layout coord)
{
    Eval e = evaluate(&L, &coord);
    return layout_ops_tuple(value_of(&e));
}
