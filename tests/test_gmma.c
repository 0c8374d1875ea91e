/*
 * Matrix descriptors against the hardware's reading of them: each element of each piece of a tile
 * is looked up through the descriptor's fields alone and must be where the layout put it.
 */
#include "layout/gmma.h"
#include "tests/layouts.h"

/* -- The hardware's reading -------------------------------------------------------------------- */
/* Byte address of element (mn,k) of a piece, by the canonical forms of the descriptor. */
static int64_t read_through(GmmaDesc d, SmemMajor major, int bits, int64_t mn, int64_t k)
{
    int64_t along = (major == SMEM_K_MAJOR ? k : mn) * bits / 8, across = k;
    int64_t row = 16 << d.mode, at = d.start, mask = (((int64_t)1 << d.mode) - 1) << 7;
    if (major == SMEM_K_MAJOR) across = mn;
    at += across % 8 * row;
    if (major == SMEM_MN_MAJOR && d.mode == SMEM_NONE)
        at += across / 8 * d.lbo + along / 16 * d.sbo + along % 16;
    else if (major == SMEM_MN_MAJOR)
        at += across / 8 * d.sbo + along / row * d.lbo + along % row;
    else if (d.mode == SMEM_NONE)
        at += across / 8 * d.sbo + along / 16 * d.lbo + along % 16;
    else
        at += across / 8 * d.sbo + along;
    return at ^ (at & mask) >> 3;
}

/* Every element of every piece of one tile. */
static void check_tile(ComposedLayout tile, int64_t mn, Property *p)
{
    enum { BASE = 3072 };
    Shown text;
    composed_print(text.s, sizeof text.s, tile);
    GmmaOperand op = gmma_operand(tile, mn);
    if (!check(p, !op.why, "%s: %s", text.s, op.why ? op.why : "")) return;
    int64_t pieces = layout_size(layout_mode(op.start, 0));
    int64_t slices = layout_size(layout_mode(op.start, 1));
    for (int64_t piece = 0; piece < layout_size(op.start); piece++) {
        GmmaDesc d = gmma_desc_unpack(gmma_desc_pack(gmma_desc(&op, BASE, piece)));
        int64_t m0 = piece % pieces * mn, k0 = piece / pieces % slices * op.k;
        int64_t stage = piece / pieces / slices;
        bool right = d.mode == op.mode && d.base_offset == 0;
        for (int64_t i = 0; i < mn * op.k && right; i++) {
            int64_t m = i % mn, k = i / mn, at[] = {m0 + m, k0 + k, stage};
            int64_t byte =
                BASE + composed_at_nd(tile, at, layout_rank(tile.layout)) * tile.bits / 8;
            right = read_through(d, op.major, tile.bits, m, k) == byte;
        }
        check(p, right, "%s: piece %lld of %lld", text.s, (long long)piece, (long long)mn);
    }
}

static void test_all_tiles(void)
{
    static const Dtype types[] = {DTYPE_F16, DTYPE_E4M3, DTYPE_TF32, DTYPE_B1};
    static const int orders[2][3] = {{0, 1, 2}, {1, 0, 2}};
    Property p = {.name = "a descriptor finds each element of its piece"};
    for (int t = 0; t < 4; t++)
        for (int mode = SMEM_NONE; mode <= SMEM_128B; mode++)
            for (int major = 0; major < (t == 0 ? 2 : 1); major++)
                for (int order = 0; order < 2; order++) {
                    int row = (16 << mode) * 8 / dtype_bits(types[t]);
                    int64_t k =
                        2 * row < 512 / dtype_bits(types[t]) ? 512 / dtype_bits(types[t]) : 2 * row;
                    if (major == SMEM_MN_MAJOR) k = 32;
                    ComposedLayout tile =
                        smem_tile_to_shape(smem_atom((SmemMode)mode, (SmemMajor)major, types[t]), 3,
                                           (int64_t[]){128, k, 2}, orders[order]);
                    check_tile(tile, 64, &p);
                    check_tile(tile, 128, &p);
                    if (major == SMEM_K_MAJOR) check_tile(tile, 8, &p);
                }
    report(&p, 1);
}

/* Tiles that no maker of ours gives: padded stages, one k-slice, leaves in another nesting. */
static void test_odd_tiles(void)
{
    static const char *const tiles[] = {
        "S<3,4,3> o 0 o (128,64):(64,1)",
        "S<3,4,3> o 16 o (64,16):(64,1)",
        "S<3,4,3> o 0 o ((8,8,2),64,3):((64,512,4608),1,9216)",
        "S<2,4,3> o 256 o (64,(2,16,2)):(32,(1,2,2048))",
        "S<0,4,3> o 0 o ((8,16),(8,4)):((8,80),(1,2048))",
        "S<0,4,3> o 0 o ((2,4,16),(8,4)):((1,2,64),(8,1032))",
        "S<1,4,3> o 0 o ((16,8),(8,2,2)):((1,128),(16,2048,4096))",
    };
    Property p = {.name = "so it does in tiles of other makers"};
    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++)
        check_tile(composed_typed(composed_parse(tiles[i]), 16), 64, &p);
    report(&p, 1);
}

/* Three leaves a mode, strides drawn from those that occur: most are none of the hardware's. */
static void test_random_tiles(void)
{
    static const int64_t strides[] = {1, 8, 16, 32, 64, 128, 256, 512, 1024, 4096};
    Property p = {.name = "a random tile is read right or refused"};
    Random r = {.state = 7};
    long refusals = 0;
    for (int i = 0; i < 40000; i++) {
        int mode = random_below(&r, 4), major = random_below(&r, 2);
        int64_t row = 8 << mode, offset = random_below(&r, 4) == 0 ? 8 * random_below(&r, 64) : 0;
        Layout leaf[4];
        for (int k = 0; k < 4; k++) {
            int64_t stride = strides[random_below(&r, 10)];
            if (random_below(&r, 3) > 0 && k < 2) stride = k == major ? row : 1;
            leaf[k] = layout_leaf(k == (major ? 0 : 1) ? row : k < 2 ? 8 : 4, stride);
        }
        Layout L = layout_pair(layout_pair(leaf[0], leaf[2]), layout_pair(leaf[1], leaf[3]));
        ComposedLayout tile = composed_typed(composed_make((Swizzle){mode, 4, 3}, offset, L), 16);
        int64_t mn = layout_size(layout_mode(L, 0));
        if (mn <= 256 && !gmma_operand(tile, mn).why)
            check_tile(tile, mn, &p);
        else
            refusals++;
    }
    report(&p, 1);
    ok(refusals > 0, "%ld were refused", refusals);
}

/* -- Known descriptors ------------------------------------------------------------------------- */
static const struct {
    SmemMajor major;
    Dtype type;
    int64_t mn, k, stages, piece;
    SmemMode mode;
    int64_t lbo, sbo;
    const char *start;
} known[] = {
    {SMEM_K_MAJOR, DTYPE_F16, 128, 64, 7, 64, SMEM_128B, 16, 1024,
     "((2),(4),(1,7)):((8192),(32),(0,16384))"},
    {SMEM_K_MAJOR, DTYPE_F16, 64, 32, 0, 64, SMEM_64B, 16, 512, "((1),(2)):((0),(32))"},
    {SMEM_K_MAJOR, DTYPE_F16, 64, 16, 0, 64, SMEM_32B, 16, 256, "((1),(1)):((0),(0))"},
    {SMEM_K_MAJOR, DTYPE_E4M3, 64, 128, 0, 64, SMEM_128B, 16, 1024, "((1),(4)):((0),(32))"},
    {SMEM_K_MAJOR, DTYPE_TF32, 64, 32, 0, 64, SMEM_128B, 16, 1024, "((1),(4)):((0),(32))"},
    {SMEM_K_MAJOR, DTYPE_F16, 64, 128, 0, 64, SMEM_128B, 16, 1024, "((1),(4,2)):((0),(32,8192))"},
    {SMEM_MN_MAJOR, DTYPE_F16, 128, 64, 0, 128, SMEM_128B, 8192, 1024, "((1),(4)):((0),(2048))"},
    {SMEM_MN_MAJOR, DTYPE_F16, 128, 64, 0, 64, SMEM_128B, 0, 1024, "((2),(4)):((8192),(2048))"},
};

/* Each mode as far as it can be merged. */
static Layout merged(Layout start)
{
    Layout mode[SMEM_RANK];
    int rank = layout_rank(start);
    for (int i = 0; i < rank && i < SMEM_RANK; i++)
        mode[i] = layout_coalesce(layout_mode(start, i));
    return layout_tuple(rank, mode);
}

static void test_known(void)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        ComposedLayout tile =
            smem_tile(known[i].major, known[i].type, known[i].mn, known[i].k, known[i].stages);
        GmmaOperand op = gmma_operand(tile, known[i].piece);
        bool right = !op.why && op.mode == known[i].mode && op.major == known[i].major &&
                     op.lbo == known[i].lbo && op.sbo == known[i].sbo;
        if (!ok(right, "%s %s-major %s: lbo %d, sbo %d", dtype_name(known[i].type),
                smem_major_name(known[i].major), smem_mode_name(known[i].mode), (int)known[i].lbo,
                (int)known[i].sbo))
            diag("got lbo %d, sbo %d: %s", (int)op.lbo, (int)op.sbo, op.why ? op.why : "");
        Layout want = merged(layout_parse(known[i].start));
        if (!ok(layout_equal(merged(op.start), want), "pieces start at %s", known[i].start))
            diag("got %s", show(op.start).s);
    }
}

static void test_bits(void)
{
    GmmaOperand op = gmma_operand(smem_tile(SMEM_K_MAJOR, DTYPE_F16, 128, 64, 7), 64);
    uint64_t first = gmma_desc_pack(gmma_desc(&op, 0x400, 0));
    ok(first == ((uint64_t)1 << 62 | (uint64_t)64 << 32 | (uint64_t)1 << 16 | 0x40),
       "the fields lie where they should");
    ok(gmma_desc_pack(gmma_desc(&op, 0x400, 2)) == first + 2, "the next k16 is 2 further");
    ok(gmma_desc_pack(gmma_desc(&op, 0x400, 1)) == first + 512, "the next 64 rows are 512 further");
    ok(gmma_desc(&op, 0x480, 0).base_offset == 1, "a pattern from 128 bytes on: base offset 1");
    ok(gmma_desc(&op, 0x410, 0).why != NULL, "a buffer inside a row is refused");
    ok(gmma_desc(&op, 0x3FC00, 4).why == NULL, "the last piece of a row in 18 bits");
    ok(gmma_desc(&op, 0x3FC00, 1).why != NULL, "a start beyond 18 bits is refused");
    ok(gmma_desc(&op, 0x400, 56).why != NULL, "there are 56 pieces");
    uint64_t all = 3;
    Property p = {.name = "packing undoes unpacking"};
    for (int i = 0; i < 20000; i++) {
        all = all * 6364136223846793005u + 1442695040888963407u;
        const uint64_t fields = 0xC00E3FFF3FFF3FFFu;
        uint64_t back = gmma_desc_pack(gmma_desc_unpack(all & fields));
        check(&p, back == (all & fields), "%016llx", (unsigned long long)(all & fields));
    }
    report(&p, 1);
}

/* -- Refusals ---------------------------------------------------------------------------------- */
static const struct {
    const char *tile;
    int bits, mn;
    const char *why;
} refused[] = {
    {"S<3,4,3> o 0 o (64,64):(64,1)", 0, 64, "element type"},
    {"S<0,4,3> o 0 o (64,64):(64,1)", 16, 64, "width apart"},
    {"S<3,4,3> o 0 o (64,16):(16,1)", 64, 64, "1, 8, 16 or 32 bits"},
    {"S<3,4,3> o 0 o (32,8):(1,32)", 32, 32, "only 16-bit operands"},
    {"S<3,4,3> o 0 o (128,32):(1,128)", 8, 128, "only 16-bit operands"},
    {"S<3,4,3> o 0 o (64,64):(64,1)", 16, 12, "multiple of 8"},
    {"S<3,4,3> o 0 o (512,64):(64,1)", 16, 512, "multiple of 8 up to 256"},
    {"S<3,4,3> o 0 o (64,64):(64,1)", 16, 48, "does not divide the tile"},
    {"S<1,4,3> o 0 o (64,8):(16,1)", 16, 64, "no multiple of 256 bits"},
    {"S<3,4,3> o 0 o (64,16):(1,64)", 16, 32, "swizzle's row"},
    {"S<3,4,3> o 0 o ((8,2,2),64):((64,512,2048),1)", 16, 32, "not evenly spaced"},
};

static void test_refusals(void)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        ComposedLayout tile = composed_parse(refused[i].tile);
        if (refused[i].bits) tile = composed_typed(tile, refused[i].bits);
        GmmaOperand op = gmma_operand(tile, refused[i].mn);
        if (!ok(op.why && strstr(op.why, refused[i].why), "%s in %d bits is refused: %s",
                refused[i].tile, refused[i].bits, refused[i].why))
            diag("got %s", op.why ? op.why : "none");
    }
    GmmaOperand op = gmma_operand(composed_typed(composed_parse(refused[10].tile), 16), 16);
    ok(!op.why && op.sbo == 1024, "the same in pieces of 16 rows is even");
}

/* -- The documents' thread-value layouts ------------------------------------------------------- */
/* (thread,value) layouts of a 64x128x16 warpgroup instruction, as they are printed. */
static void test_printed(void)
{
    Layout A = layout_parse("(128,(64,16)):(0,(1,64))"),
           C = layout_parse("((4,8,4),(2,2,16)):((128,1,16),(64,8,512))");
    Property p[] = {{.name = "each thread sees all of A"},
                    {.name = "C: row 16 warp + lane/4 + 8 j1, column 2 (lane%4) + j0 + 8 j2"}};
    for (int64_t t = 0; t < 128; t++) {
        for (int64_t v = 0; v < 64 * 16; v++)
            check(&p[0], layout_at_nd(A, (int64_t[]){t, v}, 2) == v, "t %d", (int)t);
        for (int64_t v = 0; v < 64; v++) {
            int64_t m = t / 32 * 16 + t % 32 / 4 + v / 2 % 2 * 8, n = t % 4 * 2 + v % 2 + v / 4 * 8;
            check(&p[1], layout_at_nd(C, (int64_t[]){t, v}, 2) == m + 64 * n, "t %d v %d", (int)t,
                  (int)v);
        }
    }
    report(p, 2);
    is_layout(layout_pair(layout_leaf(128, 0), layout_parse("(64,16)")), "(128,(64,16)):(0,(1,64))",
              "TV layout A");
    is_layout(layout_pair(layout_leaf(128, 0), layout_parse("(128,16)")),
              "(128,(128,16)):(0,(1,128))", "TV layout B");
}

int main(void)
{
    test_all_tiles();
    test_odd_tiles();
    test_random_tiles();
    test_known();
    test_bits();
    test_refusals();
    test_printed();
    return tap_done();
}
