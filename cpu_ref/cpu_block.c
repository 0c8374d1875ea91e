/* cpu_block: the loops of the blocked GEMM. See cpu_block.h. */
#include "cpu_ref/cpu_block.h"

#include "cpu_ref/cpu_pack.h"
#include "cpu_ref/cpu_tile.h"

enum { TILE_BYTES = 24 * 8 * sizeof(double) }; /* the largest tile of any kernel */

/* A block of C and what the members need to compute it. */
typedef struct {
    const CpuJob *job;
    const CpuSpace *space;
    CpuView c;      /* the block itself */
    CpuView sum;    /* where products are added: c, or the sums beside it */
    CpuSource a, b; /* from the block's first row or column, k = 0 */
    int64_t m, n;
} Block;

/* A slab of k, packed. */
typedef struct {
    int64_t depth; /* elements */
    bool add;      /* to the sums; else they are overwritten */
} Slab;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t parts_of(int64_t total, int64_t size)
{
    return (total + size - 1) / size;
}

static const char *offset(const void *base, int64_t elements, Dtype t)
{
    return (const char *)base + elements * dtype_bytes(t);
}

/* -- Packing ----------------------------------------------------------------------------------- */

/* Packs this member's share of the panels of a slab whose first element across is s->base. */
static void pack_share(const CpuJob *job, CpuSource s, int width, int64_t total, int64_t depth,
                       char *dst, Member me)
{
    const int elements = s.expand ? width / job->parts : width;
    const int64_t bytes = width * depth * job->parts * dtype_bytes(job->real);
    const Range mine = cpu_team_share(parts_of(total, elements), me);
    const void *base = s.base;
    for (int64_t panel = mine.from; panel < mine.to; panel++) {
        const int64_t first = panel * elements;
        s.base = offset(base, first * s.ws, s.type);
        cpu_pack_panel(&s, width, least(elements, total - first), depth, dst + panel * bytes);
    }
}

static CpuSource advanced(CpuSource s, int64_t along_k)
{
    s.base = offset(s.base, along_k * s.ks, s.type);
    return s;
}

static void pack_slab(const Block *x, int64_t from, int64_t depth, Member me)
{
    const CpuKernel *kernel = x->job->kernel;
    pack_share(x->job, advanced(x->a, from), kernel->mr, x->m, depth, x->space->a, me);
    pack_share(x->job, advanced(x->b, from), kernel->nr, x->n, depth, x->space->b, me);
}

/* -- Tiles ------------------------------------------------------------------------------------- */

/* The tile of panel ia of A and panel jb of B. */
static void multiply_tile(const Block *x, Slab slab, int64_t ia, int64_t jb)
{
    const CpuJob *job = x->job;
    const CpuKernel *k = job->kernel;
    const int64_t depth = slab.depth * job->parts, bytes = dtype_bytes(job->real);
    const char *a = (const char *)x->space->a + ia * k->mr * depth * bytes;
    const char *b = (const char *)x->space->b + jb * k->nr * depth * bytes;
    const int rows = (int)least(k->mr, x->m * job->parts - ia * k->mr);
    const int64_t cols = least(k->nr, x->n - jb * k->nr);
    const CpuView to = cpu_view_at(x->sum, 0, ia * k->mr / job->parts, jb * k->nr);
    if (to.rs == 1 && cols == k->nr && rows % k->lanes == 0) {
        k->run(depth, a, b, to.base, to.cs * job->parts, rows, slab.add);
        return;
    }
    _Alignas(64) char tile[TILE_BYTES];
    const int whole = (rows + k->lanes - 1) / k->lanes * k->lanes;
    k->run(depth, a, b, tile, k->mr, whole, false);
    cpu_tile_store(to, tile, k->mr, rows / job->parts, cols, slab.add);
}

/* This member's share of the tiles. They are counted panel of B by panel of B within groups of
 * panels of A that stay in the second-level cache, so that a share is a few runs along such a
 * group. */
static void multiply_share(const Block *x, Slab slab, Member me)
{
    const CpuKernel *k = x->job->kernel;
    const int64_t a_panels = parts_of(x->m * x->job->parts, k->mr);
    const int64_t b_panels = parts_of(x->n, k->nr);
    const int groups = (int)parts_of(a_panels, k->mc / k->mr);
    const Range mine = cpu_team_share(groups * b_panels, me);
    for (int64_t at = mine.from; at < mine.to; at++) {
        const Range group = cpu_team_share(a_panels, (Member){(int)(at / b_panels), groups});
        for (int64_t ia = group.from; ia < group.to; ia++)
            multiply_tile(x, slab, ia, at % b_panels);
    }
}

/* -- Blocks ------------------------------------------------------------------------------------ */

static void scale_share(CpuView to, CpuView from, const Block *x, const double beta[2], Member me)
{
    const Range cols = cpu_team_share(x->n, me);
    cpu_tile_scale(cpu_view_at(to, 0, 0, cols.from), cpu_view_at(from, 0, 0, cols.from), x->m,
                   cols.to - cols.from, beta);
}

static void run_block(const Block *x, Member me)
{
    const CpuJob *job = x->job;
    const double *beta = job->args.beta;
    const ScalarClass class = gemm_scalar_class(beta);
    if (!job->product) {
        if (class != SCALAR_ONE) scale_share(x->c, x->c, x, beta, me);
        return;
    }
    if (class == SCALAR_OTHER || (class == SCALAR_ONE && job->narrow))
        scale_share(x->sum, x->c, x, beta, me);
    for (int64_t from = 0; from < job->p.k; from += job->depth) {
        const Slab slab = {least(job->depth, job->p.k - from), from > 0 || class != SCALAR_ZERO};
        pack_slab(x, from, slab.depth, me);
        cpu_team_wait(me);
        multiply_share(x, slab, me);
        cpu_team_wait(me);
    }
    if (!job->narrow) return;
    scale_share(x->c, x->sum, x, (const double[2]){1.0, 0.0}, me);
    cpu_team_wait(me);
}

/* The block of this batch element whose first element is (i,j). */
static Block block_at(const CpuJob *job, const CpuSpace *space, int64_t batch, int64_t i, int64_t j)
{
    const GemmMatrix *a = &job->p.a, *b = &job->p.b, *c = &job->p.c;
    const Dtype in = (Dtype)a->type;
    const CpuView all = {job->args.c, c->rs, c->cs, (Dtype)c->type};
    const double *alpha = job->args.alpha;
    Block x = {.job = job, .space = space};
    x.m = least(space->mb, job->p.m - i);
    x.n = least(space->nb, job->p.n - j);
    x.a = (CpuSource){.ws = a->rs, .ks = a->cs, .type = in, .conj = a->conj, .scale = {1, 0}};
    x.a.expand = job->parts == 2;
    x.a.base = offset(job->args.a, batch * a->bs + i * a->rs, in);
    x.b = (CpuSource){.ws = b->cs, .ks = b->rs, .type = in, .conj = b->conj};
    x.b.scale[0] = alpha[0];
    x.b.scale[1] = alpha[1];
    x.b.base = offset(job->args.b, batch * b->bs + j * b->cs, in);
    x.c = cpu_view_at(all, batch * c->bs, i, j);
    x.sum = job->narrow ? (CpuView){space->sums, 1, space->mb, DTYPE_F32} : x.c;
    return x;
}

void cpu_block_run(const CpuJob *job, const CpuSpace *space, int64_t batch, Member me)
{
    for (int64_t j = 0; j < job->p.n; j += space->nb) {
        for (int64_t i = 0; i < job->p.m; i += space->mb) {
            const Block x = block_at(job, space, batch, i, j);
            run_block(&x, me);
        }
    }
}
