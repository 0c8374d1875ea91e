/* layout_expr: reads and evaluates expressions of the layout algebra. See layout_expr.h. */
#include "plugin/layout_expr.h"

#include "plugin/layout_ops.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NESTING = 24 }; /* of calls and tuples: values are large, and live on the stack */

typedef struct {
    const char *text, *p;
    int depth;
    bool failed;
    LayoutExprError *error; /* the first one */
} Parser;

/* -- Characters -------------------------------------------------------------------------------- */
static char peek(Parser *p)
{
    while (isspace((unsigned char)*p->p)) p->p++;
    return p->failed ? '\0' : *p->p;
}

static bool take(Parser *p, char c)
{
    if (peek(p) != c || c == '\0') return false;
    p->p++;
    return true;
}

static int column(Parser *p)
{
    peek(p);
    return (int)(p->p - p->text);
}

__attribute__((format(printf, 3, 4))) static void fail(Parser *p, int at, const char *fmt, ...)
{
    if (p->failed) return;
    p->failed = true;
    p->error->column = at;
    va_list args;
    va_start(args, fmt);
    vsnprintf(p->error->why, sizeof p->error->why, fmt, args);
    va_end(args);
}

/* Fails where v is poisoned. The operation's name comes first, once. */
static void check(Parser *p, const OpsValue *v, int at, const char *name)
{
    const Layout *poison = layout_ops_poison(v);
    if (!poison) return;
    const char *why = layout_why(poison);
    size_t length = strlen(name);
    bool named = strncmp(why, name, length) == 0 && why[length] == ':';
    fail(p, at, "%s%s%s", named ? "" : name, named ? "" : ": ", why);
}

static void expected(Parser *p, const char *what)
{
    char c = peek(p);
    if (c)
        fail(p, column(p), "%s is expected here, not '%c'", what, c);
    else
        fail(p, column(p), "%s is expected at the end", what);
}

/* -- Atoms ------------------------------------------------------------------------------------- */
static void read_expr(Parser *p, OpsValue *out);

/* Far from the end of int64_t, as layout_parse has it. */
static int64_t read_int(Parser *p)
{
    int at = column(p);
    int64_t sign = take(p, '-') ? -1 : 1, value = 0;
    if (!isdigit((unsigned char)peek(p))) expected(p, "a number");
    for (; !p->failed && isdigit((unsigned char)*p->p); p->p++) {
        value = 10 * value + (*p->p - '0');
        if (value > INT64_MAX / 32) fail(p, at, "the number is too large");
    }
    return sign * value;
}

/* INT {'@' INT}: the outermost index is written last, and kept first. */
static Layout read_number(Parser *p)
{
    int at = column(p), n = 0;
    Layout leaf = layout_leaf(1, read_int(p));
    LayoutNode *node = &leaf.node[0];
    while (take(p, '@')) {
        int64_t index = read_int(p);
        if (n == LAYOUT_PATH || index < 0 || index >= UINT8_MAX)
            fail(p, at, "a basis element has at most %d indices, each from 0 to %d", LAYOUT_PATH,
                 UINT8_MAX - 1);
        if (p->failed) return leaf;
        memmove(node->basis + 1, node->basis, (size_t)n++);
        node->basis[0] = (uint8_t)(index + 1);
    }
    if (node->stride == 0) memset(node->basis, 0, sizeof node->basis);
    return leaf;
}

static bool is_static(const Parser *p)
{
    return p->p[0] == '_' && isdigit((unsigned char)p->p[1]);
}

static void read_leaf(Parser *p, OpsValue *out)
{
    bool open = peek(p) == '_' && !is_static(p);
    if (open || is_static(p)) p->p++;
    *out = layout_ops_tuple(open ? layout_ops_open() : read_number(p));
}

/* The members of (...) or <...>, the bracket taken; a tiler where one of them is a layout. */
static void read_members(Parser *p, char close, OpsValue *out)
{
    Tiler t = {.rank = 0};
    Layout tuple = layout_tuple(0, NULL);
    bool tiler = close == '>';
    int at = column(p) - 1, n = 0;
    for (bool more = peek(p) != close || tiler; more && !p->failed; more = take(p, ','), n++) {
        OpsValue member;
        read_expr(p, &member);
        if (p->failed) return;
        tiler = tiler || member.kind == OPS_LAYOUT;
        if (member.kind == OPS_TILER) fail(p, member.column, "a tiler holds layouts, not tilers");
        tuple = layout_append(tuple, member.is.mode[0]);
        OpsValue mode = layout_ops_convert(&member, 'L');
        if (n < LAYOUT_TILER) t.mode[n] = mode.is.mode[0];
    }
    if (!take(p, close)) expected(p, close == '>' ? "',' or '>'" : "',' or ')'");
    t.rank = n < LAYOUT_TILER ? n : LAYOUT_TILER;
    if (tiler && n > LAYOUT_TILER) fail(p, at, "a tiler has at most %d modes", LAYOUT_TILER);
    *out = tiler ? (OpsValue){.kind = OPS_TILER, .is = t} : layout_ops_tuple(tuple);
    if (!p->failed) check(p, out, at, tiler ? "tiler" : "tuple");
}

/* -- Operations -------------------------------------------------------------------------------- */
static int read_arguments(Parser *p, OpsValue a[OPS_ARGS])
{
    int n = 0;
    if (take(p, ')')) return 0;
    do {
        if (n == OPS_ARGS) fail(p, column(p), "at most %d arguments", OPS_ARGS);
        if (p->failed) return n;
        read_expr(p, &a[n++]);
    } while (take(p, ','));
    if (!take(p, ')')) expected(p, "',' or ')'");
    return n;
}

static char kind_of(const OpsRow *row, int i)
{
    int last = (int)strlen(row->kinds) - 1;
    return row->kinds[i < last ? i : last];
}

static void convert(Parser *p, const OpsRow *row, OpsValue a[], int n)
{
    for (int i = 0; i < n && !p->failed; i++) {
        int at = a[i].column;
        a[i] = layout_ops_convert(&a[i], kind_of(row, i));
        const Layout *poison = layout_ops_poison(&a[i]);
        if (poison) fail(p, at, "%s: argument %d: %s", row->name, i + 1, layout_why(poison));
    }
}

static void wrong_number(Parser *p, const OpsRow *row, int at, int n)
{
    if (row->least == row->most)
        fail(p, at, "%s: arguments: %d given, %d wanted", row->name, n, row->least);
    else
        fail(p, at, "%s: arguments: %d given, %d to %d wanted", row->name, n, row->least,
             row->most);
}

static void call(Parser *p, const OpsRow *row, int at, OpsValue *out)
{
    OpsValue a[OPS_ARGS];
    int n = read_arguments(p, a);
    if (n < row->least || n > row->most) wrong_number(p, row, at, n);
    convert(p, row, a, n);
    if (p->failed) return;
    *out = row->apply(a, n);
    check(p, out, at, row->name);
}

static void read_call(Parser *p, OpsValue *out)
{
    int at = column(p);
    const char *name = p->p;
    while (isalnum((unsigned char)*p->p) || *p->p == '_') p->p++;
    int length = (int)(p->p - name);
    const OpsRow *row = layout_ops_find(name, (size_t)length);
    if (!row)
        fail(p, at, "%.*s is no operation; knap layout --help lists them", length, name);
    else if (!take(p, '('))
        expected(p, "'('");
    else
        call(p, row, at, out);
}

/* -- Expressions ------------------------------------------------------------------------------- */
static void read_atom(Parser *p, OpsValue *out)
{
    int at = column(p);
    char c = peek(p);
    if (isdigit((unsigned char)c) || c == '-' || c == '_')
        read_leaf(p, out);
    else if (take(p, '('))
        read_members(p, ')', out);
    else if (take(p, '<'))
        read_members(p, '>', out);
    else if (isalpha((unsigned char)c))
        read_call(p, out);
    else
        expected(p, "a number, '(', '<' or an operation");
    out->column = at;
}

static void read_term(Parser *p, OpsValue *out)
{
    int at = column(p);
    read_atom(p, out);
    if (!take(p, ':')) return;
    OpsValue stride;
    read_atom(p, &stride);
    if (p->failed) return;
    if (out->kind != OPS_TUPLE) fail(p, at, "a shape stands before ':'");
    if (stride.kind != OPS_TUPLE) fail(p, stride.column, "a stride stands after ':'");
    *out = layout_ops_layout(layout_ops_join(out->is.mode[0], stride.is.mode[0]));
    out->column = at;
    if (!p->failed) check(p, out, at, "layout");
}

/* The coordinate that the arguments of L(i,j,...) are. */
static Layout coordinate(Parser *p, OpsValue a[], int n)
{
    Layout coord = layout_tuple(0, NULL);
    for (int i = 0; i < n && !p->failed; i++) {
        OpsValue index = layout_ops_convert(&a[i], 'c');
        check(p, &index, a[i].column, "layout");
        coord = n == 1 ? index.is.mode[0] : layout_append(coord, index.is.mode[0]);
    }
    return coord;
}

static void read_coordinate(Parser *p, OpsValue *out)
{
    int at = out->column;
    OpsValue a[OPS_ARGS];
    int n = read_arguments(p, a);
    if (n == 0) fail(p, at, "layout: a coordinate is missing");
    Layout coord = coordinate(p, a, n);
    if (p->failed) return;
    OpsValue L = layout_ops_convert(out, 'L');
    check(p, &L, at, "layout");
    if (p->failed) return;
    *out = layout_ops_at(L.is.mode[0], coord);
    out->column = at;
    check(p, out, at, "layout");
}

static void read_expr(Parser *p, OpsValue *out)
{
    *out = (OpsValue){.column = column(p)};
    if (++p->depth > NESTING) fail(p, column(p), "nested deeper than %d", NESTING);
    if (!p->failed) read_term(p, out);
    while (!p->failed && take(p, '(')) read_coordinate(p, out);
    p->depth--;
}

static bool evaluate(const char *text, OpsValue *out, char kind, LayoutExprError *error)
{
    Parser p = {.text = text, .p = text, .error = error};
    read_expr(&p, out);
    if (peek(&p)) fail(&p, column(&p), "text after the end of the expression");
    if (p.failed) return false;
    if (out->kind != OPS_TILER || kind == 'L') *out = layout_ops_convert(out, kind);
    check(&p, out, 0, "layout");
    return !p.failed;
}

/* -- Public ------------------------------------------------------------------------------------ */
static int print_tiler(char *buf, size_t size, const Tiler *t)
{
    int length = 0;
    for (int i = 0; i < t->rank; i++) {
        size_t used = (size_t)length < size ? (size_t)length : size;
        length += snprintf(buf + used, size - used, "%c", i ? ',' : '<');
        used = (size_t)length < size ? (size_t)length : size;
        length += layout_print(buf + used, size - used, t->mode[i]);
    }
    size_t used = (size_t)length < size ? (size_t)length : size;
    return length + snprintf(buf + used, size - used, ">");
}

int layout_expr_print(char *buf, size_t size, const char *text, LayoutExprError *error)
{
    OpsValue value;
    if (!evaluate(text, &value, 'x', error)) return -1;
    switch (value.kind) {
    case OPS_TUPLE: return layout_print_stride(buf, size, value.is.mode[0]);
    case OPS_TILER: return print_tiler(buf, size, &value.is);
    default: return layout_print(buf, size, value.is.mode[0]);
    }
}

Layout layout_expr_layout(const char *text, LayoutExprError *error)
{
    OpsValue value;
    if (evaluate(text, &value, 'L', error)) return value.is.mode[0];
    return layout_poison("%s", error->why);
}
