/*
 * kernel: who can compute a GemmProblem on a device, as one ordered table (kernels.c).
 *
 * A KernelDesc is a const row: reject says whether it can, cost whether it should, plan fills in how, emit
 * writes the PTX. A row is specialised at plan time on types, majors and vector widths; m, n, k, strides,
 * alpha, beta and pointers are run-time parameters (KernelArgs). Nobody compiles a kernel per shape.
 *
 * Adding a kernel family: one file kernel_*.c and its rows in kernels.c. The checker, the bench,
 * `knap list` and the ptxas test walk the table.
 */
#ifndef KNAP_GPU_KERNEL_H
#define KNAP_GPU_KERNEL_H

#include "gpu/device.h"
#include "gpu/ptx.h"
#include "layout/gemm.h"
#include "layout/tiled.h"

#include <stddef.h>

typedef struct KernelDesc KernelDesc;
typedef struct GemmPlan GemmPlan;

/* Which index of an operand is contiguous: for A rows are m and columns k, for B k and n, for C m and n. */
typedef enum { MAJOR_ROW, MAJOR_COL, MAJOR_NONE } Major; /* ROW: cs == 1; COL: rs == 1; NONE: neither */

struct KernelDesc {
    const char *name;                 /* mma_f16_128x128x32 */
    const char *atom;                 /* name in mma_atoms */
    int tile_m, tile_n, tile_k;       /* of one block of threads */
    int thr_m, thr_n;                 /* atoms side by side over threads */
    double flops_per_clock;           /* of one multiprocessor, as measured with this kernel */
    /* NULL: this kernel can compute p on a device of capability sm. Else a reason, a constant string. */
    const char *(*reject)(const KernelDesc *, const GemmProblem *p, int sm);
    /* Seconds on the device, operands being there already. */
    double (*cost)(const KernelDesc *, const GemmProblem *p, const DeviceInfo *info);
    /* Fills in *plan for p. NULL, or why it cannot be laid out (a defect: reject should have said so). */
    const char *(*plan)(const KernelDesc *, const GemmProblem *p, GemmPlan *plan);
    /* Writes the kernel. Errors stick in *ptx. */
    void (*emit)(const GemmPlan *plan, Ptx *ptx);
};

/* One operand's way into shared memory. */
typedef struct {
    Major major;
    int vec;       /* elements that travel together */
    Layout copy;   /* (T, V) -> coordinate in the tile, who copies what */
    Layout smem;   /* (row, k) of the tile -> element offset in shared memory; rows are m or n */
    Layout frag;   /* (T, (V, R0, R1)) -> coordinate in the tile, who multiplies what */
    int smem_base; /* byte offset of this operand in a stage */
} PlanOperand;

struct GemmPlan {
    const KernelDesc *kernel;
    Dtype c_type;
    int threads;
    int stages;
    int stage_bytes; /* shared memory of one stage */
    TiledMma mma;
    PlanOperand a, b;
    Layout c_frag; /* (T, (V, R0, R1)) -> (m, n) in the tile */
    /* The full name, knap_<kernel>_<majors>_<vectors>_<C type>: entry name, cache key and dump file. */
    char name[96];
};

/* The one parameter of every gemm entry. Strides in elements; pointers into device memory. */
typedef struct {
    uint64_t a, b, c;
    int64_t a_rs, a_cs, a_bs;
    int64_t b_rs, b_cs, b_bs;
    int64_t c_rs, c_cs, c_bs;
    double alpha, beta;
    int32_t m, n, k;
    int32_t tiles_m; /* ceil(m / tile_m): block x of the grid is tile_m index + tiles_m * tile_n index */
} KernelArgs;

_Static_assert(sizeof(KernelArgs) == 128, "KernelArgs has padding");

/* The rows in order of preference, ended by one whose name is NULL. */
extern const KernelDesc kernels[];

const KernelDesc *kernel_find(const char *name);

/* Enough for any kernel's text. */
enum { KERNEL_PTX_SIZE = 4 << 20 };

/* Plans and emits into buf (size bytes); NULL, or the first error. */
const char *kernel_emit(const KernelDesc *kernel, const GemmProblem *p, GemmPlan *plan, char *buf,
                        size_t size);

/* The blocks of plan's grid for m x n and batch, and the KernelArgs. */
DeviceGrid kernel_grid(const GemmPlan *plan, const GemmProblem *p);
KernelArgs kernel_args(const GemmPlan *plan, const GemmProblem *p, const GemmArgs *args);

#endif
