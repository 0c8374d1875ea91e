/* knap: the public calls that compute and count. See knap.h. */
#include "plugin/handle.h"
#include "plugin/problem.h"

/* MEMORY_DEVICE if any operand is the GPU's own; managed memory goes with the others. Mixed: a
 * sentence. */
static const char *find_memory(KnapHandle *h, GemmProblem *p, const GemmArgs *args)
{
    Gpu *gpu = handle_gpu_to_ask(h);
    if (!gpu || p->m == 0 || p->n == 0 || p->batch == 0) return NULL;
    bool read = p->k > 0 && p->alpha != SCALAR_ZERO;
    PointerKind c = gpu_where(gpu, args->c);
    PointerKind a = read ? gpu_where(gpu, args->a) : c;
    PointerKind b = read ? gpu_where(gpu, args->b) : c;
    bool device = a == POINTER_DEVICE || b == POINTER_DEVICE || c == POINTER_DEVICE;
    bool host = a == POINTER_HOST || b == POINTER_HOST || c == POINTER_HOST;
    p->memory = device ? MEMORY_DEVICE : MEMORY_HOST;
    return device && host ? "a, b, c: some are in host memory and some in device memory" : NULL;
}

KnapStatus knap_gemm(KnapHandle *handle, const KnapGemm *gemm)
{
    if (!handle) return error_set(KNAP_INVALID_ARGUMENT, "handle is NULL");
    if (!gemm) return error_set(KNAP_INVALID_ARGUMENT, "gemm is NULL");
    GemmProblem p;
    GemmArgs args;
    KnapStatus status = problem_from_knap(gemm, &p, &args);
    if (status != KNAP_OK) return status;
    const char *why = find_memory(handle, &p, &args);
    if (!why) why = problem_check(&p, &args);
    if (why) return error_set(KNAP_INVALID_ARGUMENT, "%s", why);
    return dispatch_gemm(handle, &p, &args, (CallInfo){"knap_gemm"}, NULL);
}

void knap_stats(KnapHandle *handle, KnapStats *out)
{
    if (!out) return;
    *out = (KnapStats){0};
    if (handle) stats_sum(handle->stats, out);
}
