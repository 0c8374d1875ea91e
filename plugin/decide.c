/* decide: can and should. See decide.h. */
#include "plugin/decide.h"

#include <math.h>

static const struct {
    const char *name, *text;
} reasons[REASON_COUNT] = {
#define ROW(id, name, text) {name, text},
    REASON_LIST(ROW)
#undef ROW
};

const char *reason_name(Reason r)
{
    return (unsigned)r < REASON_COUNT ? reasons[r].name : "";
}

const char *reason_text(Reason r)
{
    return (unsigned)r < REASON_COUNT ? reasons[r].text : "";
}

static void set_align(GemmMatrix *x, const void *p, Memory memory)
{
    x->align = memory == MEMORY_DEVICE ? gemm_pointer_align(p) : 4;
}

void decide_canonical(GemmProblem *p, GemmArgs *args, const Env *env)
{
    if (p->alpha == SCALAR_ZERO) p->k = 0;
    if (p->compute == COMPUTE_AUTO && p->a.type == DTYPE_F32) p->compute = (uint8_t)env->sgemm;
    set_align(&p->a, args->a, (Memory)p->memory);
    set_align(&p->b, args->b, (Memory)p->memory);
    set_align(&p->c, args->c, (Memory)p->memory);
}

/* Seconds that no GPU can beat: one launch, and the operands at PCIe 5.0's full speed. */
static double best_of_all(const GemmProblem *p)
{
    const double launch_s = 8.5e-6, link_bps = 60e9;
    return launch_s + cost_operand_bytes(p) / link_bps;
}

Reason decide_early(const GemmProblem *p, EnvMode mode, double cpu_seconds)
{
    if (p->m == 0 || p->n == 0 || p->batch == 0) return REASON_TRIVIAL;
    if (mode == MODE_NEVER) return REASON_MODE;
    if (p->memory == MEMORY_DEVICE) return REASON_NONE;
    double product = cost_product(p);
    if (product == 0 || p->alpha == SCALAR_ZERO) return REASON_TRIVIAL;
    if (mode == MODE_ALWAYS) return REASON_NONE;
    if (product < DECIDE_TINY) return REASON_TINY;
    return best_of_all(p) >= cpu_seconds ? REASON_SLOWER : REASON_NONE;
}

/* Operands on the device have nowhere else to go, and KNAP_MODE=always does not weigh. */
static bool must_be_gpu(const GemmProblem *p, EnvMode mode)
{
    return p->memory == MEMORY_DEVICE || mode == MODE_ALWAYS;
}

static bool fits(const DeviceInfo *gpu, const GemmProblem *p)
{
    return p->memory == MEMORY_DEVICE || cost_operand_bytes(p) < 0.95 * (double)gpu->memory;
}

Decision decide_weigh(const DeviceInfo *gpu, const CpuMachine *cpu, const GemmProblem *p,
                      EnvMode mode, bool next, GpuReport *report, void *ctx)
{
    Decision d = {.gpu_seconds = INFINITY, .cpu_seconds = cost_cpu_seconds(cpu, p, next)};
    double seconds = 0;
    d.kernel = gpu_choose(gpu, p, &seconds, report, ctx);
    if (!d.kernel) {
        d.reason = REASON_NO_KERNEL;
        return d;
    }
    d.gpu_seconds = seconds;
    if (p->memory == MEMORY_HOST) d.gpu_seconds += gpu_transfer_seconds(gpu, p);
    if (!fits(gpu, p))
        d.reason = REASON_TOO_LARGE;
    else if (!must_be_gpu(p, mode) && d.gpu_seconds >= d.cpu_seconds)
        d.reason = REASON_SLOWER;
    if (d.reason != REASON_NONE) d.kernel = NULL;
    return d;
}
