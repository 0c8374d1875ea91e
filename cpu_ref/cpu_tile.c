/*
 * cpu_tile: C outside the micro-kernel. See cpu_tile.h. The loops are written once over types that
 * are constants where they are inlined.
 */
#include "cpu_ref/cpu_tile.h"

#include "cpu_ref/cpu_element.h"
#include "layout/gemm.h"

#include <string.h>

CpuView cpu_view_at(CpuView v, int64_t ahead, int64_t i, int64_t j)
{
    v.base = (char *)v.base + (ahead + i * v.rs + j * v.cs) * dtype_bytes(v.type);
    return v;
}

/* -- Scaling ----------------------------------------------------------------------------------- */

/* The row strides are given apart, as constants where they are 1. */
CPU_INLINE void scale_rows(CpuView to, CpuView from, Dtype tt, Dtype ft, int64_t to_rs,
                           int64_t from_rs, int64_t m, int64_t n, double beta)
{
    for (int64_t j = 0; j < n; j++) {
#pragma omp simd
        for (int64_t i = 0; i < m; i++) {
            const double x = cpu_element_get(ft, from.base, i * from_rs + j * from.cs);
            cpu_element_put(tt, to.base, i * to_rs + j * to.cs, beta * x);
        }
    }
}

static void set_zero(CpuView to, int64_t m, int64_t n)
{
    const size_t bytes = (size_t)dtype_bytes(to.type);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) memset(cpu_view_at(to, 0, i, j).base, 0, bytes);
}

CPU_INLINE void scale_real(CpuView to, CpuView from, Dtype tt, Dtype ft, int64_t m, int64_t n,
                           double beta)
{
    if (to.rs == 1 && from.rs == 1)
        scale_rows(to, from, tt, ft, 1, 1, m, n, beta);
    else
        scale_rows(to, from, tt, ft, to.rs, from.rs, m, n, beta);
}

CPU_INLINE void scale_complex(CpuView to, CpuView from, Dtype t, int64_t m, int64_t n,
                              const double beta[2])
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            const int64_t at = 2 * (i * to.rs + j * to.cs), x = 2 * (i * from.rs + j * from.cs);
            const double re = cpu_element_get(t, from.base, x);
            const double im = cpu_element_get(t, from.base, x + 1);
            cpu_element_put(t, to.base, at, beta[0] * re - beta[1] * im);
            cpu_element_put(t, to.base, at + 1, beta[0] * im + beta[1] * re);
        }
}

void cpu_tile_scale(CpuView to, CpuView from, int64_t m, int64_t n, const double beta[2])
{
    if (gemm_scalar_class(beta) == SCALAR_ZERO) {
        set_zero(to, m, n);
        return;
    }
#define PAIR(to_type, from_type) ((int)(to_type) * (int)DTYPE_COUNT + (int)(from_type))
#define REAL(t, f) \
    case PAIR(t, f): scale_real(to, from, t, f, m, n, beta[0]); break
    switch (PAIR(to.type, from.type)) {
        REAL(DTYPE_F64, DTYPE_F64);
        REAL(DTYPE_F32, DTYPE_F32);
        REAL(DTYPE_F16, DTYPE_F16);
        REAL(DTYPE_F16, DTYPE_F32);
        REAL(DTYPE_F32, DTYPE_F16);
        REAL(DTYPE_BF16, DTYPE_BF16);
        REAL(DTYPE_BF16, DTYPE_F32);
        REAL(DTYPE_F32, DTYPE_BF16);
    case PAIR(DTYPE_CF32, DTYPE_CF32): scale_complex(to, from, DTYPE_F32, m, n, beta); break;
    case PAIR(DTYPE_CF64, DTYPE_CF64): scale_complex(to, from, DTYPE_F64, m, n, beta); break;
    default: break;
    }
#undef REAL
#undef PAIR
}

/* -- Tiles that the kernel does not store ------------------------------------------------------ */

CPU_INLINE void store(CpuView to, Dtype real, const int parts, const void *tile, int64_t ld,
                      int64_t m, int64_t n, bool add)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            for (int part = 0; part < parts; part++) {
                const int64_t at = parts * (i * to.rs + j * to.cs) + part;
                const double x = cpu_element_get(real, tile, parts * i + part + j * ld);
                const double old = add ? cpu_element_get(real, to.base, at) : 0.0;
                cpu_element_put(real, to.base, at, add ? old + x : x);
            }
}

void cpu_tile_store(CpuView to, const void *tile, int64_t ld, int64_t m, int64_t n, bool add)
{
    switch (to.type) {
    case DTYPE_F64: store(to, DTYPE_F64, 1, tile, ld, m, n, add); break;
    case DTYPE_F32: store(to, DTYPE_F32, 1, tile, ld, m, n, add); break;
    case DTYPE_CF64: store(to, DTYPE_F64, 2, tile, ld, m, n, add); break;
    case DTYPE_CF32: store(to, DTYPE_F32, 2, tile, ld, m, n, add); break;
    default: break;
    }
}
