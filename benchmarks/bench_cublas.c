/*
 * bench_cublas: cuBLAS as the peer, loaded at run time, so that neither building nor running needs
 * it.
 *
 * It works on operands in device memory, on the default stream, in the primary context that our
 * device uses too. f16, bf16 and tf32 use tensor cores and sum in f32; f32 is pedantic, that is
 * true FFMA, to be compared with kernels of the same accuracy (compute=tf32 lifts that). The
 * numbers are the published values of cuBLAS's enumerations.
 */
#include "benchmarks/bench.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { OP_N = 0, OP_T = 1, OP_C = 2, ALGO_DEFAULT = -1 };
enum { COMPUTE_32F = 68, COMPUTE_32F_PEDANTIC = 69, COMPUTE_64F = 70, COMPUTE_32F_FAST_TF32 = 77 };

typedef int Create(void **handle);
typedef int Destroy(void *handle);
typedef int GemmEx(void *handle, int ta, int tb, int m, int n, int k, const void *alpha,
                   const void *a, int a_type, int lda, long long a_stride, const void *b,
                   int b_type, int ldb, long long b_stride, const void *beta, void *c, int c_type,
                   int ldc, long long c_stride, int batch, int compute, int algo);

typedef struct {
    BenchPeer peer; /* first */
    void *handle;
    Destroy *destroy;
    GemmEx *gemm;
} CublasPeer;

static int data_type(uint8_t t)
{
    switch (t) {
    case DTYPE_F32:
    case DTYPE_TF32: return 0;
    case DTYPE_F64: return 1;
    case DTYPE_F16: return 2;
    case DTYPE_CF32: return 4;
    case DTYPE_CF64: return 5;
    case DTYPE_BF16: return 14;
    default: return -1;
    }
}

static int compute_type(const GemmProblem *p)
{
    if (gemm_accumulator(p) == DTYPE_F64) return COMPUTE_64F;
    if (p->a.type == DTYPE_TF32 || p->compute == COMPUTE_TF32) return COMPUTE_32F_FAST_TF32;
    return dtype_real((Dtype)p->a.type) == DTYPE_F32 ? COMPUTE_32F_PEDANTIC : COMPUTE_32F;
}

static int op_of(char letter)
{
    return letter == 'n' ? OP_N : letter == 't' ? OP_T : OP_C;
}

static bool too_large(const GemmProblem *p, int64_t lda, int64_t ldb)
{
    int64_t most = INT32_MAX;
    return p->m > most || p->n > most || p->k > most || p->batch > most || lda > most ||
           ldb > most || p->c.cs > most;
}

static BenchError run(BenchPeer *peer, const GemmProblem *problem, const GemmArgs *arguments)
{
    const CublasPeer *x = (const CublasPeer *)peer;
    GemmProblem p = *problem;
    GemmArgs args = *arguments;
    BenchBlasMatrix a, b;
    BenchError err = bench_blas_problem(&p, &args, &a, &b);
    if (err) return err;
    int type = data_type(p.a.type), c_type = data_type(p.c.type);
    if (type < 0 || c_type < 0 || too_large(&p, a.ld, b.ld))
        return bench_error("not a problem for cuBLAS");
    float alpha[2] = {(float)args.alpha[0], (float)args.alpha[1]};
    float beta[2] = {(float)args.beta[0], (float)args.beta[1]};
    bool wide = gemm_accumulator(&p) == DTYPE_F64;
    const void *al = wide ? (const void *)args.alpha : alpha,
               *be = wide ? (const void *)args.beta : beta;
    int status =
        x->gemm(x->handle, op_of(a.op), op_of(b.op), (int)p.m, (int)p.n, (int)p.k, al, args.a, type,
                (int)a.ld, p.a.bs, args.b, type, (int)b.ld, p.b.bs, be, args.c, c_type, (int)p.c.cs,
                p.c.bs, (int)p.batch, compute_type(&p), ALGO_DEFAULT);
    return status ? bench_error("cuBLAS status %d", status) : NULL;
}

static void close_peer(BenchPeer *peer)
{
    CublasPeer *x = (CublasPeer *)peer;
    x->destroy(x->handle);
    free(x);
}

/* -- Loading ---------------------------------------------------------------------------------- */

static bool find(void *library, const char *name, void *fn)
{
    void *found = dlsym(library, name);
    memcpy(fn, &found, sizeof found);
    return found != NULL;
}

static void *load(void)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library) return library;
    }
    return NULL;
}

BenchError bench_cublas_open(BenchPeer **out)
{
    void *library = load();
    if (!library)
        return bench_error("no libcublas.so.13 or .12 on the library path (LD_LIBRARY_PATH)");
    CublasPeer *x = calloc(1, sizeof *x);
    if (!x) return bench_error("out of memory");
    Create *create;
    bool found = find(library, "cublasCreate_v2", &create) &&
                 find(library, "cublasDestroy_v2", &x->destroy) &&
                 find(library, "cublasGemmStridedBatchedEx", &x->gemm);
    int status = found ? create(&x->handle) : -1;
    if (status) {
        free(x);
        return bench_error("cuBLAS does not start: status %d", status);
    }
    strcpy(x->peer.name, "cublas");
    x->peer.memory = MEMORY_DEVICE;
    x->peer.run = run;
    x->peer.close = close_peer;
    *out = &x->peer;
    return NULL;
}
