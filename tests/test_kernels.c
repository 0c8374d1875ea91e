/*
 * Every kernel on every device that is here, and the CPU, against the definition of gemm.
 *
 *     test_kernels                     all of them, over the shapes below
 *     test_kernels f16:17x33x65:nt ... these problems only, by everyone who can
 *
 * A point is one (device, kernel, types, transposes of A and B). Its problems walk through the
 * shapes and, in step with them, through layouts of C, leading dimensions, alignment, batches,
 * scalars, and operands in host and in device memory. KNAP_CHECK_LONG=1 takes the long list of
 * shapes everywhere; a real GPU always does. Simulated devices of several generations run each
 * kernel once, on the oldest that can.
 */
#include "benchmarks/check.h"
#include "tests/tap.h"

#include <string.h>

typedef struct {
    int m, n, k;
} Shape;

/* Zero, one, primes, one off a tile; every kernel's tile is met by some. */
static const Shape short_shapes[] = {
    {1, 1, 1},    {2, 3, 7},    {0, 5, 3},    {5, 0, 3},   {7, 5, 0},     {16, 8, 16}, {17, 9, 33},
    {31, 33, 15}, {64, 64, 32}, {65, 63, 31}, {8, 129, 2}, {129, 16, 40}, {3, 2, 257},
};
static const Shape long_shapes[] = {
    {1, 1, 0},     {127, 128, 129}, {128, 128, 32}, {129, 127, 31}, {128, 1, 4097}, {1, 1000, 7},
    {1000, 1, 9},  {257, 255, 63},  {63, 64, 65},   {1, 128, 2047}, {1023, 17, 65}, {16, 1021, 128},
    {2, 2, 10007}, {255, 129, 257}, {384, 256, 64}, {33, 31, 1000}, {128, 256, 8},  {8, 8, 8},
    {15, 17, 16},  {200, 136, 72},  {64, 128, 512},
};
enum {
    SHORT = sizeof short_shapes / sizeof *short_shapes,
    LONG = sizeof long_shapes / sizeof *long_shapes
};

static const char *const types[] = {"f64", "f32", "tf32", "f16", "bf16", "cf32", "cf64"};
enum { TYPES = sizeof types / sizeof *types };

static const char *const stores[] = {"nn", "nt", "tn", "tt", "gg"};
enum { STORES = sizeof stores / sizeof *stores };

static const char *const scalars[] = {
    "alpha=1:beta=0", "alpha=1:beta=1",    "alpha=-1.5:beta=0.5", "alpha=0.3:beta=-1.7",
    "alpha=0:beta=2", "alpha=0.75:beta=0", "alpha=0:beta=0",
};
enum { SCALARS = sizeof scalars / sizeof *scalars };

/* Who is tried: a kernel on a device, or the CPU (kernel NULL). */
typedef struct {
    BenchEngine *engine;
    const KernelDesc *kernel;
    bool long_list;
} Target;

/* What became of the problems of one point. */
typedef struct {
    int tried, failed;
    const char *refusal;
    char why[CHECK_TEXT]; /* of the first failure */
} Tally;

/* -- One problem ------------------------------------------------------------------------------ */

/* Why the target cannot do it, or NULL. */
static const char *refusal(const Target *t, const BenchSpec *spec)
{
    if (t->kernel)
        return t->kernel->reject(t->kernel, &spec->problem, gpu_info(t->engine->gpu)->sm);
    BenchCase x;
    if (bench_case_new(spec, &x)) bail("no memory");
    bench_case_fill(&x, DATA_RANDOM, false);
    const char *why = bench_engine_run(t->engine, &x.problem, &x.args);
    bench_case_free(&x);
    return why;
}

static void try_spec(const Target *t, const BenchSpec *spec, Memory memory, Tally *tally)
{
    const char *why = refusal(t, spec);
    if (why) {
        tally->refusal = why;
        return;
    }
    char options[128], text[CHECK_TEXT];
    t->engine->memory = t->engine->gpu ? memory : MEMORY_HOST;
    t->engine->forced = t->kernel;
    snprintf(options, sizeof options, "--device %s%s%s%s", t->engine->spec,
             t->kernel ? " --kernel " : "", t->kernel ? t->kernel->name : "",
             t->engine->memory == MEMORY_DEVICE ? " --data device" : "");
    CheckSubject who = {.run = bench_engine_run,
                        .ctx = t->engine,
                        .options = options,
                        .tensor_core = bench_engine_tensor_core(t->engine, &spec->problem),
                        .skips_ab = !t->kernel};
    bool right = check_gemm(&who, spec, text, sizeof text);
    if (!right && !tally->failed) strcpy(tally->why, text);
    tally->tried++;
    tally->failed += !right;
}

static const char *name_of(const Target *t)
{
    return t->kernel ? t->kernel->name : "cpu_gemm";
}

/* Each line of text as a diagnostic. */
static void diag_lines(char *text)
{
    for (char *line; (line = strsep(&text, "\n"));) diag("%s", line);
}

static void report(const Target *t, const char *what, Tally *tally)
{
    if (tally->tried == 0) {
        skip("%s %s %s: %s", t->engine->spec, name_of(t), what, tally->refusal);
        return;
    }
    if (ok(!tally->failed, "%s %s %s (%d problems)", t->engine->spec, name_of(t), what,
           tally->tried))
        return;
    diag("%d failed; the first:", tally->failed);
    diag_lines(tally->why);
}

/* -- Many problems ---------------------------------------------------------------------------- */

/* The index-th way to lay out and scale a shape. Consecutive indices differ in everything. */
static void compose(char text[BENCH_TEXT], const char *ab, const char *c, const char *store,
                    Shape s, int index)
{
    static const char c_letters[] = "ntg";
    static const int pads[] = {0, 1, 0, 3, 8}, skews[] = {0, 0, 1, 4};
    snprintf(text, BENCH_TEXT, "%s:%dx%dx%d:%s%c:c=%s:batch=%d:%s:pad=%d:skew=%d:seed=%d", ab, s.m,
             s.n, s.k, store, c_letters[index % 3], c, index % 4 == 3 ? 3 : 1,
             scalars[index % SCALARS], pads[index % 5], skews[index / 2 % 4], index + 1);
}

static void try_shape(const Target *t, const char *ab, const char *c, const char *store, Shape s,
                      int index, Tally *tally)
{
    char text[BENCH_TEXT];
    BenchSpec spec;
    compose(text, ab, c, store, s, index);
    if (bench_spec_parse(text, &spec)) bail("%s is no problem", text);
    try_spec(t, &spec, index / 3 % 2 ? MEMORY_DEVICE : MEMORY_HOST, tally);
}

/* Each shape in one layout; with the long list in several. */
static void test_store(const Target *t, const char *ab, const char *c, const char *store)
{
    Tally tally = {0};
    int index = (int)(strlen(ab) + strlen(c)) + store[0] + 7 * store[1];
    for (int pass = 0; pass < (t->long_list ? 4 : 1); pass++)
        for (int s = 0; s < SHORT; s++)
            try_shape(t, ab, c, store, short_shapes[s], index++, &tally);
    for (int s = 0; t->long_list && s < LONG; s++)
        try_shape(t, ab, c, store, long_shapes[s], index++, &tally);
    char what[64];
    snprintf(what, sizeof what, "%s:%s:c=%s", ab, store, c);
    report(t, what, &tally);
}

/* A small ordinary problem of these types; false if there is none. */
static bool ordinary(const char *ab, const char *c, BenchSpec *spec)
{
    char text[BENCH_TEXT];
    snprintf(text, sizeof text, "%s:16x16x16:nn:c=%s", ab, c);
    return bench_spec_parse(text, spec) == NULL;
}

/* Some types that the target can do, tried; false where there are none: *why is its nearest
 * refusal. */
static bool test_types(const Target *t, const char **why)
{
    bool any = false;
    for (int ab = 0; ab < TYPES; ab++) {
        for (int c = 0; c < TYPES; c++) {
            BenchSpec spec;
            if (!ordinary(types[ab], types[c], &spec)) continue;
            const char *reason = refusal(t, &spec);
            /* A row that another chip could run says here why this one cannot. */
            if (reason && t->kernel && !t->kernel->reject(t->kernel, &spec.problem, 90))
                *why = reason;
            if (reason) continue;
            any = true;
            for (int s = 0; s < STORES; s++) test_store(t, types[ab], types[c], stores[s]);
            if (strchr(types[ab], 'c')) test_store(t, types[ab], types[c], "cc");
        }
    }
    return any;
}

/* -- Devices ---------------------------------------------------------------------------------- */

/* Problems named on the command line. */
static const char **asked;

static bool test_asked(const Target *t)
{
    bool any = false;
    for (const char **text = asked; *text; text++) {
        BenchSpec spec;
        BenchError err = bench_spec_parse(*text, &spec);
        if (err) bail("%s", err);
        Tally host = {0}, device = {0};
        try_spec(t, &spec, MEMORY_HOST, &host);
        any |= host.tried > 0;
        if (host.tried) report(t, *text, &host);
        if (!host.tried || !t->engine->gpu) continue;
        try_spec(t, &spec, MEMORY_DEVICE, &device);
        report(t, *text, &device);
    }
    return any;
}

static bool test_target(const Target *t)
{
    const char *why = "no types that this test knows";
    if (*asked) return test_asked(t);
    if (test_types(t, &why)) return true;
    skip("%s %s: %s", t->engine->spec, name_of(t), why);
    return false;
}

/* Rows marked in done are left out; rows that ran are marked. */
static void test_device(const char *device, bool long_list, bool done[])
{
    BenchEngine engine;
    BenchError err = bench_engine_open(&engine, device, NULL);
    if (err) {
        skip("%s", err);
        return;
    }
    Target cpu = {&engine, NULL, long_list};
    if (!engine.gpu) test_target(&cpu);
    for (int i = 0; engine.gpu && kernels[i].name; i++) {
        Target t = {&engine, &kernels[i], long_list};
        if (!done[i]) done[i] = test_target(&t);
    }
    bench_engine_close(&engine);
}

int main(int argc, char **argv)
{
    enum { MOST_ROWS = 256 };
    static const char *const simulated[] = {"sim:sm_70", "sim:sm_80", "sim:sm_90"};
    bool done_sim[MOST_ROWS] = {false}, done_cuda[MOST_ROWS] = {false};
    const char *wish = getenv("KNAP_CHECK_LONG");
    bool long_list = wish && strcmp(wish, "1") == 0;
    asked = (const char **)argv + (argc > 0);
    test_device("cpu", long_list, done_sim);
    for (size_t i = 0; i < sizeof simulated / sizeof *simulated; i++)
        test_device(simulated[i], long_list, done_sim);
    test_device("0", true, done_cuda);
    return tap_done();
}
