/* test_knap_h: the public interface, as a program sees it; knap.h is included first and alone. */
#include "plugin/knap.h"

#include "cpu_ref/fp.h"
#include "tests/tap.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>

/* -- The header alone -------------------------------------------------------------------------- */

/* Whether the shell's command succeeds. */
static bool runs(const char *command)
{
    int status = system(command);
    return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void test_alone(const char *compiler, const char *options, const char *language)
{
    char command[512];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", compiler);
    if (!runs(command)) {
        skip("no %s for %s", compiler, language);
        return;
    }
    snprintf(command, sizeof command,
             "echo '#include \"plugin/knap.h\"' | %s %s -x %s -I. -fsyntax-only -Wall -Wextra "
             "-Wpedantic -Werror -",
             compiler, options, language);
    ok(runs(command), "knap.h compiles alone: %s %s", compiler, options);
}

/* -- Calls ------------------------------------------------------------------------------------- */

static KnapMatrix matrix(void *data, int64_t rs, int64_t cs, int64_t bs, KnapType type)
{
    return (KnapMatrix){.data = data, .rs = rs, .cs = cs, .bs = bs, .type = type};
}

static const double two = 2, half = 0.5;

/* C = 2 A B + C/2 for 3 x 4 x 5, A row-major, B column-major, C row-major with a row of padding. */
static KnapGemm request(void *a, void *b, void *c, KnapType type)
{
    return (KnapGemm){.size = sizeof(KnapGemm),
                      .m = 3,
                      .n = 4,
                      .k = 5,
                      .batch = 2,
                      .a = matrix(a, 5, 1, 15, type),
                      .b = matrix(b, 1, 5, 0, type),
                      .c = matrix(c, 5, 1, 15, type),
                      .alpha = &two,
                      .beta = &half,
                      .scalar_type = KNAP_F64};
}

/* Small even integers, so that every intermediate is exact in every type. */
static double value_at(int operand, int64_t i)
{
    return (double)(2 * ((i * 7 + operand * 3) % 5) - 4);
}

static void fill(Dtype type, void *x, int operand, int64_t count)
{
    for (int64_t i = 0; i < count; i++) fp_store(type, x, i, (double[2]){value_at(operand, i), 0});
}

/* The definition, element by element; what lies between C's rows is unchanged. */
static bool product_right(Dtype type, const void *c)
{
    for (int64_t x = 0; x < 30; x++) {
        int64_t b = x / 15, i = x % 15 / 5, j = x % 5;
        double got[2], want = value_at(2, x);
        for (int64_t p = 0; p < 5 && j < 4; p++) {
            if (p == 0) want *= 0.5;
            want += 2 * value_at(0, 15 * b + 5 * i + p) * value_at(1, p + 5 * j);
        }
        fp_load(type, c, x, got);
        if (got[0] != want || got[1] != 0) return false;
    }
    return true;
}

static void test_types(KnapHandle *h)
{
    static const struct {
        KnapType type;
        Dtype same;
    } rows[] = {{KNAP_F64, DTYPE_F64},   {KNAP_F32, DTYPE_F32},   {KNAP_F16, DTYPE_F16},
                {KNAP_BF16, DTYPE_BF16}, {KNAP_CF32, DTYPE_CF32}, {KNAP_CF64, DTYPE_CF64}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double a[60], b[40], c[60]; /* as bytes: enough for the widest type */
        fill(rows[i].same, a, 0, 30);
        fill(rows[i].same, b, 1, 20);
        fill(rows[i].same, c, 2, 30);
        KnapGemm g = request(a, b, c, rows[i].type);
        KnapStatus status = knap_gemm(h, &g);
        if (!ok(status == KNAP_OK && product_right(rows[i].same, c), "two products of %s",
                dtype_name(rows[i].same)))
            diag("%s: %s", knap_status_name(status), knap_last_error());
    }
}

/* beta = 0 must not read C. */
static void test_nan(KnapHandle *h)
{
    static const double zero = 0;
    float a[30], b[20], c[30];
    fill(DTYPE_F32, a, 0, 30);
    fill(DTYPE_F32, b, 1, 20);
    for (int i = 0; i < 30; i++) c[i] = NAN;
    KnapGemm g = request(a, b, c, KNAP_F32);
    g.beta = &zero;
    ok(knap_gemm(h, &g) == KNAP_OK, "beta 0");
    bool clean = true, padding = true;
    for (int x = 0; x < 30; x++)
        if (x % 5 < 4)
            clean = clean && !isnan(c[x]);
        else
            padding = padding && isnan(c[x]);
    ok(clean && padding, "NaN in C is overwritten, and kept between its rows");
}

static void test_errors(KnapHandle *h)
{
    float x[30] = {0};
    KnapGemm g = request(x, x, x, KNAP_F32);
    ok(knap_open(NULL) == KNAP_INVALID_ARGUMENT, "knap_open(NULL): %s", knap_last_error());
    ok(knap_gemm(NULL, &g) == KNAP_INVALID_ARGUMENT, "no handle: %s", knap_last_error());
    ok(knap_gemm(h, NULL) == KNAP_INVALID_ARGUMENT, "no request: %s", knap_last_error());
    g.m = -1;
    ok(knap_gemm(h, &g) == KNAP_INVALID_ARGUMENT && strstr(knap_last_error(), "m is -1"),
       "m = -1: %s", knap_last_error());
    g = request(x, x, x, KNAP_F32);
    g.compute = KNAP_COMPUTE_TF32;
    ok(knap_gemm(h, &g) == KNAP_UNSUPPORTED, "tf32: %s", knap_last_error());
    g.compute = KNAP_COMPUTE_AUTO;
    g.b.type = KNAP_F64;
    ok(knap_gemm(h, &g) == KNAP_UNSUPPORTED, "mixed types: %s", knap_last_error());
    knap_close(NULL);
    ok(true, "knap_close(NULL) does nothing");
}

static void test_names(void)
{
    bool different = true;
    for (int i = 0; i <= KNAP_DEVICE_ERROR; i++)
        for (int j = 0; j < i; j++)
            different = different && strcmp(knap_status_name((KnapStatus)i),
                                            knap_status_name((KnapStatus)j)) != 0;
    ok(different, "each status has a name of its own");
    int major, minor, patch;
    ok(sscanf(knap_version(), "%d.%d.%d", &major, &minor, &patch) == 3, "version %s",
       knap_version());
}

int main(void)
{
    const char *cc = getenv("CC");
    test_alone(cc && cc[0] ? cc : "cc", "-std=c11", "c");
    test_alone("g++", "-std=c++11", "c++");
    test_alone("clang++", "-std=c++17", "c++");
    KnapHandle *h;
    KnapStats s;
    ok(knap_open(&h) == KNAP_OK && h, "knap_open");
    ok(knap_last_error()[0] == '\0', "no error yet");
    test_types(h);
    test_nan(h);
    knap_stats(h, &s);
    ok(s.calls == 7 && s.gpu_calls + s.next_calls + s.cpu_calls == 7 &&
           s.gpu_flops + s.cpu_flops == 2. * 2 * 60 * (5 + 2 * 4),
       "statistics: 7 calls and their operations");
    test_errors(h);
    knap_stats(h, &s);
    ok(s.calls == 7, "refused calls are not counted");
    test_names();
    knap_close(h);
    return tap_done();
}
