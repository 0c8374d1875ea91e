/* cpu_job: how a problem is cut into blocks and slabs, and the memory for them. See cpu_block.h. */
#include "cpu_ref/cpu_block.h"

#include <stdlib.h>

enum {
    BLOCK = 4096, /* elements along a block of C: slabs of A and B then take 4 MB each in f32 */
    BLOCK_SMALL = 2048 /* where elements or sums are larger */
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t parts_of(int64_t total, int64_t size)
{
    return (total + size - 1) / size;
}

static int64_t round_up(int64_t x, int64_t to)
{
    return parts_of(x, to) * to;
}

/* The size, a multiple of `step`, of equal pieces of `total` that are no longer than `most`. */
static int64_t even_piece(int64_t total, int64_t most, int64_t step)
{
    return round_up(parts_of(total, parts_of(total, most)), step);
}

/* Work of computing an m x n C, in elements of whole tiles; a quarter more where the kernel cannot
 * store its tiles because C's columns are not contiguous. */
static double padded_work(const CpuKernel *k, int parts, int64_t m, int64_t n, int64_t rs)
{
    const double tiles = (double)round_up(m * parts, k->lanes) * (double)round_up(n, k->nr);
    return rs == 1 ? tiles : 1.25 * tiles;
}

/* Exchanges A and B, transposed, where that suits the kernel better. */
static void orient(CpuJob *job)
{
    const GemmProblem *p = &job->p;
    const double as_is = padded_work(job->kernel, job->parts, p->m, p->n, p->c.rs);
    const double swapped = padded_work(job->kernel, job->parts, p->n, p->m, p->c.cs);
    if (swapped < as_is) gemm_transpose(&job->p, &job->args);
}

CpuJob cpu_job_plan(const GemmProblem *p, const GemmArgs *args)
{
    const Dtype real = gemm_accumulator(p), c = (Dtype)p->c.type;
    const bool complex = dtype_is_complex(c);
    CpuJob job = {.p = *p, .args = *args, .kernel = cpu_kernel_choose(real), .real = real};
    job.parts = complex ? 2 : 1;
    job.narrow = dtype_bytes(c) == 2;
    job.product = p->k > 0 && gemm_scalar_class(args->alpha) != SCALAR_ZERO;
    orient(&job);
    const int64_t most = complex || job.narrow ? BLOCK_SMALL : BLOCK;
    job.depth = job.product ? even_piece(p->k, job.kernel->kc / job.parts, 1) : 0;
    job.mb = even_piece(job.p.m, most, job.kernel->mr / job.parts);
    job.nb = even_piece(job.p.n, most, job.kernel->nr);
    return job;
}

/* -- Memory ------------------------------------------------------------------------------------ */

typedef struct {
    size_t a, b, sums; /* bytes, each a multiple of 64 */
} Sizes;

static Sizes sizes_of(const CpuJob *job, int64_t mb, int64_t nb)
{
    const int64_t slab = job->depth * job->parts * dtype_bytes(job->real);
    return (Sizes){
        .a = (size_t)round_up(mb * job->parts * slab, 64),
        .b = (size_t)round_up(nb * slab, 64),
        .sums = job->narrow ? (size_t)round_up(mb * nb * (int64_t)sizeof(float), 64) : 0,
    };
}

CpuSpace cpu_space_open(const CpuJob *job, void *at_least)
{
    CpuSpace space = {.mb = job->mb, .nb = job->nb};
    Sizes size = sizes_of(job, space.mb, space.nb);
    const size_t total = size.a + size.b + size.sums;
    if (total > CPU_SPACE_LEAST) {
        space.heap = aligned_alloc(64, total);
        if (!space.heap) {
            space.mb = least(space.mb, job->kernel->mr / job->parts);
            space.nb = least(space.nb, job->kernel->nr);
            size = sizes_of(job, space.mb, space.nb);
        }
    }
    char *base = space.heap ? space.heap : at_least;
    space.a = base;
    space.b = base + size.a;
    space.sums = (float *)(void *)(base + size.a + size.b);
    return space;
}

void cpu_space_close(CpuSpace *space)
{
    free(space->heap);
}
