/*
 * cpu_pack: packing of panels. See cpu_pack.h.
 *
 * The loops are written once, over types that are constants wherever they are inlined; cpu_pack_panel makes
 * the instances. A value passes through double, which the compiler removes where nothing is scaled.
 */
#include "cpu_ref/cpu_pack.h"

#include "cpu_ref/cpu_element.h"
#include "layout/gemm.h"

#include <stdlib.h>

enum { STRIP = 16 }; /* depth read along a row at a time: a cache line of f32 */

/* -- Real panels -------------------------------------------------------------------------------- */

/* Rows [from, to) of the depth. Reads along the shorter stride; ws is s->ws, a constant where it is 1. */
CPU_INLINE void strip(const CpuSource *s, Dtype t, const bool scaled, const int64_t ws, int width,
                  int64_t valid, int64_t from, int64_t to, void *dst)
{
    const Dtype real = t == DTYPE_F64 ? DTYPE_F64 : DTYPE_F32;
    const double scale = s->scale[0];
    if (llabs(s->ks) < llabs(ws)) {
        for (int64_t i = 0; i < valid; i++)
            for (int64_t p = from; p < to; p++) {
                const double x = cpu_element_get(t, s->base, i * ws + p * s->ks);
                cpu_element_put(real, dst, p * width + i, scaled ? scale * x : x);
            }
        return;
    }
    for (int64_t p = from; p < to; p++) {
#pragma omp simd
        for (int64_t i = 0; i < valid; i++) {
            const double x = cpu_element_get(t, s->base, i * ws + p * s->ks);
            cpu_element_put(real, dst, p * width + i, scaled ? scale * x : x);
        }
    }
}

CPU_INLINE void real_panel(const CpuSource *s, Dtype t, const bool scaled, int width, int64_t valid,
                       int64_t depth, void *dst)
{
    for (int64_t p = 0; p < depth; p += STRIP) {
        const int64_t to = p + STRIP < depth ? p + STRIP : depth;
        if (s->ws == 1)
            strip(s, t, scaled, 1, width, valid, p, to, dst);
        else
            strip(s, t, scaled, s->ws, width, valid, p, to, dst);
    }
}

/* -- Complex panels ----------------------------------------------------------------------------- */

CPU_INLINE void complex_element(const CpuSource *s, Dtype t, int64_t at, int width, int64_t i, int64_t p,
                            void *dst)
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

/* Multiplies a packed panel of B, rows of real and imaginary parts in turn, by s->scale. */
CPU_INLINE void complex_scale(const CpuSource *s, Dtype t, int width, int64_t depth, void *dst)
{
    for (int64_t p = 0; p < depth; p++) {
        for (int64_t i = 0; i < width; i++) {
            const int64_t at_re = 2 * p * width + i, at_im = at_re + width;
            const double re = cpu_element_get(t, dst, at_re), im = cpu_element_get(t, dst, at_im);
            cpu_element_put(t, dst, at_re, s->scale[0] * re - s->scale[1] * im);
            cpu_element_put(t, dst, at_im, s->scale[0] * im + s->scale[1] * re);
        }
    }
}

/* -- Any panel ---------------------------------------------------------------------------------- */

/* Zeroes columns [from, width) of every row. */
static void zero_rest(Dtype real, int width, int64_t from, int64_t rows, void *dst)
{
    for (int64_t p = 0; p < rows; p++)
        for (int64_t i = from; i < width; i++) cpu_element_put(real, dst, p * width + i, 0.0);
}

void cpu_pack_panel(const CpuSource *s, int width, int64_t valid, int64_t depth, void *dst)
{
    const bool scaled = gemm_scalar_class(s->scale) != SCALAR_ONE;
    const bool complex = dtype_is_complex(s->type);
    const Dtype real = dtype_bits(dtype_real(s->type)) == 64 ? DTYPE_F64 : DTYPE_F32;
    const int64_t used = s->expand && complex ? 2 * valid : valid;
    if (used < width) zero_rest(real, width, used, complex ? 2 * depth : depth, dst);

#define REAL_PANEL(t)                                                                              \
    scaled ? real_panel(s, t, true, width, valid, depth, dst)                                      \
           : real_panel(s, t, false, width, valid, depth, dst)
    switch (s->type) {
    case DTYPE_F64: REAL_PANEL(DTYPE_F64); break;
    case DTYPE_F32: REAL_PANEL(DTYPE_F32); break;
    case DTYPE_F16: REAL_PANEL(DTYPE_F16); break;
    case DTYPE_BF16: REAL_PANEL(DTYPE_BF16); break;
    case DTYPE_CF64: complex_panel(s, DTYPE_F64, width, valid, depth, dst); break;
    case DTYPE_CF32: complex_panel(s, DTYPE_F32, width, valid, depth, dst); break;
    default: break;
    }
#undef REAL_PANEL
    if (!complex || !scaled) return;
    if (real == DTYPE_F64)
        complex_scale(s, DTYPE_F64, width, depth, dst);
    else
        complex_scale(s, DTYPE_F32, width, depth, dst);
}
