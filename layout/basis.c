/*
 * basis: scaled basis elements and the coordinates that they add up to. The contract is in basis.h.
 * Trees are built in preorder; the first failure sticks.
 */
#include "layout/basis.h"
#include "layout/printer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A printed Arith, cut where too long, for messages: use it within one expression. */
typedef struct {
    char s[160];
} Words;

static Words words(Arith a)
{
    Words text;
    arith_print(text.s, sizeof text.s, a);
    return text;
}

/* -- Building ---------------------------------------------------------------------------------- */
typedef struct {
    Arith a;
    int n; /* nodes so far */
} Builder;

Arith arith_poison(const char *fmt, ...)
{
    Arith a;
    memset(&a, 0, sizeof a);
    a.poisoned = 1;
    va_list args;
    va_start(args, fmt);
    vsnprintf(a.why, sizeof a.why, fmt, args);
    va_end(args);
    return a;
}

static void fail(Builder *b, Arith poison)
{
    if (!b->a.poisoned) b->a = poison;
}

static bool room(Builder *b, int count)
{
    if (b->a.poisoned) return false;
    if (b->n + count <= ARITH_NODES) return true;
    fail(b, arith_poison("arith: more than %d entries", ARITH_NODES));
    return false;
}

static void push(Builder *b, int rank, int64_t value)
{
    if (room(b, 1))
        b->a.node[b->n++] = (ArithNode){.value = value, .rank = (int8_t)rank, .span = 1};
}

static int begin_tuple(Builder *b)
{
    push(b, 0, 0);
    return b->n - 1;
}

static void end_tuple(Builder *b, int mark, int rank)
{
    if (b->a.poisoned) return;
    b->a.node[mark].rank = (int8_t)rank;
    b->a.node[mark].span = (uint8_t)(b->n - mark);
}

static void copy(Builder *b, const Arith *a, int at)
{
    if (a->poisoned) {
        fail(b, *a);
        return;
    }
    int span = a->node[at].span ? a->node[at].span : 1; /* a zeroed Arith is () */
    if (!room(b, span)) return;
    memcpy(&b->a.node[b->n], &a->node[at], (size_t)span * sizeof(ArithNode));
    b->a.node[b->n].span = (uint8_t)span;
    b->n += span;
}

/* Index of entry i of the tuple at `at`; -1 where there is none. */
static int entry(const Arith *a, int at, int i)
{
    if (at < 0 || i < 0 || i >= a->node[at].rank) return -1;
    int child = at + 1;
    while (i-- > 0) child += a->node[child].span;
    return child;
}

/* -- Making ------------------------------------------------------------------------------------ */
static Arith single(int rank, int64_t value)
{
    Builder b = {.n = 0};
    push(&b, rank, value);
    return b.a;
}

Arith arith_int(int64_t value)
{
    return single(ARITH_LEAF, value);
}

Arith arith_any(void)
{
    return single(ARITH_ANY, 0);
}

Arith arith_tuple(int rank, const Arith entries[])
{
    Builder b = {.n = 0};
    int mark = begin_tuple(&b);
    for (int i = 0; i < rank; i++) copy(&b, &entries[i], 0);
    end_tuple(&b, mark, rank);
    return b.a;
}

Arith arith_pair(Arith a, Arith b)
{
    return arith_tuple(2, (Arith[]){a, b});
}

Arith arith_ints(int n, const int64_t v[])
{
    Builder b = {.n = 0};
    int mark = begin_tuple(&b);
    for (int i = 0; i < n; i++) push(&b, ARITH_LEAF, v[i]);
    end_tuple(&b, mark, n);
    return b.a;
}

/* E<i,rest> is (0,...,0,E<rest>). */
static void push_basis(Builder *b, const Basis *e, int depth)
{
    if (depth == LAYOUT_PATH || e->path[depth] == 0) {
        push(b, ARITH_LEAF, e->scale);
        return;
    }
    int mark = begin_tuple(b), rank = e->path[depth];
    for (int i = 0; i + 1 < rank; i++) push(b, ARITH_LEAF, 0);
    push_basis(b, e, depth + 1);
    end_tuple(b, mark, rank);
}

Arith arith_basis(Basis b)
{
    if (!basis_ok(b)) return arith_poison("%s", b.why);
    Builder out = {.n = 0};
    push_basis(&out, &b, 0);
    return out.a;
}

Arith arith_shape(Layout L)
{
    if (L.poisoned) return arith_poison("%s", L.why);
    Builder b = {.n = 0};
    for (int i = 0; i < L.node[0].span; i++) {
        push(&b, L.node[i].rank, L.node[i].shape);
        if (!b.a.poisoned) b.a.node[i].span = L.node[i].span;
    }
    return b.a;
}

/* -- Asking ------------------------------------------------------------------------------------ */
bool arith_ok(Arith a)
{
    return !a.poisoned;
}

const char *arith_why(const Arith *a)
{
    return a->poisoned ? a->why : "";
}

bool arith_is_tuple(Arith a)
{
    return !a.poisoned && a.node[0].rank >= 0;
}

bool arith_is_any(Arith a)
{
    return !a.poisoned && a.node[0].rank == ARITH_ANY;
}

int arith_rank(Arith a)
{
    if (a.poisoned) return 0;
    return a.node[0].rank < 0 ? 1 : a.node[0].rank;
}

bool arith_has_any(Arith a)
{
    for (int i = 0; !a.poisoned && i < a.node[0].span; i++)
        if (a.node[i].rank == ARITH_ANY) return true;
    return false;
}

Arith arith_mode(Arith a, int i)
{
    if (a.poisoned) return a;
    int at = entry(&a, 0, i);
    if (at < 0) return arith_poison("arith_mode: %s has no entry %d", words(a).s, i);
    Builder b = {.n = 0};
    copy(&b, &a, at);
    return b.a;
}

int64_t arith_value(Arith a)
{
    return a.poisoned || a.node[0].rank != ARITH_LEAF ? 0 : a.node[0].value;
}

int arith_find(const Arith *a, const uint8_t path[LAYOUT_PATH])
{
    int at = a->poisoned ? -1 : 0;
    for (int i = 0; i < LAYOUT_PATH && path[i] && at >= 0; i++) at = entry(a, at, path[i] - 1);
    return at;
}

bool arith_equal(Arith a, Arith b)
{
    if (a.poisoned || b.poisoned || a.node[0].rank != b.node[0].rank) return false;
    for (int i = 0; i < a.node[0].span; i++)
        if (a.node[i].rank != b.node[i].rank || a.node[i].value != b.node[i].value) return false;
    return true;
}

/* -- Arithmetic -------------------------------------------------------------------------------- */
typedef struct {
    const Arith *a, *b;
    Builder out;
} Sum;

static void refuse_sum(Sum *s, const char *rule)
{
    fail(&s->out, arith_poison("arith_add: %s + %s: %s", words(*s->a).s, words(*s->b).s, rule));
}

static bool is_zero(const Arith *a, int at)
{
    return at < 0 || (a->node[at].rank == ARITH_LEAF && a->node[at].value == 0);
}

static void add_ints(Sum *s, int64_t x, int64_t y)
{
    int64_t sum;
    if (__builtin_add_overflow(x, y, &sum)) refuse_sum(s, "it overflows");
    push(&s->out, ARITH_LEAF, sum);
}

static void add_trees(Sum *s, int i, int j)
{
    if (j >= 0 && is_zero(s->a, i)) {
        copy(&s->out, s->b, j);
        return;
    }
    if (is_zero(s->b, j)) {
        copy(&s->out, s->a, i);
        return;
    }
    const ArithNode *x = &s->a->node[i], *y = &s->b->node[j];
    if (x->rank == ARITH_LEAF && y->rank == ARITH_LEAF) {
        add_ints(s, x->value, y->value);
        return;
    }
    if (x->rank < 0 || y->rank < 0) {
        refuse_sum(s, "an integer and a tuple do not add");
        return;
    }
    int mark = begin_tuple(&s->out), rank = x->rank > y->rank ? x->rank : y->rank;
    for (int k = 0; k < rank; k++) add_trees(s, entry(s->a, i, k), entry(s->b, j, k));
    end_tuple(&s->out, mark, rank);
}

Arith arith_add(Arith a, Arith b)
{
    if (a.poisoned) return a;
    if (b.poisoned) return b;
    Sum s = {.a = &a, .b = &b, .out = {.n = 0}};
    if (arith_has_any(a) || arith_has_any(b))
        refuse_sum(&s, "_ is no number");
    else
        add_trees(&s, 0, 0);
    return s.out.a;
}

Arith arith_scale(Arith a, int64_t k)
{
    if (k != 1 && arith_has_any(a))
        return arith_poison("arith_scale: %lld * %s: _ is no number", (long long)k, words(a).s);
    Arith scaled = a;
    for (int i = 0; !a.poisoned && i < a.node[0].span; i++)
        if (__builtin_mul_overflow(a.node[i].value, k, &scaled.node[i].value))
            return arith_poison("arith_scale: %lld * %s: it overflows", (long long)k, words(a).s);
    return scaled;
}

/* -- Comparison -------------------------------------------------------------------------------- */
static bool less(const Arith *a, int i, const Arith *b, int j)
{
    if (j < 0) return false;
    const ArithNode *y = &b->node[j];
    if (y->rank == ARITH_ANY) return true;
    bool zero = is_zero(a, i);
    if (y->rank == ARITH_LEAF)
        return (zero || a->node[i].rank == ARITH_LEAF) && (zero ? 0 : a->node[i].value) < y->value;
    if (!zero && a->node[i].rank < 0) return false;
    int a_rank = zero ? 0 : a->node[i].rank, rank = a_rank > y->rank ? a_rank : y->rank;
    for (int k = 0; k < rank; k++)
        if (!less(a, k < a_rank ? entry(a, i, k) : -1, b, entry(b, j, k))) return false;
    return true;
}

bool arith_elem_less(Arith a, Arith b)
{
    return !a.poisoned && !b.poisoned && less(&a, 0, &b, 0);
}

bool arith_within(Arith a, Arith shape)
{
    if (!arith_elem_less(a, shape)) return false;
    for (int i = 0; i < a.node[0].span; i++)
        if (a.node[i].value < 0) return false;
    return true;
}

/* -- Basis elements ---------------------------------------------------------------------------- */
__attribute__((format(printf, 1, 2))) static Basis bad_basis(const char *fmt, ...)
{
    Basis b = {.scale = 0};
    va_list args;
    va_start(args, fmt);
    vsnprintf(b.why, sizeof b.why, fmt, args);
    va_end(args);
    return b;
}

bool basis_ok(Basis b)
{
    return b.why[0] == '\0';
}

Basis basis_element(int n, const int path[])
{
    if (n < 0 || n > LAYOUT_PATH)
        return bad_basis("basis: a path of %d indices, not 0 to %d", n, LAYOUT_PATH);
    Basis b = {.scale = 1};
    for (int i = 0; i < n; i++) {
        if (path[i] < 0 || path[i] >= UINT8_MAX) return bad_basis("basis: no index %d", path[i]);
        b.path[i] = (uint8_t)(path[i] + 1);
    }
    return b;
}

Basis basis_scale(Basis b, int64_t k)
{
    if (!basis_ok(b)) return b;
    Basis scaled = b;
    if (__builtin_mul_overflow(b.scale, k, &scaled.scale)) {
        char text[BASIS_TEXT];
        basis_print(text, sizeof text, b);
        return bad_basis("basis: %lld * %s: it overflows", (long long)k, text);
    }
    if (scaled.scale == 0) memset(scaled.path, 0, sizeof scaled.path);
    return scaled;
}

int basis_print(char *buf, size_t size, Basis b)
{
    if (!basis_ok(b)) return snprintf(buf, size, "poisoned: %s", b.why);
    char text[BASIS_TEXT];
    int n = snprintf(text, sizeof text, "%lld", (long long)b.scale);
    for (int i = LAYOUT_PATH - 1; i >= 0; i--)
        if (b.path[i]) n += snprintf(text + n, sizeof text - (size_t)n, "@%d", b.path[i] - 1);
    return snprintf(buf, size, "%s", text);
}

/* -- Printing ---------------------------------------------------------------------------------- */
/* Where the text goes, and whether tuples go on with zeros. */
typedef struct {
    Printer to;
    bool open;
} ArithPrinter;

static void put_tree(ArithPrinter *out, const Arith *a, int at)
{
    const ArithNode *node = &a->node[at];
    if (node->rank == ARITH_LEAF)
        printer_put(&out->to, "%lld", (long long)node->value);
    else if (node->rank == ARITH_ANY)
        printer_put(&out->to, "_");
    if (node->rank < 0) return;
    printer_put(&out->to, "(");
    for (int i = 0; i < node->rank; i++) {
        if (i > 0) printer_put(&out->to, ",");
        put_tree(out, a, entry(a, at, i));
    }
    if (out->open) printer_put(&out->to, node->rank ? ",0,..." : "0,...");
    printer_put(&out->to, ")");
}

static int print(ArithPrinter out, const Arith *a)
{
    if (a->poisoned)
        printer_put(&out.to, "poisoned: %s", a->why);
    else
        put_tree(&out, a, 0);
    return out.to.length;
}

int arith_print(char *buf, size_t size, Arith a)
{
    return print((ArithPrinter){.to = {.buf = buf, .size = size}}, &a);
}

int arith_print_open(char *buf, size_t size, Arith a)
{
    return print((ArithPrinter){.to = {.buf = buf, .size = size}, .open = true}, &a);
}

/* -- Reading ----------------------------------------------------------------------------------- */
enum { NESTING = 8 }; /* deepest tuple that is read */

typedef struct {
    const char *p;
    const char *error; /* the first one; NULL: none */
    int depth;
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

static void expect(Reader *r, char c, const char *why)
{
    if (!take(r, c) && !r->error) r->error = why;
}

static int64_t read_int(Reader *r)
{
    bool negative = take(r, '-');
    int64_t value = 0;
    if (peek(r) < '0' || peek(r) > '9') expect(r, '0', "expected a number");
    for (; *r->p >= '0' && *r->p <= '9' && !r->error; r->p++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *r->p - '0', &value))
            r->error = "number too large";
    return negative ? -value : value;
}

static void add_index(Reader *r, int path[LAYOUT_PATH], int *n)
{
    int64_t index = read_int(r);
    if (*n == LAYOUT_PATH || index < 0 || index >= UINT8_MAX)
        r->error = "bad basis element";
    else
        path[(*n)++] = (int)index;
}

/* What follows the integer k: {'@' INT}, the outermost index last. */
static Basis read_at(Reader *r, int64_t k)
{
    int inner[LAYOUT_PATH], path[LAYOUT_PATH], n = 0;
    while (take(r, '@')) add_index(r, inner, &n);
    for (int i = 0; i < n; i++) path[i] = inner[n - 1 - i];
    return basis_scale(basis_element(n, path), k);
}

/* What follows E. */
static Basis read_element(Reader *r)
{
    int path[LAYOUT_PATH], n = 0;
    expect(r, '<', "expected '<' after E");
    if (take(r, '>')) return basis_element(0, path);
    do add_index(r, path, &n);
    while (take(r, ','));
    expect(r, '>', "expected ',' or '>'");
    return basis_element(n, path);
}

Basis basis_parse(const char *text)
{
    Reader r = {.p = text};
    int64_t k = 1;
    bool element = take(&r, 'E');
    if (!element) {
        k = read_int(&r);
        element = take(&r, '*');
        if (element) expect(&r, 'E', "expected E");
    }
    Basis b = element ? basis_scale(read_element(&r), k) : read_at(&r, k);
    if (peek(&r) != '\0' && !r.error) r.error = "text after the end";
    return r.error ? bad_basis("basis: \"%.60s\": %s", text, r.error) : b;
}

static Arith read_sum(Reader *r);

/* What follows '('. */
static Arith read_tuple(Reader *r)
{
    Builder b = {.n = 0};
    int mark = begin_tuple(&b), rank = 0;
    if (r->depth++ == NESTING) r->error = "nested too deep";
    bool more = peek(r) != ')';
    while (more && !r->error) {
        Arith mode = read_sum(r);
        copy(&b, &mode, 0);
        rank++;
        more = take(r, ',');
    }
    expect(r, ')', "expected ',' or ')'");
    r->depth--;
    end_tuple(&b, mark, rank);
    return b.a;
}

static Arith read_term(Reader *r)
{
    int64_t k = 1;
    while (!r->error) {
        if (take(r, '(')) return arith_scale(read_tuple(r), k);
        if (take(r, '_') || take(r, 'X')) return arith_scale(arith_any(), k);
        if (take(r, 'E')) return arith_basis(basis_scale(read_element(r), k));
        int64_t n = read_int(r);
        if (!take(r, '*')) return arith_scale(arith_basis(read_at(r, n)), k);
        if (__builtin_mul_overflow(k, n, &k)) r->error = "number too large";
    }
    return arith_int(0);
}

static Arith read_sum(Reader *r)
{
    Arith sum = read_term(r);
    while (take(r, '+')) sum = arith_add(sum, read_term(r));
    return sum;
}

Arith arith_parse(const char *text)
{
    Reader r = {.p = text};
    Arith a = read_sum(&r);
    if (peek(&r) != '\0' && !r.error) r.error = "text after the end";
    if (!r.error) return a;
    return arith_poison("arith_parse: \"%.200s\": %s at character %d", text, r.error,
                        (int)(r.p - text) + 1);
}
