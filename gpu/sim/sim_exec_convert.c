/* sim_exec_convert: cvt between integers and floating point formats. */
#include "gpu/sim/sim_fp.h"
#include "gpu/sim/sim_lanewise.h"

#include <math.h>

/* -- Integers: narrowing keeps the low bits, widening the value ------------------------------- */

SIM_LANEWISE1(same_16, uint16_t, uint16_t, a)
SIM_LANEWISE1(same_32, uint32_t, uint32_t, a)
SIM_LANEWISE1(same_64, uint64_t, uint64_t, a)
SIM_LANEWISE1(narrow_32_16, uint16_t, uint32_t, a)
SIM_LANEWISE1(narrow_64_16, uint16_t, uint64_t, a)
SIM_LANEWISE1(narrow_64_32, uint32_t, uint64_t, a)
SIM_LANEWISE1(widen_u16_32, uint32_t, uint16_t, a)
SIM_LANEWISE1(widen_s16_32, int32_t, int16_t, a)
SIM_LANEWISE1(widen_u16_64, uint64_t, uint16_t, a)
SIM_LANEWISE1(widen_s16_64, int64_t, int16_t, a)
SIM_LANEWISE1(widen_u32_64, uint64_t, uint32_t, a)
SIM_LANEWISE1(widen_s32_64, int64_t, int32_t, a)

/* -- Integer to float, to nearest even -------------------------------------------------------- */

SIM_LANEWISE1(f32_u32, float, uint32_t, a)
SIM_LANEWISE1(f32_s32, float, int32_t, a)
SIM_LANEWISE1(f32_u64, float, uint64_t, a)
SIM_LANEWISE1(f32_s64, float, int64_t, a)
SIM_LANEWISE1(f64_u32, double, uint32_t, a)
SIM_LANEWISE1(f64_s32, double, int32_t, a)
SIM_LANEWISE1(f64_u64, double, uint64_t, a)
SIM_LANEWISE1(f64_s64, double, int64_t, a)

/* -- Float to integer: what lies outside becomes the nearest end, NaN becomes 0 --------------- */

#define TO_WHOLE "rni|rzi|rmi|rpi"

static double to_whole(double v, int mode)
{
    switch (mode) {
    case 0: return nearbyint(v); /* the host rounds to nearest even */
    case 1: return trunc(v);
    case 2: return floor(v);
    default: return ceil(v);
    }
}

static int64_t to_signed(double v, int mode, int bits)
{
    const double end = ldexp(1, bits - 1);
    v = to_whole(v, mode);
    if (isnan(v)) return 0;
    if (v >= end) return bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1;
    return v < -end ? (bits == 64 ? INT64_MIN : -((int64_t)1 << (bits - 1))) : (int64_t)v;
}

static uint64_t to_unsigned(double v, int mode, int bits)
{
    v = to_whole(v, mode);
    if (isnan(v) || v < 0) return 0;
    if (v >= ldexp(1, bits)) return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    return (uint64_t)v;
}

SIM_LANEWISE1(s32_f32, int32_t, float, to_signed((double)a, in->sel[0], 32))
SIM_LANEWISE1(u32_f32, uint32_t, float, to_unsigned((double)a, in->sel[0], 32))
SIM_LANEWISE1(s64_f32, int64_t, float, to_signed((double)a, in->sel[0], 64))
SIM_LANEWISE1(u64_f32, uint64_t, float, to_unsigned((double)a, in->sel[0], 64))
SIM_LANEWISE1(s32_f64, int32_t, double, to_signed(a, in->sel[0], 32))
SIM_LANEWISE1(u32_f64, uint32_t, double, to_unsigned(a, in->sel[0], 32))
SIM_LANEWISE1(s64_f64, int64_t, double, to_signed(a, in->sel[0], 64))
SIM_LANEWISE1(u64_f64, uint64_t, double, to_unsigned(a, in->sel[0], 64))

/* -- Float to float --------------------------------------------------------------------------- */

#define ROUND "rn|rz|rm|rp"
static const SimRounding rounding[] = {SIM_NEAREST_EVEN, SIM_TO_ZERO, SIM_DOWN, SIM_UP};

static uint32_t rounded(double v, SimFormat f, const SimInsn *in)
{
    return sim_fp_round(v, f, rounding[in->sel[0]]);
}

/* a in the upper half, b in the lower. */
static uint32_t rounded_pair(float a, float b, SimFormat f, const SimInsn *in)
{
    return rounded((double)a, f, in) << 16 | rounded((double)b, f, in);
}

SIM_LANEWISE1(f64_f32, double, float, a)
SIM_LANEWISE1(f32_f64, uint32_t, double, rounded(a, sim_f32, in))
SIM_LANEWISE1(f32_f16, float, uint16_t, sim_f16_value(a))
SIM_LANEWISE1(f64_f16, double, uint16_t, sim_f16_value(a))
SIM_LANEWISE1(f32_bf16, float, uint16_t, sim_bf16_value(a))
SIM_LANEWISE1(f16_f32, uint16_t, float, rounded((double)a, sim_f16, in))
SIM_LANEWISE1(f16_f64, uint16_t, double, rounded(a, sim_f16, in))
SIM_LANEWISE1(bf16_f32, uint16_t, float, rounded((double)a, sim_bf16, in))
SIM_LANEWISE1(tf32_f32, uint32_t, float, sim_fp_round((double)a, sim_tf32, SIM_NEAREST_AWAY) << 13)
SIM_LANEWISE2(f16x2_f32, uint32_t, float, rounded_pair(a, b, sim_f16, in))
SIM_LANEWISE2(bf16x2_f32, uint32_t, float, rounded_pair(a, b, sim_bf16, in))

/* -- Table ------------------------------------------------------------------------------------ */

/* clang-format off */
const SimOp sim_ops_convert[] = {
    SIM_OP("cvt.u16|s16.u16|s16", "=u16,u16", same_16),
    SIM_OP("cvt.u16|s16.u32|s32", "=u16,u32", narrow_32_16),
    SIM_OP("cvt.u16|s16.u64|s64", "=u16,u64", narrow_64_16),
    SIM_OP("cvt.u32|s32.u16",     "=u32,u16", widen_u16_32),
    SIM_OP("cvt.u32|s32.s16",     "=u32,s16", widen_s16_32),
    SIM_OP("cvt.u32|s32.u32|s32", "=u32,u32", same_32),
    SIM_OP("cvt.u32|s32.u64|s64", "=u32,u64", narrow_64_32),
    SIM_OP("cvt.u64|s64.u16",     "=u64,u16", widen_u16_64),
    SIM_OP("cvt.u64|s64.s16",     "=u64,s16", widen_s16_64),
    SIM_OP("cvt.u64|s64.u32",     "=u64,u32", widen_u32_64),
    SIM_OP("cvt.u64|s64.s32",     "=u64,s32", widen_s32_64),
    SIM_OP("cvt.u64|s64.u64|s64", "=u64,u64", same_64),
    SIM_OP("cvt.rn.f32.u32", "=f32,u32", f32_u32),
    SIM_OP("cvt.rn.f32.s32", "=f32,s32", f32_s32),
    SIM_OP("cvt.rn.f32.u64", "=f32,u64", f32_u64),
    SIM_OP("cvt.rn.f32.s64", "=f32,s64", f32_s64),
    SIM_OP("cvt.rn.f64.u32", "=f64,u32", f64_u32),
    SIM_OP("cvt.rn.f64.s32", "=f64,s32", f64_s32),
    SIM_OP("cvt.rn.f64.u64", "=f64,u64", f64_u64),
    SIM_OP("cvt.rn.f64.s64", "=f64,s64", f64_s64),
    SIM_OP("cvt." TO_WHOLE ".s32.f32", "=s32,f32", s32_f32),
    SIM_OP("cvt." TO_WHOLE ".u32.f32", "=u32,f32", u32_f32),
    SIM_OP("cvt." TO_WHOLE ".s64.f32", "=s64,f32", s64_f32),
    SIM_OP("cvt." TO_WHOLE ".u64.f32", "=u64,f32", u64_f32),
    SIM_OP("cvt." TO_WHOLE ".s32.f64", "=s32,f64", s32_f64),
    SIM_OP("cvt." TO_WHOLE ".u32.f64", "=u32,f64", u32_f64),
    SIM_OP("cvt." TO_WHOLE ".s64.f64", "=s64,f64", s64_f64),
    SIM_OP("cvt." TO_WHOLE ".u64.f64", "=u64,f64", u64_f64),
    SIM_OP("cvt.f64.f32",          "=f64,f32", f64_f32),
    SIM_OP("cvt.f32.f16",          "=f32,f16", f32_f16),
    SIM_OP("cvt.f64.f16",          "=f64,f16", f64_f16),
    SIM_OP("cvt." ROUND ".f32.f64", "=f32,f64", f32_f64),
    SIM_OP("cvt." ROUND ".f16.f32", "=f16,f32", f16_f32),
    SIM_OP("cvt." ROUND ".f16.f64", "=f16,f64", f16_f64),
    SIM_OP_SINCE(80, 71, "cvt.f32.bf16",          "=f32,b16",       f32_bf16),
    SIM_OP_SINCE(80, 70, "cvt.rn|rz.bf16.f32",    "=b16,f32",       bf16_f32),
    SIM_OP_SINCE(80, 70, "cvt.rna.tf32.f32",      "=b32,f32",       tf32_f32),
    SIM_OP_SINCE(80, 70, "cvt.rn|rz.f16x2.f32",   "=f16x2,f32,f32", f16x2_f32),
    SIM_OP_SINCE(80, 70, "cvt.rn|rz.bf16x2.f32",  "=b32,f32,f32",   bf16x2_f32),
    {0},
};
/* clang-format on */
