/* cost: seconds on the CPU. See cost.h. */
#include "plugin/cost.h"

#include "cpu_ref/cpu_gemm.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

/*
 * GFLOP/s of one core, square products of edge 1200, the best of several runs; a complex
 * multiply-add counts 8. Measured on an AMD EPYC of family 26 (Zen 5), one core of a virtual
 * machine. next: OpenBLAS 0.3.21 of Debian 12 with its SkylakeX, Haswell and Nehalem kernels in
 * turn; ref: cpu_gemm on each instruction set. The half types have no BLAS: their next is cpu_ref.
 */
typedef struct {
    Dtype type;
    double next, ref;
} Rate;

/* clang-format off */
static const struct {
    const char *isa;
    Rate rate[6];
} table[] = {
    { "avx512",   {{ DTYPE_F32,  184, 175 }, { DTYPE_F64,  78,  89 }, { DTYPE_CF32, 180, 138 },
                   { DTYPE_CF64,  75,  68 }, { DTYPE_F16, 127, 127 }, { DTYPE_BF16,  99,  99 }} },
    { "avx2",     {{ DTYPE_F32,   88,  68 }, { DTYPE_F64,  46,  31 }, { DTYPE_CF32, 103,  60 },
                   { DTYPE_CF64,  48,  32 }, { DTYPE_F16,  52,  52 }, { DTYPE_BF16,  78,  78 }} },
    { "portable", {{ DTYPE_F32,   36,  17 }, { DTYPE_F64,  18,   8 }, { DTYPE_CF32,  36,  17 },
                   { DTYPE_CF64,  19,   9 }, { DTYPE_F16,  16,  16 }, { DTYPE_BF16,  13,  13 }} },
};
/* clang-format on */

enum {
    ISAS = sizeof table / sizeof table[0],
    TYPES = sizeof table[0].rate / sizeof table[0].rate[0]
};

static const double core_bps = 12e9;        /* bytes a second that one core streams ... */
static const double socket_bps = 150e9;     /* ... and all of them together at most */
static const double call_s = 1e-6;          /* entering a BLAS and waking its threads */
static const double flops_per_thread = 2e6; /* less work than this is not worth a thread more */

/* FLOP/s of one core; an unknown type is taken for f32. */
static double core_rate(const char *isa, Dtype type, bool next)
{
    int row = ISAS - 1;
    for (int i = 0; i < ISAS; i++)
        if (strcmp(table[i].isa, isa) == 0) row = i;
    int col = 0;
    for (int i = 0; i < TYPES; i++)
        if (table[row].rate[i].type == type) col = i;
    return 1e9 * (next ? table[row].rate[col].next : table[row].rate[col].ref);
}

double cost_product(const GemmProblem *p)
{
    return (double)p->m * (double)p->n * (double)p->k * (double)p->batch;
}

/* One matrix where the batch shares it. */
static double bytes_of(int64_t rows, int64_t cols, int64_t batch, const GemmMatrix *x)
{
    double matrices = x->bs ? (double)batch : 1;
    return matrices * (double)rows * (double)cols * dtype_bits((Dtype)x->type) / 8;
}

double cost_operand_bytes(const GemmProblem *p)
{
    return bytes_of(p->m, p->k, p->batch, &p->a) + bytes_of(p->k, p->n, p->batch, &p->b) +
           bytes_of(p->m, p->n, p->batch, &p->c);
}

double cost_cpu_seconds(const CpuMachine *cpu, const GemmProblem *p, bool next)
{
    double flops = gemm_flops(p);
    double cores = fmax(1, fmin(cpu->cores, floor(flops / flops_per_thread)));
    double work = flops / (cores * core_rate(cpu->isa, (Dtype)p->a.type, next));
    double traffic = cost_operand_bytes(p) / fmin(cores * core_bps, socket_bps);
    return call_s + fmax(work, traffic);
}

/* The first of the hardware threads that share cpu's core; cpu itself where the system does not
 * say. */
static size_t first_sibling(size_t cpu)
{
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%zu/topology/thread_siblings_list",
             cpu);
    FILE *file = fopen(path, "re");
    size_t first = cpu;
    if (file && fscanf(file, "%zu", &first) != 1) first = cpu;
    if (file) fclose(file);
    return first;
}

/* Hardware threads of one core share its multiplier, so a core counts once. */
static int cores_of_affinity(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    int cores = 0;
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &set)) continue;
        size_t first = first_sibling(cpu);
        if (first == cpu || first >= CPU_SETSIZE || !CPU_ISSET(first, &set)) cores++;
    }
    return cores > 0 ? cores : 1;
}

CpuMachine cost_cpu_machine(void)
{
    return (CpuMachine){.cores = cores_of_affinity(), .isa = cpu_gemm_isa()};
}
