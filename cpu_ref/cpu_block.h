/*
 * cpu_block: the loops of the blocked GEMM. Private to cpu_ref.
 *
 * C is computed in blocks of at most mb x nb elements. A block is a sum over slabs of k: for each,
 * the threads together pack the block's rows of A and columns of B, then share out the tiles of C
 * among themselves. k is never divided among threads, so the result does not depend on their
 * number.
 */
#ifndef KNAP_CPU_REF_CPU_BLOCK_H
#define KNAP_CPU_REF_CPU_BLOCK_H

#include "cpu_ref/cpu_kernel.h"
#include "cpu_ref/cpu_team.h"
#include "layout/gemm.h"

/* A problem and how it will be cut. Nothing in it changes while it is computed. */
typedef struct {
    GemmProblem p; /* C's rows, where any, are what is contiguous */
    GemmArgs args;
    const CpuKernel *kernel;
    Dtype real;     /* of the packed panels: f32 or f64 */
    int parts;      /* reals in an element of C: 1, or 2 for complex */
    bool narrow;    /* C is f16 or bf16: sums are kept in f32 beside it */
    bool product;   /* alpha and k are not zero: A and B are read */
    int64_t depth;  /* of a slab of k, in elements */
    int64_t mb, nb; /* a block of C, in elements: multiples of the kernel's tile */
} CpuJob;

/* Memory that the members share: a slab of A, a slab of B, and a block of sums where C is
 * narrow. */
typedef struct {
    void *a, *b;
    float *sums;
    int64_t mb, nb; /* the block that fits, no larger than the job's */
    void *heap;     /* what cpu_space_close frees */
} CpuSpace;

enum { CPU_SPACE_LEAST = 96 * 1024 }; /* bytes that hold one tile's slabs of any kernel */

CpuJob cpu_job_plan(const GemmProblem *p, const GemmArgs *args);

/* Space for the job: in `least` (CPU_SPACE_LEAST bytes, aligned to 64) if it fits or if there is
 * no other memory, else on the heap. */
CpuSpace cpu_space_open(const CpuJob *job, void *least);
void cpu_space_close(CpuSpace *space);

/* Computes batch element `batch`; every member calls it. All have finished when it returns. */
void cpu_block_run(const CpuJob *job, const CpuSpace *space, int64_t batch, Member me);

#endif
