/* explain: lines for people about single calls. See explain.h. */
#include "plugin/explain.h"

#include <math.h>

const char *explain_place(Place place)
{
    static const char *const names[PLACE_COUNT] = {"gpu", "next", "cpu"};
    return (unsigned)place < PLACE_COUNT ? names[place] : "";
}

const char *explain_seconds(double seconds, char out[24])
{
    static const struct {
        double from, unit;
        const char *name;
    } units[] = {{1, 1, "s"}, {1e-3, 1e-3, "ms"}, {1e-6, 1e-6, "us"}, {0, 1e-9, "ns"}};
    int i = 0;
    while (seconds < units[i].from) i++;
    if (!(seconds < INFINITY))
        snprintf(out, 24, "never");
    else
        snprintf(out, 24, "%.4g %s", seconds / units[i].unit, units[i].name);
    return out;
}

/* -- Transposes and leading dimensions, read back from strides --------------------------------- */

static bool row_major(const GemmMatrix *x)
{
    return x->cs == 1 && x->rs != 1;
}

/* A stride of an extent of one says nothing, so both letters may be right: N then. */
static char trans_letter(const GemmMatrix *x, bool rows)
{
    int64_t straight = rows ? x->cs : x->rs, crossed = rows ? x->rs : x->cs;
    if (straight != 1 && crossed != 1) return 'S';
    if (x->conj) return 'C';
    return straight == 1 ? 'N' : 'T';
}

void explain_trans(const GemmProblem *p, char out[3])
{
    bool rows = row_major(&p->c);
    out[0] = trans_letter(&p->a, rows);
    out[1] = trans_letter(&p->b, rows);
    out[2] = '\0';
}

static long long ld(const GemmMatrix *x)
{
    return x->rs == 1 ? x->cs : x->rs;
}

static const char *scalar(const double s[2], char out[32])
{
    if (s[1] == 0)
        snprintf(out, 32, "%.4g", s[0]);
    else
        snprintf(out, 32, "%.4g%+.4gi", s[0], s[1]);
    return out;
}

/* -- Lines ------------------------------------------------------------------------------------- */

/* sgemm(NT,512,512,512,alpha=1,lda=512,ldb=512,beta=0,ldc=512) */
static void print_call(char *out, size_t size, const ExplainCall *call)
{
    const GemmProblem *p = call->problem;
    char trans[3], alpha[32], beta[32], batch[32] = "";
    explain_trans(p, trans);
    if (p->batch != 1) snprintf(batch, sizeof batch, ",batch=%lld", (long long)p->batch);
    snprintf(out, size, "%s(%s%s,%lld,%lld,%lld,alpha=%s,lda=%lld,ldb=%lld,beta=%s,ldc=%lld%s)",
             call->routine, row_major(&p->c) ? "rows," : "", trans, (long long)p->m,
             (long long)p->n, (long long)p->k, scalar(call->args->alpha, alpha), ld(&p->a),
             ld(&p->b), scalar(call->args->beta, beta), ld(&p->c), batch);
}

/* " (cpu faster: gpu 1.2 ms, cpu 0.9 ms)": what is known of why the call was not taken. */
static void print_reason(char *out, size_t size, const ExplainCall *call)
{
    char gpu[24], cpu[24];
    out[0] = '\0';
    if (call->reason == REASON_NONE) return;
    if (call->reason == REASON_SLOWER && call->decision.gpu_seconds < INFINITY)
        snprintf(out, size, " (%s: gpu %s, cpu %s)", reason_name(call->reason),
                 explain_seconds(call->decision.gpu_seconds, gpu),
                 explain_seconds(call->decision.cpu_seconds, cpu));
    else
        snprintf(out, size, " (%s%s%s)", reason_name(call->reason), call->detail[0] ? ": " : "",
                 call->detail);
}

/* "1.2 ms 340 GFLOP/s"; work on device memory is only submitted by then, so it has no rate. */
static void print_time(char *out, size_t size, const ExplainCall *call)
{
    char seconds[24];
    explain_seconds(call->seconds, seconds);
    double rate = call->seconds > 0 ? gemm_flops(call->problem) / call->seconds * 1e-9 : 0;
    if (call->place == PLACE_GPU && call->problem->memory == MEMORY_DEVICE)
        snprintf(out, size, "submitted in %s", seconds);
    else
        snprintf(out, size, "%s %.4g GFLOP/s", seconds, rate);
}

void explain_call(FILE *out, const ExplainCall *call)
{
    char text[320], reason[320], time[64];
    print_call(text, sizeof text, call);
    print_reason(reason, sizeof reason, call);
    print_time(time, sizeof time, call);
    fprintf(out, "KNAP_VERBOSE %s %s %s:%s%s\n", text, time, explain_place(call->place),
            call->where, reason);
}

void explain_kernel(void *ctx, const KernelDesc *kernel, const char *reason, double seconds)
{
    char text[24];
    if (reason)
        fprintf(ctx, "KNAP_VERBOSE   %-32s refused: %s\n", kernel->name, reason);
    else
        fprintf(ctx, "KNAP_VERBOSE   %-32s %s\n", kernel->name, explain_seconds(seconds, text));
}

void explain_device(FILE *out, const char *spec, const Gpu *gpu, const char *why)
{
    if (!gpu) {
        fprintf(out, "KNAP_VERBOSE no device: %s\n", why);
        return;
    }
    const DeviceInfo *info = gpu_info(gpu);
    fprintf(out, "KNAP_VERBOSE knap %s device %s: %s, sm_%d, driver %s\n", knap_version(), spec,
            info->name, info->sm, info->driver[0] ? info->driver : "none");
}
