/*
 * dispatch: where each gemm is computed, and why. See dispatch.h.
 */
#include "cpu_ref/cpu_gemm.h"
#include "plugin/decide.h"
#include "plugin/explain.h"
#include "plugin/handle.h"

#include <math.h>
#include <time.h>

/* One call on its way. The problem is kept as it was asked, for the CPU and the log, and in the
 * form that kernels see. */
typedef struct {
    KnapHandle *handle;
    const GemmProblem *asked;
    const GemmArgs *asked_args;
    GemmProblem p;
    GemmArgs args;
    CallInfo info;
    const NextCall *next;
    Decision decision;
    Reason reason;
    const char *detail; /* the device's sentence, "" where it has not failed */
    double start;
} Call;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* -- Deciding ---------------------------------------------------------------------------------- */

/* p is canonical. Operands in device memory have nowhere else to go: failures do not stop them. */
static Decision decide(KnapHandle *h, const GemmProblem *p, bool next, GpuReport *report, void *ctx)
{
    const EnvMode mode = h->env->mode;
    Decision no = {.gpu_seconds = INFINITY, .cpu_seconds = cost_cpu_seconds(&h->cpu, p, next)};
    no.reason = decide_early(p, mode, no.cpu_seconds);
    if (no.reason == REASON_NONE) no.reason = handle_refusal(h);
    if (no.reason == REASON_DISABLED && p->memory == MEMORY_DEVICE) no.reason = REASON_NONE;
    if (no.reason != REASON_NONE) return no;
    Gpu *gpu = handle_gpu(h);
    if (gpu) return decide_weigh(gpu_info(gpu), &h->cpu, p, mode, next, report, ctx);
    no.reason = REASON_NO_DEVICE;
    return no;
}

Decision dispatch_decide(KnapHandle *handle, const GemmProblem *p, GpuReport *report, void *ctx)
{
    GemmProblem q = *p;
    GemmArgs none = {0};
    decide_canonical(&q, &none, handle->env);
    return decide(handle, &q, true, report, ctx);
}

/* -- Computing --------------------------------------------------------------------------------- */

static KnapStatus finish(const Call *call, Place place, const char *where)
{
    const double seconds = now() - call->start;
    KnapHandle *h = call->handle;
    stats_add(h->stats, call->info.routine, call->asked, place, call->reason, where, seconds);
    if (h->env->verbose > 0)
        explain_call(stderr, &(ExplainCall){.routine = call->info.routine,
                                            .problem = call->asked,
                                            .args = call->asked_args,
                                            .place = place,
                                            .reason = call->reason,
                                            .where = where,
                                            .detail = call->detail,
                                            .decision = call->decision,
                                            .seconds = seconds});
    return KNAP_OK;
}

/* True if the GPU computed it; else C is untouched and the reason is in the call. */
static bool done_by_gpu(Call *call)
{
    if (!call->decision.kernel) return false;
    call->detail = gpu_gemm(handle_gpu(call->handle), call->decision.kernel, &call->p, &call->args);
    handle_note(call->handle, call->detail);
    if (!call->detail) call->detail = "";
    if (call->detail[0]) call->reason = REASON_FAILED;
    return call->reason == REASON_NONE;
}

/* KNAP_MODE=always asks for our own code. */
static bool done_by_next(const Call *call)
{
    if (!call->next || call->handle->env->mode == MODE_ALWAYS) return false;
    call->next->run(call->next->ctx);
    return true;
}

/* Device memory that the GPU did not take: nobody else can. */
static KnapStatus lost(const Call *call)
{
    if (call->reason == REASON_NO_KERNEL)
        return error_set(KNAP_UNSUPPORTED, "no kernel can compute this product in device memory");
    const char *detail = call->reason == REASON_NO_DEVICE ? handle_why(call->handle) : call->detail;
    return error_set(KNAP_DEVICE_ERROR, "operands in device memory: %s%s%s",
                     reason_name(call->reason), detail[0] ? ": " : "", detail);
}

static KnapStatus unsupported(const Call *call, const char *sentence)
{
    if (call->reason == REASON_FAILED)
        return error_set(KNAP_DEVICE_ERROR, "%s; and on the CPU: %s", call->detail, sentence);
    return error_set(KNAP_UNSUPPORTED, "%s", sentence);
}

static Call begin(KnapHandle *handle, const GemmProblem *p, const GemmArgs *args, CallInfo info,
                  const NextCall *next)
{
    Call call = {.handle = handle,
                 .asked = p,
                 .asked_args = args,
                 .p = *p,
                 .args = *args,
                 .info = info,
                 .next = next,
                 .detail = "",
                 .start = now()};
    decide_canonical(&call.p, &call.args, handle->env);
    GpuReport *report = handle->env->verbose > 1 ? explain_kernel : NULL;
    call.decision = decide(handle, &call.p, next != NULL, report, stderr);
    call.reason = call.decision.reason;
    return call;
}

KnapStatus dispatch_gemm(KnapHandle *handle, const GemmProblem *p, const GemmArgs *args,
                         CallInfo info, const NextCall *next)
{
    Call call = begin(handle, p, args, info, next);
    if (done_by_gpu(&call)) return finish(&call, PLACE_GPU, call.decision.kernel->name);
    if (p->memory == MEMORY_DEVICE && call.reason != REASON_TRIVIAL) return lost(&call);
    if (done_by_next(&call)) return finish(&call, PLACE_NEXT, next->name);
    const char *sentence = cpu_gemm(p, args);
    if (sentence) return unsupported(&call, sentence);
    return finish(&call, PLACE_CPU, "cpu_ref");
}
