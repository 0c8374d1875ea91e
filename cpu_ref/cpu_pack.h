/*
 * cpu_pack: copies a panel of A or B into the order in which a micro-kernel reads it, as f32 or
 * f64. Private to cpu_ref.
 *
 * A panel is `width` reals wide (the kernel's mr or nr) and depth elements deep. A complex product
 * is a real one of twice the depth: with
 *     A's element a + bi as the 2 x 2 block  a -b   and B's element c + di as the column  c
 *                                            b  a                                         d
 * their product is the column (ac - bd, ad + bc). So a panel of A holds width/2 complex rows,
 * expanded, and the real kernel leaves real and imaginary parts side by side, as C has them.
 */
#ifndef KNAP_CPU_REF_CPU_PACK_H
#define KNAP_CPU_REF_CPU_PACK_H

#include "layout/dtype.h"

#include <stdbool.h>
#include <stdint.h>

/* Where the panel comes from. Element (i,p), i across the panel, p along the depth, lies at
 * i*ws + p*ks. */
typedef struct {
    const void *base; /* element (0,0) */
    int64_t ws, ks;
    Dtype type;
    bool conj;
    bool expand;     /* complex only: the 2 x 2 block (A), else the column (B) */
    double scale[2]; /* every element is multiplied by it; complex: columns (B) only */
} CpuSource;

/* Packs elements 0 <= i < valid, 0 <= p < depth; what is left of the width becomes zero. dst is of
 * type dtype_real of the accumulator, width * depth reals (complex: twice that). */
void cpu_pack_panel(const CpuSource *source, int width, int64_t valid, int64_t depth, void *dst);

#endif
