/*
 * env: reads the knobs of ENV_LIST. See env.h.
 *
 * A knob is a row of the list, a reader that turns its text into a field, and nothing else.
 */
#include "plugin/env.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* -- Readers: false where the text is not a value of the knob ---------------------------------- */

/* Index of text in a NULL-terminated list, or -1. */
static int index_of(const char *const names[], const char *text)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], text) == 0) return i;
    return -1;
}

static bool all_digits(const char *text)
{
    size_t n = strspn(text, "0123456789");
    return n > 0 && n < 5 && text[n] == '\0';
}

static bool read_mode(Env *env, const char *text)
{
    int i = index_of((const char *const[]){"auto", "always", "never", NULL}, text);
    if (i >= 0) env->mode = (EnvMode)i;
    return i >= 0;
}

static bool read_device(Env *env, const char *text)
{
    static const char sim[] = "sim:sm_";
    bool known = all_digits(text) || strcmp(text, "cpu") == 0 ||
                 (strncmp(text, sim, sizeof sim - 1) == 0 && all_digits(text + sizeof sim - 1));
    if (known) env->device = text;
    return known;
}

static bool read_sgemm(Env *env, const char *text)
{
    int i = index_of((const char *const[]){"auto", "fp32", NULL}, text);
    if (i >= 0) env->sgemm = i ? COMPUTE_FP32 : COMPUTE_AUTO;
    return i >= 0;
}

static bool read_verbose(Env *env, const char *text)
{
    int i = index_of((const char *const[]){"0", "1", "2", NULL}, text);
    if (i >= 0) env->verbose = i;
    return i >= 0;
}

static bool read_ilp64(Env *env, const char *text)
{
    int i = index_of((const char *const[]){"0", "1", NULL}, text);
    if (i >= 0) env->ilp64 = i;
    return i >= 0;
}

/* Any text is a path; the empty one means none. */
static bool read_path(const char **field, const char *text)
{
    *field = text[0] ? text : NULL;
    return true;
}

static bool read_stats(Env *env, const char *text)
{
    return read_path(&env->stats, text);
}

static bool read_dump(Env *env, const char *text)
{
    return read_path(&env->dump, text);
}

static bool read_blas(Env *env, const char *text)
{
    return read_path(&env->blas, text);
}

/* -- The table --------------------------------------------------------------------------------- */

static const struct {
    const char *variable, *standard, *values, *meaning;
    bool (*read)(Env *, const char *text);
} knobs[] = {
#define ROW(field, variable, standard, values, meaning) \
    {variable, standard, values, meaning, read_##field},
    ENV_LIST(ROW)
#undef ROW
};

enum { KNOBS = sizeof knobs / sizeof knobs[0] };

/* -- Public ------------------------------------------------------------------------------------ */

void env_read(Env *env, const char *(*lookup)(const char *name), FILE *warn)
{
    memset(env, 0, sizeof *env);
    for (int i = 0; i < KNOBS; i++) {
        knobs[i].read(env, knobs[i].standard);
        const char *text = lookup(knobs[i].variable);
        if (!text || !text[0] || knobs[i].read(env, text) || !warn) continue;
        fprintf(warn, "knap: %s=%s is not known; known: %s; taken: %s\n", knobs[i].variable, text,
                knobs[i].values, knobs[i].standard);
    }
}

/* Not read in set-user-id programs, where a path to load or write would be the caller's. */
const char *env_lookup(const char *name)
{
    return secure_getenv(name);
}

/* The program may change its environment later. */
static void keep(const char **text)
{
    char *copy = *text ? strdup(*text) : NULL;
    if (copy) *text = copy;
}

/* The process has one environment; so has the library, read once. */
static Env process_env;

static void read_once(void)
{
    env_read(&process_env, env_lookup, stderr);
    keep(&process_env.device);
    keep(&process_env.stats);
    keep(&process_env.dump);
    keep(&process_env.blas);
}

const Env *env_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_once);
    return &process_env;
}

void env_print(FILE *out)
{
    for (int i = 0; i < KNOBS; i++) {
        const char *text = env_lookup(knobs[i].variable);
        fprintf(out, "  %-13s = %-8s %s\n", knobs[i].variable,
                text && text[0] ? text : knobs[i].standard, knobs[i].values);
        fprintf(out, "  %-13s   %s\n", "", knobs[i].meaning);
    }
}
