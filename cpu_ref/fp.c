/*
 * fp: narrow floating-point types in software. See fp.h.
 *
 * One routine rounds a double to any smaller binary format by integer arithmetic, so that the
 * calling program's rounding mode does not matter. Nothing here can fail.
 */
#include "cpu_ref/fp.h"

#include "cpu_ref/fp_inline.h"

#include <math.h>

/* A format: sign, ebits of exponent, fbits of fraction, as IEEE 754 lays them out. */
typedef struct {
    int ebits, fbits;
} Format;

static const Format F16 = {5, 10}, BF16 = {8, 7}, TF32 = {8, 10};

static uint64_t bits_of_f64(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

/* -- Narrowing --------------------------------------------------------------------------------- */

static uint64_t shift_to_nearest_even(uint64_t x, int shift)
{
    uint64_t quotient = x >> shift;
    uint64_t rest = x & ((UINT64_C(1) << shift) - 1);
    uint64_t half = UINT64_C(1) << (shift - 1);
    return quotient + (rest > half || (rest == half && (quotient & 1)));
}

/* The bits of x in format f, rounded once. */
static uint32_t narrow(double x, Format f)
{
    const uint64_t one = UINT64_C(1) << 52, infinite = UINT64_C(0x7ff) << 52;
    const uint64_t u = bits_of_f64(x), mag = u & ~(UINT64_C(1) << 63), fraction = mag & (one - 1);
    const uint32_t sign = (uint32_t)(u >> 63) << (f.ebits + f.fbits);
    const uint32_t top = ((UINT32_C(1) << f.ebits) - 1) << f.fbits;
    if (mag > infinite)
        return sign | top | UINT32_C(1) << (f.fbits - 1) | (uint32_t)(fraction >> (52 - f.fbits));

    /* The exponent field in f; below 1 the result is subnormal and its last place stays at that of
     * 1. */
    const int exponent = (int)(mag >> 52) - 1023 + (1 << (f.ebits - 1)) - 1;
    const int shift = 52 - f.fbits + (exponent < 1 ? 1 - exponent : 0);
    if (shift > 53) return sign; /* less than half the smallest subnormal */
    /* The leading one of the significand adds 1 to the field, and so does a carry out of it. */
    const uint32_t field = exponent > 1 ? (uint32_t)(exponent - 1) << f.fbits : 0;
    const uint32_t out = field + (uint32_t)shift_to_nearest_even(fraction | one, shift);
    return sign | (out < top ? out : top);
}

uint16_t fp_f16_from_f64(double x)
{
    return (uint16_t)narrow(x, F16);
}

uint16_t fp_f16_from_f32(float x)
{
    return fp_narrow_f16(x);
}

uint16_t fp_bf16_from_f64(double x)
{
    return (uint16_t)narrow(x, BF16);
}

uint16_t fp_bf16_from_f32(float x)
{
    return fp_narrow_bf16(x);
}

float fp_tf32_from_f32(float x)
{
    const uint32_t u = fp_bits_of_f32(x);
    if (x != x) return fp_f32_of_bits((u | 0x400000) & ~UINT32_C(0x1fff));
    return fp_f32_of_bits((u + 0xfff + (u >> 13 & 1)) & ~UINT32_C(0x1fff));
}

float fp_tf32_from_f32_rna(float x)
{
    const uint32_t u = fp_bits_of_f32(x);
    if (x != x) return fp_f32_of_bits((u | 0x400000) & ~UINT32_C(0x1fff));
    return fp_f32_of_bits((u + 0x1000) & ~UINT32_C(0x1fff));
}

static float tf32_from_f64(double x)
{
    return fp_f32_of_bits(narrow(x, TF32) << 13);
}

/* -- Widening ---------------------------------------------------------------------------------- */

float fp_f16_to_f32(uint16_t h)
{
    return fp_widen_f16(h);
}

double fp_f16_to_f64(uint16_t h)
{
    return (double)fp_f16_to_f32(h);
}

float fp_bf16_to_f32(uint16_t h)
{
    return fp_widen_bf16(h);
}

double fp_bf16_to_f64(uint16_t h)
{
    return (double)fp_bf16_to_f32(h);
}

/* -- Arrays of any type ------------------------------------------------------------------------ */

void fp_load(Dtype t, const void *base, int64_t index, double out[2])
{
    out[1] = 0.0;
    switch (t) {
    case DTYPE_F64: out[0] = ((const double *)base)[index]; break;
    case DTYPE_F32:
    case DTYPE_TF32: out[0] = (double)((const float *)base)[index]; break;
    case DTYPE_F16: out[0] = fp_f16_to_f64(((const uint16_t *)base)[index]); break;
    case DTYPE_BF16: out[0] = fp_bf16_to_f64(((const uint16_t *)base)[index]); break;
    case DTYPE_S32: out[0] = (double)((const int32_t *)base)[index]; break;
    case DTYPE_S8: out[0] = (double)((const int8_t *)base)[index]; break;
    case DTYPE_U8: out[0] = (double)((const uint8_t *)base)[index]; break;
    case DTYPE_CF32:
        out[0] = (double)((const float *)base)[2 * index];
        out[1] = (double)((const float *)base)[2 * index + 1];
        break;
    case DTYPE_CF64:
        out[0] = ((const double *)base)[2 * index];
        out[1] = ((const double *)base)[2 * index + 1];
        break;
    default: out[0] = (double)NAN; break;
    }
}

/* Nearest integer, ties to even, inside [low, high]; a NaN becomes 0. */
static int32_t clamp(double x, int32_t low, int32_t high)
{
    if (x != x) return 0;
    const double r = rint(x);
    return r < low ? low : r > high ? high : (int32_t)r;
}

void fp_store(Dtype t, void *base, int64_t index, const double x[2])
{
    switch (t) {
    case DTYPE_F64: ((double *)base)[index] = x[0]; break;
    case DTYPE_F32: ((float *)base)[index] = (float)x[0]; break;
    case DTYPE_TF32: ((float *)base)[index] = tf32_from_f64(x[0]); break;
    case DTYPE_F16: ((uint16_t *)base)[index] = fp_f16_from_f64(x[0]); break;
    case DTYPE_BF16: ((uint16_t *)base)[index] = fp_bf16_from_f64(x[0]); break;
    case DTYPE_S32: ((int32_t *)base)[index] = clamp(x[0], INT32_MIN, INT32_MAX); break;
    case DTYPE_S8: ((int8_t *)base)[index] = (int8_t)clamp(x[0], INT8_MIN, INT8_MAX); break;
    case DTYPE_U8: ((uint8_t *)base)[index] = (uint8_t)clamp(x[0], 0, UINT8_MAX); break;
    case DTYPE_CF32:
        ((float *)base)[2 * index] = (float)x[0];
        ((float *)base)[2 * index + 1] = (float)x[1];
        break;
    case DTYPE_CF64:
        ((double *)base)[2 * index] = x[0];
        ((double *)base)[2 * index + 1] = x[1];
        break;
    default: break;
    }
}

double fp_unit(Dtype t)
{
    switch (dtype_real(t)) {
    case DTYPE_F64: return 0x1p-53;
    case DTYPE_F32: return 0x1p-24;
    case DTYPE_TF32:
    case DTYPE_F16: return 0x1p-11;
    case DTYPE_BF16: return 0x1p-8;
    default: return 0.0;
    }
}
