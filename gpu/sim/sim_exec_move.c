/* sim_exec_move: moves, comparisons, selections and logic on predicates. */
#include "gpu/sim/sim_lanewise.h"

#include <math.h>

/* -- Moves ------------------------------------------------------------------------------------ */

SIM_LANEWISE1(mov_16, uint16_t, uint16_t, a)
SIM_LANEWISE1(mov_32, uint32_t, uint32_t, a)
SIM_LANEWISE1(mov_64, uint64_t, uint64_t, a)

static void mov_pred(SimWarp *w, const SimInsn *in)
{
    sim_put_pred(w, in, 0, sim_get_pred(w, in, 1));
}

/* One register from several of `part` bytes each, the first in the low bits; and the contrary. */
static void pack(SimWarp *w, const SimInsn *in, size_t part)
{
    uint8_t d[8 * SIM_LANES];
    const size_t n = in->srcs;
    for (size_t k = 0; k < n; k++) {
        const uint8_t *s = sim_lanes(w, in->arg[1 + k]);
        for (size_t i = 0; i < SIM_LANES; i++) memcpy(d + part * (n * i + k), s + part * i, part);
    }
    sim_put(w, in, 0, d, part * n);
}

static void unpack(SimWarp *w, const SimInsn *in, size_t part)
{
    uint8_t s[8 * SIM_LANES], d[4 * SIM_LANES];
    const size_t n = in->dsts;
    memcpy(s, sim_lanes(w, in->arg[n]), part * n * SIM_LANES);
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < SIM_LANES; i++) memcpy(d + part * i, s + part * (n * i + k), part);
        sim_put(w, in, (int)k, d, part);
    }
}

static void pack_16(SimWarp *w, const SimInsn *in)
{
    pack(w, in, 2);
}

static void pack_32(SimWarp *w, const SimInsn *in)
{
    pack(w, in, 4);
}

static void unpack_16(SimWarp *w, const SimInsn *in)
{
    unpack(w, in, 2);
}

static void unpack_32(SimWarp *w, const SimInsn *in)
{
    unpack(w, in, 4);
}

/* -- Comparisons ------------------------------------------------------------------------------ */

enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };
enum { ORDERED = LESS | EQUAL | GREATER };

/* In the order of the words in the table below: the relations that each comparison accepts. */
#define COMPARE_INT "eq|ne|lt|le|gt|ge|lo|ls|hi|hs"
#define COMPARE_FLOAT "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"
static const uint8_t accepts_int[] = {
    EQUAL,           LESS | GREATER, LESS,         LESS | EQUAL, GREATER,
    GREATER | EQUAL, LESS,           LESS | EQUAL, GREATER,      GREATER | EQUAL,
};
static const uint8_t accepts_float[] = {
    EQUAL,
    LESS | GREATER,
    LESS,
    LESS | EQUAL,
    GREATER,
    GREATER | EQUAL,
    EQUAL | UNORDERED,
    LESS | GREATER | UNORDERED,
    LESS | UNORDERED,
    LESS | EQUAL | UNORDERED,
    GREATER | UNORDERED,
    GREATER | EQUAL | UNORDERED,
    ORDERED,
    UNORDERED,
};

/* The relation's verdict, joined with a third source where there is one; q is the contrary. */
static void set_preds(SimWarp *w, const SimInsn *in, uint32_t p)
{
    uint32_t q = ~p;
    if (in->srcs == 3) {
        uint32_t c = sim_get_pred(w, in, in->dsts + 2);
        p = in->sel[1] == 0 ? p & c : in->sel[1] == 1 ? p | c : p ^ c;
        q = in->sel[1] == 0 ? q & c : in->sel[1] == 1 ? q | c : q ^ c;
    }
    sim_put_pred(w, in, 0, p);
    if (in->dsts == 2) sim_put_pred(w, in, 1, q);
}

#define COMPARISON(name, T, accepts)                                                               \
    static void name(SimWarp *w, const SimInsn *in)                                                \
    {                                                                                              \
        T a[SIM_LANES], b[SIM_LANES];                                                              \
        sim_get(w, in, in->dsts, a);                                                               \
        sim_get(w, in, in->dsts + 1, b);                                                           \
        uint32_t p = 0;                                                                            \
        for (int i = 0; i < SIM_LANES; i++) {                                                      \
            int r = a[i] < b[i] ? LESS : a[i] > b[i] ? GREATER : a[i] == b[i] ? EQUAL : UNORDERED; \
            p |= (uint32_t)((accepts[in->sel[0]] & r) != 0) << i;                                  \
        }                                                                                          \
        set_preds(w, in, p);                                                                       \
    }

COMPARISON(setp_u16, uint16_t, accepts_int)
COMPARISON(setp_s16, int16_t, accepts_int)
COMPARISON(setp_u32, uint32_t, accepts_int)
COMPARISON(setp_s32, int32_t, accepts_int)
COMPARISON(setp_u64, uint64_t, accepts_int)
COMPARISON(setp_s64, int64_t, accepts_int)
COMPARISON(setp_f32, float, accepts_float)
COMPARISON(setp_f64, double, accepts_float)

/* -- Selections ------------------------------------------------------------------------------- */

#define SELECTION(name, T)                                                   \
    static void name(SimWarp *w, const SimInsn *in)                          \
    {                                                                        \
        T a[SIM_LANES], b[SIM_LANES];                                        \
        uint32_t p = sim_get_pred(w, in, 3);                                 \
        sim_get(w, in, 1, a);                                                \
        sim_get(w, in, 2, b);                                                \
        for (int i = 0; i < SIM_LANES; i++) a[i] = p >> i & 1 ? a[i] : b[i]; \
        sim_put(w, in, 0, a, sizeof *a);                                     \
    }

SELECTION(selp_16, uint16_t)
SELECTION(selp_32, uint32_t)
SELECTION(selp_64, uint64_t)

/* -- Predicates ------------------------------------------------------------------------------- */

static void and_pred(SimWarp *w, const SimInsn *in)
{
    sim_put_pred(w, in, 0, sim_get_pred(w, in, 1) & sim_get_pred(w, in, 2));
}

static void or_pred(SimWarp *w, const SimInsn *in)
{
    sim_put_pred(w, in, 0, sim_get_pred(w, in, 1) | sim_get_pred(w, in, 2));
}

static void xor_pred(SimWarp *w, const SimInsn *in)
{
    sim_put_pred(w, in, 0, sim_get_pred(w, in, 1) ^ sim_get_pred(w, in, 2));
}

static void not_pred(SimWarp *w, const SimInsn *in)
{
    sim_put_pred(w, in, 0, ~sim_get_pred(w, in, 1));
}

/* -- Table ------------------------------------------------------------------------------------ */

#define BOOL ".and|or|xor."
#define COMPARE_SIGNED "eq|ne|lt|le|gt|ge"
#define COMPARE_BITS "eq|ne"
#define SETP(words, t, exec)                                  \
    SIM_OP("setp." words "." t, "=pred|pred," t "," t, exec), \
        SIM_OP("setp." words BOOL t, "=pred|pred," t "," t ",pred", exec)

/* clang-format off */
const SimOp sim_ops_move[] = {
    SIM_OP("mov.b16",  "=b16,?b16",   mov_16),
    SIM_OP("mov.u16",  "=u16,?u16",   mov_16),
    SIM_OP("mov.s16",  "=s16,?s16",   mov_16),
    SIM_OP("mov.b32",  "=b32,?b32",   mov_32),
    SIM_OP("mov.u32",  "=u32,?u32",   mov_32),
    SIM_OP("mov.s32",  "=s32,?s32",   mov_32),
    SIM_OP("mov.f32",  "=f32,f32",    mov_32),
    SIM_OP("mov.b64",  "=b64,?b64",   mov_64),
    SIM_OP("mov.u64",  "=u64,?u64",   mov_64),
    SIM_OP("mov.s64",  "=s64,?s64",   mov_64),
    SIM_OP("mov.f64",  "=f64,f64",    mov_64),
    SIM_OP("mov.pred", "=pred,pred",  mov_pred),
    SIM_OP("mov.b32",  "=b32,b16*2",  pack_16),
    SIM_OP("mov.b64",  "=b64,b32*2",  pack_32),
    SIM_OP("mov.b64",  "=b64,b16*4",  pack_16),
    SIM_OP("mov.b32",  "=b16*2,b32",  unpack_16),
    SIM_OP("mov.b64",  "=b32*2,b64",  unpack_32),
    SIM_OP("mov.b64",  "=b16*4,b64",  unpack_16),
    SIM_OP("cvta.?to.global.u64", "=u64,u64", mov_64), /* global addresses are generic ones */
    SETP(COMPARE_SIGNED, "s16", setp_s16),
    SETP(COMPARE_SIGNED, "s32", setp_s32),
    SETP(COMPARE_SIGNED, "s64", setp_s64),
    SETP(COMPARE_INT,    "u16", setp_u16),
    SETP(COMPARE_INT,    "u32", setp_u32),
    SETP(COMPARE_INT,    "u64", setp_u64),
    SETP(COMPARE_BITS,   "b16", setp_u16),
    SETP(COMPARE_BITS,   "b32", setp_u32),
    SETP(COMPARE_BITS,   "b64", setp_u64),
    SETP(COMPARE_FLOAT,  "f32", setp_f32),
    SETP(COMPARE_FLOAT,  "f64", setp_f64),
    SIM_OP("selp.b16", "=b16,b16,b16,pred", selp_16),
    SIM_OP("selp.u16|s16", "=u16,u16,u16,pred", selp_16),
    SIM_OP("selp.b32", "=b32,b32,b32,pred", selp_32),
    SIM_OP("selp.u32|s32", "=u32,u32,u32,pred", selp_32),
    SIM_OP("selp.f32", "=f32,f32,f32,pred", selp_32),
    SIM_OP("selp.b64", "=b64,b64,b64,pred", selp_64),
    SIM_OP("selp.u64|s64", "=u64,u64,u64,pred", selp_64),
    SIM_OP("selp.f64", "=f64,f64,f64,pred", selp_64),
    SIM_OP("and.pred", "=pred,pred,pred",   and_pred),
    SIM_OP("or.pred",  "=pred,pred,pred",   or_pred),
    SIM_OP("xor.pred", "=pred,pred,pred",   xor_pred),
    SIM_OP("not.pred", "=pred,pred",        not_pred),
    {0},
};
/* clang-format on */
