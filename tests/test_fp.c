/*
 * test_fp: the narrow floating-point types against their definition, sign * 2^e * fraction, in
 * arithmetic that is exact in double.
 */
#include "cpu_ref/fp.h"
#include "tests/tap.h"

#include <math.h>
#include <string.h>

/* A 16-bit format, how the functions under test call it, and its smallest normal exponent. */
typedef struct {
    const char *name;
    int fbits, emin, bias;
    uint32_t infinity;
    uint16_t (*from_f64)(double);
    uint16_t (*from_f32)(float);
    double (*to_f64)(uint16_t);
    float (*to_f32)(uint16_t);
} Format;

static const Format formats[] = {
    {"f16", 10, -14, 15, 0x7c00, fp_f16_from_f64, fp_f16_from_f32, fp_f16_to_f64, fp_f16_to_f32},
    {"bf16", 7, -126, 127, 0x7f80, fp_bf16_from_f64, fp_bf16_from_f32, fp_bf16_to_f64,
     fp_bf16_to_f32},
};

/* Mismatches are counted; the first is shown. */
typedef struct {
    long count;
    double input;
    uint32_t got, want;
} Misses;

static void expect(Misses *m, double input, uint32_t got, uint32_t want)
{
    if (got == want) return;
    if (m->count++ == 0) {
        m->input = input;
        m->got = got;
        m->want = want;
    }
}

static void report(const Misses *m, const char *format, const char *what)
{
    if (!ok(m->count == 0, "%s: %s", format, what))
        diag("%ld wrong; first %a (%.17g): got %#x, want %#x", m->count, m->input, m->input, m->got,
             m->want);
}

static uint64_t random_bits(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state ^ state >> 29 ^ state << 31;
}

static double random_double(int low, int high)
{
    const double fraction = 1.0 + (double)(random_bits() >> 12) * 0x1p-52;
    const int e = low + (int)(random_bits() % (uint64_t)(high - low + 1));
    return (random_bits() & 1 ? -1.0 : 1.0) * ldexp(fraction, e);
}

static uint32_t bits_of(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static float float_of(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* -- By definition ----------------------------------------------------------------------------- */

/* The value of finite bits h. */
static double value_of(const Format *f, uint32_t h)
{
    const int field = (int)(h & 0x7fff) >> f->fbits;
    const int fraction = (int)h & ((1 << f->fbits) - 1);
    const int leading = field ? 1 << f->fbits : 0;
    const double mag = ldexp(leading + fraction, (field ? field : 1) - f->bias - f->fbits);
    return h & 0x8000 ? -mag : mag;
}

/* The exponent of the last place at x, in a format of fbits whose smallest normal is 2^emin. */
static int last_place(double x, int fbits, int emin)
{
    int e;
    frexp(x, &e);
    return (e - 1 > emin ? e - 1 : emin) - fbits;
}

static void test_widening(const Format *f)
{
    Misses wide = {0}, single = {0};
    for (uint32_t h = 0; h < 0x10000; h++) {
        if ((h & 0x7fff) >= f->infinity) continue;
        const double want = value_of(f, h), got = f->to_f64((uint16_t)h);
        expect(&wide, want, got == want && signbit(got) == signbit(want), 1);
        expect(&single, want, bits_of(f->to_f32((uint16_t)h)), bits_of((float)want));
    }
    report(&wide, f->name, "every finite value widens to f64");
    report(&single, f->name, "every finite value widens to f32");
}

static void test_round_trip(const Format *f)
{
    Misses wide = {0}, single = {0};
    for (uint32_t h = 0; h < 0x10000; h++) {
        const bool nan = (h & 0x7fff) > f->infinity;
        const uint32_t want = nan ? h | 1u << (f->fbits - 1) : h;
        expect(&wide, h, f->from_f64(f->to_f64((uint16_t)h)), want);
        expect(&single, h, f->from_f32(f->to_f32((uint16_t)h)), want);
    }
    report(&wide, f->name, "all 65536 values go to f64 and back, NaNs quieted");
    report(&single, f->name, "all 65536 values go to f32 and back, NaNs quieted");
}

/* x and -x, from double and, where it is exact, from float. */
static void expect_rounding(const Format *f, Misses *m, double x, uint32_t want)
{
    expect(m, x, f->from_f64(x), want);
    expect(m, -x, f->from_f64(-x), want | 0x8000);
    if ((double)(float)x != x) return;
    expect(m, x, f->from_f32((float)x), want);
    expect(m, -x, f->from_f32((float)-x), want | 0x8000);
}

/* Each neighbouring pair, the last one being the largest finite value and 2^(emax + 1), where
 * infinity begins to be nearer. */
static void test_halfway(const Format *f)
{
    Misses m = {0};
    for (uint32_t h = 0; h < f->infinity; h++) {
        const double middle = (value_of(f, h) + value_of(f, h + 1)) / 2;
        expect_rounding(f, &m, middle, h & 1 ? h + 1 : h);
        expect_rounding(f, &m, nextafter(middle, 0), h);
        expect_rounding(f, &m, nextafter(middle, HUGE_VAL), h + 1);
        expect_rounding(f, &m, (double)nextafterf((float)middle, 0), h);
        expect_rounding(f, &m, (double)nextafterf((float)middle, HUGE_VALF), h + 1);
    }
    report(&m, f->name, "halfway cases go to even, one ulp to either side to the nearer");
}

static void test_random(const Format *f)
{
    Misses wide = {0}, single = {0};
    for (int i = 0; i < 1000000; i++) {
        const double x = random_double(f->emin - f->fbits - 3, 1 - f->emin);
        const int e = last_place(x, f->fbits, f->emin);
        double want = ldexp(rint(ldexp(x, -e)), e);
        if (fabs(want) >= ldexp(1, 2 - f->emin)) want = copysign(HUGE_VAL, x);
        const double got = f->to_f64(f->from_f64(x));
        expect(&wide, x, got == want && signbit(got) == signbit(want), 1);
    }
    for (uint64_t u = 0; u < UINT64_C(1) << 32; u += 4093) {
        const float x = float_of((uint32_t)u);
        expect(&single, (double)x, f->from_f32(x), f->from_f64((double)x));
    }
    report(&wide, f->name, "a million random doubles round as the definition says");
    report(&single, f->name, "floats all over their range round as the same doubles do");
}

static void test_specials(const Format *f)
{
    const uint16_t inf = (uint16_t)f->infinity, quiet = (uint16_t)(1u << (f->fbits - 1));
    ok(f->from_f64(HUGE_VAL) == inf && f->from_f64(-HUGE_VAL) == (inf | 0x8000) &&
           f->from_f32(HUGE_VALF) == inf && f->from_f64(1e300) == inf,
       "%s: infinity and overflow", f->name);
    ok(f->from_f64(0.0) == 0 && f->from_f64(-0.0) == 0x8000 && f->from_f64(-1e-300) == 0x8000 &&
           f->from_f32(-0.0f) == 0x8000 && f->from_f64(0x1p-1074) == 0,
       "%s: zeros and underflow keep the sign", f->name);
    const double nan = copysign((double)NAN, 1.0);
    ok(f->from_f64(nan) == (inf | quiet) && f->from_f64(-nan) == (inf | quiet | 0x8000) &&
           f->from_f32((float)-nan) == (inf | quiet | 0x8000),
       "%s: NaN stays NaN with its sign", f->name);
    ok(f->from_f32(float_of(0x7f800001)) == (inf | quiet), "%s: a signalling NaN becomes quiet",
       f->name);
    ok(isnan(f->to_f64((uint16_t)(inf | 1))) && isinf(f->to_f64(inf)) &&
           signbit(f->to_f64((uint16_t)(inf | 1 | 0x8000))),
       "%s: infinity and NaN widen", f->name);
}

static void test_double_rounding(void)
{
    ok(fp_f16_from_f64(1 + 0x1p-11 + 0x1p-40) == 0x3c01, "f16: rounded once, not by way of f32");
    ok(fp_f16_from_f64(1 + 3 * 0x1p-11 - 0x1p-40) == 0x3c01, "f16: also from below");
    ok(fp_bf16_from_f64(1 + 0x1p-8 + 0x1p-40) == 0x3f81, "bf16: rounded once, not by way of f32");
    ok(fp_f16_from_f64(0x1p-25 + 0x1p-60) == 1, "f16: subnormals too");
    double x[2] = {1 + 0x1p-11 + 0x1p-40, 0};
    float y;
    fp_store(DTYPE_TF32, &y, 0, x);
    ok(y == 1 + 0x1p-10f, "tf32: rounded once, not by way of f32");
}

/* -- tf32 -------------------------------------------------------------------------------------- */

static void test_tf32(void)
{
    Misses even = {0}, away = {0};
    for (uint64_t u = 0; u < UINT64_C(1) << 32; u += 1021) {
        const float x = float_of((uint32_t)u);
        if (!isfinite(x)) continue;
        const int e = last_place((double)x, 10, -126);
        const double scaled = ldexp((double)x, -e);
        expect(&even, (double)x, bits_of(fp_tf32_from_f32(x)),
               bits_of((float)ldexp(rint(scaled), e)));
        expect(&away, (double)x, bits_of(fp_tf32_from_f32_rna(x)),
               bits_of((float)ldexp(round(scaled), e)));
    }
    report(&even, "tf32", "ties to even, as the definition says");
    report(&away, "tf32", "ties away from zero, as the definition says");
    ok(bits_of(fp_tf32_from_f32(float_of(0x3f801000))) == 0x3f800000 &&
           bits_of(fp_tf32_from_f32(float_of(0x3f803000))) == 0x3f804000 &&
           bits_of(fp_tf32_from_f32_rna(float_of(0x3f801000))) == 0x3f802000,
       "tf32: halfway cases");
    ok(isinf(fp_tf32_from_f32(float_of(0x7f7fffff))) && isinf(fp_tf32_from_f32(HUGE_VALF)) &&
           bits_of(fp_tf32_from_f32(float_of(0xff800001))) == 0xffc00000,
       "tf32: overflow, infinity, NaN");
}

/* -- Arrays ------------------------------------------------------------------------------------ */

static void test_arrays(void)
{
    static const Dtype exact[] = {DTYPE_F64, DTYPE_F32, DTYPE_TF32, DTYPE_F16,  DTYPE_BF16,
                                  DTYPE_S32, DTYPE_S8,  DTYPE_U8,   DTYPE_CF32, DTYPE_CF64};
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++) {
        const Dtype t = exact[i];
        double memory[8] = {0}, out[2], zero[2];
        fp_store(t, memory, 2, (const double[2]){96.0, -3.0});
        fp_load(t, memory, 2, out);
        fp_load(t, memory, 1, zero);
        ok(out[0] == 96.0 && out[1] == (dtype_is_complex(t) ? -3.0 : 0.0) && zero[0] == 0.0,
           "%s: stored and loaded", dtype_name(t));
    }
    int8_t s[3];
    uint8_t u[2];
    fp_store(DTYPE_S8, s, 0, (const double[2]){1e9, 0});
    fp_store(DTYPE_S8, s, 1, (const double[2]){-1e9, 0});
    fp_store(DTYPE_S8, s, 2, (const double[2]){2.5, 0});
    fp_store(DTYPE_U8, u, 0, (const double[2]){-1, 0});
    fp_store(DTYPE_U8, u, 1, (const double[2]){(double)NAN, 0});
    ok(s[0] == 127 && s[1] == -128 && s[2] == 2 && u[0] == 0 && u[1] == 0,
       "integers: saturated, rounded to even, NaN to 0");
    double out[2], memory = 1.0;
    fp_load(DTYPE_E4M3, &memory, 0, out);
    fp_store(DTYPE_E4M3, &memory, 0, out);
    ok(isnan(out[0]) && memory == 1.0, "a type without conversions loads as NaN, stores nothing");
}

static void test_units(void)
{
    ok(fp_unit(DTYPE_F64) == 0x1p-53 && fp_unit(DTYPE_CF64) == 0x1p-53 &&
           fp_unit(DTYPE_F32) == 0x1p-24 && fp_unit(DTYPE_F16) == 0x1p-11 &&
           fp_unit(DTYPE_TF32) == 0x1p-11 && fp_unit(DTYPE_BF16) == 0x1p-8 &&
           fp_unit(DTYPE_S32) == 0,
       "unit roundoffs");
}

int main(void)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        test_widening(&formats[i]);
        test_round_trip(&formats[i]);
        test_halfway(&formats[i]);
        test_random(&formats[i]);
        test_specials(&formats[i]);
    }
    test_double_rounding();
    test_tf32();
    test_arrays();
    test_units();
    return tap_done();
}
