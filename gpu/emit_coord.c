/* emit_coord: from (thread, value) layouts to coordinates, addresses and predicates. See emit.h. */
#include "gpu/emit.h"

/* -- Coordinates ------------------------------------------------------------------------------- */

/* A thread index unfolds along the leaves, first fastest; each leaf's digit moves one dimension. */
static void thread_part(Ptx *x, Layout thr, PtxVal tid, PtxVal out[2])
{
    LayoutLeaf leaf[LAYOUT_NODES];
    int n = layout_leaves(thr, leaf, LAYOUT_NODES);
    if (n < 0) ptx_fail(x, "emit_coord: the thread layout is too deep");
    int64_t below = 1;
    for (int i = 0; i < n; i++) {
        PtxVal digit = ptx_div(x, tid, below);
        if (i + 1 < n) digit = ptx_rem(x, digit, leaf[i].shape);
        below *= leaf[i].shape;
        if (leaf[i].stride == 0) continue;
        if (leaf[i].dim > 1) ptx_fail(x, "emit_coord: a coordinate has two indices");
        PtxVal *to = &out[leaf[i].dim & 1];
        *to = ptx_add(x, *to, ptx_mul(x, digit, ptx_imm(leaf[i].stride)));
    }
}

EmitCoord emit_coord(Ptx *x, Layout tv, PtxVal tid)
{
    EmitCoord c = {.thread = {ptx_imm(0), ptx_imm(0)}};
    Layout values = layout_mode(tv, 1);
    if (!layout_ok(values)) {
        ptx_fail(x, "emit_coord: %.100s", layout_why(&values));
        return c;
    }
    int64_t count = layout_size(values);
    if (count > EMIT_VALUES) {
        ptx_fail(x, "emit_coord: %lld values, at most %d", (long long)count, EMIT_VALUES);
        return c;
    }
    thread_part(x, layout_mode(tv, 0), tid, c.thread);
    c.count = (int)count;
    for (int v = 0; v < c.count; v++) {
        int64_t at[LAYOUT_DIMS];
        if (!layout_coord_at(values, v, at)) ptx_fail(x, "emit_coord: values are not coordinates");
        c.value[v][0] = at[0];
        c.value[v][1] = at[1];
    }
    return c;
}

/* -- Addresses --------------------------------------------------------------------------------- */

PtxVal emit_pointer(Ptx *x, PtxVal base, const EmitCoord *c, EmitStrides s)
{
    for (int d = 0; d < 2; d++) {
        PtxVal at = base.cls == PTX_B64 ? ptx_wide(x, c->thread[d]) : c->thread[d];
        base = ptx_add(x, base, ptx_mul(x, at, s.by[d]));
    }
    return base;
}

/* The part of value v's offset that needs run-time strides: a constant stride's index does not
 * matter. */
static PtxVal run_part(Ptx *x, const int64_t value[2], EmitStrides s)
{
    PtxVal sum = ptx_imm(0);
    for (int d = 0; d < 2; d++)
        if (s.by[d].cls != PTX_IMM) sum = ptx_add(x, sum, ptx_mul(x, s.by[d], ptx_imm(value[d])));
    return sum;
}

static bool same_run(const int64_t a[2], const int64_t b[2], EmitStrides s)
{
    for (int d = 0; d < 2; d++)
        if (s.by[d].cls != PTX_IMM && a[d] != b[d]) return false;
    return true;
}

void emit_offsets(Ptx *x, const EmitCoord *c, EmitStrides s, EmitOffset *out)
{
    for (int v = 0; v < c->count; v++) {
        out[v].con = 0;
        for (int d = 0; d < 2; d++)
            if (s.by[d].cls == PTX_IMM) out[v].con += c->value[v][d] * s.by[d].v;
        int seen = 0;
        while (seen < v && !same_run(c->value[seen], c->value[v], s)) seen++;
        out[v].run = seen < v ? out[seen].run : run_part(x, c->value[v], s);
    }
}

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

int emit_granule(Layout tv, const int stride[2], int element_bytes)
{
    LayoutLeaf leaf[LAYOUT_NODES];
    int n = layout_leaves(layout_mode(tv, 0), leaf, LAYOUT_NODES);
    int64_t g = 16;
    for (int i = 0; i < n; i++)
        g = gcd(g, leaf[i].stride * stride[leaf[i].dim & 1] * element_bytes);
    return (int)g;
}

/* -- Predicates -------------------------------------------------------------------------------- */

void emit_inside(Ptx *x, const EmitCoord *c, int dim, PtxVal bound, PtxVal *out)
{
    PtxVal room = ptx_sub(x, bound, c->thread[dim]);
    for (int v = 0; v < c->count; v++) {
        int seen = 0;
        while (seen < v && c->value[seen][dim] != c->value[v][dim]) seen++;
        out[v] = seen < v ? out[seen] : ptx_less(x, ptx_imm(c->value[v][dim]), room);
    }
}
