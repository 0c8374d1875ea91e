/* cli_explain: where a call would run, and why. See cli.h. */
#include "plugin/cli.h"

#include "plugin/decide.h"
#include "plugin/explain.h"
#include "plugin/models.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *routine;
    int64_t extent[3]; /* m, n, k */
    const char *trans;
    const char *device; /* spec to open, or NULL */
    const DeviceModel *model;
} Request;

/* The GPU that is asked about; why: there is none. */
typedef struct {
    DeviceInfo info;
    const char *why;
} Target;

/* -- Arguments --------------------------------------------------------------------------------- */

static Dtype routine_type(const char *routine)
{
    static const char letters[] = "sdczhb";
    static const Dtype types[] = {DTYPE_F32,  DTYPE_F64, DTYPE_CF32,
                                  DTYPE_CF64, DTYPE_F16, DTYPE_BF16};
    const char *at = routine[0] ? strchr(letters, routine[0]) : NULL;
    return at && strcmp(routine + 1, "gemm") == 0 ? types[at - letters] : DTYPE_NONE;
}

static bool parse_extent(const char *text, int64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return end != text && *end == '\0' && errno == 0 && *out >= 0;
}

static bool known_trans(const char *text)
{
    return strlen(text) == 2 && strspn(text, "ntNT") == 2;
}

/* One option and its value; 0, or 2 after a sentence. */
static int parse_option(Request *r, const char *name, const char *value)
{
    if (!value) return cli_wrong("%s needs a value", name);
    if (strcmp(name, "--device") == 0) {
        r->device = value;
        return 0;
    }
    if (strcmp(name, "--gpu") != 0)
        return cli_wrong("explain knows --device and --gpu, not %s", name);
    r->model = model_find(value);
    if (r->model) return 0;
    fprintf(stderr, "knap: known GPUs:");
    for (const DeviceModel *m = device_models; m->key; m++) fprintf(stderr, " %s", m->key);
    fputc('\n', stderr);
    return 2;
}

static int parse_word(Request *r, int place, const char *word)
{
    static const char *const names[] = {"M", "N", "K"};
    if (place == 0) {
        r->routine = word;
        if (routine_type(word) == DTYPE_NONE)
            return cli_wrong("%s is none of sgemm dgemm cgemm zgemm hgemm bgemm", word);
    } else if (place <= 3) {
        if (!parse_extent(word, &r->extent[place - 1]))
            return cli_wrong("%s must be a number of at least 0, not %s", names[place - 1], word);
    } else if (place == 4 && known_trans(word)) {
        r->trans = word;
    } else {
        return cli_wrong("%s is none of nn nt tn tt", word);
    }
    return 0;
}

static int parse(Request *r, int argc, char **argv)
{
    int place = 0;
    for (int i = 1; i < argc; i++) {
        bool option = argv[i][0] == '-';
        int wrong =
            option ? parse_option(r, argv[i], argv[i + 1]) : parse_word(r, place++, argv[i]);
        if (wrong) return wrong;
        i += option;
    }
    if (place < 4) return cli_wrong("explain needs ROUTINE M N K, e.g. sgemm 4096 4096 4096");
    return 0;
}

/* -- The problem ------------------------------------------------------------------------------- */

static int64_t at_least_one(int64_t x)
{
    return x > 0 ? x : 1;
}

/* rows x cols, column-major; transposed: stored as its transpose. */
static GemmMatrix matrix(Dtype type, int64_t rows, int64_t cols, char trans)
{
    bool t = trans == 't' || trans == 'T';
    return (GemmMatrix){
        .type = (uint8_t)type, .rs = t ? at_least_one(cols) : 1, .cs = t ? 1 : at_least_one(rows)};
}

static GemmProblem problem(const Request *r)
{
    int64_t m = r->extent[0], n = r->extent[1], k = r->extent[2];
    Dtype type = routine_type(r->routine);
    return (GemmProblem){.m = m,
                         .n = n,
                         .k = k,
                         .batch = 1,
                         .a = matrix(type, m, k, r->trans[0]),
                         .b = matrix(type, k, n, r->trans[1]),
                         .c = matrix(type, m, n, 'n'),
                         .alpha = SCALAR_ONE,
                         .beta = SCALAR_ZERO};
}

/* -- The answer -------------------------------------------------------------------------------- */

static Target target(const Request *r)
{
    if (r->model) return (Target){.info = r->model->info};
    const char *spec = r->device ? r->device : env_get()->device;
    if (strcmp(spec, "cpu") == 0) return (Target){.why = "device cpu"};
    Device *device;
    DeviceError error = device_open(spec, &device);
    if (error) return (Target){.why = error};
    Target t = {.info = device->info};
    device->ops->close(device);
    return t;
}

static void print_row(void *ctx, const KernelDesc *kernel, const char *reason, double seconds)
{
    (void)ctx;
    char text[24];
    printf("  %-24s %s%s\n", kernel->name, reason ? "refused: " : "",
           reason ? reason : explain_seconds(seconds, text));
}

static void print_request(const Request *r, const GemmProblem *p, const Target *t)
{
    printf("%s %s %lld x %lld x %lld: %.4g GFLOP, %.4g MB in host memory\n", r->routine, r->trans,
           (long long)p->m, (long long)p->n, (long long)p->k, gemm_flops(p) * 1e-9,
           cost_operand_bytes(p) * 1e-6);
    if (t->why)
        printf("on no GPU: %s\n", t->why);
    else
        printf("on %s, sm_%d%s\n", t->info.name, t->info.sm,
               r->model ? ", as data sheets say" : "");
}

static Decision decision(const Target *t, const GemmProblem *p, const CpuMachine *cpu)
{
    const Env *env = env_get();
    Decision d = {.gpu_seconds = INFINITY, .cpu_seconds = cost_cpu_seconds(cpu, p, true)};
    if (t->why)
        d.reason = REASON_NO_DEVICE;
    else
        d = decide_weigh(&t->info, cpu, p, env->mode, true, print_row, NULL);
    Reason early = decide_early(p, env->mode, d.cpu_seconds);
    if (early != REASON_NONE) {
        d.kernel = NULL;
        d.reason = early;
    }
    return d;
}

static void print_decision(const Target *t, const GemmProblem *p, const CpuMachine *cpu,
                           const Decision *d)
{
    char text[24];
    if (d->gpu_seconds < INFINITY) {
        printf("  GPU  %s", explain_seconds(d->gpu_seconds, text));
        printf(", of which %s to bring the operands and fetch C\n",
               explain_seconds(gpu_transfer_seconds(&t->info, p), text));
    }
    bool half = dtype_bits((Dtype)p->c.type) == 16;
    printf("  CPU  %s by %s on %d cores with %s\n", explain_seconds(d->cpu_seconds, text),
           half ? "cpu_ref" : "an optimised BLAS", cpu->cores, cpu->isa);
    if (d->kernel)
        printf("  ->   GPU: %s\n", d->kernel->name);
    else
        printf("  ->   CPU: %s: %s\n", reason_name(d->reason), reason_text(d->reason));
}

int cli_explain(int argc, char **argv)
{
    Request r = {.trans = "nn"};
    int wrong = parse(&r, argc, argv);
    if (wrong) return wrong;
    GemmProblem p = problem(&r);
    GemmArgs none = {0};
    Target t = target(&r);
    CpuMachine cpu = cost_cpu_machine();
    print_request(&r, &p, &t);
    decide_canonical(&p, &none, env_get());
    Decision d = decision(&t, &p, &cpu);
    print_decision(&t, &p, &cpu, &d);
    return 0;
}
