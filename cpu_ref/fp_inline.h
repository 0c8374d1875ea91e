/*
 * fp_inline: the conversions between f16 or bf16 and f32 that loops over whole matrices call,
 * without branches so that they vectorise. Private to cpu_ref; fp.h documents what they return.
 * They use no subnormal float, so a program that flushes those to zero gets the same bits.
 */
#ifndef KNAP_CPU_REF_FP_INLINE_H
#define KNAP_CPU_REF_FP_INLINE_H

#include <stdint.h>
#include <string.h>

static inline uint32_t fp_bits_of_f32(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline float fp_f32_of_bits(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static inline float fp_widen_f16(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, mag = h & 0x7fff;
    const uint32_t normal = (mag + ((127 - 15) << 10)) << 13;
    const uint32_t tiny = fp_bits_of_f32((float)(int32_t)mag * 0x1p-24f);
    const uint32_t special = 0x7f800000 | mag << 13 | (mag > 0x7c00 ? 0x400000 : 0);
    return fp_f32_of_bits(sign | (mag < 0x400 ? tiny : mag < 0x7c00 ? normal : special));
}

static inline float fp_widen_bf16(uint16_t h)
{
    const uint32_t quiet = (h & 0x7fff) > 0x7f80 ? 0x400000 : 0;
    return fp_f32_of_bits((uint32_t)h << 16 | quiet);
}

static inline uint16_t fp_narrow_f16(float x)
{
    const uint32_t u = fp_bits_of_f32(x), sign = u >> 16 & 0x8000, mag = u & 0x7fffffff;
    /* Adding 1/2 puts the last place of a small result at 2^-24, that of a subnormal f16. */
    const uint32_t tiny = fp_bits_of_f32(fp_f32_of_bits(mag) + 0.5f) - 0x3f000000;
    const uint32_t normal = (mag - ((127 - 15) << 23) + 0xfff + (mag >> 13 & 1)) >> 13;
    const uint32_t special = mag > 0x7f800000 ? 0x7e00 | (mag >> 13 & 0x3ff) : 0x7c00;
    const uint32_t out = mag < 0x38800000 ? tiny : mag < 0x477ff000 ? normal : special;
    return (uint16_t)(sign | out);
}

static inline uint16_t fp_narrow_bf16(float x)
{
    const uint32_t u = fp_bits_of_f32(x);
    const uint32_t rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16, quiet = u >> 16 | 0x40;
    return (uint16_t)((u & 0x7fffffff) > 0x7f800000 ? quiet : rounded);
}

#endif
