/* The simulated device computes: arithmetic, control flow, memory and a small gemm, from
 * handwritten PTX. */
#include "tests/sim_bench.h"

#include <math.h>
#include <omp.h>

enum { ALL = 1 << 16, THREADS = 256 };

/* out[i] at %rd3 and in[i] at %rd2, elements of in_size and out_size bytes, i = the thread of
 * the grid (%r2). */
#define INDEX(in_size, out_size)                                                              \
    "    mov.u32 %r3, %ntid.x;\n    mad.lo.u32 %r2, %r1, %r3, %r0;\n"                         \
    "    mad.wide.u32 %rd2, %r2, " #in_size ", %rd0;\n    mad.wide.u32 %rd3, %r2, " #out_size \
    ", %rd1;\n"

static void run(const char *what, SimRun r)
{
    DeviceError e = sim_run(r, NULL);
    if (e) {
        ok(false, "%s runs", what);
        diag("%s", e);
    }
}

/* -- Conversions, exhaustively ---------------------------------------------------------------- */

/* The value of a number with so many exponent and mantissa bits, by definition. */
static double value(uint32_t h, int exponent, int mantissa)
{
    int e = (int)(h >> mantissa) & ((1 << exponent) - 1), bias = (1 << (exponent - 1)) - 1;
    double f = h & ((1U << mantissa) - 1), sign = h >> (exponent + mantissa) & 1 ? -1 : 1;
    if (e == (1 << exponent) - 1) return f != 0 ? NAN : sign * INFINITY;
    return sign *
           (e ? ldexp(f + ldexp(1, mantissa), e - bias - mantissa) : ldexp(f, 1 - bias - mantissa));
}

static void test_widening(const char *what, const char *body, int exponent, int mantissa)
{
    static uint16_t in[ALL];
    static float out[ALL];
    int wrong = 0;
    for (int i = 0; i < ALL; i++) in[i] = (uint16_t)i;
    run(what, (SimRun){.body = body,
                       .blocks = ALL / THREADS,
                       .threads = THREADS,
                       .in = in,
                       .in_bytes = sizeof in,
                       .out = out,
                       .out_bytes = sizeof out});
    for (int i = 0; i < ALL; i++) {
        double v = value((uint32_t)i, exponent, mantissa);
        wrong += isnan(v) ? !isnan(out[i]) : v != (double)out[i] || !signbit(v) != !signbit(out[i]);
    }
    ok(wrong == 0, "%s: all 65536 values", what);
}

/* What a value between the neighbours h and h+1 must become; where: -1 below the middle, 0 in
 * it, 1 above. */
static uint32_t nearest_even(uint32_t h, int where)
{
    return where < 0 ? h : where > 0 ? h + 1 : h + (h & 1);
}

static uint32_t toward_zero(uint32_t h, int where)
{
    (void)where;
    return h;
}

static uint32_t nearest_away(uint32_t h, int where)
{
    return where < 0 ? h : h + 1;
}

/* Every gap between neighbours, both signs, three points of it. shift: where the result's low
 * bit lies. */
static void test_narrowing(const char *what, const char *body, int exponent, int mantissa,
                           int shift, uint32_t (*expect)(uint32_t, int))
{
    static float in[ALL];
    static uint32_t out[ALL];
    const uint32_t sign = 1U << (exponent + mantissa), infinity = sign - (1U << mantissa);
    const uint32_t step = (infinity + ALL / 2 - 1) / (ALL / 2);
    int wrong = 0;
    for (int where = -1; where <= 1; where++) {
        for (uint32_t i = 0; i < ALL; i++) {
            uint32_t h = i / 2 * step % infinity;
            double low = value(h, exponent, mantissa);
            double high = h + 1 < infinity ? value(h + 1, exponent, mantissa)
                                           : 2 * low - value(h - 1, exponent, mantissa);
            float v = (float)((low + high) / 2);
            if (where) v = nextafterf(v, where < 0 ? 0 : INFINITY);
            in[i] = i & 1 ? -v : v;
        }
        run(what, (SimRun){.body = body,
                           .blocks = ALL / THREADS,
                           .threads = THREADS,
                           .in = in,
                           .in_bytes = sizeof in,
                           .out = out,
                           .out_bytes = sizeof out});
        for (uint32_t i = 0; i < ALL; i++) {
            uint32_t want = expect(i / 2 * step % infinity, where) | (i & 1 ? sign : 0);
            wrong += out[i] != want << shift;
        }
    }
    ok(wrong == 0, "%s: the middle of each gap and its two sides", what);
}

#define NARROW(op) \
    INDEX(4, 4) "    ld.global.f32 %f0, [%rd2];\n" op "    st.global.b32 [%rd3], %r4;\n"

static void test_conversions(void)
{
    const char *f16 = INDEX(2, 4) "    ld.global.b16 %h0, [%rd2];\n    cvt.f32.f16 %f0, %h0;\n    "
                                  "st.global.f32 [%rd3], %f0;\n";
    const char *bf16 = INDEX(2, 4) "    ld.global.b16 %h0, [%rd2];\n    cvt.f32.bf16 %f0, %h0;\n   "
                                   " st.global.f32 [%rd3], %f0;\n";
    test_widening("cvt.f32.f16", f16, 5, 10);
    test_widening("cvt.f32.bf16", bf16, 8, 7);
    test_narrowing("cvt.rn.f16.f32",
                   NARROW("    cvt.rn.f16.f32 %h0, %f0;\n    cvt.u32.u16 %r4, %h0;\n"), 5, 10, 0,
                   nearest_even);
    test_narrowing("cvt.rz.f16.f32",
                   NARROW("    cvt.rz.f16.f32 %h0, %f0;\n    cvt.u32.u16 %r4, %h0;\n"), 5, 10, 0,
                   toward_zero);
    test_narrowing("cvt.rn.bf16.f32",
                   NARROW("    cvt.rn.bf16.f32 %h0, %f0;\n    cvt.u32.u16 %r4, %h0;\n"), 8, 7, 0,
                   nearest_even);
    test_narrowing("cvt.rna.tf32.f32", NARROW("    cvt.rna.tf32.f32 %r4, %f0;\n"), 8, 10, 13,
                   nearest_away);
    test_narrowing("cvt.rn.f16x2.f32",
                   NARROW("    mov.f32 %f1, 0f00000000;\n    cvt.rn.f16x2.f32 %r4, %f0, %f1;\n"), 5,
                   10, 16, nearest_even);
}

/* -- Arithmetic on 32-bit words --------------------------------------------------------------- */

static const uint32_t words[] = {
    0,          1,          2,          3,          5,          31,         32,
    33,         127,        255,        65535,      65536,      0x12345678, 0x7ffffffe,
    0x7fffffff, 0x80000000, 0x80000001, 0xdeadbeef, 0xfffffffe, 0xffffffff,
};
enum { WORDS = sizeof words / sizeof *words };

static float as_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t as_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

#define S(x) ((int32_t)(x))
#define WIDE(x) ((int64_t)(int32_t)(x))

/* Instruction on %r4 and %r5 into %r6, and the same in C. b is not 0 where it divides. */
#define BINARY_LIST(ROW)                                                                        \
    ROW(add, "add.s32 %r6, %r4, %r5;", a + b)                                                   \
    ROW(sub, "sub.u32 %r6, %r4, %r5;", a - b)                                                   \
    ROW(mul_lo, "mul.lo.s32 %r6, %r4, %r5;", a *b)                                              \
    ROW(mul_hi_u, "mul.hi.u32 %r6, %r4, %r5;", (uint32_t)((uint64_t)a * b >> 32))               \
    ROW(mul_hi_s, "mul.hi.s32 %r6, %r4, %r5;", (uint32_t)((uint64_t)(WIDE(a) * WIDE(b)) >> 32)) \
    ROW(mad, "mad.lo.s32 %r6, %r4, %r5, %r4;", a *b + a)                                        \
    ROW(wide_s, "mul.wide.s32 %rd5, %r4, %r5; mov.b64 {%r7, %r6}, %rd5;",                       \
        (uint32_t)((uint64_t)(WIDE(a) * WIDE(b)) >> 32))                                        \
    ROW(div_u, "div.u32 %r6, %r4, %r5;", a / b)                                                 \
    ROW(rem_u, "rem.u32 %r6, %r4, %r5;", a % b)                                                 \
    ROW(div_s, "div.s32 %r6, %r4, %r5;", (uint32_t)(WIDE(a) / WIDE(b)))                         \
    ROW(rem_s, "rem.s32 %r6, %r4, %r5;", (uint32_t)(WIDE(a) % WIDE(b)))                         \
    ROW(min_s, "min.s32 %r6, %r4, %r5;", S(a) < S(b) ? a : b)                                   \
    ROW(max_u, "max.u32 %r6, %r4, %r5;", a > b ? a : b)                                         \
    ROW(and, "and.b32 %r6, %r4, %r5;", a &b)                                                    \
    ROW(xor, "xor.b32 %r6, %r4, %r5;", a ^ b)                                                   \
    ROW(not, "not.b32 %r6, %r4;", ~a)                                                           \
    ROW(shl, "shl.b32 %r6, %r4, %r5;", b < 32 ? a << b : 0)                                     \
    ROW(shr_u, "shr.u32 %r6, %r4, %r5;", b < 32 ? a >> b : 0)                                   \
    ROW(shr_s, "shr.s32 %r6, %r4, %r5;", (uint32_t)(S(a) >> (b < 32 ? b : 31)))                 \
    ROW(bfe, "bfe.u32 %r6, %r4, 7, 9;", a >> 7 & 511)                                           \
    ROW(bfe_s, "bfe.s32 %r6, %r4, 7, 9;", (uint32_t)(S(a << 16) >> 23))                         \
    ROW(lop3, "lop3.b32 %r6, %r4, %r5, 255, 0xd8;", (b & 255) | (a & ~255U))                    \
    ROW(prmt, "prmt.b32 %r6, %r4, %r5, 0x5410;", (a & 0xffff) | b << 16)                        \
    ROW(popc, "popc.b32 %r6, %r4;", (uint32_t)__builtin_popcount(a))                            \
    ROW(neg, "neg.s32 %r6, %r4;", 0 - a)                                                        \
    ROW(abs, "abs.s32 %r6, %r4;", S(a) < 0 ? 0 - a : a)                                         \
    ROW(lt_s, "setp.lt.s32 %p0, %r4, %r5; selp.b32 %r6, 1, 0, %p0;", S(a) < S(b))               \
    ROW(lt_u, "setp.lo.u32 %p0, %r4, %r5; selp.b32 %r6, 1, 0, %p0;", a < b)                     \
    ROW(ge_or,                                                                                  \
        "setp.eq.u32 %p1, %r4, 3; setp.ge.or.s32 %p0, %r4, %r5, %p1; selp.b32 %r6, 1, 0, %p0;", \
        S(a) >= S(b) || a == 3)                                                                 \
    ROW(pair, "setp.ne.b32 %p1|%p0, %r4, %r5; selp.b32 %r6, 1, 0, %p0;", a == b)                \
    ROW(f32_s, "cvt.rn.f32.s32 %f0, %r4; mov.b32 %r6, %f0;", as_bits((float)S(a)))              \
    ROW(f32_u, "cvt.rn.f32.u32 %f0, %r4; mov.b32 %r6, %f0;", as_bits((float)a))                 \
    ROW(s64, "cvt.s64.s32 %rd5, %r4; shr.s64 %rd5, %rd5, 16; cvt.u32.u64 %r6, %rd5;",           \
        (uint32_t)(WIDE(a) >> 16))                                                              \
    ROW(pack, "mov.b32 {%h0, %h1}, %r4; mov.b32 %r6, {%h1, %h0};", a << 16 | a >> 16)

static void test_words(void)
{
    static uint32_t in[WORDS * WORDS][2], out[WORDS * WORDS];
    char body[1024];
    for (int i = 0; i < WORDS * WORDS; i++) {
        in[i][0] = words[i / WORDS];
        in[i][1] = words[i % WORDS] ? words[i % WORDS] : 7;
    }
#define ROW(id, text, expr)                                          \
    snprintf(body, sizeof body, "%s%s%s%s", INDEX(8, 4),             \
             "    ld.global.v2.b32 {%r4, %r5}, [%rd2];\n    ", text, \
             "\n    st.global.b32 [%rd3], %r6;\n");                  \
    run(#id, (SimRun){.body = body,                                  \
                      .threads = WORDS * WORDS,                      \
                      .in = in,                                      \
                      .in_bytes = sizeof in,                         \
                      .out = out,                                    \
                      .out_bytes = sizeof out});                     \
    {                                                                \
        int wrong = 0;                                               \
        for (int i = 0; i < WORDS * WORDS; i++) {                    \
            const uint32_t a = in[i][0], b = in[i][1];               \
            (void)a, (void)b;                                        \
            wrong += out[i] != (uint32_t)(expr);                     \
        }                                                            \
        ok(wrong == 0, "%s on %d pairs", #id, WORDS * WORDS);        \
    }
    BINARY_LIST(ROW)
#undef ROW
}

/* -- Floating point --------------------------------------------------------------------------- */

/* Instruction on %f0, %f1 into %r6, its operands and its result. */
static const struct {
    const char *text;
    uint32_t a, b, want;
} floats[] = {
    {"fma.rn.f32 %f2, %f0, %f0, %f1; mov.b32 %r6, %f2;", 0x3f800800, 0xbf801000,
     0x33800000}, /* 2^-24 */
    {"mul.rn.f32 %f2, %f0, %f0; add.rn.f32 %f2, %f2, %f1; mov.b32 %r6, %f2;", 0x3f800800,
     0xbf801000, 0},
    {"add.rn.f32 %f2, %f0, %f1; mov.b32 %r6, %f2;", 0x4b800000, 0x3f800000,
     0x4b800000}, /* tie to even */
    {"add.rn.f32 %f2, %f0, %f1; mov.b32 %r6, %f2;", 0x4b800001, 0x3f800000, 0x4b800002},
    {"div.rn.f32 %f2, %f0, %f1; mov.b32 %r6, %f2;", 0x3f800000, 0x40400000, 0x3eaaaaab}, /* 1/3 */
    {"mul.f32 %f2, %f0, %f1; mov.b32 %r6, %f2;", 0x00800000, 0x3f000000,
     0x00400000}, /* subnormal */
    {"min.f32 %f2, %f0, %f1; mov.b32 %r6, %f2;", 0x7fc00000, 0x40000000,
     0x40000000}, /* NaN loses */
    {"max.f32 %f2, %f0, %f1; mov.b32 %r6, %f2;", 0x80000000, 0x00000000, 0x00000000}, /* -0 < +0 */
    {"neg.f32 %f2, %f0; mov.b32 %r6, %f2;", 0x00000000, 0, 0x80000000},
    {"setp.lt.f32 %p0, %f0, %f1; selp.b32 %r6, 1, 0, %p0;", 0x7fc00000, 0x3f800000, 0},
    {"setp.geu.f32 %p0, %f0, %f1; selp.b32 %r6, 1, 0, %p0;", 0x7fc00000, 0x3f800000, 1},
    {"setp.neu.f32 %p0, %f0, %f1; selp.b32 %r6, 1, 0, %p0;", 0x3f800000, 0x3f800000, 0},
    {"setp.eq.f32 %p0, %f0, %f1; selp.b32 %r6, 1, 0, %p0;", 0x80000000, 0x00000000, 1},
    {"cvt.rzi.s32.f32 %r6, %f0;", 0xc02ccccd, 0, 0xfffffffe}, /* -2.7 */
    {"cvt.rni.s32.f32 %r6, %f0;", 0x40200000, 0, 2},          /* 2.5 */
    {"cvt.rmi.s32.f32 %r6, %f0;", 0xbf000000, 0, 0xffffffff}, /* -0.5 */
    {"cvt.rzi.s32.f32 %r6, %f0;", 0x7f800000, 0, 0x7fffffff}, /* infinity saturates */
    {"cvt.rzi.u32.f32 %r6, %f0;", 0xbf800000, 0, 0},
    {"cvt.f64.f32 %fd0, %f0; add.f64 %fd0, %fd0, 0d3E70000000000000; cvt.rn.f32.f64 %f2, %fd0; "
     "mov.b32 %r6, %f2;",
     0x3f800000, 0, 0x3f800000}, /* 1 + 2^-24 ties to 1 */
    {"cvt.f64.f32 %fd0, %f0; fma.rn.f64 %fd0, %fd0, %fd0, 0d3E70000001000000; cvt.rn.f32.f64 %f2, "
     "%fd0; mov.b32 %r6, %f2;",
     0x3f800000, 0, 0x3f800001}, /* a little more does not */
    {"cvt.f64.f32 %fd0, %f0; cvt.rp.f32.f64 %f2, %fd0; mov.b32 %r6, %f2;", 0x3f800001, 0,
     0x3f800001},
    {"mov.b32 %r4, %f0; mov.b32 %r5, %f1; fma.rn.f16x2 %r6, %r4, %r5, %r5;", 0x3c004000, 0x40003c00,
     0x44004200}, /* (1*2+2, 2*1+1) */
};

static void test_floats(void)
{
    char body[1024];
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        uint32_t in[2] = {floats[i].a, floats[i].b}, out[2];
        snprintf(body, sizeof body,
                 "    ld.global.v2.f32 {%%f0, %%f1}, [%%rd0];\n    mov.b32 %%r5, 0;\n    %s\n"
                 "    st.global.v2.b32 [%%rd1], {%%r6, %%r5};\n",
                 floats[i].text);
        run(floats[i].text, (SimRun){.body = body,
                                     .threads = 1,
                                     .in = in,
                                     .in_bytes = sizeof in,
                                     .out = out,
                                     .out_bytes = sizeof out});
        if (!ok(out[0] == floats[i].want, "%s", floats[i].text))
            diag("0x%08x (%g) instead of 0x%08x", out[0], (double)as_float(out[0]), floats[i].want);
    }
}

/* fma.rn.f16 of random triples: no other f16 lies nearer to the exact result, which a long
 * double holds. */
static void test_half_fma(void)
{
    static uint16_t in[ALL][4], out[ALL];
    const char *body =
        INDEX(8, 2) "    ld.global.v4.b16 {%h0, %h1, %h2, %h3}, [%rd2];\n"
                    "    fma.rn.f16 %h4, %h0, %h1, %h2;\n    st.global.b16 [%rd3], %h4;\n";
    uint32_t seed = 1;
    for (int i = 0; i < ALL; i++)
        for (int j = 0; j < 4; j++) {
            seed = seed * 1664525 + 1013904223;
            uint32_t h = seed >> 16;
            in[i][j] = (uint16_t)((h & 0x7c00) == 0x7c00 ? h & 0x83ff : h);
        }
    run("fma.rn.f16", (SimRun){.body = body,
                               .blocks = ALL / THREADS,
                               .threads = THREADS,
                               .in = in,
                               .in_bytes = sizeof in,
                               .out = out,
                               .out_bytes = sizeof out});
    int wrong = 0;
    for (int i = 0; i < ALL; i++) {
        long double a = value(in[i][0], 5, 10), b = value(in[i][1], 5, 10),
                    c = value(in[i][2], 5, 10);
        long double exact = a * b + c, got = value(out[i], 5, 10);
        if (fabsl(exact) >= 65504) continue;
        long double error = fabsl(got - exact);
        for (int step = -1; step <= 1; step += 2) {
            long double other = fabsl(value((uint16_t)(out[i] + step), 5, 10) - exact);
            wrong += other < error || (other == error && (out[i] & 1));
        }
    }
    ok(wrong == 0, "fma.rn.f16 of %d random triples is the nearest", ALL);
}

/* -- Control flow ----------------------------------------------------------------------------- */

static void test_divergence(void)
{
    uint32_t out[64];
    bool right = true;
    /* Steps of the Collatz walk from tid + 1: every lane leaves the loop at another time. */
    const char *body =
        INDEX(4, 4) "    add.u32 %r4, %r2, 1;\n    mov.b32 %r5, 0;\n"
                    "$L1:\n    setp.eq.u32 %p0, %r4, 1;\n    @%p0 bra $L4;\n"
                    "    and.b32 %r6, %r4, 1;\n    setp.eq.u32 %p1, %r6, 0;\n    @%p1 bra $L2;\n"
                    "    mad.lo.u32 %r4, %r4, 3, 1;\n    bra $L3;\n"
                    "$L2:\n    shr.u32 %r4, %r4, 1;\n"
                    "$L3:\n    add.u32 %r5, %r5, 1;\n    bra.uni $L1;\n"
                    "$L4:\n    shfl.sync.idx.b32 %r7, %r5, 0, 31, 0xffffffff;\n"
                    "    add.u32 %r5, %r5, %r7;\n    st.global.b32 [%rd3], %r5;\n";
    run("collatz", (SimRun){.body = body, .threads = 64, .out = out, .out_bytes = sizeof out});
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t steps = 0, first = i < 32 ? 0 : 26; /* from 1, and from 33 */
        for (uint32_t x = i + 1; x != 1; steps++) x = x % 2 ? 3 * x + 1 : x / 2;
        right &= out[i] == steps + first;
    }
    ok(right, "lanes that leave a loop one by one meet again behind it");
}

static void test_reduction(void)
{
    uint32_t out[32];
    bool right = true;
    const char *body = INDEX(
        4, 4) "    mov.b32 %r4, %r0;\n"
              "    shfl.sync.bfly.b32 %r5, %r4, 16, 31, -1;\n    add.u32 %r4, %r4, %r5;\n"
              "    shfl.sync.down.b32 %r5|%p0, %r4, 8, 31, -1;\n    @%p0 add.u32 %r4, %r4, %r5;\n"
              "    st.global.b32 [%rd3], %r4;\n";
    run("shfl", (SimRun){.body = body, .out = out, .out_bytes = sizeof out});
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t pair = i + (i ^ 16), other = i + 8 < 32 ? i + 8 + ((i + 8) ^ 16) : 0;
        right &= out[i] == pair + other;
    }
    ok(right, "shfl.sync bfly and down, with its predicate");
}

static void test_early_exit(void)
{
    uint32_t out[64] = {0};
    const char *body =
        INDEX(4, 4) "    st.global.b32 [%rd3], %r0;\n    setp.lt.u32 %p0, %r0, 40;\n    @%p0 ret;\n"
                    "    add.u32 %r4, %r0, 100;\n    st.global.b32 [%rd3], %r4;\n";
    bool right = true;
    run("exit", (SimRun){.body = body, .threads = 64, .out = out, .out_bytes = sizeof out});
    for (uint32_t i = 0; i < 64; i++) right &= out[i] == (i < 40 ? i : i + 100);
    ok(right, "threads that end leave the others running");
}

/* -- Shared memory ---------------------------------------------------------------------------- */

static void test_barrier(void)
{
    uint32_t out[256];
    bool right = true;
    const char *body = INDEX(
        4,
        4) "    mov.u32 %r4, smem;\n    shl.b32 %r5, %r0, 2;\n    add.u32 %r6, %r4, %r5;\n"
           "    sub.u32 %r7, 1020, %r5;\n    add.u32 %r7, %r4, %r7;\n    mov.b32 %r9, %r0;\n"
           "    mov.b32 %r8, 0;\n"
           "$L1:\n    st.shared.u32 [%r6], %r9;\n    bar.sync 0;\n    ld.shared.u32 %r9, [%r7];\n"
           "    bar.sync 0;\n    add.u32 %r8, %r8, 1;\n    setp.lt.u32 %p0, %r8, 3;\n    @%p0 bra "
           "$L1;\n"
           "    st.global.b32 [%rd3], %r9;\n";
    run("barrier", (SimRun){.body = body, .threads = 256, .out = out, .out_bytes = sizeof out});
    for (uint32_t i = 0; i < 256; i++) right &= out[i] == 255 - i;
    ok(right, "three reversals through shared memory");
}

/* Lane i stores at i * stride; passes of the banks it takes. */
static void test_banks(int stride, const char *op, unsigned passes, unsigned least)
{
    char body[512];
    SimCounters count;
    snprintf(body, sizeof body,
             "    mov.f32 %%f0, 0f3F800000;\n    mov.u32 %%r4, smem;\n    mad.lo.u32 %%r4, %%r0, "
             "%d, %%r4;\n    %s\n",
             stride, op);
    DeviceError e = sim_run((SimRun){.body = body}, &count);
    if (!ok(!e && count.shared_passes == passes && count.shared_passes_least == least,
            "%s with a stride of %d bytes takes the banks %u passes", op, stride, passes))
        diag("%s: %u passes, %u at least", e ? e : "", (unsigned)count.shared_passes,
             (unsigned)count.shared_passes_least);
}

static void test_async(void)
{
    uint32_t in[64], out[32];
    bool right = true;
    for (uint32_t i = 0; i < 64; i++) in[i] = 1000 + i;
    /* Two groups of 4 bytes a thread; of the second, thread i fills i % 5 bytes and zeroes the
     * rest. */
    const char *body =
        INDEX(4, 4) "    mov.u32 %r4, smem;\n    mad.lo.u32 %r5, %r0, 4, %r4;\n"
                    "    cp.async.ca.shared.global [%r5], [%rd2], 4;\n    cp.async.commit_group;\n"
                    "    rem.u32 %r6, %r0, 5;\n"
                    "    cp.async.ca.shared.global [%r5+128], [%rd2+128], 4, %r6;\n    "
                    "cp.async.commit_group;\n"
                    "    cp.async.wait_group 1;\n    ld.shared.b32 %r7, [%r5];\n"
                    "    cp.async.wait_all;\n    ld.shared.b32 %r8, [%r5+128];\n"
                    "    add.u32 %r7, %r7, %r8;\n    st.global.b32 [%rd3], %r7;\n";
    run("cp.async",
        (SimRun){
            .body = body, .in = in, .in_bytes = sizeof in, .out = out, .out_bytes = sizeof out});
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t keep = i % 5 == 4 ? UINT32_MAX : (1U << 8 * (i % 5)) - 1;
        right &= out[i] == 1000 + i + ((1032 + i) & keep);
    }
    ok(right, "cp.async: groups, waiting, zero fill");
}

static void test_shared(void)
{
    test_barrier();
    test_async();
    test_banks(4, "st.shared.f32 [%r4], %f0;", 1, 1);
    test_banks(8, "st.shared.f32 [%r4], %f0;", 2, 1);
    test_banks(128, "st.shared.f32 [%r4], %f0;", 32, 1);
    test_banks(36, "st.shared.f32 [%r4], %f0;", 1, 1);
    test_banks(16, "st.shared.v4.f32 [%r4], {%f0, %f0, %f0, %f0};", 4, 4);
    test_banks(64, "st.shared.v4.f32 [%r4], {%f0, %f0, %f0, %f0};", 16, 4);
    test_banks(80, "st.shared.v4.f32 [%r4], {%f0, %f0, %f0, %f0};", 4, 4);
}

/* -- A gemm ----------------------------------------------------------------------------------- */

enum { N = 48, TILE = 16 };

/* C = A B, all N x N and row-major; 16 x 16 threads a block, one element each, tiles in shared
 * memory. */
static const char *const gemm =
    "    and.b32 %r2, %r0, 15;\n    shr.u32 %r3, %r0, 4;\n" /* column, row in the tile */
    "    div.u32 %r4, %r1, 3;\n    rem.u32 %r5, %r1, 3;\n"  /* tile row, tile column */
    "    mad.lo.u32 %r6, %r4, 16, %r3;\n    mad.lo.u32 %r7, %r5, 16, %r2;\n" /* row, column */
    "    mad.lo.u32 %r8, %r6, 48, %r2;\n    mad.wide.u32 %rd2, %r8, 4, %rd0;\n"
    "    mad.lo.u32 %r9, %r3, 48, %r7;\n    mad.wide.u32 %rd3, %r9, 4, %rd0;\n    add.s64 %rd3, "
    "%rd3, 9216;\n"
    "    mov.u32 %r10, smem;\n    mad.lo.u32 %r11, %r0, 4, %r10;\n"
    "    mad.lo.u32 %r12, %r3, 64, %r10;\n    mad.lo.u32 %r13, %r2, 4, %r10;\n"
    "    mov.f32 %f0, 0f00000000;\n    mov.b32 %r14, 0;\n"
    "$L1:\n    ld.global.nc.f32 %f1, [%rd2];\n    ld.global.nc.f32 %f2, [%rd3];\n"
    "    st.shared.f32 [%r11], %f1;\n    st.shared.f32 [%r11+1024], %f2;\n    bar.sync 0;\n"
    "    mov.b32 %r15, 0;\n    mov.b32 %r16, %r12;\n    mov.b32 %r17, %r13;\n"
    "$L2:\n    ld.shared.f32 %f3, [%r16];\n    ld.shared.f32 %f4, [%r17+1024];\n"
    "    fma.rn.f32 %f0, %f3, %f4, %f0;\n    add.u32 %r16, %r16, 4;\n    add.u32 %r17, %r17, 64;\n"
    "    add.u32 %r15, %r15, 1;\n    setp.lt.u32 %p0, %r15, 16;\n    @%p0 bra $L2;\n"
    "    bar.sync 0;\n    add.s64 %rd2, %rd2, 64;\n    add.s64 %rd3, %rd3, 3072;\n"
    "    add.u32 %r14, %r14, 16;\n    setp.lt.u32 %p1, %r14, 48;\n    @%p1 bra $L1;\n"
    "    mad.lo.u32 %r18, %r6, 48, %r7;\n    mad.wide.u32 %rd4, %r18, 4, %rd1;\n    st.global.f32 "
    "[%rd4], %f0;\n";

static void test_gemm(void)
{
    static float in[2][N][N], out[N][N], again[N][N];
    for (int i = 0; i < 2 * N * N; i++)
        in[i / (N * N)][i / N % N][i % N] = (float)(i * 7 % 11 - 5) / 8 + (float)(i % 3);
    SimRun r = {.body = gemm,
                .blocks = 9,
                .threads = 256,
                .in = in,
                .in_bytes = sizeof in,
                .out = out,
                .out_bytes = sizeof out};
    run("gemm", r);
    int wrong = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int p = 0; p < N; p++) sum = fmaf(in[0][i][p], in[1][p][j], sum);
            wrong += memcmp(&sum, &out[i][j], sizeof sum) != 0;
        }
    ok(wrong == 0, "a tiled gemm, bit for bit");
    int threads = omp_get_max_threads();
    omp_set_num_threads(threads > 1 ? 1 : 4);
    r.out = again;
    run("gemm", r);
    omp_set_num_threads(threads);
    ok(memcmp(out, again, sizeof out) == 0, "the same bits with another number of host threads");
}

int main(void)
{
    test_conversions();
    test_words();
    test_floats();
    test_half_fma();
    test_divergence();
    test_reduction();
    test_early_exit();
    test_shared();
    test_gemm();
    return tap_done();
}
