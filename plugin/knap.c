/* knap: the public calls that compute and count. See knap.h. */
#include "plugin/handle.h"
#include "plugin/problem.h"

/* MEMORY_DEVICE if any operand is the GPU's own; managed and page-locked memory goes with the
 * others. Mixed, or another GPU's: a sentence. */
static const char *find_memory(KnapHandle *h, GemmProblem *p, const GemmArgs *args)
{
    if (p->m == 0 || p->n == 0 || p->batch == 0) return NULL;
    const bool read = p->k > 0 && p->alpha != SCALAR_ZERO;
    const void *at[] = {args->c, args->a, args->b};
    bool seen[POINTER_ELSEWHERE + 1] = {false};
    for (int i = 0; i < (read ? 3 : 1); i++) seen[handle_where(h, at[i])] = true;
    if (seen[POINTER_ELSEWHERE]) return "a, b, c: memory of another GPU than KNAP_DEVICE's";
    p->memory = seen[POINTER_DEVICE] ? MEMORY_DEVICE : MEMORY_HOST;
    return seen[POINTER_DEVICE] && seen[POINTER_HOST]
               ? "a, b, c: some are in host memory and some in device memory"
               : NULL;
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
