/* kernels: the registry, and the steps that every row shares. See kernel.h. */
#include "gpu/emit.h"
#include "gpu/kernel_tiled.h"

#include <string.h>

#define SIMT simt_reject, tiled_cost, simt_plan, emit_tiled_gemm
#define MMA mma_reject, tiled_cost, mma_plan, emit_tiled_gemm

/* In order of preference where costs are equal. flops per clock: see benchmarks/results/. */
/* clang-format off */
const KernelDesc kernels[] = {
    /* name                   atom                              tile m  n   k   thr m  n  flops/clk */
    { "mma_f16_128x128x32",   "SM80_16x8x16_F32F16F16F32_TN",      128, 128, 32,    2,  4, 450, MMA },
    { "mma_f16_64x64x32",     "SM80_16x8x16_F32F16F16F32_TN",       64,  64, 32,    2,  2, 320, MMA },
    { "mma_bf16_128x128x32",  "SM80_16x8x16_F32BF16BF16F32_TN",    128, 128, 32,    2,  4, 450, MMA },
    { "mma_bf16_64x64x32",    "SM80_16x8x16_F32BF16BF16F32_TN",     64,  64, 32,    2,  2, 320, MMA },
    { "simt_f32_128x128x8",   "FMA_1x1x1_F32F32F32F32",            128, 128,  8,   16, 16, 170, SIMT },
    { "simt_f32_64x64x16",    "FMA_1x1x1_F32F32F32F32",             64,  64, 16,   16, 16, 130, SIMT },
    { "simt_f64_64x64x16",    "FMA_1x1x1_F64F64F64F64",             64,  64, 16,   16, 16,  65, SIMT },
    { "simt_f64_32x32x16",    "FMA_1x1x1_F64F64F64F64",             32,  32, 16,   16, 16,  35, SIMT },
    { 0 },
};
/* clang-format on */

const KernelDesc *kernel_find(const char *name)
{
    for (const KernelDesc *k = kernels; k->name; k++)
        if (strcmp(k->name, name) == 0) return k;
    return NULL;
}

/* -- The key ----------------------------------------------------------------------------------- */

/* The widest vector, up to 16 bytes, that is aligned everywhere and lies wholly inside or outside.
 */
static uint8_t widest(const GemmMatrix *x, int64_t other_stride, int64_t along)
{
    for (int bytes = 16, vec; (vec = bytes / dtype_bytes((Dtype)x->type)) > 1; bytes /= 2)
        if ((1 << x->align) % bytes == 0 && other_stride % vec == 0 && x->bs % vec == 0 &&
            along % vec == 0)
            return (uint8_t)vec;
    return 1;
}

KernelKey kernel_key(const GemmProblem *p)
{
    Major a = p->a.cs == 1 ? MAJOR_K : p->a.rs == 1 ? MAJOR_MN : MAJOR_NONE;
    Major b = p->b.rs == 1 ? MAJOR_K : p->b.cs == 1 ? MAJOR_MN : MAJOR_NONE;
    KernelKey key = {.a_type = p->a.type,
                     .b_type = p->b.type,
                     .c_type = p->c.type,
                     .a_major = (uint8_t)a,
                     .b_major = (uint8_t)b,
                     .a_vec = 1,
                     .b_vec = 1,
                     .c_unit = p->c.cs == 1};
    if (a == MAJOR_K) key.a_vec = widest(&p->a, p->a.rs, p->k);
    if (a == MAJOR_MN) key.a_vec = widest(&p->a, p->a.cs, p->m);
    if (b == MAJOR_K) key.b_vec = widest(&p->b, p->b.cs, p->k);
    if (b == MAJOR_MN) key.b_vec = widest(&p->b, p->b.rs, p->n);
    return key;
}

/* -- The text ---------------------------------------------------------------------------------- */

const char *kernel_emit(const KernelDesc *kernel, const GemmProblem *p, GemmPlan *plan, char *buf,
                        size_t size)
{
    KernelKey key = kernel_key(p);
    const char *why = kernel->plan(kernel, &key, plan);
    if (why) return why;
    Ptx x;
    ptx_init(&x, buf, size);
    kernel->emit(plan, &x);
    static _Thread_local char error[sizeof x.err];
    PtxEntry entry = {.name = plan->name,
                      .ptx = plan->mma.atom->ptx,
                      .sm = plan->mma.atom->sm,
                      .threads = plan->threads,
                      .param_bytes = (int)sizeof(KernelArgs),
                      .smem_bytes = plan->stages * plan->stage_bytes};
    if (!ptx_finish(&x, &entry)) return NULL;
    memcpy(error, x.err, sizeof error);
    return error;
}

static int64_t tiles(int64_t extent, int tile)
{
    return (extent + tile - 1) / tile;
}

DeviceGrid kernel_grid(const KernelDesc *kernel, int threads, const GemmProblem *p)
{
    int64_t blocks = tiles(p->m, kernel->tile_m) * tiles(p->n, kernel->tile_n);
    return (DeviceGrid){.blocks = {(uint32_t)blocks, (uint32_t)p->batch, 1},
                        .threads = (uint32_t)threads};
}

KernelArgs kernel_args(const KernelDesc *kernel, const GemmProblem *p, const GemmArgs *args)
{
    return (KernelArgs){.a = (uint64_t)(uintptr_t)args->a,
                        .b = (uint64_t)(uintptr_t)args->b,
                        .c = (uint64_t)(uintptr_t)args->c,
                        .a_rs = p->a.rs,
                        .a_cs = p->a.cs,
                        .a_bs = p->a.bs,
                        .b_rs = p->b.rs,
                        .b_cs = p->b.cs,
                        .b_bs = p->b.bs,
                        .c_rs = p->c.rs,
                        .c_cs = p->c.cs,
                        .c_bs = p->c.bs,
                        .alpha = args->alpha[0],
                        .beta = args->beta[0],
                        .m = (int32_t)p->m,
                        .n = (int32_t)p->n,
                        .k = (int32_t)p->k,
                        .tiles_m = (int32_t)tiles(p->m, kernel->tile_m)};
}
