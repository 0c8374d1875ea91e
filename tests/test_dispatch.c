/*
 * test_dispatch: where calls go and why, with a fake device that fails on command. Results are held
 * against the definition by benchmarks/check.h: guard bands, NaN in C where beta is 0, equal bits
 * of equal calls.
 */
#include "benchmarks/check.h"
#include "gpu/mem.h"
#include "plugin/decide.h"
#include "plugin/handle.h"
#include "tests/fake_device.h"
#include "tests/tap.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- Furniture --------------------------------------------------------------------------------- */

static const Env env_auto = {.mode = MODE_AUTO, .device = "cpu"};
static const Env env_always = {.mode = MODE_ALWAYS, .device = "cpu"};
static const Env env_never = {.mode = MODE_NEVER, .device = "cpu"};

/* With its own fake device; fake NULL: with none. */
static KnapHandle *handle(const Env *env, FakeDevice *fake)
{
    KnapHandle *h;
    if (handle_new(env, fake ? fake_open(fake) : NULL, &h) != KNAP_OK) bail("no handle");
    h->cpu =
        (CpuMachine){.cores = 2, .isa = "avx512"}; /* decisions must not depend on this machine */
    return h;
}

static KnapStats stats_of(KnapHandle *h)
{
    KnapStats s;
    knap_stats(h, &s);
    return s;
}

static void spec_of(const char *text, BenchSpec *spec)
{
    BenchError error = bench_spec_parse(text, spec);
    if (error) bail("%s: %s", text, error);
}

/* A CheckRun: the handle computes. */
static const char *run_dispatch(void *h, const GemmProblem *p, const GemmArgs *args)
{
    const char *why = problem_check(p, args);
    if (why) return why;
    return dispatch_gemm(h, p, args, (CallInfo){"test"}, NULL) == KNAP_OK ? NULL
                                                                          : knap_last_error();
}

/* All of check_gemm's trials; false after a diagnosis. */
static bool right(KnapHandle *h, const char *text)
{
    char why[CHECK_TEXT];
    BenchSpec spec;
    spec_of(text, &spec);
    CheckSubject who = {
        .run = run_dispatch, .ctx = h, .options = "", .tensor_core = true, .skips_ab = true};
    bool good = check_gemm(&who, &spec, why, sizeof why);
    if (!good) diag("%s", why);
    return good;
}

/* One call on exact data; true if every bit of C and its guard bands is right. */
static bool right_once(KnapHandle *h, const char *text)
{
    BenchSpec spec;
    BenchCase x, y;
    spec_of(text, &spec);
    if (bench_case_new(&spec, &x) || bench_case_new(&spec, &y)) bail("no memory");
    bench_case_fill(&x, DATA_EXACT, false);
    bench_case_fill(&y, DATA_EXACT, false);
    const char *why = run_dispatch(h, &x.problem, &x.args);
    if (why) diag("%s", why);
    cpu_gemm(&y.problem, &y.args);
    bool same = !why && memcmp(x.a.base, y.a.base, x.a.bytes) == 0 &&
                memcmp(x.b.base, y.b.base, x.b.bytes) == 0 &&
                memcmp(x.c.base, y.c.base, x.c.bytes) == 0;
    bench_case_free(&x);
    bench_case_free(&y);
    return same;
}

static GemmProblem problem(const char *text, Memory memory)
{
    BenchSpec spec;
    spec_of(text, &spec);
    spec.problem.memory = (uint8_t)memory;
    return spec.problem;
}

/* -- Deciding ---------------------------------------------------------------------------------- */

static void test_modes(void)
{
    static const struct {
        const Env *env;
        bool device;
        const char *problem;
        Reason reason;
    } rows[] = {
        {&env_auto, true, "f32:200x200x200", REASON_NONE},
        {&env_auto, true, "f32:99x100x100", REASON_TINY},
        {&env_auto, true, "f32:100x100x100", REASON_NONE},
        {&env_auto, true, "f32:0x200x200", REASON_TRIVIAL},
        {&env_auto, true, "f32:200x200x0", REASON_TRIVIAL},
        {&env_auto, true, "f32:200x200x200:alpha=0", REASON_TRIVIAL},
        {&env_auto, true, "f32:200x200x200:batch=0", REASON_TRIVIAL},
        {&env_auto, true, "cf32:200x200x200", REASON_NO_KERNEL},
        {&env_auto, false, "f32:200x200x200", REASON_NO_DEVICE},
        {&env_always, true, "f32:1x1x1", REASON_NONE},
        {&env_always, false, "f32:1x1x1", REASON_NO_DEVICE},
        {&env_always, true, "cf64:2x2x2", REASON_NO_KERNEL},
        {&env_never, true, "f32:200x200x200", REASON_MODE},
        {&env_never, true, "f32:200x200x200:alpha=0", REASON_MODE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        FakeDevice fake;
        KnapHandle *h = handle(rows[i].env, rows[i].device ? &fake : NULL);
        GemmProblem p = problem(rows[i].problem, MEMORY_HOST);
        Decision d = dispatch_decide(h, &p, NULL, NULL);
        ok(d.reason == rows[i].reason && (d.kernel != NULL) == (d.reason == REASON_NONE),
           "mode %d, %s device, %s: \"%s\"", (int)rows[i].env->mode, rows[i].device ? "a" : "no",
           rows[i].problem, reason_name(d.reason));
        knap_close(h);
    }
}

/* The same problem against machines that differ in one number. */
static void test_seconds(void)
{
    FakeDevice fake;
    KnapHandle *h = handle(&env_auto, &fake);
    GemmProblem p = problem("f32:512x512x512", MEMORY_HOST);
    Decision fast = dispatch_decide(h, &p, NULL, NULL);
    ok(fast.kernel && fast.gpu_seconds < fast.cpu_seconds, "a fast GPU is taken");
    fake.base.info.link_bps = 1e3;
    Decision slow = dispatch_decide(h, &p, NULL, NULL);
    ok(slow.reason == REASON_SLOWER && slow.gpu_seconds > slow.cpu_seconds, "not over a slow link");
    p.memory = MEMORY_DEVICE;
    Decision there = dispatch_decide(h, &p, NULL, NULL);
    ok(there.kernel && there.gpu_seconds < 1, "but operands on the device have no way to go");
    p.memory = MEMORY_HOST;
    fake.base.info.memory = 1 << 20;
    ok(dispatch_decide(h, &p, NULL, NULL).reason == REASON_TOO_LARGE, "3 MB do not fit 1 MB");
    fake.base.info = (DeviceInfo){0}; /* not to be looked at */
    h->cpu.cores = 64;
    p = problem("f32:256x256x256", MEMORY_HOST);
    ok(dispatch_decide(h, &p, NULL, NULL).reason == REASON_SLOWER,
       "what 64 cores do in the time of a launch is not for any GPU");
    ok(fake.calls == 0, "deciding leaves the device alone");
    knap_close(h);
}

static void test_threshold(void)
{
    double expected[] = {[MODE_AUTO] = 1e6, [MODE_ALWAYS] = 0, [MODE_NEVER] = INFINITY};
    ok(dispatch_threshold() == expected[env_get()->mode], "the threshold of this mode");
    dispatch_take_tiny();
    for (int i = 0; i < 1000; i++) dispatch_count_tiny();
    ok(dispatch_take_tiny() == 1000 && dispatch_take_tiny() == 0, "tiny calls are counted once");
}

static void test_names(void)
{
    int bad = 0;
    for (int r = 0; r < REASON_COUNT; r++)
        for (int s = 0; s <= r; s++)
            bad += (strcmp(reason_name((Reason)r), reason_name((Reason)s)) == 0) != (r == s);
    ok(bad == 0, "reasons have names of their own");
}

/* -- Computing --------------------------------------------------------------------------------- */

/* Shapes, orders and types that the GPU computes, and one that only the CPU can. */
static void test_results(void)
{
    static const char *const rows[] = {
        "f32:33x17x29",
        "f32:33x17x29:ttt",
        "f32:33x17x29:tnt:batch=3",
        "f32:8x8x8:beta=1",
        "f32:33x17x29:ntn:beta=2",
        "f32:16x16x16:alpha=0:beta=3",
        "f32:9x9x0:beta=0.5",
        "f32:5x7x9:ggg:beta=1",
        "f64:33x17x29:nnt:alpha=3",
        "f16:32x16x48:nt",
        "f16:31x15x47:c=f32",
        "bf16:40x24x16:tn:beta=1",
        "f32:1x1x1:alpha=2",
        "f32:0x5x5",
        "f32:7x13x5:pad=3:skew=1",
        "cf32:9x8x7:cn:beta=1",
    };
    FakeDevice fake;
    KnapHandle *h = handle(&env_always, &fake);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) ok(right(h, rows[i]), "%s", rows[i]);
    KnapStats s = stats_of(h);
    ok(s.gpu_calls > 0 && s.cpu_calls > 0 && s.gpu_failures == 0 && s.next_calls == 0,
       "on the GPU, and on the CPU what it cannot or need not do");
    ok(s.calls == s.gpu_calls + s.cpu_calls && fake.launches > 0, "each counted once");
    knap_close(h);
    ok(fake_clean(&fake), "everything is given back to the device");
}

/* Fails at the first, second, ... operation until there is none left to fail. */
static void test_failures(const char *text)
{
    int n = 0, good = 0, counted = 0, clean = 0;
    for (bool reached = true; reached && n < 100;) {
        FakeDevice fake;
        KnapHandle *h = handle(&env_always, &fake);
        fake.fail_at = fake.fail_to = n + 1;
        good += right_once(h, text);
        KnapStats s = stats_of(h);
        reached = fake.calls >= n + 1;
        counted += s.calls == 1 && s.gpu_failures == reached && s.cpu_calls == reached &&
                   s.gpu_calls == !reached;
        knap_close(h);
        clean += fake_clean(&fake);
        n++;
    }
    ok(n > 5 && n < 100, "%s: %d operations can fail", text, n - 1);
    ok(good == n, "C is right whichever fails");
    ok(counted == n, "the failure is counted, and the place");
    ok(clean == n, "nothing is left on the device");
}

static void test_disabled(void)
{
    FakeDevice fake;
    KnapHandle *h = handle(&env_always, &fake);
    fake.fail_at = 1;
    fake.fail_to = INT32_MAX;
    bool good = true;
    for (int i = 0; i < HANDLE_FAILURES; i++) good = right_once(h, "f32:20x20x20") && good;
    int calls = fake.calls;
    good = right_once(h, "f32:20x20x20") && good;
    KnapStats s = stats_of(h);
    ok(good && s.cpu_calls == HANDLE_FAILURES + 1, "failing for ever: still right");
    ok(fake.calls == calls && s.gpu_failures == HANDLE_FAILURES, "after %d it is left alone",
       HANDLE_FAILURES);
    GemmProblem p = problem("f32:20x20x20", MEMORY_HOST);
    ok(dispatch_decide(h, &p, NULL, NULL).reason == REASON_DISABLED, "and the reason is named");
    knap_close(h);
}

/* Failures that successes lie between do not add up. */
static void test_recovered(void)
{
    FakeDevice fake;
    KnapHandle *h = handle(&env_always, &fake);
    for (int i = 0; i < 2 * HANDLE_FAILURES; i++) {
        fake.fail_at = fake.fail_to = i % 2 ? 0 : fake.calls + 1;
        if (!right_once(h, "f32:20x20x20")) bail("wrong result");
    }
    KnapStats s = stats_of(h);
    ok(s.gpu_calls == HANDLE_FAILURES && s.gpu_failures == HANDLE_FAILURES,
       "every other call fails: the GPU stays");
    knap_close(h);
}

/* A handle that cannot be made closes the device it was given. */
static void test_memory(void)
{
    FakeDevice fake;
    KnapHandle *h = NULL;
    int n = 0, clean = 0;
    for (KnapStatus status = KNAP_OUT_OF_MEMORY; status != KNAP_OK && n < 100; n++) {
        mem_fail_nth(n + 1);
        status = handle_new(&env_auto, fake_open(&fake), &h);
        clean += (status == KNAP_OUT_OF_MEMORY) == fake.closed && fake.live == 0;
    }
    mem_fail_nth(0);
    ok(n > 2 && n < 100 && clean == n, "%d requests for memory can fail", n - 1);
    knap_close(h);
}

/* -- The next BLAS ----------------------------------------------------------------------------- */

typedef struct {
    const GemmProblem *p;
    const GemmArgs *args;
    int runs;
} Next;

static void run_next(void *ctx)
{
    Next *next = ctx;
    next->runs++;
    cpu_gemm(next->p, next->args);
}

/* Runs one product with a next BLAS; how often that was called. */
static int next_runs(const Env *env, FakeDevice *fake, int fail_at, const char *text)
{
    BenchSpec spec;
    BenchCase x;
    spec_of(text, &spec);
    if (bench_case_new(&spec, &x)) bail("no memory");
    bench_case_fill(&x, DATA_EXACT, false);
    KnapHandle *h = handle(env, fake);
    if (fake) fake->fail_at = fake->fail_to = fail_at;
    Next next = {&x.problem, &x.args, 0};
    NextCall call = {run_next, &next, "libnext.so"};
    if (dispatch_gemm(h, &x.problem, &x.args, (CallInfo){"test"}, &call) != KNAP_OK)
        bail("refused");
    if (stats_of(h).next_calls != (uint64_t)next.runs) next.runs = -1;
    knap_close(h);
    bench_case_free(&x);
    return next.runs;
}

static void test_next(void)
{
    FakeDevice fake;
    ok(next_runs(&env_auto, &fake, 0, "f32:128x128x128") == 0, "auto: the GPU comes first");
    ok(next_runs(&env_auto, &fake, 1, "f32:128x128x128") == 1,
       "auto: after a failure the next BLAS");
    ok(next_runs(&env_auto, NULL, 0, "f32:128x128x128") == 1, "auto: without a GPU the next BLAS");
    ok(next_runs(&env_auto, &fake, 0, "f32:8x8x8") == 1,
       "auto: what is small goes to the next BLAS");
    ok(next_runs(&env_auto, &fake, 0, "f32:8x8x8:alpha=0:beta=2") == 1,
       "auto: scaling C goes to the next BLAS");
    ok(next_runs(&env_never, &fake, 0, "f32:128x128x128") == 1, "never: forwarded");
    ok(next_runs(&env_always, NULL, 0, "f32:128x128x128") == 0, "always: ours");
    ok(next_runs(&env_always, &fake, 1, "f32:128x128x128") == 0,
       "always: ours after a failure too");
}

/* -- Device memory ----------------------------------------------------------------------------- */

/* Uploads a case to the fake device, computes there and looks at C. */
static KnapStatus resident(KnapHandle *h, Device *device, const char *text, bool *same)
{
    BenchSpec spec;
    BenchCase x, y;
    BenchResident r;
    spec_of(text, &spec);
    if (bench_case_new(&spec, &x) || bench_case_new(&spec, &y)) bail("no memory");
    bench_case_fill(&x, DATA_EXACT, false);
    bench_case_fill(&y, DATA_EXACT, false);
    FakeDevice *fake = (FakeDevice *)device;
    int fail_at = fake->fail_at;
    fake->fail_at = INT32_MAX; /* what follows is the test's own traffic */
    if (bench_resident_new(device, &x.problem, &x.args, &r)) bail("no device memory");
    fake->fail_at = fail_at;
    KnapStatus status = dispatch_gemm(h, &r.problem, &r.args, (CallInfo){"test"}, NULL);
    fake->fail_at = INT32_MAX;
    if (bench_resident_fetch(&r, &x.args)) bail("C does not come back");
    fake->fail_at = fail_at;
    if (status == KNAP_OK) cpu_gemm(&y.problem, &y.args);
    *same = memcmp(x.c.base, y.c.base, x.c.bytes) == 0;
    bench_resident_free(&r);
    bench_case_free(&x);
    bench_case_free(&y);
    return status;
}

static void test_device_memory(void)
{
    static const char *const rows[] = {"f32:20x30x40",     "f32:20x30x40:tnt:beta=1",
                                       "f64:9x8x7:skew=1", "f32:20x30x40:alpha=0:beta=2",
                                       "f32:2x3x0:beta=3", "f32:0x3x4"};
    FakeDevice fake;
    KnapHandle *h = handle(&env_auto, &fake);
    bool same;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ok(resident(h, &fake.base, rows[i], &same) == KNAP_OK && same, "in place: %s", rows[i]);
    ok(resident(h, &fake.base, "cf32:20x30x40", &same) == KNAP_UNSUPPORTED && same,
       "no kernel: unsupported, and C untouched");
    fake.fail_at = 1;
    fake.fail_to = INT32_MAX;
    for (int i = 0; i <= HANDLE_FAILURES; i++)
        ok(resident(h, &fake.base, "f32:20x30x40", &same) == KNAP_DEVICE_ERROR && same &&
               strstr(knap_last_error(), "fake: "),
           "a failure is an error: \"%s\"", knap_last_error());
    knap_close(h);
}

static void test_no_device(void)
{
    FakeDevice fake;
    Device *device = fake_open(&fake);
    bool same;
    KnapHandle *h = handle(&env_auto, NULL);
    KnapStatus status = resident(h, device, "f32:20x30x40", &same);
    ok(status == KNAP_DEVICE_ERROR && same && strstr(knap_last_error(), "KNAP_DEVICE=cpu"),
       "KNAP_DEVICE=cpu: \"%s\"", knap_last_error());
    knap_close(h);
    FakeDevice other;
    h = handle(&env_never, &other);
    ok(resident(h, device, "f32:20x30x40", &same) == KNAP_DEVICE_ERROR && same && other.calls == 0,
       "KNAP_MODE=never: \"%s\"", knap_last_error());
    knap_close(h);
    device->ops->close(device);
}

/* The public call finds out by itself where operands are. */
static void test_where(void)
{
    FakeDevice fake;
    KnapHandle *h = handle(&env_auto, &fake);
    static const double one = 1, zero = 0;
    float *a, *c, host[16] = {0}, result[16] = {0};
    if (fake.base.ops->alloc(&fake.base, sizeof host, (void **)&a) ||
        fake.base.ops->alloc(&fake.base, sizeof host, (void **)&c))
        bail("no device memory");
    for (int i = 0; i < 16; i++) a[i] = i % 5 == 0; /* the fake's memory is ours: the identity */
    KnapGemm g = {.size = sizeof g,
                  .m = 4,
                  .n = 4,
                  .k = 4,
                  .batch = 1,
                  .a = {a, 1, 4, 0, KNAP_F32, 0},
                  .b = {a, 1, 4, 0, KNAP_F32, 0},
                  .c = {c, 1, 4, 0, KNAP_F32, 0},
                  .alpha = &one,
                  .beta = &zero,
                  .scalar_type = KNAP_F64};
    ok(knap_gemm(h, &g) == KNAP_OK && memcmp(a, c, sizeof host) == 0 && fake.launches == 1,
       "device operands are recognised, however small the product");
    g.b.data = host;
    ok(knap_gemm(h, &g) == KNAP_INVALID_ARGUMENT && strstr(knap_last_error(), "host memory"),
       "mixed operands: \"%s\"", knap_last_error());
    g.c.data = (char *)c + 2;
    g.b.data = a;
    ok(knap_gemm(h, &g) == KNAP_INVALID_ARGUMENT && strstr(knap_last_error(), "C in device memory"),
       "a misaligned C on the device: \"%s\"", knap_last_error());
    g.a.data = g.b.data = host;
    g.c.data = result;
    ok(knap_gemm(h, &g) == KNAP_OK && fake.launches == 1, "host operands, small: the CPU");
    fake.base.ops->release(&fake.base, a);
    fake.base.ops->release(&fake.base, c);
    knap_close(h);
    ok(fake_clean(&fake), "nothing is left on the device");
}

/* -- Types that nobody has --------------------------------------------------------------------- */

static void test_unsupported(void)
{
    FakeDevice fake;
    KnapHandle *h = handle(&env_auto, &fake);
    float a[4] = {1, 2, 3, 4};
    double c[4] = {5, 6, 7, 8};
    GemmProblem p = problem("f32:2x2x2", MEMORY_HOST);
    p.a.cs = p.b.cs = p.c.cs = 2;
    p.c.type = DTYPE_F64;
    GemmArgs args = {.a = a, .b = a, .c = c, .alpha = {1}};
    ok(dispatch_gemm(h, &p, &args, (CallInfo){"test"}, NULL) == KNAP_UNSUPPORTED &&
           knap_last_error()[0] && c[0] == 5 && c[3] == 8,
       "f32 products into f64: \"%s\"", knap_last_error());
    ok(stats_of(h).calls == 0, "what was not computed is not counted");
    knap_close(h);
}

/* -- Fork and threads -------------------------------------------------------------------------- */

static int child(KnapHandle *h, FakeDevice *fake)
{
    int calls = fake->calls;
    GemmProblem p = problem("f32:200x200x200", MEMORY_HOST);
    bool good = right_once(h, "f32:30x30x30") && handle_forked() &&
                dispatch_decide(h, &p, NULL, NULL).reason == REASON_FORKED;
    knap_close(h);
    return good && fake->calls == calls && !fake->closed ? 0 : 1;
}

static void test_fork(void)
{
    FakeDevice fake;
    KnapHandle *h = handle(&env_always, &fake);
    if (!right_once(h, "f32:30x30x30")) bail("wrong result");
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) _exit(child(h, &fake));
    int status = -1;
    waitpid(pid, &status, 0);
    ok(status == 0, "a child computes, and leaves the device alone even when it closes the handle");
    ok(right_once(h, "f32:30x30x30") && stats_of(h).gpu_calls == 2 && !handle_forked(),
       "the parent keeps its GPU");
    knap_close(h);
}

enum { THREADS = 6, PRODUCTS = 10 };

typedef struct {
    KnapHandle *h;
    int id, wrong;
} Worker;

static void *work(void *ctx)
{
    Worker *w = ctx;
    for (int i = 0; i < PRODUCTS; i++) {
        char text[64];
        snprintf(text, sizeof text, "f32:%dx%dx%d:%s", 8 + w->id, 9 + i, 30, i % 2 ? "tn" : "nt");
        w->wrong += !right_once(w->h, text);
    }
    return NULL;
}

static void test_threads(void)
{
    FakeDevice fake;
    KnapHandle *h = handle(&env_always, &fake);
    Worker worker[THREADS];
    pthread_t thread[THREADS];
    int wrong = 0;
    for (int i = 0; i < THREADS; i++) {
        worker[i] = (Worker){h, i, 0};
        pthread_create(&thread[i], NULL, work, &worker[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        wrong += worker[i].wrong;
    }
    ok(wrong == 0, "%d threads at once: all results are right", THREADS);
    ok(stats_of(h).gpu_calls == THREADS * PRODUCTS, "and all calls counted");
    knap_close(h);
    ok(fake_clean(&fake), "and everything given back");
}

int main(void)
{
    test_modes();
    test_seconds();
    test_threshold();
    test_names();
    test_results();
    test_failures("f32:20x24x28:tnt:beta=1");
    test_failures("f32:20x24x28:ggg");
    test_failures("f16:32x32x32:batch=2");
    test_disabled();
    test_recovered();
    test_memory();
    test_next();
    test_device_memory();
    test_no_device();
    test_where();
    test_unsupported();
    test_fork();
    test_threads();
    return tap_done();
}
