/* bench_check: the checker. See check.h. */
#include "benchmarks/check.h"
#include "cpu_ref/fp.h"
#include "cpu_ref/oracle.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Products beyond which the definition is sampled, and those that one sample may take. */
static const double whole_limit = 0x1p27, sample_limit = 0x1p26;
enum { WORTH_THREADS = 1 << 16 }; /* products or bytes */

typedef struct {
    const CheckSubject *who;
    const BenchSpec *spec;
    BenchCase gemm;
    unsigned char *before; /* C's storage before the run */
    BenchData data;
    char *why;
    size_t size;
} Check;

/* A part of C: rows i.., columns j.., batches b.. */
typedef struct {
    int64_t i, j, b, rows, cols, batch;
} Window;

/* An element that is off, by how many bounds. */
typedef struct {
    double excess;
    int64_t i, j, b;
    double got[2], want[2], bound;
} Worst;

bool check_samples(const GemmProblem *p)
{
    return (double)p->m * (double)p->n * (double)p->k * (double)p->batch > whole_limit;
}

/* Fills in why; false, to be returned. */
__attribute__((format(printf, 2, 3))) static bool fail(const Check *x, const char *fmt, ...)
{
    char what[CHECK_TEXT / 2], spec[BENCH_TEXT];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    bench_spec_print(x->spec, spec, sizeof spec);
    snprintf(x->why, x->size, "%s, %s data: %s\nreplay: knap bench -s %s -y%s%s", spec,
             x->data == DATA_EXACT ? "exact" : "random", what, spec, *x->who->options ? " " : "",
             x->who->options);
    return false;
}

/* -- Against the definition ------------------------------------------------------------------- */

/* The value that C's type has for an exact one. */
static void rounded(Dtype type, double x[2])
{
    double slot[2];
    fp_store(type, slot, 0, x);
    fp_load(type, slot, 0, x);
}

static bool same(const double x[2], const double y[2])
{
    return x[0] == y[0] && x[1] == y[1];
}

/* By how many bounds got misses want: > 1 is wrong. The bound goes to w. */
static double excess(const Check *x, const double got[2], double want[2], double magnitude,
                     double *bound)
{
    const GemmProblem *p = &x->gemm.problem;
    bool exact = x->data == DATA_EXACT;
    if (exact) rounded((Dtype)p->c.type, want);
    *bound = exact ? 0.0 : oracle_bound(p, hypot(want[0], want[1]), magnitude, x->who->tensor_core);
    if (same(got, want)) return 0.0;
    double error = hypot(got[0] - want[0], got[1] - want[1]);
    if (isnan(error)) return INFINITY;
    return exact ? 1.0 + error : error / *bound;
}

static void compare_element(const Check *x, int64_t i, int64_t j, int64_t b, const double value[2],
                            double magnitude, Worst *worst)
{
    const BenchOperand *c = &x->gemm.c;
    Worst w = {.i = i, .j = j, .b = b, .want = {value[0], value[1]}};
    fp_load((Dtype)c->at.type, c->data, bench_index(c->at, i, j, b), w.got);
    w.excess = excess(x, w.got, w.want, magnitude, &w.bound);
    if (w.excess > worst->excess) *worst = w;
}

static void compare_window(const Check *x, Window w, const double *value, const double *magnitude,
                           Worst *worst)
{
    int64_t e = 0;
    for (int64_t b = 0; b < w.batch; b++)
        for (int64_t j = 0; j < w.cols; j++)
            for (int64_t i = 0; i < w.rows; i++, e++)
                compare_element(x, w.i + i, w.j + j, w.b + b, value + 2 * e, magnitude[e], worst);
}

static const void *element(const void *data, GemmMatrix at, int64_t i, int64_t j, int64_t b)
{
    return (const char *)data + bench_index(at, i, j, b) * dtype_bytes((Dtype)at.type);
}

/* The problem that has the window as its C; C as it was before. */
static void window_problem(const Check *x, Window w, GemmProblem *p, GemmArgs *args)
{
    const BenchCase *g = &x->gemm;
    *p = g->problem;
    *args = g->args;
    p->m = w.rows;
    p->n = w.cols;
    p->batch = w.batch;
    args->a = element(g->a.data, g->a.at, w.i, 0, w.b);
    args->b = element(g->b.data, g->b.at, 0, w.j, w.b);
    ptrdiff_t first = (unsigned char *)g->c.data - g->c.base;
    args->c =
        x->before + first + bench_index(g->c.at, w.i, w.j, w.b) * dtype_bytes((Dtype)g->c.at.type);
}

static void print_value(char buf[64], Dtype type, const double x[2])
{
    int len = snprintf(buf, 64, "%.17g", x[0]);
    if (dtype_is_complex(type)) snprintf(buf + len, 64 - (size_t)len, "%+.17gi", x[1]);
}

static bool fail_element(const Check *x, const Worst *w)
{
    char got[64], want[64];
    print_value(got, (Dtype)x->gemm.c.at.type, w->got);
    print_value(want, (Dtype)x->gemm.c.at.type, w->want);
    return fail(x, "C[%lld](%lld,%lld) is %s, should be %s, bound %.3g", (long long)w->b,
                (long long)w->i, (long long)w->j, got, want, w->bound);
}

/* By columns, in parallel: a definition takes its time. */
static void define_window(const Check *x, Window w, double *value, double *magnitude)
{
#pragma omp parallel for if (w.rows * w.cols * w.batch * x->gemm.problem.k > WORTH_THREADS)
    for (int64_t column = 0; column < w.cols * w.batch; column++) {
        GemmProblem p;
        GemmArgs args;
        Window one = {w.i, w.j + column % w.cols, w.b + column / w.cols, w.rows, 1, 1};
        window_problem(x, one, &p, &args);
        oracle_gemm(&p, &args, value + 2 * w.rows * column, magnitude + w.rows * column);
    }
}

static bool check_window(const Check *x, Window w)
{
    size_t count = (size_t)(w.rows * w.cols * w.batch);
    double *value = malloc((3 * count + 1) * sizeof *value);
    if (!value) return fail(x, "no memory for the definition");
    define_window(x, w, value, value + 2 * count);
    Worst worst = {.excess = 1.0};
    compare_window(x, w, value, value + 2 * count, &worst);
    free(value);
    return worst.excess <= 1.0 || fail_element(x, &worst);
}

/* -- By samples ------------------------------------------------------------------------------- */

/* The last row and some others, then columns, of one batch each. */
static bool check_lines(const Check *x)
{
    const GemmProblem *p = &x->gemm.problem;
    double row = (double)p->n * (double)p->k, column = (double)p->m * (double)p->k;
    int count = (int)fmin(4.0, sample_limit / fmax(row, column));
    for (int s = 0; s <= count; s++) {
        int64_t i =
            s ? (int64_t)(bench_mix(x->spec->seed, 100 + (uint64_t)s) % (uint64_t)p->m) : p->m - 1;
        int64_t j =
            s ? (int64_t)(bench_mix(x->spec->seed, 200 + (uint64_t)s) % (uint64_t)p->n) : p->n - 1;
        int64_t b = s ? (int64_t)(bench_mix(x->spec->seed, 300 + (uint64_t)s) % (uint64_t)p->batch)
                      : p->batch - 1;
        if (!check_window(x, (Window){i, 0, b, 1, p->n, 1})) return false;
        if (!check_window(x, (Window){0, j, b, p->m, 1, 1})) return false;
    }
    return true;
}

/* out = X v for one batch, complex; norm (may be NULL): each row's Euclidean norm. */
static void multiply(GemmMatrix at, const void *data, int64_t rows, int64_t cols, const double *v,
                     double *out, double *norm)
{
    double sign = at.conj ? -1.0 : 1.0;
#pragma omp parallel for if (rows * cols > WORTH_THREADS)
    for (int64_t i = 0; i < rows; i++) {
        double sum[2] = {0, 0}, squares = 0;
        for (int64_t j = 0; j < cols; j++) {
            double e[2];
            fp_load((Dtype)at.type, data, bench_index(at, i, j, 0), e);
            e[1] *= sign;
            sum[0] += e[0] * v[2 * j] - e[1] * v[2 * j + 1];
            sum[1] += e[0] * v[2 * j + 1] + e[1] * v[2 * j];
            squares += e[0] * e[0] + e[1] * e[1];
        }
        out[2 * i] = sum[0];
        out[2 * i + 1] = sum[1];
        if (norm) norm[i] = sqrt(squares);
    }
}

/* The vectors of a probe, one allocation: t of n, bt of k, the others and the row norms of m. */
typedef struct {
    double *t, *bt, *abt, *ct, *c0t, *norm;
} Probe;

static bool probe_new(Probe *v, const GemmProblem *p)
{
    v->t = calloc((size_t)(2 * p->n + 2 * p->k + 7 * p->m), sizeof *v->t);
    v->bt = v->t + 2 * p->n;
    v->abt = v->bt + 2 * p->k;
    v->ct = v->abt + 2 * p->m;
    v->c0t = v->ct + 2 * p->m;
    v->norm = v->c0t + 2 * p->m;
    return v->t != NULL;
}

static void probe_run(const Check *x, const Probe *v, int64_t b)
{
    const GemmProblem *p = &x->gemm.problem;
    GemmProblem w;
    GemmArgs args;
    window_problem(x, (Window){0, 0, b, p->m, p->n, 1}, &w, &args);
    for (int64_t j = 0; j < p->n; j++)
        v->t[2 * j] = bench_mix(~x->spec->seed, (uint64_t)j) & 1 ? 1.0 : -1.0;
    multiply(p->b, args.b, p->k, p->n, v->t, v->bt, NULL);
    multiply(p->a, args.a, p->m, p->k, v->bt, v->abt, NULL);
    multiply(p->c, element(x->gemm.c.data, p->c, 0, 0, b), p->m, p->n, v->t, v->ct, v->norm);
    if (p->beta != SCALAR_ZERO) multiply(p->c, args.c, p->m, p->n, v->t, v->c0t, NULL);
}

/* |re| + |im| of C t - alpha A B t - beta C0 t in row i. */
static double residual(const Check *x, const Probe *v, int64_t i)
{
    const double *al = x->gemm.args.alpha, *be = x->gemm.args.beta;
    const double *y = v->abt + 2 * i, *z = v->c0t + 2 * i, *c = v->ct + 2 * i;
    double re = al[0] * y[0] - al[1] * y[1] + be[0] * z[0] - be[1] * z[1];
    double im = al[0] * y[1] + al[1] * y[0] + be[0] * z[1] + be[1] * z[0];
    return fabs(c[0] - re) + fabs(c[1] - im);
}

/*
 * Exact data: the sums of a probe are integers (in eighths) below 2^53, so the residual of a right
 * C is 0 where C has the accumulate type. Where it is narrower, each element is off by at most u
 * |C(i,j)|, with signs independent of t, so by Hoeffding's inequality |residual| > 8 u |C(i,:)| has
 * probability < 3e-14.
 */
static bool probe_judge(const Check *x, const Probe *v, int64_t b)
{
    const GemmProblem *p = &x->gemm.problem;
    Dtype c = dtype_real((Dtype)p->c.type);
    double u = dtype_bytes(c) < dtype_bytes(gemm_accumulator(p)) ? fp_unit(c) : 0.0;
    for (int64_t i = 0; i < p->m; i++) {
        double off = residual(x, v, i), bound = 8.0 * u * v->norm[i];
        if (off <= bound) continue;
        return fail(x,
                    "row %lld of C[%lld] times a random vector of +-1 is off by %.6g, bound %.3g",
                    (long long)i, (long long)b, off, bound);
    }
    return true;
}

static bool check_probe(const Check *x)
{
    Probe v;
    if (!probe_new(&v, &x->gemm.problem)) return fail(x, "no memory for the probe");
    bool right = true;
    for (int64_t b = 0; right && b < x->gemm.problem.batch; b++) {
        probe_run(x, &v, b);
        right = probe_judge(x, &v, b);
    }
    free(v.t);
    return right;
}

static bool check_values(const Check *x)
{
    const GemmProblem *p = &x->gemm.problem;
    if (!check_samples(p)) return check_window(x, (Window){0, 0, 0, p->m, p->n, p->batch});
    return x->data == DATA_EXACT ? check_probe(x) : check_lines(x);
}

/* -- What must not change --------------------------------------------------------------------- */

/* A 64-bit digest of bytes. */
static uint64_t digest(const BenchOperand *o)
{
    uint64_t h = 0, word = 0;
    size_t i = 0;
    for (; i + 8 <= o->bytes; i += 8) {
        memcpy(&word, o->base + i, 8);
        h = (h ^ word) * 0x9E3779B97F4A7C15u;
        h ^= h >> 29;
    }
    word = 0;
    memcpy(&word, o->base + i, o->bytes - i);
    return bench_mix(h, word);
}

/* Puts the elements of C, and nothing else, back to what they were. */
static void restore_elements(const Check *x)
{
    const BenchOperand *c = &x->gemm.c;
    size_t size = (size_t)dtype_bytes((Dtype)c->at.type);
    ptrdiff_t first = (unsigned char *)c->data - c->base;
#pragma omp parallel for collapse(2) if (c->bytes > WORTH_THREADS)
    for (int64_t b = 0; b < c->batch; b++) {
        for (int64_t j = 0; j < c->cols; j++) {
            for (int64_t i = 0; i < c->rows; i++) {
                ptrdiff_t at = first + bench_index(c->at, i, j, b) * (ptrdiff_t)size;
                memcpy(c->base + at, x->before + at, size);
            }
        }
    }
}

/* With the elements restored, whatever differs was no element of C. */
static bool check_strays(const Check *x)
{
    const BenchOperand *c = &x->gemm.c;
    restore_elements(x);
    if (memcmp(c->base, x->before, c->bytes) == 0) return true;
    size_t at = 0;
    while (c->base[at] == x->before[at]) at++;
    long long from = (long long)at - (long long)((unsigned char *)c->data - c->base);
    bool guard = at < BENCH_GUARD || at >= c->bytes - BENCH_GUARD;
    return fail(x, "a byte that is no element of C was written, in the %s, %lld bytes from C(0,0)",
                guard ? "guard band" : "padding", from);
}

/* -- The order of events ---------------------------------------------------------------------- */

static bool run(const Check *x)
{
    const char *err = x->who->run(x->who->ctx, &x->gemm.problem, &x->gemm.args);
    return err ? fail(x, "it failed: %s", err) : true;
}

static bool check_once(Check *x)
{
    uint64_t a = digest(&x->gemm.a), b = digest(&x->gemm.b);
    memcpy(x->before, x->gemm.c.base, x->gemm.c.bytes);
    if (!run(x)) return false;
    if (digest(&x->gemm.a) != a) return fail(x, "A was written to");
    if (digest(&x->gemm.b) != b) return fail(x, "B was written to");
    if (!check_values(x)) return false;
    uint64_t c = digest(&x->gemm.c);
    if (!check_strays(x) || !run(x)) return false;
    return digest(&x->gemm.c) == c || fail(x, "the same call again gave other bits");
}

static bool check_data(Check *x, BenchData data)
{
    x->data = data;
    if (data == DATA_EXACT && bench_exact_radius(&x->gemm.problem, &x->gemm.args) == 0) return true;
    bool unread = x->gemm.problem.alpha == SCALAR_ZERO && x->who->skips_ab;
    bench_case_fill(&x->gemm, data, unread);
    return check_once(x);
}

bool check_gemm(const CheckSubject *who, const BenchSpec *spec, char *why, size_t size)
{
    Check x = {.who = who, .spec = spec, .why = why, .size = size};
    const char *err = bench_case_new(spec, &x.gemm);
    if (err) return fail(&x, "%s", err);
    x.before = malloc(x.gemm.c.bytes);
    bool right = x.before ? check_data(&x, DATA_EXACT) && check_data(&x, DATA_RANDOM)
                          : fail(&x, "no memory for a copy of C");
    free(x.before);
    bench_case_free(&x.gemm);
    return right;
}
