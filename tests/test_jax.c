/*
 * test_jax: the XLA handler on call frames built by hand, in host memory.
 *
 * A fake XLA hands out streams and takes errors, and knap_gemm is wrapped (ld --wrap), so that what
 * the handler asks of knap can be seen. Products are of small integers, so each result is exact.
 */
#include "cpu_ref/fp.h"
#include "framework_glue/jax/knap_jax.h"
#include "tests/tap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { MAX_RANK = 20, GUARDS = 8, MAX_ELEMENTS = 4096 };

/* -- knap_gemm, watched ------------------------------------------------------------------------ */

KnapStatus __real_knap_gemm(KnapHandle *handle, const KnapGemm *gemm);
KnapStatus __wrap_knap_gemm(KnapHandle *handle, const KnapGemm *gemm);

static atomic_int gemm_calls;
static KnapGemm gemm_last;
static KnapStatus gemm_fails; /* what the next calls return, if not KNAP_OK */

KnapStatus __wrap_knap_gemm(KnapHandle *handle, const KnapGemm *gemm)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    gemm_last = *gemm;
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&gemm_calls, 1);
    return gemm_fails ? gemm_fails : __real_knap_gemm(handle, gemm);
}

/* -- A fake XLA: one error, one stream --------------------------------------------------------- */

struct XlaError {
    char message[500];
    int32_t code;
    int created, destroyed;
};

struct XlaContext {
    void *stream; /* NULL: a platform without streams */
};

static XlaError error;
static bool sizes_right = true;

static XlaError *create(XlaErrorCreate *args)
{
    sizes_right = sizes_right && args->size == 28;
    snprintf(error.message, sizeof error.message, "%s", args->message);
    error.code = args->code;
    error.created++;
    return &error;
}

static void destroy(XlaErrorDestroy *args)
{
    sizes_right = sizes_right && args->size == 24;
    args->error->destroyed++;
}

static XlaError *stream_get(XlaStreamGet *args)
{
    sizes_right = sizes_right && args->size == 32;
    args->stream = args->context->stream;
    if (args->stream) return NULL;
    return create(&(XlaErrorCreate){.size = 28, .message = "no stream here", .code = 12});
}

static const XlaApi api = {.size = sizeof api,
                           .version = {.size = sizeof(XlaVersion), .major = 0, .minor = 4},
                           .error_create = create,
                           .error_destroy = destroy,
                           .stream_get = stream_get};

/* -- Arrays ------------------------------------------------------------------------------------ */

typedef struct {
    int32_t xla;
    Dtype type;
} TypeRow;

static const TypeRow TYPES[] = {{10, DTYPE_F16}, {16, DTYPE_BF16}, {11, DTYPE_F32},
                                {12, DTYPE_F64}, {15, DTYPE_CF32}, {18, DTYPE_CF64}};
enum { TYPE_COUNT = sizeof TYPES / sizeof TYPES[0] };

typedef struct {
    XlaBuffer buffer;
    Dtype type;
    int64_t dims[MAX_RANK];
    int64_t elements;
    _Alignas(16) char memory[(MAX_ELEMENTS + 2 * GUARDS) * 16];
} Array;

static Dtype dtype_of(int32_t xla)
{
    for (int i = 0; i < TYPE_COUNT; i++)
        if (TYPES[i].xla == xla) return TYPES[i].type;
    return DTYPE_F64;
}

/* An array with guards round it, every byte 0x5a. */
static void array_init(Array *x, int32_t xla, int rank, const int64_t *dims)
{
    x->type = dtype_of(xla);
    x->elements = 1;
    for (int i = 0; i < rank; i++) x->elements *= x->dims[i] = dims[i];
    memset(x->memory, 0x5a, sizeof x->memory);
    x->buffer = (XlaBuffer){.size = 48,
                            .dtype = xla,
                            .data = x->memory + GUARDS * dtype_bytes(x->type),
                            .rank = rank,
                            .dims = x->dims};
}

static void array_fill(Array *x, unsigned seed)
{
    for (int64_t i = 0; i < x->elements; i++) {
        unsigned r = (seed + (unsigned)i) * 2654435761u;
        double value[2] = {(double)(r >> 20) - 8 * (double)(r >> 23) - 4,
                           (double)(r >> 12 & 7) - 4};
        fp_store(x->type, x->buffer.data, i, value);
    }
}

static bool untouched(const char *from, const char *to)
{
    while (from < to && *from == 0x5a) from++;
    return from == to;
}

static bool guards_whole(const Array *x)
{
    const char *data = x->buffer.data;
    return untouched(x->memory, data) &&
           untouched(data + x->elements * dtype_bytes(x->type), x->memory + sizeof x->memory);
}

static bool array_untouched(const Array *x)
{
    return untouched(x->memory, x->memory + sizeof x->memory);
}

/* -- The definition ---------------------------------------------------------------------------- */

/* Index of the matrix of x that numpy's broadcasting pairs with matrix `index` of C. */
static int64_t paired(const Array *x, const Array *c, int64_t index)
{
    int64_t at = 0, step = 1;
    for (int64_t d = 3; d <= c->buffer.rank; d++) {
        int64_t extent = c->dims[c->buffer.rank - d], i = index % extent;
        index /= extent;
        if (d > x->buffer.rank || x->dims[x->buffer.rank - d] == 1) continue;
        at += step * i;
        step *= extent;
    }
    return at;
}

static void element(const Array *a, const Array *b, int64_t at_a, int64_t at_b, int64_t k,
                    int64_t n, double sum[2])
{
    sum[0] = sum[1] = 0;
    for (int64_t p = 0; p < k; p++) {
        double x[2], y[2];
        fp_load(a->type, a->buffer.data, at_a + p, x);
        fp_load(b->type, b->buffer.data, at_b + p * n, y);
        sum[0] += x[0] * y[0] - x[1] * y[1];
        sum[1] += x[0] * y[1] + x[1] * y[0];
    }
}

/* Every element of C is what the definition says. */
static bool is_product(const Array *a, const Array *b, const Array *c)
{
    int64_t n = c->dims[c->buffer.rank - 1], m = c->dims[c->buffer.rank - 2];
    int64_t k = a->dims[a->buffer.rank - 1];
    for (int64_t i = 0; i < c->elements; i++) {
        int64_t matrix = i / (m * n), row = i / n % m, col = i % n;
        double expected[2], got[2];
        element(a, b, (paired(a, c, matrix) * m + row) * k, paired(b, c, matrix) * k * n + col, k,
                n, expected);
        fp_load(c->type, c->buffer.data, i, got);
        if (got[0] == expected[0] && got[1] == expected[1]) continue;
        diag("matrix %lld (%lld,%lld): %g%+gi instead of %g%+gi", (long long)matrix, (long long)row,
             (long long)col, got[0], got[1], expected[0], expected[1]);
        return false;
    }
    return true;
}

/* -- Calls ------------------------------------------------------------------------------------- */

/* Operands of the single-threaded tests. */
static Array A, B, C;
static struct XlaContext cpu_context, cuda_context = {&cuda_context};

static XlaError *call_on(struct XlaContext *context, Array *a, Array *b, Array *c)
{
    static const int32_t buffers[] = {1, 1};
    void *args[] = {&a->buffer, &b->buffer}, *rets[] = {&c->buffer};
    XlaFrame frame = {.size = 168, .api = &api, .context = context, .stage = XLA_STAGE_EXECUTE};
    frame.args = (XlaArgs){.size = 40, .count = 2, .types = buffers, .items = args};
    frame.rets = (XlaArgs){.size = 40, .count = 1, .types = buffers, .items = rets};
    frame.attrs.size = 48;
    return knap_jax_gemm(&frame);
}

static XlaError *call(void)
{
    atomic_store(&gemm_calls, 0);
    error = (XlaError){.created = 0};
    return call_on(&cuda_context, &A, &B, &C);
}

/* clang-format off */
#define DIMS(...) \
    (int)(sizeof(int64_t[]){__VA_ARGS__} / sizeof(int64_t)), (const int64_t[]){__VA_ARGS__}
/* clang-format on */

static void set(Array *x, int32_t xla, int rank, const int64_t *dims)
{
    array_init(x, xla, rank, dims);
    if (x != &C) array_fill(x, x == &A ? 1 : 1000);
}

static void set_valid(void)
{
    set(&A, 11, DIMS(5, 7));
    set(&B, 11, DIMS(7, 3));
    set(&C, 11, DIMS(5, 3));
}

static bool computed(void)
{
    return !call() && is_product(&A, &B, &C) && guards_whole(&C);
}

/* -- Metadata ---------------------------------------------------------------------------------- */

static XlaMetadata ask(const XlaApi *who)
{
    XlaMetadata metadata = {.size = 36, .version.major = 77, .traits = 77};
    XlaMetadataExtension query = {.base = {.size = 24, .type = 1}, .metadata = &metadata};
    XlaExtension first = {.size = 24, .type = 99, .next = &query.base};
    XlaFrame frame = {.size = 168, .extension = &first, .api = who, .stage = XLA_STAGE_EXECUTE};
    return knap_jax_gemm(&frame) ? (XlaMetadata){.version.major = 78} : metadata;
}

static void test_metadata(void)
{
    XlaMetadata said = ask(&api);
    ok(said.version.major == 0 && said.version.minor == 4, "the caller's version is echoed");
    ok(said.traits == 0, "no traits are claimed");
    XlaApi later = api;
    later.version.major = 1;
    said = ask(&later);
    ok(said.version.major == 0, "but not another major version");
    ok(ask(NULL).version.major == 0, "a query without functions is answered");
}

static void test_stages(void)
{
    int quiet = 0;
    for (int32_t stage = 0; stage < XLA_STAGE_EXECUTE; stage++) {
        XlaFrame frame = {.size = 168, .api = &api, .stage = stage};
        quiet += !knap_jax_gemm(&frame);
    }
    ok(quiet == 3 && gemm_calls == 0, "the stages before execution do nothing");
}

/* -- Products ---------------------------------------------------------------------------------- */

static void test_types(void)
{
    for (int i = 0; i < TYPE_COUNT; i++) {
        int32_t t = TYPES[i].xla;
        set(&A, t, DIMS(5, 7));
        set(&B, t, DIMS(7, 3));
        set(&C, t, DIMS(5, 3));
        ok(computed(), "%s: 5x7 times 7x3", dtype_name(TYPES[i].type));
    }
    for (int i = 0; i < 2; i++) {
        set(&A, TYPES[i].xla, DIMS(2, 9, 8));
        set(&B, TYPES[i].xla, DIMS(8, 4));
        set(&C, 11, DIMS(2, 9, 4));
        ok(computed(), "%s into f32, one B", dtype_name(TYPES[i].type));
    }
}

static void test_empty(void)
{
    set(&A, 11, DIMS(4, 0));
    set(&B, 11, DIMS(0, 3));
    set(&C, 11, DIMS(4, 3));
    A.buffer.data = B.buffer.data = NULL;
    ok(computed(), "k = 0 writes zeros");
    set(&A, 11, DIMS(2, 1, 4, 0));
    set(&B, 11, DIMS(3, 0, 3));
    set(&C, 11, DIMS(2, 3, 4, 3));
    A.buffer.data = B.buffer.data = NULL;
    ok(computed(), "and in a batch");
    set(&A, 11, DIMS(3, 0, 2));
    set(&B, 11, DIMS(3, 2, 5));
    set(&C, 11, DIMS(3, 0, 5));
    ok(computed(), "m = 0");
    set(&A, 11, DIMS(0, 3, 4, 2));
    set(&B, 11, DIMS(3, 2, 5));
    set(&C, 11, DIMS(0, 3, 4, 5));
    C.buffer.data = NULL;
    ok(!call(), "an empty batch");
}

/* Leading axes of A and B from two bits an axis: 1 for A's, 2 for B's extent; 1 where the bit is
 * not set. */
static void set_leading(unsigned bits, int axes, bool drop)
{
    int64_t da[MAX_RANK], db[MAX_RANK], dc[MAX_RANK];
    int ra = 0, rb = 0;
    for (int i = 0; i < axes; i++, bits >>= 2) {
        int64_t extent = i + 2;
        if (ra > 0 || !drop || bits & 1) da[ra++] = bits & 1 ? extent : 1;
        if (rb > 0 || !drop || bits & 2) db[rb++] = bits & 2 ? extent : 1;
        dc[i] = bits & 3 ? extent : 1;
    }
    memcpy(da + ra, (const int64_t[]){3, 5}, 2 * sizeof da[0]);
    memcpy(db + rb, (const int64_t[]){5, 2}, 2 * sizeof db[0]);
    memcpy(dc + axes, (const int64_t[]){3, 2}, 2 * sizeof dc[0]);
    set(&A, 11, ra + 2, da);
    set(&B, 11, rb + 2, db);
    set(&C, 11, axes + 2, dc);
}

static void test_broadcast(void)
{
    for (int axes = 1; axes <= 4; axes++) {
        int right = 0, all = 1 << (2 * axes);
        for (int bits = 0; bits < all; bits++)
            for (int drop = 0; drop < 2; drop++) {
                set_leading((unsigned)bits, axes, drop);
                right += computed();
            }
        ok(right == 2 * all, "%d leading axes: every way to broadcast them (%d)", axes, 2 * all);
    }
}

/* One product that asks knap for `calls` products of m rows and a batch. */
static void asks(const char *what, int calls, int64_t m, int64_t batch)
{
    bool right = computed();
    if (!ok(right && gemm_calls == calls && gemm_last.m == m && gemm_last.batch == batch, "%s",
            what))
        diag("%d calls, m %lld, batch %lld", gemm_calls, (long long)gemm_last.m,
             (long long)gemm_last.batch);
}

static void test_merging(void)
{
    set(&A, 11, DIMS(4, 5, 3, 2));
    set(&B, 11, DIMS(2, 6));
    set(&C, 11, DIMS(4, 5, 3, 6));
    asks("a batch of A with one B is one tall product", 1, 60, 1);
    set(&B, 11, DIMS(4, 5, 2, 6));
    asks("equal leading axes are one batch", 1, 3, 20);
    set(&A, 11, DIMS(3, 2));
    asks("one A with a batch of B is a batch", 1, 3, 20);
    ok(gemm_last.a.bs == 0 && gemm_last.b.bs == 12 && gemm_last.c.bs == 18, "with A's stride 0");
    set(&A, 11, DIMS(4, 1, 3, 2));
    set(&B, 11, DIMS(1, 5, 2, 6));
    asks("crossed axes are as many batches", 4, 3, 5);
}

/* -- Streams ----------------------------------------------------------------------------------- */

static void test_stream(void)
{
    set_valid();
    ok(computed() && gemm_last.stream == &cuda_context, "XLA's stream is passed on");
    error = (XlaError){.created = 0};
    XlaError *said = call_on(&cpu_context, &A, &B, &C);
    ok(!said && !gemm_last.stream && is_product(&A, &B, &C), "without a stream it computes too");
    ok(error.created == 1 && error.destroyed == 1, "and XLA's error about it is destroyed");
}

/* -- Refusals ---------------------------------------------------------------------------------- */

static void refused(XlaError *said, int32_t code, const char *words)
{
    bool right = said && said->code == code && strstr(said->message, words);
    if (!ok(right && array_untouched(&C), "refused: %s", words))
        diag("%s", said ? said->message : "no error");
}

static void test_shapes(void)
{
    set_valid();
    set(&A, 11, DIMS(7));
    refused(call(), 3, "A has 1 axes");
    set_valid();
    set(&B, 11, 18, (const int64_t[18]){1});
    refused(call(), 3, "B has 18 axes");
    set_valid();
    set(&B, 11, DIMS(6, 3));
    refused(call(), 3, "A has 7 columns, but B has 6 rows");
    set_valid();
    set(&C, 11, DIMS(3, 5));
    refused(call(), 3, "C is 3 x 5, but the product is 5 x 3");
    set(&A, 11, DIMS(2, 5, 7));
    set(&B, 11, DIMS(3, 7, 3));
    set(&C, 11, DIMS(3, 5, 3));
    refused(call(), 3, "extents 2 (A), 3 (B), 3 (C)");
    set(&C, 11, DIMS(2, 5, 3));
    refused(call(), 3, "extents 2 (A), 3 (B), 2 (C)");
    set(&B, 11, DIMS(7, 3));
    set(&C, 11, DIMS(5, 3));
    refused(call(), 3, "extents 2 (A), 1 (B), 1 (C)");
    set(&C, 11, DIMS(4, 5, 3));
    refused(call(), 3, "extents 2 (A), 1 (B), 4 (C)");
    ok(gemm_calls == 0, "knap was not asked");
}

static void test_kinds(void)
{
    set_valid();
    A.buffer.dtype = 5;
    refused(call(), 3, "A has XLA's type 5");
    set_valid();
    C.buffer.dtype = 1;
    refused(call(), 3, "C has XLA's type 1");
    set_valid();
    set(&B, 12, DIMS(7, 3));
    refused(call(), 12, "knap: ");
    ok(error.message[6] && strcmp(error.message + 6, knap_last_error()) == 0,
       "with knap's own sentence: %s", knap_last_error());
}

static XlaError *call_with(int64_t args, int64_t rets, int64_t attrs, int32_t kind)
{
    const int32_t kinds[] = {1, kind, 1};
    void *items[] = {&A.buffer, &B.buffer, &C.buffer};
    XlaFrame frame = {.size = 168, .api = &api, .context = &cpu_context, .stage = 3};
    frame.args = (XlaArgs){.size = 40, .count = args, .types = kinds, .items = items};
    frame.rets = (XlaArgs){.size = 40, .count = rets, .types = kinds, .items = items + 2};
    frame.attrs.count = attrs;
    return knap_jax_gemm(&frame);
}

static void test_frames(void)
{
    set_valid();
    refused(call_with(1, 1, 0, 1), 3, "1 arguments instead of 2");
    refused(call_with(3, 1, 0, 1), 3, "3 arguments instead of 2");
    refused(call_with(2, 0, 0, 1), 3, "0 results instead of 1");
    refused(call_with(2, 1, 0, 2), 3, "one of the arguments is not an array");
    refused(call_with(2, 1, 1, 1), 3, "attributes");
    ok(!call_with(2, 1, 0, 1) && is_product(&A, &B, &C), "the same frame, whole, computes");
}

static void test_failures(void)
{
    static const int32_t codes[] = {
        [KNAP_INVALID_ARGUMENT] = 3,
        [KNAP_UNSUPPORTED] = 12,
        [KNAP_OUT_OF_MEMORY] = 8,
        [KNAP_DEVICE_ERROR] = 13,
    };
    set(&A, 11, DIMS(4, 1, 3, 2));
    set(&B, 11, DIMS(1, 5, 2, 6));
    set(&C, 11, DIMS(4, 5, 3, 6));
    for (gemm_fails = KNAP_INVALID_ARGUMENT; gemm_fails <= KNAP_DEVICE_ERROR; gemm_fails++) {
        const XlaError *said = call();
        ok(said && said->code == codes[gemm_fails] && gemm_calls == 1,
           "%s is XLA's code %d, and ends the batch", knap_status_name(gemm_fails),
           codes[gemm_fails]);
    }
    gemm_fails = KNAP_OK;
    ok(computed(), "then all is well again");
}

/* -- Threads ----------------------------------------------------------------------------------- */

static void *multiply_often(void *ctx)
{
    Array *x = ctx;
    array_init(&x[0], 11, DIMS(6, 4, 8));
    array_init(&x[1], 11, DIMS(8, 5));
    array_init(&x[2], 11, DIMS(6, 4, 5));
    array_fill(&x[0], 3);
    array_fill(&x[1], 4);
    for (int i = 0; i < 50; i++)
        if (call_on(&cuda_context, &x[0], &x[1], &x[2])) return NULL;
    return is_product(&x[0], &x[1], &x[2]) ? ctx : NULL;
}

/* First of all, so that they race for the handle. */
static void test_threads(void)
{
    static Array arrays[4][3];
    pthread_t thread[4];
    int right = 0;
    for (int i = 0; i < 4; i++) pthread_create(&thread[i], NULL, multiply_often, arrays[i]);
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(thread[i], &result);
        right += result != NULL;
    }
    ok(right == 4 && gemm_calls == 200, "4 threads at once");
    atomic_store(&gemm_calls, 0);
}

int main(void)
{
    setenv("KNAP_DEVICE", "cpu", 1);
    test_threads();
    test_metadata();
    test_stages();
    test_types();
    test_empty();
    test_broadcast();
    test_merging();
    test_stream();
    test_shapes();
    test_kinds();
    test_frames();
    test_failures();
    ok(sizes_right, "every structure said its size");
    return tap_done();
}
