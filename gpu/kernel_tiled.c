/* kernel_tiled: plan and cost that tiled kernels share. See kernel_tiled.h. */
#include "gpu/kernel_tiled.h"

#include <stdio.h>
#include <string.h>

/* -- Can --------------------------------------------------------------------------------------- */

static int64_t tiles(int64_t extent, int tile)
{
    return (extent + tile - 1) / tile;
}

const char *tiled_reject(const KernelDesc *kernel, const GemmProblem *p, int sm)
{
    const MmaAtom *atom = mma_atom_find(kernel->atom);
    const int64_t most =
        INT32_MAX - 1024; /* coordinates are 32 bits wide, a tile past the end included */
    if (sm < atom->sm) return "the device is older than the atom";
    if (p->a.type != atom->a || p->b.type != atom->b) return "the atom multiplies other types";
    if (p->a.conj || p->b.conj) return "no conjugation";
    if (p->m > most || p->n > most || p->k > most) return "an extent exceeds 2^31 - 1024";
    if (tiles(p->m, kernel->tile_m) * tiles(p->n, kernel->tile_n) > INT32_MAX)
        return "more tiles than a grid has blocks";
    return NULL;
}

/* -- Should ------------------------------------------------------------------------------------ */

static double bytes_touched(const GemmProblem *p)
{
    double m = (double)p->m, n = (double)p->n, k = (double)p->k, batch = (double)p->batch;
    double c_times = p->beta == SCALAR_ZERO ? 1 : 2;
    return m * k * dtype_bytes((Dtype)p->a.type) * (p->a.bs ? batch : 1) +
           k * n * dtype_bytes((Dtype)p->b.type) * (p->b.bs ? batch : 1) +
           c_times * m * n * dtype_bytes((Dtype)p->c.type) * batch;
}

double tiled_cost(const KernelDesc *kernel, const GemmProblem *p, const DeviceInfo *info)
{
    double blocks = (double)tiles(p->m, kernel->tile_m) * (double)tiles(p->n, kernel->tile_n) *
                    (double)p->batch;
    double per_block = 2.0 * kernel->tile_m * kernel->tile_n *
                       (double)(tiles(p->k, kernel->tile_k) * kernel->tile_k);
    double waves = (double)(int64_t)((blocks + info->units - 1) / info->units);
    double compute = waves * per_block / (kernel->flops_per_clock * info->clock_hz);
    double memory = bytes_touched(p) / info->memory_bps;
    return info->launch_s + (compute > memory ? compute : memory);
}

/* -- How --------------------------------------------------------------------------------------- */

static const char *plan_operand(PlanOperand *op, TiledStyle style, int rows, int tile_k,
                                int threads)
{
    const int64_t extent[2] = {rows, tile_k};
    bool by_k = style.smem_major == MAJOR_K;
    op->smem_stride[0] = by_k ? tile_k + style.pad : 1;
    op->smem_stride[1] = by_k ? 1 : rows + style.pad;
    for (;; op->vec /= 2) { /* a narrow tile may have fewer of the widest vectors than threads */
        op->copy = tiled_copy_tv(extent, threads, op->vec, op->major == MAJOR_K);
        if (layout_ok(op->copy)) return NULL;
        if (op->vec == 1) return "the threads do not divide the tile of an operand";
    }
}

static int smem_bytes(const PlanOperand *op, int rows, int tile_k)
{
    int elements = op->smem_stride[0] * (rows - 1) + op->smem_stride[1] * (tile_k - 1) + 1;
    return (elements * dtype_bytes(op->type) + 15) / 16 * 16;
}

/* Rows in the order (thread, neighbour, rest) are sent to neighbour + w * (thread + threads *
 * rest). */
static Layout neighbours_together(int tile, int threads, int w)
{
    if (w == 1) return layout_leaf(tile, 1);
    return layout_tuple(3, (Layout[]){layout_leaf(threads, w), layout_leaf(w, 1),
                                      layout_leaf(tile / (threads * w), threads * w)});
}

static void name_plan(GemmPlan *plan)
{
    static const char letter_a[] = {'m', 'k', 's'}, letter_b[] = {'n', 'k', 's'};
    snprintf(plan->name, sizeof plan->name, "knap_%s_%c%c%c_v%dv%d_%s", plan->kernel->name,
             letter_a[plan->a.major], letter_b[plan->b.major], plan->c_unit ? 'n' : 's',
             plan->a.vec, plan->b.vec, dtype_name(plan->c_type));
}

const char *tiled_plan(const KernelDesc *kernel, const KernelKey *key, TiledStyle style,
                       GemmPlan *plan)
{
    const MmaAtom *atom = mma_atom_find(kernel->atom);
    memset(plan, 0, sizeof *plan);
    plan->kernel = kernel;
    plan->mma = (TiledMma){
        .atom = atom,
        .thr_m = kernel->thr_m,
        .thr_n = kernel->thr_n,
        .tile_m = kernel->tile_m,
        .tile_n = kernel->tile_n,
        .tile_k = kernel->tile_k,
        .perm_m = neighbours_together(kernel->tile_m, kernel->thr_m, style.neighbours),
        .perm_n = neighbours_together(kernel->tile_n, kernel->thr_n, style.neighbours),
    };
    plan->threads = tiled_mma_threads(&plan->mma);
    plan->c_type = (Dtype)key->c_type;
    plan->c_unit = key->c_unit;
    plan->a = (PlanOperand){.type = atom->a, .major = (Major)key->a_major, .vec = key->a_vec};
    plan->b = (PlanOperand){.type = atom->b, .major = (Major)key->b_major, .vec = key->b_vec};
    const char *why = plan_operand(&plan->a, style, kernel->tile_m, kernel->tile_k, plan->threads);
    if (!why) why = plan_operand(&plan->b, style, kernel->tile_n, kernel->tile_k, plan->threads);
    if (why) return why;
    plan->a.frag = tiled_mma_tv(&plan->mma, 'A');
    plan->b.frag = tiled_mma_tv(&plan->mma, 'B');
    plan->c_frag = tiled_mma_tv(&plan->mma, 'C');
    if (!layout_ok(plan->a.frag) || !layout_ok(plan->b.frag) || !layout_ok(plan->c_frag))
        return "the atoms do not fill the tile";
    plan->b.smem_base = smem_bytes(&plan->a, kernel->tile_m, kernel->tile_k);
    plan->stage_bytes = plan->b.smem_base + smem_bytes(&plan->b, kernel->tile_n, kernel->tile_k);
    plan->stages = 2;
    name_plan(plan);
    return NULL;
}
