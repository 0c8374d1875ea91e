/*
 * gpu: a device with its loaded kernels and its working memory; runs a GemmProblem on it.
 *
 * One Gpu serves any number of threads: each call takes one of a few lanes (a queue and its
 * buffers) and waits where all are busy. C in host memory is written only after everything before
 * it succeeded.
 */
#ifndef KNAP_GPU_GPU_H
#define KNAP_GPU_GPU_H

#include "gpu/kernel.h"

typedef struct Gpu Gpu;

/* Takes over the device: gpu_close closes it. dump_dir: folder for every emitted PTX text, or NULL.
 * NULL when out of memory (the device is then closed). */
Gpu *gpu_new(Device *device, const char *dump_dir);
void gpu_close(Gpu *gpu);
const DeviceInfo *gpu_info(const Gpu *gpu);
/* Where p points, asked of the device. */
PointerKind gpu_where(Gpu *gpu, const void *p);

/*
 * Computes p with the given kernel. p->memory says where the operands are: host operands are staged
 * and the call returns when C is there; device operands are used in place, ordered on args->stream,
 * and the call returns when the work is submitted. NULL on success; else a sentence, and C in host
 * memory can be computed anew: it is as it was or, where beta is 0, written in part. The kernel
 * must not reject p.
 */
DeviceError gpu_gemm(Gpu *gpu, const KernelDesc *kernel, const GemmProblem *p,
                     const GemmArgs *args);

/* The cheapest row for p in seconds on the device itself (transfers not counted), or NULL. When
 * report is not NULL it is called for every row: reason NULL and its seconds, or the reason it was
 * refused. */
typedef void GpuReport(void *ctx, const KernelDesc *kernel, const char *reason, double seconds);
const KernelDesc *gpu_choose(const DeviceInfo *info, const GemmProblem *p, double *seconds,
                             GpuReport *report, void *ctx);

/* Seconds to move p's host operands to the device and C back. */
double gpu_transfer_seconds(const DeviceInfo *info, const GemmProblem *p);

#endif
