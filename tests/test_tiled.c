/*
 * TiledMma and tiled copies: every operand's tile is covered as tiled.h promises, and each element
 * lies where a direct computation from the atom, the copies over threads and the permutation puts
 * it.
 */
#include "tests/layouts.h"
#include "layout/tiled.h"

typedef struct {
    const char *atom;
    int thr_m, thr_n, tile_m, tile_n, tile_k;
    const char *perm_m, *perm_n, *atoms, *perm_k; /* "": none */
} Case;

#define FMA "FMA_1x1x1_F32F32F32F32"
#define NT "SM70_8x8x4_F32F16F16F32_NT"
#define MMA "SM80_16x8x16_F32F16F16F32_TN"

static const Case cases[] = {
    {FMA, 1, 1, 1, 1, 1, "", "", "", ""},
    {FMA, 16, 16, 128, 128, 8, "", "", "", ""},
    {FMA, 16, 16, 128, 128, 8, "(16,4,2):(4,1,64)", "(16,4,2):(4,1,64)", "", ""},
    {FMA, 8, 4, 32, 8, 3, "(8,4):(4,1)", "8:1", "", ""},
    {MMA, 1, 1, 16, 8, 16, "", "", "", ""},
    {MMA, 2, 4, 128, 128, 32, "", "", "", ""},
    {MMA, 4, 1, 128, 64, 16, "", "(2,4,8):(1,16,2)", "", ""},
    {MMA, 2, 2, 64, 32, 32, "(8,2,4):(1,32,8)", "(8,2,2):(1,16,8)", "", ""},
    {MMA, 2, 1, 64, 8, 64, "", "", "(2,1,2):(2,0,1)", "(16,2,2):(1,32,16)"},
    {NT, 2, 2, 32, 32, 4, "", "", "(2,2):(2,1)", ""},
    {NT, 2, 2, 32, 32, 8, "(4,4,2):(1,8,4)", "", "(2,2):(2,1)", "(4,2):(2,1)"},
};

static TiledMma tiled(const Case *c)
{
    return (TiledMma){
        .atom = mma_atom_find(c->atom),
        .thr_m = c->thr_m,
        .thr_n = c->thr_n,
        .tile_m = c->tile_m,
        .tile_n = c->tile_n,
        .tile_k = c->tile_k,
        .perm_m = *c->perm_m ? layout_parse(c->perm_m) : layout_leaf(c->tile_m, 1),
        .perm_n = *c->perm_n ? layout_parse(c->perm_n) : layout_leaf(c->tile_n, 1),
        .perm_k = layout_parse(*c->perm_k ? c->perm_k : "()"),
        .atoms = layout_parse(*c->atoms ? c->atoms : "()"),
    };
}

/* -- The direct computation -------------------------------------------------------------------- */
/* One dimension of an operand, as tiled.h describes it. */
typedef struct {
    int atom, thr, tile;
    Layout perm;
} Side;

static int thr_k(const TiledMma *mma)
{
    return layout_rank(mma->atoms) > 2 ? (int)layout_size(layout_mode(mma->atoms, 2)) : 1;
}

static Side side_of(const TiledMma *mma, char dim)
{
    if (dim == 'm') return (Side){mma->atom->m, mma->thr_m, mma->tile_m, mma->perm_m};
    if (dim == 'n') return (Side){mma->atom->n, mma->thr_n, mma->tile_n, mma->perm_n};
    Layout plain = layout_leaf(mma->tile_k, 1);
    return (Side){mma->atom->k, thr_k(mma), mma->tile_k,
                  layout_rank(mma->perm_k) ? mma->perm_k : plain};
}

static int64_t reps(const Side *s)
{
    return s->tile / (s->atom * s->thr);
}

/* The row (or column) of an atom's row x, of the copy `thr` over threads and repetition rep. */
static int64_t placed(const Side *s, int64_t x, int64_t thr, int64_t rep)
{
    return layout_at(s->perm, x + s->atom * (thr + s->thr * rep));
}

/* What thread t holds as value v of repetition (r0, r1). */
typedef struct {
    int64_t t, v, r0, r1;
} Where;

static void expected(const TiledMma *mma, char operand, const Side side[2], Where w, int64_t out[2])
{
    int64_t threads = mma_atom_threads(mma->atom), c[LAYOUT_DIMS];
    int64_t thr_m = w.t / threads % mma->thr_m, rest = w.t / threads / mma->thr_m;
    int64_t thr_n = rest % mma->thr_n;
    layout_coord_at(mma_atom_tv(mma->atom, operand), w.t % threads + threads * w.v, c);
    out[0] = placed(&side[0], c[0], operand == 'B' ? thr_n : thr_m, w.r0);
    out[1] = placed(&side[1], c[1], operand == 'C' ? thr_n : rest / mma->thr_n, w.r1);
}

/* -- Multiply ---------------------------------------------------------------------------------- */
static bool agrees(const TiledMma *mma, char operand, const Side side[2], Layout tv)
{
    int64_t threads = tiled_mma_threads(mma), r0 = reps(&side[0]), r1 = reps(&side[1]);
    int64_t values = layout_size(tv) / (threads * r0 * r1);
    for (int64_t at = 0; at < layout_size(tv); at++) {
        int64_t rest = at / threads, c[LAYOUT_DIMS], want[2];
        Where w = {at % threads, rest % values, rest / values % r0, rest / values / r0};
        expected(mma, operand, side, w, want);
        if (layout_coord_at(tv, at, c) && c[0] == want[0] && c[1] == want[1]) continue;
        diag("thread %d value %d: (%d,%d), not (%d,%d)", (int)w.t, (int)rest, (int)c[0], (int)c[1],
             (int)want[0], (int)want[1]);
        return false;
    }
    return true;
}

/* Each element of the tile is held by `copies` threads. */
static bool covers(Layout tv, const Side side[2], int copies)
{
    static int held[128 * 128];
    memset(held, 0, sizeof held);
    for (int64_t at = 0; at < layout_size(tv); at++) {
        int64_t c[LAYOUT_DIMS];
        if (!layout_coord_at(tv, at, c) || c[0] >= side[0].tile || c[1] >= side[1].tile)
            return false;
        held[c[0] + side[0].tile * c[1]]++;
    }
    for (int i = 0; i < side[0].tile * side[1].tile; i++)
        if (held[i] != copies) return false;
    return true;
}

static bool has_form(const TiledMma *mma, const Side side[2], Layout tv)
{
    Layout t = layout_mode(tv, 0), v = layout_mode(tv, 1);
    return layout_rank(tv) == 2 && layout_rank(t) == 4 && layout_rank(v) == 3 &&
           layout_size(t) == tiled_mma_threads(mma) &&
           layout_size(layout_mode(t, 1)) == mma->thr_m &&
           layout_size(layout_mode(t, 2)) == mma->thr_n &&
           layout_size(layout_mode(v, 1)) == reps(&side[0]) &&
           layout_size(layout_mode(v, 2)) == reps(&side[1]);
}

static void test_operand(const TiledMma *mma, char operand)
{
    Side side[2] = {side_of(mma, operand == 'B' ? 'n' : 'm'),
                    side_of(mma, operand == 'C' ? 'n' : 'k')};
    int copies = operand == 'A' ? mma->thr_n : operand == 'B' ? mma->thr_m : thr_k(mma);
    Layout tv = tiled_mma_tv(mma, operand);
    if (!ok(layout_ok(tv) && has_form(mma, side, tv), "%c has the form of tiled.h", operand))
        diag("%s", show(tv).s);
    ok(layout_ok(tv) && covers(tv, side, copies), "%c: each element in %d threads", operand,
       copies);
    if (!ok(layout_ok(tv) && agrees(mma, operand, side, tv), "%c: each where it belongs", operand))
        diag("%s", show(tv).s);
}

static void test_mma(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TiledMma mma = tiled(&cases[i]);
        diag("%s, %d x %d, tile %d x %d x %d, perm %s %s", cases[i].atom, mma.thr_m, mma.thr_n,
             mma.tile_m, mma.tile_n, mma.tile_k, cases[i].perm_m, cases[i].perm_n);
        for (const char *operand = "ABC"; *operand; operand++) test_operand(&mma, *operand);
    }
}

/* The example of tiled.h: thread t of 16 holds rows 4t..4t+3 and 64+4t..64+4t+3. */
static void test_neighbours(void)
{
    TiledMma mma = tiled(&cases[2]);
    is_layout(tiled_mma_tv(&mma, 'A'), "((1,16,16,1),(1,(4,2),8)):((0,4@0,0,0),(0,(1@0,64@0),1@1))",
              "simt A, four neighbouring rows a thread");
    is_layout(tiled_mma_tv(&mma, 'B'), "((1,16,16,1),(1,(4,2),8)):((0,0,4@0,0),(0,(1@0,64@0),1@1))",
              "simt B, four neighbouring columns a thread");
    is_layout(tiled_mma_tv(&mma, 'C'),
              "((1,16,16,1),(1,(4,2),(4,2))):((0,4@0,4@1,0),(0,(1@0,64@0),(1@1,64@1)))", "simt C");
    mma = tiled(&cases[5]);
    is_layout(tiled_mma_tv(&mma, 'A'),
              "(((4,8),2,4,1),((2,2,2),4,2)):(((2@1,1@0),16@0,0,0),((1@1,8@0,8@1),32@0,16@1))",
              "mma A");
    mma.perm_m = (Layout){0};
    ok(layout_equal(tiled_mma_tv(&mma, 'A'),
                    layout_parse("(((4,8),2,4,1),((2,2,2),4,2)):"
                                 "(((2@1,1@0),16@0,0,0),((1@1,8@0,8@1),32@0,16@1))")),
       "a zeroed permutation permutes nothing");
}

static void test_refusals(void)
{
    TiledMma mma = tiled(&cases[5]);
    mma.tile_m = 48;
    is_refused(tiled_mma_tv(&mma, 'A'), "2 atoms of 16 do not divide the tile's 48 along m",
               "tile 48");
    mma = tiled(&cases[5]);
    mma.perm_m = layout_parse("(64,2):(2,2)");
    is_refused(tiled_mma_tv(&mma, 'C'), "perm_m is no permutation of 128", "an overlap");
    mma.perm_m = layout_leaf(64, 1);
    is_refused(tiled_mma_tv(&mma, 'A'), "perm_m is no permutation of 128", "half a permutation");
    mma.perm_m = layout_poison("bad text");
    is_refused(tiled_mma_tv(&mma, 'A'), "bad text", "a poisoned permutation");
    ok(layout_ok(tiled_mma_tv(&mma, 'B')), "B does not ask for perm_m");
    is_refused(tiled_mma_tv(&mma, 'D'), "operand must be", "operand D");
}

/* -- The documents' examples ------------------------------------------------------------------- */
static TiledMma quadpairs(const char *atoms, const char *tiler)
{
    return tiled_mma_make(mma_atom_find(NT), layout_parse(atoms),
                          *tiler ? tiler_parse(tiler) : (Tiler){0});
}

/* (row, column) of value v of the thread with this index. */
static bool holds(const TiledMma *mma, char operand, int index, int v, int row, int col)
{
    int64_t c[LAYOUT_DIMS];
    Layout tv = tiled_mma_by_index(mma, tiled_mma_tv(mma, operand));
    int64_t threads = layout_size(layout_mode(tv, 0));
    if (layout_coord_at(tv, index + threads * v, c) && c[0] == row && c[1] == col) return true;
    diag("%c T%dV%d lies at (%d,%d), not (%d,%d)", operand, index, v, (int)c[0], (int)c[1], row,
         col);
    return false;
}

/* Each lane's accumulators by the PTX manual's formula for m8n8k4, quadpair q at (q/2, q%2). */
static bool is_quadpair_c(const TiledMma *mma)
{
    for (int lane = 0; lane < 32; lane++)
        for (int i = 0; i < 8; i++) {
            int q = lane / 4 % 4;
            int row = (lane & 1) + (lane >= 16 ? 4 : 0) + (i & 2) + 8 * (q / 2);
            int col = (i & 4) + (lane & 2) + (i & 1) + 8 * (q % 2);
            if (!holds(mma, 'C', lane, i, row, col)) return false;
        }
    return true;
}

static void test_one_quadpair(void)
{
    TiledMma one = quadpairs("(1,1,1)", "(8,8,4)"), natural = quadpairs("(1,1,1)", "");
    is_layout(tiled_mma_thr(&one), "((4,2),1,1,1):((1,16),0,0,0)", "one quadpair's threads");
    ok(natural.tile_m == 8 && natural.tile_n == 8 && natural.tile_k == 4 &&
           tiled_mma_threads(&one) == 8,
       "the natural tile of the atom is 8 x 8 x 4, of 8 threads");
    bool same = true, free_lanes = true;
    for (const char *op = "ABC"; *op; op++) {
        Layout tv = tiled_mma_tv(&one, *op), atom = mma_atom_tv(one.atom, *op);
        Layout by_lane = tiled_mma_by_index(&one, tv);
        same = same && layout_equal(tv, tiled_mma_tv(&natural, *op)) &&
               layout_equal(layout_coalesce(tv), layout_coalesce(atom));
        free_lanes = free_lanes && layout_size(layout_mode(by_lane, 0)) == 32;
    }
    ok(same, "one atom tiled is the atom");
    ok(free_lanes && holds(&one, 'C', 16, 0, 4, 0) && holds(&one, 'C', 17, 3, 7, 1) &&
           holds(&one, 'C', 4, 0, 0, 0) && holds(&one, 'C', 21, 3, 7, 1),
       "lane 16 is logical thread 4; lanes of other quadpairs repeat the first");
}

static void test_four_quadpairs(void)
{
    TiledMma mma = quadpairs("(2,2):(2,1)", "");
    is_layout(tiled_mma_thr(&mma), "((4,2),2,2,1):((1,16),8,4,0)", "four quadpairs, n first");
    ok(mma.tile_m == 16 && mma.tile_n == 16 && mma.tile_k == 4 && tiled_mma_threads(&mma) == 32,
       "they cover 16 x 16 x 4 by 32 threads");
    ok(is_quadpair_c(&mma), "each lane's C is the PTX manual's, quadpair 1 to the right of 0");
    mma = quadpairs("(2,2):(1,2)", "");
    ok(holds(&mma, 'C', 4, 0, 8, 0) && holds(&mma, 'C', 8, 0, 0, 8),
       "as (2,2):(1,2) quadpair 1 lies below 0");
    mma = quadpairs("(2,2):(2,1)", "(32,32,4)");
    is_layout(tiled_mma_fragment(&mma, 'C'), "((2,2,2),2,2):((1,2,4),8,16)", "32x32x4: C");
    ok(holds(&mma, 'C', 0, 8, 16, 0) && holds(&mma, 'C', 16, 8, 20, 0) &&
           holds(&mma, 'C', 8, 8, 24, 0),
       "32x32x4: T0V8, T16V8 and T8V8 lie a tile further down");
}

static void test_permutation(void)
{
    static const int scatter[32] = {0, 1, 2, 3, 8,  9,  10, 11, 16, 17, 18, 19, 24, 25, 26, 27,
                                    4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31};
    TiledMma plain = quadpairs("(2,2):(2,1)", "(32,32,4)");
    TiledMma perm = quadpairs("(2,2):(2,1)", "<(4,4,2):(1,8,4),32,4>");
    bool before = true, after = true, table = true, moved = true;
    for (int v = 0; v < 8; v++) {
        before = before && holds(&plain, 'A', 0, v, v < 4 ? v : 12 + v, 0);
        after = after && holds(&perm, 'A', 0, v, v, 0);
    }
    for (int m = 0; m < 32; m++) table = table && layout_at(perm.perm_m, m) == scatter[m];
    Layout was = tiled_mma_tv(&plain, 'C'), is = tiled_mma_tv(&perm, 'C');
    for (int64_t at = 0; at < layout_size(was); at++) {
        int64_t from[LAYOUT_DIMS], to[LAYOUT_DIMS];
        layout_coord_at(was, at, from);
        moved =
            layout_coord_at(is, at, to) && to[0] == scatter[from[0]] && to[1] == from[1] && moved;
    }
    ok(before, "T0 reads rows 0 to 3 and 16 to 19 of A");
    ok(after, "permuted by (4,4,2):(1,8,4) it reads rows 0 to 7");
    ok(table, "the permutation sends each row where the document says");
    ok(moved, "so it does for each element of C");
    ok(layout_equal(tiled_mma_tv(&plain, 'B'), tiled_mma_tv(&perm, 'B')), "B stays");
}

static bool same_values(Layout a, Layout b)
{
    if (!layout_ok(a) || layout_size(a) != layout_size(b)) return false;
    for (int64_t i = 0; i < layout_size(b); i++)
        if (layout_at(a, i) != layout_at(b, i)) return false;
    return true;
}

/* The 128 threads and layouts that the Hopper document prints. */
static void test_warpgroup(void)
{
    static const struct {
        char operand;
        int rows, cols;
        const char *tv, *frg;
    } want[] = {
        {'A', 64, 16, "(128,(64,16)):(0,(1,64))", "(1,1,1):(1,1,1)"},
        {'B', 128, 16, "(128,(128,16)):(0,(1,128))", "(1,1,1):(1,1,1)"},
        {'C', 64, 128, "((4,8,4),(2,2,16)):((128,1,16),(64,8,512))",
         "((2,2,16),1,1):((1,2,4),64,64)"},
    };
    MmaAtomText text;
    MmaAtom atom = mma_atom_by_name("SM90_64x128x16_F32F16F16_SS", &text);
    TiledMma mma = tiled_mma_make(&atom, layout_parse("(1,1,1)"), (Tiler){0});
    is_layout(tiled_mma_thr(&mma), "(128,1,1,1):(1,0,0,0)", "the warpgroup's threads");
    ok(mma.tile_m == 64 && mma.tile_n == 128 && mma.tile_k == 16, "its tile is 64 x 128 x 16");
    for (int i = 0; i < 3; i++) {
        Layout data =
            layout_pair(layout_leaf(want[i].rows, 1), layout_leaf(want[i].cols, want[i].rows));
        Layout tv = tiled_mma_by_index(&mma, tiled_mma_thrfrg(&mma, want[i].operand, data));
        if (!ok(same_values(tv, layout_parse(want[i].tv)), "TV layout %c is %s", want[i].operand,
                want[i].tv))
            diag("got %s", show(tv).s);
        Shown frg = show(tiled_mma_fragment(&mma, want[i].operand));
        if (!ok(strcmp(frg.s, want[i].frg) == 0, "fragment %c is %s", want[i].operand, want[i].frg))
            diag("got %s", frg.s);
    }
}

/* -- Data -------------------------------------------------------------------------------------- */
/* Each thread's part of the data lies where its part of the coordinates says. */
static void check_parts(Property *p, const TiledMma *mma, char operand, const char *text)
{
    Layout L = layout_parse(text);
    Tensor data = tensor_counting(1000, L);
    Tensor coords = tensor_counting(0, layout_compact(L));
    for (int thread = 0; thread < 32; thread++) {
        Tensor part = tiled_mma_partition(mma, operand, data, thread);
        Tensor where = tiled_mma_partition(mma, operand, coords, thread);
        bool right = tensor_ok(&part) && tensor_ok(&where) &&
                     layout_rank(part.layout) == layout_rank(L) + 1 &&
                     tensor_size(&part) * 32 >= layout_size(L);
        for (int64_t v = 0; right && v < tensor_size(&part); v++) {
            int64_t at = arith_value(tensor_at(&where, v));
            right = arith_value(tensor_at(&part, v)) == 1000 + layout_at(L, at);
        }
        check(p, right, "%c of %s, thread %d: %s", operand, text, thread, show(part.layout).s);
    }
}

/* Of two by three tiles logical thread t has in each what tiled_mma_tv says of one. */
static bool repeats_tiles(const TiledMma *mma, char operand)
{
    int64_t rows = operand == 'B' ? mma->tile_n : mma->tile_m, c[LAYOUT_DIMS], want[LAYOUT_DIMS];
    int64_t cols = operand == 'C' ? mma->tile_n : mma->tile_k, threads = tiled_mma_threads(mma);
    Layout one = tiled_mma_tv(mma, operand), v = layout_mode(one, 1);
    Layout all =
        tiled_mma_thrfrg(mma, operand, layout_identity(2, (int64_t[]){2 * rows, 3 * cols}));
    int64_t reps1 = layout_size(layout_mode(v, 2));
    int64_t first = layout_size(one) / reps1; /* T, V and R0 of one tile; then tiles along 0 */
    if (!layout_ok(all) || layout_size(all) != 6 * layout_size(one)) return false;
    for (int64_t at = 0; at < layout_size(all); at++) {
        int64_t tile0 = at / first % 2, rest = at / first / 2, tile1 = rest / reps1;
        layout_coord_at(one, at % first + first * (rest % reps1), want);
        if (!layout_coord_at(all, at, c) || c[0] != want[0] + rows * tile0 ||
            c[1] != want[1] + cols * tile1) {
            diag("%c: thread %d at %d: (%d,%d)", operand, (int)(at % threads), (int)at, (int)c[0],
                 (int)c[1]);
            return false;
        }
    }
    return true;
}

static void test_tiles(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TiledMma mma = tiled(&cases[i]);
        bool right = true;
        for (const char *op = "ABC"; *op; op++) right = right && repeats_tiles(&mma, *op);
        ok(right, "case %d: data of 2 x 3 tiles are six tiles", (int)i);
    }
}

static void test_data(void)
{
    Property p = {.name = "a thread's part of the data is its part of the coordinates"};
    TiledMma mma = tiled(&cases[9]), volta = quadpairs("(2,2):(2,1)", "<(4,4,2):(1,8,4),32,4>");
    check_parts(&p, &mma, 'A', "(64,8):(1,65)");
    check_parts(&p, &mma, 'A', "(64,16,3):(17,1,2000)");
    check_parts(&p, &mma, 'B', "(96,8):(9,1)");
    check_parts(&p, &volta, 'A', "(64,(4,2)):(1,(64,300))");
    check_parts(&p, &volta, 'C', "(64,32):(33,1)");
    report(&p, 1);
    Tensor data = tensor_counting(0, layout_parse("(64,32)"));
    Tensor none = tiled_mma_partition(&volta, 'C', data, 32);
    ok(strstr(tensor_why(&none), "no thread has index 32 of 32"), "there is no thread 32");
    is_refused(tiled_mma_thrfrg(&volta, 'C', layout_parse("(48,32)")),
               "tiles of 32 do not divide the data's 48 along m", "half a tile");
    is_refused(tiled_mma_thrfrg(&volta, 'A', layout_parse("64")), "no mode 1", "a vector");
    volta.atoms = layout_parse("(2,2):(1,1)");
    is_refused(tiled_mma_tv(&volta, 'A'), "cannot be told apart", "two atoms in one place");
    volta.atoms = layout_parse("(2,2):(0,1)");
    is_refused(tiled_mma_tv(&volta, 'C'), "cannot be told apart", "atoms of stride 0");
    volta.atoms = layout_parse("(2,2,1,1)");
    is_refused(tiled_mma_tv(&volta, 'A'), "over m, n and k only", "a fourth mode of atoms");
    MmaAtomText text;
    MmaAtom unknown = mma_atom_by_name("SM90_64x12x16_F32F16F16_SS", &text);
    volta.atom = &unknown;
    is_refused(tiled_mma_tv(&volta, 'A'), "there is no atom", "an atom that does not exist");
    volta = tiled_mma_make(mma_atom_find("no such"), layout_parse("(1,1)"), (Tiler){0});
    is_refused(tiled_mma_fragment(&volta, 'A'), "there is no atom", "an atom not found");
    ok(tiled_mma_threads(&volta) == 0, "which has no threads");
}

/* -- Copy -------------------------------------------------------------------------------------- */
static const struct {
    int64_t n[2];
    int threads, vec, major;
    const char *tv; /* NULL: refused */
} copies[] = {
    {{128, 8}, 256, 4, 0, "((32,8),(4,1,1)):((4@0,1@1),(1@0,0,0))"},
    {{128, 32}, 256, 8, 1, "((4,64),(8,1,2)):((8@1,1@0),(1@1,0,64@0))"},
    {{128, 8}, 32, 1, 0, "((32,1),(1,4,8)):((1@0,0),(0,32@0,1@1))"},
    {{64, 64}, 128, 1, 1, "((64,2),(1,1,32)):((1@1,1@0),(0,0,2@0))"},
    {{16, 16}, 512, 1, 0, NULL},
    {{24, 16}, 16, 1, 0, NULL},
    {{16, 16}, 24, 1, 1, NULL},
    {{18, 16}, 8, 4, 0, NULL},
    {{16, 16}, 8, 0, 0, NULL},
    {{16, 16}, 0, 1, 0, NULL},
};

/* A bijection, in which each value 0..vec-1 is the next neighbour along major. */
static bool is_copy(Layout tv, const int64_t n[2], int vec, int major)
{
    Side side[2] = {{.tile = (int)n[0]}, {.tile = (int)n[1]}};
    int64_t first[LAYOUT_DIMS], c[LAYOUT_DIMS], threads = layout_size(layout_mode(tv, 0));
    for (int64_t at = 0; at < layout_size(tv); at++) {
        int64_t offset = at / threads % vec;
        layout_coord_at(tv, at, c);
        layout_coord_at(tv, at - threads * offset, first);
        if (c[major] != first[major] + offset || c[1 - major] != first[1 - major]) return false;
    }
    return covers(tv, side, 1);
}

static void test_copy(void)
{
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++) {
        const int64_t *n = copies[i].n;
        Layout tv = tiled_copy_tv(n, copies[i].threads, copies[i].vec, copies[i].major);
        char name[96];
        snprintf(name, sizeof name, "copy %dx%d, %d threads, %d along %d", (int)n[0], (int)n[1],
                 copies[i].threads, copies[i].vec, copies[i].major);
        if (!copies[i].tv) {
            is_refused(tv, "tiled_copy", name);
            continue;
        }
        Layout want = layout_parse(copies[i].tv);
        if (!ok(layout_equal(layout_coalesce_by(tv, layout_parse("(1,1)")),
                             layout_coalesce_by(want, layout_parse("(1,1)"))),
                "%s = %s", name, copies[i].tv))
            diag("got %s", show(tv).s);
        ok(is_copy(tv, n, copies[i].vec, copies[i].major), "%s is a bijection", name);
    }
}

/* Value val(p,q) of thread thr(i,j) lies at (p + P*i, q + Q*j) of the tile. */
static void check_made(Property *p, const char *thr_text, const char *val_text)
{
    Layout thr = layout_parse(thr_text), val = layout_parse(val_text);
    TiledCopy copy = tiled_copy_make(thr, val, 1);
    int64_t I = layout_size(layout_mode(thr, 0)), J = layout_size(layout_mode(thr, 1));
    int64_t P = layout_size(layout_mode(val, 0)), Q = layout_size(layout_mode(val, 1));
    bool right = layout_ok(copy.tv) && copy.n[0] == I * P && copy.n[1] == J * Q;
    for (int64_t t = 0; right && t < I * J; t++)
        for (int64_t v = 0; right && v < P * Q; v++) {
            int64_t at[] = {layout_at(thr, t), layout_at(val, v)};
            int64_t row = v % P + P * (t % I), col = v / P + Q * (t / I);
            right = layout_at_nd(copy.tv, at, 2) == row + I * P * col;
        }
    check(p, right, "thr %s val %s: tv %s of %d x %d", thr_text, val_text, show(copy.tv).s,
          (int)copy.n[0], (int)copy.n[1]);
}

static void test_copy_made(void)
{
    static const char *const thr[] = {"(32,8)", "(32,8):(8,1)", "((2,4),4):((1,8),2)", "(1,32)"};
    static const char *const val[] = {"(4,1)", "(1,8)", "(2,2):(2,1)", "(1,1)",
                                      "(2,(2,2)):(4,(1,2))"};
    Property p = {.name = "values of a thread are neighbours, threads lie as asked"};
    for (size_t i = 0; i < sizeof thr / sizeof *thr; i++)
        for (size_t j = 0; j < sizeof val / sizeof *val; j++) check_made(&p, thr[i], val[j]);
    report(&p, 1);
    TiledCopy copy = tiled_copy_make(layout_parse("(32,8)"), layout_parse("(4,1)"), 4);
    is_layout(copy.tv, "(256,4):(4,1)", "256 threads, four rows each");
    Layout tv = tiled_copy_thrfrg(&copy, layout_identity(2, (int64_t[]){128, 8}));
    Layout by_hand = tiled_copy_tv((int64_t[]){128, 8}, 256, 4, 0);
    ok(layout_equal(layout_coalesce(tv), layout_coalesce(by_hand)),
       "the same as 128x8, 256 threads, 4 along 0");
    Tensor data = tensor_counting(0, layout_parse("(256,16):(1,300)"));
    Tensor part = tiled_copy_partition(&copy, data, 33);
    is_layout(part.layout, "((4,1),2,2):((1,0),128,2400)", "a thread's part of four tiles");
    ok(arith_value(tensor_at(&part, 0)) == 304, "it begins at row 4 of column 1");
}

/* A copy that follows a mma gives each thread what the mma does. */
static void test_copy_of_mma(void)
{
    Property p = {.name = "a copy that follows A, B or C gives each thread what the mma does"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (const char *op = "ABC"; *op; op++) {
            TiledMma mma = tiled(&cases[i]);
            TiledCopy copy = tiled_copy_mma(&mma, *op, 1);
            Layout tile = layout_identity(2, copy.n);
            Layout got = tiled_copy_thrfrg(&copy, tile);
            Layout want = tiled_mma_by_index(&mma, tiled_mma_tv(&mma, *op));
            int64_t a[LAYOUT_DIMS], b[LAYOUT_DIMS];
            bool same = layout_ok(got) && layout_size(got) == layout_size(want);
            for (int64_t at = 0; same && at < layout_size(want); at++)
                same = layout_coord_at(got, at, a) && layout_coord_at(want, at, b) &&
                       a[0] == b[0] && a[1] == b[1];
            check(&p, same, "case %d, %c: %s, not %s", (int)i, *op, show(got).s, show(want).s);
        }
    report(&p, 1);
}

static void test_copy_refusals(void)
{
    TiledCopy copy = tiled_copy_make(layout_parse("(4,8):(16,1)"), layout_parse("(2,2)"), 1);
    is_refused(copy.tv, "thr (4,8):(16,1) is no bijection", "threads with gaps");
    copy = tiled_copy_make(layout_parse("(4,8)"), layout_parse("(2,2):(1,1)"), 1);
    is_refused(copy.tv, "val (2,2):(1,1) is no bijection", "values twice");
    copy = tiled_copy_make(layout_parse("(4,8)"), layout_parse("(2,2,2)"), 1);
    is_refused(copy.tv, "more than two modes", "values of three modes");
    copy = tiled_copy_make(layout_parse("(4,8)"), layout_parse("(2,2)"), 3);
    is_refused(tiled_copy_thrfrg(&copy, layout_parse("(8,16)")), "vectors of 3 do not divide 4",
               "vectors of 3");
    is_refused(tiled_copy_thrfrg(&copy, layout_parse("(8,24)")), "do not divide the data's 24",
               "a tile and a half");
}

int main(void)
{
    test_mma();
    test_neighbours();
    test_refusals();
    test_one_quadpair();
    test_four_quadpairs();
    test_permutation();
    test_warpgroup();
    test_tiles();
    test_data();
    test_copy();
    test_copy_made();
    test_copy_of_mma();
    test_copy_refusals();
    return tap_done();
}
