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
    const char *perm_m, *perm_n; /* "": none */
} Case;

#define FMA "FMA_1x1x1_F32F32F32F32"
#define MMA "SM80_16x8x16_F32F16F16F32_TN"

static const Case cases[] = {
    {FMA, 1, 1, 1, 1, 1, "", ""},
    {FMA, 16, 16, 128, 128, 8, "", ""},
    {FMA, 16, 16, 128, 128, 8, "(16,4,2):(4,1,64)", "(16,4,2):(4,1,64)"},
    {FMA, 8, 4, 32, 8, 3, "(8,4):(4,1)", "8:1"},
    {MMA, 1, 1, 16, 8, 16, "", ""},
    {MMA, 2, 4, 128, 128, 32, "", ""},
    {MMA, 4, 1, 128, 64, 16, "", "(2,4,8):(1,16,2)"},
    {MMA, 2, 2, 64, 32, 32, "(8,2,4):(1,32,8)", "(8,2,2):(1,16,8)"},
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
    };
}

/* -- The direct computation -------------------------------------------------------------------- */
/* One dimension of an operand, as tiled.h describes it. */
typedef struct {
    int atom, thr, tile;
    Layout perm;
} Side;

static Side side_of(const TiledMma *mma, char dim)
{
    if (dim == 'm') return (Side){mma->atom->m, mma->thr_m, mma->tile_m, mma->perm_m};
    if (dim == 'n') return (Side){mma->atom->n, mma->thr_n, mma->tile_n, mma->perm_n};
    return (Side){mma->atom->k, 1, mma->tile_k, layout_leaf(mma->tile_k, 1)};
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
    int64_t thr_m = w.t / threads % mma->thr_m, thr_n = w.t / threads / mma->thr_m;
    layout_coord_at(mma_atom_tv(mma->atom, operand), w.t % threads + threads * w.v, c);
    out[0] = placed(&side[0], c[0], operand == 'B' ? thr_n : thr_m, w.r0);
    out[1] = placed(&side[1], c[1], operand == 'C' ? thr_n : 0, w.r1);
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
    return layout_rank(tv) == 2 && layout_rank(t) == 3 && layout_rank(v) == 3 &&
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
    int copies = operand == 'A' ? mma->thr_n : operand == 'B' ? mma->thr_m : 1;
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
    is_layout(tiled_mma_tv(&mma, 'A'), "((1,16,16),(1,(4,2),8)):((0,4@0,0),(0,(1@0,64@0),1@1))",
              "simt A, four neighbouring rows a thread");
    is_layout(tiled_mma_tv(&mma, 'B'), "((1,16,16),(1,(4,2),8)):((0,0,4@0),(0,(1@0,64@0),1@1))",
              "simt B, four neighbouring columns a thread");
    is_layout(tiled_mma_tv(&mma, 'C'),
              "((1,16,16),(1,(4,2),(4,2))):((0,4@0,4@1),(0,(1@0,64@0),(1@1,64@1)))", "simt C");
    mma = tiled(&cases[5]);
    is_layout(tiled_mma_tv(&mma, 'A'),
              "(((4,8),2,4),((2,2,2),4,2)):(((2@1,1@0),16@0,0),((1@1,8@0,8@1),32@0,16@1))",
              "mma A");
    mma.perm_m = (Layout){0};
    ok(layout_equal(tiled_mma_tv(&mma, 'A'),
                    layout_parse("(((4,8),2,4),((2,2,2),4,2)):"
                                 "(((2@1,1@0),16@0,0),((1@1,8@0,8@1),32@0,16@1))")),
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

int main(void)
{
    test_mma();
    test_neighbours();
    test_refusals();
    test_copy();
    return tap_done();
}
