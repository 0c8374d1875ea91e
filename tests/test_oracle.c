/*
 * test_oracle: the oracle on products small enough to be known by hand or by exact integer
 * arithmetic.
 */
#include "cpu_ref/fp.h"
#include "cpu_ref/oracle.h"
#include "tests/tap.h"

#include <math.h>
#include <string.h>

static GemmMatrix matrix(Dtype t, int64_t rs, int64_t cs)
{
    return (GemmMatrix){.type = (uint8_t)t, .rs = rs, .cs = cs};
}

/* Column-major, no batch. */
static GemmProblem problem(Dtype t, int64_t m, int64_t n, int64_t k)
{
    return (GemmProblem){.m = m,
                         .n = n,
                         .k = k,
                         .batch = 1,
                         .a = matrix(t, 1, m),
                         .b = matrix(t, 1, k),
                         .c = matrix(t, 1, m)};
}

static bool is_near(double x, double y)
{
    return fabs(x - y) <= 0x1p-50 * fabs(y);
}

static void test_real(void)
{
    /*  1 3   5 7   1 1 */
    /*  2 4   6 8   1 1 */
    const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
    double c[] = {1, 1, 1, 1}, value[8], magnitude[4];
    GemmProblem p = problem(DTYPE_F64, 2, 2, 2);
    GemmArgs args = {.a = a, .b = b, .c = c, .alpha = {2, 0}, .beta = {-3, 0}};
    oracle_gemm(&p, &args, value, magnitude);
    ok(value[0] == 43 && value[2] == 65 && value[4] == 59 && value[6] == 89, "2 A B - 3 C, 2 x 2");
    ok(value[1] == 0 && value[7] == 0, "real: no imaginary part");
    ok(magnitude[0] == 49 && magnitude[1] == 71 && magnitude[2] == 65 && magnitude[3] == 95,
       "magnitude |alpha||A||B| + |beta||C|");
    ok(c[0] == 1 && c[1] == 1 && c[2] == 1 && c[3] == 1, "C is only read");
    oracle_gemm(&p, &args, NULL, magnitude);
    oracle_gemm(&p, &args, value, NULL);
    ok(value[0] == 43 && magnitude[0] == 49, "either output may be absent");
}

static void test_transposed(void)
{
    const float a[] = {1, 2, 3, 4, 5, 6};  /* A = (1 2 3; 4 5 6), by rows */
    const float b[] = {1, 0, 2, 1, 3, -1}; /* B = (1 2 3; 0 1 -1)' with a row between */
    float c[4] = {0};
    double value[8];
    GemmProblem p = problem(DTYPE_F32, 2, 2, 3);
    p.a = matrix(DTYPE_F32, 3, 1);
    p.b = matrix(DTYPE_F32, 2, 1);
    oracle_gemm(&p, &(GemmArgs){.a = a, .b = b, .c = c, .alpha = {1, 0}}, value, NULL);
    ok(value[0] == 14 && value[2] == 32 && value[4] == -1 && value[6] == -1, "row strides");
    p.a.rs = -3;
    p.a.cs = -1;
    p.b.rs = 0;
    oracle_gemm(&p, &(GemmArgs){.a = a + 5, .b = b, .c = c, .alpha = {1, 0}}, value, NULL);
    ok(value[0] == 15 && value[2] == 6 && value[4] == 0 && value[6] == 0,
       "negative and zero strides");
}

static void test_complex(Dtype t)
{
    float a32[] = {1, 2, 3, -1}, b32[] = {2, -1, 0, 1}, c32[] = {1, 1};
    double a64[] = {1, 2, 3, -1}, b64[] = {2, -1, 0, 1}, c64[] = {1, 1};
    const bool wide = t == DTYPE_CF64;
    GemmProblem p = problem(t, 1, 1, 2);
    GemmArgs args = {.a = wide ? (void *)a64 : a32,
                     .b = wide ? (void *)b64 : b32,
                     .c = wide ? (void *)c64 : c32,
                     .alpha = {0, 1},
                     .beta = {1, -1}};
    /* (1+2i)(2-i) + (3-i)i = (4+3i) + (1+3i) = 5+6i; times i: -6+5i; plus (1-i)(1+i) = 2 */
    double value[2], magnitude;
    oracle_gemm(&p, &args, value, &magnitude);
    ok(value[0] == -4 && value[1] == 5, "%s: complex product and scalars", dtype_name(t));
    ok(is_near(magnitude, 5 + sqrt(10.0) + 2), "%s: magnitude by moduli", dtype_name(t));
    p.a.conj = 1; /* (1-2i)(2-i) + (3+i)i = -5i + (-1+3i) = -1-2i; times i: 2-i; plus 2 */
    oracle_gemm(&p, &args, value, NULL);
    ok(value[0] == 4 && value[1] == -1, "%s: conj A", dtype_name(t));
    p.b.conj = 1; /* (1-2i)(2+i) + (3+i)(-i) = (4-3i) + (1-3i) = 5-6i; times i: 6+5i; plus 2 */
    oracle_gemm(&p, &args, value, NULL);
    ok(value[0] == 8 && value[1] == 5, "%s: conj A and B", dtype_name(t));
}

static void test_batch(void)
{
    const double a[] = {1, 2, 3}, b[] = {4, 5, 6};
    double c[] = {1, 0, 2, 0, 3, 0}, value[6], magnitude[3];
    GemmProblem p = problem(DTYPE_F64, 1, 1, 1);
    p.batch = 3;
    p.a.bs = 1;
    p.b.bs = -1;
    p.c.bs = 2;
    GemmArgs args = {.a = a, .b = b + 2, .c = c, .alpha = {1, 0}, .beta = {1, 0}};
    oracle_gemm(&p, &args, value, magnitude);
    ok(value[0] == 7 && value[2] == 12 && value[4] == 15 && magnitude[2] == 15, "batch strides");
    p.b.bs = 0;
    oracle_gemm(&p, &args, value, NULL);
    ok(value[0] == 7 && value[2] == 14 && value[4] == 21, "one B for the whole batch");
}

/* alpha 0, k 0: A and B are not touched (NULL here); beta 0: C is not. */
static void test_unread(void)
{
    const double one = 1.0, nan = (double)NAN;
    double c = nan, value[2], magnitude;
    GemmProblem p = problem(DTYPE_F64, 1, 1, 1);
    oracle_gemm(&p, &(GemmArgs){.a = &one, .b = &one, .alpha = {3, 0}}, value, &magnitude);
    ok(value[0] == 3 && magnitude == 3, "beta 0: C is not read");
    oracle_gemm(&p, &(GemmArgs){.a = &nan, .b = &nan, .c = &c}, value, &magnitude);
    ok(value[0] == 0 && magnitude == 0, "alpha and beta 0: nothing is read");
    c = 5;
    oracle_gemm(&p, &(GemmArgs){.c = &c, .beta = {2, 0}}, value, NULL);
    ok(value[0] == 10, "alpha 0: A and B are not read");
    p.k = 0;
    oracle_gemm(&p, &(GemmArgs){.c = &c, .alpha = {1, 0}, .beta = {2, 0}}, value, NULL);
    ok(value[0] == 10, "k 0: A and B are not read");
    p.m = 0;
    value[0] = 77;
    oracle_gemm(&p, &(GemmArgs){.alpha = {1, 0}}, value, NULL);
    ok(value[0] == 77, "an empty C");
}

static void test_specials(void)
{
    const double inf = HUGE_VAL, a[] = {inf, 1}, nan[] = {(double)NAN, 1}, b[] = {1, 1},
                 z[] = {0, 1};
    double value[2];
    GemmProblem p = problem(DTYPE_F64, 1, 1, 2);
    oracle_gemm(&p, &(GemmArgs){.a = a, .b = b, .alpha = {1, 0}}, value, NULL);
    ok(value[0] == inf, "an infinite sum is infinite");
    oracle_gemm(&p, &(GemmArgs){.a = a, .b = z, .alpha = {1, 0}}, value, NULL);
    ok(isnan(value[0]), "infinity times 0 is NaN");
    oracle_gemm(&p, &(GemmArgs){.a = nan, .b = b, .alpha = {1, 0}}, value, NULL);
    ok(isnan(value[0]), "NaN spreads");
    oracle_gemm(&p, &(GemmArgs){.a = b, .b = b, .alpha = {(double)NAN, 0}}, value, NULL);
    ok(isnan(value[0]), "alpha NaN");
}

/* Sums whose plain evaluation in double loses everything. */
static void test_compensation(void)
{
    const double a[] = {0x1p60, 1, -0x1p60, 0x1p-40}, b[] = {1, 1, 1, 1};
    double value[2];
    GemmProblem p = problem(DTYPE_F64, 1, 1, 4);
    oracle_gemm(&p, &(GemmArgs){.a = a, .b = b, .alpha = {1, 0}}, value, NULL);
    ok(value[0] == 1 + 0x1p-40, "cancellation among products");

    const double e = 0x1p-30, x[] = {1 + e, -1}, y[] = {1 - e, 1};
    p.k = 2;
    p.b.cs = 2;
    oracle_gemm(&p, &(GemmArgs){.a = x, .b = y, .alpha = {1, 0}}, value, NULL);
    ok(value[0] == -0x1p-60, "rounding inside a product");

    double c = 1;
    const double third[] = {1 + e, 0};
    oracle_gemm(&p, &(GemmArgs){.a = third, .b = y, .c = &c, .alpha = {1, 0}, .beta = {-1, 0}},
                value, NULL);
    ok(value[0] == -0x1p-60, "cancellation against beta C");
}

static void test_types(void)
{
    static const Dtype types[] = {DTYPE_F64, DTYPE_F32,  DTYPE_F16, DTYPE_BF16,
                                  DTYPE_S8,  DTYPE_CF32, DTYPE_CF64};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        double a[4] = {0}, b[2] = {0}, value[2];
        fp_store(types[i], a, 0, (const double[2]){3, 0});
        fp_store(types[i], a, 1, (const double[2]){-2, 0});
        fp_store(types[i], b, 0, (const double[2]){5, 0});
        GemmProblem p = problem(types[i], 1, 1, 2);
        p.b.rs = 0;
        oracle_gemm(&p, &(GemmArgs){.a = a, .b = b, .alpha = {1, 0}}, value, NULL);
        ok(value[0] == 5 && value[1] == 0, "%s: (3 - 2) 5", dtype_name(types[i]));
    }
}

static void test_bound(void)
{
    GemmProblem p = problem(DTYPE_F32, 1, 1, 12);
    ok(oracle_bound(&p, 3, 10, false) == 16 * 0x1p-24 * 10 + 0x1p-24 * 3 + 0x1p-149, "bound: f32");
    ok(oracle_bound(&p, 3, 10, true) == 16 * 0x1p-22 * 10 + 0x1p-24 * 3 + 0x1p-149,
       "bound: f32 on tensor cores");
    p = problem(DTYPE_F16, 1, 1, 12);
    ok(oracle_bound(&p, 3, 10, false) == 16 * 0x1p-24 * 10 + 0x1p-11 * 3 + 0x1p-24, "bound: f16");
    p.c.type = DTYPE_F32;
    ok(oracle_bound(&p, 0, 0, false) == 0x1p-149, "bound: f16 to f32");
    p = problem(DTYPE_F64, 1, 1, 12);
    ok(oracle_bound(&p, 3, 10, true) == 16 * 0x1p-53 * 10 + 0x1p-53 * 3 + 0x1p-1074,
       "bound: f64 is the same on tensor cores");
    p = problem(DTYPE_CF64, 1, 1, 12);
    ok(is_near(oracle_bound(&p, 0, 10, false), 160 * 0x1p-53 * 2 * sqrt(2.0)), "bound: complex");
}

int main(void)
{
    test_real();
    test_transposed();
    test_complex(DTYPE_CF32);
    test_complex(DTYPE_CF64);
    test_batch();
    test_unread();
    test_specials();
    test_compensation();
    test_types();
    test_bound();
    return tap_done();
}
