/*
 * cpu_kernel: the table of micro-kernels and the choice among them. See cpu_kernel.h.
 *
 * The choice is asked of the processor at every call, which costs a load and a test, so there is
 * nothing to initialise. The one variable is the tests' hook.
 */
#include "cpu_ref/cpu_kernel.h"

#include "cpu_ref/cpu_gemm.h"

#include <string.h>

/* clang-format off */
const CpuKernel cpu_kernels[] = {
/*   isa         real      lanes mr  nr  kc   mc   run                      */
#ifdef __x86_64__
    {"avx512",   DTYPE_F32, 16,  48,  8, 256, 480, cpu_micro_avx512_f32},
    {"avx512",   DTYPE_F64,  8,  24,  8, 256, 240, cpu_micro_avx512_f64},
    {"avx2",     DTYPE_F32,  8,  24,  4, 256, 240, cpu_micro_avx2_f32},
    {"avx2",     DTYPE_F64,  4,  12,  4, 256, 120, cpu_micro_avx2_f64},
#endif
    {"portable", DTYPE_F32,  4,   8,  4, 256, 128, cpu_micro_portable_f32},
    {"portable", DTYPE_F64,  2,   4,  4, 256,  64, cpu_micro_portable_f64},
    {NULL,       DTYPE_NONE, 0,   0,  0,   0,   0, NULL},
};
/* clang-format on */

/* Set by cpu_kernel_force, in tests only. */
static const char *forced;

static bool machine_has(const char *isa)
{
#ifdef __x86_64__
    if (strcmp(isa, "avx512") == 0) return __builtin_cpu_supports("avx512f");
    if (strcmp(isa, "avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return strcmp(isa, "portable") == 0;
}

const CpuKernel *cpu_kernel_choose(Dtype real)
{
    for (const CpuKernel *k = cpu_kernels; k->isa; k++) {
        if (k->real != real) continue;
        if (forced ? strcmp(k->isa, forced) == 0 : machine_has(k->isa)) return k;
    }
    return NULL;
}

bool cpu_kernel_force(const char *isa)
{
    if (isa && !machine_has(isa)) return false;
    forced = isa;
    return true;
}

const char *cpu_gemm_isa(void)
{
    return cpu_kernel_choose(DTYPE_F32)->isa;
}
