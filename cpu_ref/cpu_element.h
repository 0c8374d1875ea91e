/*
 * cpu_element: one real number of an array, read or written through double. Private to cpu_ref.
 * For loops in which the type is a constant: the switch then vanishes, and so does the detour
 * where nothing is rounded.
 */
#ifndef KNAP_CPU_REF_CPU_ELEMENT_H
#define KNAP_CPU_REF_CPU_ELEMENT_H

#include "cpu_ref/fp_inline.h"
#include "layout/dtype.h"

#define CPU_INLINE static inline __attribute__((always_inline))

/* Real number `at`; t is f64, f32, f16 or bf16. */
CPU_INLINE double cpu_element_get(Dtype t, const void *base, int64_t at)
{
    switch (t) {
    case DTYPE_F64: return ((const double *)base)[at];
    case DTYPE_F16: return (double)fp_widen_f16(((const uint16_t *)base)[at]);
    case DTYPE_BF16: return (double)fp_widen_bf16(((const uint16_t *)base)[at]);
    default: return (double)((const float *)base)[at];
    }
}

/* f16 and bf16 are rounded from f32, the type that sums for them are kept in. */
CPU_INLINE void cpu_element_put(Dtype t, void *base, int64_t at, double x)
{
    switch (t) {
    case DTYPE_F64: ((double *)base)[at] = x; break;
    case DTYPE_F16: ((uint16_t *)base)[at] = fp_narrow_f16((float)x); break;
    case DTYPE_BF16: ((uint16_t *)base)[at] = fp_narrow_bf16((float)x); break;
    default: ((float *)base)[at] = (float)x; break;
    }
}

#endif
