/* test_env: reading the knobs, without touching the process's environment. */
#include "plugin/env.h"
#include "tests/tap.h"

#include <string.h>

/* The environment under test: name, value pairs. */
static const char *const *pairs;

static const char *lookup(const char *name)
{
    for (const char *const *p = pairs; *p; p += 2)
        if (strcmp(p[0], name) == 0) return p[1];
    return NULL;
}

/* Reads the given environment; *warned gets the warnings. */
static Env read_env(const char *const *environment, char *warned, size_t size)
{
    Env env;
    FILE *warn = fmemopen(warned, size, "w");
    pairs = environment;
    env_read(&env, lookup, warn);
    fclose(warn);
    return env;
}

#define READ(warned, ...) read_env((const char *const[]){__VA_ARGS__, NULL}, warned, sizeof warned)

static void test_defaults(void)
{
    char warned[1024] = "";
    Env env = READ(warned, NULL);
    ok(env.mode == MODE_AUTO && strcmp(env.device, "0") == 0 && env.sgemm == COMPUTE_AUTO,
       "defaults: auto, device 0, auto");
    ok(env.verbose == 0 && !env.stats && !env.dump && !env.blas && !env.ilp64,
       "defaults: silent, no paths, 32-bit integers");
    ok(warned[0] == '\0', "defaults warn of nothing");
}

static void test_values(void)
{
    char warned[1024] = "";
    Env env = READ(warned, "KNAP_MODE", "always", "KNAP_DEVICE", "sim:sm_90", "KNAP_SGEMM", "fp32",
                   "KNAP_VERBOSE", "2", "KNAP_STATS", "-", "KNAP_DUMP", "/d", "KNAP_BLAS", "/b.so",
                   "KNAP_ILP64", "1");
    ok(env.mode == MODE_ALWAYS, "KNAP_MODE=always");
    ok(strcmp(env.device, "sim:sm_90") == 0, "KNAP_DEVICE=sim:sm_90");
    ok(env.sgemm == COMPUTE_FP32, "KNAP_SGEMM=fp32");
    ok(env.verbose == 2, "KNAP_VERBOSE=2");
    ok(env.stats && strcmp(env.stats, "-") == 0, "KNAP_STATS=-");
    ok(env.dump && strcmp(env.dump, "/d") == 0, "KNAP_DUMP=/d");
    ok(env.blas && strcmp(env.blas, "/b.so") == 0, "KNAP_BLAS=/b.so");
    ok(env.ilp64, "KNAP_ILP64=1");
    ok(warned[0] == '\0', "known values warn of nothing");
}

/* An unknown value: the default holds, and one line names the variable, the value and a known
 * one. */
static void test_unknown(void)
{
    static const char *const rows[][3] = {
        {"KNAP_MODE", "sometimes", "auto|always|never"},
        {"KNAP_DEVICE", "gpu", "cpu"},
        {"KNAP_DEVICE", "sim:sm_", "sim:sm_NN"},
        {"KNAP_DEVICE", "1x", "cpu"},
        {"KNAP_SGEMM", "tf32", "auto|fp32"},
        {"KNAP_VERBOSE", "3", "0|1|2"},
        {"KNAP_ILP64", "yes", "0|1"},
    };
    char none[1024] = "";
    Env standard = READ(none, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char warned[1024] = "";
        Env env = READ(warned, rows[i][0], rows[i][1]);
        bool same = env.mode == standard.mode && strcmp(env.device, standard.device) == 0 &&
                    env.sgemm == standard.sgemm && env.verbose == standard.verbose &&
                    env.ilp64 == standard.ilp64;
        const char *end = strchr(warned, '\n');
        bool said = strstr(warned, rows[i][0]) && strstr(warned, rows[i][1]) &&
                    strstr(warned, rows[i][2]) && end && end[1] == '\0';
        if (!ok(same && said, "%s=%s: the default, and one warning", rows[i][0], rows[i][1]))
            diag("%s", warned);
    }
}

static void test_print(void)
{
    static char text[1 << 14];
    FILE *out = fmemopen(text, sizeof text, "w");
    env_print(out);
    fclose(out);
    bool all = true;
#define ROW(field, variable, standard, values, meaning) \
    all = all && strstr(text, variable) && strstr(text, values) && strstr(text, meaning);
    ENV_LIST(ROW)
#undef ROW
    ok(all, "env_print has every knob, its values and its meaning");
    ok(env_get() == env_get(), "the environment is read once");
}

int main(void)
{
    test_defaults();
    test_values();
    test_unknown();
    test_print();
    return tap_done();
}
