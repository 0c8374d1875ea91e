/* bench_engine: a device with its kernels, or the CPU, as one thing that computes. See bench.h. */
#include "benchmarks/bench.h"
#include "benchmarks/check.h"
#include "cpu_ref/cpu_gemm.h"
#include "gpu/kernel.h"

#include <string.h>

/* -- Opening and choosing --------------------------------------------------------------------- */

BenchError bench_engine_open(BenchEngine *out, const char *device, const char *kernel)
{
    *out = (BenchEngine){.spec = device};
    if (kernel) out->forced = kernel_find(kernel);
    if (kernel && !out->forced) return bench_error("no kernel is called '%s' (knap list)", kernel);
    if (strcmp(device, "cpu") == 0) return kernel ? bench_error("--kernel needs a GPU") : NULL;
    DeviceError err = device_open(device, &out->device);
    if (err) return bench_error("device %s: %s", device, err);
    out->gpu = gpu_new(out->device, NULL);
    return out->gpu ? NULL : bench_error("no memory for the device's tables");
}

void bench_engine_close(BenchEngine *e)
{
    if (e->gpu) gpu_close(e->gpu);
    *e = (BenchEngine){0};
}

const char *bench_engine_where(const BenchEngine *e)
{
    return e->gpu ? gpu_info(e->gpu)->name : "cpu";
}

/* The reasons of all rows, one after the other. */
typedef struct {
    char text[768];
} Reasons;

static void gather(void *ctx, const KernelDesc *kernel, const char *reason, double seconds)
{
    (void)seconds;
    Reasons *r = ctx;
    size_t len = strlen(r->text);
    if (reason)
        snprintf(r->text + len, sizeof r->text - len, "%s%s: %s", len ? "; " : "", kernel->name,
                 reason);
}

BenchError bench_engine_choose(const BenchEngine *e, const GemmProblem *p, const KernelDesc **out)
{
    *out = NULL;
    if (!e->gpu) return NULL;
    const DeviceInfo *info = gpu_info(e->gpu);
    if (e->forced) {
        const char *reason = e->forced->reject(e->forced, p, info->sm);
        *out = e->forced;
        return reason ? bench_error("%s: %s", e->forced->name, reason) : NULL;
    }
    Reasons reasons = {""};
    double seconds;
    *out = gpu_choose(info, p, &seconds, gather, &reasons);
    return *out ? NULL : bench_error("no kernel (%s)", reasons.text);
}

bool bench_engine_tensor_core(const BenchEngine *e, const GemmProblem *p)
{
    const KernelDesc *kernel;
    if (bench_engine_choose(e, p, &kernel) || !kernel || !kernel->atom) return false;
    const MmaAtom *atom = mma_atom_find(kernel->atom);
    return atom && mma_atom_threads(atom) > 1 && atom->c == DTYPE_F32;
}

/* -- Operands on the device ------------------------------------------------------------------- */

/* The bytes of one operand with half of each guard band, from a 256-byte boundary. */
typedef struct {
    unsigned char *first;
    size_t bytes;
    size_t offset; /* of element (0,0) */
} Stretch;

static Stretch stretch_of(GemmMatrix x, int64_t rows, int64_t cols, int64_t batch, const void *data)
{
    int64_t span[2], size = dtype_bytes((Dtype)x.type);
    bench_span(x, rows, cols, batch, span);
    unsigned char *low = (unsigned char *)(uintptr_t)data + span[0] * size - BENCH_GUARD / 2;
    unsigned char *first = low - (uintptr_t)low % 256;
    unsigned char *end = (unsigned char *)(uintptr_t)data + span[1] * size + BENCH_GUARD / 2;
    return (Stretch){first, (size_t)(end - first), (size_t)((const unsigned char *)data - first)};
}

/* In rows of 1 MiB, because a device may bound the width of a copy. */
static DeviceError copy_flat(Device *d, CopyDirection way, void *dst, const void *src, size_t bytes)
{
    const size_t row = 1 << 20;
    size_t whole = bytes / row * row, rest = bytes - whole;
    DeviceError err = NULL;
    if (whole) err = d->ops->copy(d, NULL, way, dst, row, src, row, row, bytes / row);
    if (!err && rest)
        err = d->ops->copy(d, NULL, way, (char *)dst + whole, rest, (const char *)src + whole, rest,
                           rest, 1);
    return err ? err : d->ops->queue_wait(d, NULL);
}

static DeviceError send(BenchResident *r, int which, Stretch s, void **data)
{
    DeviceError err = r->device->ops->alloc(r->device, s.bytes, &r->memory[which]);
    if (err) return err;
    r->bytes[which] = s.bytes;
    *data = (char *)r->memory[which] + s.offset;
    return copy_flat(r->device, COPY_TO_DEVICE, r->memory[which], s.first, s.bytes);
}

static DeviceError send_all(BenchResident *r, const GemmArgs *args)
{
    GemmProblem *p = &r->problem;
    void *a = NULL, *b = NULL;
    DeviceError err = send(r, 0, stretch_of(p->a, p->m, p->k, p->batch, args->a), &a);
    if (!err) err = send(r, 1, stretch_of(p->b, p->k, p->n, p->batch, args->b), &b);
    if (!err) err = send(r, 2, stretch_of(p->c, p->m, p->n, p->batch, args->c), &r->args.c);
    r->args.a = a;
    r->args.b = b;
    return err;
}

BenchError bench_resident_new(Device *device, const GemmProblem *p, const GemmArgs *args,
                              BenchResident *out)
{
    *out = (BenchResident){.device = device, .problem = *p, .args = *args};
    DeviceError err = send_all(out, args);
    if (err) {
        err = bench_error("operands to the device: %s", err);
        bench_resident_free(out);
        return err;
    }
    out->problem.memory = MEMORY_DEVICE;
    out->problem.a.align = gemm_pointer_align(out->args.a);
    out->problem.b.align = gemm_pointer_align(out->args.b);
    out->problem.c.align = gemm_pointer_align(out->args.c);
    return NULL;
}

BenchError bench_resident_fetch(const BenchResident *r, const GemmArgs *args)
{
    const GemmProblem *p = &r->problem;
    Stretch s = stretch_of(p->c, p->m, p->n, p->batch, args->c);
    DeviceError err = copy_flat(r->device, COPY_TO_HOST, s.first, r->memory[2], s.bytes);
    return err ? bench_error("C from the device: %s", err) : NULL;
}

void bench_resident_free(BenchResident *r)
{
    for (int i = 0; i < 3; i++)
        if (r->memory[i]) r->device->ops->release(r->device, r->memory[i]);
    *r = (BenchResident){0};
}

/* -- Computing -------------------------------------------------------------------------------- */

static const char *run_resident(BenchEngine *e, const BenchResident *r)
{
    const KernelDesc *kernel;
    const char *err = bench_engine_choose(e, &r->problem, &kernel);
    if (!err) err = gpu_gemm(e->gpu, kernel, &r->problem, &r->args);
    return err ? err : e->device->ops->queue_wait(e->device, NULL);
}

static const char *run_on_device(BenchEngine *e, const GemmProblem *p, const GemmArgs *args)
{
    BenchResident r;
    const char *err = bench_resident_new(e->device, p, args, &r);
    if (err) return err;
    err = run_resident(e, &r);
    if (!err) err = bench_resident_fetch(&r, args);
    if (err) err = bench_error("%s", err);
    bench_resident_free(&r);
    return err;
}

const char *bench_engine_run(void *engine, const GemmProblem *p, const GemmArgs *args)
{
    BenchEngine *e = engine;
    if (!e->gpu) return cpu_gemm(p, args);
    if (e->memory == MEMORY_DEVICE) return run_on_device(e, p, args);
    const KernelDesc *kernel;
    const char *err = bench_engine_choose(e, p, &kernel);
    return err ? err : gpu_gemm(e->gpu, kernel, p, args);
}
