/* test_jit: the driver's own compiler takes every kernel row, without spilling and without a
 * warning. */
#include "gpu/kernel.h"
#include "tests/tap.h"

#include <string.h>

/* A square problem of the row's types: op is 0 to 3, which of A and B are transposed; 4: none of
 * the strides is 1. */
static GemmProblem problem(const KernelDesc *kernel, int op, bool narrow)
{
    const MmaAtom *atom = mma_atom_find(kernel->atom);
    const int64_t n = 1024;
    GemmProblem p = {.m = n, .n = n, .k = n, .batch = 1, .memory = MEMORY_DEVICE};
    GemmMatrix row = {.rs = n, .cs = 1, .align = 4}, col = {.rs = 1, .cs = n, .align = 4};
    GemmMatrix any = {.rs = 2, .cs = 3 * n, .align = 1};
    p.a = op == 4 ? any : op & 1 ? col : row;
    p.b = op == 4 ? any : op & 2 ? col : row;
    p.c = op == 4 ? any : row;
    p.a.type = (uint8_t)atom->a;
    p.b.type = (uint8_t)atom->b;
    p.c.type = (uint8_t)(narrow ? atom->a : atom->d);
    return p;
}

static void try_row(Device *device, const KernelDesc *kernel)
{
    static GemmPlan plan;
    static char text[KERNEL_PTX_SIZE];
    int bad = 0;
    for (int v = 0; v < 10; v++) {
        GemmProblem p = problem(kernel, v % 5, v >= 5);
        DeviceKernel *loaded = NULL;
        const char *error = kernel_emit(kernel, &p, &plan, text, sizeof text);
        if (!error) error = device->ops->load(device, text, plan.name, &loaded);
        const char *remarks = loaded ? device->ops->remarks(loaded) : "";
        bool good = !error && !strstr(remarks, "warning") && !strstr(remarks, "C75") &&
                    (!strstr(remarks, "spill") || strstr(remarks, " 0 bytes spill stores"));
        if (!good) diag("%s: %s%s", plan.name, error ? error : "", remarks);
        bad += !good;
        if (loaded) device->ops->unload(device, loaded);
    }
    ok(bad == 0, "%s", kernel->name);
}

int main(void)
{
    Device *device;
    DeviceError error = device_open("0", &device);
    if (error) skip_all("device 0: %s", error);
    for (const KernelDesc *k = kernels; k->name; k++)
        if (!k->reject(k,
                       &(GemmProblem){.a.type = (uint8_t)mma_atom_find(k->atom)->a,
                                      .b.type = (uint8_t)mma_atom_find(k->atom)->b,
                                      .c.type = (uint8_t)mma_atom_find(k->atom)->d},
                       device->info.sm))
            try_row(device, k);
    device->ops->close(device);
    return tap_done();
}
