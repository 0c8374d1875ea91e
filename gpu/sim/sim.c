/* sim: the simulated device. See sim.h. */
#include "gpu/sim/sim_run.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    Device device; /* first: a SimDevice is a Device */
    SimMemory memory;
    pthread_mutex_t counting;
    SimCounters counters;
} SimDevice;

struct DeviceKernel {
    SimProgram *program;
};

/* What the chips these devices stand for have, so that predicted costs mean something. */
/* clang-format off */
static const struct {
    int sm, units;
    double clock_hz, memory_bps;
} chips[] = {
    /* sm units clock    memory             */
    {  70,  80, 1.53e9,  900e9 }, /* V100   */
    {  75,  40, 1.59e9,  320e9 }, /* T4     */
    {  80, 108, 1.41e9, 1555e9 }, /* A100   */
    {  86,  72, 1.70e9,  600e9 }, /* A10    */
    {  89,  58, 2.04e9,  300e9 }, /* L4     */
    {  90, 132, 1.83e9, 3350e9 }, /* H100   */
};
/* clang-format on */

static const size_t MEMORY = (size_t)4 << 30;

static SimDevice *sim(Device *d)
{
    return (SimDevice *)(void *)d;
}

/* -- Memory and queues: everything is done before a call returns ------------------------------ */

static DeviceError op_alloc(Device *d, size_t bytes, void **out)
{
    *out = sim_memory_alloc(&sim(d)->memory, bytes);
    return *out ? NULL : device_error("sim: no memory left for %zu bytes", bytes);
}

static void op_release(Device *d, void *p)
{
    sim_memory_release(&sim(d)->memory, p);
}

static PointerKind op_where(Device *d, const void *p)
{
    SimMemory *m = &sim(d)->memory;
    sim_memory_lock(m);
    bool ours = sim_memory_find(m, (uintptr_t)p) != NULL;
    sim_memory_unlock(m);
    return ours ? POINTER_DEVICE : POINTER_HOST;
}

static DeviceError op_queue_open(Device *d, void **out)
{
    *out = d; /* any name that is not the default queue's */
    return NULL;
}

static void op_queue_close(Device *d, void *queue)
{
    (void)d, (void)queue;
}

static DeviceError op_queue_wait(Device *d, void *queue)
{
    (void)d, (void)queue;
    return NULL;
}

static DeviceError check_row(const SimMemory *m, uintptr_t p, size_t width, bool read)
{
    const SimAlloc *a = sim_memory_range(m, p, width);
    if (!a)
        return device_error("sim: a copy of %zu bytes at %p leaves device memory", width,
                            (void *)p);
    if (!read) memset(a->written + (p - a->base), 1, width);
    if (sim_memory_written(a, p, width)) return NULL;
    return device_error("sim: a copy to the host reads device memory at %p that was never written",
                        (void *)p);
}

static DeviceError op_copy(Device *d, void *queue, CopyDirection way, void *dst, size_t dst_pitch,
                           const void *src, size_t src_pitch, size_t width, size_t height)
{
    (void)queue;
    SimMemory *m = &sim(d)->memory;
    DeviceError error = NULL;
    sim_memory_lock(m);
    for (size_t i = 0; i < height && width && !error; i++) {
        uint8_t *to = (uint8_t *)dst + i * dst_pitch;
        const uint8_t *from = (const uint8_t *)src + i * src_pitch;
        bool read = way == COPY_TO_HOST;
        error = check_row(m, (uintptr_t)(read ? from : to), width, read);
        if (!error) memcpy(to, from, width);
    }
    sim_memory_unlock(m);
    return error;
}

/* -- Kernels ---------------------------------------------------------------------------------- */

static DeviceError op_load(Device *d, const char *ptx, const char *entry, DeviceKernel **out)
{
    char why[512];
    DeviceKernel *k = malloc(sizeof *k);
    *out = NULL;
    if (!k) return device_error("sim: out of memory");
    k->program = sim_program_parse(ptx, entry, d->info.sm, why, sizeof why);
    if (!k->program) {
        free(k);
        return device_error("sim: %s", why);
    }
    *out = k;
    return NULL;
}

static void op_unload(Device *d, DeviceKernel *k)
{
    (void)d;
    if (k) sim_program_free(k->program);
    free(k);
}

static DeviceError check_launch(const SimProgram *p, const DeviceGrid *g, size_t size)
{
    if (size != p->param_bytes)
        return device_error("sim: kernel %s takes %u bytes of parameters and was given %zu",
                            p->name, p->param_bytes, size);
    if (!g->threads || g->threads > p->max_threads ||
        (p->req_threads && g->threads != p->req_threads))
        return device_error("sim: kernel %s cannot run blocks of %u threads", p->name, g->threads);
    if (!g->blocks[0] || !g->blocks[1] || !g->blocks[2] || g->blocks[0] > INT32_MAX ||
        g->blocks[1] > UINT16_MAX || g->blocks[2] > UINT16_MAX)
        return device_error("sim: kernel %s cannot run a grid of %u x %u x %u blocks", p->name,
                            g->blocks[0], g->blocks[1], g->blocks[2]);
    return NULL;
}

/* Where host threads report: of several errors that of the first block counts. */
typedef struct {
    pthread_mutex_t lock;
    atomic_ullong bad; /* the first block known to have failed */
    char error[512];
    bool no_memory;
    SimCounters counters;
} Outcome;

static void add_counters(SimCounters *to, const SimCounters *from)
{
    for (int i = 0; i < SIM_CLASSES; i++) to->warp_insns[i] += from->warp_insns[i];
    to->thread_insns += from->thread_insns;
    to->global_read += from->global_read;
    to->global_written += from->global_written;
    to->shared_read += from->shared_read;
    to->shared_written += from->shared_written;
    to->shared_passes += from->shared_passes;
    to->shared_passes_least += from->shared_passes_least;
}

static void report_error(Outcome *o, SimBlock *b, uint64_t linear)
{
    pthread_mutex_lock(&o->lock);
    if (linear < o->bad) {
        o->bad = linear;
        snprintf(o->error, sizeof o->error, "%s", b->error);
    }
    pthread_mutex_unlock(&o->lock);
    b->error[0] = '\0';
}

static void run_blocks(const SimLaunch *launch, uint64_t count, Outcome *o)
{
    int threads = omp_get_max_threads();
    if ((uint64_t)threads > count) threads = (int)count;
#pragma omp parallel num_threads(threads)
    {
        SimBlock *b = sim_block_new(launch);
#pragma omp for schedule(dynamic)
        for (uint64_t i = 0; i < count; i++) {
            if (!b || i > o->bad) continue;
            sim_block_run(b, i);
            if (b->error[0]) report_error(o, b, i);
        }
        pthread_mutex_lock(&o->lock);
        if (b) add_counters(&o->counters, &b->counters);
        o->no_memory |= !b;
        pthread_mutex_unlock(&o->lock);
        sim_block_free(b);
    }
}

static DeviceError op_launch(Device *d, void *queue, DeviceKernel *k, DeviceGrid grid,
                             const void *args, size_t size)
{
    (void)queue;
    DeviceError error = check_launch(k->program, &grid, size);
    if (error) return error;
    SimDevice *s = sim(d);
    SimLaunch launch = {k->program, &s->memory, args, grid};
    Outcome o = {.lock = PTHREAD_MUTEX_INITIALIZER, .bad = UINT64_MAX};
    uint64_t count = (uint64_t)grid.blocks[0] * grid.blocks[1] * grid.blocks[2];
    sim_memory_lock(&s->memory);
    run_blocks(&launch, count, &o);
    sim_memory_unlock(&s->memory);
    pthread_mutex_lock(&s->counting);
    add_counters(&s->counters, &o.counters);
    pthread_mutex_unlock(&s->counting);
    pthread_mutex_destroy(&o.lock);
    if (o.no_memory) return device_error("sim: out of memory for kernel %s", k->program->name);
    return o.error[0] ? device_error("sim: %s", o.error) : NULL;
}

/* -- The device ------------------------------------------------------------------------------- */

static void op_close(Device *d)
{
    sim_memory_close(&sim(d)->memory);
    pthread_mutex_destroy(&sim(d)->counting);
    free(d);
}

static DeviceError op_host_alloc(Device *d, size_t bytes, void **out)
{
    (void)d;
    *out = malloc(bytes);
    return *out ? NULL : device_error("sim: out of host memory");
}

static void op_host_release(Device *d, void *p)
{
    (void)d;
    free(p);
}

static const DeviceOps ops = {
    .close = op_close,
    .alloc = op_alloc,
    .release = op_release,
    .where = op_where,
    .host_alloc = op_host_alloc,
    .host_release = op_host_release,
    .queue_open = op_queue_open,
    .queue_close = op_queue_close,
    .queue_wait = op_queue_wait,
    .copy = op_copy,
    .load = op_load,
    .unload = op_unload,
    .launch = op_launch,
};

static DeviceError bad_spec(const char *spec)
{
    return device_error("sim: no such device '%s': sim:sm_ 70, 75, 80, 86, 89 and 90 exist", spec);
}

DeviceError sim_open(const char *spec, Device **out)
{
    int sm = 0, end = 0;
    *out = NULL;
    if (sscanf(spec, "sim:sm_%d%n", &sm, &end) != 1 || spec[end]) return bad_spec(spec);
    size_t i = 0, count = sizeof chips / sizeof *chips;
    while (i < count && chips[i].sm != sm) i++;
    if (i == count) return bad_spec(spec);
    SimDevice *s = calloc(1, sizeof *s);
    if (!s) return device_error("sim: out of memory");
    sim_memory_init(&s->memory, MEMORY);
    pthread_mutex_init(&s->counting, NULL);
    s->device.ops = &ops;
    s->device.info = (DeviceInfo){.sm = sm,
                                  .units = chips[i].units,
                                  .clock_hz = chips[i].clock_hz,
                                  .memory_bps = chips[i].memory_bps,
                                  .link_bps = 12e9,
                                  .launch_s = 10e-6,
                                  .memory = MEMORY};
    snprintf(s->device.info.name, sizeof s->device.info.name, "sim:sm_%d", sm);
    *out = &s->device;
    return NULL;
}

void sim_counters(Device *device, SimCounters *out)
{
    SimDevice *s = sim(device);
    pthread_mutex_lock(&s->counting);
    *out = s->counters;
    pthread_mutex_unlock(&s->counting);
}
