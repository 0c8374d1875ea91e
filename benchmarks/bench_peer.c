/*
 * bench_peer: another BLAS to compare with, a shared library with sgemm_, dgemm_, cgemm_ and
 * zgemm_.
 *
 * Integers are passed as pointers to 64-bit ones: on a little-endian machine a library with 32-bit
 * integers reads their low halves, so both kinds of library can be called.
 */
#include "benchmarks/bench.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef void Fgemm(const char *ta, const char *tb, const int64_t *m, const int64_t *n,
                   const int64_t *k, const void *alpha, const void *a, const int64_t *lda,
                   const void *b, const int64_t *ldb, const void *beta, void *c, const int64_t *ldc,
                   size_t ta_len, size_t tb_len);

typedef struct {
    BenchPeer peer; /* first */
    void *library;
} BlasPeer;

/* -- A problem as BLAS says it ---------------------------------------------------------------- */

bool bench_blas_matrix(GemmMatrix x, int64_t rows, int64_t cols, BenchBlasMatrix *out)
{
    bool normal = x.rs == 1 && x.cs >= (rows > 1 ? rows : 1) && !x.conj;
    bool turned = x.cs == 1 && x.rs >= (cols > 1 ? cols : 1);
    if (!normal && !turned) return false;
    out->op = normal ? 'n' : x.conj ? 'c' : 't';
    out->ld = normal ? x.cs : x.rs;
    return true;
}

BenchError bench_blas_problem(GemmProblem *p, GemmArgs *args, BenchBlasMatrix *a,
                              BenchBlasMatrix *b)
{
    if (p->c.rs != 1) gemm_transpose(p, args);
    if (p->c.rs != 1) return bench_error("BLAS has no such C");
    if (bench_blas_matrix(p->a, p->m, p->k, a) && bench_blas_matrix(p->b, p->k, p->n, b))
        return NULL;
    return bench_error("BLAS has no such A or B");
}

/* -- A shared library ------------------------------------------------------------------------- */

static const char *routine(const GemmProblem *p)
{
    if (p->a.type != p->c.type) return NULL;
    switch (p->a.type) {
    case DTYPE_F32: return "sgemm_";
    case DTYPE_F64: return "dgemm_";
    case DTYPE_CF32: return "cgemm_";
    case DTYPE_CF64: return "zgemm_";
    default: return NULL;
    }
}

/* A scalar as p's type has it: f32 or f64, complex or not. */
static void scalar(const GemmProblem *p, const double s[2], void *out)
{
    float f[2] = {(float)s[0], (float)s[1]};
    bool wide = dtype_real((Dtype)p->c.type) == DTYPE_F64;
    memcpy(out, wide ? (const void *)s : f, wide ? 2 * sizeof *s : sizeof f);
}

static BenchError run(BenchPeer *peer, const GemmProblem *problem, const GemmArgs *arguments)
{
    GemmProblem p = *problem;
    GemmArgs args = *arguments;
    BenchBlasMatrix a, b;
    const char *name = routine(&p);
    if (!name) return bench_error("%s has no gemm of these types", peer->name);
    void *found = dlsym(((BlasPeer *)peer)->library, name);
    if (!found) return bench_error("%s: no %s in it", peer->name, name);
    BenchError err = bench_blas_problem(&p, &args, &a, &b);
    if (err) return err;
    Fgemm *gemm;
    memcpy(&gemm, &found, sizeof gemm);
    double alpha[2], beta[2];
    scalar(&p, args.alpha, alpha);
    scalar(&p, args.beta, beta);
    int64_t ldc = p.c.cs, bytes = dtype_bytes((Dtype)p.c.type);
    for (int64_t i = 0; i < p.batch; i++)
        gemm(&a.op, &b.op, &p.m, &p.n, &p.k, alpha, (const char *)args.a + i * p.a.bs * bytes,
             &a.ld, (const char *)args.b + i * p.b.bs * bytes, &b.ld, beta,
             (char *)args.c + i * p.c.bs * bytes, &ldc, 1, 1);
    return NULL;
}

/* The library stays loaded: OpenMP run-times do not survive dlclose. */
static void close_peer(BenchPeer *peer)
{
    free(peer);
}

BenchError bench_peer_open(const char *spec, BenchPeer **out)
{
    if (strcmp(spec, "cublas") == 0) return bench_cublas_open(out);
    void *library = dlopen(spec, RTLD_NOW | RTLD_LOCAL);
    if (!library) return bench_error("%s", dlerror());
    BlasPeer *p = calloc(1, sizeof *p);
    if (!p) return bench_error("out of memory");
    const char *slash = strrchr(spec, '/');
    snprintf(p->peer.name, sizeof p->peer.name, "%s", slash ? slash + 1 : spec);
    p->peer.memory = MEMORY_HOST;
    p->peer.run = run;
    p->peer.close = close_peer;
    p->library = library;
    *out = &p->peer;
    return NULL;
}
