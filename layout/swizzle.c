/* swizzle: bits xored with bits, layouts seen through that, other units. See swizzle.h. */
#include "layout/swizzle.h"

#include "layout/tree.h"

#include <stdio.h>

/* -- Swizzle ----------------------------------------------------------------------------------- */
static int span(Swizzle s)
{
    return s.bits + s.base + (s.shift < 0 ? -s.shift : s.shift);
}

const char *swizzle_why(Swizzle s)
{
    const int most = 62;
    if (s.bits < 0 || s.bits > most) return "B is none";
    if (s.base < 0 || s.base > most) return "M is none: a unit is larger than what is moved as one";
    if (s.shift < -most || s.shift > most) return "S is none";
    if (s.shift < s.bits && -s.shift < s.bits) return "|S| is less than B";
    return span(s) > most ? "B + M + |S| exceeds 62" : "";
}

bool swizzle_ok(Swizzle s)
{
    return swizzle_why(s)[0] == '\0';
}

bool swizzle_equal(Swizzle a, Swizzle b)
{
    return a.bits == b.bits && a.base == b.base && a.shift == b.shift;
}

int64_t swizzle_apply(Swizzle s, int64_t x)
{
    if (!swizzle_ok(s)) return -1;
    uint64_t u = (uint64_t)x, low = (((uint64_t)1 << s.bits) - 1) << s.base;
    return (int64_t)(s.shift >= 0 ? u ^ (u >> s.shift & low) : u ^ (u & low) << -s.shift);
}

int64_t swizzle_period(Swizzle s)
{
    return swizzle_ok(s) && s.bits > 0 ? (int64_t)1 << span(s) : 1;
}

/* log2 of a power of two, or -1. */
static int log2_of(int n)
{
    return n > 0 && (n & (n - 1)) == 0 ? __builtin_ctz((unsigned)n) : -1;
}

Swizzle swizzle_recast(Swizzle s, int from, int to)
{
    int f = log2_of(from), t = log2_of(to);
    if (f < 0 || t < 0 || !swizzle_ok(s)) return (Swizzle){.bits = -1};
    s.base += f - t;
    if (s.bits == 0 && s.base < 0) s.base = 0;
    return s;
}

Swizzle swizzle_parse(const char *text)
{
    Swizzle s = {0};
    int end = 0;
    bool read = sscanf(text, " S <%3d ,%3d ,%3d > %n", &s.bits, &s.base, &s.shift, &end) == 3;
    return read && end > 0 && text[end] == '\0' ? s : (Swizzle){.bits = -1};
}

int swizzle_print(char *buf, size_t size, Swizzle s)
{
    return snprintf(buf, size, "S<%d,%d,%d>", s.bits, s.base, s.shift);
}

/* -- Layouts in other units -------------------------------------------------------------------- */
/* The leaf counted in units of n; its steps within a unit go to *inner. */
static bool upcast_leaf(LayoutNode *leaf, LayoutNode *inner, int64_t n)
{
    int64_t stride = leaf->stride, part = leaf->shape;
    *inner = tree_node(1, 0);
    if (stride % n == 0) {
        leaf->stride /= n;
        return true;
    }
    if (leaf->shape != 1) {
        if (stride < 0 || n % stride != 0) return false;
        int64_t room = n / stride;
        if (part % room == 0) part = room;
        if (part > room) return false;
        *inner = tree_node(part, stride);
        leaf->shape /= part;
    }
    leaf->stride = stride / n + (stride > 0);
    return true;
}

/* Each value below n once. */
static bool fills(const LayoutNode leaf[], int leaves, int64_t n)
{
    Layout L = tree_from_leaves(leaf, leaves);
    return layout_size(L) == n && layout_size(layout_right_inverse(L)) == n;
}

static Layout refuse(const char *name, const Layout *L, int64_t n, const char *why)
{
    return layout_poison("%s: %s by %lld: %s", name, tree_text(*L).s, (long long)n, why);
}

Layout layout_upcast(Layout L, int64_t n)
{
    if (L.poisoned) return L;
    if (n < 1) return refuse("upcast", &L, n, "the factor must be positive");
    if (!layout_is_integral(L)) return refuse("upcast", &L, n, "its strides are coordinates");
    LayoutNode inner[LAYOUT_NODES];
    Layout R = L;
    int leaves = 0;
    for (int i = 0; i < L.node[0].span; i++) {
        if (L.node[i].rank != LAYOUT_LEAF) continue;
        if (!upcast_leaf(&R.node[i], &inner[leaves++], n))
            return refuse("upcast", &L, n, "a mode does not step evenly through the units");
    }
    return fills(inner, leaves, n) ? R : refuse("upcast", &L, n, "it does not hold whole units");
}

/* The node of stride 1: that of more than one element, else any; -1 none, -2 several. */
static int unit_leaf(const Layout *L)
{
    int found = -1;
    for (int i = 0; i < L->node[0].span; i++) {
        const LayoutNode *leaf = &L->node[i];
        if (leaf->rank != LAYOUT_LEAF || leaf->stride != 1) continue;
        if (found >= 0 && leaf->shape == 1) continue;
        if (found >= 0 && L->node[found].shape != 1) return -2;
        found = i;
    }
    return found;
}

Layout layout_downcast(Layout L, int64_t n)
{
    if (L.poisoned) return L;
    if (n < 1) return refuse("downcast", &L, n, "the factor must be positive");
    if (!layout_is_integral(L)) return refuse("downcast", &L, n, "its strides are coordinates");
    int unit = n > 1 ? unit_leaf(&L) : -1;
    if (unit < 0 && n > 1)
        return refuse("downcast", &L, n,
                      unit == -1 ? "no mode has stride 1" : "two modes have stride 1");
    Layout R = L;
    for (int i = 0; i < L.node[0].span; i++) {
        LayoutNode *leaf = &R.node[i];
        if (leaf->rank != LAYOUT_LEAF) continue;
        bool over =
            i == unit ? __builtin_mul_overflow(leaf->shape, n, &leaf->shape) : !tree_scale(leaf, n);
        if (over) return refuse("downcast", &L, n, "it overflows");
    }
    return R;
}

Layout layout_recast(Layout L, int from, int to)
{
    if (L.poisoned) return L;
    if (from > 0 && to > 0 && to % from == 0) return layout_upcast(L, to / from);
    if (from > 0 && to > 0 && from % to == 0) return layout_downcast(L, from / to);
    return layout_poison("recast: %s: from %d bits to %d", tree_text(L).s, from, to);
}

/* -- Composed layouts: making ------------------------------------------------------------------ */
static ComposedLayout with(ComposedLayout c, Layout L)
{
    c.layout = L;
    return c;
}

ComposedLayout composed_make(Swizzle s, int64_t offset, Layout L)
{
    ComposedLayout c = {.swizzle = s, .offset = offset, .layout = L};
    if (L.poisoned) return c;
    if (!swizzle_ok(s))
        return with(
            c, layout_poison("swizzle: S<%d,%d,%d>: %s", s.bits, s.base, s.shift, swizzle_why(s)));
    if (!layout_is_integral(L))
        return with(c, layout_poison("swizzle: S<%d,%d,%d> o %s: strides that are coordinates",
                                     s.bits, s.base, s.shift, tree_text(L).s));
    return c;
}

ComposedLayout composed_plain(Layout L)
{
    return composed_make((Swizzle){0, 4, 3}, 0, L);
}

/* The swizzle that counts what the layout counts. */
static Swizzle own_unit(const ComposedLayout *c)
{
    return c->bits ? swizzle_recast(c->swizzle, 8, c->bits) : c->swizzle;
}

ComposedLayout composed_typed(ComposedLayout c, int bits)
{
    if (c.layout.poisoned) return c;
    c.bits = bits;
    Swizzle s = own_unit(&c);
    if (bits > 0 && swizzle_ok(s)) return c;
    return with(c, layout_poison("swizzle: S<%d,%d,%d> on elements of %d bits: %s", c.swizzle.bits,
                                 c.swizzle.base, c.swizzle.shift, bits,
                                 log2_of(bits) < 0 ? "not a power of two" : swizzle_why(s)));
}

ComposedLayout composed_parse(const char *text)
{
    Swizzle s = {0};
    long long offset = 0;
    int end = 0;
    while (*text == ' ' || *text == '\t' || *text == '\n') text++;
    if (*text != 'S') return composed_plain(layout_parse(text));
    if (sscanf(text, "S <%3d ,%3d ,%3d > o %18lld o %n", &s.bits, &s.base, &s.shift, &offset,
               &end) == 4 &&
        end > 0)
        return composed_make(s, offset, layout_parse(text + end));
    return with((ComposedLayout){.swizzle = {.bits = -1}},
                layout_poison("parse: \"%.200s\": expected S<B,M,S> o OFFSET o LAYOUT", text));
}

int composed_print(char *buf, size_t size, ComposedLayout c)
{
    if (c.layout.poisoned) return layout_print(buf, size, c.layout);
    int head = snprintf(buf, size, "S<%d,%d,%d> o %lld o ", c.swizzle.bits, c.swizzle.base,
                        c.swizzle.shift, (long long)c.offset);
    bool fits = (size_t)head < size;
    return head + layout_print(fits ? buf + head : NULL, fits ? size - (size_t)head : 0, c.layout);
}

/* -- Composed layouts: asking ------------------------------------------------------------------ */
bool composed_ok(ComposedLayout c)
{
    return !c.layout.poisoned;
}

const char *composed_why(const ComposedLayout *c)
{
    return layout_why(&c->layout);
}

bool composed_equal(ComposedLayout a, ComposedLayout b)
{
    return swizzle_equal(a.swizzle, b.swizzle) && a.bits == b.bits && a.offset == b.offset &&
           layout_equal(a.layout, b.layout);
}

int64_t composed_at(ComposedLayout c, int64_t index)
{
    if (c.layout.poisoned) return 0;
    return swizzle_apply(own_unit(&c), c.offset + layout_at(c.layout, index));
}

int64_t composed_at_nd(ComposedLayout c, const int64_t *index, int n)
{
    if (c.layout.poisoned) return 0;
    return swizzle_apply(own_unit(&c), c.offset + layout_at_nd(c.layout, index, n));
}

int64_t composed_cosize(ComposedLayout c)
{
    int64_t cosize = layout_cosize(c.layout), period = swizzle_period(own_unit(&c)), end;
    if (cosize < 0 || c.offset < 0 || __builtin_add_overflow(cosize, c.offset, &end)) return -1;
    if (cosize == 0) return 0;
    return __builtin_add_overflow(end, period - 1, &end) ? -1 : end / period * period;
}

/* -- Composed layouts: the layout changed ------------------------------------------------------ */
/* Index within mode i added to the offset; *fits = false where it lies outside. */
static int64_t fixed(const Layout *L, int i, int64_t index, bool *fits)
{
    Layout mode = layout_mode(*L, i);
    if (index < 0 || index >= layout_size(mode)) *fits = false;
    return layout_at(mode, index);
}

ComposedLayout composed_slice(ComposedLayout c, int n, const int64_t index[])
{
    if (c.layout.poisoned) return c;
    int kept[LAYOUT_NODES], k = 0;
    bool fits = n == layout_rank(c.layout);
    int64_t offset = c.offset;
    for (int i = 0; i < n && fits; i++) {
        if (index[i] == COMPOSED_ALL)
            kept[k++] = i;
        else
            offset += fixed(&c.layout, i, index[i], &fits);
    }
    if (!fits)
        return with(c, layout_poison("slice: %s: the coordinate of %d modes lies outside",
                                     tree_text(c.layout).s, n));
    c.offset = offset;
    return with(c, layout_select(c.layout, k, kept));
}

ComposedLayout composed_composition(ComposedLayout c, Layout b)
{
    Layout R = layout_composition(c.layout, b);
    return with(c, R);
}

ComposedLayout composed_composition_by(ComposedLayout c, Tiler t)
{
    return with(c, layout_composition_by(c.layout, t));
}

/* The offset in units of `to` bits; false where it is none. */
static bool recast_offset(int64_t *offset, int from, int to)
{
    if (from >= to) return !__builtin_mul_overflow(*offset, from / to, offset);
    int64_t n = to / from;
    if (*offset % n != 0) return false;
    *offset /= n;
    return true;
}

ComposedLayout composed_recast(ComposedLayout c, int from, int to)
{
    if (c.layout.poisoned) return c;
    if (c.bits && c.bits != from)
        return with(c,
                    layout_poison("recast: from %d bits, but the elements have %d", from, c.bits));
    Layout L = layout_recast(c.layout, from, to);
    if (L.poisoned) return with(c, L);
    if (!recast_offset(&c.offset, from, to))
        return with(c, layout_poison("recast: offset %lld is no whole element of %d bits",
                                     (long long)c.offset, to));
    if (c.bits) return composed_typed(with(c, L), to);
    return composed_make(swizzle_recast(c.swizzle, from, to), c.offset, L);
}
