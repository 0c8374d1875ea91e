/*
 * test_cpu_gemm: the blocked GEMM against the oracle, on every instruction set that this machine has.
 *
 * Every case lays A, B and C in buffers whose other bytes are marked, and compares the buffers afterwards:
 * C's elements with the oracle, all else with what it was.
 */
#include "cpu_ref/cpu_gemm.h"
#include "cpu_ref/cpu_kernel.h"
#include "cpu_ref/fp.h"
#include "cpu_ref/oracle.h"
#include "tests/tap.h"

#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GUARD = 64, MARK = 0xa5 };

/* -- A heap that can run dry --------------------------------------------------------------------- */

static bool heap_is_dry;

/* In place of the C library's. */
void *aligned_alloc(size_t alignment, size_t size)
{
    void *p = NULL;
    if (heap_is_dry || posix_memalign(&p, alignment, size) != 0) return NULL;
    return p;
}

/* -- Cases --------------------------------------------------------------------------------------- */

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

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static int64_t pick(uint64_t *state, int64_t below)
{
    return (int64_t)(next_random(state) % (uint64_t)below);
}

static double random_value(uint64_t *state, Data data)
{
    if (data == EXACT) return (double)(pick(state, 7) - 3);
    return (double)next_random(state) * 0x1p-30 - 1.0;
}

static void lie_down(GemmMatrix *x, Lie lie, int64_t rows, int64_t cols)
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

static int64_t reach(int64_t extent, int64_t stride)
{
    return extent > 0 ? (extent - 1) * stride : 0;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static Operand operand_new(Dtype t, Lie lie, int64_t rows, int64_t cols, int64_t batch)
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

static void operand_free(Operand *x)
{
    free(x->memory);
    free(x->before);
}

static int64_t operand_index(const Operand *x, int64_t i, int64_t j, int64_t b)
{
    return i * x->matrix.rs + j * x->matrix.cs + b * x->matrix.bs;
}

static void operand_fill(Operand *x, uint64_t *state, Data data, bool nan)
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

static bool is_zero(const double s[2])
{
    return s[0] == 0.0 && s[1] == 0.0;
}

/* A and B hold NaN where they must not be read, and so does C. */
static Trial trial_new(Case c)
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

static void trial_free(Trial *t)
{
    operand_free(&t->oa);
    operand_free(&t->ob);
    operand_free(&t->oc);
}

static void describe(const Case *c)
{
    diag("%s %s -> %s %lldx%lldx%lld batch %lld, lies %d %d %d, conj %d %d, alpha (%g,%g) beta "
         "(%g,%g)",
         cpu_gemm_isa(), dtype_name(c->in), dtype_name(c->out), (long long)c->m, (long long)c->n,
         (long long)c->k, (long long)c->batch, (int)c->a, (int)c->b, (int)c->c, c->conj_a,
         c->conj_b, c->alpha[0], c->alpha[1], c->beta[0], c->beta[1]);
}

/* The value that element has to be, rounded to C's type. */
static void rounded(Dtype t, const double x[2], double out[2])
{
    double memory[2];
    fp_store(t, memory, 0, x);
    fp_load(t, memory, 0, out);
}

static bool element_right(const Trial *t, const double want[2], double magnitude,
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

/* Compares C with the oracle's values, putting the old bytes back as it goes; then all of the buffers. */
static bool trial_right(Trial *t, const double *value, const double *magnitude)
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

static bool run_case(Case c)
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

/* -- What is tried on every instruction set and type ----------------------------------------------- */

typedef struct {
    Dtype in, out;
} Types;

static const Types all_types[] = {
    {DTYPE_F32, DTYPE_F32},   {DTYPE_F64, DTYPE_F64},  {DTYPE_CF32, DTYPE_CF32},
    {DTYPE_CF64, DTYPE_CF64}, {DTYPE_F16, DTYPE_F16},  {DTYPE_F16, DTYPE_F32},
    {DTYPE_BF16, DTYPE_BF16}, {DTYPE_BF16, DTYPE_F32},
};
enum { TYPES = sizeof all_types / sizeof all_types[0] };

static Case plain_case(Types t, int64_t m, int64_t n, int64_t k)
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

/* 0, 1, other; complex where the type is. */
static void pick_scalar(uint64_t *state, const Case *c, double s[2])
{
    static const double exact[] = {0, 1, -1, 2}, other[] = {0, 1, 0.75, -1.5};
    const double *from = c->data == EXACT ? exact : other;
    s[0] = from[pick(state, 4)];
    s[1] = dtype_is_complex(c->in) ? from[pick(state, 3)] : 0.0;
}

static int64_t pick_extent(uint64_t *state)
{
    static const int extents[] = {0,  1,  2,  3,  4,  5,  7,  8,  9,  11, 12, 13, 15, 16,
                                  17, 23, 24, 25, 31, 33, 47, 48, 49, 64, 71, 96, 97, 131};
    return extents[pick(state, sizeof extents / sizeof extents[0])];
}

static int64_t pick_depth(uint64_t *state)
{
    static const int depths[] = {0, 1, 2, 3, 8, 17, 31, 64, 127, 128, 129, 255, 256, 257, 300, 513};
    return depths[pick(state, sizeof depths / sizeof depths[0])];
}

static Case random_case(Types types, Data data, uint64_t *state)
{
    Case c = {.in = types.in, .out = types.out, .data = data};
    do {
        c.m = pick_extent(state);
        c.n = pick_extent(state);
        c.k = pick_depth(state);
    } while (c.m * c.n * c.k > 40000);
    c.batch = pick(state, 4) == 0 ? pick(state, 4) : 1;
    c.a = (Lie)pick(state, LAYOUTS + 2);
    c.b = (Lie)pick(state, LAYOUTS + 2);
    c.c = (Lie)pick(state, LAYOUTS);
    c.conj_a = dtype_is_complex(c.in) && pick(state, 2);
    c.conj_b = dtype_is_complex(c.in) && pick(state, 2);
    pick_scalar(state, &c, c.alpha);
    pick_scalar(state, &c, c.beta);
    c.seed = next_random(state);
    return c;
}

static void test_random(const char *isa, Types types, Data data, int count)
{
    uint64_t state = (uint64_t)types.in * 100 + (uint64_t)types.out;
    int wrong = 0;
    for (int i = 0; i < count && wrong < 3; i++)
        wrong += !run_case(random_case(types, data, &state));
    ok(wrong == 0, "%s: %s -> %s, %d random cases, %s", isa, dtype_name(types.in),
       dtype_name(types.out), count, data == EXACT ? "bit for bit" : "within the bound");
}

/* Every tile edge, one to either side. */
static void test_edges(const char *isa, Types types)
{
    const CpuKernel *kernel = cpu_kernel_choose(types.in == DTYPE_F64 ? DTYPE_F64 : DTYPE_F32);
    bool right = true;
    for (int64_t m = kernel->mr - 1; m <= kernel->mr + 1; m++)
        for (int64_t n = kernel->nr - 1; n <= kernel->nr + 1; n++)
            for (int64_t k = kernel->kc - 1; k <= kernel->kc + 1; k++) {
                Case c = plain_case(types, m, n, k);
                c.data = EXACT;
                c.beta[0] = 1;
                right = run_case(c) && right;
            }
    ok(right, "%s: %s -> %s, one to either side of the tile's edges", isa, dtype_name(types.in),
       dtype_name(types.out));
}

/* Large enough for several threads. */
static void test_large(const char *isa, Types types)
{
    Case c = plain_case(types, 129, 131, 257);
    c.a = ROWS;
    c.beta[0] = 0.5;
    bool right = run_case(c);
    c.data = EXACT;
    c.c = ROWS;
    c.beta[0] = 0;
    right = run_case(c) && right;
    ok(right, "%s: %s -> %s, by several threads", isa, dtype_name(types.in), dtype_name(types.out));
}

static void test_isa(const char *isa)
{
    if (!cpu_kernel_force(isa)) {
        skip("%s: not on this machine", isa);
        return;
    }
    for (int i = 0; i < TYPES; i++) {
        test_random(isa, all_types[i], EXACT, 250);
        test_random(isa, all_types[i], RANDOM, 150);
        test_edges(isa, all_types[i]);
        test_large(isa, all_types[i]);
    }
    cpu_kernel_force(NULL);
}

/* -- Shapes that need several blocks, many members of a batch, or special values ------------------- */

static void test_blocks(void)
{
    const Types f32 = {DTYPE_F32, DTYPE_F32}, f16 = {DTYPE_F16, DTYPE_F16};
    const Types cf64 = {DTYPE_CF64, DTYPE_CF64};
    Case c = plain_case(f16, 4099, 3, 300);
    c.beta[0] = 1;
    ok(run_case(plain_case(f32, 8195, 5, 3)), "several blocks down");
    ok(run_case(plain_case(f32, 3, 8195, 5)), "several blocks across");
    ok(run_case(c), "several blocks and slabs, narrow C");
    ok(run_case(plain_case(cf64, 2051, 2049, 1)), "several blocks both ways, complex");
}

static void test_batches(void)
{
    const Types f32 = {DTYPE_F32, DTYPE_F32}, bf16 = {DTYPE_BF16, DTYPE_BF16};
    Case c = plain_case(f32, 17, 19, 23);
    c.batch = 700;
    ok(run_case(c), "a batch of 700 small products");
    c = plain_case(bf16, 151, 149, 147);
    c.batch = 5;
    c.c = MIRRORED;
    c.beta[0] = -2;
    ok(run_case(c), "a batch of 5 larger products");
}

/* Every 16-bit value times 1. */
static void test_every_half(Dtype t)
{
    enum { N = 1 << 16 };
    static uint16_t a[N], same[N];
    static float wide[N];
    const uint16_t one = fp_f16_from_f64(1.0), one_bf16 = fp_bf16_from_f64(1.0);
    for (int i = 0; i < N; i++) a[i] = (uint16_t)i;
    GemmProblem p = {.m = N, .n = 1, .k = 1, .batch = 1};
    p.a = p.b = p.c = (GemmMatrix){.rs = 1, .cs = N, .type = (uint8_t)t};
    GemmArgs args = {.a = a, .b = t == DTYPE_F16 ? &one : &one_bf16, .c = same, .alpha = {1, 0}};
    cpu_gemm(&p, &args);
    p.c.type = DTYPE_F32;
    args.c = wide;
    cpu_gemm(&p, &args);
    long wrong = 0;
    for (int i = 0; i < N; i++) {
        double x[2], y[2];
        fp_load(t, a, i, x);
        fp_load(t, same, i, y);
        const double z = (double)wide[i];
        wrong += isnan(x[0]) ? !isnan(y[0]) || !isnan(z) : x[0] != y[0] || x[0] != z;
    }
    ok(wrong == 0, "%s: all 65536 values times 1", dtype_name(t));
}

static void test_specials(void)
{
    const double nan = (double)NAN, inf = HUGE_VAL;
    const double a[] = {nan, 1, inf, 1, 1}, zero[] = {0, 0}, b[] = {1, 1, 1, 1};
    double c[2];
    GemmProblem p = {.m = 2, .n = 1, .k = 2, .batch = 1};
    p.a = (GemmMatrix){.rs = 1, .cs = 2, .type = DTYPE_F64};
    p.b = p.c = p.a;
    cpu_gemm(&p, &(GemmArgs){.a = a, .b = zero, .c = c, .alpha = {1, 0}});
    ok(isnan(c[0]) && c[1] == 0, "NaN times 0 is NaN, in its row only");
    cpu_gemm(&p, &(GemmArgs){.a = a + 1, .b = b, .c = c, .alpha = {1, 0}});
    ok(c[0] == 2 && c[1] == inf, "infinity is added");
    cpu_gemm(&p, &(GemmArgs){.a = b, .b = b, .c = c, .alpha = {nan, 0}, .beta = {0, 0}});
    ok(isnan(c[0]) && isnan(c[1]), "alpha NaN spreads");
    c[0] = c[1] = 1;
    p.k = 0;
    cpu_gemm(&p, &(GemmArgs){.c = c, .alpha = {1, 0}, .beta = {nan, 0}});
    ok(isnan(c[0]) && isnan(c[1]), "beta NaN spreads");
}

static bool refused(Dtype a, Dtype b, Dtype c)
{
    const double x = 1;
    double y = 77;
    GemmProblem p = {.m = 1, .n = 1, .k = 1, .batch = 1};
    p.a.type = (uint8_t)a;
    p.b.type = (uint8_t)b;
    p.c.type = (uint8_t)c;
    const char *why = cpu_gemm(&p, &(GemmArgs){.a = &x, .b = &x, .c = &y, .alpha = {1, 0}});
    return why && *why && y == 77;
}

static void test_refusals(void)
{
    ok(refused(DTYPE_F32, DTYPE_F64, DTYPE_F64), "refused: A and B of different types");
    ok(refused(DTYPE_F16, DTYPE_BF16, DTYPE_F32), "refused: f16 times bf16");
    ok(refused(DTYPE_F32, DTYPE_F32, DTYPE_F64), "refused: f32 to f64");
    ok(refused(DTYPE_F32, DTYPE_F32, DTYPE_F16), "refused: f32 to f16");
    ok(refused(DTYPE_F16, DTYPE_F16, DTYPE_BF16), "refused: f16 to bf16");
    ok(refused(DTYPE_S8, DTYPE_S8, DTYPE_S32) && refused(DTYPE_TF32, DTYPE_TF32, DTYPE_F32) &&
           refused(DTYPE_NONE, DTYPE_NONE, DTYPE_NONE) &&
           refused((Dtype)200, (Dtype)200, (Dtype)200),
       "refused: other types");
}

/* -- Threads and processes -------------------------------------------------------------------------- */

static Trial large_trial(Types types)
{
    Case c = plain_case(types, 200, 190, 310);
    c.beta[0] = 0.5;
    return trial_new(c);
}

/* Multiplies afresh and compares the bits of C with an earlier result. */
static bool same_again(Trial *t, const char *result)
{
    memcpy(t->oc.memory, t->oc.before, t->oc.bytes);
    cpu_gemm(&t->p, &t->args);
    return memcmp(t->oc.memory, result, t->oc.bytes) == 0;
}

/* A copy of C after one multiplication. */
static char *first_result(Trial *t)
{
    char *result = malloc(t->oc.bytes);
    if (!result) bail("out of memory");
    cpu_gemm(&t->p, &t->args);
    memcpy(result, t->oc.memory, t->oc.bytes);
    return result;
}

static void test_same_bits(Types types)
{
    Trial t = large_trial(types);
    char *result = first_result(&t);
    const int usual = omp_get_max_threads();
    bool same = true;
    for (int threads = 1; threads <= 7; threads += 2) {
        omp_set_num_threads(threads);
        same = same_again(&t, result) && same;
    }
    omp_set_num_threads(usual);
    ok(same, "%s: the same bits by 1, 3, 5 and 7 threads", dtype_name(types.in));
    heap_is_dry = true;
    ok(same_again(&t, result), "%s: the same bits without memory for packing",
       dtype_name(types.in));
    heap_is_dry = false;
    free(result);
    trial_free(&t);
}

static void *multiply_often(void *wrong)
{
    Trial t = large_trial(all_types[0]);
    char *result = first_result(&t);
    for (int i = 0; i < 10; i++) *(int *)wrong += !same_again(&t, result);
    free(result);
    trial_free(&t);
    return NULL;
}

static void test_concurrent(void)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    int wrong[THREADS] = {0}, sum = 0;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, multiply_often, &wrong[i])) bail("pthread_create");
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        sum += wrong[i];
    }
    ok(sum == 0, "several threads at once");
}

static void test_in_parallel_region(void)
{
    int wrong = 0;
#pragma omp parallel num_threads(3) reduction(+ : wrong)
    multiply_often(&wrong);
    ok(wrong == 0, "inside a parallel region");
}

/* A child of a process that has used OpenMP: a second team would wait for threads that do not exist. */
static void test_fork(void)
{
    Trial t = large_trial(all_types[0]);
    char *result = first_result(&t);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(same_again(&t, result) ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "in a child of fork()");
    ok(same_again(&t, result), "in the parent afterwards");
    free(result);
    trial_free(&t);
}

int main(void)
{
    if (omp_get_max_threads() < 2) omp_set_num_threads(2);
    diag("the fastest kernels here: %s", cpu_gemm_isa());
    test_isa("avx512");
    test_isa("avx2");
    test_isa("portable");
    ok(!cpu_kernel_force("abacus"), "an instruction set that does not exist is refused");
    test_blocks();
    test_batches();
    test_every_half(DTYPE_F16);
    test_every_half(DTYPE_BF16);
    test_specials();
    test_refusals();
    for (int i = 0; i < TYPES; i++) test_same_bits(all_types[i]);
    test_concurrent();
    test_in_parallel_region();
    test_fork();
    return tap_done();
}
