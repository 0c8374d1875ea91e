/*
 * bench_data: operands with guard bands, and what they are filled with. See bench.h.
 *
 * One allocation an operand: guard band, elements and padding, guard band. All that is no element
 * holds a pattern of NaNs, so that a stray write shows as a changed byte and a stray read as a NaN
 * in C.
 */
#include "benchmarks/bench.h"
#include "cpu_ref/fp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 256, WORTH_THREADS = 1 << 18 /* bytes */ };

/* -- Places ----------------------------------------------------------------------------------- */

int64_t bench_index(GemmMatrix x, int64_t i, int64_t j, int64_t b)
{
    return i * x.rs + j * x.cs + b * x.bs;
}

void bench_span(GemmMatrix x, int64_t rows, int64_t cols, int64_t batch, int64_t span[2])
{
    span[0] = span[1] = 0;
    if (rows == 0 || cols == 0 || batch == 0) return;
    const int64_t reach[3] = {(rows - 1) * x.rs, (cols - 1) * x.cs, (batch - 1) * x.bs};
    span[1] = 1;
    for (int d = 0; d < 3; d++) span[reach[d] > 0] += reach[d];
}

static bool operand_new(BenchOperand *o, GemmMatrix *at, int64_t rows, int64_t cols, int64_t batch,
                        int64_t skew)
{
    int64_t span[2], size = dtype_bytes((Dtype)at->type);
    bench_span(*at, rows, cols, batch, span);
    *o = (BenchOperand){.rows = rows, .cols = cols, .batch = batch};
    o->bytes = (size_t)((span[1] - span[0] + skew) * size) + 2 * BENCH_GUARD;
    o->base = aligned_alloc(ALIGN, (o->bytes + ALIGN - 1) / ALIGN * ALIGN);
    if (!o->base) return false;
    o->data = o->base + BENCH_GUARD + (skew - span[0]) * size;
    at->align = gemm_pointer_align(o->data);
    o->at = *at;
    return true;
}

BenchError bench_case_new(const BenchSpec *spec, BenchCase *out)
{
    memset(out, 0, sizeof *out);
    out->problem = spec->problem;
    out->seed = spec->seed;
    GemmProblem *p = &out->problem;
    if (!operand_new(&out->a, &p->a, p->m, p->k, p->batch, spec->skew) ||
        !operand_new(&out->b, &p->b, p->k, p->n, p->batch, spec->skew) ||
        !operand_new(&out->c, &p->c, p->m, p->n, p->batch, spec->skew)) {
        bench_case_free(out);
        return bench_error("no memory for the operands");
    }
    out->args = (GemmArgs){.a = out->a.data, .b = out->b.data, .c = out->c.data};
    memcpy(out->args.alpha, spec->alpha, sizeof spec->alpha);
    memcpy(out->args.beta, spec->beta, sizeof spec->beta);
    return NULL;
}

void bench_case_free(BenchCase *x)
{
    free(x->a.base);
    free(x->b.base);
    free(x->c.base);
    memset(x, 0, sizeof *x);
}

/* -- Values ----------------------------------------------------------------------------------- */

/* splitmix64 as a counter-based generator: Steele, Lea and Flood, OOPSLA 2014. */
uint64_t bench_mix(uint64_t seed, uint64_t index)
{
    uint64_t z = seed * 0xD1342543DE82EF95u + (index + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* 16-bit words 0xFFF1 to 0xFFFF, so that any element of 2, 4 or 8 bytes read from them is a NaN. */
static void fill_pattern(const BenchOperand *o)
{
#pragma omp parallel for if (o->bytes > WORTH_THREADS)
    for (size_t i = 0; i < o->bytes; i++)
        o->base[i] = i & 1 ? 0xFF : (unsigned char)(0xF1 + i / 2 % 15);
}

/* An integer in [-radius, radius], or a number in [-1,1) where radius is 0. */
static double value(uint64_t seed, uint64_t index, int64_t radius)
{
    uint64_t bits = bench_mix(seed, index);
    if (radius) return (double)((int64_t)(bits % (uint64_t)(2 * radius + 1)) - radius);
    return ldexp((double)(bits >> 11), -52) - 1.0;
}

static void fill_elements(const BenchOperand *o, uint64_t seed, int64_t radius)
{
    Dtype type = (Dtype)o->at.type;
    bool complex = dtype_is_complex(type);
#pragma omp parallel for collapse(2) if (o->bytes > WORTH_THREADS)
    for (int64_t b = 0; b < o->batch; b++) {
        for (int64_t j = 0; j < o->cols; j++) {
            for (int64_t i = 0; i < o->rows; i++) {
                uint64_t place = 2 * (uint64_t)(i + o->rows * (j + o->cols * b));
                double x[2] = {value(seed, place, radius),
                               complex ? value(seed, place + 1, radius) : 0};
                fp_store(type, o->data, bench_index(o->at, i, j, b), x);
            }
        }
    }
}

void bench_case_fill(BenchCase *x, BenchData data, bool poison_ab)
{
    int64_t radius = data == DATA_EXACT ? bench_exact_radius(&x->problem, &x->args) : 0;
    fill_pattern(&x->a);
    fill_pattern(&x->b);
    fill_pattern(&x->c);
    if (!poison_ab) fill_elements(&x->a, 3 * x->seed, radius);
    if (!poison_ab) fill_elements(&x->b, 3 * x->seed + 1, radius);
    if (x->problem.beta != SCALAR_ZERO) fill_elements(&x->c, 3 * x->seed + 2, radius);
}

/* -- Exactness -------------------------------------------------------------------------------- */

/* Largest integer of which all up to it are values of the type and of its slices in any compute
 * mode. */
static int64_t type_radius(Dtype t)
{
    return dtype_real(t) == DTYPE_BF16 ? 128 : 1024;
}

/* Scalars that are multiples of 1/8 keep sums on a grid of 1/8. */
static bool on_grid(const double s[2])
{
    return floor(8 * s[0]) == 8 * s[0] && floor(8 * s[1]) == 8 * s[1];
}

static bool radius_fits(const GemmProblem *p, double alpha, double beta, double r)
{
    double terms = dtype_is_complex((Dtype)p->a.type) ? 2.0 : 1.0;
    double sum = terms * (double)p->k * r * r;
    double result = alpha * sum + beta * terms * r;
    double limit = gemm_accumulator(p) == DTYPE_F64 ? 0x1p53 : 0x1p24;
    if (8 * (sum + result) > limit) return false;
    return p->c.type != DTYPE_F16 || result <= 65504 || r == 1;
}

int64_t bench_exact_radius(const GemmProblem *p, const GemmArgs *args)
{
    if (!on_grid(args->alpha) || !on_grid(args->beta)) return 0;
    double alpha = fabs(args->alpha[0]) + fabs(args->alpha[1]);
    double beta = fabs(args->beta[0]) + fabs(args->beta[1]);
    int64_t a = type_radius((Dtype)p->a.type), c = type_radius((Dtype)p->c.type);
    int64_t r = a < c ? a : c;
    while (r > 0 && !radius_fits(p, alpha, beta, (double)r)) r /= 2;
    return r;
}
