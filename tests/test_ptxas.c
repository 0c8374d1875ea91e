/*
 * The PTX of every kernel, by ptxas: it must be accepted and must not spill.
 *
 * A point is one plan: a row of the registry for some types, majors and vector widths. ptxas is
 * $PTXAS or the one on PATH; each text is assembled for the oldest chip that both it and ptxas
 * know. KNAP_CHECK_LONG=1 tries all layouts and alignments instead of a few of each.
 */
#include "benchmarks/bench.h"
#include "gpu/kernel.h"
#include "tests/ptxas.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOBS = 2, PLANS = 8192, PATH = 256, LINE = 512 };

/* -- ptxas ------------------------------------------------------------------------------------ */

/* Exit status of a shell command; its output in out (size bytes). */
static int shell(const char *command, char *out, size_t size)
{
    FILE *in = popen(command, "r");
    if (!in) return -1;
    size_t len = fread(out, 1, size - 1, in);
    out[len] = '\0';
    while (fgetc(in) != EOF) continue;
    return pclose(in);
}

/* Capabilities that ptxas can assemble for, as it lists them in its help; ended by 0. */
static void known_chips(int chips[64])
{
    char command[PATH + 32], *help = malloc(1 << 16);
    int count = 0;
    if (!help) bail("no memory");
    snprintf(command, sizeof command, "%s --help 2>&1", ptxas());
    int status = shell(command, help, 1 << 16);
    for (char *at = help; status == 0 && (at = strstr(at, "'sm_")) && count < 63;) {
        char *end;
        int sm = (int)strtol(at + 4, &end, 10);
        if (*end == '\'') chips[count++] = sm;
        at = end;
    }
    chips[count] = 0;
    free(help);
}

/* The oldest known chip that runs text made for sm; 0: none. */
static int chip_for(const int chips[], int sm)
{
    int best = 0;
    for (; *chips; chips++)
        if (*chips >= sm && (!best || *chips < best)) best = *chips;
    return best;
}

/* -- Assembling, a few at a time -------------------------------------------------------------- */

typedef struct {
    FILE *pipe;
    char path[PATH], name[96];
} Job;

typedef struct {
    int chips[64];
    char *text; /* KERNEL_PTX_SIZE bytes */
    Job jobs[JOBS];
    int running;
    char (*names)[96]; /* plans seen */
    int seen;
} Assembly;

/* Reads ptxas's report. Good: it has a line on the registers used, and none of spills. */
static bool read_report(FILE *in, char *registers, char *complaint)
{
    char line[LINE];
    bool spills = false;
    while (fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        if (strstr(line, "error") || strstr(line, "fatal")) strcpy(complaint, line);
        if (strstr(line, "Used ")) strcpy(registers, strstr(line, "Used "));
        if (!strstr(line, "spill stores") ||
            strstr(line, " 0 bytes spill stores, 0 bytes spill loads"))
            continue;
        spills = true;
        strcpy(complaint, line);
    }
    return *registers && !spills;
}

static void finish(Job *job)
{
    char registers[LINE] = "", complaint[LINE] = "";
    bool good = read_report(job->pipe, registers, complaint);
    int status = pclose(job->pipe);
    if (ok(good && status == 0, "%s: %s", job->name, *registers ? registers : "not assembled"))
        unlink(job->path);
    else
        diag("%s (the text is in %s)", complaint, job->path);
}

static void finish_all(Assembly *x)
{
    for (int i = 0; i < x->running; i++) finish(&x->jobs[i]);
    x->running = 0;
}

static void write_text(Job *job, const char *text)
{
    FILE *out = ptxas_text(job->path, sizeof job->path);
    if (fputs(text, out) < 0 || fclose(out) != 0) bail("cannot write %s", job->path);
}

static void start(Assembly *x, const char *name, int chip)
{
    char command[3 * PATH];
    Job *job = &x->jobs[x->running];
    snprintf(job->name, sizeof job->name, "%s", name);
    write_text(job, x->text);
    snprintf(command, sizeof command, "%s -v -arch=sm_%d -o /dev/null %s 2>&1", ptxas(), chip,
             job->path);
    job->pipe = popen(command, "r");
    if (!job->pipe) bail("cannot run %s", command);
    if (++x->running == JOBS) finish_all(x);
}

/* -- Plans ------------------------------------------------------------------------------------ */

static bool seen_before(Assembly *x, const char *name)
{
    for (int i = 0; i < x->seen; i++)
        if (strcmp(x->names[i], name) == 0) return true;
    if (x->seen == PLANS) bail("more than %d plans", PLANS);
    strcpy(x->names[x->seen++], name);
    return false;
}

/* The .target that the text is written for. */
static int target_of(const char *text)
{
    const char *at = strstr(text, ".target sm_");
    return at ? atoi(at + strlen(".target sm_")) : 0;
}

static void try_plan(Assembly *x, const KernelDesc *kernel, const BenchSpec *spec)
{
    GemmPlan plan;
    const char *err = kernel_emit(kernel, &spec->problem, &plan, x->text, KERNEL_PTX_SIZE);
    if (err) {
        char text[BENCH_TEXT];
        bench_spec_print(spec, text, sizeof text);
        ok(false, "%s emits %s: %s", kernel->name, text, err);
        return;
    }
    if (seen_before(x, plan.name)) return;
    int chip = chip_for(x->chips, target_of(x->text));
    if (chip)
        start(x, plan.name, chip);
    else
        skip("%s: this ptxas knows no sm_%d or later", plan.name, target_of(x->text));
}

/* -- The walk --------------------------------------------------------------------------------- */

static const char *const types[] = {"f64", "f32", "tf32", "f16", "bf16", "cf32", "cf64"};
enum { TYPES = sizeof types / sizeof *types };

/* Each major of A, B and C, and both ends of the vector widths. */
static const struct {
    const char *store;
    int skew;
} few[] = {{"nnn", 0}, {"ntt", 0}, {"tnn", 0}, {"ttt", 0}, {"ggg", 0}, {"tnt", 1}, {"ntn", 1}};

/* A small problem that some chip's row takes, or false. */
static bool suits(const KernelDesc *kernel, const char *ab, const char *c, const char *store,
                  int skew, BenchSpec *spec)
{
    char text[BENCH_TEXT];
    snprintf(text, sizeof text, "%s:64x64x64:%s:c=%s:skew=%d", ab, store, c, skew);
    return !bench_spec_parse(text, spec) && !kernel->reject(kernel, &spec->problem, 90);
}

static void walk_few(Assembly *x, const KernelDesc *kernel, const char *ab, const char *c)
{
    BenchSpec spec;
    for (size_t i = 0; i < sizeof few / sizeof *few; i++)
        if (suits(kernel, ab, c, few[i].store, few[i].skew, &spec)) try_plan(x, kernel, &spec);
}

static void walk_all(Assembly *x, const KernelDesc *kernel, const char *ab, const char *c)
{
    static const char letters[] = "ntg";
    static const int skews[] = {0, 1, 2, 4};
    BenchSpec spec;
    for (int i = 0; i < 27 * 4; i++) {
        char store[4] = {letters[i % 3], letters[i / 3 % 3], letters[i / 9 % 3], '\0'};
        if (suits(kernel, ab, c, store, skews[i / 27], &spec)) try_plan(x, kernel, &spec);
    }
}

static void walk_types(Assembly *x, const KernelDesc *kernel, bool all)
{
    int before = x->seen;
    for (int ab = 0; ab < TYPES; ab++)
        for (int c = 0; c < TYPES; c++) (all ? walk_all : walk_few)(x, kernel, types[ab], types[c]);
    if (x->seen == before) skip("%s: takes no problem that this test knows", kernel->name);
}

int main(void)
{
    Assembly x = {.text = malloc(KERNEL_PTX_SIZE), .names = calloc(PLANS, sizeof *x.names)};
    const char *wish = getenv("KNAP_CHECK_LONG");
    if (!x.text || !x.names) bail("no memory");
    known_chips(x.chips);
    if (!x.chips[0]) skip_all("no ptxas (PTXAS or PATH)");
    for (const KernelDesc *k = kernels; k->name; k++)
        walk_types(&x, k, wish && strcmp(wish, "1") == 0);
    finish_all(&x);
    free(x.text);
    free(x.names);
    return tap_done();
}
