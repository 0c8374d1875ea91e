/*
 * device: what a device can do, as a table of functions. The CUDA device (cuda.c), the simulated
 * one (sim/) and the fake one of the tests all answer to it; nothing above knows which it talks to.
 *
 * Every function that can fail returns NULL on success, else a sentence; the sentence stays valid
 * until the same thread calls a device again. Functions may be called from any thread; work on one
 * queue is in order, work on different queues is not. A device never prints and never aborts.
 */
#ifndef KNAP_GPU_DEVICE_H
#define KNAP_GPU_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Device Device;
typedef struct DeviceKernel DeviceKernel; /* a loaded entry; each device defines its own */
typedef const char *DeviceError;          /* NULL: done */

typedef enum { COPY_TO_DEVICE, COPY_TO_HOST } CopyDirection;

/* Where an address points. MANAGED memory, and page-locked host memory that the device can reach
 * under the same address, can be used from both sides; ELSEWHERE is another device's. */
typedef enum { POINTER_HOST, POINTER_DEVICE, POINTER_MANAGED, POINTER_ELSEWHERE } PointerKind;

typedef struct {
    char name[64];     /* NVIDIA H100 80GB HBM3, sim:sm_80 */
    char driver[32];   /* driver version, or "" */
    int sm;            /* compute capability, 10*major + minor */
    int units;         /* multiprocessors */
    double clock_hz;   /* of a multiprocessor */
    double memory_bps; /* device memory bandwidth, bytes a second */
    double
        link_bps; /* host link, packing into page-locked blocks included, bytes a second, one way */
    double launch_s; /* submit and synchronise one kernel, seconds */
    size_t memory;   /* bytes */
} DeviceInfo;

typedef struct {
    uint32_t blocks[3];
    uint32_t threads;
} DeviceGrid;

typedef struct {
    void (*close)(Device *);

    DeviceError (*alloc)(Device *, size_t bytes, void **out);
    void (*release)(Device *, void *p);
    PointerKind (*where)(Device *, const void *p);
    /* Page-locked host memory, from which copies run at the link's full speed. */
    DeviceError (*host_alloc)(Device *, size_t bytes, void **out);
    void (*host_release)(Device *, void *p);

    /* A queue (a CUDA stream). NULL is the default queue and needs no opening. */
    DeviceError (*queue_open)(Device *, void **out);
    void (*queue_close)(Device *, void *queue);
    DeviceError (*queue_wait)(Device *, void *queue);

    /* Copies `height` rows of `width` bytes; pitches in bytes. May return before the bytes are
     * there: wait. */
    DeviceError (*copy)(Device *, void *queue, CopyDirection way, void *dst, size_t dst_pitch,
                        const void *src, size_t src_pitch, size_t width, size_t height);

    /* Compiles PTX text and finds its entry. The JIT's complaint is part of the error. */
    DeviceError (*load)(Device *, const char *ptx, const char *entry, DeviceKernel **out);
    void (*unload)(Device *, DeviceKernel *);
    /* What the compiler remarked while it loaded the kernel; owned by the kernel, "" where nothing.
     * NULL: this device never remarks. */
    const char *(*remarks)(const DeviceKernel *);
    /* args is the entry's one parameter, a block of `size` bytes. */
    DeviceError (*launch)(Device *, void *queue, DeviceKernel *, DeviceGrid grid, const void *args,
                          size_t size);
} DeviceOps;

struct Device {
    const DeviceOps *ops;
    DeviceInfo info;
}; /* each implementation embeds this as its first member */

/*
 * Opens the device named by spec: "0", "1", ... (CUDA ordinals) or "sim:sm_80" (simulated). This is
 * the first moment at which CUDA is touched. On success *out is owned by the caller:
 * (*out)->ops->close.
 */
DeviceError device_open(const char *spec, Device **out);

/* A device's error sentence, written as printf into this thread's buffer. */
DeviceError device_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The kinds of device this build has, e.g. "cuda, sim". */
const char *device_kinds(void);

#endif
