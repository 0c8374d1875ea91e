/*
 * sim_exec_matrix: mma.sync and ldmatrix.
 *
 * Where a lane's elements lie is written as in the PTX manual: a row and a column as functions of
 * the lane and of the element's number i. These formulas are the judge of the atoms' layouts, so
 * nothing here is derived from layout/.
 *
 * D = A * B + C: exact products, one sum in double over ascending k that begins with C, rounded
 * once.
 */
#include "gpu/sim/sim_fp.h"
#include "gpu/sim/sim_run.h"

#include <math.h>

typedef struct {
    int row, col;
} Place;

typedef Place PlaceOf(int lane, int i);

typedef double ReadElement(const SimSlot *regs, SimWarp *w, int lane, int i);
typedef void WriteElement(const SimSlot *regs, SimWarp *w, int lane, int i, double v);

typedef struct {
    int m, n, k;
    int a_count, b_count, c_count; /* elements of one lane */
    PlaceOf *a, *b, *c;
    bool quads; /* four quad pairs, each a matrix of its own */
} Shape;

/* -- Places: m8n8k4 of f16 -------------------------------------------------------------------- */

/* Lanes 0-15 hold the first four rows (or columns), lanes 16-31 the others. */
static int half(int lane)
{
    return lane < 16 ? 0 : 4;
}

static Place v100_a_row(int lane, int i)
{
    return (Place){lane % 4 + half(lane), i};
}

static Place v100_a_col(int lane, int i)
{
    return (Place){i % 4 + half(lane), lane % 4};
}

static Place v100_b_row(int lane, int i)
{
    return (Place){lane % 4, i + half(lane)};
}

static Place v100_b_col(int lane, int i)
{
    return (Place){i, lane % 4 + half(lane)};
}

static Place v100_c_f16(int lane, int i)
{
    return (Place){lane % 4 + half(lane), i};
}

static Place v100_c_f32(int lane, int i)
{
    return (Place){(lane & 1) + (i & 2) + half(lane), (i & 4) + (lane & 2) + (i & 1)};
}

/* -- Places: groups of four lanes share a row of A and C and a column of B -------------------- */

static int group(int lane)
{
    return lane >> 2;
}

static int in_group(int lane)
{
    return lane % 4;
}

/* 16-bit elements, in pairs along k. */
static Place a_m16k8(int lane, int i)
{
    return (Place){group(lane) + (i < 2 ? 0 : 8), in_group(lane) * 2 + (i & 1)};
}

static Place a_m16k16(int lane, int i)
{
    bool upper = i < 2 || (i >= 4 && i < 6);
    return (Place){group(lane) + (upper ? 0 : 8), in_group(lane) * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
}

static Place b_k16(int lane, int i)
{
    return (Place){in_group(lane) * 2 + (i & 1) + (i >= 2 ? 8 : 0), group(lane)};
}

static Place c_pairs(int lane, int i)
{
    return (Place){group(lane) + (i < 2 ? 0 : 8), in_group(lane) * 2 + (i & 1)};
}

/* 32-bit and 64-bit elements. */
static Place a_single(int lane, int i)
{
    return (Place){group(lane) + (i & 1 ? 8 : 0), in_group(lane) + 4 * (i / 2)};
}

static Place a_m8k4(int lane, int i)
{
    return (Place){group(lane), in_group(lane) + i};
}

static Place b_single(int lane, int i)
{
    return (Place){in_group(lane) + 4 * i, group(lane)};
}

static Place c_m8n8(int lane, int i)
{
    return (Place){group(lane), in_group(lane) * 2 + (i & 1)};
}

/* -- Elements in registers -------------------------------------------------------------------- */

static uint16_t half_bits(const SimSlot *regs, SimWarp *w, int lane, int i)
{
    uint16_t h;
    const uint8_t *p = sim_lanes(w, regs[i / 2]);
    memcpy(&h, p + 4 * lane + 2 * (i % 2), sizeof h);
    return h;
}

static double get_f16(const SimSlot *regs, SimWarp *w, int lane, int i)
{
    return sim_f16_value(half_bits(regs, w, lane, i));
}

static double get_bf16(const SimSlot *regs, SimWarp *w, int lane, int i)
{
    return sim_bf16_value(half_bits(regs, w, lane, i));
}

static double get_tf32(const SimSlot *regs, SimWarp *w, int lane, int i)
{
    uint32_t r;
    memcpy(&r, (const uint8_t *)sim_lanes(w, regs[i]) + 4 * lane, sizeof r);
    return sim_tf32_value(r);
}

static double get_f32(const SimSlot *regs, SimWarp *w, int lane, int i)
{
    float f;
    memcpy(&f, (const uint8_t *)sim_lanes(w, regs[i]) + 4 * lane, sizeof f);
    return (double)f;
}

static double get_f64(const SimSlot *regs, SimWarp *w, int lane, int i)
{
    double f;
    memcpy(&f, (const uint8_t *)sim_lanes(w, regs[i]) + 8 * lane, sizeof f);
    return f;
}

static void put_f16(const SimSlot *regs, SimWarp *w, int lane, int i, double v)
{
    uint16_t h = sim_f16_round(v);
    memcpy((uint8_t *)sim_lanes(w, regs[i / 2]) + 4 * lane + 2 * (i % 2), &h, sizeof h);
}

static void put_f32(const SimSlot *regs, SimWarp *w, int lane, int i, double v)
{
    float f = (float)v;
    memcpy((uint8_t *)sim_lanes(w, regs[i]) + 4 * lane, &f, sizeof f);
}

static void put_f64(const SimSlot *regs, SimWarp *w, int lane, int i, double v)
{
    memcpy((uint8_t *)sim_lanes(w, regs[i]) + 8 * lane, &v, sizeof v);
}

/* -- mma.sync --------------------------------------------------------------------------------- */

enum { M_MAX = 16, N_MAX = 8, K_MAX = 16 };

typedef struct {
    Shape shape;
    ReadElement *ab, *c;
    WriteElement *d;
    int d_regs, a_regs, b_regs;
} Mma;

typedef struct {
    double a[M_MAX][K_MAX], b[K_MAX][N_MAX], c[M_MAX][N_MAX];
} Tile;

/* Lanes of one matrix: all, or quad pair q: lanes 4q to 4q+3 and those 16 further. */
static bool takes_part(const Shape *s, int lane, int q)
{
    return !s->quads || (lane & 15) / 4 == q;
}

static void gather(SimWarp *w, const Mma *x, const SimSlot *arg, int q, Tile *t)
{
    const Shape *s = &x->shape;
    const SimSlot *a = arg + x->d_regs, *b = a + x->a_regs, *c = b + x->b_regs;
    for (int lane = 0; lane < SIM_LANES; lane++) {
        if (!takes_part(s, lane, q)) continue;
        for (int i = 0; i < s->a_count; i++) {
            Place p = s->a(lane, i);
            t->a[p.row][p.col] = x->ab(a, w, lane, i);
        }
        for (int i = 0; i < s->b_count; i++) {
            Place p = s->b(lane, i);
            t->b[p.row][p.col] = x->ab(b, w, lane, i);
        }
        for (int i = 0; i < s->c_count; i++) {
            Place p = s->c(lane, i);
            t->c[p.row][p.col] = x->c(c, w, lane, i);
        }
    }
}

static void multiply(const Shape *s, Tile *t)
{
    for (int m = 0; m < s->m; m++)
        for (int k = 0; k < s->k; k++)
            for (int n = 0; n < N_MAX; n++) t->c[m][n] += t->a[m][k] * t->b[k][n];
}

/* f64: each step is a fused multiply-add. */
static void multiply_fused(const Shape *s, Tile *t)
{
    for (int m = 0; m < s->m; m++)
        for (int k = 0; k < s->k; k++)
            for (int n = 0; n < N_MAX; n++) t->c[m][n] = fma(t->a[m][k], t->b[k][n], t->c[m][n]);
}

static void scatter(SimWarp *w, const Mma *x, const SimSlot *arg, int q, const Tile *t)
{
    const Shape *s = &x->shape;
    for (int lane = 0; lane < SIM_LANES; lane++) {
        if (!takes_part(s, lane, q)) continue;
        for (int i = 0; i < s->c_count; i++) {
            Place p = s->c(lane, i);
            x->d(arg, w, lane, i, t->c[p.row][p.col]);
        }
    }
}

static void mma(SimWarp *w, const SimInsn *in)
{
    const Mma *x = in->op->extra;
    if (!sim_full_warp(w, in)) return;
    for (int q = 0; q < (x->shape.quads ? 4 : 1); q++) {
        Tile t;
        gather(w, x, in->arg, q, &t);
        if (x->d == put_f64)
            multiply_fused(&x->shape, &t);
        else
            multiply(&x->shape, &t);
        scatter(w, x, in->arg, q, &t);
    }
}

/* -- ldmatrix --------------------------------------------------------------------------------- */

enum { MATRIX_ROWS = 8, ROW_BYTES = 16 };

/* Lanes 8j to 8j+7 give the rows of matrix j; lane t receives elements 2(t%4) and the next of
 * row t/4, or transposed: of column t/4. */
static void ldmatrix(SimWarp *w, const SimInsn *in)
{
    static const uint32_t lanes[] = {0, 0xff, 0xffff, 0, UINT32_MAX};
    uint64_t address[SIM_LANES] = {0};
    SimCounters *count = &w->block->counters;
    if (!sim_full_warp(w, in)) return;
    for (int j = 0; j < in->dsts; j++) {
        uint16_t rows[MATRIX_ROWS][MATRIX_ROWS], d[SIM_LANES][2];
        for (int r = 0; r < MATRIX_ROWS; r++) {
            int lane = MATRIX_ROWS * j + r;
            address[lane] = sim_address(w, in, in->dsts, 0, lane);
            const uint8_t *p =
                sim_shared_access(w, in, lane, address[lane], ROW_BYTES, SHARED_READ);
            if (!p) return;
            memcpy(rows[r], p, ROW_BYTES);
        }
        for (int lane = 0; lane < SIM_LANES; lane++)
            for (int e = 0; e < 2; e++) {
                int major = group(lane), minor = 2 * in_group(lane) + e;
                d[lane][e] = in->sel[0] ? rows[minor][major] : rows[major][minor];
            }
        sim_put(w, in, j, d, sizeof *d);
    }
    sim_shared_passes(lanes[in->dsts], address, ROW_BYTES, &count->shared_passes,
                      &count->shared_passes_least);
}

/* -- Table ------------------------------------------------------------------------------------ */

/* clang-format off */
/*                     m  n  k  elements  places of A, B, C */
#define M8N8K4(a, b, c) {8, 8, 4, 4, 4, 8, a, b, c, true}
#define M16N8K8    {16, 8,  8, 4, 2, 4, a_m16k8,  b_k16,    c_pairs, false}
#define M16N8K16   {16, 8, 16, 8, 4, 4, a_m16k16, b_k16,    c_pairs, false}
#define M16N8K4_S  {16, 8,  4, 2, 1, 4, a_single, b_single, c_pairs, false}
#define M16N8K8_S  {16, 8,  8, 4, 2, 4, a_single, b_single, c_pairs, false}
#define M16N8K16_S {16, 8, 16, 8, 4, 4, a_single, b_single, c_pairs, false}
#define M8N8K4_S   { 8, 8,  4, 1, 1, 2, a_m8k4,   b_single, c_m8n8,  false}

/*  mnemonic, form, .target, .version, shape, how A and B, C, D are kept, registers of D, A, B */
#define MMA(mnemonic, form, sm, ptx, shape, ab, c, d, d_regs, a_regs, b_regs) \
    {"mma.sync.aligned." mnemonic, form, mma, sm, ptx, &(const Mma){shape, ab, c, d, d_regs, a_regs, b_regs}}
#define F32_2_2 "=f32*8,b32*2,b32*2,f32*8"
#define F16_2_2 "=b32*4,b32*2,b32*2,b32*4"
#define V100(layout, a, b) \
    MMA("m8n8k4." layout ".f32.f16.f16.f32", F32_2_2, 70, 64, M8N8K4(a, b, v100_c_f32), get_f16, get_f32, put_f32, 8, 2, 2), \
    MMA("m8n8k4." layout ".f16.f16.f16.f16", F16_2_2, 70, 64, M8N8K4(a, b, v100_c_f16), get_f16, get_f16, put_f16, 4, 2, 2)

const SimOp sim_ops_matrix[] = {
    V100("row.col", v100_a_row, v100_b_col),
    V100("row.row", v100_a_row, v100_b_row),
    V100("col.col", v100_a_col, v100_b_col),
    V100("col.row", v100_a_col, v100_b_row),
    MMA("m16n8k8.row.col.f32.f16.f16.f32",    "=f32*4,b32*2,b32*1,f32*4", 75, 65, M16N8K8,    get_f16,  get_f32, put_f32, 4, 2, 1),
    MMA("m16n8k8.row.col.f16.f16.f16.f16",    "=b32*2,b32*2,b32*1,b32*2", 75, 65, M16N8K8,    get_f16,  get_f16, put_f16, 2, 2, 1),
    MMA("m16n8k8.row.col.f32.bf16.bf16.f32",  "=f32*4,b32*2,b32*1,f32*4", 80, 70, M16N8K8,    get_bf16, get_f32, put_f32, 4, 2, 1),
    MMA("m16n8k16.row.col.f32.f16.f16.f32",   "=f32*4,b32*4,b32*2,f32*4", 80, 70, M16N8K16,   get_f16,  get_f32, put_f32, 4, 4, 2),
    MMA("m16n8k16.row.col.f16.f16.f16.f16",   "=b32*2,b32*4,b32*2,b32*2", 80, 70, M16N8K16,   get_f16,  get_f16, put_f16, 2, 4, 2),
    MMA("m16n8k16.row.col.f32.bf16.bf16.f32", "=f32*4,b32*4,b32*2,f32*4", 80, 70, M16N8K16,   get_bf16, get_f32, put_f32, 4, 4, 2),
    MMA("m16n8k4.row.col.f32.tf32.tf32.f32",  "=f32*4,b32*2,b32*1,f32*4", 80, 70, M16N8K4_S,  get_tf32, get_f32, put_f32, 4, 2, 1),
    MMA("m16n8k8.row.col.f32.tf32.tf32.f32",  "=f32*4,b32*4,b32*2,f32*4", 80, 70, M16N8K8_S,  get_tf32, get_f32, put_f32, 4, 4, 2),
    MMA("m8n8k4.row.col.f64.f64.f64.f64",     "=f64*2,f64*1,f64*1,f64*2", 80, 70, M8N8K4_S,   get_f64,  get_f64, put_f64, 2, 1, 1),
    MMA("m16n8k4.row.col.f64.f64.f64.f64",    "=f64*4,f64*2,f64*1,f64*4", 90, 78, M16N8K4_S,  get_f64,  get_f64, put_f64, 4, 2, 1),
    MMA("m16n8k8.row.col.f64.f64.f64.f64",    "=f64*4,f64*4,f64*2,f64*4", 90, 78, M16N8K8_S,  get_f64,  get_f64, put_f64, 4, 4, 2),
    MMA("m16n8k16.row.col.f64.f64.f64.f64",   "=f64*4,f64*8,f64*4,f64*4", 90, 78, M16N8K16_S, get_f64,  get_f64, put_f64, 4, 8, 4),
    SIM_OP_SINCE(75, 65, "ldmatrix.sync.aligned.m8n8.x1.?trans.shared.b16", "=b32*1,[s]", ldmatrix),
    SIM_OP_SINCE(75, 65, "ldmatrix.sync.aligned.m8n8.x2.?trans.shared.b16", "=b32*2,[s]", ldmatrix),
    SIM_OP_SINCE(75, 65, "ldmatrix.sync.aligned.m8n8.x4.?trans.shared.b16", "=b32*4,[s]", ldmatrix),
    SIM_OP_SINCE(75, 78, "ldmatrix.sync.aligned.m8n8.x1.?trans.shared::cta.b16", "=b32*1,[s]", ldmatrix),
    SIM_OP_SINCE(75, 78, "ldmatrix.sync.aligned.m8n8.x2.?trans.shared::cta.b16", "=b32*2,[s]", ldmatrix),
    SIM_OP_SINCE(75, 78, "ldmatrix.sync.aligned.m8n8.x4.?trans.shared::cta.b16", "=b32*4,[s]", ldmatrix),
    {0},
};
/* clang-format on */
