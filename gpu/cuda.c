/*
 * cuda: the CUDA device, on the CUDA Runtime (linked statically).
 *
 * Nothing of CUDA is touched before cuda_open. The application's current device is put back after
 * every call, because it may be using CUDA itself.
 */
#include "gpu/device.h"
#include "gpu/devices.h"
#include "gpu/mem.h"

#include <cuda_runtime_api.h>
#include <omp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    Device base;
    int ordinal;
} CudaDevice;

struct DeviceKernel {
    cudaLibrary_t library;
    cudaKernel_t kernel;
    char remarks[2048]; /* registers, spills, and what the compiler warned of */
};

/* -- Errors and the current device ------------------------------------------------------------- */

static DeviceError check(cudaError_t status, const char *what)
{
    if (status == cudaSuccess) return NULL;
    cudaGetLastError(); /* a sticky copy of it is not the application's */
    return device_error("%s: %s", what, cudaGetErrorString(status));
}

/* What a call changes in the calling thread, to be put back. */
typedef struct {
    int device;
    enum cudaStreamCaptureMode mode;
} Before;

/* Makes the device current. Relaxed: an allocation of ours must not spoil a graph that the
 * application is capturing. */
static Before enter(const Device *device)
{
    int mine = ((const CudaDevice *)device)->ordinal;
    Before was = {.device = mine, .mode = cudaStreamCaptureModeRelaxed};
    if (cudaGetDevice(&was.device) != cudaSuccess) was.device = mine;
    if (was.device != mine) cudaSetDevice(mine);
    cudaThreadExchangeStreamCaptureMode(&was.mode);
    return was;
}

static void leave(const Device *device, Before was)
{
    cudaThreadExchangeStreamCaptureMode(&was.mode);
    if (was.device != ((const CudaDevice *)device)->ordinal) cudaSetDevice(was.device);
}

/* -- Memory ------------------------------------------------------------------------------------ */

static DeviceError cuda_alloc(Device *device, size_t bytes, void **out)
{
    Before was = enter(device);
    DeviceError error = check(cudaMalloc(out, bytes), "cudaMalloc");
    leave(device, was);
    return error;
}

static void cuda_release(Device *device, void *p)
{
    Before was = enter(device);
    cudaFree(p);
    leave(device, was);
}

static DeviceError cuda_host_alloc(Device *device, size_t bytes, void **out)
{
    Before was = enter(device);
    DeviceError error = check(cudaMallocHost(out, bytes), "cudaMallocHost");
    leave(device, was);
    return error;
}

static void cuda_host_release(Device *device, void *p)
{
    Before was = enter(device);
    cudaFreeHost(p);
    leave(device, was);
}

static PointerKind cuda_where(Device *device, const void *p)
{
    struct cudaPointerAttributes at;
    int mine = ((const CudaDevice *)device)->ordinal;
    if (cudaPointerGetAttributes(&at, p) != cudaSuccess) {
        cudaGetLastError();
        return POINTER_HOST;
    }
    switch (at.type) {
    case cudaMemoryTypeDevice: return at.device == mine ? POINTER_DEVICE : POINTER_ELSEWHERE;
    case cudaMemoryTypeHost: return at.devicePointer == p ? POINTER_MANAGED : POINTER_HOST;
    case cudaMemoryTypeManaged: return POINTER_MANAGED;
    default: return POINTER_HOST;
    }
}

static DeviceError cuda_copy(Device *device, void *queue, CopyDirection way, void *dst,
                             size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                             size_t height)
{
    Before was = enter(device);
    enum cudaMemcpyKind kind =
        way == COPY_TO_DEVICE ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    DeviceError error = check(
        cudaMemcpy2DAsync(dst, dst_pitch, src, src_pitch, width, height, kind, (cudaStream_t)queue),
        way == COPY_TO_DEVICE ? "copy to the device" : "copy to the host");
    leave(device, was);
    return error;
}

/* -- Queues ------------------------------------------------------------------------------------ */

static DeviceError cuda_queue_open(Device *device, void **out)
{
    cudaStream_t stream = NULL;
    Before was = enter(device);
    DeviceError error =
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    leave(device, was);
    *out = stream;
    return error;
}

static void cuda_queue_close(Device *device, void *queue)
{
    Before was = enter(device);
    cudaStreamDestroy((cudaStream_t)queue);
    leave(device, was);
}

static DeviceError cuda_queue_wait(Device *device, void *queue)
{
    Before was = enter(device);
    DeviceError error = check(cudaStreamSynchronize((cudaStream_t)queue), "wait for the device");
    leave(device, was);
    return error;
}

/* -- Kernels ----------------------------------------------------------------------------------- */

static DeviceError jit(const char *ptx, const char *entry, DeviceKernel *kernel)
{
    char errors[768] = "";
    enum cudaJitOption options[] = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes,
                                    cudaJitInfoLogBuffer, cudaJitInfoLogBufferSizeBytes,
                                    cudaJitLogVerbose};
    void *values[] = {errors, (void *)sizeof errors, kernel->remarks,
                      (void *)sizeof kernel->remarks, (void *)1};
    cudaError_t status =
        cudaLibraryLoadData(&kernel->library, ptx, options, values, 5, NULL, NULL, 0);
    if (status != cudaSuccess) {
        cudaGetLastError();
        return device_error("the JIT refused %s: %s: %.700s", entry, cudaGetErrorString(status),
                            errors);
    }
    DeviceError error = check(cudaLibraryGetKernel(&kernel->kernel, kernel->library, entry), entry);
    if (error) cudaLibraryUnload(kernel->library);
    return error;
}

static DeviceError cuda_load(Device *device, const char *ptx, const char *entry, DeviceKernel **out)
{
    DeviceKernel *kernel = mem_alloc(sizeof *kernel);
    if (!kernel) return device_error("no host memory for a kernel");
    Before was = enter(device);
    DeviceError error = jit(ptx, entry, kernel);
    leave(device, was);
    if (error) mem_free(kernel);
    *out = error ? NULL : kernel;
    return error;
}

static void cuda_unload(Device *device, DeviceKernel *kernel)
{
    Before was = enter(device);
    cudaLibraryUnload(kernel->library);
    leave(device, was);
    mem_free(kernel);
}

static const char *cuda_remarks(const DeviceKernel *kernel)
{
    return kernel->remarks;
}

static DeviceError cuda_launch(Device *device, void *queue, DeviceKernel *kernel, DeviceGrid grid,
                               const void *args, size_t size)
{
    /* the Runtime copies the block; its size is the kernel's own */
    (void)size;
    union {
        const void *in;
        void *out;
    } block = {.in = args};
    void *params[] = {block.out};
    Before was = enter(device);
    DeviceError error =
        check(cudaLaunchKernel((const void *)kernel->kernel,
                               (dim3){grid.blocks[0], grid.blocks[1], grid.blocks[2]},
                               (dim3){grid.threads, 1, 1}, params, 0, (cudaStream_t)queue),
              "launch");
    leave(device, was);
    return error;
}

/* -- The device -------------------------------------------------------------------------------- */

static void cuda_close(Device *device)
{
    mem_free(device);
}

static const DeviceOps cuda_ops = {
    .close = cuda_close,
    .alloc = cuda_alloc,
    .release = cuda_release,
    .where = cuda_where,
    .host_alloc = cuda_host_alloc,
    .host_release = cuda_host_release,
    .queue_open = cuda_queue_open,
    .queue_close = cuda_queue_close,
    .queue_wait = cuda_queue_wait,
    .copy = cuda_copy,
    .load = cuda_load,
    .unload = cuda_unload,
    .remarks = cuda_remarks,
    .launch = cuda_launch,
};

static double attribute(enum cudaDeviceAttr which, int ordinal)
{
    int value = 0;
    return cudaDeviceGetAttribute(&value, which, ordinal) == cudaSuccess ? value : 0;
}

/* One thread packs page-locked blocks at about 9 GB/s; a PCIe 5.0 x16 link drains 50. On an H100
 * machine. */
static double link_rate(void)
{
    double filled = 9e9 * omp_get_num_procs();
    return filled < 50e9 ? filled : 50e9;
}

/* The kernel module's version, 580.65.06; where it is not told, the CUDA version that it is good
 * for. */
static void name_driver(char *buf, size_t size)
{
    int cuda = 0;
    cudaDriverGetVersion(&cuda);
    snprintf(buf, size, "CUDA %d.%d", cuda / 1000, cuda / 10 % 100);
    FILE *in = fopen("/proc/driver/nvidia/version", "r");
    if (!in) return;
    char line[256], word[64];
    int skip = 0;
    const char *at = fgets(line, sizeof line, in) ? line : "";
    for (; sscanf(at, "%63s%n", word, &skip) == 1; at += skip)
        if (word[0] >= '0' && word[0] <= '9' && strchr(word, '.')) {
            snprintf(buf, size, "%.31s", word);
            break;
        }
    fclose(in);
}

static DeviceError describe(int ordinal, DeviceInfo *info)
{
    struct cudaDeviceProp prop;
    DeviceError error = check(cudaGetDeviceProperties(&prop, ordinal), "cudaGetDeviceProperties");
    if (error) return error;
    snprintf(info->name, sizeof info->name, "%.63s", prop.name);
    name_driver(info->driver, sizeof info->driver);
    info->sm = 10 * prop.major + prop.minor;
    info->units = prop.multiProcessorCount;
    info->memory = prop.totalGlobalMem;
    info->clock_hz = 1e3 * attribute(cudaDevAttrClockRate, ordinal);
    /* two transfers a clock of the memory bus, of which nine tenths are reached */
    info->memory_bps = 0.9 * 2e3 * attribute(cudaDevAttrMemoryClockRate, ordinal) *
                       attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal) / 8;
    info->link_bps = link_rate();
    info->launch_s = 8.5e-6; /* submit and synchronise, on an H100 */
    return NULL;
}

DeviceError cuda_open(const char *spec, Device **out)
{
    char *end;
    long ordinal = strtol(spec, &end, 10);
    if (end == spec || *end || ordinal < 0)
        return device_error("device \"%s\": not an ordinal and not sim:sm_NN", spec);
    int count = 0;
    DeviceError error = check(cudaGetDeviceCount(&count), "CUDA");
    if (error) return error;
    if (ordinal >= count)
        return device_error("device %ld: there are %d CUDA devices", ordinal, count);
    CudaDevice *device = mem_alloc(sizeof *device);
    if (!device) return device_error("no host memory for a device");
    *device = (CudaDevice){.base = {.ops = &cuda_ops}, .ordinal = (int)ordinal};
    error = describe(device->ordinal, &device->base.info);
    if (error) mem_free(device);
    *out = error ? NULL : &device->base;
    return error;
}
