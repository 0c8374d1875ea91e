/* blas_call: see blas_call.h. */
#include "plugin/blas_call.h"

#include "cpu_ref/cpu_gemm.h"

#include <string.h>

/* -- Checking ---------------------------------------------------------------------------------- */

static bool is_trans(char t)
{
    return t == 'N' || t == 'T' || t == 'C';
}

static bool ld_too_small(int64_t ld, int64_t rows)
{
    return ld < (rows > 1 ? rows : 1);
}

/* The order of the checks, and so which of two errors is reported, is the reference's. */
int blas_call_check(const BlasGemm *gemm)
{
    const int64_t rows_a = gemm->transa == 'N' ? gemm->m : gemm->k;
    const int64_t rows_b = gemm->transb == 'N' ? gemm->k : gemm->n;
    if (!is_trans(gemm->transa)) return 1;
    if (!is_trans(gemm->transb)) return 2;
    if (gemm->m < 0) return 3;
    if (gemm->n < 0) return 4;
    if (gemm->k < 0) return 5;
    if (ld_too_small(gemm->lda, rows_a)) return 8;
    if (ld_too_small(gemm->ldb, rows_b)) return 10;
    if (ld_too_small(gemm->ldc, gemm->m)) return 13;
    return 0;
}

/* -- Computing --------------------------------------------------------------------------------- */

static GemmMatrix matrix(Dtype type, const void *data, int64_t ld, char trans)
{
    return (GemmMatrix){
        .rs = trans == 'N' ? 1 : ld,
        .cs = trans == 'N' ? ld : 1,
        .type = (uint8_t)type,
        .conj = trans == 'C' && dtype_is_complex(type),
        .align = gemm_pointer_align(data),
    };
}

static GemmProblem problem(Dtype type, const BlasGemm *gemm)
{
    return (GemmProblem){
        .m = gemm->m,
        .n = gemm->n,
        .k = gemm->k,
        .batch = 1,
        .a = matrix(type, gemm->a, gemm->lda, gemm->transa),
        .b = matrix(type, gemm->b, gemm->ldb, gemm->transb),
        .c = matrix(type, gemm->c, gemm->ldc, 'N'),
        .compute = COMPUTE_AUTO,
        .alpha = (uint8_t)gemm_scalar_class(gemm->alpha),
        .beta = (uint8_t)gemm_scalar_class(gemm->beta),
        .memory = MEMORY_HOST,
    };
}

static GemmArgs arguments(const BlasGemm *gemm)
{
    GemmArgs args = {.a = gemm->a, .b = gemm->b, .c = gemm->c};
    memcpy(args.alpha, gemm->alpha, sizeof args.alpha);
    memcpy(args.beta, gemm->beta, sizeof args.beta);
    return args;
}

static void forward_guarded(void *ctx)
{
    const BlasForward *forward = ctx;
    next_blas_enter();
    forward->run(forward->call);
    next_blas_leave();
}

/* A BLAS returns no status: what could not be computed is in knap_last_error and the statistics. */
void blas_call_gemm(const BlasName *name, const BlasGemm *gemm, const BlasForward *forward)
{
    const GemmProblem p = problem(name->type, gemm);
    const GemmArgs args = arguments(gemm);
    BlasForward kept = *forward;
    const NextCall next = {.run = forward_guarded, .ctx = &kept, .name = kept.next->library};
    const CallInfo info = {.routine = name->routine};
    KnapHandle *handle = handle_default();
    if (handle)
        (void)dispatch_gemm(handle, &p, &args, info, kept.next->fn ? &next : NULL);
    else if (kept.next->fn)
        forward_guarded(&kept);
    else
        (void)cpu_gemm(&p, &args);
}
