/* sim_fp: conversions between the floating point formats. See sim_fp.h. */
#include "gpu/sim/sim_fp.h"

#include <math.h>
#include <string.h>

const SimFormat sim_f16 = {5, 10}, sim_bf16 = {8, 7}, sim_tf32 = {8, 10}, sim_f32 = {8, 23};

/* Rounds |v|, a whole number of units plus a fraction, to a whole number. */
static double to_whole(double units, int negative, SimRounding r)
{
    double low = floor(units), rest = units - low;
    switch (r) {
    case SIM_TO_ZERO: return low;
    case SIM_DOWN: return low + (negative && rest > 0);
    case SIM_UP: return low + (!negative && rest > 0);
    case SIM_NEAREST_AWAY: return low + (rest >= 0.5);
    default: return low + (rest > 0.5 || (rest == 0.5 && fmod(low, 2) != 0));
    }
}

/* Is infinity what an overflow of that sign rounds to? */
static int overflows(int negative, SimRounding r)
{
    return r == SIM_NEAREST_EVEN || r == SIM_NEAREST_AWAY || r == (negative ? SIM_DOWN : SIM_UP);
}

uint32_t sim_fp_round(double v, SimFormat f, SimRounding r)
{
    const int bias = (1 << (f.exponent - 1)) - 1;
    const uint32_t inf = ((1U << f.exponent) - 1) << f.mantissa;
    const int negative = signbit(v) != 0;
    const uint32_t sign = (uint32_t)negative << (f.exponent + f.mantissa);
    if (isnan(v)) return inf | ((1U << f.mantissa) - 1); /* the canonical NaN of the PTX manual */
    if (isinf(v)) return sign | inf;
    if (v == 0) return sign;
    int e;
    frexp(v, &e); /* |v| in [2^(e-1), 2^e) */
    e = e - 1 < 1 - bias ? 1 - bias : e - 1;
    double units = to_whole(ldexp(fabs(v), f.mantissa - e), negative, r);
    /* A normal number's leading 1 adds one to the exponent; a subnormal's exponent is 0 here. */
    uint64_t bits = (uint64_t)units + ((uint64_t)(e + bias - 1) << f.mantissa);
    if (bits >= inf) bits = overflows(negative, r) ? inf : inf - 1;
    return sign | (uint32_t)bits;
}

double sim_f16_value(uint16_t h)
{
    const uint32_t magnitude = (uint32_t)(h & 0x7fff) << 13;
    uint32_t bits = magnitude; /* an f32 whose exponent is 112 too small */
    float v;
    memcpy(&v, &bits, sizeof v);
    v *= 0x1p112F;
    if ((h & 0x7c00) == 0x7c00) {
        bits |= 0x7f800000;
        memcpy(&v, &bits, sizeof v);
    }
    return h & 0x8000 ? -(double)v : (double)v;
}

static double f32_value(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return (double)v;
}

double sim_bf16_value(uint16_t h)
{
    return f32_value((uint32_t)h << 16);
}

double sim_tf32_value(uint32_t r)
{
    return f32_value(r & ~0x1fffU);
}

uint16_t sim_f16_round(double v)
{
    return (uint16_t)sim_fp_round(v, sim_f16, SIM_NEAREST_EVEN);
}

uint16_t sim_bf16_round(double v)
{
    return (uint16_t)sim_fp_round(v, sim_bf16, SIM_NEAREST_EVEN);
}

double sim_add_odd(double a, double b)
{
    double s = a + b, bb = s - a, rest = (a - (s - bb)) + (b - bb);
    uint64_t bits;
    memcpy(&bits, &s, sizeof bits);
    if (rest == 0 || !isfinite(s) || (bits & 1)) return s;
    /* The exact sum lies beside s: the neighbour on that side is odd. */
    bits += (rest > 0) == (s > 0) ? 1 : (uint64_t)-1;
    memcpy(&s, &bits, sizeof s);
    return s;
}
