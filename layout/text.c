/*
 * text: layouts and tilers as text, both ways. The grammar is in layout.h. Text that cannot be read
 * gives a poisoned layout that quotes it and says where and why.
 */
#include "layout/tree.h"
#include "layout/printer.h"

#include <string.h>

/* -- Reading ----------------------------------------------------------------------------------- */
typedef struct {
    const char *text, *p;
    const char *error; /* the first one; NULL: none */
} Reader;

static char peek(Reader *r)
{
    while (*r->p == ' ' || *r->p == '\t' || *r->p == '\n') r->p++;
    return r->error ? '\0' : *r->p;
}

static bool take(Reader *r, char c)
{
    if (peek(r) != c) return false;
    r->p++;
    return true;
}

static void fail(Reader *r, const char *why)
{
    if (!r->error) r->error = why;
}

static Layout refusal(const Reader *r)
{
    return layout_poison("parse: \"%.200s\": %s at character %d", r->text, r->error,
                         (int)(r->p - r->text) + 1);
}

/* A number with a sign. */
static int64_t read_int(Reader *r)
{
    bool negative = take(r, '-');
    char c = peek(r);
    int64_t value = 0;
    if (c < '0' || c > '9') fail(r, "expected a number");
    for (; *r->p >= '0' && *r->p <= '9' && !r->error; r->p++) {
        int digit = *r->p - '0';
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, negative ? -digit : digit, &value))
            fail(r, "number too large");
    }
    return value;
}

/* INT {'@' INT}: the outermost index comes last. */
static LayoutNode read_stride(Reader *r)
{
    LayoutNode leaf = tree_node(0, read_int(r));
    int n = 0;
    while (take(r, '@')) {
        int64_t index = read_int(r);
        if (n == LAYOUT_PATH || index < 0 || index >= UINT8_MAX) {
            fail(r, "bad basis element");
            return leaf;
        }
        memmove(leaf.basis + 1, leaf.basis, (size_t)n++);
        leaf.basis[0] = (uint8_t)(index + 1);
    }
    tree_scale(&leaf, 1);
    return leaf;
}

static LayoutNode read_shape(Reader *r)
{
    LayoutNode leaf = tree_node(read_int(r), 0);
    if (leaf.shape < 0) fail(r, "negative extent");
    return leaf;
}

typedef LayoutNode ReadLeaf(Reader *r);

static void read_tree(Reader *r, Builder *b, ReadLeaf *read_leaf)
{
    if (b->L.poisoned) fail(r, "too many modes");
    if (!take(r, '(')) {
        tree_leaf(b, read_leaf(r));
        return;
    }
    int mark = tree_open(b), rank = 0;
    if (take(r, ')')) return;
    do {
        read_tree(r, b, read_leaf);
        rank++;
    } while (take(r, ','));
    if (!take(r, ')')) fail(r, "expected ',' or ')'");
    tree_close(b, mark, rank);
}

static Layout read_whole_tree(Reader *r, ReadLeaf *read_leaf)
{
    Builder b = tree_begin();
    read_tree(r, &b, read_leaf);
    if (b.L.poisoned) fail(r, "too many modes");
    Layout L = tree_end(&b);
    if (!r->error && L.poisoned) fail(r, tree_misfit(&b.L));
    return L;
}

static Layout with_strides(Reader *r, Layout shape)
{
    Layout stride = read_whole_tree(r, read_stride);
    if (!r->error && !layout_congruent(shape, stride)) fail(r, "shape and stride nest differently");
    for (int i = 0; i < shape.node[0].span && !r->error; i++) {
        shape.node[i].stride = stride.node[i].stride;
        memcpy(shape.node[i].basis, stride.node[i].basis, LAYOUT_PATH);
    }
    const char *misfit = r->error ? NULL : tree_misfit(&shape);
    if (misfit) fail(r, misfit);
    return shape;
}

/* A layout; *bare: only its shape was written. */
static Layout read_layout(Reader *r, bool *bare)
{
    Layout L = read_whole_tree(r, read_shape);
    *bare = !take(r, ':');
    L = *bare ? layout_compact(L) : with_strides(r, L);
    return r->error ? refusal(r) : L;
}

static Layout read_end(Reader *r, Layout L)
{
    if (L.poisoned || peek(r) == '\0') return L;
    fail(r, "text after the end");
    return refusal(r);
}

Layout layout_parse(const char *text)
{
    Reader r = {.text = text, .p = text};
    bool bare;
    return read_end(&r, read_layout(&r, &bare));
}

static Tiler bad_tiler(Layout poison)
{
    return (Tiler){.rank = 0, .mode[0] = poison};
}

/* What follows '<'. */
static Tiler read_modes(Reader *r)
{
    Tiler t = {.rank = 0};
    bool bare;
    do {
        if (t.rank == LAYOUT_TILER) fail(r, "too many modes in a tiler");
        if (r->error) return bad_tiler(refusal(r));
        t.mode[t.rank++] = read_layout(r, &bare);
    } while (take(r, ','));
    if (!take(r, '>')) fail(r, "expected ',' or '>'");
    Layout end = r->error ? refusal(r) : read_end(r, t.mode[0]);
    return end.poisoned ? bad_tiler(end) : t;
}

/* A tuple of extents: each mode a tile of that many neighbours. */
static Tiler tiler_extents(Layout shape)
{
    int rank = layout_rank(shape);
    if (rank > LAYOUT_TILER || rank + 1 != shape.node[0].span)
        return bad_tiler(layout_poison("tiler: %s is not a flat tuple of at most %d extents",
                                       tree_text(shape).s, LAYOUT_TILER));
    int64_t n[LAYOUT_TILER];
    for (int i = 0; i < rank; i++) n[i] = shape.node[i + 1].shape;
    return tiler_shape(rank, n);
}

Tiler tiler_parse(const char *text)
{
    Reader r = {.text = text, .p = text};
    if (take(&r, '<')) return read_modes(&r);
    bool bare;
    Layout L = read_layout(&r, &bare);
    L = read_end(&r, L);
    if (!L.poisoned && bare && L.node[0].rank > 0) return tiler_extents(L);
    return tiler_whole(L);
}

/* -- Printing ---------------------------------------------------------------------------------- */
typedef void PutLeaf(Printer *out, const LayoutNode *leaf);

static void put_shape(Printer *out, const LayoutNode *leaf)
{
    printer_put(out, "%lld", (long long)leaf->shape);
}

static void put_stride(Printer *out, const LayoutNode *leaf)
{
    printer_put(out, "%lld", (long long)leaf->stride);
    for (int i = LAYOUT_PATH - 1; i >= 0; i--)
        if (leaf->basis[i]) printer_put(out, "@%d", leaf->basis[i] - 1);
}

static void put_tree(Printer *out, const Layout *L, int at, PutLeaf *put_leaf)
{
    if (L->node[at].rank == LAYOUT_LEAF) {
        put_leaf(out, &L->node[at]);
        return;
    }
    printer_put(out, "(");
    for (int i = 0; i < L->node[at].rank; i++) {
        if (i > 0) printer_put(out, ",");
        put_tree(out, L, tree_mode(L, at, i), put_leaf);
    }
    printer_put(out, ")");
}

/* Starts the text; true: L is poisoned and that has been said. */
static bool put_poison(Printer *out, const Layout *L)
{
    if (out->size > 0) out->buf[0] = '\0';
    if (L->poisoned) printer_put(out, "poisoned: %s", L->why);
    return L->poisoned;
}

int layout_print(char *buf, size_t size, Layout L)
{
    Printer out = {.buf = buf, .size = size};
    if (put_poison(&out, &L)) return out.length;
    put_tree(&out, &L, 0, put_shape);
    printer_put(&out, ":");
    put_tree(&out, &L, 0, put_stride);
    return out.length;
}

int layout_print_shape(char *buf, size_t size, Layout L)
{
    Printer out = {.buf = buf, .size = size};
    if (!put_poison(&out, &L)) put_tree(&out, &L, 0, put_shape);
    return out.length;
}

int layout_print_stride(char *buf, size_t size, Layout L)
{
    Printer out = {.buf = buf, .size = size};
    if (!put_poison(&out, &L)) put_tree(&out, &L, 0, put_stride);
    return out.length;
}
