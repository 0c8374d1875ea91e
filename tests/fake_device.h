/*
 * fake_device: a Device in host memory, for tests of everything above it. Its kernels compute with
 * cpu_gemm. It is strict about addresses, it counts, and it can fail at the nth call.
 *
 *     FakeDevice fake;
 *     Device *device = fake_open(&fake);   the test owns fake: it is there after the close
 *
 * Counted and failing are the operations that can fail: alloc, queue_open, queue_wait, copy, load,
 * launch.
 */
#ifndef KNAP_TESTS_FAKE_DEVICE_H
#define KNAP_TESTS_FAKE_DEVICE_H

#include "cpu_ref/cpu_gemm.h"
#include "gpu/kernel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { FAKE_BLOCKS = 256 };

typedef struct {
    char *at; /* NULL: free */
    size_t size;
} FakeBlock;

typedef struct {
    Device base;
    pthread_mutex_t lock; /* guards block */
    FakeBlock block[FAKE_BLOCKS];
    atomic_int calls; /* operations so far */
    atomic_int launches;
    int fail_at, fail_to; /* operations of these numbers fail, from 1; 0: none */
    atomic_int live;      /* allocations, queues and kernels not yet given back */
    bool closed;
} FakeDevice;

/* What the fake loads: the kernel's row and the type of C, read from the entry's name. */
struct DeviceKernel {
    const KernelDesc *row;
    Dtype c;
};

/* -- Private ----------------------------------------------------------------------------------- */

static inline DeviceError fake_step(Device *device, const char *what)
{
    FakeDevice *f = (FakeDevice *)device;
    int call = atomic_fetch_add(&f->calls, 1) + 1;
    bool fails = call >= f->fail_at && call <= f->fail_to;
    return fails ? device_error("fake: %s failed at call %d", what, call) : NULL;
}

/* The block that holds all of [p, p + size), or NULL. */
static inline FakeBlock *fake_find(FakeDevice *f, const void *p, size_t size)
{
    for (FakeBlock *b = f->block; b < f->block + FAKE_BLOCKS; b++)
        if (b->at && (const char *)p >= b->at && (const char *)p + size <= b->at + b->size)
            return b;
    return NULL;
}

static inline bool fake_holds(FakeDevice *f, const void *p, size_t size)
{
    pthread_mutex_lock(&f->lock);
    bool found = fake_find(f, p, size) != NULL;
    pthread_mutex_unlock(&f->lock);
    return found;
}

static inline void fake_close(Device *device)
{
    ((FakeDevice *)device)->closed = true;
}

static inline FakeBlock *fake_free_block(FakeDevice *f)
{
    for (FakeBlock *b = f->block; b < f->block + FAKE_BLOCKS; b++)
        if (!b->at) return b;
    return NULL;
}

static inline DeviceError fake_alloc(Device *device, size_t bytes, void **out)
{
    FakeDevice *f = (FakeDevice *)device;
    DeviceError error = fake_step(device, "alloc");
    if (error) return error;
    pthread_mutex_lock(&f->lock);
    FakeBlock *block = fake_free_block(f);
    char *p = block ? aligned_alloc(256, (bytes + 255) / 256 * 256) : NULL;
    if (p) *block = (FakeBlock){p, bytes};
    pthread_mutex_unlock(&f->lock);
    if (!p) return device_error("fake: no memory");
    memset(p, 0xff, bytes);
    atomic_fetch_add(&f->live, 1);
    *out = p;
    return NULL;
}

static inline void fake_release(Device *device, void *p)
{
    FakeDevice *f = (FakeDevice *)device;
    pthread_mutex_lock(&f->lock);
    FakeBlock *block = p ? fake_find(f, p, 0) : NULL;
    if (block) block->at = NULL;
    pthread_mutex_unlock(&f->lock);
    if (!block) return;
    atomic_fetch_sub(&f->live, 1);
    free(p);
}

static inline PointerKind fake_where(Device *device, const void *p)
{
    return fake_holds((FakeDevice *)device, p, 1) ? POINTER_DEVICE : POINTER_HOST;
}

static inline DeviceError fake_queue_open(Device *device, void **out)
{
    DeviceError error = fake_step(device, "queue_open");
    if (error) return error;
    atomic_fetch_add(&((FakeDevice *)device)->live, 1);
    *out = device; /* all work is done at once, so any address will do */
    return NULL;
}

static inline void fake_queue_close(Device *device, void *queue)
{
    (void)queue;
    atomic_fetch_sub(&((FakeDevice *)device)->live, 1);
}

static inline DeviceError fake_queue_wait(Device *device, void *queue)
{
    (void)queue;
    return fake_step(device, "queue_wait");
}

static inline DeviceError fake_copy(Device *device, void *queue, CopyDirection way, void *dst,
                                    size_t dst_pitch, const void *src, size_t src_pitch,
                                    size_t width, size_t height)
{
    (void)queue;
    DeviceError error = fake_step(device, "copy");
    if (error || width == 0 || height == 0) return error;
    const void *there = way == COPY_TO_DEVICE ? dst : src;
    size_t pitch = way == COPY_TO_DEVICE ? dst_pitch : src_pitch;
    if (!fake_holds((FakeDevice *)device, there, (height - 1) * pitch + width))
        return device_error("fake: a copy leaves its allocation");
    for (size_t i = 0; i < height; i++)
        memcpy((char *)dst + i * dst_pitch, (const char *)src + i * src_pitch, width);
    return NULL;
}

/* knap_<kernel>_..._<C type> */
static inline const KernelDesc *fake_row_of(const char *entry)
{
    static const char head[] = "knap_";
    if (strncmp(entry, head, sizeof head - 1) != 0) return NULL;
    entry += sizeof head - 1;
    for (const KernelDesc *k = kernels; k->name; k++) {
        size_t length = strlen(k->name);
        if (strncmp(entry, k->name, length) == 0 && entry[length] == '_') return k;
    }
    return NULL;
}

static inline DeviceError fake_load(Device *device, const char *ptx, const char *entry,
                                    DeviceKernel **out)
{
    DeviceError error = fake_step(device, "load");
    if (error) return error;
    const KernelDesc *row = fake_row_of(entry);
    const char *type = strrchr(entry, '_');
    if (!row || !type || !strstr(ptx, entry)) return device_error("fake: no entry %s", entry);
    *out = malloc(sizeof **out);
    if (!*out) return device_error("fake: no memory");
    **out = (DeviceKernel){row, dtype_parse(type + 1)};
    atomic_fetch_add(&((FakeDevice *)device)->live, 1);
    return NULL;
}

static inline void fake_unload(Device *device, DeviceKernel *kernel)
{
    if (!kernel) return;
    atomic_fetch_sub(&((FakeDevice *)device)->live, 1);
    free(kernel);
}

static inline GemmMatrix fake_matrix(Dtype type, int64_t rs, int64_t cs, int64_t bs)
{
    return (GemmMatrix){.rs = rs, .cs = cs, .bs = bs, .type = (uint8_t)type, .align = 4};
}

/* KernelArgs back into the problem that it says. */
static inline DeviceError fake_compute(const DeviceKernel *kernel, DeviceGrid grid,
                                       const KernelArgs *k)
{
    const MmaAtom *atom = mma_atom_find(kernel->row->atom);
    GemmArgs args = {.a = (const void *)(uintptr_t)k->a,
                     .b = (const void *)(uintptr_t)k->b,
                     .c = (void *)(uintptr_t)k->c,
                     .alpha = {k->alpha},
                     .beta = {k->beta}};
    GemmProblem p = {.m = k->m,
                     .n = k->n,
                     .k = k->k,
                     .batch = (int64_t)grid.blocks[1] * grid.blocks[2],
                     .a = fake_matrix(atom->a, k->a_rs, k->a_cs, k->a_bs),
                     .b = fake_matrix(atom->b, k->b_rs, k->b_cs, k->b_bs),
                     .c = fake_matrix(kernel->c, k->c_rs, k->c_cs, k->c_bs),
                     .alpha = (uint8_t)gemm_scalar_class(args.alpha),
                     .beta = (uint8_t)gemm_scalar_class(args.beta)};
    return cpu_gemm(&p, &args);
}

static inline DeviceError fake_launch(Device *device, void *queue, DeviceKernel *kernel,
                                      DeviceGrid grid, const void *args, size_t size)
{
    (void)queue;
    FakeDevice *f = (FakeDevice *)device;
    const KernelArgs *k = args;
    DeviceError error = fake_step(device, "launch");
    if (error) return error;
    if (size != sizeof *k) return device_error("fake: the parameter block has %zu bytes", size);
    if (!fake_holds(f, (void *)(uintptr_t)k->c, 1))
        return device_error("fake: C is not on the device");
    atomic_fetch_add(&f->launches, 1);
    return fake_compute(kernel, grid, k);
}

/* -- Public ------------------------------------------------------------------------------------ */

/* So fast that the cost model always takes it: a test that wants otherwise changes base.info. */
static inline Device *fake_open(FakeDevice *f)
{
    static const DeviceOps ops = {
        .close = fake_close,
        .alloc = fake_alloc,
        .release = fake_release,
        .where = fake_where,
        .host_alloc = fake_alloc,
        .host_release = fake_release,
        .queue_open = fake_queue_open,
        .queue_close = fake_queue_close,
        .queue_wait = fake_queue_wait,
        .copy = fake_copy,
        .load = fake_load,
        .unload = fake_unload,
        .launch = fake_launch,
    };
    memset(f, 0, sizeof *f);
    pthread_mutex_init(&f->lock, NULL);
    f->base.ops = &ops;
    f->base.info = (DeviceInfo){.name = "fake",
                                .sm = 80,
                                .units = 1000,
                                .clock_hz = 1e12,
                                .memory_bps = 1e18,
                                .link_bps = 1e18,
                                .launch_s = 1e-12,
                                .memory = (size_t)1 << 34};
    return &f->base;
}

/* Closed, and everything given back. */
static inline bool fake_clean(const FakeDevice *f)
{
    return f->closed && f->live == 0;
}

#endif
