/*
 * Predicates: the examples of CuTe's documentation on tilings that are not perfect, with all
 * counts, and copies under predicates held against plain loops, byte for byte.
 */
#include "layout/predicate.h"
#include "tests/layouts.h"

typedef struct {
    char s[TENSOR_TEXT];
} Text;

static Text tensor_text(Tensor t)
{
    Text text;
    tensor_print(text.s, sizeof text.s, &t);
    return text;
}

static Arith at(int64_t i, int64_t j)
{
    return arith_ints(2, (int64_t[]){i, j});
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* -- 1000 by 128 ------------------------------------------------------------------------------- */
static void test_vector(void)
{
    Layout id = layout_parse("1000:1");
    Tensor tiled = tensor_logical_divide(tensor_identity(id), tiler_parse("128:1"));
    Text text = tensor_text(tiled);
    ok(strcmp(text.s, "counting_iter(0) o (128,8):(1,128)") == 0, "1000 by 128 is %s", text.s);
    static bool bit[1024];
    Predicate p = {bit, 1024, predicate_layout(tiled.layout, arith_int(1))};
    p = predicate_fill(p, &tiled, arith_int(1000));
    int inside = 0, last = 0, wrong = 0;
    for (int i = 0; i < 1024; i++) {
        inside += bit[i];
        last += bit[i] && i >= 7 * 128;
        wrong += bit[i] != (i < 1000);
    }
    ok(layout_ok(p.layout) && wrong == 0, "element i of (128,8) is inside where i < 1000");
    ok(inside == 1000 && last == 104, "1000 are inside, 104 of the last tile, 24 outside");
    ok(predicate_count(&tiled, arith_int(1000)) == 1000, "they are counted without a buffer");
}

/* Each tile of a vector copied to shared memory under its predicate. */
static void test_vector_copy(void)
{
    Property p[] = {{"1000 by 128: inside copied, outside untouched", 0, 0, ""}};
    int32_t gmem[1000], smem[128];
    for (int i = 0; i < 1000; i++) gmem[i] = 3 * i + 1;
    Tensor tiles =
        tensor_logical_divide(tensor_counting(0, layout_leaf(1000, 1)), tiler_parse("128:1"));
    Tensor to = tensor_counting(0, layout_parse("(128)"));
    for (int64_t tile = 0; tile < 8; tile++) {
        Tensor from = tensor_slice(tiles, arith_pair(arith_any(), arith_int(tile)));
        bool bit[128];
        Predicate pred =
            predicate_fill((Predicate){bit, 128, layout_leaf(128, 1)}, &from, arith_int(1000));
        for (int i = 0; i < 128; i++) smem[i] = -1;
        Arith copied = predicate_copy_if(&pred, &from, gmem, &to, smem, sizeof gmem[0]);
        int64_t want = least(128, 1000 - 128 * tile);
        check(&p[0], arith_ok(copied) && arith_value(copied) == want, "tile %d", (int)tile);
        for (int i = 0; i < 128; i++)
            check(&p[0], smem[i] == (i < want ? gmem[128 * tile + i] : -1), "tile %d at %d",
                  (int)tile, i);
    }
    report(p, 1);
}

/* -- 41 x 55 by 4 x 8 -------------------------------------------------------------------------- */
static void test_matrix(void)
{
    Property p[] = {{"each tile has as many inside as its cut with the matrix", 0, 0, ""}};
    Tensor id = tensor_identity(layout_parse("(41,55)"));
    Tensor grid = tensor_zipped_divide(id, tiler_parse("(4,8)"));
    int whole = 0, cut = 0;
    for (int64_t i = 0; i < 11; i++)
        for (int64_t j = 0; j < 7; j++) {
            Tensor tile = tensor_local_tile(id, tiler_parse("(4,8)"), at(i, j));
            int64_t inside = predicate_count(&tile, at(41, 55));
            check(&p[0], inside == least(4, 41 - 4 * i) * least(8, 55 - 8 * j), "tile %d,%d: %d",
                  (int)i, (int)j, (int)inside);
            whole += inside == 32;
            cut += inside < 32;
        }
    report(p, 1);
    ok(layout_size(layout_mode(grid.layout, 1)) == 77 && whole == 60 && cut == 17,
       "77 tiles, 60 of them whole: 41/4 is 10 remainder 1, 55/8 is 6 remainder 7");
    ok(tensor_size(&grid) == 2464 && predicate_count(&grid, at(41, 55)) == 2255,
       "2255 of 2464 elements are inside");
    Tensor corner = tensor_local_tile(id, tiler_parse("(4,8)"), at(10, 6));
    ok(predicate_count(&corner, at(41, 55)) == 7, "7 of 32 in the last tile");
    Tensor edge = tensor_local_tile(id, tiler_parse("(4,8)"), at(10, 0));
    ok(predicate_count(&edge, at(41, 55)) == 8, "8 of 32 in the last row's first tile");
}

/* -- The epilogue: C := alpha * acc + beta * C under predicates -------------------------------- */
enum { M = 41, N = 55, LD = 60 };

static void axpby(float *C, Layout thr, int64_t i, int64_t j)
{
    Tiler cta = tiler_parse("(16,16,8)");
    Arith coord = arith_tuple(3, (Arith[]){arith_int(i), arith_int(j), arith_any()});
    Arith step = arith_parse("(1,1,X)");
    Tensor mC = tensor_counting(0, layout_parse("(41,55):(60,1)"));
    Tensor cC = tensor_identity(layout_parse("(41,55)"));
    Tensor gC = tensor_local_tile_step(mC, cta, coord, step);
    Tensor cta_cC = tensor_local_tile_step(cC, cta, coord, step);
    for (int64_t t = 0; t < layout_size(thr); t++) {
        Tensor tCgC = tensor_local_partition(gC, thr, t);
        Tensor tCcC = tensor_local_partition(cta_cC, thr, t);
        for (int64_t v = 0; v < tensor_size(&tCgC); v++) {
            if (!arith_elem_less(tensor_at(&tCcC, v), at(M, N))) continue;
            float *c = &C[arith_value(tensor_at(&tCgC, v))];
            *c = 2 * 10 + 3 * *c;
        }
    }
}

static void test_epilogue(void)
{
    Property p[] = {{"alpha*acc + beta*C inside, C elsewhere", 0, 0, ""}};
    static float C[(M + 8) * LD];
    for (int i = 0; i < (M + 8) * LD; i++) C[i] = (float)i;
    for (int64_t i = 0; i < 3; i++)
        for (int64_t j = 0; j < 4; j++) axpby(C, layout_parse("(8,4):(4,1)"), i, j);
    for (int i = 0; i < (M + 8) * LD; i++) {
        bool inside = i / LD < M && i % LD < N;
        check(&p[0], C[i] == (inside ? 20 + 3 * (float)i : (float)i), "element %d", i);
    }
    report(p, 1);
}

/* -- Loads of A: m predicated once and shared along k, k by its own bound ---------------------- */
enum { BM = 32, BK = 16 };

typedef struct {
    Tensor data, coords; /* (THR_M,THR_K,k) */
    Predicate rows;      /* (THR_M,THR_K):(1,0) */
    bool bit[8];
} Load;

/* Thread t's part of A's tiles in block row i; (m,_) bounds m and leaves k alone. */
static void begin_load(Load *load, Layout A, Layout thr, int64_t i, int64_t t)
{
    Tiler cta = tiler_parse("(32,32,16)");
    Arith coord = arith_tuple(3, (Arith[]){arith_int(i), arith_int(0), arith_any()});
    Arith step = arith_parse("(1,X,1)");
    Tensor gA = tensor_local_tile_step(tensor_counting(0, A), cta, coord, step);
    Tensor cta_cA = tensor_local_tile_step(tensor_identity(A), cta, coord, step);
    load->data = tensor_local_partition(gA, thr, t);
    load->coords = tensor_local_partition(cta_cA, thr, t);
    Tensor first = tensor_slice(load->coords, arith_parse("(_,_,0)"));
    int64_t m = layout_size(layout_mode(A, 0));
    load->rows = (Predicate){load->bit, 8, predicate_layout(first.layout, arith_parse("(1,X)"))};
    load->rows = predicate_fill(load->rows, &first, arith_pair(arith_int(m), arith_any()));
}

/* One tile along k into smem; true where it all went well. The last tile may stick out along k and
 * has a predicate of its own. */
static bool load_tile(Load *load, Layout A, Layout thr, int64_t t, int64_t k, const int *a,
                      int *smem)
{
    Arith tile = arith_tuple(3, (Arith[]){arith_any(), arith_any(), arith_int(k)});
    Tensor from = tensor_slice(load->data, tile), coords = tensor_slice(load->coords, tile);
    Tensor sA = tensor_counting(0, layout_parse("(32,16)"));
    Tensor to = tensor_local_partition(sA, thr, t);
    Predicate p = load->rows;
    bool bit[16];
    Arith shape = arith_shape(A);
    bool residue = (k + 1) * BK > layout_size(layout_mode(A, 1));
    if (residue)
        p = predicate_fill((Predicate){bit, 16, predicate_layout(from.layout, arith_int(1))},
                           &coords, shape);
    Arith copied = predicate_copy_if(&p, &from, a, &to, smem, sizeof *a);
    return layout_ok(p.layout) && arith_ok(copied) &&
           arith_value(copied) == predicate_count(&coords, shape);
}

static void try_loads(Property *p, Layout A, int m, int k)
{
    static int a[100 * 64], smem[BM * BK];
    Layout thr = layout_parse("(8,4):(4,1)");
    for (int i = 0; i < 100 * 64; i++) a[i] = i + 1;
    for (int i = 0; i < (m + BM - 1) / BM; i++)
        for (int kt = 0; kt < (k + BK - 1) / BK; kt++) {
            for (int e = 0; e < BM * BK; e++) smem[e] = 0;
            bool fine = true;
            for (int t = 0; t < 32; t++) {
                Load load;
                begin_load(&load, A, thr, i, t);
                fine &= load_tile(&load, A, thr, t, kt, a, smem);
            }
            check(p, fine, "block %d, tile %d", i, kt);
            for (int e = 0; e < BM * BK; e++) {
                int row = BM * i + e % BM, col = BK * kt + e / BM;
                int want = row < m && col < k ? a[row * 64 + col] : 0;
                check(p, smem[e] == want, "block %d, tile %d, element %d", i, kt, e);
            }
        }
}

static void test_loads(void)
{
    Property p[] = {{"A of 70x48: m predicated, k even", 0, 0, ""},
                    {"A of 100x41: m predicated, k's residue apart", 0, 0, ""}};
    try_loads(&p[0], layout_parse("(70,48):(64,1)"), 70, 48);
    try_loads(&p[1], layout_parse("(100,41):(64,1)"), 100, 41);
    report(p, 2);
    Load load;
    begin_load(&load, layout_parse("(70,48):(64,1)"), layout_parse("(8,4)"), 2, 5);
    is_layout(load.rows.layout, "(4,4):(1,0)", "the predicates of A, shared along k");
    ok(load.bit[0] && !load.bit[1] && !load.bit[2] && !load.bit[3],
       "rows 69, 77, 85, 93 of 70: one is inside");
}

/* -- Refusals ---------------------------------------------------------------------------------- */
static void is_bad(Predicate p, const char *rule, const char *name)
{
    is_refused(p.layout, rule, name);
}

static void test_refusals(void)
{
    bool bit[32];
    Tensor tile = tensor_local_tile(tensor_identity(layout_parse("(41,55)")), tiler_parse("(4,8)"),
                                    at(10, 6));
    Layout L = tile.layout, rows = predicate_layout(L, arith_parse("(1,X)"));
    is_layout(rows, "(4,8):(1,0)", "predicate_layout, rows");
    is_layout(predicate_layout(layout_parse("((2,3),4)"), arith_parse("(1,1)")),
              "((2,3),4):((1,2),6)", "predicate_layout, all");
    is_layout(predicate_layout(layout_parse("(2,3,4)"), arith_parse("(X,1,1)")), "(2,3,4):(0,1,3)",
              "predicate_layout, the last two");
    is_refused(predicate_layout(L, arith_parse("(1,X,1)")), "the step has 3 entries",
               "a long step");
    is_bad(predicate_fill((Predicate){bit, 32, rows}, &tile, at(41, 55)),
           "(4,8):(1,0) for (4,8):(1@0,1@1): elements that share an answer differ",
           "a k-residue shared along k");
    is_bad(
        predicate_fill((Predicate){bit, 31, predicate_layout(L, arith_int(1))}, &tile, at(41, 55)),
        "too small", "a short buffer");
    is_bad(predicate_fill((Predicate){bit, 32, layout_leaf(31, 1)}, &tile, at(41, 55)),
           "the sizes differ", "another size");
    is_bad(predicate_fill((Predicate){bit, 32, layout_leaf(32, -1)}, &tile, at(41, 55)),
           "integers >= 0", "a negative stride");
    Tensor gone = tensor_poison("gone");
    is_bad(predicate_fill((Predicate){bit, 32, rows}, &gone, at(41, 55)), "gone",
           "poisoned coordinates");
    ok(!predicate_at(&gone, at(41, 55), 0) && predicate_count(&gone, at(41, 55)) == 0,
       "nothing of a poisoned tensor is inside");
}

static void test_refused_copies(void)
{
    bool bit[4] = {true, true, false, true};
    char from[8] = "abcdefg", to[8] = "-------";
    Predicate p = {bit, 4, layout_leaf(4, 1)};
    Tensor four = tensor_counting(0, layout_leaf(4, 1)),
           five = tensor_counting(0, layout_leaf(5, 1));
    Tensor coords = tensor_identity(layout_parse("(2,2)")),
           two = tensor_counting(0, layout_leaf(4, 2));
    Arith copied[] = {predicate_copy_if(&p, &four, from, &five, to, 1),
                      predicate_copy_if(&p, &coords, from, &four, to, 1),
                      predicate_copy_if(&p, &four, from, &coords, to, 1),
                      predicate_copy_if(&p, &five, from, &five, to, 1)};
    ok(!arith_ok(copied[0]) && strstr(copied[0].why, "differ in size"), "sizes that differ");
    ok(!arith_ok(copied[1]) && strstr(copied[1].why, "coordinates"), "a source of coordinates");
    ok(!arith_ok(copied[2]) && !arith_ok(copied[3]), "a target of coordinates, another predicate");
    ok(strcmp(to, "-------") == 0, "nothing was written");
    Arith n = predicate_copy_if(&p, &two, from, &four, to, 1);
    ok(arith_value(n) == 3 && strcmp(to, "ac-g---") == 0, "3 of 4 copied: %s", to);
}

int main(void)
{
    test_vector();
    test_vector_copy();
    test_matrix();
    test_epilogue();
    test_loads();
    test_refusals();
    test_refused_copies();
    return tap_done();
}
