/*
 * cpu_pack: packing of panels. See cpu_pack.h.
 *
 * The loops are written once, over types that are constants wherever they are inlined;
 * cpu_pack_panel makes the instances. A value passes through double, which the compiler removes
 * where nothing is rounded. Scaling is a pass of its own over the packed panel, which is then in
 * the cache.
 */
#include "cpu_ref/cpu_pack.h"

#include "cpu_ref/cpu_element.h"
#include "layout/gemm.h"

#include <stdlib.h>

enum { STRIP = 16 }; /* depth read along a row at a time: a cache line of f32 */

/* -- Real panels ------------------------------------------------------------------------------- */

/* Asks for what the next panel will want of row p: a row is too short for the hardware to see that
 * the reading goes on beside it. */
CPU_INLINE void prefetch_beside(const CpuSource *s, Dtype t, int width, int64_t p)
{
    const int64_t bytes = t == DTYPE_F64 ? 8 : t == DTYPE_F32 ? 4 : 2, line = 64 / bytes;
    const uintptr_t next = (uintptr_t)s->base + (uintptr_t)((p * s->ks + width) * bytes);
    for (int64_t i = 0; i < width; i += line)
        __builtin_prefetch((const void *)(next + (uintptr_t)(i * bytes)));
}

/* Rows [from, to) of the depth. Reads along the shorter stride; ws is s->ws, a constant where it
 * is 1. */
CPU_INLINE void strip(const CpuSource *s, Dtype t, const int64_t ws, int width, int64_t valid,
                      int64_t from, int64_t to, void *dst)
{
    const Dtype real = t == DTYPE_F64 ? DTYPE_F64 : DTYPE_F32;
    if (llabs(s->ks) < llabs(ws)) {
        for (int64_t i = 0; i < valid; i++)
            for (int64_t p = from; p < to; p++)
                cpu_element_put(real, dst, p * width + i,
                                cpu_element_get(t, s->base, i * ws + p * s->ks));
        return;
    }
    for (int64_t p = from; p < to; p++) {
        if (ws == 1) prefetch_beside(s, t, width, p);
#pragma omp simd
        for (int64_t i = 0; i < valid; i++)
            cpu_element_put(real, dst, p * width + i,
                            cpu_element_get(t, s->base, i * ws + p * s->ks));
    }
}

CPU_INLINE void real_panel(const CpuSource *s, Dtype t, int width, int64_t valid, int64_t depth,
                           void *dst)
{
    for (int64_t p = 0; p < depth; p += STRIP) {
        const int64_t to = p + STRIP < depth ? p + STRIP : depth;
        if (s->ws == 1)
            strip(s, t, 1, width, valid, p, to, dst);
        else
            strip(s, t, s->ws, width, valid, p, to, dst);
    }
}

/* -- Complex panels ---------------------------------------------------------------------------- */

CPU_INLINE void complex_element(const CpuSource *s, Dtype t, int64_t at, int width, int64_t i,
                                int64_t p, void *dst)
{
    const double re = cpu_element_get(t, s->base, 2 * at), conj = s->conj ? -1.0 : 1.0;
    const double im = conj * cpu_element_get(t, s->base, 2 * at + 1);
    if (s->expand) {
        cpu_element_put(t, dst, 2 * p * width + 2 * i, re);
        cpu_element_put(t, dst, 2 * p * width + 2 * i + 1, im);
        cpu_element_put(t, dst, (2 * p + 1) * width + 2 * i, -im);
        cpu_element_put(t, dst, (2 * p + 1) * width + 2 * i + 1, re);
    } else {
        cpu_element_put(t, dst, 2 * p * width + i, re);
        cpu_element_put(t, dst, (2 * p + 1) * width + i, im);
    }
}

CPU_INLINE void complex_panel(const CpuSource *s, Dtype t, int width, int64_t valid, int64_t depth,
                              void *dst)
{
    for (int64_t from = 0; from < depth; from += STRIP) {
        const int64_t to = from + STRIP < depth ? from + STRIP : depth;
        if (llabs(s->ks) < llabs(s->ws)) {
            for (int64_t i = 0; i < valid; i++)
                for (int64_t p = from; p < to; p++)
                    complex_element(s, t, i * s->ws + p * s->ks, width, i, p, dst);
        } else {
            for (int64_t p = from; p < to; p++)
                for (int64_t i = 0; i < valid; i++)
                    complex_element(s, t, i * s->ws + p * s->ks, width, i, p, dst);
        }
    }
}

/* -- Any panel --------------------------------------------------------------------------------- */

/* Zeroes columns [from, width) of every row: no result needs them, but what happened to be there
 * could raise floating-point exceptions. */
static void zero_rest(Dtype real, int width, int64_t from, int64_t rows, void *dst)
{
    for (int64_t p = 0; p < rows; p++)
        for (int64_t i = from; i < width; i++) cpu_element_put(real, dst, p * width + i, 0.0);
}

/* Multiplies `reals` packed reals. */
CPU_INLINE void scale_real(Dtype t, double scale, int64_t reals, void *dst)
{
    for (int64_t i = 0; i < reals; i++)
        cpu_element_put(t, dst, i, scale * cpu_element_get(t, dst, i));
}

/* Multiplies a packed panel of B: rows of real and of imaginary parts in turn. */
CPU_INLINE void scale_complex(Dtype t, const double scale[2], int width, int64_t depth, void *dst)
{
    for (int64_t p = 0; p < depth; p++) {
        for (int64_t i = 0; i < width; i++) {
            const int64_t at_re = 2 * p * width + i, at_im = at_re + width;
            const double re = cpu_element_get(t, dst, at_re), im = cpu_element_get(t, dst, at_im);
            cpu_element_put(t, dst, at_re, scale[0] * re - scale[1] * im);
            cpu_element_put(t, dst, at_im, scale[0] * im + scale[1] * re);
        }
    }
}

static void scale_panel(const CpuSource *s, int width, int64_t depth, void *dst)
{
    switch (s->type) {
    case DTYPE_F64: scale_real(DTYPE_F64, s->scale[0], width * depth, dst); break;
    case DTYPE_CF64: scale_complex(DTYPE_F64, s->scale, width, depth, dst); break;
    case DTYPE_CF32: scale_complex(DTYPE_F32, s->scale, width, depth, dst); break;
    default: scale_real(DTYPE_F32, s->scale[0], width * depth, dst); break;
    }
}

void cpu_pack_panel(const CpuSource *s, int width, int64_t valid, int64_t depth, void *dst)
{
    const bool complex = dtype_is_complex(s->type);
    const Dtype real = dtype_real(s->type) == DTYPE_F64 ? DTYPE_F64 : DTYPE_F32;
    const int64_t used = s->expand ? 2 * valid : valid;
    if (used < width) zero_rest(real, width, used, complex ? 2 * depth : depth, dst);
    switch (s->type) {
    case DTYPE_F64: real_panel(s, DTYPE_F64, width, valid, depth, dst); break;
    case DTYPE_F32: real_panel(s, DTYPE_F32, width, valid, depth, dst); break;
    case DTYPE_F16: real_panel(s, DTYPE_F16, width, valid, depth, dst); break;
    case DTYPE_BF16: real_panel(s, DTYPE_BF16, width, valid, depth, dst); break;
    case DTYPE_CF64: complex_panel(s, DTYPE_F64, width, valid, depth, dst); break;
    case DTYPE_CF32: complex_panel(s, DTYPE_F32, width, valid, depth, dst); break;
    default: break;
    }
    if (gemm_scalar_class(s->scale) != SCALAR_ONE) scale_panel(s, width, depth, dst);
}
