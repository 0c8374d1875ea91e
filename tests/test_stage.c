/* test_stage: operands of any strides and sizes reach the device and C comes back, whatever the
 * blocks of the ring cut through. The device is the fake one; data are small integers, so results
 * are exact. */
#include "cpu_ref/fp.h"
#include "cpu_ref/oracle.h"
#include "gpu/gpu.h"
#include "gpu/stage.h"
#include "tests/fake_device.h"
#include "tests/tap.h"

#include <inttypes.h>

/* One case: a kernel's row, extents, and strides of A, B and C (rs, cs, bs). */
typedef struct {
    const char *what, *kernel;
    int64_t m, n, k, batch;
    int64_t a[3], b[3], c[3];
    double beta;
} Case;

/* clang-format off */
static const Case cases[] = {
    /* what                                kernel                 m     n     k   batch  A               B              C               beta */
    { "one element",                       "simt_f32_64x64x16",   1,    1,    1,      1, {1,1,0},        {1,1,0},       {1,1,0},           0 },
    { "rows with padding",                 "simt_f32_64x64x16",   5,    7,    3,      1, {4,1,0},        {9,1,0},       {8,1,0},           1 },
    { "columns with padding",              "simt_f64_64x64x16",   5,    7,    3,      1, {1,6,0},        {1,5,0},       {1,6,0},           2 },
    { "both strides above one",            "simt_f32_64x64x16",   6,    4,    5,      1, {2,20,0},       {3,31,0},      {4,50,0},          1 },
    { "negative strides of A and B",       "simt_f32_64x64x16",   6,    4,    5,      1, {-5,-1,0},      {1,-5,0},      {4,1,0},           0 },
    { "zero strides of A and B",           "simt_f32_64x64x16",   6,    4,    5,      1, {0,1,0},        {1,0,0},       {4,1,0},           0 },
    { "a batch, B the same in all",        "simt_f32_64x64x16",   6,    4,    5,      3, {5,1,40},       {4,1,0},       {4,1,30},          1 },
    { "halves, k is 0",                    "mma_f16_64x64x32",    6,    4,    0,      2, {1,6,7},        {1,1,0},       {4,1,30},          1 },
    { "C of several blocks, rows",         "simt_f32_64x64x16",   1100, 1101, 2,      2, {2,1,2200},     {1101,1,2202}, {1103,1,1300000},  1 },
    { "C of several blocks, beta 0",       "simt_f64_64x64x16",   701,  1501, 1,      1, {1,701,0},      {1501,1,0},    {1,703,0},         0 },
    { "lines longer than a block",         "simt_f32_64x64x16",   2,    2,    1300001, 1, {1300001,1,0}, {1,1300001,0}, {2,1,0},           1 },
    { "halves, lines longer than a block", "mma_f16_64x64x32",    1,    2300000, 1,   1, {1,1,0},        {2300000,1,0}, {2300000,1,0},     0 },
};
/* clang-format on */

/* An operand with all that lies between its elements, surrounded by guard elements. */
typedef struct {
    char *bytes;   /* allocation */
    int64_t count; /* elements of it */
    int64_t first; /* of element (0,0) of batch 0 */
} Operand;

enum { GUARD = 64 };

static int64_t reach(int64_t stride, int64_t extent)
{
    return extent > 0 ? stride * (extent - 1) : 0;
}

static Operand operand_new(const GemmMatrix *x, int64_t rows, int64_t cols, int64_t batch,
                           uint32_t seed)
{
    int64_t low = 0, high = 0;
    const int64_t step[3] = {reach(x->rs, rows), reach(x->cs, cols), reach(x->bs, batch)};
    for (int i = 0; i < 3; i++) *(step[i] < 0 ? &low : &high) += step[i];
    Operand o = {.count = high - low + 1 + 2 * GUARD, .first = GUARD - low};
    o.bytes = calloc((size_t)o.count, (size_t)dtype_bytes((Dtype)x->type));
    if (!o.bytes) bail("no memory for an operand");
    for (int64_t i = 0; i < o.count; i++) {
        seed = seed * 1664525u + 1013904223u;
        fp_store((Dtype)x->type, o.bytes, i, (double[]){(int)(seed >> 24) % 3 - 1, 0});
    }
    return o;
}

static void *at(const Operand *o, const GemmMatrix *x)
{
    return o->bytes + o->first * dtype_bytes((Dtype)x->type);
}

static GemmMatrix matrix(Dtype type, const int64_t stride[3])
{
    return (GemmMatrix){.type = (uint8_t)type, .rs = stride[0], .cs = stride[1], .bs = stride[2]};
}

/* Puts the oracle's values into a copy of C as it was; what results is what memory must hold. */
static void expect(const GemmProblem *p, const double *value, char *c)
{
    for (int64_t b = 0; b < p->batch; b++)
        for (int64_t j = 0; j < p->n; j++)
            for (int64_t i = 0; i < p->m; i++)
                fp_store((Dtype)p->c.type, c, i * p->c.rs + j * p->c.cs + b * p->c.bs,
                         &value[2 * (i + p->m * (j + p->n * b))]);
}

static void try_case(Gpu *gpu, const Case *t)
{
    const KernelDesc *kernel = kernel_find(t->kernel);
    Dtype type = mma_atom_find(kernel->atom)->a;
    GemmProblem p = {.m = t->m, .n = t->n, .k = t->k, .batch = t->batch};
    p.a = matrix(type, t->a);
    p.b = matrix(type, t->b);
    p.c = matrix(type, t->c);
    GemmArgs args = {.alpha = {1}, .beta = {t->beta}};
    p.alpha = (uint8_t)gemm_scalar_class(args.alpha);
    p.beta = (uint8_t)gemm_scalar_class(args.beta);
    Operand a = operand_new(&p.a, t->m, t->k, t->batch, 1),
            b = operand_new(&p.b, t->k, t->n, t->batch, 2),
            c = operand_new(&p.c, t->m, t->n, t->batch, 3),
            want = operand_new(&p.c, t->m, t->n, t->batch, 3);
    args.a = at(&a, &p.a);
    args.b = at(&b, &p.b);
    args.c = at(&c, &p.c);
    double *value = malloc(2 * (size_t)(t->m * t->n * t->batch) * sizeof *value);
    if (!value) bail("no memory for the expected values");
    oracle_gemm(&p, &args, value, NULL);
    expect(&p, value, at(&want, &p.c));
    DeviceError error = gpu_gemm(gpu, kernel, &p, &args);
    size_t bytes = (size_t)(c.count * dtype_bytes(type));
    if (!ok(!error && memcmp(c.bytes, want.bytes, bytes) == 0, "%s", t->what))
        diag("%s", error ? error : "C or what lies around it differs");
    free(value);
    free(a.bytes);
    free(b.bytes);
    free(c.bytes);
    free(want.bytes);
}

/* With beta other than 0, a copy that fails on C's way back must leave C as it was. */
static void test_failure_keeps_c(void)
{
    enum { N = 1200 };
    static float a[N], b[N], c[N * N];
    FakeDevice fake;
    Gpu *gpu = gpu_new(fake_open(&fake), NULL);
    const int64_t col[3] = {1, N, 0}, row[3] = {N, 1, 0};
    GemmProblem p = {.m = N, .n = N, .k = 1, .batch = 1, .alpha = SCALAR_ONE, .beta = SCALAR_ONE};
    p.a = matrix(DTYPE_F32, col);
    p.b = matrix(DTYPE_F32, row);
    p.c = matrix(DTYPE_F32, row);
    GemmArgs args = {.a = a, .b = b, .c = c, .alpha = {1}, .beta = {1}};
    int failed = 0, changed = 0;
    for (int i = 0; i < N; i++) a[i] = b[i] = 1;
    for (int nth = 1;; nth++) {
        fake.fail_at = fake.fail_to = atomic_load(&fake.calls) + nth;
        DeviceError error = gpu_gemm(gpu, kernel_find("simt_f32_128x128x8"), &p, &args);
        if (!error) break;
        failed++;
        for (int i = 0; i < N * N; i++) changed += c[i] != 0;
    }
    fake.fail_at = fake.fail_to = 0;
    ok(failed > 10 && changed == 0, "each of %d operations failed once and C stayed as it was",
       failed);
    gpu_close(gpu);
    ok(atomic_load(&fake.live) == 0 && fake.closed, "nothing leaks on the device");
}

int main(void)
{
    FakeDevice fake;
    Gpu *gpu = gpu_new(fake_open(&fake), NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) try_case(gpu, &cases[i]);
    gpu_close(gpu);
    ok(atomic_load(&fake.live) == 0 && fake.closed, "nothing leaks on the device");
    test_failure_keeps_c();
    return tap_done();
}
