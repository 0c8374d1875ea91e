/*
 * cpu_kernel: the micro-kernels of the blocked GEMM, as one table, and the choice among them.
 * Private to cpu_ref.
 *
 * A micro-kernel multiplies an mr x k panel of A by a k x nr panel of B, both packed so that the
 * mr (nr) values of one k lie together, and keeps the mr x nr result in vector registers. It knows
 * only f32 and f64: narrow types are widened, and complex products written as real ones, while
 * packing.
 */
#ifndef KNAP_CPU_REF_CPU_KERNEL_H
#define KNAP_CPU_REF_CPU_KERNEL_H

#include "layout/dtype.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* C (column-major, columns ldc apart) = A B, or C += A B where add. Touches the first `rows` rows
 * of C, a multiple of the vector length, and all nr columns. */
typedef void (*CpuMicro)(int64_t k, const void *a, const void *b, void *c, int64_t ldc, int rows,
                         bool add);

typedef struct {
    const char *isa; /* as cpu_gemm_isa gives it; NULL ends the table */
    Dtype real;      /* DTYPE_F32 or DTYPE_F64 */
    int lanes;       /* values of one vector */
    int mr, nr;      /* the tile in registers */
    int kc;          /* depth of a panel: a panel of B fills a fraction of the first-level cache */
    int mc;          /* rows of A, kc deep, that fill about half of the second-level cache */
    CpuMicro run;
} CpuKernel;

/* From the fastest instruction set to the portable one. */
extern const CpuKernel cpu_kernels[];

/* The fastest kernel of this type that this machine can run. Never NULL for f32 and f64. */
const CpuKernel *cpu_kernel_choose(Dtype real);

/* For tests: use only kernels of this instruction set from now on; NULL: the fastest again.
 * Returns false, and changes nothing, where this machine cannot run it. Not while another thread
 * multiplies. */
bool cpu_kernel_force(const char *isa);

/* The rows' entries. */
#define CPU_MICRO(name) \
    void name(int64_t k, const void *a, const void *b, void *c, int64_t ldc, int rows, bool add)
CPU_MICRO(cpu_micro_avx512_f32);
CPU_MICRO(cpu_micro_avx512_f64);
CPU_MICRO(cpu_micro_avx2_f32);
CPU_MICRO(cpu_micro_avx2_f64);
CPU_MICRO(cpu_micro_portable_f32);
CPU_MICRO(cpu_micro_portable_f64);

#endif
