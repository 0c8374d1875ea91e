/* ptx: a builder of PTX text. See ptx.h. */
#include "gpu/ptx.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *prefix, *type;
} classes[PTX_CLASSES] = {
#define ROW(id, prefix, type) {prefix, type},
    PTX_CLASS_LIST(ROW)
#undef ROW
};

/* -- Text -------------------------------------------------------------------------------------- */

void ptx_init(Ptx *x, char *buf, size_t size)
{
    memset(x, 0, sizeof *x);
    x->buf = buf;
    x->size = size;
    if (size) buf[0] = '\0';
}

void ptx_fail(Ptx *x, const char *fmt, ...)
{
    if (x->err[0]) return;
    va_list args;
    va_start(args, fmt);
    vsnprintf(x->err, sizeof x->err, fmt, args);
    va_end(args);
}

static void put_args(Ptx *x, const char *fmt, va_list args)
{
    if (x->err[0]) return;
    int n = vsnprintf(x->buf + x->len, x->size - x->len, fmt, args);
    if (n < 0 || (size_t)n >= x->size - x->len) {
        ptx_fail(x, "the PTX text does not fit its buffer of %zu bytes", x->size);
        return;
    }
    x->len += (size_t)n;
}

__attribute__((format(printf, 2, 3))) static void put(Ptx *x, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    put_args(x, fmt, args);
    va_end(args);
}

static void put_val(Ptx *x, PtxVal a)
{
    if (a.cls == PTX_IMM)
        put(x, "%lld", (long long)a.v);
    else if ((unsigned)a.cls < PTX_CLASSES)
        put(x, "%%%s%lld", classes[a.cls].prefix, (long long)a.v);
    else
        ptx_fail(x, "an operand that was never made");
}

/* One directive after its '%'. va_list travels by pointer so that the caller goes on where we stop.
 */
static void put_directive(Ptx *x, char directive, va_list *args)
{
    switch (directive) {
    case 'v': put_val(x, va_arg(*args, PtxVal)); break;
    case 't': put(x, "$L%d", va_arg(*args, int)); break;
    case 'd': put(x, "%d", va_arg(*args, int)); break;
    case 's': put(x, "%s", va_arg(*args, const char *)); break;
    case '%': put(x, "%%"); break;
    default: ptx_fail(x, "unknown directive %%%c", directive);
    }
}

static void put_line(Ptx *x, const char *fmt, va_list *args)
{
    for (const char *s = fmt; *s && !x->err[0]; s++) {
        size_t run = strcspn(s, "%");
        put(x, "%.*s", (int)run, s);
        s += run;
        if (!*s) break;
        put_directive(x, *++s, args);
        if (!*s) break;
    }
    put(x, ";\n");
}

void ptx_op(Ptx *x, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    put(x, "    ");
    put_line(x, fmt, &args);
    va_end(args);
}

static void op_guarded(Ptx *x, PtxVal p, bool negated, const char *fmt, va_list *args)
{
    if (p.cls == PTX_IMM) {
        if ((p.v != 0) == negated) return;
        put(x, "    ");
    } else {
        put(x, "    @%s", negated ? "!" : "");
        put_val(x, p);
        put(x, " ");
    }
    put_line(x, fmt, args);
}

void ptx_op_if(Ptx *x, PtxVal p, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    op_guarded(x, p, false, fmt, &args);
    va_end(args);
}

void ptx_op_unless(Ptx *x, PtxVal p, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    op_guarded(x, p, true, fmt, &args);
    va_end(args);
}

void ptx_comment(Ptx *x, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    put(x, "    // ");
    put_args(x, fmt, args);
    put(x, "\n");
    va_end(args);
}

int ptx_label(Ptx *x)
{
    return ++x->labels;
}

void ptx_place(Ptx *x, int label)
{
    put(x, "$L%d:\n", label);
}

/* -- The module around the body ---------------------------------------------------------------- */

static int header(const Ptx *x, char *out, size_t size, const PtxEntry *e)
{
    int n = snprintf(out, size,
                     "// %s\n.version %d.%d\n.target sm_%d\n.address_size 64\n\n"
                     ".visible .entry %s(.param .align 8 .b8 args[%d])\n.maxntid %d, 1, 1\n{\n",
                     e->name, e->ptx / 10, e->ptx % 10, e->sm, e->name, e->param_bytes, e->threads);
    for (int c = 0; c < PTX_CLASSES && n > 0 && (size_t)n < size; c++)
        if (x->regs[c])
            n += snprintf(out + n, size - (size_t)n, "    .reg %s %%%s<%d>;\n", classes[c].type,
                          classes[c].prefix, x->regs[c]);
    if (e->smem_bytes && n > 0 && (size_t)n < size)
        n += snprintf(out + n, size - (size_t)n, "    .shared .align 16 .b8 smem[%d];\n",
                      e->smem_bytes);
    return n;
}

const char *ptx_finish(Ptx *x, const PtxEntry *entry)
{
    char head[1024];
    put(x, "    ret;\n}\n");
    int n = header(x, head, sizeof head, entry);
    if (n < 0 || (size_t)n >= sizeof head)
        ptx_fail(x, "the header of %s does not fit", entry->name);
    else if (x->len + (size_t)n + 1 > x->size)
        ptx_fail(x, "the PTX text does not fit its buffer of %zu bytes", x->size);
    if (x->err[0]) return x->err;
    memmove(x->buf + n, x->buf, x->len + 1);
    memcpy(x->buf, head, (size_t)n);
    x->len += (size_t)n;
    return NULL;
}

/* -- Values ------------------------------------------------------------------------------------ */

PtxVal ptx_imm(int64_t v)
{
    return (PtxVal){PTX_IMM, v};
}

PtxVal ptx_reg(Ptx *x, PtxClass cls)
{
    return (PtxVal){cls, x->regs[cls]++};
}

bool ptx_is_imm(PtxVal a, int64_t v)
{
    return a.cls == PTX_IMM && a.v == v;
}

PtxVal ptx_param(Ptx *x, PtxClass cls, size_t offset)
{
    PtxVal r = ptx_reg(x, cls);
    ptx_op(x, "ld.param%s %v, [args+%d]", classes[cls].type, r, (int)offset);
    return r;
}

PtxVal ptx_in_reg(Ptx *x, PtxVal a, PtxClass cls)
{
    if (a.cls != PTX_IMM) return a;
    PtxVal r = ptx_reg(x, cls);
    ptx_op(x, "mov%s %v, %v", classes[cls].type, r, a);
    return r;
}

/* -- Integer arithmetic that folds ------------------------------------------------------------- */

static int log2_exact(int64_t n)
{
    return n > 0 && (n & (n - 1)) == 0 ? __builtin_ctzll((unsigned long long)n) : -1;
}

PtxVal ptx_wide(Ptx *x, PtxVal a)
{
    if (a.cls != PTX_B32) return a;
    PtxVal r = ptx_reg(x, PTX_B64);
    ptx_op(x, "cvt.s64.s32 %v, %v", r, a);
    return r;
}

/* Brings two operands to one width and returns it. */
static PtxClass unify(Ptx *x, PtxVal *a, PtxVal *b)
{
    if (a->cls != PTX_B64 && b->cls != PTX_B64) return PTX_B32;
    *a = ptx_wide(x, *a);
    *b = ptx_wide(x, *b);
    return PTX_B64;
}

/* op is "add", "sub" or "mul.lo"; the result's width follows the operands. */
static PtxVal binary(Ptx *x, const char *op, PtxVal a, PtxVal b)
{
    PtxClass cls = unify(x, &a, &b);
    PtxVal r = ptx_reg(x, cls);
    ptx_op(x, "%s.s%d %v, %v, %v", op, cls == PTX_B64 ? 64 : 32, r, a, b);
    return r;
}

PtxVal ptx_add(Ptx *x, PtxVal a, PtxVal b)
{
    if (a.cls == PTX_IMM && b.cls == PTX_IMM) return ptx_imm(a.v + b.v);
    if (ptx_is_imm(a, 0)) return b;
    if (ptx_is_imm(b, 0)) return a;
    if (a.cls == PTX_IMM) return binary(x, "add", b, a); /* constants stand second in PTX */
    return binary(x, "add", a, b);
}

PtxVal ptx_sub(Ptx *x, PtxVal a, PtxVal b)
{
    if (b.cls == PTX_IMM) return ptx_add(x, a, ptx_imm(-b.v));
    return binary(x, "sub", a, b);
}

PtxVal ptx_mul(Ptx *x, PtxVal a, PtxVal b)
{
    if (a.cls == PTX_IMM && b.cls == PTX_IMM) return ptx_imm(a.v * b.v);
    if (a.cls == PTX_IMM) return ptx_mul(x, b, a);
    if (ptx_is_imm(b, 0)) return ptx_imm(0);
    if (ptx_is_imm(b, 1)) return a;
    int shift = b.cls == PTX_IMM ? log2_exact(b.v) : -1;
    if (shift < 0) return binary(x, "mul.lo", a, b);
    PtxVal r = ptx_reg(x, a.cls);
    ptx_op(x, "shl%s %v, %v, %d", classes[a.cls].type, r, a, shift);
    return r;
}

PtxVal ptx_div(Ptx *x, PtxVal a, int64_t n)
{
    if (n <= 0) ptx_fail(x, "ptx_div: the divisor %lld is not positive", (long long)n);
    if (a.cls == PTX_IMM) return ptx_imm(n > 0 ? a.v / n : 0);
    if (n == 1) return a;
    int bits = a.cls == PTX_B64 ? 64 : 32, shift = log2_exact(n);
    PtxVal r = ptx_reg(x, a.cls);
    if (shift > 0)
        ptx_op(x, "shr.u%d %v, %v, %d", bits, r, a, shift);
    else
        ptx_op(x, "div.u%d %v, %v, %v", bits, r, a, ptx_imm(n));
    return r;
}

PtxVal ptx_rem(Ptx *x, PtxVal a, int64_t n)
{
    if (n <= 0) ptx_fail(x, "ptx_rem: the divisor %lld is not positive", (long long)n);
    if (a.cls == PTX_IMM) return ptx_imm(n > 0 ? a.v % n : 0);
    if (n == 1) return ptx_imm(0);
    int bits = a.cls == PTX_B64 ? 64 : 32;
    PtxVal r = ptx_reg(x, a.cls);
    if (log2_exact(n) > 0)
        ptx_op(x, "and.b%d %v, %v, %v", bits, r, a, ptx_imm(n - 1));
    else
        ptx_op(x, "rem.u%d %v, %v, %v", bits, r, a, ptx_imm(n));
    return r;
}

PtxVal ptx_less(Ptx *x, PtxVal a, PtxVal b)
{
    if (a.cls == PTX_IMM && b.cls == PTX_IMM) return ptx_imm(a.v < b.v);
    PtxClass cls = unify(x, &a, &b);
    PtxVal p = ptx_reg(x, PTX_PRED);
    int bits = cls == PTX_B64 ? 64 : 32;
    if (a.cls == PTX_IMM) /* a constant stands second */
        ptx_op(x, "setp.gt.s%d %v, %v, %v", bits, p, b, a);
    else
        ptx_op(x, "setp.lt.s%d %v, %v, %v", bits, p, a, b);
    return p;
}

PtxVal ptx_and(Ptx *x, PtxVal a, PtxVal b)
{
    if (a.cls == PTX_IMM) return a.v ? b : ptx_imm(0);
    if (b.cls == PTX_IMM) return b.v ? a : ptx_imm(0);
    PtxVal p = ptx_reg(x, PTX_PRED);
    ptx_op(x, "and.pred %v, %v, %v", p, a, b);
    return p;
}
