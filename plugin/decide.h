/*
 * decide: can the GPU compute a problem, and should it? Pure functions of the problem, the settings
 * and two machines, so that `knap explain` can ask them about a GPU that is not there.
 */
#ifndef KNAP_PLUGIN_DECIDE_H
#define KNAP_PLUGIN_DECIDE_H

#include "plugin/cost.h"
#include "plugin/dispatch.h"

/* m*n*k*batch below which no GPU can win: its launch alone takes as long as one core needs for
 * the product. */
#define DECIDE_TINY 1e6

/*
 * The form that kernels see: k = 0 where alpha is 0, alignment filled
 * in, KNAP_SGEMM applied. Operands in host memory are staged, and a staged operand is aligned.
 */
void decide_canonical(GemmProblem *p, GemmArgs *args, const Env *env);

/*
 * Reasons that need no device: TRIVIAL, MODE, TINY, and SLOWER where the best of all GPUs would
 * lose to cpu_seconds; NONE where a device should be asked. So a program whose products are small
 * never waits for CUDA to start. Problems in device memory are refused here only where C is empty
 * or KNAP_MODE=never.
 */
Reason decide_early(const GemmProblem *p, EnvMode mode, double cpu_seconds);

/*
 * Weighs a canonical problem on a GPU against this CPU. next: whether the CPU would be used by the
 * next BLAS or by cpu_ref. report: see gpu_choose.
 */
Decision decide_weigh(const DeviceInfo *gpu, const CpuMachine *cpu, const GemmProblem *p,
                      EnvMode mode, bool next, GpuReport *report, void *ctx);

#endif
