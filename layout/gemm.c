/* gemm: small questions about a GemmProblem. See gemm.h. */
#include "layout/gemm.h"

double gemm_flops(const GemmProblem *p)
{
    double per_term = dtype_is_complex((Dtype)p->c.type) ? 8.0 : 2.0;
    return per_term * (double)p->m * (double)p->n * (double)p->k * (double)p->batch;
}

Dtype gemm_accumulator(const GemmProblem *p)
{
    switch (dtype_real((Dtype)p->a.type)) {
    case DTYPE_F64: return DTYPE_F64;
    case DTYPE_S8:
    case DTYPE_U8:
    case DTYPE_S4:
    case DTYPE_U4:
    case DTYPE_B1: return DTYPE_S32;
    default: return DTYPE_F32;
    }
}

static GemmMatrix transposed(GemmMatrix x)
{
    GemmMatrix t = x;
    t.rs = x.cs;
    t.cs = x.rs;
    return t;
}

void gemm_transpose(GemmProblem *p, GemmArgs *args)
{
    int64_t m = p->m;
    p->m = p->n;
    p->n = m;
    GemmMatrix a = p->a;
    p->a = transposed(p->b);
    p->b = transposed(a);
    p->c = transposed(p->c);
    const void *pa = args->a;
    args->a = args->b;
    args->b = pa;
}

ScalarClass gemm_scalar_class(const double s[2])
{
    if (s[1] != 0.0) return SCALAR_OTHER;
    if (s[0] == 0.0) return SCALAR_ZERO;
    return s[0] == 1.0 ? SCALAR_ONE : SCALAR_OTHER;
}

uint8_t gemm_pointer_align(const void *p)
{
    uintptr_t x = (uintptr_t)p;
    uint8_t log2 = 0;
    while (log2 < 4 && (x >> log2 & 1) == 0) log2++;
    return log2;
}
