/*
 * The checker itself: it must accept a right gemm, and find each defect that a wrong one can have.
 * And the problem grammar, on which every replay rests.
 */
#include "benchmarks/check.h"
#include "cpu_ref/cpu_gemm.h"
#include "cpu_ref/fp.h"
#include "cpu_ref/oracle.h"
#include "tests/tap.h"

#include <math.h>
#include <string.h>

/* -- A gemm by definition, with a defect of choice -------------------------------------------- */

/* clang-format off */
#define DEFECT_LIST(ROW) \
    ROW(NONE,         "",                       "f32:5x7x9:nt:beta=0.5:pad=2") \
    ROW(LAST_ELEMENT, "should be",              "f32:5x7x9") \
    ROW(LOW_BITS,     "random data: C[",        "f32:5x7x65") \
    ROW(MISSED,       "nan, should be",                 "f32:5x7x9") \
    ROW(READS_C,      "nan, should be",                 "f32:5x7x9") \
    ROW(READS_AB,     "nan, should be",                 "f32:5x7x9:alpha=0:beta=1") \
    ROW(GUARD_BEFORE, "guard band",             "f32:5x7x9") \
    ROW(GUARD_AFTER,  "guard band",             "f16:5x7x9:nnt:skew=1") \
    ROW(PADDING,      "padding",                "f64:5x7x9:nn:ldc=6") \
    ROW(WRITES_A,     "A was written",          "f32:5x7x9") \
    ROW(WRITES_B,     "B was written",          "f32:5x7x9") \
    ROW(FLAKY,        "other bits",             "f32:5x7x9:alpha=0.3") \
    ROW(ERROR,        "it failed: out of luck", "f32:5x7x9")
/* clang-format on */

typedef enum {
#define ROW(id, sign, spec) DEFECT_##id,
    DEFECT_LIST(ROW)
#undef ROW
        DEFECTS
} Defect;

static const struct {
    const char *name, *sign, *spec;
} defects[DEFECTS] = {
#define ROW(id, sign, spec) {#id, sign, spec},
    DEFECT_LIST(ROW)
#undef ROW
};

typedef struct {
    Defect defect;
    int calls;
} Culprit;

static void by_definition(const GemmProblem *p, const GemmArgs *args)
{
    double *value = malloc(2 * sizeof *value * (size_t)(p->m * p->n * p->batch) + 1);
    if (!value) bail("no memory");
    oracle_gemm(p, args, value, NULL);
    for (int64_t b = 0, e = 0; b < p->batch; b++)
        for (int64_t j = 0; j < p->n; j++)
            for (int64_t i = 0; i < p->m; i++, e++)
                fp_store((Dtype)p->c.type, args->c, bench_index(p->c, i, j, b), value + 2 * e);
    free(value);
}

/* Changes the element at (i,j) of C to x * (1 + times) + add. */
static void disturb(const GemmProblem *p, const GemmArgs *args, int64_t i, int64_t j, double add,
                    double times)
{
    double x[2];
    fp_load((Dtype)p->c.type, args->c, bench_index(p->c, i, j, 0), x);
    x[0] = x[0] * (1 + times) + add;
    fp_store((Dtype)p->c.type, args->c, bench_index(p->c, i, j, 0), x);
}

static void flip(const void *data, int64_t byte)
{
    ((unsigned char *)(uintptr_t)data)[byte] ^= 0x10;
}

static void commit_defect(Culprit *x, const GemmProblem *p, const GemmArgs *args)
{
    int64_t span[2], size = dtype_bytes((Dtype)p->c.type);
    bench_span(p->c, p->m, p->n, p->batch, span);
    switch (x->defect) {
    case DEFECT_LAST_ELEMENT: disturb(p, args, p->m - 1, p->n - 1, 1.0, 0.0); break;
    case DEFECT_LOW_BITS: disturb(p, args, 1, 1, 0x1p-12, 0.0); break;
    case DEFECT_MISSED: disturb(p, args, 2, 3, NAN, 0.0); break;
    case DEFECT_READS_C: disturb(p, args, 0, 0, 0.0 * NAN, 0.0); break;
    case DEFECT_GUARD_BEFORE: flip(args->c, span[0] * size - 1); break;
    case DEFECT_GUARD_AFTER: flip(args->c, span[1] * size + 1); break;
    case DEFECT_PADDING: flip(args->c, p->m * size); break;
    case DEFECT_WRITES_A: flip(args->a, 0); break;
    case DEFECT_WRITES_B: flip(args->b, 0); break;
    case DEFECT_FLAKY: disturb(p, args, 0, 0, 0.0, x->calls % 2 ? 0.0 : 0x1p-23); break;
    default: break;
    }
}

/* 0 * A(0,0) added to every element, as a gemm that does not skip A for alpha 0 would. */
static void read_a(const GemmProblem *p, const GemmArgs *args)
{
    double a[2];
    fp_load((Dtype)p->a.type, args->a, 0, a);
    disturb(p, args, 0, 0, 0.0 * a[0], 0.0);
}

static const char *defective(void *ctx, const GemmProblem *p, const GemmArgs *args)
{
    Culprit *x = ctx;
    x->calls++;
    if (x->defect == DEFECT_ERROR) return "out of luck";
    by_definition(p, args);
    if (x->defect == DEFECT_READS_AB)
        read_a(p, args);
    else
        commit_defect(x, p, args);
    return NULL;
}

static void test_defects(void)
{
    for (int d = 0; d < DEFECTS; d++) {
        Culprit x = {.defect = (Defect)d};
        CheckSubject who = {
            .run = defective, .ctx = &x, .options = "--device cpu", .skips_ab = true};
        BenchSpec spec;
        char why[CHECK_TEXT] = "";
        if (bench_spec_parse(defects[d].spec, &spec)) bail("%s", defects[d].spec);
        bool right = check_gemm(&who, &spec, why, sizeof why);
        bool found = d == DEFECT_NONE ? right : !right && strstr(why, defects[d].sign);
        if (!ok(found, "defect %s of %s", defects[d].name, defects[d].spec)) diag("%s", why);
        if (d)
            ok(strstr(why, "replay: knap bench -s ") && strstr(why, " -y --device cpu"),
               "it can be replayed");
    }
}

/* -- Every layout that the grammar can say ---------------------------------------------------- */

static void test_layouts(void)
{
    static const char *const specs[] = {
        "f16:5x7x9:nt:c=f32:batch=3:pad=3:beta=1",
        "bf16:5x7x9:tng:skew=3:alpha=-2",
        "cf32:5x7x9:cnt:alpha=1,-0.5:beta=0,2",
        "cf64:4x3x2:tcg:batch=2:beta=0.25,1",
        "f64:5x0x9",
        "f64:0x5x9:nt",
        "f64:5x7x0:beta=2",
        "f64:5x7x0:tt",
        "f32:3x3x3:nn:batch=0",
        "f32:1x1x1:ggg:alpha=0.3:beta=-1.7:seed=9",
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        Culprit x = {.defect = DEFECT_NONE};
        CheckSubject who = {.run = defective, .ctx = &x, .options = "", .skips_ab = true};
        BenchSpec spec;
        char why[CHECK_TEXT] = "";
        if (bench_spec_parse(specs[i], &spec)) bail("%s", specs[i]);
        if (!ok(check_gemm(&who, &spec, why, sizeof why), "the definition passes %s", specs[i]))
            diag("%s", why);
    }
}

/* -- Problems that are sampled ---------------------------------------------------------------- */

typedef enum { SAMPLED_RIGHT, SAMPLED_ELEMENT, SAMPLED_TILE, SAMPLED_SLAB, SAMPLED_CASES } Sampled;

/* cpu_gemm, but an element is off, a 16 x 16 tile is 0, or all of C misses the last term. */
static const char *sampled_run(void *ctx, const GemmProblem *p, const GemmArgs *args)
{
    Sampled how = *(Sampled *)ctx;
    GemmProblem q = *p;
    if (how == SAMPLED_SLAB) q.k--;
    const char *err = cpu_gemm(&q, args);
    if (how == SAMPLED_ELEMENT) disturb(p, args, 77, 99, 0.0, 0.25);
    for (int64_t e = 0; how == SAMPLED_TILE && e < 256; e++)
        disturb(p, args, 64 + e % 16, 32 + e / 16, 0.0, -1.0);
    return err;
}

static void test_samples(const char *text)
{
    static const char *const names[SAMPLED_CASES] = {"a right one", "one element", "a tile",
                                                     "a term of the sum"};
    BenchSpec spec;
    if (bench_spec_parse(text, &spec)) bail("%s", text);
    ok(check_samples(&spec.problem), "%s is sampled", text);
    for (int how = 0; how < SAMPLED_CASES; how++) {
        Sampled which = (Sampled)how;
        CheckSubject who = {.run = sampled_run, .ctx = &which, .options = ""};
        char why[CHECK_TEXT] = "";
        bool right = check_gemm(&who, &spec, why, sizeof why);
        if (!ok(right == (how == SAMPLED_RIGHT), "samples tell: %s", names[how])) diag("%s", why);
    }
}

/* -- Data ------------------------------------------------------------------------------------- */

static void test_data(void)
{
    BenchSpec spec;
    BenchCase x;
    ok(!bench_spec_parse("f32:64x64x4096:nn:beta=1", &spec) && !bench_case_new(&spec, &x),
       "a case");
    double r = (double)bench_exact_radius(&x.problem, &x.args);
    ok(r >= 1 && r * r * 4096 + r < 0x1p24, "exact data cannot overflow f32's integers (radius %g)",
       r);
    ok((uintptr_t)x.args.a % 256 == 0 && x.problem.a.align == 4, "operands are aligned");
    bench_case_fill(&x, DATA_EXACT, false);
    double v[2], largest = 0;
    for (int64_t i = 0; i < 64 * 4096; i++) {
        fp_load(DTYPE_F32, x.args.a, i, v);
        largest = fmax(largest, fabs(v[0]));
        if (v[0] != floor(v[0])) largest = INFINITY;
    }
    ok(largest == r, "exact data are integers that reach the radius");
    bench_case_fill(&x, DATA_RANDOM, true);
    fp_load(DTYPE_F32, x.args.a, 5, v);
    ok(isnan(v[0]), "poisoned A is NaN");
    x.args.alpha[0] = 0.3;
    ok(bench_exact_radius(&x.problem, &x.args) == 0, "no exact data for alpha 0.3");
    bench_case_free(&x);
}

/* -- The grammar ------------------------------------------------------------------------------ */

static void test_grammar(void)
{
    static const char *const same[] = {
        "f16:4096x4096x4096:nt",
        "f32:1x2x3:nn:c=f64",
        "f32:1x1x1:nn:alpha=0.3:beta=-1.7",
        "f64:1x1x1:nn:beta=0.1",
        "cf64:3x4x5:ctt:batch=7:alpha=0.5,-2:beta=0,1:lda=9:pad=2",
        "bf16:8x8x8:ngt:skew=1:compute=fp32:seed=12345678901234567890",
    };
    static const char *const wrong[] = {
        "",
        "f16",
        "f17:1x1x1",
        "f16:1x1",
        "f16:1x1x-1",
        "f16:1x1x1:q",
        "f16:1x1x1:nnc",
        "f16:1x1x1:nn:tt",
        "f16:4x4x4:nn:lda=3",
        "f32:4x4x4:nt:ldb=3",
        "f32:1x1x1:nn:alpha=",
        "f32:1x1x1:nn:alpha=1,2",
        "f32:1x1x1:nn:c=cf32",
        "f32:1x1x1:nn:batch=-1",
        "f32:1x1x1:nn:skew=99",
        "f32:1x1x1:nn:key=1",
        "b1:1x1x1",
    };
    BenchSpec spec;
    char text[BENCH_TEXT];
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        BenchError err = bench_spec_parse(same[i], &spec);
        bench_spec_print(&spec, text, sizeof text);
        if (!ok(!err && !strcmp(text, same[i]), "%s prints as itself", same[i]))
            diag("%s", err ? err : text);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ok(bench_spec_parse(wrong[i], &spec) != NULL, "'%s' is refused", wrong[i]);
    bench_spec_parse("f32:4x5x6:tcg:lda=7", &spec);
    const GemmProblem *p = &spec.problem;
    ok(p->a.rs == 7 && p->a.cs == 1 && p->b.rs == 5 && p->b.cs == 1 && p->c.rs == 2 && p->c.cs == 8,
       "letters become strides");
}

/* -- The peer: a BLAS through the same checker ------------------------------------------------ */

static const char *peer_run(void *ctx, const GemmProblem *p, const GemmArgs *args)
{
    BenchPeer *peer = ctx;
    return peer->run(peer, p, args);
}

static void test_peer(void)
{
    static const char *const specs[] = {
        "f32:5x7x9:nt:pad=3:beta=2",
        "f64:5x7x9:tnt:batch=2:alpha=-1.5",
        "f64:5x1x1:tt:pad=1",
        "cf32:5x7x9:cn:alpha=1,2:beta=1",
        "cf64:3x4x5:tc:alpha=0,1:beta=0.5,-1",
    };
    BenchPeer *peer;
    BenchError err = bench_peer_open("libblas.so.3", &peer);
    if (err) {
        skip("the BLAS peer: %s", err);
        return;
    }
    CheckSubject who = {.run = peer_run, .ctx = peer, .options = ""};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        BenchSpec spec;
        char why[CHECK_TEXT] = "";
        if (bench_spec_parse(specs[i], &spec)) bail("%s", specs[i]);
        if (!ok(check_gemm(&who, &spec, why, sizeof why), "libblas.so.3 computes %s", specs[i]))
            diag("%s", why);
    }
    BenchSpec odd;
    bench_spec_parse("f32:5x7x9:ggg", &odd);
    GemmArgs none = {0};
    ok(peer->run(peer, &odd.problem, &none) != NULL, "general strides are no problem for BLAS");
    peer->close(peer);
}

int main(void)
{
    test_grammar();
    test_data();
    test_layouts();
    test_defects();
    test_samples("f32:520x512x512:nt:beta=2");
    test_samples("f16:520x512x512:tn");
    test_samples("cf64:512x257x1031:cn:alpha=0,1");
    test_peer();
    return tap_done();
}
