/* gpu: a device with its kernels and working memory. See gpu.h. */
#include "gpu/gpu.h"
#include "gpu/mem.h"
#include "gpu/module.h"
#include "gpu/stage.h"

#include <math.h>
#include <pthread.h>

/* Calls that can be under way at once, each with its own queues and buffers. */
enum { LANES = 4, GRID_BATCH = 65535 };

typedef struct {
    bool busy;
    StageLane stage;
} Lane;

struct Gpu {
    Device *device;
    ModuleCache *modules;
    pthread_mutex_t lock; /* guards Lane.busy */
    pthread_cond_t freed;
    Lane lane[LANES];
};

/* -- Opening and closing ----------------------------------------------------------------------- */

Gpu *gpu_new(Device *device, const char *dump_dir)
{
    Gpu *gpu = mem_alloc(sizeof *gpu);
    ModuleCache *modules = gpu ? module_cache_new(device, dump_dir) : NULL;
    if (!modules) {
        mem_free(gpu);
        device->ops->close(device);
        return NULL;
    }
    gpu->device = device;
    gpu->modules = modules;
    pthread_mutex_init(&gpu->lock, NULL);
    pthread_cond_init(&gpu->freed, NULL);
    return gpu;
}

void gpu_close(Gpu *gpu)
{
    if (!gpu) return;
    for (int i = 0; i < LANES; i++) stage_lane_free(&gpu->lane[i].stage, gpu->device);
    module_cache_free(gpu->modules);
    gpu->device->ops->close(gpu->device);
    pthread_cond_destroy(&gpu->freed);
    pthread_mutex_destroy(&gpu->lock);
    mem_free(gpu);
}

const DeviceInfo *gpu_info(const Gpu *gpu)
{
    return &gpu->device->info;
}

PointerKind gpu_where(Gpu *gpu, const void *p)
{
    return gpu->device->ops->where(gpu->device, p);
}

/* -- Lanes ------------------------------------------------------------------------------------- */

static Lane *free_lane(Gpu *gpu)
{
    for (int i = 0; i < LANES; i++)
        if (!gpu->lane[i].busy) return &gpu->lane[i];
    return NULL;
}

static Lane *lane_take(Gpu *gpu)
{
    Lane *lane;
    pthread_mutex_lock(&gpu->lock);
    while (!(lane = free_lane(gpu))) pthread_cond_wait(&gpu->freed, &gpu->lock);
    lane->busy = true;
    pthread_mutex_unlock(&gpu->lock);
    return lane;
}

static void lane_give(Gpu *gpu, Lane *lane)
{
    pthread_mutex_lock(&gpu->lock);
    lane->busy = false;
    pthread_cond_signal(&gpu->freed);
    pthread_mutex_unlock(&gpu->lock);
}

/* -- Computing --------------------------------------------------------------------------------- */

/* The address some batches further; NULL (an operand that is not read) stays NULL. */
static uintptr_t past(const void *p, const GemmMatrix *x, int64_t batches)
{
    uintptr_t bytes =
        (uintptr_t)batches * (uintptr_t)x->bs * (uintptr_t)dtype_bytes((Dtype)x->type);
    return p ? (uintptr_t)p + bytes : 0; /* modulo 2^64: strides may be negative */
}

/* Operands on the device: as many launches as the grid's limit on batches asks for. */
static DeviceError run(Gpu *gpu, void *queue, const KernelDesc *kernel, const GemmProblem *p,
                       const GemmArgs *args)
{
    DeviceKernel *loaded;
    int threads;
    DeviceError error = module_get(gpu->modules, kernel, p, &loaded, &threads);
    GemmProblem part = *p;
    GemmArgs at = *args;
    for (int64_t left = p->batch; left > 0 && !error; left -= part.batch) {
        part.batch = left < GRID_BATCH ? left : GRID_BATCH;
        KernelArgs block = kernel_args(kernel, &part, &at);
        error = gpu->device->ops->launch(gpu->device, queue, loaded,
                                         kernel_grid(kernel, threads, &part), &block, sizeof block);
        at.a = (const void *)past(at.a, &p->a, part.batch);
        at.b = (const void *)past(at.b, &p->b, part.batch);
        at.c = (void *)past(at.c, &p->c, part.batch);
    }
    return error;
}

static DeviceError run_staged(Gpu *gpu, StageLane *lane, const KernelDesc *kernel, GemmProblem p,
                              GemmArgs args)
{
    Stage stage;
    DeviceError error = stage_begin(&stage, gpu->device, lane, &p, &args);
    if (!error) error = stage_in(&stage, &p);
    if (!error) error = run(gpu, lane->queue[0], kernel, &p, &args);
    if (!error) error = stage_out(&stage);
    return error;
}

/* Kernels write C along n: a C that is contiguous along m is computed as its transpose. */
static void canonical(GemmProblem *p, GemmArgs *args)
{
    if (p->c.cs != 1 && p->c.rs == 1) gemm_transpose(p, args);
}

DeviceError gpu_gemm(Gpu *gpu, const KernelDesc *kernel, const GemmProblem *problem,
                     const GemmArgs *arguments)
{
    GemmProblem p = *problem;
    GemmArgs args = *arguments;
    if (p.m == 0 || p.n == 0 || p.batch == 0) return NULL;
    canonical(&p, &args);
    if (p.memory == MEMORY_DEVICE) return run(gpu, args.stream, kernel, &p, &args);
    Lane *lane = lane_take(gpu);
    DeviceError error = run_staged(gpu, &lane->stage, kernel, p, args);
    lane_give(gpu, lane);
    return error;
}

/* -- Choosing ---------------------------------------------------------------------------------- */

const KernelDesc *gpu_choose(const DeviceInfo *info, const GemmProblem *problem, double *seconds,
                             GpuReport *report, void *ctx)
{
    GemmProblem canonic = *problem, *p = &canonic;
    canonical(p, &(GemmArgs){0});
    const KernelDesc *best = NULL;
    *seconds = INFINITY;
    for (const KernelDesc *k = kernels; k->name; k++) {
        const char *reason = k->reject(k, p, info->sm);
        double cost = reason ? INFINITY : k->cost(k, p, info);
        if (report) report(ctx, k, reason, cost);
        if (cost < *seconds) {
            best = k;
            *seconds = cost;
        }
    }
    return best;
}

double gpu_transfer_seconds(const DeviceInfo *info, const GemmProblem *p)
{
    double m = (double)p->m, n = (double)p->n, k = (double)p->k, batch = (double)p->batch;
    double a = m * k * dtype_bytes((Dtype)p->a.type) * (p->a.bs ? batch : 1);
    double b = k * n * dtype_bytes((Dtype)p->b.type) * (p->b.bs ? batch : 1);
    double c = m * n * dtype_bytes((Dtype)p->c.type) * batch * (p->beta == SCALAR_ZERO ? 1 : 2);
    return (a + b + c) / info->link_bps;
}
