/*
 * Tensor maps: derived ones held against the parameters worked out by hand, the addresses that they
 * mean against the layout's own, and one refusal for each limit of the driver.
 */
#include "layout/tma.h"
#include "tests/layouts.h"

static TmaTile request(const char *type, const char *layout, const char *tile, TmaSwizzle swizzle)
{
    return (TmaTile){.type = dtype_parse(type),
                     .layout = layout_parse(layout),
                     .tile = arith_parse(tile),
                     .swizzle = swizzle,
                     .fill = TMA_FILL_ZERO};
}

/* -- Maps -------------------------------------------------------------------------------------- */
/* clang-format off */
static const struct {
    const char *type, *layout, *tile;
    TmaSwizzle swizzle;
    const char *map, *coords;
} maps[] = {
    /* K-major A of 4096 x 8192 halves: k is dimension 0 */
    {"f16", "(4096,8192):(8192,1)", "(128,64)", TMA_SWIZZLE_128B,
     "f16 (8192,4096) strides (2,16384) box (64,128) swizzle 128B fill zero",
     "ArithTuple(0,0) o (4096,8192):(1@1,1@0)"},
    /* M-major, padded */
    {"f16", "(4096,8192):(1,4104)", "(64,32)", TMA_SWIZZLE_128B,
     "f16 (4096,8192) strides (2,8208) box (64,32) swizzle 128B fill zero",
     "ArithTuple(0,0) o (4096,8192):(1@0,1@1)"},
    {"f32", "1000:1", "128", TMA_SWIZZLE_NONE,
     "f32 (1000) strides (4) box (128) swizzle none fill zero",
     "ArithTuple(0) o 1000:1@0"},
    {"f64", "(41,55):(56,1)", "(4,8)", TMA_SWIZZLE_64B,
     "f64 (55,41) strides (8,448) box (8,4) swizzle 64B fill zero",
     "ArithTuple(0,0) o (41,55):(1@1,1@0)"},
    /* batched; the batch is the slowest */
    {"bf16", "(128,256,6):(256,1,32768)", "(64,64,1)", TMA_SWIZZLE_128B,
     "bf16 (256,128,6) strides (2,512,65536) box (64,64,1) swizzle 128B fill zero",
     "ArithTuple(0,0,0) o (128,256,6):(1@1,1@0,1@2)"},
    /* a batch of one keeps its coordinate; a stride that no map has is replaced */
    {"bf16", "(128,256,1):(256,1,0)", "(64,64,1)", TMA_SWIZZLE_128B,
     "bf16 (256,128,1) strides (2,512,65536) box (64,64,1) swizzle 128B fill zero",
     "ArithTuple(0,0,0) o (128,256,1):(1@1,1@0,1@2)"},
    {"f16", "(100,1):(1,101)", "(64,8)", TMA_SWIZZLE_NONE,
     "f16 (100,1) strides (2,208) box (64,8) swizzle none fill zero",
     "ArithTuple(0,0) o (100,1):(1@0,1@1)"},
    /* one row of a column-major matrix: the row is the contiguous dimension */
    {"f16", "(1,100):(1,104)", "(8,16)", TMA_SWIZZLE_NONE,
     "f16 (1,100) strides (2,208) box (8,16) swizzle none fill zero",
     "ArithTuple(0,0) o (1,100):(1@0,1@1)"},
    {"f16", "(1,100):(1,1)", "(8,16)", TMA_SWIZZLE_NONE,
     "f16 (100,1) strides (2,208) box (16,8) swizzle none fill zero",
     "ArithTuple(0,0) o (1,100):(1@1,1@0)"},
    /* one set of data for all of a batch: no dimension, no coordinate */
    {"f16", "(64,64,8):(64,1,0)", "(64,64,1)", TMA_SWIZZLE_128B,
     "f16 (64,64) strides (2,128) box (64,64) swizzle 128B fill zero",
     "ArithTuple(0,0) o (64,64,8):(1@1,1@0,0)"},
    /* nested modes: each leaf is a dimension; an extent of the tile fills them in order */
    {"u8", "((16,4),(8,32)):((1,64),(1024,16384))", "(32,(8,2))", TMA_SWIZZLE_NONE,
     "u8 (16,4,8,32) strides (1,64,1024,16384) box (16,2,8,2) swizzle none fill zero",
     "ArithTuple(0,0,0,0) o ((16,4),(8,32)):((1@0,1@1),(1@2,1@3))"},
    {"e4m3", "(64,64):(64,1)", "(64,64)", TMA_SWIZZLE_64B,
     "u8 (64,64) strides (1,64) box (64,64) swizzle 64B fill zero",
     "ArithTuple(0,0) o (64,64):(1@1,1@0)"},
    {"cf32", "(64,64):(64,1)", "(4,4)", TMA_SWIZZLE_32B,
     "u64 (64,64) strides (8,512) box (4,4) swizzle 32B fill zero",
     "ArithTuple(0,0) o (64,64):(1@1,1@0)"},
    /* seven modes, two of them of one element: five dimensions */
    {"f32", "(4,1,4,4,1,4,4):(1,4,4,16,64,64,256)", "(4,1,4,4,1,4,4)", TMA_SWIZZLE_NONE,
     "f32 (4,4,4,4,4) strides (4,16,64,256,1024) box (4,4,4,4,4) swizzle none fill zero",
     "ArithTuple(0,0,0,0,0) o (4,1,4,4,1,4,4):(1@0,0,1@1,1@2,0,1@3,1@4)"},
};
/* clang-format on */

static void test_maps(void)
{
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        TmaTile in = request(maps[i].type, maps[i].layout, maps[i].tile, maps[i].swizzle);
        TmaMap map = tma_map(&in);
        char got[1024], coords[TENSOR_TEXT];
        tma_print(got, sizeof got, &map);
        tensor_print(coords, sizeof coords, &map.coords);
        if (!ok(strcmp(got, maps[i].map) == 0, "%s %s by %s: %s", maps[i].type, maps[i].layout,
                maps[i].tile, maps[i].map))
            diag("got %s", got);
        if (!ok(strcmp(coords, maps[i].coords) == 0, "its coordinates: %s", maps[i].coords))
            diag("got %s", coords);
    }
}

static void test_fields(void)
{
    TmaTile in = request("tf32", "(256,128):(128,1)", "(64,32)", TMA_SWIZZLE_128B);
    in.fill = TMA_FILL_NAN;
    TmaMap map = tma_map(&in);
    ok(map.type == 11 && map.rank == 2 && map.swizzle == 3 && map.fill == 1,
       "values are those of the CUDA driver's enums");
    ok(map.bytes == 64 * 32 * 4 && map.elem_stride[0] == 1 && map.elem_stride[1] == 1,
       "a load brings 8192 bytes, of neighbouring elements");
    TmaSwizzle modes[] = {tma_swizzle(0, 4, 3), tma_swizzle(1, 4, 3), tma_swizzle(2, 4, 3),
                          tma_swizzle(3, 4, 3), tma_swizzle(2, 5, 2), tma_swizzle(3, 3, 3)};
    bool right = true;
    for (int i = 0; i < 6; i++) right &= modes[i] == (TmaSwizzle)i;
    ok(right && TMA_SWIZZLE_COUNT == 5, "Swizzle<b,4,3> and <2,5,2> have modes, <3,3,3> has none");
}

/* A tile's first coordinate, as the kernel hands it over. */
static void test_tile_coords(void)
{
    TmaTile in = request("f16", "(4096,8192):(8192,1)", "(128,64)", TMA_SWIZZLE_128B);
    TmaMap map = tma_map(&in);
    Tensor tiles = tensor_local_tile(map.coords, tiler_parse("(128,64)"), arith_parse("(3,_)"));
    Tensor first = tensor_slice(tiles, arith_parse("(0,0,_)"));
    char got[TENSOR_TEXT];
    tensor_print(got, sizeof got, &first);
    ok(strcmp(got, "ArithTuple(0,384) o (128):(64@0)") == 0,
       "the coordinates of block row 3's tiles along k: %s", got);
}

/* -- Addresses --------------------------------------------------------------------------------- */
static bool same_address(const TmaMap *map, const TmaTile *in, int64_t i)
{
    Arith c = tensor_at(&map->coords, i);
    int64_t address = 0;
    bool inside = arith_within(c, arith_ints(map->rank, map->dim));
    for (int d = 0; d < map->rank; d++) address += arith_value(arith_mode(c, d)) * map->stride[d];
    return inside && address == layout_at(in->layout, i) * dtype_bytes(in->type);
}

static Layout random_global(Random *r)
{
    int64_t stride = 1;
    Layout mode[3];
    int rank = 1 + random_below(r, 3), first = random_below(r, rank);
    for (int n = 0; n < rank; n++) {
        int m = (first + n) % rank;
        int64_t extent = 1 + random_below(r, 6), inner = 1 + random_below(r, 3);
        if (n == 0) extent += 1;
        mode[m] = layout_leaf(extent, stride);
        stride = (stride * extent + 15) / 16 * 16 + 16 * random_below(r, 2);
        if (random_below(r, 2)) continue;
        mode[m] = layout_pair(mode[m], layout_leaf(inner, stride));
        stride *= inner;
    }
    return rank == 1 ? mode[0] : layout_tuple(rank, mode);
}

static void test_addresses(void)
{
    Property p[] = {{"coordinates times strides are addresses, inside dim", 0, 0, ""}};
    Random r = {.state = 99};
    for (int n = 0; n < 2000; n++) {
        Layout L = random_global(&r);
        /* the whole tensor's first column of 16 bytes or more */
        TmaTile in = {.type = DTYPE_F16, .layout = L, .tile = arith_int(1)};
        Arith entries[3];
        for (int m = 0; m < layout_rank(L); m++) entries[m] = arith_int(1);
        for (int m = 0; m < layout_rank(L); m++) {
            LayoutNode first = layout_mode(L, m).node[0];
            if (first.rank == LAYOUT_LEAF && first.stride == 1) entries[m] = arith_int(8);
        }
        in.tile = layout_depth(L) ? arith_tuple(layout_rank(L), entries) : entries[0];
        TmaMap map = tma_map(&in);
        for (int64_t i = 0; tma_ok(&map) && i < layout_size(L); i++)
            check(&p[0], same_address(&map, &in, i), "%s at %d", show(L).s, (int)i);
    }
    report(p, 1);
}

/* -- Refusals: one for each rule --------------------------------------------------------------- */
/* clang-format off */
static const struct {
    const char *type, *layout, *tile;
    TmaSwizzle swizzle;
    const char *rule;
} refusals[] = {
    {"f16",  "(64,64):(65,1)",   "(8,8)",    0, "a stride of 130 bytes is no multiple of 16"},
    {"f32",  "(64,64):(66,1)",   "(8,8)",    0, "a stride of 264 bytes is no multiple of 16"},
    {"f64",  "(64,64):(65,1)",   "(8,8)",    0, "a stride of 520 bytes is no multiple of 16"},
    {"f16",  "(64,64):(1,1)",    "(8,8)",    0, "a stride of 2 bytes"},
    {"f16",  "(64,64):(64,2)",   "(8,8)",    0, "no mode is contiguous"},
    {"f16",  "(64,64):(64,1)",   "(8,4)",    0, "contiguous side of 8 bytes is no multiple of 16"},
    {"f16",  "(64,64):(64,1)",   "(8,32)",   1, "side of 64 bytes is longer than swizzle 32B"},
    {"f16",  "(64,64):(64,1)",   "(8,64)",   2, "side of 128 bytes is longer than swizzle 64B"},
    {"f16",  "(64,128):(128,1)", "(8,72)",   3, "side of 144 bytes is longer than swizzle 128B"},
    {"f16",  "(64,128):(128,1)", "(8,72)",   4, "longer than swizzle 128B_ATOM_32B"},
    {"f16",  "(512,64):(64,1)",  "(257,8)",  0, "a side of the box is 257, not 1 to 256"},
    {"f16",  "(512,64):(64,1)",  "(0,8)",    0, "a side of the box is 0"},
    {"f16",  "(0,64):(64,1)",    "(8,8)",    0, "an extent is 0, not 1 to 2^32"},
    {"u8",   "4294967297:1",     "16",       0, "an extent is 4294967297"},
    {"f16",  "(2,64):(549755813888,1)", "(1,8)", 0, "is not below 2^40 bytes"},
    {"f16",  "(64,64):(-64,1)",  "(8,8)",    0, "a stride is negative"},
    {"f16",  "(64,64):(1@0,1@1)", "(8,8)",   0, "the strides must be integers"},
    {"f16",  "(64,64):(64,1)",   "(8,8,8)",  0, "nest differently"},
    {"f16",  "(64,64):(64,1)",   "(8,_)",    0, "_ is no extent"},
    {"f16",  "(64,64):(64,1)",   "(8,",      0, "arith_parse"},
    {"f16",  "(64,64,8):(64,1,0)", "(8,8,2)", 0, "repeats a mode of stride 0"},
    {"u8",   "((24,4),8):((1,32),128)", "(32,8)", 0, "do not come out even over modes of 24"},
    {"f32",  "(4,4,4,4,4,4):(1,4,16,64,256,1024)", "(4,1,1,1,1,1)", 0, "6 dimensions, not 1 to 5"},
    {"s4",   "(64,64):(64,1)",   "(8,32)",   0, "no tensor map has elements of this type"},
    {"cf64", "(64,64):(64,1)",   "(8,8)",    0, "no tensor map has elements of this type"},
    {"f16",  "(64,64):(64,1",    "(8,8)",    0, "expected ',' or ')'"},
    {"f16",  "(64,64):(64,1)",   "(8,8)",    9, "unknown swizzle"},
};
/* clang-format on */

static void is_bad(TmaTile in, const char *rule)
{
    TmaMap map = tma_map(&in);
    if (!ok(!tma_ok(&map) && strstr(tma_why(&map), rule), "refused: %s", rule))
        diag("got %s", tma_ok(&map) ? "a map" : tma_why(&map));
}

static void test_refusals(void)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        is_bad(request(refusals[i].type, refusals[i].layout, refusals[i].tile, refusals[i].swizzle),
               refusals[i].rule);
    TmaTile in = request("f16", "(64,64):(64,1)", "(8,8)", TMA_SWIZZLE_NONE);
    in.address = 8;
    is_bad(in, "tma: (64,64):(64,1) of f16, tile (8,8): the address is not 16-byte aligned");
    in = request("s32", "(64,64):(64,1)", "(8,8)", TMA_SWIZZLE_NONE);
    in.fill = TMA_FILL_NAN;
    is_bad(in, "only floating-point elements can be filled with NaN");
    TmaMap map = tma_map(&in);
    char got[1024];
    int n = tma_print(got, sizeof got, &map);
    ok(strncmp(got, "poisoned: tma: ", 15) == 0 && n == (int)strlen(got),
       "a poisoned map prints why");
}

int main(void)
{
    test_maps();
    test_fields();
    test_tile_coords();
    test_addresses();
    test_refusals();
    return tap_done();
}
