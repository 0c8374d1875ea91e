/*
 * Division and product, held against the post-conditions in layout.h and against known answers of
 * CuTe's documentation.
 */
#include "tests/layouts.h"

typedef Layout Tiling(Layout a, Tiler t);

static const struct {
    const char *name;
    Tiling *op;
    const char *a, *tiler, *result;
} answers[] = {
    {"logical_divide", layout_logical_divide, "16:3", "4:1", "(4,4):(3,12)"},
    {"logical_divide", layout_logical_divide, "(4,2,3):(2,1,8)", "4:2",
     "((2,2),(2,3)):((4,1),(2,8))"},
    {"logical_divide", layout_logical_divide, "(9,(4,8)):(59,(13,1))", "<3:3,(2,4):(1,8)>",
     "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))"},
    {"zipped_divide", layout_zipped_divide, "(9,(4,8)):(59,(13,1))", "<3:3,(2,4):(1,8)>",
     "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))"},
    {"tiled_divide", layout_tiled_divide, "(9,(4,8)):(59,(13,1))", "<3:3,(2,4):(1,8)>",
     "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))"},
    {"flat_divide", layout_flat_divide, "(9,(4,8)):(59,(13,1))", "<3:3,(2,4):(1,8)>",
     "(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))"},
    {"zipped_divide", layout_zipped_divide, "(8,8,5):(1,8,64)", "(4,2)",
     "((4,2),(2,4,5)):((1,8),(4,16,64))"},
    {"zipped_divide", layout_zipped_divide, "(128,64):(1@0,1@1)", "(16,8)",
     "((16,8),(8,8)):((1@0,1@1),(16@0,8@1))"},
    {"zipped_divide", layout_zipped_divide, "24:1", "<8:1>", "((8),(3)):((1),(8))"},
    {"tiled_divide", layout_tiled_divide, "(4,6):(1,4)", "4:1", "(4,6):(1,4)"},
    {"flat_divide", layout_flat_divide, "(4,2,3):(2,1,8)", "4:2", "(2,2,2,3):(4,1,2,8)"},
    {"logical_product", layout_logical_product, "(2,2):(4,1)", "6:1",
     "((2,2),(2,3)):((4,1),(2,8))"},
    {"logical_product", layout_logical_product, "(2,2):(4,1)", "(4,2):(2,1)",
     "((2,2),(4,2)):((4,1),(8,2))"},
    {"logical_product", layout_logical_product, "(2,5):(5,1)", "<3:5,4:6>",
     "((2,3),(5,4)):((5,10),(1,30))"},
    {"zipped_product", layout_zipped_product, "(2,5):(5,1)", "<3:5,4:6>",
     "((2,5),(3,4)):((5,1),(10,30))"},
    {"tiled_product", layout_tiled_product, "(2,5):(5,1)", "<3:5,4:6>",
     "((2,5),3,4):((5,1),10,30)"},
};

static void test_answers(void)
{
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        char name[LAYOUT_TEXT];
        snprintf(name, sizeof name, "%s(%s, %s)", answers[i].name, answers[i].a, answers[i].tiler);
        is_layout(answers[i].op(layout_parse(answers[i].a), tiler_parse(answers[i].tiler)),
                  answers[i].result, name);
    }
    Layout block = layout_parse("(2,5):(5,1)"), grid = layout_parse("(3,4):(1,3)");
    is_layout(layout_blocked_product(block, grid), "((2,3),(5,4)):((5,10),(1,30))",
              "blocked_product");
    is_layout(layout_raked_product(block, grid), "((3,2),(4,5)):((10,5),(30,1))", "raked_product");
    is_layout(layout_blocked_product(layout_leaf(2, 2), layout_leaf(4, 1)),
              "((2,(2,2))):((2,(1,4)))", "blocked_product of leaves, the second one split");
    is_layout(layout_blocked_product(layout_leaf(2, 1), grid), "((2,3),(1,4)):((1,2),(0,6))",
              "blocked_product pads the block");
}

static void test_refusals(void)
{
    Layout A = layout_parse("(4,6):(1,8)");
    is_refused(layout_logical_divide(A, tiler_parse("6:1")), "the part 4 does not divide 6",
               "a tile that ends inside a mode");
    is_refused(layout_zipped_divide(A, tiler_parse("(2,2,2)")),
               "zipped_divide: (4,6):(1,8): the tiler", "a tiler with more modes");
    is_refused(layout_flat_divide(A, tiler_parse("<4:1,(2,2):(1,1)>")), "complement: (2,2):(1,1)",
               "a tile that overlaps itself");
    is_refused(layout_logical_product(A, tiler_parse("2:-1")), "product: 2:-1",
               "a negative product");
    is_refused(layout_tiled_divide(A, tiler_parse("<2,")), "expected a number",
               "an unreadable tiler");
    is_refused(layout_raked_product(layout_parse("(2,2):(1,1)"), A), "overlaps",
               "an overlapping block");
}

/* -- Properties of division -------------------------------------------------------------------- */
enum { AS_DEFINED, TILE, PERMUTES, ZIPPED, FLAT, DIVISION };

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The same values, each as often. */
static bool same_values(Layout a, Layout b)
{
    enum { MOST = 4096 };
    static int64_t x[MOST], y[MOST];
    int64_t n = layout_size(a);
    if (n != layout_size(b) || n > MOST) return false;
    for (int64_t i = 0; i < n; i++) {
        x[i] = layout_at(a, i);
        y[i] = layout_at(b, i);
    }
    qsort(x, (size_t)n, sizeof x[0], ascending);
    qsort(y, (size_t)n, sizeof y[0], ascending);
    return memcmp(x, y, (size_t)n * sizeof x[0]) == 0;
}

static bool same_function(Layout a, Layout b)
{
    if (layout_size(a) != layout_size(b)) return false;
    for (int64_t i = 0; i < layout_size(a); i++)
        if (layout_at(a, i) != layout_at(b, i)) return false;
    return true;
}

static void check_whole(Layout A, Layout B, Property p[])
{
    Layout R = layout_logical_divide(A, tiler_whole(B));
    if (!layout_ok(R)) return;
    Layout both = layout_pair(B, layout_complement(B, layout_size(A)));
    bool right = layout_size(R) == layout_size(both);
    for (int64_t i = 0; i < layout_size(R) && right; i++)
        right = layout_at(R, i) == layout_at(A, layout_at(both, i));
    check(&p[AS_DEFINED], right, "%s by %s = %s", show(A).s, show(B).s, show(R).s);
    check(&p[TILE], layout_rank(R) == 2 && layout_size(layout_mode(R, 0)) == layout_size(B),
          "%s by %s = %s", show(A).s, show(B).s, show(R).s);
    if (layout_cosize(both) == layout_size(A) && layout_size(both) == layout_size(A))
        check(&p[PERMUTES], same_values(R, A), "%s by %s = %s", show(A).s, show(B).s, show(R).s);
}

/* Element (i,j) of tile (k,l), whichever way the modes are grouped. */
static void check_by_mode(Layout A, Tiler t, Property p[])
{
    Layout logical = layout_logical_divide(A, t), zipped = layout_zipped_divide(A, t);
    if (!layout_ok(logical)) return;
    Layout regrouped = layout_pair(layout_pair(layout_mode(layout_mode(logical, 0), 0),
                                               layout_mode(layout_mode(logical, 1), 0)),
                                   layout_pair(layout_mode(layout_mode(logical, 0), 1),
                                               layout_mode(layout_mode(logical, 1), 1)));
    check(&p[ZIPPED], layout_equal(zipped, regrouped), "%s zipped is %s", show(logical).s,
          show(zipped).s);
    check(&p[FLAT],
          same_function(layout_flat_divide(A, t), zipped) &&
              same_function(layout_tiled_divide(A, t), zipped),
          "%s by mode", show(A).s);
}

static void test_division(void)
{
    static const Alphabet whole = {4, 2, {1, 2, 3, 4}, {1, 5}};
    static const Alphabet tile = {4, 4, {1, 2, 3, 4}, {1, 2, 3, 4}};
    Property p[DIVISION] = {{.name = "logical_divide: R = A o (B, complement(B, size A))"},
                            {.name = "logical_divide: mode 0 has the tile's size"},
                            {.name = "logical_divide by an even tile permutes A"},
                            {.name = "zipped_divide gathers the modes of logical_divide"},
                            {.name = "tiled_divide and flat_divide are the same function"}};
    for (int i = 0; i < count_layouts(&whole, 3); i++)
        for (int j = 0; j < count_layouts(&tile, 2); j++)
            check_whole(nth_layout(&whole, i), nth_layout(&tile, j), p);
    Random r = {362436069u};
    for (int i = 0; i < 20000; i++) {
        Layout A = layout_pair(random_layout(&r, 1, 30), random_layout(&r, 1, 30));
        Tiler t = {.rank = 2, .mode = {random_layout(&r, 1, 4), random_layout(&r, 1, 4)}};
        check_by_mode(A, t, p);
    }
    report(p, DIVISION);
}

/* -- Properties of the product ----------------------------------------------------------------- */
enum { FIRST, REPEATS, DISTINCT, BLOCKED, RAKED, PRODUCT };

static bool is_injective(Layout L)
{
    static bool has[1 << 16];
    int64_t cosize = layout_cosize(L);
    if (cosize < 0 || cosize > (int64_t)sizeof has) return false;
    memset(has, 0, (size_t)cosize);
    for (int64_t i = 0; i < layout_size(L); i++) {
        bool *at = &has[layout_at(L, i)];
        if (*at) return false;
        *at = true;
    }
    return true;
}

static void check_product(Layout A, Layout B, Property p[])
{
    Layout R = layout_logical_product(A, tiler_whole(B));
    if (!layout_ok(R)) return;
    Layout copies = layout_complement(A, layout_size(A) * layout_cosize(B));
    check(&p[FIRST], layout_equal(layout_mode(R, 0), A), "%s times %s = %s", show(A).s, show(B).s,
          show(R).s);
    bool repeats = layout_size(layout_mode(R, 1)) == layout_size(B);
    for (int64_t i = 0; i < layout_size(B) && repeats; i++)
        repeats = layout_at(layout_mode(R, 1), i) == layout_at(copies, layout_at(B, i));
    check(&p[REPEATS], repeats, "%s times %s = %s", show(A).s, show(B).s, show(R).s);
    if (is_injective(A) && is_injective(B))
        check(&p[DISTINCT], is_injective(R), "%s times %s = %s", show(A).s, show(B).s, show(R).s);
}

/* Blocks of a compact A: element (i,j) of block (k,l) is A(i,j) + size(A) * B(k,l). */
static void check_blocks(Random *r, Property p[])
{
    int64_t m = 1 + random_below(r, 4), n = 1 + random_below(r, 4), g = 1 + random_below(r, 4);
    int64_t h = 1 + random_below(r, 4);
    Layout A = layout_pair(layout_leaf(m, n), layout_leaf(n, 1));
    Layout B = layout_pair(layout_leaf(g, h), layout_leaf(h, 1));
    Layout blocked = layout_blocked_product(A, B), raked = layout_raked_product(A, B);
    bool is_blocked = true, is_raked = true;
    for (int64_t at = 0; at < m * n * g * h; at++) {
        int64_t i = at % m, j = at / m % n, k = at / (m * n) % g, l = at / (m * n * g);
        int64_t value = n * i + j + m * n * (h * k + l);
        is_blocked &= layout_at_nd(blocked, (int64_t[]){i + m * k, j + n * l}, 2) == value;
        is_raked &= layout_at_nd(raked, (int64_t[]){k + g * i, l + h * j}, 2) == value;
    }
    check(&p[BLOCKED], is_blocked, "%s, %s: %s", show(A).s, show(B).s, show(blocked).s);
    check(&p[RAKED], is_raked, "%s, %s: %s", show(A).s, show(B).s, show(raked).s);
}

static void test_product(void)
{
    static const Alphabet block = {3, 3, {1, 2, 4}, {1, 2, 5}};
    static const Alphabet grid = {4, 4, {1, 2, 3, 4}, {0, 1, 2, 4}};
    Property p[PRODUCT] = {{.name = "logical_product: mode 0 = A"},
                           {.name = "logical_product: mode 1 = complement o B"},
                           {.name = "logical_product of injective layouts is injective"},
                           {.name = "blocked_product: A in each place of B"},
                           {.name = "raked_product: A interleaved"}};
    for (int i = 0; i < count_layouts(&block, 3); i++)
        for (int j = 0; j < count_layouts(&grid, 2); j++)
            check_product(nth_layout(&block, i), nth_layout(&grid, j), p);
    Random r = {88675123u};
    for (int i = 0; i < 500; i++) check_blocks(&r, p);
    report(p, PRODUCT);
}

int main(void)
{
    test_answers();
    test_refusals();
    test_division();
    test_product();
    return tap_done();
}
