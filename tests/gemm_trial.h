/*
 * gemm_trial: one gemm on made-up data, held against the oracle. For the tests of cpu_gemm.
 *
 * A trial lays A, B and C in buffers whose other bytes are marked, and compares the buffers
 * afterwards: C's elements with the oracle, all else with what it was. Out of memory ends the test.
 */
#ifndef KNAP_TESTS_GEMM_TRIAL_H
#define KNAP_TESTS_GEMM_TRIAL_H

#include "cpu_ref/cpu_gemm.h"
#include "cpu_ref/fp.h"
#include "cpu_ref/oracle.h"
#include "tests/tap.h"

#include <math.h>
#include <string.h>

enum { GUARD = 64, MARK = 0xa5 };

/* -- Cases ------------------------------------------------------------------------------------- */

/* How a matrix lies in memory. */
typedef enum {
    COLUMNS,
    ROWS,
    SPREAD,
    BACKWARD,
    MIRRORED,
    LAYOUTS,
    SAME_ROW = LAYOUTS,
    SAME_COLUMN
} Lie;

/* EXACT: small integers, so that every order of summation gives the same bits. */
typedef enum { EXACT, RANDOM } Data;

typedef struct {
    Dtype in, out;
    int64_t m, n, k, batch;
    Lie a, b, c;
    bool conj_a, conj_b;
    double alpha[2], beta[2];
    Data data;
    uint64_t seed;
} Case;

/* A buffer that holds a matrix between guards. */
typedef struct {
    GemmMatrix matrix;
    int64_t rows, cols, batch;
    size_t bytes;
    char *memory, *before;
    void *origin; /* element (0,0) of batch 0 */
} Operand;

typedef struct {
    Case c;
    GemmProblem p;
    GemmArgs args;
    Operand oa, ob, oc;
} Trial;

static inline uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static inline int64_t pick(uint64_t *state, int64_t below)
{
    return (int64_t)(next_random(state) % (uint64_t)below);
}

static inline double random_value(uint64_t *state, Data data)
{
    if (data == EXACT) return (double)(pick(state, 7) - 3);
    return (double)next_random(state) * 0x1p-30 - 1.0;
}

static inline void lie_down(GemmMatrix *x, Lie lie, int64_t rows, int64_t cols)
{
    switch (lie) {
    case COLUMNS: x->rs = 1, x->cs = rows + 1; break;
    case ROWS: x->rs = cols + 2, x->cs = 1; break;
    case SPREAD: x->rs = 2, x->cs = 2 * rows + 3; break;
    case BACKWARD: x->rs = -1, x->cs = -rows; break;
    case MIRRORED: x->rs = -cols - 1, x->cs = 1; break;
    case SAME_ROW: x->rs = 0, x->cs = 1; break;
    case SAME_COLUMN: x->rs = 1, x->cs = 0; break;
    }
}

static inline int64_t reach(int64_t extent, int64_t stride)
{
    return extent > 0 ? (extent - 1) * stride : 0;
}

static inline int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline Operand operand_new(Dtype t, Lie lie, int64_t rows, int64_t cols, int64_t batch)
{
    Operand x = {.matrix = {.type = (uint8_t)t}, .rows = rows, .cols = cols, .batch = batch};
    lie_down(&x.matrix, lie, rows, cols);
    const int64_t r = reach(rows, x.matrix.rs), c = reach(cols, x.matrix.cs);
    const int64_t extent = llabs(r) + llabs(c) + 1;
    x.matrix.bs = lie == MIRRORED ? -extent - 2 : extent + 3;
    const int64_t b = reach(batch, x.matrix.bs);
    const int64_t low = least(r, 0) + least(c, 0) + least(b, 0);
    const int bytes = dtype_bytes(t);
    x.bytes = (size_t)(extent + llabs(b)) * (size_t)bytes + 2 * (size_t)GUARD;
    x.memory = malloc(x.bytes);
    x.before = malloc(x.bytes);
    if (!x.memory || !x.before) bail("out of memory");
    memset(x.memory, MARK, x.bytes);
    x.origin = x.memory + GUARD - low * bytes;
    return x;
}

static inline void operand_free(Operand *x)
{
    free(x->memory);
    free(x->before);
}

static inline int64_t operand_index(const Operand *x, int64_t i, int64_t j, int64_t b)
{
    return i * x->matrix.rs + j * x->matrix.cs + b * x->matrix.bs;
}

static inline void operand_fill(Operand *x, uint64_t *state, Data data, bool nan)
{
    for (int64_t b = 0; b < x->batch; b++)
        for (int64_t j = 0; j < x->cols; j++)
            for (int64_t i = 0; i < x->rows; i++) {
                double v[2] = {random_value(state, data), random_value(state, data)};
                if (nan) v[0] = v[1] = (double)NAN;
                fp_store((Dtype)x->matrix.type, x->origin, operand_index(x, i, j, b), v);
            }
    memcpy(x->before, x->memory, x->bytes);
}

static inline bool is_zero(const double s[2])
{
    return s[0] == 0.0 && s[1] == 0.0;
}

/* A and B hold NaN where they must not be read, and so does C. */
static inline Trial trial_new(Case c)
{
    Trial t = {.c = c};
    const bool idle = is_zero(c.alpha) || c.k == 0;
    t.oa = operand_new(c.in, c.a, c.m, c.k, c.batch);
    t.ob = operand_new(c.in, c.b, c.k, c.n, c.batch);
    t.oc = operand_new(c.out, c.c, c.m, c.n, c.batch);
    operand_fill(&t.oa, &c.seed, c.data, idle);
    operand_fill(&t.ob, &c.seed, c.data, idle);
    operand_fill(&t.oc, &c.seed, c.data, is_zero(c.beta));
    t.p = (GemmProblem){.m = c.m,
                        .n = c.n,
                        .k = c.k,
                        .batch = c.batch,
                        .a = t.oa.matrix,
                        .b = t.ob.matrix,
                        .c = t.oc.matrix};
    t.p.a.conj = c.conj_a;
    t.p.b.conj = c.conj_b;
    t.args = (GemmArgs){.a = t.oa.origin, .b = t.ob.origin, .c = t.oc.origin};
    memcpy(t.args.alpha, c.alpha, sizeof c.alpha);
    memcpy(t.args.beta, c.beta, sizeof c.beta);
    return t;
}

static inline void trial_free(Trial *t)
{
    operand_free(&t->oa);
    operand_free(&t->ob);
    operand_free(&t->oc);
}

static inline void describe(const Case *c)
{
    diag("%s %s -> %s %lldx%lldx%lld batch %lld, lies %d %d %d, conj %d %d, alpha (%g,%g) beta "
         "(%g,%g)",
         cpu_gemm_isa(), dtype_name(c->in), dtype_name(c->out), (long long)c->m, (long long)c->n,
         (long long)c->k, (long long)c->batch, (int)c->a, (int)c->b, (int)c->c, c->conj_a,
         c->conj_b, c->alpha[0], c->alpha[1], c->beta[0], c->beta[1]);
}

/* The value that element has to be, rounded to C's type. */
static inline void rounded(Dtype t, const double x[2], double out[2])
{
    double memory[2];
    fp_store(t, memory, 0, x);
    fp_load(t, memory, 0, out);
}

static inline bool element_right(const Trial *t, const double want[2], double magnitude,
                                 const double got[2])
{
    if (t->c.data == EXACT) {
        double exact[2];
        rounded(t->c.out, want, exact);
        return got[0] == exact[0] && got[1] == exact[1];
    }
    const double bound = oracle_bound(&t->p, hypot(want[0], want[1]), magnitude, false);
    return hypot(got[0] - want[0], got[1] - want[1]) <= bound;
}

/* Compares C with the oracle's values, putting the old bytes back as it goes; then all of the
 * buffers. */
static inline bool trial_right(Trial *t, const double *value, const double *magnitude)
{
    const Dtype type = t->c.out;
    const size_t bytes = (size_t)dtype_bytes(type);
    int64_t at = 0;
    for (int64_t b = 0; b < t->c.batch; b++)
        for (int64_t j = 0; j < t->c.n; j++)
            for (int64_t i = 0; i < t->c.m; i++, at++) {
                const int64_t index = operand_index(&t->oc, i, j, b);
                double got[2];
                fp_load(type, t->oc.origin, index, got);
                if (!element_right(t, value + 2 * at, magnitude[at], got)) {
                    describe(&t->c);
                    diag("C(%lld,%lld) of batch %lld is (%.17g,%.17g), should be (%.17g,%.17g)",
                         (long long)i, (long long)j, (long long)b, got[0], got[1], value[2 * at],
                         value[2 * at + 1]);
                    return false;
                }
                char *element = (char *)t->oc.origin + index * (int64_t)bytes;
                memcpy(element, t->oc.before + (element - t->oc.memory), bytes);
            }
    const bool kept = memcmp(t->oa.memory, t->oa.before, t->oa.bytes) == 0 &&
                      memcmp(t->ob.memory, t->ob.before, t->ob.bytes) == 0 &&
                      memcmp(t->oc.memory, t->oc.before, t->oc.bytes) == 0;
    if (!kept) describe(&t->c);
    if (!kept) diag("a byte that belongs to no element of C has changed");
    return kept;
}

static inline bool run_case(Case c)
{
    Trial t = trial_new(c);
    const size_t elements = (size_t)(c.m * c.n * c.batch);
    double *value = malloc((2 * elements + 1) * sizeof(double));
    double *magnitude = malloc((elements + 1) * sizeof(double));
    if (!value || !magnitude) bail("out of memory");
    oracle_gemm(&t.p, &t.args, value, magnitude);
    const char *why = cpu_gemm(&t.p, &t.args);
    if (why) diag("%s", why);
    const bool right = !why && trial_right(&t, value, magnitude);
    free(value);
    free(magnitude);
    trial_free(&t);
    return right;
}

/* -- Types that cpu_gemm takes --------------------------------------------------------------- * */

typedef struct {
    Dtype in, out;
} Types;

static const Types all_types[] = {
    {DTYPE_F32, DTYPE_F32},   {DTYPE_F64, DTYPE_F64},  {DTYPE_CF32, DTYPE_CF32},
    {DTYPE_CF64, DTYPE_CF64}, {DTYPE_F16, DTYPE_F16},  {DTYPE_F16, DTYPE_F32},
    {DTYPE_BF16, DTYPE_BF16}, {DTYPE_BF16, DTYPE_F32},
};
enum { TYPES = sizeof all_types / sizeof all_types[0] };

static inline Case plain_case(Types t, int64_t m, int64_t n, int64_t k)
{
    return (Case){.in = t.in,
                  .out = t.out,
                  .m = m,
                  .n = n,
                  .k = k,
                  .batch = 1,
                  .alpha = {1, 0},
                  .data = RANDOM,
                  .seed = (uint64_t)(m + 1000 * n + 1000000 * k)};
}

#endif
