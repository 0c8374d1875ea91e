/*
 * oracle: gemm by its definition. See oracle.h.
 *
 * Every sum is carried as an unevaluated pair (Ogita, Rump, Oishi, "Accurate sum and dot product",
 * SIAM J. Sci. Comput. 26, 2005, algorithm Dot2): as accurate as if it were computed in twice a
 * double's precision and rounded once. Not-a-number and infinity come out as plain double
 * arithmetic gives them.
 */
#include "cpu_ref/oracle.h"

#include "cpu_ref/fp.h"

#include <math.h>

/* A sum: the rounded value and what rounding lost so far. */
typedef struct {
    double sum, lost;
} Sum;

typedef struct {
    Sum re, im;
    double magnitude;
} Element;

/* s += x * y */
static void add_product(Sum *s, double x, double y)
{
    const double product = x * y, sum = s->sum + product;
    const double shown = sum - s->sum;
    s->lost += (s->sum - (sum - shown)) + (product - shown) + fma(x, y, -product);
    s->sum = sum;
}

/* e += x * y, both complex; imaginary parts that are zero because the type is real cost nothing and
 * cannot make a NaN of an infinity. */
static void add_complex(Element *e, const double x[2], const double y[2], bool complex)
{
    add_product(&e->re, x[0], y[0]);
    if (!complex) return;
    add_product(&e->re, -x[1], y[1]);
    add_product(&e->im, x[0], y[1]);
    add_product(&e->im, x[1], y[0]);
}

static double size_of(const double x[2], bool complex)
{
    return complex ? hypot(x[0], x[1]) : fabs(x[0]);
}

static double round_sum(Sum s)
{
    return isfinite(s.sum) ? s.sum + s.lost : s.sum;
}

static void load(const GemmMatrix *x, const void *base, int64_t row, int64_t col, int64_t batch,
                 double out[2])
{
    fp_load((Dtype)x->type, base, row * x->rs + col * x->cs + batch * x->bs, out);
    if (x->conj) out[1] = -out[1];
}

/* Element (i,j) of A[b] * B[b] and of |A| |B|. */
static Element dot(const GemmProblem *p, const GemmArgs *args, int64_t i, int64_t j, int64_t b)
{
    const bool complex = dtype_is_complex((Dtype)p->c.type);
    Element e = {0};
    for (int64_t l = 0; l < p->k; l++) {
        double x[2], y[2];
        load(&p->a, args->a, i, l, b, x);
        load(&p->b, args->b, l, j, b, y);
        add_complex(&e, x, y, complex);
        e.magnitude += size_of(x, complex) * size_of(y, complex);
    }
    return e;
}

/* out += scale * what: both halves of the pair, so that cancellation against beta C loses
 * nothing. */
static void add_scaled(Element *out, const double scale[2], const Element *what, bool complex)
{
    const double high[2] = {what->re.sum, what->im.sum}, low[2] = {what->re.lost, what->im.lost};
    add_complex(out, scale, high, complex);
    if (isfinite(high[0]) && isfinite(high[1])) add_complex(out, scale, low, complex);
    out->magnitude += size_of(scale, complex) * what->magnitude;
}

static Element element(const GemmProblem *p, const GemmArgs *args, int64_t i, int64_t j, int64_t b)
{
    const bool complex = dtype_is_complex((Dtype)p->c.type);
    Element out = {0};
    if (p->k > 0 && gemm_scalar_class(args->alpha) != SCALAR_ZERO) {
        const Element product = dot(p, args, i, j, b);
        add_scaled(&out, args->alpha, &product, complex);
    }
    if (gemm_scalar_class(args->beta) != SCALAR_ZERO) {
        double c[2];
        load(&p->c, args->c, i, j, b, c);
        add_complex(&out, args->beta, c, complex);
        out.magnitude += size_of(args->beta, complex) * size_of(c, complex);
    }
    return out;
}

void oracle_gemm(const GemmProblem *p, const GemmArgs *args, double *value, double *magnitude)
{
    for (int64_t b = 0, at = 0; b < p->batch; b++) {
        for (int64_t j = 0; j < p->n; j++) {
            for (int64_t i = 0; i < p->m; i++, at++) {
                const Element e = element(p, args, i, j, b);
                if (value) value[2 * at] = round_sum(e.re);
                if (value) value[2 * at + 1] = round_sum(e.im);
                if (magnitude) magnitude[at] = e.magnitude;
            }
        }
    }
}

static double smallest_subnormal(Dtype t)
{
    switch (dtype_real(t)) {
    case DTYPE_F64: return 0x1p-1074;
    case DTYPE_F32: return 0x1p-149;
    case DTYPE_TF32: return 0x1p-136;
    case DTYPE_F16: return 0x1p-24;
    case DTYPE_BF16: return 0x1p-133;
    default: return 0.0;
    }
}

double oracle_bound(const GemmProblem *p, double value_abs, double magnitude, bool tensor_core)
{
    const Dtype acc = gemm_accumulator(p), out = (Dtype)p->c.type;
    const double unit = tensor_core && acc == DTYPE_F32 ? 0x1p-22 : fp_unit(acc);
    const double complex = dtype_is_complex(out) ? 2.0 * sqrt(2.0) : 1.0;
    return ((double)p->k + 4.0) * unit * magnitude * complex + fp_unit(out) * value_abs +
           smallest_subnormal(out);
}
