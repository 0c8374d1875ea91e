/*
 * cpu_tile: what happens to C outside the micro-kernel: scaling by beta, sums kept beside a narrow
 * C, and tiles that the kernel cannot store itself. Private to cpu_ref.
 */
#ifndef KNAP_CPU_REF_CPU_TILE_H
#define KNAP_CPU_REF_CPU_TILE_H

#include "layout/dtype.h"

#include <stdbool.h>
#include <stdint.h>

/* A rectangle of elements: (i,j) at i*rs + j*cs. */
typedef struct {
    void *base;
    int64_t rs, cs;
    Dtype type;
} CpuView;

/* The view that begins at element (i,j) of v, `ahead` elements further. */
CpuView cpu_view_at(CpuView v, int64_t ahead, int64_t i, int64_t j);

/* to = beta * from, m x n. from is not read where beta is 0. The same view may be both. */
void cpu_tile_scale(CpuView to, CpuView from, int64_t m, int64_t n, const double beta[2]);

/* to = tile, or to += tile where add. The tile is column-major, columns ld reals apart; to is f32,
 * f64 or their complex types. */
void cpu_tile_store(CpuView to, const void *tile, int64_t ld, int64_t m, int64_t n, bool add);

#endif
