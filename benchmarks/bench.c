/*
 * bench: `knap bench`, the one driver that measures and verifies. See bench.h and README.md.
 *
 * Results go to stdout, as a table at the end; remarks go to stderr. Each problem is checked (-y),
 * then timed, alone or in turn with a peer (--vs).
 */
#include "benchmarks/bench.h"
#include "benchmarks/check.h"
#include "cpu_ref/cpu_gemm.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *device, *kernel, *peer, *csv;
    Memory memory;
    bool memory_given, device_given, verify;
    int repetitions;
    BenchSpec *specs; /* owned */
    int count;
    char command[512];
} Options;

typedef struct {
    Options options;
    BenchEngine engine;
    BenchPeer *peer;
    BenchRow *rows; /* owned, one a spec */
    bool failed;
} Bench;

/* -- Options ---------------------------------------------------------------------------------- */

static const char usage[] =
    "usage: knap bench [-s PROBLEM]... [-f FILE]... [-y] [options]\n"
    "  -s PROBLEM         TYPE:MxNxK[:nt][:KEY=VALUE]..., e.g. f16:4096x4096x4096:nt:c=f32\n"
    "  -f FILE            problems, one a line\n"
    "  -y                 verify each against the definition\n"
    "  -n N               repetitions (10); -n 0 only verifies\n"
    "  --device SPEC      0, 1, ..., sim:sm_80 or cpu (default: 0, or cpu where there is no GPU)\n"
    "  --kernel NAME      force a kernel (knap list)\n"
    "  --vs LIB           time a BLAS shared library in turn, or cublas\n"
    "  --data host|device where the operands are (host: transfers are timed too)\n"
    "  --csv FILE         append the results with their provenance\n"
    "keys: batch c alpha beta lda ldb ldc pad skew compute seed\n";

static const struct option long_options[] = {
    {"device", required_argument, NULL, 'd'},
    {"kernel", required_argument, NULL, 'k'},
    {"vs", required_argument, NULL, 'v'},
    {"data", required_argument, NULL, 'm'},
    {"csv", required_argument, NULL, 'c'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static BenchError add_spec(Options *o, const char *text)
{
    BenchSpec *grown = realloc(o->specs, ((size_t)o->count + 1) * sizeof *grown);
    if (!grown) return bench_error("out of memory");
    o->specs = grown;
    return bench_spec_parse(text, &grown[o->count++]);
}

static BenchError set_memory(Options *o, const char *text)
{
    bool device = strcmp(text, "device") == 0;
    if (!device && strcmp(text, "host") != 0) return bench_error("--data is host or device");
    o->memory = device ? MEMORY_DEVICE : MEMORY_HOST;
    o->memory_given = true;
    return NULL;
}

static BenchError set_repetitions(Options *o, const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (end == text || *end || n < 0 || n > 1000) return bench_error("-n is 0 to 1000");
    o->repetitions = (int)n;
    return NULL;
}

static BenchError set_device(Options *o, const char *text)
{
    o->device = text;
    o->device_given = true;
    return NULL;
}

static BenchError set_option(Options *o, int letter, const char *text)
{
    switch (letter) {
    case 's': return add_spec(o, text);
    case 'f': return bench_spec_read(text, &o->specs, &o->count);
    case 'y': o->verify = true; return NULL;
    case 'n': return set_repetitions(o, text);
    case 'd': return set_device(o, text);
    case 'k': o->kernel = text; return NULL;
    case 'v': o->peer = text; return NULL;
    case 'm': return set_memory(o, text);
    case 'c': o->csv = text; return NULL;
    default: return usage;
    }
}

static void keep_command(Options *o, int argc, char **argv)
{
    size_t len = (size_t)snprintf(o->command, sizeof o->command, "knap bench");
    for (int i = 1; i < argc && len < sizeof o->command; i++) {
        if (strcmp(argv[i], "--csv") == 0) { /* where it is written is not what was measured */
            i++;
            continue;
        }
        len += (size_t)snprintf(o->command + len, sizeof o->command - len, " %s", argv[i]);
    }
}

static BenchError add_defaults(Options *o)
{
    static const char *const problems[] = {"f32:1024x1024x1024", "f32:2048x2048x2048",
                                           "f64:1024x1024x1024"};
    BenchError err = NULL;
    for (size_t i = 0; !err && o->count < 3 && i < 3; i++) err = add_spec(o, problems[i]);
    return err;
}

static BenchError read_options(Options *o, int argc, char **argv)
{
    *o = (Options){.device = "0", .repetitions = 10};
    keep_command(o, argc, argv);
    optind = 0; /* the command that called us may have used getopt */
    BenchError err = NULL;
    int letter;
    while (!err && (letter = getopt_long(argc, argv, "s:f:yn:h", long_options, NULL)) != -1)
        err = set_option(o, letter, optarg);
    if (!err && optind < argc) err = usage;
    return err || o->count ? err : add_defaults(o);
}

/* -- Opening ---------------------------------------------------------------------------------- */

/* Without --device, a machine without a GPU measures its CPU. */
static BenchError open_engine(Bench *x)
{
    Options *o = &x->options;
    BenchError err = bench_engine_open(&x->engine, o->device, o->kernel);
    if (!err || o->device_given || o->kernel) return err;
    fprintf(stderr, "knap bench: %s; using the CPU\n", err);
    return bench_engine_open(&x->engine, "cpu", NULL);
}

/* Operands go where the peer wants them unless the user has said. */
static BenchError place_operands(Bench *x)
{
    Options *o = &x->options;
    bool on_device = x->peer && x->peer->memory == MEMORY_DEVICE;
    if (on_device && !x->engine.gpu) return bench_error("--vs %s needs a GPU", x->peer->name);
    if (on_device && !o->memory_given) o->memory = MEMORY_DEVICE;
    if (on_device && o->memory == MEMORY_HOST)
        return bench_error("--vs %s needs --data device", x->peer->name);
    if (o->memory == MEMORY_DEVICE && !x->engine.gpu)
        return bench_error("--data device needs a GPU");
    x->engine.memory = o->memory;
    return NULL;
}

static BenchError open_all(Bench *x)
{
    BenchError err = open_engine(x);
    if (!err && x->options.peer) err = bench_peer_open(x->options.peer, &x->peer);
    if (!err) err = place_operands(x);
    if (err) return err;
    x->rows = calloc((size_t)x->options.count, sizeof *x->rows);
    return x->rows ? NULL : bench_error("out of memory");
}

static void close_all(Bench *x)
{
    if (x->peer) x->peer->close(x->peer);
    bench_engine_close(&x->engine);
    free(x->rows);
    free(x->options.specs);
}

/* -- Verifying -------------------------------------------------------------------------------- */

static void subject_options(const Bench *x, const char *kernel, char *buf, size_t size)
{
    snprintf(buf, size, "--device %s%s%s%s", x->engine.spec, kernel ? " --kernel " : "",
             kernel ? kernel : "", x->engine.memory == MEMORY_DEVICE ? " --data device" : "");
}

/* The word for the table; a failure is explained on stderr. */
static const char *verify(Bench *x, const BenchSpec *spec, const KernelDesc *kernel)
{
    char options[128], why[CHECK_TEXT];
    subject_options(x, kernel ? kernel->name : NULL, options, sizeof options);
    const CheckSubject who = {.run = bench_engine_run,
                              .ctx = &x->engine,
                              .options = options,
                              .tensor_core = bench_engine_tensor_core(&x->engine, &spec->problem)};
    if (check_gemm(&who, spec, why, sizeof why))
        return check_samples(&spec->problem) ? "ok (sampled)" : "ok";
    fprintf(stderr, "%s\n", why);
    x->failed = true;
    return "WRONG";
}

/* -- Timing ----------------------------------------------------------------------------------- */

/* One product by the engine or by the peer, on operands that stay where they are. */
typedef struct {
    Bench *bench;
    const KernelDesc *kernel;
    const GemmProblem *problem;
    const GemmArgs *args;
} Product;

static BenchError start_ours(void *ctx)
{
    const Product *x = ctx;
    Gpu *gpu = x->bench->engine.gpu;
    return gpu ? gpu_gemm(gpu, x->kernel, x->problem, x->args) : cpu_gemm(x->problem, x->args);
}

static BenchError start_peer(void *ctx)
{
    const Product *x = ctx;
    return x->bench->peer->run(x->bench->peer, x->problem, x->args);
}

static BenchError wait_device(void *ctx)
{
    const Product *x = ctx;
    Device *d = x->bench->engine.device;
    return d ? d->ops->queue_wait(d, NULL) : NULL;
}

/* A problem that the peer cannot do is timed without it. */
static bool peer_can(Bench *x, Product *theirs)
{
    if (!x->peer) return false;
    BenchError err = start_peer(theirs);
    if (!err) err = wait_device(theirs);
    if (err) fprintf(stderr, "knap bench: without %s: %s\n", x->peer->name, err);
    return err == NULL;
}

static BenchError time_products(Bench *x, Product *ours, Product *theirs, BenchRow *row)
{
    BenchRunner runners[2] = {{.start = start_ours, .wait = wait_device, .ctx = ours},
                              {.start = start_peer, .wait = wait_device, .ctx = theirs}};
    BenchError err = bench_time(runners, peer_can(x, theirs) ? 2 : 1, x->options.repetitions);
    if (err) return err;
    row->seconds = runners[0].median;
    row->best = runners[0].best;
    row->peer_seconds = runners[1].median;
    return NULL;
}

/* A peer that works in host memory is given operands there, even where ours are on the device. */
static BenchError time_case(Bench *x, const BenchCase *c, BenchRow *row)
{
    BenchResident resident = {0};
    bool on_device = x->engine.memory == MEMORY_DEVICE;
    BenchError err =
        on_device ? bench_resident_new(x->engine.device, &c->problem, &c->args, &resident) : NULL;
    Product here = {x, NULL, &c->problem, &c->args};
    Product there = {x, NULL, &resident.problem, &resident.args};
    Product ours = on_device ? there : here;
    if (!err) err = bench_engine_choose(&x->engine, ours.problem, &ours.kernel);
    bool peer_there = x->peer && x->peer->memory == MEMORY_DEVICE;
    if (!err) err = time_products(x, &ours, peer_there ? &there : &here, row);
    if (err) err = bench_error("%s", err);
    if (on_device) bench_resident_free(&resident);
    return err;
}

static BenchError time_spec(Bench *x, const BenchSpec *spec, BenchRow *row)
{
    BenchCase c;
    BenchError err = bench_case_new(spec, &c);
    if (err) return err;
    bench_case_fill(&c, DATA_RANDOM, false);
    err = time_case(x, &c, row);
    bench_case_free(&c);
    return err;
}

/* -- All problems ----------------------------------------------------------------------------- */

static void describe(const Bench *x, const BenchSpec *spec, const KernelDesc *kernel, BenchRow *row)
{
    bench_spec_print(spec, row->problem, sizeof row->problem);
    snprintf(row->where, sizeof row->where, "%s", bench_engine_where(&x->engine));
    if (kernel)
        snprintf(row->kernel, sizeof row->kernel, "%s", kernel->name);
    else
        snprintf(row->kernel, sizeof row->kernel, "cpu_gemm %s", cpu_gemm_isa());
    strcpy(row->data, x->engine.memory == MEMORY_DEVICE ? "device" : "host");
    if (x->peer) strcpy(row->peer, x->peer->name);
    row->flops = gemm_flops(&spec->problem);
    strcpy(row->check, "-");
}

static void run_spec(Bench *x, const BenchSpec *spec, BenchRow *row)
{
    const KernelDesc *kernel = NULL;
    BenchError err =
        x->engine.gpu ? bench_engine_choose(&x->engine, &spec->problem, &kernel) : NULL;
    if (!err) describe(x, spec, kernel, row);
    if (!err && x->options.verify) strcpy(row->check, verify(x, spec, kernel));
    if (!err && x->options.repetitions) err = time_spec(x, spec, row);
    if (!err) return;
    bench_spec_print(spec, row->problem, sizeof row->problem);
    strcpy(row->check, "could not run");
    fprintf(stderr, "knap bench: %s: %s\n", row->problem, err);
    x->failed = true;
}

static BenchError run_all(Bench *x)
{
    const Options *o = &x->options;
    for (int i = 0; i < o->count; i++) run_spec(x, &o->specs[i], &x->rows[i]);
    bench_record_table(stdout, x->rows, o->count);
    const BenchContext run = {x->engine.gpu ? gpu_info(x->engine.gpu) : NULL, o->command,
                              o->repetitions};
    return o->csv ? bench_record_csv(o->csv, &run, x->rows, o->count) : NULL;
}

int bench_main(int argc, char **argv)
{
    Bench x = {0};
    BenchError err = read_options(&x.options, argc, argv);
    if (err) {
        fprintf(stderr, err == usage ? "%s" : "knap bench: %s\n", err);
        free(x.options.specs);
        return 2;
    }
    err = open_all(&x);
    if (!err) err = run_all(&x);
    if (err) fprintf(stderr, "knap bench: %s\n", err);
    close_all(&x);
    return err || x.failed ? 1 : 0;
}
