/*
 * sim_bench: a handwritten piece of PTX, run on a simulated device and looked at.
 *
 * A body finds these registers: %r0 = %tid.x, %rd0 and %rd1 the addresses of the in and out
 * buffers, %r1 = %ctaid.x; free are %p<16>, %h<16>, %r2.. <64>, %rd2.. <32>, %f<64>, %fd<32>, and
 * shared memory smem[4096].
 */
#ifndef KNAP_TESTS_SIM_BENCH_H
#define KNAP_TESTS_SIM_BENCH_H

#include "gpu/sim/sim.h"
#include "tests/tap.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* What is left out is sm_80, .version 7.8, one block, 32 threads. */
typedef struct {
    const char *spec, *version, *target;
    const char *body;
    uint32_t blocks, threads;
    const void *in;
    size_t in_bytes;
    void *out;
    size_t out_bytes;
} SimRun;

static inline void sim_defaults(SimRun *r)
{
    if (!r->spec) r->spec = "sim:sm_80";
    if (!r->version) r->version = "7.8";
    if (!r->target) r->target = "sm_80";
    if (!r->blocks) r->blocks = 1;
    if (!r->threads) r->threads = 32;
}

static inline void sim_text(char *text, size_t size, const SimRun *r)
{
    snprintf(text, size,
             ".version %s\n.target %s\n.address_size 64\n"
             ".visible .entry test(.param .align 8 .b8 args[16])\n.maxntid 1024, 1, 1\n{\n"
             "    .reg .pred %%p<16>;\n    .reg .b16 %%h<16>;\n    .reg .b32 %%r<64>;\n"
             "    .reg .b64 %%rd<32>;\n    .reg .f32 %%f<64>;\n    .reg .f64 %%fd<32>;\n"
             "    .shared .align 16 .b8 smem[4096];\n"
             "    ld.param.b64 %%rd0, [args];\n    ld.param.b64 %%rd1, [args+8];\n"
             "    mov.u32 %%r0, %%tid.x;\n    mov.u32 %%r1, %%ctaid.x;\n%s\n    ret;\n}\n",
             r->version, r->target, r->body);
}

/* Copies in, launches, copies out. The out buffer is not written before, so bytes the kernel
 * leaves out are an error. NULL, or the first error. */
static inline DeviceError sim_launch(Device *d, DeviceKernel *k, const SimRun *r, void *in,
                                     void *out)
{
    const void *args[2] = {in, out};
    DeviceGrid grid = {{r->blocks, 1, 1}, r->threads};
    DeviceError error = NULL;
    if (r->in_bytes)
        error = d->ops->copy(d, NULL, COPY_TO_DEVICE, in, r->in_bytes, r->in, r->in_bytes,
                             r->in_bytes, 1);
    if (!error) error = d->ops->launch(d, NULL, k, grid, args, sizeof args);
    if (!error && r->out)
        error = d->ops->copy(d, NULL, COPY_TO_HOST, r->out, r->out_bytes, out, r->out_bytes,
                             r->out_bytes, 1);
    return error;
}

static inline DeviceError sim_run_on(Device *d, const SimRun *r)
{
    static char text[1 << 20];
    DeviceKernel *k = NULL;
    void *in = NULL, *out = NULL;
    sim_text(text, sizeof text, r);
    DeviceError error = d->ops->load(d, text, "test", &k);
    if (!error) error = d->ops->alloc(d, r->in_bytes, &in);
    if (!error) error = d->ops->alloc(d, r->out_bytes, &out);
    if (!error) error = sim_launch(d, k, r, in, out);
    d->ops->release(d, in);
    d->ops->release(d, out);
    d->ops->unload(d, k);
    return error;
}

/* NULL, or the first error; counters may be NULL. */
static inline DeviceError sim_run(SimRun r, SimCounters *counters)
{
    Device *d;
    sim_defaults(&r);
    DeviceError error = sim_open(r.spec, &d);
    if (error) return error;
    error = sim_run_on(d, &r);
    if (counters) sim_counters(d, counters);
    d->ops->close(d);
    return error;
}

#endif
