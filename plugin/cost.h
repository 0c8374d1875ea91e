/*
 * cost: the CPU's side of the cost model, in seconds. The GPU's side is KernelDesc's cost.
 *
 * A first model of measured constants: work at a rate a core, or bytes at a bandwidth, whichever is
 * longer. Pure but for cost_cpu_machine, which asks the system. Nothing here fails.
 */
#ifndef KNAP_PLUGIN_COST_H
#define KNAP_PLUGIN_COST_H

#include "layout/gemm.h"

/* The CPU as the model sees it. */
typedef struct {
    int cores;       /* physical cores that this thread may run on */
    const char *isa; /* cpu_gemm_isa */
} CpuMachine;

/* This machine, asked of the system: a few microseconds, so once a handle. */
CpuMachine cost_cpu_machine(void);

/* Seconds that the CPU needs for p: by an optimised BLAS, the next one, or by cpu_ref. */
double cost_cpu_seconds(const CpuMachine *cpu, const GemmProblem *p, bool next);

/* Bytes of the elements of A, B and C, each counted once. */
double cost_operand_bytes(const GemmProblem *p);

/* m*n*k*batch: what thresholds and shape classes are made of. */
double cost_product(const GemmProblem *p);

#endif
