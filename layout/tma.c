/*
 * tma: tensor maps derived from layouts. The contract is in tma.h; the limits are those of the CUDA
 * driver's cuTensorMapEncodeTiled. The rules are asked one after the other and the first that is
 * broken is the answer.
 */
#include "layout/tma.h"

#include "layout/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TMA_MAX_DIM ((int64_t)1 << 32)
#define TMA_MAX_STRIDE ((int64_t)1 << 40) /* bytes; itself excluded */

/* -- Tables ------------------------------------------------------------------------------------ */
/* Types by Dtype; map is CUtensorMapDataType's value. Types without a row have no tensor map. */
/* clang-format off */
static const struct {
    Dtype type;
    int map;
    bool nan; /* out-of-bounds elements can be filled with NaN */
    const char *name;
} types[] = {
    {DTYPE_U8,   0,  false, "u8"},
    {DTYPE_S8,   0,  false, "u8"},
    {DTYPE_E4M3, 0,  false, "u8"},
    {DTYPE_E5M2, 0,  false, "u8"},
    {DTYPE_S32,  3,  false, "s32"},
    {DTYPE_CF32, 4,  false, "u64"},
    {DTYPE_F16,  6,  true,  "f16"},
    {DTYPE_F32,  7,  true,  "f32"},
    {DTYPE_F64,  8,  true,  "f64"},
    {DTYPE_BF16, 9,  true,  "bf16"},
    {DTYPE_TF32, 11, true,  "tf32"},
};

/* Modes by TmaSwizzle: Swizzle<b,m,s> of byte addresses, and the longest contiguous side of a box,
 * in bytes; 0: no limit. */
static const struct {
    int b, m, s, side;
    const char *name;
} swizzles[TMA_SWIZZLE_COUNT] = {
    {0, 4, 3, 0,   "none"},
    {1, 4, 3, 32,  "32B"},
    {2, 4, 3, 64,  "64B"},
    {3, 4, 3, 128, "128B"},
    {2, 5, 2, 128, "128B_ATOM_32B"},
};
/* clang-format on */

enum { TYPES = sizeof types / sizeof types[0] };

TmaSwizzle tma_swizzle(int b, int m, int s)
{
    int i = 0;
    while (i < TMA_SWIZZLE_COUNT &&
           (swizzles[i].b != b || swizzles[i].m != m || swizzles[i].s != s))
        i++;
    return (TmaSwizzle)i;
}

/* The row of a type, or -1. */
static int find_type(Dtype t)
{
    for (int i = 0; i < TYPES; i++)
        if (types[i].type == t) return i;
    return -1;
}

/* -- Plans ------------------------------------------------------------------------------------- */
/* A leaf of the global layout on its way to be a dimension. */
typedef struct {
    int64_t extent, stride, box; /* in elements */
    int node;                    /* of the layout */
} Dim;

typedef struct {
    const TmaTile *in;
    int64_t box[LAYOUT_NODES]; /* by node of the layout */
    Dim dim[LAYOUT_NODES];
    int dims;
    int64_t width; /* bytes of an element */
    TmaMap map;
} Plan;

static bool going(const Plan *p)
{
    return layout_ok(p->map.coords.layout);
}

/* The first reason sticks. */
__attribute__((format(printf, 2, 3))) static void refuse(Plan *p, const char *fmt, ...)
{
    if (!going(p)) return;
    char rule[256], tile[160];
    va_list args;
    va_start(args, fmt);
    vsnprintf(rule, sizeof rule, fmt, args);
    va_end(args);
    arith_print(tile, sizeof tile, p->in->tile);
    p->map.coords = tensor_poison("tma: %s of %s, tile %s: %s", tree_text(p->in->layout).s,
                                  dtype_name(p->in->type), tile, rule);
}

/* -- The request itself ------------------------------------------------------------------------ */
static void check_request(Plan *p)
{
    const TmaTile *in = p->in;
    int row = find_type(in->type);
    if (!layout_ok(in->layout)) p->map.coords = tensor_make(arith_int(0), in->layout);
    if (!arith_ok(in->tile)) p->map.coords = tensor_poison("%s", in->tile.why);
    if (!layout_is_integral(in->layout)) refuse(p, "the strides must be integers");
    if (row < 0) refuse(p, "no tensor map has elements of this type");
    if ((unsigned)in->swizzle >= TMA_SWIZZLE_COUNT) refuse(p, "unknown swizzle");
    if ((unsigned)in->fill > TMA_FILL_NAN) refuse(p, "unknown fill");
    if (in->address % TMA_ALIGN != 0)
        refuse(p, "the address is not %d-byte aligned", (int)TMA_ALIGN);
    if (row >= 0 && in->fill == TMA_FILL_NAN && !types[row].nan)
        refuse(p, "only floating-point elements can be filled with NaN");
    if (row >= 0) p->map.type = types[row].map;
    p->width = dtype_bytes(in->type);
    p->map.swizzle = in->swizzle;
    p->map.fill = in->fill;
}

/* -- Boxes ------------------------------------------------------------------------------------- */
/* Shares `extent` out to the leaves below `at`, first to last. */
static void share_box(Plan *p, int at, int64_t extent)
{
    const Layout *L = &p->in->layout;
    int end = at + L->node[at].span, last = -1;
    for (int i = at; i < end; i++)
        if (L->node[i].rank == LAYOUT_LEAF) last = i;
    for (int i = at; i < end; i++) {
        int64_t room = L->node[i].shape;
        if (L->node[i].rank != LAYOUT_LEAF) continue;
        p->box[i] = i == last || extent < room ? extent : room;
        if (i == last || extent < room) {
            extent = 1;
        } else {
            if (room == 0 || extent % room != 0)
                refuse(p, "%lld elements do not come out even over modes of %lld",
                       (long long)extent, (long long)room);
            extent = room > 0 ? extent / room : 1;
        }
    }
}

static void give_boxes(Plan *p, int at, Arith tile)
{
    const Layout *L = &p->in->layout;
    if (!arith_is_tuple(tile)) {
        if (arith_is_any(tile)) refuse(p, "_ is no extent");
        share_box(p, at, arith_value(tile));
        return;
    }
    if (arith_rank(tile) != L->node[at].rank) {
        refuse(p, "tile and layout nest differently");
        return;
    }
    for (int i = 0; i < arith_rank(tile); i++)
        give_boxes(p, tree_mode(L, at, i), arith_mode(tile, i));
}

/* -- Dimensions -------------------------------------------------------------------------------- */
/* x comes before y: by stride, those of extent 1 last. */
static bool before(const Dim *x, const Dim *y)
{
    bool x_one = x->extent == 1, y_one = y->extent == 1;
    return x_one != y_one ? y_one : !x_one && x->stride < y->stride;
}

static void insert(Plan *p, Dim d)
{
    int i = p->dims++;
    for (; i > 0 && before(&d, &p->dim[i - 1]); i--) p->dim[i] = p->dim[i - 1];
    p->dim[i] = d;
}

static void find_dims(Plan *p)
{
    const Layout *L = &p->in->layout;
    for (int i = 0; i < L->node[0].span && going(p); i++) {
        const LayoutNode *leaf = &L->node[i];
        if (leaf->rank != LAYOUT_LEAF) continue;
        if (p->box[i] < 1 || p->box[i] > TMA_BOX)
            refuse(p, "a side of the box is %lld, not 1 to %d", (long long)p->box[i], (int)TMA_BOX);
        if (leaf->shape < 1 || leaf->shape > TMA_MAX_DIM)
            refuse(p, "an extent is %lld, not 1 to 2^32", (long long)leaf->shape);
        if (leaf->stride < 0) refuse(p, "a stride is negative");
        if (leaf->stride != 0 || leaf->shape == 1)
            insert(p, (Dim){leaf->shape, leaf->stride, p->box[i], i});
        else if (p->box[i] > 1)
            refuse(p, "the box repeats a mode of stride 0");
    }
}

static void remove_dim(Plan *p, int i)
{
    p->dims--;
    memmove(&p->dim[i], &p->dim[i + 1], (size_t)(p->dims - i) * sizeof p->dim[0]);
}

/* Puts the contiguous dimension first. One of extent 1 can be it, where no other is. */
static void find_contiguous(Plan *p)
{
    if (p->dims > 0 && p->dim[0].stride == 1 && p->dim[0].extent > 1) return;
    for (int i = 0; i < p->dims; i++) {
        if (p->dim[i].extent != 1 || p->dim[i].stride != 1) continue;
        Dim first = p->dim[i];
        remove_dim(p, i);
        memmove(&p->dim[1], &p->dim[0], (size_t)p->dims++ * sizeof first);
        p->dim[0] = first;
        return;
    }
    refuse(p, "no mode is contiguous");
}

/* Leaves out what has one element and one in the box, from the last, until the others fit. */
static void fit_rank(Plan *p)
{
    for (int i = p->dims - 1; i > 0 && p->dims > TMA_RANK; i--)
        if (p->dim[i].extent == 1 && p->dim[i].box == 1) remove_dim(p, i);
    if (p->dims > TMA_RANK) refuse(p, "%d dimensions, not 1 to %d", p->dims, (int)TMA_RANK);
}

/* -- The map ----------------------------------------------------------------------------------- */
static bool legal_stride(int64_t bytes)
{
    return bytes > 0 && bytes % TMA_ALIGN == 0 && bytes < TMA_MAX_STRIDE;
}

/* A legal stride past everything of the dimension before, for a dimension of extent 1. */
static int64_t idle_stride(const TmaMap *map, int d)
{
    int64_t reach;
    if (__builtin_mul_overflow(map->stride[d - 1], map->dim[d - 1], &reach)) return TMA_ALIGN;
    reach += (TMA_ALIGN - reach % TMA_ALIGN) % TMA_ALIGN;
    return legal_stride(reach) ? reach : TMA_ALIGN;
}

static int64_t byte_stride(Plan *p, int d)
{
    int64_t bytes, stride = p->dim[d].stride;
    if (d == 0) return p->width;
    bool known = !__builtin_mul_overflow(stride, p->width, &bytes);
    if (known && legal_stride(bytes)) return bytes;
    if (p->dim[d].extent == 1) return idle_stride(&p->map, d);
    if (!known || bytes >= TMA_MAX_STRIDE)
        refuse(p, "a stride of %lld elements is not below 2^40 bytes", (long long)stride);
    else
        refuse(p, "a stride of %lld bytes is no multiple of %d", (long long)bytes, (int)TMA_ALIGN);
    return TMA_ALIGN;
}

static void fill_map(Plan *p)
{
    TmaMap *map = &p->map;
    map->rank = p->dims;
    map->bytes = p->width;
    for (int d = 0; d < p->dims; d++) {
        map->dim[d] = p->dim[d].extent;
        map->box[d] = (int32_t)p->dim[d].box;
        map->elem_stride[d] = 1;
        map->stride[d] = byte_stride(p, d);
        map->bytes *= p->dim[d].box;
    }
    int64_t side = p->dim[0].box * p->width, limit = swizzles[p->in->swizzle].side;
    if (side % TMA_ALIGN != 0)
        refuse(p, "the box's contiguous side of %lld bytes is no multiple of %d", (long long)side,
               (int)TMA_ALIGN);
    if (limit > 0 && side > limit)
        refuse(p, "the box's contiguous side of %lld bytes is longer than swizzle %s takes",
               (long long)side, swizzles[p->in->swizzle].name);
}

static void make_coords(Plan *p)
{
    Layout L = p->in->layout;
    int64_t zero[TMA_RANK] = {0};
    for (int i = 0; i < L.node[0].span; i++) {
        L.node[i].stride = 0;
        memset(L.node[i].basis, 0, sizeof L.node[i].basis);
    }
    for (int d = 0; d < p->dims; d++) {
        L.node[p->dim[d].node].stride = 1;
        L.node[p->dim[d].node].basis[0] = (uint8_t)(d + 1);
    }
    p->map.coords = tensor_make(arith_ints(p->dims, zero), L);
}

TmaMap tma_map(const TmaTile *tile)
{
    static void (*const step[])(Plan *) = {find_dims, find_contiguous, fit_rank, fill_map,
                                           make_coords};
    Plan p = {.in = tile, .dims = 0};
    check_request(&p);
    if (going(&p)) give_boxes(&p, 0, tile->tile);
    for (size_t i = 0; i < sizeof step / sizeof step[0] && going(&p); i++) step[i](&p);
    return p.map;
}

/* -- Asking ------------------------------------------------------------------------------------ */
bool tma_ok(const TmaMap *map)
{
    return tensor_ok(&map->coords);
}

const char *tma_why(const TmaMap *map)
{
    return tensor_why(&map->coords);
}

static const char *type_name(int map)
{
    for (int i = 0; i < TYPES; i++)
        if (types[i].map == map) return types[i].name;
    return "none";
}

int tma_print(char *buf, size_t size, const TmaMap *map)
{
    if (!tma_ok(map)) return snprintf(buf, size, "poisoned: %s", tma_why(map));
    int64_t box[TMA_RANK];
    for (int d = 0; d < map->rank; d++) box[d] = map->box[d];
    char dims[128], strides[128], boxes[64];
    arith_print(dims, sizeof dims, arith_ints(map->rank, map->dim));
    arith_print(strides, sizeof strides, arith_ints(map->rank, map->stride));
    arith_print(boxes, sizeof boxes, arith_ints(map->rank, box));
    return snprintf(buf, size, "%s %s strides %s box %s swizzle %s fill %s", type_name(map->type),
                    dims, strides, boxes, swizzles[map->swizzle].name,
                    map->fill == TMA_FILL_NAN ? "nan" : "zero");
}
