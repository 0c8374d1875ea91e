/*
 * The simulated device multiplies matrices: every shape of mma.sync against the definition D = A B
 * + C, with fragments laid out by CuTe's (thread,value) layouts; ldmatrix against the same
 * layouts.
 */
#include "layout/layout.h"
#include "tests/sim_bench.h"

#include <math.h>

/* A layout maps (thread, value) to m + M k, n + N k, m + M n; quads: the thread within a quad
 * pair. */
#define ROW_A_V100 "(8,4):(1,8)"
#define COL_A_V100 "((4,2),4):((8,4),1)"
#define T48 "((4,8),"

/* clang-format off */
static const struct {
    const char *mnemonic, *spec, *target;
    int m, n, k;
    char ab, cd;   /* h f16, b bf16, t tf32, f f32, d f64 */
    bool quads;
    const char *a, *b, *c;
} shapes[] = {
    {"m8n8k4.row.col.f32.f16.f16.f32", "sim:sm_70", "sm_70", 8, 8, 4, 'h', 'f', true, ROW_A_V100, ROW_A_V100, "((2,2,2),(2,2,2)):((1,16,4),(8,2,32))"},
    {"m8n8k4.col.row.f32.f16.f16.f32", "sim:sm_70", "sm_70", 8, 8, 4, 'h', 'f', true, COL_A_V100, COL_A_V100, "((2,2,2),(2,2,2)):((1,16,4),(8,2,32))"},
    {"m8n8k4.row.row.f16.f16.f16.f16", "sim:sm_70", "sm_70", 8, 8, 4, 'h', 'h', true, ROW_A_V100, COL_A_V100, "(8,8):(1,8)"},
    {"m8n8k4.col.col.f16.f16.f16.f16", "sim:sm_70", "sm_70", 8, 8, 4, 'h', 'h', true, COL_A_V100, ROW_A_V100, "(8,8):(1,8)"},
    {"m16n8k8.row.col.f32.f16.f16.f32",    "sim:sm_75", "sm_75", 16, 8,  8, 'h', 'f', false, T48 "(2,2)):((32,1),(16,8))", T48 "2):((16,1),8)", T48 "(2,2)):((32,1),(16,8))"},
    {"m16n8k8.row.col.f16.f16.f16.f16",    "sim:sm_75", "sm_75", 16, 8,  8, 'h', 'h', false, T48 "(2,2)):((32,1),(16,8))", T48 "2):((16,1),8)", T48 "(2,2)):((32,1),(16,8))"},
    {"m16n8k8.row.col.f32.bf16.bf16.f32",  "sim:sm_80", "sm_80", 16, 8,  8, 'b', 'f', false, T48 "(2,2)):((32,1),(16,8))", T48 "2):((16,1),8)", T48 "(2,2)):((32,1),(16,8))"},
    {"m16n8k16.row.col.f32.f16.f16.f32",   "sim:sm_80", "sm_80", 16, 8, 16, 'h', 'f', false, T48 "(2,2,2)):((32,1),(16,8,128))", T48 "(2,2)):((16,1),(8,64))", T48 "(2,2)):((32,1),(16,8))"},
    {"m16n8k16.row.col.f16.f16.f16.f16",   "sim:sm_86", "sm_86", 16, 8, 16, 'h', 'h', false, T48 "(2,2,2)):((32,1),(16,8,128))", T48 "(2,2)):((16,1),(8,64))", T48 "(2,2)):((32,1),(16,8))"},
    {"m16n8k16.row.col.f32.bf16.bf16.f32", "sim:sm_89", "sm_80", 16, 8, 16, 'b', 'f', false, T48 "(2,2,2)):((32,1),(16,8,128))", T48 "(2,2)):((16,1),(8,64))", T48 "(2,2)):((32,1),(16,8))"},
    {"m16n8k4.row.col.f32.tf32.tf32.f32",  "sim:sm_80", "sm_80", 16, 8,  4, 't', 'f', false, T48 "2):((16,1),8)", T48 "1):((8,1),0)", T48 "(2,2)):((32,1),(16,8))"},
    {"m16n8k8.row.col.f32.tf32.tf32.f32",  "sim:sm_80", "sm_80", 16, 8,  8, 't', 'f', false, T48 "(2,2)):((16,1),(8,64))", T48 "2):((8,1),32)", T48 "(2,2)):((32,1),(16,8))"},
    {"m8n8k4.row.col.f64.f64.f64.f64",     "sim:sm_80", "sm_80",  8, 8,  4, 'd', 'd', false, T48 "1):((8,1),0)", T48 "1):((8,1),0)", T48 "2):((16,1),8)"},
    {"m16n8k4.row.col.f64.f64.f64.f64",    "sim:sm_90", "sm_90", 16, 8,  4, 'd', 'd', false, T48 "2):((16,1),8)", T48 "1):((8,1),0)", T48 "(2,2)):((32,1),(16,8))"},
    {"m16n8k8.row.col.f64.f64.f64.f64",    "sim:sm_90", "sm_90", 16, 8,  8, 'd', 'd', false, T48 "(2,2)):((16,1),(8,64))", T48 "2):((8,1),32)", T48 "(2,2)):((32,1),(16,8))"},
    {"m16n8k16.row.col.f64.f64.f64.f64",   "sim:sm_90", "sm_90", 16, 8, 16, 'd', 'd', false, T48 "(2,4)):((16,1),(8,64))", T48 "4):((8,1),32)", T48 "(2,2)):((32,1),(16,8))"},
};
/* clang-format on */

enum { SHAPES = sizeof shapes / sizeof *shapes, LANES = 32, SIDE = 16, REG_BYTES = 8, REGS = 16 };

/* One operand: a register is kept in 8 bytes of every lane, whatever its width. */
typedef struct {
    char type;
    Layout tv;
    int rows, values, regs;
    int64_t element[4][SIDE * SIDE]; /* small integers, one matrix a quad pair */
    uint64_t frag[LANES][REGS];
} Operand;

/* -- Small integers in each type -------------------------------------------------------------- */

static uint64_t encode(char type, int64_t v)
{
    double d = (double)v;
    float f = (float)v;
    uint32_t word;
    uint64_t wide;
    int e;
    memcpy(&word, &f, sizeof word);
    memcpy(&wide, &d, sizeof wide);
    if (type == 'd') return wide;
    if (type == 'b') return word >> 16;
    if (type != 'h') return word;
    if (v == 0) return 0;
    double m = frexp(fabs(d), &e); /* in [1/2, 1) */
    return (v < 0 ? 0x8000U : 0) + ((uint64_t)(e + 14) << 10) + (uint64_t)((2 * m - 1) * 1024);
}

static int64_t decode(char type, uint64_t bits)
{
    for (int64_t v = -2048; v <= 2048; v++)
        if (encode(type, v) == bits) return v;
    return INT64_MIN;
}

static int per_reg(char type)
{
    return type == 'h' || type == 'b' ? 2 : 1;
}

/* -- Fragments -------------------------------------------------------------------------------- */

/* The place of lane's v-th value in its matrix, and which matrix that is. */
static int64_t place(const Operand *x, bool quads, int lane, int v, int *matrix)
{
    int threads = quads ? 8 : LANES, t = quads ? lane % 4 + lane / 16 * 4 : lane;
    *matrix = quads ? lane % 16 / 4 : 0;
    return layout_at(x->tv, t + threads * v);
}

static void operand_init(Operand *x, const char *tv, char type, bool quads, int seed)
{
    x->type = type;
    x->tv = layout_parse(tv);
    x->values = (int)(layout_size(x->tv) / (quads ? 8 : LANES));
    x->regs = x->values / per_reg(type);
    memset(x->frag, 0, sizeof x->frag);
    for (int i = 0; i < 4 * SIDE * SIDE; i++)
        x->element[i / (SIDE * SIDE)][i % (SIDE * SIDE)] = (i * 37 + i / 7 * seed) % 7 - 3;
    for (int lane = 0; lane < LANES; lane++)
        for (int v = 0; v < x->values; v++) {
            int q;
            int64_t at = place(x, quads, lane, v, &q);
            x->frag[lane][v / per_reg(type)] |= encode(type, x->element[q][at])
                                                << 16 * (v % per_reg(type));
        }
}

/* -- The kernel ------------------------------------------------------------------------------- */

static const char *prefix(char type)
{
    return type == 'd' ? "fd" : type == 'f' ? "f" : "r";
}

typedef struct {
    char s[1 << 14];
    size_t n;
} Text;

__attribute__((format(printf, 2, 3))) static void put(Text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    t->n += (size_t)vsnprintf(t->s + t->n, sizeof t->s - t->n, fmt, args);
    va_end(args);
}

/* The operand's registers, numbered from first, in braces. */
static void braces(Text *t, const Operand *x, int first, const char *end)
{
    for (int i = 0; i < x->regs; i++)
        put(t, "%s%%%s%d", i ? ", " : "{", prefix(x->type), first + i);
    put(t, "}%s", end);
}

/* Loads an operand's registers, at their offset in Input. */
static void load(Text *t, const Operand *x, int first, size_t offset)
{
    const char *type = x->type == 'd' ? "f64" : x->type == 'f' ? "f32" : "b32";
    for (int i = 0; i < x->regs; i++)
        put(t, "    ld.global.%s %%%s%d, [%%rd30+%zu];\n", type, prefix(x->type), first + i,
            offset + (size_t)i * REG_BYTES);
}

/* Stores the registers of D as 8 bytes each. */
static void store(Text *t, const Operand *x, int first)
{
    put(t, "    mul.wide.u32 %%rd31, %%r0, %d;\n    add.s64 %%rd31, %%rd1, %%rd31;\n",
        x->regs * REG_BYTES);
    for (int i = 0; i < x->regs; i++) {
        if (x->type == 'd') {
            put(t, "    st.global.f64 [%%rd31+%d], %%fd%d;\n", i * REG_BYTES, first + i);
            continue;
        }
        put(t, "    st.global.b32 [%%rd31+%d], %%%s%d;\n", i * REG_BYTES, prefix(x->type),
            first + i);
        put(t, "    st.global.b32 [%%rd31+%d], 0;\n", i * REG_BYTES + 4);
    }
}

typedef struct {
    uint64_t a[LANES][REGS], b[LANES][REGS], c[LANES][REGS];
} Input;

/* Runs the instruction on the operands' fragments; d receives those of D, c's registers a lane. */
static bool multiply(int s, const Operand *a, const Operand *b, const Operand *c, uint64_t *d)
{
    static Input in;
    static Text t;
    memcpy(in.a, a->frag, sizeof in.a);
    memcpy(in.b, b->frag, sizeof in.b);
    memcpy(in.c, c->frag, sizeof in.c);
    t.n = 0;
    put(&t, "    mul.wide.u32 %%rd30, %%r0, %d;\n    add.s64 %%rd30, %%rd0, %%rd30;\n",
        REGS * REG_BYTES);
    load(&t, a, 12, offsetof(Input, a));
    load(&t, b, 22, offsetof(Input, b));
    load(&t, c, 2, offsetof(Input, c));
    put(&t, "    mma.sync.aligned.%s ", shapes[s].mnemonic);
    braces(&t, c, 2, ", ");
    braces(&t, a, 12, ", ");
    braces(&t, b, 22, ", ");
    braces(&t, c, 2, ";\n");
    store(&t, c, 2);
    DeviceError e = sim_run((SimRun){.spec = shapes[s].spec,
                                     .target = shapes[s].target,
                                     .body = t.s,
                                     .in = &in,
                                     .in_bytes = sizeof in,
                                     .out = d,
                                     .out_bytes = (size_t)(LANES * c->regs * REG_BYTES)},
                            NULL);
    if (e) diag("%s", e);
    return !e;
}

/* -- Against the definition ------------------------------------------------------------------- */

static int64_t definition(int s, const Operand *a, const Operand *b, const Operand *c, int q,
                          int64_t at)
{
    int m = shapes[s].m, n = shapes[s].n;
    int64_t i = at % m, j = at / m, sum = c->element[q][at];
    for (int p = 0; p < shapes[s].k; p++)
        sum += a->element[q][i + m * p] * b->element[q][j + n * p];
    return sum;
}

static void test_shape(int s)
{
    static Operand a, b, c;
    static uint64_t d[LANES * REGS];
    const bool quads = shapes[s].quads;
    int wrong = 0, seen = 0;
    operand_init(&a, shapes[s].a, shapes[s].ab, quads, 3);
    operand_init(&b, shapes[s].b, shapes[s].ab, quads, 5);
    operand_init(&c, shapes[s].c, shapes[s].cd, quads, 11);
    bool ran = multiply(s, &a, &b, &c, d);
    for (int lane = 0; lane < LANES && ran; lane++)
        for (int v = 0; v < c.values; v++, seen++) {
            int q, per = per_reg(c.type);
            int64_t at = place(&c, quads, lane, v, &q);
            uint64_t got = d[lane * c.regs + v / per];
            if (per == 2) got = got >> 16 * (v % 2) & 0xffff;
            wrong += decode(c.type, got) != definition(s, &a, &b, &c, q, at);
        }
    int elements = shapes[s].m * shapes[s].n * (quads ? 4 : 1);
    ok(ran && wrong == 0 && seen == elements, "%s: %d of %d right", shapes[s].mnemonic,
       seen - wrong, elements);
}

/* -- Rounding --------------------------------------------------------------------------------- */

/* An instruction rounds once: 2^24 + 1 + 1 is 2^24 + 2, though 2^24 + 1 is no f32. */
static void test_one_rounding(void)
{
    float out[32][2];
    const char *body =
        "    mov.b32 %r2, 0x3c003c00;\n    mov.b32 %r3, 0;\n    mov.f32 %f0, 0f4B800000;\n"
        "    setp.eq.u32 %p0, %r0, 0;\n    selp.b32 %r4, %r2, %r3, %p0;\n"
        "    mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r2,%r2}, {%r4},"
        " {%f0,%f0,%f0,%f0};\n"
        "    mul.wide.u32 %rd2, %r0, 8;\n    add.s64 %rd2, %rd1, %rd2;\n    st.global.v2.f32 "
        "[%rd2], {%f1,%f2};\n";
    DeviceError e = sim_run((SimRun){.body = body, .out = out, .out_bytes = sizeof out}, NULL);
    ok(!e && out[0][0] == 16777218.0F && out[0][1] == 16777216.0F,
       "products are summed before the one rounding");
    if (e) diag("%s", e);
}

/* -- ldmatrix --------------------------------------------------------------------------------- */

/* Row r of matrix j holds 100 j + 10 r + column; lane i has written row i. */
static void test_ldmatrix(int count, bool transposed)
{
    static uint16_t in[32][8], out[32][4][2];
    char body[2048], regs[64] = "";
    for (int i = 0; i < 32; i++)
        for (int col = 0; col < 8; col++) in[i][col] = (uint16_t)(i / 8 * 100 + i % 8 * 10 + col);
    for (int i = 0; i < count; i++)
        snprintf(regs + strlen(regs), 16, "%s%%r%d", i ? "," : "", 10 + i);
    snprintf(body, sizeof body,
             "    mul.wide.u32 %%rd2, %%r0, 16;\n    add.s64 %%rd3, %%rd1, %%rd2;\n    add.s64 "
             "%%rd2, %%rd0, %%rd2;\n"
             "    ld.global.v4.b32 {%%r2,%%r3,%%r4,%%r5}, [%%rd2];\n    mov.u32 %%r6, smem;\n"
             "    mad.lo.u32 %%r6, %%r0, 48, %%r6;\n    st.shared.v4.b32 [%%r6], "
             "{%%r2,%%r3,%%r4,%%r5};\n"
             "    bar.sync 0;\n    mov.b32 %%r10, 0;\n    mov.b32 %%r11, 0;\n    mov.b32 %%r12, "
             "0;\n    mov.b32 %%r13, 0;\n"
             "    ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 {%s}, [%%r6];\n    st.global.v4.b32 "
             "[%%rd3], {%%r10,%%r11,%%r12,%%r13};\n",
             count, transposed ? ".trans" : "", regs);
    DeviceError e = sim_run((SimRun){.body = body,
                                     .target = "sm_75",
                                     .spec = "sim:sm_75",
                                     .in = in,
                                     .in_bytes = sizeof in,
                                     .out = out,
                                     .out_bytes = sizeof out},
                            NULL);
    int wrong = 0;
    for (int lane = 0; lane < 32; lane++)
        for (int j = 0; j < 4; j++)
            for (int half = 0; half < 2; half++) {
                int row = lane / 4, col = lane % 4 * 2 + half;
                int want = j < count ? 100 * j + (transposed ? 10 * col + row : 10 * row + col) : 0;
                wrong += out[lane][j][half] != want;
            }
    ok(!e && wrong == 0, "ldmatrix.x%d%s", count, transposed ? ".trans" : "");
    if (e) diag("%s", e);
}

int main(void)
{
    for (int s = 0; s < SHAPES; s++) test_shape(s);
    test_one_rounding();
    for (int count = 1; count <= 4; count *= 2) {
        test_ldmatrix(count, false);
        test_ldmatrix(count, true);
    }
    return tap_done();
}
