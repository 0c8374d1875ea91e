/*
 * module: from a KernelDesc and a key to a loaded kernel, at most once.
 *
 * Kernels are emitted and compiled at their first use and kept until the cache is freed.
 * Thread-safe: two threads that want the same kernel compile it once.
 */
#ifndef KNAP_GPU_MODULE_H
#define KNAP_GPU_MODULE_H

#include "gpu/kernel.h"

typedef struct ModuleCache ModuleCache;

/* dump_dir: folder for every emitted text, or NULL. NULL when out of memory. */
ModuleCache *module_cache_new(Device *device, const char *dump_dir);
void module_cache_free(ModuleCache *cache);

/* The loaded kernel for p, and its threads a block. */
DeviceError module_get(ModuleCache *cache, const KernelDesc *kernel, const GemmProblem *p,
                       DeviceKernel **out, int *threads);

#endif
