/* sim_exec_integer: integer arithmetic. Everything wraps; shifts past the width give 0 or the
 * sign. */
#include "gpu/sim/sim_lanewise.h"

__extension__ typedef __int128 S128;
__extension__ typedef unsigned __int128 U128;

SIM_LANEWISE2(add_16, uint16_t, uint16_t, a + b)
SIM_LANEWISE2(add_32, uint32_t, uint32_t, a + b)
SIM_LANEWISE2(add_64, uint64_t, uint64_t, a + b)
SIM_LANEWISE2(sub_16, uint16_t, uint16_t, a - b)
SIM_LANEWISE2(sub_32, uint32_t, uint32_t, a - b)
SIM_LANEWISE2(sub_64, uint64_t, uint64_t, a - b)

SIM_LANEWISE2(mul_lo_16, uint16_t, uint16_t, (uint32_t)a *b)
SIM_LANEWISE2(mul_lo_32, uint32_t, uint32_t, a *b)
SIM_LANEWISE2(mul_lo_64, uint64_t, uint64_t, a *b)
SIM_LANEWISE2(mul_hi_u32, uint32_t, uint32_t, (uint64_t)a *b >> 32)
SIM_LANEWISE2(mul_hi_s32, uint32_t, int32_t, (uint64_t)((int64_t)a *b) >> 32)
SIM_LANEWISE2(mul_hi_u64, uint64_t, uint64_t, (U128)a *b >> 64)
SIM_LANEWISE2(mul_hi_s64, uint64_t, int64_t, (U128)((S128)a *b) >> 64)
SIM_LANEWISE2(mul_wide_u16, uint32_t, uint16_t, (uint32_t)a *b)
SIM_LANEWISE2(mul_wide_s16, int32_t, int16_t, (int32_t)a *b)
SIM_LANEWISE2(mul_wide_u32, uint64_t, uint32_t, (uint64_t)a *b)
SIM_LANEWISE2(mul_wide_s32, int64_t, int32_t, (int64_t)a *b)

SIM_LANEWISE3(mad_lo_16, uint16_t, uint16_t, (uint32_t)a *b + c)
SIM_LANEWISE3(mad_lo_32, uint32_t, uint32_t, a *b + c)
SIM_LANEWISE3(mad_lo_64, uint64_t, uint64_t, a *b + c)
SIM_LANEWISE3(mad_wide_u16, uint32_t, uint16_t, (uint32_t)a *b + c)
SIM_LANEWISE3(mad_wide_s16, uint32_t, int16_t, (uint32_t)((int32_t)a *b) + c)
SIM_LANEWISE3(mad_wide_u32, uint64_t, uint32_t, (uint64_t)a *b + c)
SIM_LANEWISE3(mad_wide_s32, uint64_t, int32_t, (uint64_t)((int64_t)a *b) + c)

SIM_LANEWISE2(min_u16, uint16_t, uint16_t, a < b ? a : b)
SIM_LANEWISE2(min_s16, int16_t, int16_t, a < b ? a : b)
SIM_LANEWISE2(min_u32, uint32_t, uint32_t, a < b ? a : b)
SIM_LANEWISE2(min_s32, int32_t, int32_t, a < b ? a : b)
SIM_LANEWISE2(min_u64, uint64_t, uint64_t, a < b ? a : b)
SIM_LANEWISE2(min_s64, int64_t, int64_t, a < b ? a : b)
SIM_LANEWISE2(max_u16, uint16_t, uint16_t, a > b ? a : b)
SIM_LANEWISE2(max_s16, int16_t, int16_t, a > b ? a : b)
SIM_LANEWISE2(max_u32, uint32_t, uint32_t, a > b ? a : b)
SIM_LANEWISE2(max_s32, int32_t, int32_t, a > b ? a : b)
SIM_LANEWISE2(max_u64, uint64_t, uint64_t, a > b ? a : b)
SIM_LANEWISE2(max_s64, int64_t, int64_t, a > b ? a : b)

SIM_LANEWISE1(neg_16, uint16_t, uint16_t, -(uint32_t)a)
SIM_LANEWISE1(neg_32, uint32_t, uint32_t, -a)
SIM_LANEWISE1(neg_64, uint64_t, uint64_t, -a)
SIM_LANEWISE1(abs_16, uint16_t, int16_t, a < 0 ? -(uint32_t)a : (uint32_t)a)
SIM_LANEWISE1(abs_32, uint32_t, int32_t, a < 0 ? -(uint32_t)a : (uint32_t)a)
SIM_LANEWISE1(abs_64, uint64_t, int64_t, a < 0 ? -(uint64_t)a : (uint64_t)a)

/* -- Division. The manual leaves a divisor of 0 open: here it is an error. -------------------- */

/* A warp-wide check of operand 2 before the quotient of every lane, sound or not, is computed. */
static void fault_zero(SimWarp *w, const SimInsn *in, size_t bytes)
{
    static const uint8_t zero[8];
    const uint8_t *b = sim_lanes(w, in->arg[2]);
    SIM_EACH_LANE(w, i)
    if (memcmp(b + bytes * (size_t)i, zero, bytes) == 0) sim_fault(w, in, i, "divides by zero");
}

#define CHECKED(name, plain, bytes)                 \
    static void name(SimWarp *w, const SimInsn *in) \
    {                                               \
        fault_zero(w, in, bytes);                   \
        plain(w, in);                               \
    }

/* The least number divided by -1 overflows, so -1 is taken apart. */
SIM_LANEWISE2(quotient_u32, uint32_t, uint32_t, b ? a / b : 0)
SIM_LANEWISE2(quotient_u64, uint64_t, uint64_t, b ? a / b : 0)
SIM_LANEWISE2(quotient_s32, uint32_t, int32_t, b == -1 ? -(uint32_t)a : b ? (uint32_t)(a / b) : 0)
SIM_LANEWISE2(quotient_s64, uint64_t, int64_t, b == -1 ? -(uint64_t)a : b ? (uint64_t)(a / b) : 0)
SIM_LANEWISE2(remainder_u32, uint32_t, uint32_t, b ? a % b : 0)
SIM_LANEWISE2(remainder_u64, uint64_t, uint64_t, b ? a % b : 0)
SIM_LANEWISE2(remainder_s32, int32_t, int32_t, b == -1 || b == 0 ? 0 : a % b)
SIM_LANEWISE2(remainder_s64, int64_t, int64_t, b == -1 || b == 0 ? 0 : a % b)
CHECKED(div_u32, quotient_u32, 4)
CHECKED(div_u64, quotient_u64, 8)
CHECKED(div_s32, quotient_s32, 4)
CHECKED(div_s64, quotient_s64, 8)
CHECKED(rem_u32, remainder_u32, 4)
CHECKED(rem_u64, remainder_u64, 8)
CHECKED(rem_s32, remainder_s32, 4)
CHECKED(rem_s64, remainder_s64, 8)

/* -- Bits ------------------------------------------------------------------------------------- */

SIM_LANEWISE2(and_16, uint16_t, uint16_t, a &b)
SIM_LANEWISE2(and_32, uint32_t, uint32_t, a &b)
SIM_LANEWISE2(and_64, uint64_t, uint64_t, a &b)
SIM_LANEWISE2(or_16, uint16_t, uint16_t, a | b)
SIM_LANEWISE2(or_32, uint32_t, uint32_t, a | b)
SIM_LANEWISE2(or_64, uint64_t, uint64_t, a | b)
SIM_LANEWISE2(xor_16, uint16_t, uint16_t, a ^ b)
SIM_LANEWISE2(xor_32, uint32_t, uint32_t, a ^ b)
SIM_LANEWISE2(xor_64, uint64_t, uint64_t, a ^ b)
SIM_LANEWISE1(not_16, uint16_t, uint16_t, ~(uint32_t)a)
SIM_LANEWISE1(not_32, uint32_t, uint32_t, ~a)
SIM_LANEWISE1(not_64, uint64_t, uint64_t, ~a)
SIM_LANEWISE1(popc_32, uint32_t, uint32_t, __builtin_popcount(a))
SIM_LANEWISE1(popc_64, uint32_t, uint64_t, __builtin_popcountll(a))
SIM_LANEWISE1(clz_32, uint32_t, uint32_t, a ? __builtin_clz(a) : 32)
SIM_LANEWISE1(clz_64, uint32_t, uint64_t, a ? __builtin_clzll(a) : 64)

/* Shifts: the distance is a 32-bit operand whatever the width of the value. */
#define SHIFT(name, T, expr)                        \
    static void name(SimWarp *w, const SimInsn *in) \
    {                                               \
        T d_[SIM_LANES], a_[SIM_LANES];             \
        uint32_t n_[SIM_LANES];                     \
        const uint32_t width = 8 * sizeof(T);       \
        sim_get(w, in, 1, a_);                      \
        sim_get(w, in, 2, n_);                      \
        for (int i = 0; i < SIM_LANES; i++) {       \
            const T a = a_[i];                      \
            const uint32_t n = n_[i];               \
            d_[i] = (T)(expr);                      \
        }                                           \
        sim_put(w, in, 0, d_, sizeof *d_);          \
    }

SHIFT(shl_16, uint16_t, n < width ? (uint32_t)a << n : 0)
SHIFT(shl_32, uint32_t, n < width ? a << n : 0)
SHIFT(shl_64, uint64_t, n < width ? a << n : 0)
SHIFT(shr_u16, uint16_t, n < width ? a >> n : 0)
SHIFT(shr_u32, uint32_t, n < width ? a >> n : 0)
SHIFT(shr_u64, uint64_t, n < width ? a >> n : 0)
SHIFT(shr_s16, int16_t, a >> (n < width ? n : width - 1))
SHIFT(shr_s32, int32_t, a >> (n < width ? n : width - 1))
SHIFT(shr_s64, int64_t, a >> (n < width ? n : width - 1))

/* len bits of a from pos on; positions past the width read 0. */
static uint32_t bit_field(uint32_t a, uint32_t pos, uint32_t len)
{
    uint64_t field = pos < 32 ? (uint64_t)a >> pos : 0;
    return (uint32_t)(len < 32 ? field & (((uint64_t)1 << len) - 1) : field);
}

/* The same with the field's sign: its highest bit, or a's where the field ends beyond a. */
static uint32_t bit_field_signed(uint32_t a, uint32_t pos, uint32_t len)
{
    uint32_t top = pos + len - 1, field = bit_field(a, pos, len);
    uint32_t sign = len ? a >> (top < 31 ? top : 31) & 1 : 0;
    uint32_t valid = pos < 32 && len < 32 - pos ? len : pos < 32 ? 32 - pos : 0;
    return sign && valid < 32 ? field | UINT32_MAX << valid : field;
}

SIM_LANEWISE3(bfe_u32, uint32_t, uint32_t, bit_field(a, b & 255, c & 255))
SIM_LANEWISE3(bfe_s32, uint32_t, uint32_t, bit_field_signed(a, b & 255, c & 255))

/* Bit j of the result is bit (4 a_j + 2 b_j + c_j) of the table. */
static void lop3(SimWarp *w, const SimInsn *in)
{
    uint32_t d[SIM_LANES] = {0}, a[SIM_LANES], b[SIM_LANES], c[SIM_LANES];
    sim_get(w, in, 1, a);
    sim_get(w, in, 2, b);
    sim_get(w, in, 3, c);
    for (int t = 0; t < 8; t++) {
        if (!(in->imm[0] >> t & 1)) continue;
        uint32_t na = t & 4 ? 0 : UINT32_MAX, nb = t & 2 ? 0 : UINT32_MAX,
                 nc = t & 1 ? 0 : UINT32_MAX;
        for (int i = 0; i < SIM_LANES; i++) d[i] |= (a[i] ^ na) & (b[i] ^ nb) & (c[i] ^ nc);
    }
    sim_put(w, in, 0, d, sizeof *d);
}

/* Each nibble of c picks one of the 8 bytes of b:a; its high bit spreads the byte's sign
 * instead. */
static uint32_t permute_bytes(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t from = (uint64_t)b << 32 | a;
    uint32_t d = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t pick = c >> 4 * i;
        uint32_t byte = (uint32_t)(from >> 8 * (pick & 7)) & 255;
        if (pick & 8) byte = byte & 128 ? 255 : 0;
        d |= byte << 8 * i;
    }
    return d;
}

SIM_LANEWISE3(prmt, uint32_t, uint32_t, permute_bytes(a, b, c))

/* -- Table ------------------------------------------------------------------------------------ */

/* clang-format off */
const SimOp sim_ops_integer[] = {
    SIM_OP("add.u16|s16",         "=u16,u16,u16",     add_16),
    SIM_OP("add.u32|s32",         "=u32,u32,u32",     add_32),
    SIM_OP("add.u64|s64",         "=u64,u64,u64",     add_64),
    SIM_OP("sub.u16|s16",         "=u16,u16,u16",     sub_16),
    SIM_OP("sub.u32|s32",         "=u32,u32,u32",     sub_32),
    SIM_OP("sub.u64|s64",         "=u64,u64,u64",     sub_64),
    SIM_OP("mul.lo.u16|s16",      "=u16,u16,u16",     mul_lo_16),
    SIM_OP("mul.lo.u32|s32",      "=u32,u32,u32",     mul_lo_32),
    SIM_OP("mul.lo.u64|s64",      "=u64,u64,u64",     mul_lo_64),
    SIM_OP("mul.hi.u32",          "=u32,u32,u32",     mul_hi_u32),
    SIM_OP("mul.hi.s32",          "=s32,s32,s32",     mul_hi_s32),
    SIM_OP("mul.hi.u64",          "=u64,u64,u64",     mul_hi_u64),
    SIM_OP("mul.hi.s64",          "=s64,s64,s64",     mul_hi_s64),
    SIM_OP("mul.wide.u16",        "=u32,u16,u16",     mul_wide_u16),
    SIM_OP("mul.wide.s16",        "=s32,s16,s16",     mul_wide_s16),
    SIM_OP("mul.wide.u32",        "=u64,u32,u32",     mul_wide_u32),
    SIM_OP("mul.wide.s32",        "=s64,s32,s32",     mul_wide_s32),
    SIM_OP("mad.lo.u16|s16",      "=u16,u16,u16,u16", mad_lo_16),
    SIM_OP("mad.lo.u32|s32",      "=u32,u32,u32,u32", mad_lo_32),
    SIM_OP("mad.lo.u64|s64",      "=u64,u64,u64,u64", mad_lo_64),
    SIM_OP("mad.wide.u16",        "=u32,u16,u16,u32", mad_wide_u16),
    SIM_OP("mad.wide.s16",        "=s32,s16,s16,s32", mad_wide_s16),
    SIM_OP("mad.wide.u32",        "=u64,u32,u32,u64", mad_wide_u32),
    SIM_OP("mad.wide.s32",        "=s64,s32,s32,s64", mad_wide_s32),
    SIM_OP("div.u32",             "=u32,u32,u32",     div_u32),
    SIM_OP("div.s32",             "=s32,s32,s32",     div_s32),
    SIM_OP("div.u64",             "=u64,u64,u64",     div_u64),
    SIM_OP("div.s64",             "=s64,s64,s64",     div_s64),
    SIM_OP("rem.u32",             "=u32,u32,u32",     rem_u32),
    SIM_OP("rem.s32",             "=s32,s32,s32",     rem_s32),
    SIM_OP("rem.u64",             "=u64,u64,u64",     rem_u64),
    SIM_OP("rem.s64",             "=s64,s64,s64",     rem_s64),
    SIM_OP("min.u16",             "=u16,u16,u16",     min_u16),
    SIM_OP("min.s16",             "=s16,s16,s16",     min_s16),
    SIM_OP("min.u32",             "=u32,u32,u32",     min_u32),
    SIM_OP("min.s32",             "=s32,s32,s32",     min_s32),
    SIM_OP("min.u64",             "=u64,u64,u64",     min_u64),
    SIM_OP("min.s64",             "=s64,s64,s64",     min_s64),
    SIM_OP("max.u16",             "=u16,u16,u16",     max_u16),
    SIM_OP("max.s16",             "=s16,s16,s16",     max_s16),
    SIM_OP("max.u32",             "=u32,u32,u32",     max_u32),
    SIM_OP("max.s32",             "=s32,s32,s32",     max_s32),
    SIM_OP("max.u64",             "=u64,u64,u64",     max_u64),
    SIM_OP("max.s64",             "=s64,s64,s64",     max_s64),
    SIM_OP("neg.s16",             "=s16,s16",         neg_16),
    SIM_OP("neg.s32",             "=s32,s32",         neg_32),
    SIM_OP("neg.s64",             "=s64,s64",         neg_64),
    SIM_OP("abs.s16",             "=s16,s16",         abs_16),
    SIM_OP("abs.s32",             "=s32,s32",         abs_32),
    SIM_OP("abs.s64",             "=s64,s64",         abs_64),
    SIM_OP("and.b16",             "=b16,b16,b16",     and_16),
    SIM_OP("and.b32",             "=b32,b32,b32",     and_32),
    SIM_OP("and.b64",             "=b64,b64,b64",     and_64),
    SIM_OP("or.b16",              "=b16,b16,b16",     or_16),
    SIM_OP("or.b32",              "=b32,b32,b32",     or_32),
    SIM_OP("or.b64",              "=b64,b64,b64",     or_64),
    SIM_OP("xor.b16",             "=b16,b16,b16",     xor_16),
    SIM_OP("xor.b32",             "=b32,b32,b32",     xor_32),
    SIM_OP("xor.b64",             "=b64,b64,b64",     xor_64),
    SIM_OP("not.b16",             "=b16,b16",         not_16),
    SIM_OP("not.b32",             "=b32,b32",         not_32),
    SIM_OP("not.b64",             "=b64,b64",         not_64),
    SIM_OP("shl.b16",             "=b16,b16,u32",     shl_16),
    SIM_OP("shl.b32",             "=b32,b32,u32",     shl_32),
    SIM_OP("shl.b64",             "=b64,b64,u32",     shl_64),
    SIM_OP("shr.u16|b16",         "=b16,b16,u32",     shr_u16),
    SIM_OP("shr.u32|b32",         "=b32,b32,u32",     shr_u32),
    SIM_OP("shr.u64|b64",         "=b64,b64,u32",     shr_u64),
    SIM_OP("shr.s16",             "=s16,s16,u32",     shr_s16),
    SIM_OP("shr.s32",             "=s32,s32,u32",     shr_s32),
    SIM_OP("shr.s64",             "=s64,s64,u32",     shr_s64),
    SIM_OP("popc.b32",            "=u32,b32",         popc_32),
    SIM_OP("popc.b64",            "=u32,b64",         popc_64),
    SIM_OP("clz.b32",             "=u32,b32",         clz_32),
    SIM_OP("clz.b64",             "=u32,b64",         clz_64),
    SIM_OP("bfe.u32",             "=u32,u32,u32,u32", bfe_u32),
    SIM_OP("bfe.s32",             "=s32,s32,u32,u32", bfe_s32),
    SIM_OP("lop3.b32",            "=b32,b32,b32,b32,#", lop3),
    SIM_OP("prmt.b32",            "=b32,b32,b32,b32", prmt),
    {0},
};
/* clang-format on */
