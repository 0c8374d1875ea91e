/*
 * tensor: bases with layouts: evaluation, slices, tiles and partitions. The contract is in
 * tensor.h. Evaluation is a slice that keeps nothing, so there is one place that adds strides.
 */
#include "layout/tensor.h"
#include "layout/printer.h"

#include "layout/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    char s[192];
} Words;

static Words words(Arith a)
{
    Words text;
    arith_print(text.s, sizeof text.s, a);
    return text;
}

/* -- Making ------------------------------------------------------------------------------------ */
static Tensor poisoned(Layout why)
{
    return (Tensor){.base = arith_int(0), .layout = why};
}

Tensor tensor_poison(const char *fmt, ...)
{
    char why[sizeof((Layout *)0)->why];
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    return poisoned(layout_poison("%s", why));
}

/* The base with an entry wherever a stride points. */
static Arith widened(Arith base, const LayoutNode leaf[], int n)
{
    for (int i = 0; i < n; i++) {
        Basis zero = {.scale = 0};
        memcpy(zero.path, leaf[i].basis, sizeof zero.path);
        base = arith_add(base, arith_basis(zero));
    }
    return base;
}

Tensor tensor_make(Arith base, Layout L)
{
    if (L.poisoned) return poisoned(L);
    LayoutNode leaf[LAYOUT_NODES];
    int n = tree_leaves(&L, 0, leaf);
    Arith wide = widened(arith_add(base, arith_int(0)), leaf, n);
    if (!arith_ok(wide)) return tensor_poison("tensor: %s: %s", tree_text(L).s, wide.why);
    for (int i = 0; i < n; i++) {
        int at = arith_find(&wide, leaf[i].basis);
        if (leaf[i].stride != 0 && (at < 0 || wide.node[at].rank != ARITH_LEAF))
            return tensor_poison("tensor: %s o %s: a stride does not fit the base", words(base).s,
                                 tree_text(L).s);
    }
    return (Tensor){.base = wide, .layout = L};
}

Tensor tensor_counting(int64_t start, Layout L)
{
    return tensor_make(arith_int(start), L);
}

static bool name_leaves(Layout *L, int at, const uint8_t path[LAYOUT_PATH], int depth)
{
    LayoutNode *node = &L->node[at];
    if (node->rank == LAYOUT_LEAF) {
        node->stride = 1;
        memcpy(node->basis, path, LAYOUT_PATH);
        return true;
    }
    if (depth == LAYOUT_PATH) return false;
    for (int i = 0; i < node->rank; i++) {
        uint8_t longer[LAYOUT_PATH];
        memcpy(longer, path, sizeof longer);
        longer[depth] = (uint8_t)(i + 1);
        if (!name_leaves(L, tree_mode(L, at, i), longer, depth + 1)) return false;
    }
    return true;
}

Tensor tensor_identity(Layout shape)
{
    if (shape.poisoned) return poisoned(shape);
    Layout L = shape;
    if (!name_leaves(&L, 0, (uint8_t[LAYOUT_PATH]){0}, 0))
        return tensor_poison("tensor_identity: %s nests deeper than %d", tree_text(shape).s,
                             LAYOUT_PATH);
    return tensor_make(arith_int(0), L);
}

/* The base between the parentheses that end at `end`, after an optional name. */
static Arith parse_base(const char *text, const char *end)
{
    static const char counting[] = "counting_iter", tuple[] = "ArithTuple";
    char base[ARITH_TEXT];
    if ((size_t)(end - text) >= sizeof base) return arith_poison("tensor_parse: too long");
    memcpy(base, text, (size_t)(end - text));
    base[end - text] = '\0';
    if (strncmp(base, tuple, sizeof tuple - 1) == 0) return arith_parse(base + sizeof tuple - 1);
    if (strncmp(base, counting, sizeof counting - 1) != 0) return arith_parse(base);
    Arith in = arith_parse(base + sizeof counting - 1);
    return arith_rank(in) == 1 && arith_is_tuple(in)
               ? arith_mode(in, 0)
               : arith_poison("tensor_parse: \"%.100s\": a counting_iter has one start", base);
}

Tensor tensor_parse(const char *text)
{
    while (*text == ' ') text++;
    const char *o = strstr(text, " o ");
    if (!o) return tensor_poison("tensor_parse: \"%.200s\": expected BASE o LAYOUT", text);
    return tensor_make(parse_base(text, o), layout_parse(o + 3));
}

/* -- Asking ------------------------------------------------------------------------------------ */
bool tensor_ok(const Tensor *t)
{
    return layout_ok(t->layout);
}

const char *tensor_why(const Tensor *t)
{
    return layout_why(&t->layout);
}

int64_t tensor_size(const Tensor *t)
{
    return layout_size(t->layout);
}

/* -- Evaluation and slices --------------------------------------------------------------------- */
typedef struct {
    const Tensor *t;
    const Arith *c;
    Arith base;
    Builder kept;
    int modes;
} Slice;

static void refuse(Slice *s, const char *rule)
{
    tree_fail(&s->kept, layout_poison("tensor: %s at %s: %s", tree_text(s->t->layout).s,
                                      words(*s->c).s, rule));
}

/* base += c * stride of the leaf. */
static void move_by(Slice *s, const LayoutNode *leaf, int64_t c)
{
    if (leaf->stride == 0) return;
    int at = arith_find(&s->base, leaf->basis);
    int64_t step, sum;
    if (at < 0)
        refuse(s, "a stride points past the base");
    else if (__builtin_mul_overflow(c, leaf->stride, &step) ||
             __builtin_add_overflow(s->base.node[at].value, step, &sum))
        refuse(s, "it overflows");
    else
        s->base.node[at].value = sum;
}

/* base += the value of the subtree at a 1-D index; the last leaf takes all that is left. */
static void move_to(Slice *s, int at, int64_t index)
{
    LayoutNode leaf[LAYOUT_NODES];
    int n = tree_leaves(&s->t->layout, at, leaf);
    if (index < 0) refuse(s, "a negative index");
    for (int i = 0; i < n; i++) {
        bool rest = i == n - 1 || leaf[i].shape == 0;
        move_by(s, &leaf[i], rest ? index : index % leaf[i].shape);
        if (!rest) index /= leaf[i].shape;
    }
}

static int entry_of(const Arith *c, int at, int i)
{
    int child = at + 1;
    while (i-- > 0) child += c->node[child].span;
    return child;
}

static void slice_tree(Slice *s, int at, int c_at)
{
    const Layout *L = &s->t->layout;
    const ArithNode *c = &s->c->node[c_at];
    if (c->rank == ARITH_ANY) {
        tree_copy(&s->kept, L, at);
        s->modes++;
    } else if (c->rank == ARITH_LEAF) {
        move_to(s, at, c->value);
    } else if (c->rank != L->node[at].rank) {
        refuse(s, "the coordinate nests differently");
    } else {
        for (int i = 0; i < c->rank; i++)
            slice_tree(s, tree_mode(L, at, i), entry_of(s->c, c_at, i));
    }
}

/* Slices t by c; s->kept is the layout that is left, or why there is none. */
static Layout slice(Slice *s)
{
    if (s->t->layout.poisoned) return s->t->layout;
    if (!arith_ok(*s->c)) return layout_poison("%s", s->c->why);
    s->base = s->t->base;
    s->kept = tree_begin();
    int mark = tree_open(&s->kept);
    slice_tree(s, 0, 0);
    tree_close(&s->kept, mark, s->modes);
    return tree_end(&s->kept);
}

Tensor tensor_slice(Tensor t, Arith c)
{
    if (tensor_ok(&t) && arith_is_any(c)) return t;
    Slice s = {.t = &t, .c = &c};
    Layout kept = slice(&s);
    return kept.poisoned ? poisoned(kept) : (Tensor){.base = s.base, .layout = kept};
}

Arith tensor_at_coord(const Tensor *t, Arith c)
{
    Slice s = {.t = t, .c = &c};
    Layout kept = slice(&s);
    if (kept.poisoned) return arith_poison("%s", kept.why);
    if (s.modes > 0)
        return arith_poison("tensor: %s at %s: _ has no value", tree_text(t->layout).s, words(c).s);
    return s.base;
}

Arith tensor_at(const Tensor *t, int64_t index)
{
    return tensor_at_coord(t, arith_int(index));
}

Arith tensor_at_nd(const Tensor *t, const int64_t *c, int n)
{
    if (n == 1 && layout_depth(t->layout) == 0) return tensor_at(t, c[0]);
    return tensor_at_coord(t, arith_ints(n, c));
}

/* -- The layout changed ------------------------------------------------------------------------ */
static Tensor with_layout(Tensor t, Layout L)
{
    return L.poisoned ? poisoned(L) : (Tensor){.base = t.base, .layout = L};
}

Tensor tensor_flatten(Tensor t)
{
    return with_layout(t, layout_flatten(t.layout));
}

Tensor tensor_group(Tensor t, int begin, int end)
{
    return with_layout(t, layout_group(t.layout, begin, end));
}

Tensor tensor_select(Tensor t, int n, const int idx[])
{
    return with_layout(t, layout_select(t.layout, n, idx));
}

Tensor tensor_composition(Tensor t, Tiler tiler)
{
    return with_layout(t, layout_composition_by(t.layout, tiler));
}

Tensor tensor_logical_divide(Tensor t, Tiler tiler)
{
    return with_layout(t, layout_logical_divide(t.layout, tiler));
}

Tensor tensor_zipped_divide(Tensor t, Tiler tiler)
{
    return with_layout(t, layout_zipped_divide(t.layout, tiler));
}

Tensor tensor_tiled_divide(Tensor t, Tiler tiler)
{
    return with_layout(t, layout_tiled_divide(t.layout, tiler));
}

Tensor tensor_flat_divide(Tensor t, Tiler tiler)
{
    return with_layout(t, layout_flat_divide(t.layout, tiler));
}

/* -- Tiles and partitions ---------------------------------------------------------------------- */
/* c for all modes of `part`: a tuple is filled up with `_`, and `_` for a tuple is `_` for each of
 * its modes, which puts them side by side. */
static Arith spread(Layout part, Arith c)
{
    bool tuple = arith_is_tuple(c);
    if (layout_depth(part) == 0) return tuple && arith_rank(c) == 1 ? arith_mode(c, 0) : c;
    if (!tuple && !arith_is_any(c)) return c;
    Arith entry[LAYOUT_NODES];
    int given = tuple ? arith_rank(c) : 0, rank = layout_rank(part);
    if (given > rank) return c;
    for (int i = 0; i < rank; i++) entry[i] = i < given ? arith_mode(c, i) : arith_any();
    return arith_tuple(rank, entry);
}

/* t cut by the tiler, the tile sliced by `inside` and the grid by `outside`. */
static Tensor cut(Tensor t, Tiler tiler, Arith inside, Arith outside)
{
    Tensor zipped = tensor_zipped_divide(t, tiler);
    if (!tensor_ok(&zipped)) return zipped;
    Layout tile = layout_mode(zipped.layout, 0), grid = layout_mode(zipped.layout, 1);
    return tensor_slice(zipped, arith_pair(spread(tile, inside), spread(grid, outside)));
}

/* The modes of tiler and c where step has no X. NULL, or why not. */
static const char *dice(Tiler *tiler, Arith *c, Arith step)
{
    Arith entry[LAYOUT_TILER];
    int kept = 0, rank = arith_rank(step);
    if (!arith_is_tuple(step) || rank != tiler->rank) return "step and tiler differ in rank";
    if (!arith_is_tuple(*c) || arith_rank(*c) != rank) return "step and coordinate differ in rank";
    for (int i = 0; i < rank; i++) {
        if (arith_is_any(arith_mode(step, i))) continue;
        tiler->mode[kept] = tiler->mode[i];
        entry[kept++] = arith_mode(*c, i);
    }
    tiler->rank = kept;
    *c = arith_tuple(kept, entry);
    return kept > 0 ? NULL : "step leaves nothing";
}

static Tensor refuse_step(Arith step, Arith c, const char *why)
{
    return tensor_poison("tensor: step %s, coordinate %s: %s", words(step).s, words(c).s, why);
}

Tensor tensor_local_tile(Tensor t, Tiler tiler, Arith c)
{
    return cut(t, tiler, arith_any(), c);
}

Tensor tensor_local_tile_step(Tensor t, Tiler tiler, Arith c, Arith step)
{
    Arith whole = c;
    const char *why = dice(&tiler, &c, step);
    return why ? refuse_step(step, whole, why) : tensor_local_tile(t, tiler, c);
}

/* The index within mode i of `threads` that a thread index has. */
static int64_t thread_coord(const Layout *threads, int i, int64_t index)
{
    LayoutNode leaf[LAYOUT_NODES];
    int n = tree_leaves(threads, tree_mode(threads, 0, i), leaf);
    int64_t coord = 0, size = 1;
    for (int k = 0; k < n; size *= leaf[k++].shape)
        if (leaf[k].stride > 0 && leaf[k].shape > 0)
            coord += index / leaf[k].stride % leaf[k].shape * size;
    return coord;
}

/* Thread `index`'s coordinate, and its tiler of plain extents. NULL, or why there is none. */
static const char *locate(const Layout *threads, int64_t index, Tiler *tiler, Arith *c)
{
    int rank = layout_rank(*threads);
    if (threads->poisoned) return threads->why;
    if (rank < 1 || rank > LAYOUT_TILER) return "the layout of threads has too many modes, or none";
    if (!layout_is_integral(*threads)) return "the layout of threads has coordinates as strides";
    int64_t extent[LAYOUT_TILER], coord[LAYOUT_TILER];
    for (int i = 0; i < rank; i++) {
        extent[i] = layout_size(layout_mode(*threads, i));
        coord[i] = thread_coord(threads, i, index);
    }
    bool leaf = layout_depth(*threads) == 0;
    *tiler = leaf ? tiler_whole(layout_leaf(extent[0], 1)) : tiler_shape(rank, extent);
    *c = leaf ? arith_int(coord[0]) : arith_ints(rank, coord);
    return layout_at_nd(*threads, coord, rank) == index ? NULL : "no thread has that index";
}

static Tensor refuse_thread(Layout threads, int64_t index, const char *why)
{
    return tensor_poison("tensor_local_partition: thread %lld of %s: %s", (long long)index,
                         tree_text(threads).s, why);
}

Tensor tensor_local_partition(Tensor t, Layout threads, int64_t index)
{
    Tiler tiler;
    Arith c;
    const char *why = locate(&threads, index, &tiler, &c);
    return why ? refuse_thread(threads, index, why) : cut(t, tiler, c, arith_any());
}

Tensor tensor_local_partition_step(Tensor t, Layout threads, int64_t index, Arith step)
{
    Tiler tiler;
    Arith c;
    const char *why = locate(&threads, index, &tiler, &c);
    if (why) return refuse_thread(threads, index, why);
    Arith whole = c;
    why = dice(&tiler, &c, step);
    return why ? refuse_step(step, whole, why) : cut(t, tiler, c, arith_any());
}

/* -- Printing ---------------------------------------------------------------------------------- */
static void put_head(Printer *out, const Tensor *t)
{
    char base[ARITH_TEXT], layout[LAYOUT_TEXT];
    arith_print(base, sizeof base, t->base);
    layout_print(layout, sizeof layout, t->layout);
    if (!tensor_ok(t))
        printer_put(out, "%s", layout);
    else if (arith_is_tuple(t->base))
        printer_put(out, "ArithTuple%s o %s", base, layout);
    else
        printer_put(out, "counting_iter(%s) o %s", base, layout);
}

int tensor_print(char *buf, size_t size, const Tensor *t)
{
    Printer out = {.buf = buf, .size = size};
    put_head(&out, t);
    return out.length;
}

static void put_value(Printer *out, Arith value)
{
    char text[ARITH_TEXT];
    arith_print(text, sizeof text, value);
    if (arith_is_tuple(value))
        printer_put(out, "  %s", text);
    else
        printer_put(out, "%5s", text);
}

/* rows x columns values from index `first` on; neighbouring columns are `rows` apart. */
static void put_page(Printer *out, const Tensor *t, int64_t rows, int64_t columns, int64_t first)
{
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) put_value(out, tensor_at(t, first + i + rows * j));
        printer_put(out, "\n");
    }
}

int tensor_print_table(char *buf, size_t size, const Tensor *t)
{
    Printer out = {.buf = buf, .size = size};
    put_head(&out, t);
    if (!tensor_ok(t)) return out.length;
    printer_put(&out, ":\n");
    int rank = layout_rank(t->layout);
    int64_t rows = rank > 0 ? layout_size(layout_mode(t->layout, 0)) : 1;
    int64_t columns = rank > 1 ? layout_size(layout_mode(t->layout, 1)) : 1;
    for (int64_t first = 0; first < tensor_size(t); first += rows * columns) {
        if (first > 0) printer_put(&out, "----\n");
        put_page(&out, t, rows, columns, first);
    }
    return out.length;
}
