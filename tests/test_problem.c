/* test_problem: bad requests are refused with a sentence that names the argument; good ones are
 * not. */
#include "plugin/problem.h"
#include "tests/tap.h"

#include <math.h>
#include <string.h>

static float one = 1, zero = 0;
static float a[64], b[64], c[64];

/* A valid 4 x 3 x 2 request, column-major. */
static KnapGemm good(void)
{
    return (KnapGemm){.size = sizeof(KnapGemm),
                      .m = 4,
                      .n = 3,
                      .k = 2,
                      .batch = 1,
                      .a = {a, 1, 4, 0, KNAP_F32, 0},
                      .b = {b, 1, 2, 0, KNAP_F32, 0},
                      .c = {c, 1, 4, 0, KNAP_F32, 0},
                      .alpha = &one,
                      .beta = &zero,
                      .scalar_type = KNAP_F32};
}

static KnapStatus check(const KnapGemm *g)
{
    GemmProblem p;
    GemmArgs args;
    return problem_from_knap(g, &p, &args);
}

static void test_good(void)
{
    KnapGemm g = good();
    GemmProblem p;
    GemmArgs args;
    KnapStatus status = problem_from_knap(&g, &p, &args);
    if (!ok(status == KNAP_OK, "a valid request")) diag("%s", knap_last_error());
    ok(p.m == 4 && p.n == 3 && p.k == 2 && p.batch == 1 && p.a.cs == 4 && p.b.cs == 2 &&
           p.c.cs == 4,
       "its extents and strides");
    ok(p.alpha == SCALAR_ONE && p.beta == SCALAR_ZERO && args.alpha[0] == 1, "its scalars");
    ok(p.a.type == DTYPE_F32 && args.a == a && args.b == b && args.c == c,
       "its types and pointers");
    GemmProblem clean;
    memset(&clean, 0, sizeof clean);
    ok(memcmp(p.zero, clean.zero, sizeof p.zero) == 0, "no byte of a key is left undefined");
}

static void test_scalars(void)
{
    static const double cf[2] = {0, -2};
    static const uint16_t half = 0x3c00; /* 1 in f16 */
    KnapGemm g = good();
    GemmProblem p;
    GemmArgs args;
    g.alpha = g.beta = &half;
    g.scalar_type = KNAP_F16;
    ok(problem_from_knap(&g, &p, &args) == KNAP_OK && args.alpha[0] == 1 && p.beta == SCALAR_ONE,
       "f16 scalars");
    g.a.type = g.b.type = g.c.type = KNAP_CF64;
    g.alpha = g.beta = cf;
    g.scalar_type = KNAP_CF64;
    g.a.conj = 1;
    ok(problem_from_knap(&g, &p, &args) == KNAP_OK && args.beta[1] == -2 && p.a.conj && !p.b.conj &&
           p.alpha == SCALAR_OTHER,
       "complex scalars and conjugation");
    float nan_value = NAN;
    g = good();
    g.beta = &nan_value;
    ok(problem_from_knap(&g, &p, &args) == KNAP_OK && p.beta == SCALAR_OTHER, "beta may be NaN");
}

/* Each changes one thing of a valid request; the sentence begins with or contains the word. */
#define BAD(name, word, status, ...) \
    static void name(KnapGemm *g)    \
    {                                \
        __VA_ARGS__;                 \
    }
#define BAD_LIST(ROW)                                                                         \
    ROW(bad_size, "size", KNAP_INVALID_ARGUMENT, g->size = 8)                                 \
    ROW(bad_m, "m is -1", KNAP_INVALID_ARGUMENT, g->m = -1)                                   \
    ROW(bad_n, "n is -2", KNAP_INVALID_ARGUMENT, g->n = -2)                                   \
    ROW(bad_k, "k is -3", KNAP_INVALID_ARGUMENT, g->k = -3)                                   \
    ROW(bad_batch, "batch is -4", KNAP_INVALID_ARGUMENT, g->batch = -4)                       \
    ROW(bad_a_type, "A has an unknown type", KNAP_INVALID_ARGUMENT, g->a.type = (KnapType)99) \
    ROW(bad_b_type, "B has an unknown type", KNAP_INVALID_ARGUMENT, g->b.type = (KnapType)0)  \
    ROW(bad_c_type, "C has an unknown type", KNAP_INVALID_ARGUMENT, g->c.type = (KnapType)7)  \
    ROW(bad_a, "A is NULL", KNAP_INVALID_ARGUMENT, g->a.data = NULL)                          \
    ROW(bad_b, "B is NULL", KNAP_INVALID_ARGUMENT, g->b.data = NULL)                          \
    ROW(bad_c, "C is NULL", KNAP_INVALID_ARGUMENT, g->c.data = NULL)                          \
    ROW(bad_conj, "C cannot be conj", KNAP_INVALID_ARGUMENT, g->c.conj = 1)                   \
    ROW(bad_alpha, "alpha is NULL", KNAP_INVALID_ARGUMENT, g->alpha = NULL)                   \
    ROW(bad_beta, "beta is NULL", KNAP_INVALID_ARGUMENT, g->beta = NULL)                      \
    ROW(bad_scalar, "scalar_type", KNAP_INVALID_ARGUMENT, g->scalar_type = (KnapType)0)       \
    ROW(bad_complex, "scalar_type", KNAP_INVALID_ARGUMENT, g->scalar_type = KNAP_CF32)        \
    ROW(bad_compute, "compute is 9", KNAP_INVALID_ARGUMENT, g->compute = (KnapCompute)9)      \
    ROW(no_compute, "compute mode", KNAP_UNSUPPORTED, g->compute = KNAP_COMPUTE_TF32)         \
    ROW(bad_stride, "C: row stride 1", KNAP_INVALID_ARGUMENT, g->c.cs = 3)                    \
    ROW(bad_zero, "C: row stride 0", KNAP_INVALID_ARGUMENT, g->c.rs = 0)                      \
    ROW(bad_step, "C: batch stride", KNAP_INVALID_ARGUMENT, (g->batch = 2, g->c.bs = 2))      \
    ROW(bad_reach_a, "A: its strides", KNAP_INVALID_ARGUMENT, g->a.cs = INT64_MAX / 2)        \
    ROW(bad_reach_b, "B: its strides", KNAP_INVALID_ARGUMENT, g->b.rs = INT64_MIN)            \
    ROW(bad_reach_c, "C: its strides", KNAP_INVALID_ARGUMENT, (g->k = 0, g->m = INT64_MAX))
BAD_LIST(BAD)

static void test_bad(void)
{
    static const struct {
        const char *name, *word;
        KnapStatus status;
        void (*change)(KnapGemm *);
    } rows[] = {
#define ROW(name, word, status, ...) {#name, word, status, name},
        BAD_LIST(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        KnapGemm g = good();
        rows[i].change(&g);
        KnapStatus status = check(&g);
        bool named = strstr(knap_last_error(), rows[i].word) != NULL;
        if (!ok(status == rows[i].status && named, "%s: \"%s\"", rows[i].name, rows[i].word))
            diag("status %d, \"%s\"", (int)status, knap_last_error());
    }
}

/* What looks odd and is allowed. */
static void test_odd(void)
{
    KnapGemm g = good();
    g.a.rs = g.a.cs = 0;
    ok(check(&g) == KNAP_OK, "A may repeat one element");
    g = good();
    g.b.data = b + 63, g.b.rs = -1, g.b.cs = -2;
    ok(check(&g) == KNAP_OK, "B may run backwards");
    g = good();
    g.k = 0, g.a.data = g.b.data = NULL;
    ok(check(&g) == KNAP_OK, "k = 0: A and B may be NULL");
    g = good();
    g.alpha = &zero, g.a.data = g.b.data = NULL;
    ok(check(&g) == KNAP_OK, "alpha = 0: A and B may be NULL");
    g = good();
    g.m = 0, g.c.data = NULL, g.c.rs = g.c.cs = 0;
    ok(check(&g) == KNAP_OK, "m = 0: C may be NULL");
    g = good();
    g.c.conj = 0, g.a.conj = 1;
    ok(check(&g) == KNAP_OK, "a real matrix is its own conjugate");
}

/* By definition: two elements of an e0 x e1 grid lie at the same offset. */
static bool meets(int64_t e0, int64_t s0, int64_t e1, int64_t s1)
{
    for (int64_t x = 0; x < e0 * e1; x++)
        for (int64_t y = 0; y < x; y++)
            if (x % e0 * s0 + x / e0 * s1 == y % e0 * s0 + y / e0 * s1) return true;
    return false;
}

/* All small C: refused if and only if two elements share memory. */
static void test_distinct(void)
{
    int wrong = 0, tried = 0, refused = 0;
    for (int64_t m = 1; m <= 5; m++)
        for (int64_t n = 1; n <= 5; n++)
            for (int64_t rs = -6; rs <= 6; rs++)
                for (int64_t cs = -6; cs <= 6; cs++, tried++) {
                    KnapGemm g = good();
                    g.m = m, g.n = n, g.k = 0;
                    g.c.rs = rs, g.c.cs = cs;
                    bool no = check(&g) != KNAP_OK;
                    wrong += no != meets(m, rs, n, cs);
                    refused += no;
                }
    ok(wrong == 0, "of %d small C, the %d with shared elements are refused", tried, refused);
}

int main(void)
{
    test_good();
    test_scalars();
    test_bad();
    test_odd();
    test_distinct();
    return tap_done();
}
