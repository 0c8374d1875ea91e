/*
 * kernel: who can compute a GemmProblem on a device, as one ordered table (kernels.c).
 *
 * A KernelDesc is a const row: reject says whether it can, cost whether it should, plan fills in
 * how, emit writes the PTX. A row is specialised at plan time on types, majors and vector widths;
 * m, n, k, strides, alpha, beta and pointers are run-time parameters (KernelArgs). Nobody compiles
 * a kernel per shape.
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

/* Which index of A (m,k) or B (n,k) is contiguous in memory: its stride is then 1 in the text. */
typedef enum { MAJOR_MN, MAJOR_K, MAJOR_NONE } Major;

/* All that a kernel's text may depend on besides its row: plain data, compared with memcmp. */
typedef struct {
    uint8_t a_type, b_type, c_type;
    uint8_t a_major, b_major; /* Major */
    uint8_t a_vec,
        b_vec; /* neighbours along the contiguous index that are aligned and in bounds together */
    uint8_t c_unit; /* 1: C's n index is contiguous */
} KernelKey;

_Static_assert(sizeof(KernelKey) == 8, "KernelKey has padding");

struct KernelDesc {
    const char *name;           /* mma_f16_128x128x32 */
    const char *atom;           /* name in mma_atoms */
    int tile_m, tile_n, tile_k; /* of one block of threads */
    int thr_m, thr_n;           /* atoms side by side over threads */
    double flops_per_clock;     /* of one multiprocessor, as measured with this kernel */
    /* NULL: this kernel can compute p on a device of capability sm. Else a reason, a constant
     * string. */
    const char *(*reject)(const KernelDesc *, const GemmProblem *p, int sm);
    /* Seconds on the device, operands being there already. */
    double (*cost)(const KernelDesc *, const GemmProblem *p, const DeviceInfo *info);
    /* Fills in *plan. NULL, or why it cannot be laid out (a defect: reject should have said so). */
    const char *(*plan)(const KernelDesc *, const KernelKey *key, GemmPlan *plan);
    /* Writes the kernel. Errors stick in *ptx. */
    void (*emit)(const GemmPlan *plan, Ptx *ptx);
};

/* How one of A and B travels. Its coordinates are (row, k), where row is m for A and n for B. */
typedef struct {
    Dtype type;
    Major major;
    int vec;            /* neighbours along the contiguous index that travel together */
    int smem_stride[2]; /* of (row, k) in shared memory, in elements */
    int smem_base;      /* byte offset of the operand in a stage */
    Layout copy;        /* (T, (vec, ...)) -> (row, k) in the tile: who copies what */
    Layout frag;        /* (T, (V, R0, R1)) -> (row, k) in the tile: who multiplies what */
} PlanOperand;

struct GemmPlan {
    const KernelDesc *kernel;
    TiledMma mma;
    PlanOperand a, b;
    Dtype c_type;
    bool c_unit;   /* C's n index is contiguous: its stride is 1 in the text */
    Layout c_frag; /* (T, (V, R0, R1)) -> (m, n) in the tile */
    int threads;
    int stage_bytes; /* shared memory of one stage of A and B */
    int stages;
    /* The full name, knap_<kernel>_<majors of A, B, C>_<vec of A, B>_<type of C>, e.g.
     * knap_mma_f16_128x128x32_kn_n_v8v8_f16: entry name, cache key and dump file. */
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
    int32_t tiles_m; /* ceil(m / tile_m): block x of the grid is tile_m index + tiles_m * tile_n
                        index */
} KernelArgs;

_Static_assert(sizeof(KernelArgs) == 128, "KernelArgs has padding");

/* The rows in order of preference, ended by one whose name is NULL. */
extern const KernelDesc kernels[];

const KernelDesc *kernel_find(const char *name);

/* Enough for any kernel's text, in bytes. */
enum { KERNEL_PTX_SIZE = 1 << 20 };

/* What p asks of a kernel's text. */
KernelKey kernel_key(const GemmProblem *p);

/* Plans and emits into buf (size bytes); NULL, or the first error. */
const char *kernel_emit(const KernelDesc *kernel, const GemmProblem *p, GemmPlan *plan, char *buf,
                        size_t size);

/* The grid for p and the parameter block. threads: of the plan. */
DeviceGrid kernel_grid(const KernelDesc *kernel, int threads, const GemmProblem *p);
KernelArgs kernel_args(const KernelDesc *kernel, const GemmProblem *p, const GemmArgs *args);

#endif
