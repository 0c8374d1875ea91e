/*
 * cpu_gemm: the OpenMP reference, a blocked and packed GEMM for host memory. It is what computes
 * when there is no GPU and no other BLAS, and what finishes a call whose GPU failed.
 */
#ifndef KNAP_CPU_REF_CPU_GEMM_H
#define KNAP_CPU_REF_CPU_GEMM_H

#include "layout/gemm.h"

/*
 * Computes the problem in host memory, any strides (negative ones too), any m, n, k, batch >= 0.
 * Types:
 *   A, B, C all f32, all f64, all cf32 or all cf64;
 *   A, B both f16 or both bf16, C that type or f32 (accumulated in f32).
 * Returns NULL, or a sentence saying which type is not supported; C is then untouched. It cannot
 * fail otherwise: without memory for packing it packs into a little of the stack, and is slower.
 * Threads: as OpenMP's settings say, one inside a parallel region, in a child forked by a process
 * with threads, and for small problems. May be called from any number of threads. The same call
 * gives the same bits, whatever the number of threads.
 */
const char *cpu_gemm(const GemmProblem *p, const GemmArgs *args);

/* The instruction set that this machine's kernels use: "avx512", "avx2" or "portable". */
const char *cpu_gemm_isa(void);

#endif
