/*
 * test_cpu_gemm: the blocked GEMM against the oracle, on every instruction set that this machine
 * has, every type, every kind of strides.
 */
#include "cpu_ref/cpu_kernel.h"
#include "tests/gemm_trial.h"

#include <omp.h>

/* -- What is tried on every instruction set and type ------------------------------------------- */

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

/* -- Shapes that need several blocks, many members of a batch, or special values --------------- */

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
    return tap_done();
}
