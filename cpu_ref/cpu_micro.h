/*
 * cpu_micro: the body of every micro-kernel, written once. A file includes it once a kernel, having
 * defined (all are undefined again at the end):
 *
 *     NAME     the function, see CpuMicro        VECTORS  vectors down the tile: mr = VECTORS * lanes
 *     REAL     float or double                   COLUMNS  columns of the tile: nr
 *     BYTES    length of a vector                TARGET   attribute that enables the instruction set
 *     FMA(x, y, z)  x * y + z on vectors
 *
 * The loops have constant bounds and vanish; what is left is COLUMNS * VECTORS accumulators in registers
 * and, for each k, VECTORS loads, COLUMNS broadcasts and that many fused multiply-adds.
 */
#include "cpu_ref/cpu_kernel.h"

#ifndef KNAP_CPU_REF_CPU_MICRO_H
#define KNAP_CPU_REF_CPU_MICRO_H
#define CPU_JOIN_(a, b) a##b
#define CPU_JOIN(a, b) CPU_JOIN_(a, b)
#ifdef __clang__
#define CPU_UNROLL _Pragma("unroll")
#else
#define CPU_UNROLL _Pragma("GCC unroll 16")
#endif
#endif

#define VEC CPU_JOIN(NAME, _vec)
#define TILE CPU_JOIN(NAME, _tile)
#define LANES (BYTES / (int)sizeof(REAL))

/* Elements of C need not be aligned to a vector. */
typedef REAL VEC __attribute__((vector_size(BYTES), aligned(sizeof(REAL)), may_alias));

/* clang-format off */
/* The tile with its first `vectors` vectors a column; vectors is a constant where this is inlined. */
TARGET static inline __attribute__((always_inline)) void
TILE(int64_t k, const REAL *a, const REAL *b, REAL *c, int64_t ldc, bool add, const int vectors)
{
    VEC acc[COLUMNS][VECTORS];
    CPU_UNROLL for (int j = 0; j < COLUMNS; j++) {
        CPU_UNROLL for (int v = 0; v < vectors; v++) {
            acc[j][v] = (VEC){0};
            __builtin_prefetch(c + j * ldc + v * LANES, 1); /* wanted after the loop over k */
        }
    }

    for (int64_t p = 0; p < k; p++, a += VECTORS * LANES, b += COLUMNS) {
        VEC x[VECTORS];
        CPU_UNROLL for (int v = 0; v < vectors; v++) x[v] = *(const VEC *)(a + v * LANES);
        CPU_UNROLL for (int j = 0; j < COLUMNS; j++) {
            const VEC y = b[j] - (VEC){0}; /* b[j] in every lane; x - 0 is x, also for -0 */
            CPU_UNROLL for (int v = 0; v < vectors; v++) acc[j][v] = FMA(x[v], y, acc[j][v]);
        }
    }

    CPU_UNROLL for (int j = 0; j < COLUMNS; j++) {
        CPU_UNROLL for (int v = 0; v < vectors; v++) {
            VEC *to = (VEC *)(c + j * ldc + v * LANES);
            if (add) acc[j][v] += *to;
            *to = acc[j][v];
        }
    }
}
/* clang-format on */

TARGET CPU_MICRO(NAME)
{
    switch (VECTORS - rows / LANES) {
    case 0: TILE(k, a, b, c, ldc, add, VECTORS); break;
    case 1: TILE(k, a, b, c, ldc, add, VECTORS - 1); break;
    default: TILE(k, a, b, c, ldc, add, 1); break;
    }
}

#undef NAME
#undef REAL
#undef BYTES
#undef VECTORS
#undef COLUMNS
#undef TARGET
#undef FMA
#undef VEC
#undef TILE
#undef LANES
