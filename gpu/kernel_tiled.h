/*
 * kernel_tiled: what the simt and mma families share: the plan round a TiledMma, the vector widths,
 * the cost. See kernel.h for the contract of a row.
 */
#ifndef KNAP_GPU_KERNEL_TILED_H
#define KNAP_GPU_KERNEL_TILED_H

#include "gpu/kernel.h"

/* Which index of an operand is contiguous in shared memory, and how many elements pad the other's
 * stride, so that fragments are read without bank conflicts. */
typedef struct {
    Major smem_major; /* MAJOR_MN or MAJOR_K */
    int pad;
    int neighbours; /* rows (m and n) that one thread holds side by side: a permutation of the tile
                     */
} TiledStyle;

/* Fills in the plan of a family that differs from others by its style. */
const char *tiled_plan(const KernelDesc *kernel, const KernelKey *key, TiledStyle style,
                       GemmPlan *plan);

/* Refusals that every tiled kernel shares; NULL if none applies. */
const char *tiled_reject(const KernelDesc *kernel, const GemmProblem *p, int sm);

/* Seconds: whole tiles, in waves over the multiprocessors, or the bytes, whichever takes longer. */
double tiled_cost(const KernelDesc *kernel, const GemmProblem *p, const DeviceInfo *info);

/* The families' own three, for the rows of kernels.c. */
const char *simt_reject(const KernelDesc *kernel, const GemmProblem *p, int sm);
const char *simt_plan(const KernelDesc *kernel, const KernelKey *key, GemmPlan *plan);
const char *mma_reject(const KernelDesc *kernel, const GemmProblem *p, int sm);
const char *mma_plan(const KernelDesc *kernel, const KernelKey *key, GemmPlan *plan);

#endif
