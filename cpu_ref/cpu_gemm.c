/*
 * cpu_gemm: which problems the blocked GEMM takes, and which threads do what. See cpu_gemm.h.
 *
 * Threads work together on one product, or, where a batch consists of small ones, each on its own.
 */
#include "cpu_ref/cpu_gemm.h"

#include "cpu_ref/cpu_block.h"
#include "cpu_ref/cpu_team.h"

/* Products, [batches.from, batches.to), that a team computes together. */
typedef struct {
    const CpuJob *job;
    const CpuSpace *space;
    Range batches;
} Together;

static void member_of_product(void *ctx, Member me)
{
    const Together *t = ctx;
    for (int64_t b = t->batches.from; b < t->batches.to; b++)
        cpu_block_run(t->job, t->space, b, me);
}

static void multiply_together(const CpuJob *job, Range batches, int threads)
{
    _Alignas(64) char least[CPU_SPACE_LEAST];
    CpuSpace space = cpu_space_open(job, least);
    Together t = {job, &space, batches};
    cpu_team_run(threads, member_of_product, &t);
    cpu_space_close(&space);
}

static void member_of_batch(void *ctx, Member me)
{
    const CpuJob *job = ctx;
    multiply_together(job, cpu_team_share(job->p.batch, me), 1);
}

/* A and B of one real type or of f16 or bf16, C that type, or f32 where they are narrow. */
static const char *reason_unsupported(const GemmProblem *p)
{
    const Dtype a = (Dtype)p->a.type, c = (Dtype)p->c.type;
    const bool narrow = a == DTYPE_F16 || a == DTYPE_BF16;
    const bool wide = a == DTYPE_F32 || a == DTYPE_F64 || a == DTYPE_CF32 || a == DTYPE_CF64;
    if (p->a.type != p->b.type) return "the CPU's gemm needs A and B of one type";
    if (!narrow && !wide)
        return "the CPU's gemm knows A and B of type f16, bf16, f32, f64, cf32 and cf64 only";
    if (c != a && !(narrow && c == DTYPE_F32))
        return "the CPU's gemm gives C the type of A and B, or f32 where they are f16 or bf16";
    return NULL;
}

const char *cpu_gemm(const GemmProblem *p, const GemmArgs *args)
{
    const char *reason = reason_unsupported(p);
    if (reason || p->m <= 0 || p->n <= 0 || p->batch <= 0) return reason;
    CpuJob job = cpu_job_plan(p, args);
    const double flops = gemm_flops(p);
    const int threads = cpu_team_size(flops);
    const bool apart = p->batch >= threads && cpu_team_size(flops / (double)p->batch) < threads;
    if (threads > 1 && apart)
        cpu_team_run(threads, member_of_batch, &job);
    else
        multiply_together(&job, (Range){0, p->batch}, threads);
    return NULL;
}
