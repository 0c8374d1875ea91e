/*
 * knap_jax: from XLA's call frame to knap_gemm. See knap_jax.h.
 *
 * A call that cannot be read is refused with a sentence and nothing is computed; failures of
 * knap_gemm are passed on with knap's own sentence.
 */
#include "framework_glue/jax/knap_jax.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* Of C's axes. XLA's own programs rarely have more than 6. */
enum { JAX_RANK = 16 };

/* Steps from one index to the next, in elements of A, B and C; 0: broadcast. */
typedef struct {
    int64_t extent, a, b, c;
} Axis;

/* A call, read. axis[0] runs through the rows, axis[1] is knap's batch, the others are loops
 * round it. */
typedef struct {
    KnapGemm gemm;
    Axis axis[JAX_RANK];
    int axes;
    char why[160]; /* of a refusal */
} Call;

/* -- The handle -------------------------------------------------------------------------------- */

/* One for the process: XLA's calls carry no state of ours and come from any thread, and each
 * handle would open the GPU anew. Never closed: XLA may call until the process ends. */
static KnapHandle *handle;
static pthread_once_t handle_once = PTHREAD_ONCE_INIT;

static void open_handle(void)
{
    if (knap_open(&handle) != KNAP_OK) handle = NULL;
}

/* -- Types ------------------------------------------------------------------------------------- */

typedef struct {
    int32_t xla;
    KnapType knap;
    int bytes;
} TypeRow;

static const TypeRow TYPES[] = {{XLA_F16, KNAP_F16, 2},  {XLA_BF16, KNAP_BF16, 2},
                                {XLA_F32, KNAP_F32, 4},  {XLA_F64, KNAP_F64, 8},
                                {XLA_C64, KNAP_CF32, 8}, {XLA_C128, KNAP_CF64, 16}};
enum { TYPE_COUNT = sizeof TYPES / sizeof TYPES[0] };

static const TypeRow *find_type(int32_t xla)
{
    for (int i = 0; i < TYPE_COUNT; i++)
        if (TYPES[i].xla == xla) return &TYPES[i];
    return NULL;
}

static int64_t bytes_of(KnapType type)
{
    for (int i = 0; i < TYPE_COUNT; i++)
        if (TYPES[i].knap == type) return TYPES[i].bytes;
    return 0;
}

/* -- Reading a call ---------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static bool refuse(Call *call, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(call->why, sizeof call->why, fmt, args);
    va_end(args);
    return false;
}

/* The given number of items, all of them buffers. */
static bool read_count(Call *call, const XlaArgs *args, const char *what, int64_t count)
{
    if (args->count != count)
        return refuse(call, "%lld %s instead of %lld", (long long)args->count, what,
                      (long long)count);
    for (int64_t i = 0; i < count; i++)
        if (args->types[i] != XLA_ARG_BUFFER)
            return refuse(call, "one of the %s is not an array", what);
    return true;
}

static int64_t rows_of(const XlaBuffer *x)
{
    return x->dims[x->rank - 2];
}

static int64_t cols_of(const XlaBuffer *x)
{
    return x->dims[x->rank - 1];
}

static bool read_matrix(Call *call, const char *name, const XlaBuffer *x, KnapMatrix *out)
{
    const TypeRow *type = find_type(x->dtype);
    if (!type) return refuse(call, "%s has XLA's type %d, which knap has not", name, x->dtype);
    if (x->rank < 2) return refuse(call, "%s has %d axes, but needs two", name, (int)x->rank);
    if (x->rank > JAX_RANK)
        return refuse(call, "%s has %lld axes; at most %d are possible", name, (long long)x->rank,
                      JAX_RANK);
    *out = (KnapMatrix){.data = x->data, .rs = cols_of(x), .cs = 1, .type = type->knap};
    return true;
}

static bool check_shapes(Call *call, const XlaBuffer *a, const XlaBuffer *b, const XlaBuffer *c)
{
    if (cols_of(a) != rows_of(b))
        return refuse(call, "A has %lld columns, but B has %lld rows", (long long)cols_of(a),
                      (long long)rows_of(b));
    if (rows_of(c) != rows_of(a) || cols_of(c) != cols_of(b))
        return refuse(call, "C is %lld x %lld, but the product is %lld x %lld",
                      (long long)rows_of(c), (long long)cols_of(c), (long long)rows_of(a),
                      (long long)cols_of(b));
    return true;
}

/* -- Leading axes ------------------------------------------------------------------------------ */

/* An array whose leading axes are walked from the last to the first. */
typedef struct {
    const XlaBuffer *x;
    int64_t left; /* axes not yet walked */
    int64_t step; /* elements in one of the next axis's parts */
} Walk;

static Walk walk_from(const XlaBuffer *x)
{
    return (Walk){x, x->rank - 2, rows_of(x) * cols_of(x)};
}

/* The next axis: its extent, 1 where there is none, and its step, 0 where it is broadcast. */
static int64_t walk_next(Walk *w, int64_t *step)
{
    int64_t extent = w->left > 0 ? w->x->dims[--w->left] : 1;
    *step = extent == 1 ? 0 : w->step;
    w->step *= extent;
    return extent;
}

/* Appends an axis, or lengthens the last by it where A and B go on in the same steps; C, dense,
 * always does. So whole batches become one, and a batch of A with one B is one tall product. */
static void add_axis(Call *call, Axis next)
{
    Axis *last = &call->axis[call->axes - 1];
    if (next.extent == 1) return;
    if (next.a == last->a * last->extent && next.b == last->b * last->extent)
        last->extent *= next.extent;
    else
        call->axis[call->axes++] = next;
}

static bool read_axes(Call *call, const XlaBuffer *a, const XlaBuffer *b, const XlaBuffer *c)
{
    Walk wa = walk_from(a), wb = walk_from(b), wc = walk_from(c);
    call->axis[0] = (Axis){rows_of(c), cols_of(a), 0, cols_of(c)};
    call->axes = 1;
    while (wa.left > 0 || wb.left > 0 || wc.left > 0) {
        Axis next;
        int64_t in_a = walk_next(&wa, &next.a), in_b = walk_next(&wb, &next.b);
        int64_t expected = in_a == 1 ? in_b : in_a;
        next.extent = walk_next(&wc, &next.c);
        if (next.extent != expected || (in_b != 1 && in_b != expected))
            return refuse(call, "leading axes of extents %lld (A), %lld (B), %lld (C) do not fit",
                          (long long)in_a, (long long)in_b, (long long)next.extent);
        add_axis(call, next);
    }
    return true;
}

/* -- The whole of a call ----------------------------------------------------------------------- */

static void fill_gemm(KnapGemm *g, const Call *call, int64_t n, int64_t k)
{
    static const double one = 1, zero = 0;
    const Axis batch = call->axes > 1 ? call->axis[1] : (Axis){.extent = 1};
    g->size = sizeof *g;
    g->m = call->axis[0].extent;
    g->n = n;
    g->k = k;
    g->batch = batch.extent;
    g->a.bs = batch.a;
    g->b.bs = batch.b;
    g->c.bs = batch.c;
    g->alpha = &one;
    g->beta = &zero;
    g->scalar_type = KNAP_F64;
}

static bool read_call(const XlaFrame *frame, Call *call)
{
    if (!read_count(call, &frame->args, "arguments", 2)) return false;
    if (!read_count(call, &frame->rets, "results", 1)) return false;
    if (frame->attrs.count != 0) return refuse(call, "this handler has no attributes");
    const XlaBuffer *a = frame->args.items[0], *b = frame->args.items[1];
    const XlaBuffer *c = frame->rets.items[0];
    bool good = read_matrix(call, "A", a, &call->gemm.a) &&
                read_matrix(call, "B", b, &call->gemm.b) &&
                read_matrix(call, "C", c, &call->gemm.c) && check_shapes(call, a, b, c) &&
                read_axes(call, a, b, c);
    if (good) fill_gemm(&call->gemm, call, cols_of(b), cols_of(a));
    return good;
}

/* -- Talking to XLA ---------------------------------------------------------------------------- */

static XlaError *fail(const XlaApi *api, int32_t code, const char *why)
{
    char message[400];
    snprintf(message, sizeof message, "knap: %s", why);
    return api->error_create(&(XlaErrorCreate){
        .size = XLA_SIZE(XlaErrorCreate, code), .message = message, .code = code});
}

static int32_t code_of(KnapStatus status)
{
    switch (status) {
    case KNAP_INVALID_ARGUMENT: return XLA_INVALID_ARGUMENT;
    case KNAP_UNSUPPORTED: return XLA_UNIMPLEMENTED;
    case KNAP_OUT_OF_MEMORY: return XLA_RESOURCE_EXHAUSTED;
    default: return XLA_INTERNAL;
    }
}

/* NULL on the CPU: that there is no stream is how XLA says where the call runs, so it is no
 * failure. */
static void *get_stream(const XlaFrame *frame)
{
    XlaStreamGet get = {.size = XLA_SIZE(XlaStreamGet, stream), .context = frame->context};
    XlaError *error = frame->api->stream_get(&get);
    if (!error) return get.stream;
    frame->api->error_destroy(
        &(XlaErrorDestroy){.size = XLA_SIZE(XlaErrorDestroy, error), .error = error});
    return NULL;
}

static XlaMetadata *find_metadata(const XlaFrame *frame)
{
    for (const XlaExtension *e = frame->extension; e; e = e->next)
        if (e->type == XLA_EXTENSION_METADATA) return ((const XlaMetadataExtension *)e)->metadata;
    return NULL;
}

/* The caller's own version where its major version is ours, because some accept nothing else. No
 * traits: a call may allocate or load a kernel, which a graph under capture forbids. */
static void answer(XlaMetadata *metadata, const XlaApi *api)
{
    bool same = api && api->version.major == XLA_MAJOR;
    metadata->version.major = XLA_MAJOR;
    metadata->version.minor = same ? api->version.minor : 1;
    metadata->traits = 0;
}

/* -- Computing --------------------------------------------------------------------------------- */

static void *data_at(const KnapMatrix *x, int64_t element)
{
    return (void *)((uintptr_t)x->data + (uintptr_t)(element * bytes_of(x->type)));
}

/* One product, or one for each index of the outermost axis that knap's batch does not cover. */
static KnapStatus multiply(const KnapGemm *g, const Axis *axis, int axes)
{
    if (axes <= 2) return knap_gemm(handle, g);
    const Axis *outer = &axis[axes - 1];
    KnapStatus status = KNAP_OK;
    for (int64_t i = 0; i < outer->extent && status == KNAP_OK; i++) {
        KnapGemm part = *g;
        part.a.data = data_at(&g->a, i * outer->a);
        part.b.data = data_at(&g->b, i * outer->b);
        part.c.data = data_at(&g->c, i * outer->c);
        status = multiply(&part, axis, axes - 1);
    }
    return status;
}

XlaError *knap_jax_gemm(XlaFrame *frame)
{
    XlaMetadata *metadata = find_metadata(frame);
    if (metadata) answer(metadata, frame->api);
    if (metadata || frame->stage != XLA_STAGE_EXECUTE) return NULL;
    Call call = {0};
    if (!read_call(frame, &call)) return fail(frame->api, XLA_INVALID_ARGUMENT, call.why);
    pthread_once(&handle_once, open_handle);
    if (!handle) return fail(frame->api, XLA_RESOURCE_EXHAUSTED, "no memory for a handle");
    call.gemm.stream = get_stream(frame);
    KnapStatus status = multiply(&call.gemm, call.axis, call.axes);
    return status == KNAP_OK ? NULL : fail(frame->api, code_of(status), knap_last_error());
}
