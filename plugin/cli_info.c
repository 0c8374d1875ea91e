/* cli_info: what knap would work with on this machine. See cli.h. */
#include "plugin/cli.h"

#include "plugin/decide.h"
#include "plugin/next_blas.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void print_device(const char *spec, const char *taken)
{
    Device *device;
    DeviceError error = device_open(spec, &device);
    if (error) {
        printf("device     %s: none: %s\n", spec, error);
        return;
    }
    const DeviceInfo *info = &device->info;
    printf("device     %s: %s, sm_%d%s\n", spec, info->name, info->sm, taken);
    printf("           %d multiprocessors at %.2f GHz, %.1f GB at %.0f GB/s, driver %s\n",
           info->units, info->clock_hz * 1e-9, (double)info->memory * 1e-9, info->memory_bps * 1e-9,
           info->driver[0] ? info->driver : "none");
    printf("           host link %.1f GB/s, a launch %.1f us\n", info->link_bps * 1e-9,
           info->launch_s * 1e6);
    device->ops->close(device);
}

static bool opens(const char *spec)
{
    Device *device;
    if (device_open(spec, &device)) return false;
    device->ops->close(device);
    return true;
}

/* The device of KNAP_DEVICE, and where that is an ordinal, the other GPUs too. */
static void print_devices(const char *taken)
{
    printf("devices    built in: %s\n", device_kinds());
    if (strcmp(taken, "cpu") == 0)
        puts("device     none: KNAP_DEVICE=cpu");
    else
        print_device(taken, ", taken (KNAP_DEVICE)");
    if (!isdigit((unsigned char)taken[0])) return;
    for (int i = 0;; i++) {
        char spec[16];
        snprintf(spec, sizeof spec, "%d", i);
        if (strcmp(spec, taken) == 0) continue;
        if (!opens(spec)) return;
        print_device(spec, "");
    }
}

/* As a program without a BLAS of its own would find it. */
static void print_next(void)
{
    NextFn fn = next_blas("sgemm_", __builtin_return_address(0));
    if (!fn) {
        puts("next BLAS  none found: cpu_ref computes what the GPU does not (KNAP_BLAS names one)");
        return;
    }
    const char *path = next_blas_library(fn);
    char *real = realpath(path, NULL);
    printf("next BLAS  %s\n", real ? real : path);
    free(real);
}

static void print_cpu(void)
{
    CpuMachine cpu = cost_cpu_machine();
    GemmProblem p = {.m = 2000, .n = 2000, .k = 2000, .batch = 1};
    printf("CPU        %d cores, %s; expected of a BLAS at 2000^3:", cpu.cores, cpu.isa);
    for (int t = 0; t < 2; t++) {
        p.a.type = p.b.type = p.c.type = t ? DTYPE_F64 : DTYPE_F32;
        printf(" %s %.0f GFLOP/s%s", t ? "dgemm" : "sgemm",
               gemm_flops(&p) / cost_cpu_seconds(&cpu, &p, true) * 1e-9, t ? "\n" : ",");
    }
}

static void print_threshold(void)
{
    static const char *const modes[] = {
        [MODE_AUTO] = "forwarded without a look where m*n*k is below",
        [MODE_ALWAYS] = "none is forwarded (KNAP_MODE=always)",
        [MODE_NEVER] = "all are forwarded (KNAP_MODE=never)",
    };
    EnvMode mode = env_get()->mode;
    printf("calls      %s", modes[mode]);
    if (mode == MODE_AUTO) printf(" %g", dispatch_threshold());
    putchar('\n');
}

int cli_info(int argc, char **argv)
{
    if (argc > 1) return cli_wrong("info takes no argument, but got %s", argv[1]);
    printf("knap       %s\n", knap_version());
    print_devices(env_get()->device);
    print_next();
    print_cpu();
    print_threshold();
    puts("knobs");
    env_print(stdout);
    return 0;
}
