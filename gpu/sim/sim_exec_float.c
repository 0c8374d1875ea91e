/*
 * sim_exec_float: floating point arithmetic, rounded to nearest even. The manual lets ptxas fuse a
 * mul and an add that lack .rn; here they are never fused. The bits of a NaN that comes out are
 * not those of a chip.
 */
#include "gpu/sim/sim_fp.h"
#include "gpu/sim/sim_lanewise.h"

#include <math.h>

SIM_LANEWISE2(add_f32, float, float, a + b)
SIM_LANEWISE2(sub_f32, float, float, a - b)
SIM_LANEWISE2(mul_f32, float, float, a *b)
SIM_LANEWISE2(div_f32, float, float, a / b)
SIM_LANEWISE3(fma_f32, float, float, fmaf(a, b, c))
SIM_LANEWISE1(rcp_f32, float, float, 1 / a)
SIM_LANEWISE1(sqrt_f32, float, float, sqrtf(a))
SIM_LANEWISE2(add_f64, double, double, a + b)
SIM_LANEWISE2(sub_f64, double, double, a - b)
SIM_LANEWISE2(mul_f64, double, double, a *b)
SIM_LANEWISE2(div_f64, double, double, a / b)
SIM_LANEWISE3(fma_f64, double, double, fma(a, b, c))
SIM_LANEWISE1(rcp_f64, double, double, 1 / a)
SIM_LANEWISE1(sqrt_f64, double, double, sqrt(a))

/* Signs by bits, so that zeros have them too. */
SIM_LANEWISE1(neg_f32, uint32_t, uint32_t, a ^ 0x80000000)
SIM_LANEWISE1(abs_f32, uint32_t, uint32_t, a & 0x7fffffff)
SIM_LANEWISE1(neg_f64, uint64_t, uint64_t, a ^ (uint64_t)1 << 63)
SIM_LANEWISE1(abs_f64, uint64_t, uint64_t, a & ~((uint64_t)1 << 63))

/* A NaN gives way to a number, and -0 lies below +0. */
static double least(double a, double b)
{
    if (isnan(a)) return b;
    if (a == b) return signbit(a) ? a : b;
    return b < a ? b : a;
}

static double greatest(double a, double b)
{
    return -least(-a, -b);
}

SIM_LANEWISE2(min_f32, float, float, least((double)a, (double)b))
SIM_LANEWISE2(max_f32, float, float, greatest((double)a, (double)b))
SIM_LANEWISE2(min_f64, double, double, least(a, b))
SIM_LANEWISE2(max_f64, double, double, greatest(a, b))

/* -- Halves: a product is exact in a double, a sum is rounded to odd before it is rounded ----- */

static uint16_t fma_half(uint16_t a, uint16_t b, uint16_t c)
{
    return sim_f16_round(sim_add_odd(sim_f16_value(a) * sim_f16_value(b), sim_f16_value(c)));
}

static uint16_t fma_bhalf(uint16_t a, uint16_t b, uint16_t c)
{
    return sim_bf16_round(sim_add_odd(sim_bf16_value(a) * sim_bf16_value(b), sim_bf16_value(c)));
}

static uint16_t add_half(uint16_t a, uint16_t b)
{
    return sim_f16_round(sim_f16_value(a) + sim_f16_value(b));
}

static uint16_t sub_half(uint16_t a, uint16_t b)
{
    return sim_f16_round(sim_f16_value(a) - sim_f16_value(b));
}

static uint16_t mul_half(uint16_t a, uint16_t b)
{
    return sim_f16_round(sim_f16_value(a) * sim_f16_value(b));
}

/* f applied to the low and to the high half of each. */
#define PAIRED2(f, a, b) \
    (f((uint16_t)a, (uint16_t)b) | (uint32_t)f((uint16_t)(a >> 16), (uint16_t)(b >> 16)) << 16)
#define PAIRED3(f, a, b, c)                     \
    (f((uint16_t)a, (uint16_t)b, (uint16_t)c) | \
     (uint32_t)f((uint16_t)(a >> 16), (uint16_t)(b >> 16), (uint16_t)(c >> 16)) << 16)

SIM_LANEWISE3(fma_f16, uint16_t, uint16_t, fma_half(a, b, c))
SIM_LANEWISE3(fma_f16x2, uint32_t, uint32_t, PAIRED3(fma_half, a, b, c))
SIM_LANEWISE3(fma_bf16, uint16_t, uint16_t, fma_bhalf(a, b, c))
SIM_LANEWISE3(fma_bf16x2, uint32_t, uint32_t, PAIRED3(fma_bhalf, a, b, c))
SIM_LANEWISE2(add_f16, uint16_t, uint16_t, add_half(a, b))
SIM_LANEWISE2(sub_f16, uint16_t, uint16_t, sub_half(a, b))
SIM_LANEWISE2(mul_f16, uint16_t, uint16_t, mul_half(a, b))
SIM_LANEWISE2(add_f16x2, uint32_t, uint32_t, PAIRED2(add_half, a, b))
SIM_LANEWISE2(sub_f16x2, uint32_t, uint32_t, PAIRED2(sub_half, a, b))
SIM_LANEWISE2(mul_f16x2, uint32_t, uint32_t, PAIRED2(mul_half, a, b))

/* -- Table ------------------------------------------------------------------------------------ */

/* clang-format off */
const SimOp sim_ops_float[] = {
    SIM_OP("add.?rn.f32",     "=f32,f32,f32",         add_f32),
    SIM_OP("sub.?rn.f32",     "=f32,f32,f32",         sub_f32),
    SIM_OP("mul.?rn.f32",     "=f32,f32,f32",         mul_f32),
    SIM_OP("div.rn.f32",      "=f32,f32,f32",         div_f32),
    SIM_OP("fma.rn.f32",      "=f32,f32,f32,f32",     fma_f32),
    SIM_OP("rcp.rn.f32",      "=f32,f32",             rcp_f32),
    SIM_OP("sqrt.rn.f32",     "=f32,f32",             sqrt_f32),
    SIM_OP("min.f32",         "=f32,f32,f32",         min_f32),
    SIM_OP("max.f32",         "=f32,f32,f32",         max_f32),
    SIM_OP("neg.f32",         "=f32,f32",             neg_f32),
    SIM_OP("abs.f32",         "=f32,f32",             abs_f32),
    SIM_OP("add.?rn.f64",     "=f64,f64,f64",         add_f64),
    SIM_OP("sub.?rn.f64",     "=f64,f64,f64",         sub_f64),
    SIM_OP("mul.?rn.f64",     "=f64,f64,f64",         mul_f64),
    SIM_OP("div.rn.f64",      "=f64,f64,f64",         div_f64),
    SIM_OP("fma.rn.f64",      "=f64,f64,f64,f64",     fma_f64),
    SIM_OP("rcp.rn.f64",      "=f64,f64",             rcp_f64),
    SIM_OP("sqrt.rn.f64",     "=f64,f64",             sqrt_f64),
    SIM_OP("min.f64",         "=f64,f64,f64",         min_f64),
    SIM_OP("max.f64",         "=f64,f64,f64",         max_f64),
    SIM_OP("neg.f64",         "=f64,f64",             neg_f64),
    SIM_OP("abs.f64",         "=f64,f64",             abs_f64),
    SIM_OP("add.?rn.f16",     "=f16,f16,f16",         add_f16),
    SIM_OP("sub.?rn.f16",     "=f16,f16,f16",         sub_f16),
    SIM_OP("mul.?rn.f16",     "=f16,f16,f16",         mul_f16),
    SIM_OP("fma.rn.f16",      "=f16,f16,f16,f16",     fma_f16),
    SIM_OP("add.?rn.f16x2",   "=f16x2,f16x2,f16x2",       add_f16x2),
    SIM_OP("sub.?rn.f16x2",   "=f16x2,f16x2,f16x2",       sub_f16x2),
    SIM_OP("mul.?rn.f16x2",   "=f16x2,f16x2,f16x2",       mul_f16x2),
    SIM_OP("fma.rn.f16x2",    "=f16x2,f16x2,f16x2,f16x2", fma_f16x2),
    SIM_OP_SINCE(80, 70, "fma.rn.bf16",   "=b16,b16,b16,b16", fma_bf16),
    SIM_OP_SINCE(80, 70, "fma.rn.bf16x2", "=b32,b32,b32,b32", fma_bf16x2),
    {0},
};
/* clang-format on */
