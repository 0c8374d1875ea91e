/*
 * Tensors of integers and of coordinates: the tables of CuTe's documentation, evaluation held
 * against sums of strides, and the post-conditions of slices, tiles and partitions in tensor.h.
 */
#include "layout/tensor.h"
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

static Text arith_text(Arith a)
{
    Text text;
    arith_print(text.s, sizeof text.s, a);
    return text;
}

static void is_text(Text got, const char *text, const char *name)
{
    if (!ok(strcmp(got.s, text) == 0, "%s = %s", name, text)) diag("got %s", got.s);
}

static void is_tensor(Tensor t, const char *text, const char *name)
{
    is_text(tensor_text(t), text, name);
}

static void is_bad(Tensor t, const char *rule, const char *name)
{
    if (!ok(!tensor_ok(&t) && strstr(tensor_why(&t), rule), "%s is refused: %s", name, rule))
        diag("got %s", tensor_text(t).s);
}

/* -- Tables ------------------------------------------------------------------------------------ */
static const char *const tables[] = {
    "counting_iter(42) o (4,5):(1,4):\n"
    "   42   46   50   54   58\n"
    "   43   47   51   55   59\n"
    "   44   48   52   56   60\n"
    "   45   49   53   57   61\n",

    "ArithTuple(0,0) o (4,5):(1@0,1@1):\n"
    "  (0,0)  (0,1)  (0,2)  (0,3)  (0,4)\n"
    "  (1,0)  (1,1)  (1,2)  (1,3)  (1,4)\n"
    "  (2,0)  (2,1)  (2,2)  (2,3)  (2,4)\n"
    "  (3,0)  (3,1)  (3,2)  (3,3)  (3,4)\n",

    "ArithTuple(0,0) o (4,5):(1@1,1@0):\n"
    "  (0,0)  (1,0)  (2,0)  (3,0)  (4,0)\n"
    "  (0,1)  (1,1)  (2,1)  (3,1)  (4,1)\n"
    "  (0,2)  (1,2)  (2,2)  (3,2)  (4,2)\n"
    "  (0,3)  (1,3)  (2,3)  (3,3)  (4,3)\n",

    "counting_iter(7) o (2,1,2):(1,0,10):\n    7\n    8\n----\n   17\n   18\n",
    "ArithTuple(5,(1,0)) o 3:2@1@1:\n  (5,(1,0))\n  (5,(1,2))\n  (5,(1,4))\n",
};

static void test_tables(void)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        char head[128], got[1024];
        snprintf(head, sizeof head, "%s", tables[i]);
        head[strcspn(head, "\n") - 1] = '\0'; /* without the colon */
        Tensor t = tensor_parse(head);
        int n = tensor_print_table(got, sizeof got, &t);
        if (!ok(strcmp(got, tables[i]) == 0 && n == (int)strlen(got), "the table of %s", head))
            diag("got %s", got);
    }
    char cut[8];
    Tensor t = tensor_counting(42, layout_parse("(4,5)"));
    ok(tensor_print_table(cut, sizeof cut, &t) == (int)strlen(tables[0]) && strlen(cut) == 7,
       "a short buffer is terminated and the full length told");
}

static void test_making(void)
{
    const char *intro = "ArithTuple(0,0,0,0) o ((128,64),2,3,1):((1@0,1@1),64@1,1@2,1@3)";
    Tensor t = tensor_parse(intro);
    is_tensor(t, intro, "a tensor of TMA coordinates, read and printed");
    is_text(arith_text(tensor_at_coord(&t, arith_parse("((3,5),1,2,0)"))), "(3,69,2,0)",
            "its value at ((3,5),1,2,0)");
    is_tensor(tensor_make(arith_int(0), layout_parse("(4,5):(1@0,1@1)")),
              "ArithTuple(0,0) o (4,5):(1@0,1@1)", "the base widened");
    is_tensor(tensor_make(arith_parse("(42,2,7)"), layout_parse("4:5@1")),
              "ArithTuple(42,2,7) o 4:5@1", "a base wider than the strides");
    is_tensor(tensor_identity(layout_parse("(4,(2,3))")),
              "ArithTuple(0,(0,0)) o (4,(2,3)):(1@0,(1@0@1,1@1@1))", "a nested identity");
    is_tensor(tensor_identity(layout_leaf(1000, 3)), "counting_iter(0) o 1000:1",
              "the identity of 1000");
    is_bad(tensor_parse("ArithTuple(0,0) o (4,5):(1,1@1)"), "does not fit the base", "(1,1@1)");
    is_bad(tensor_make(arith_int(3), layout_parse("4:1@0")), "an integer and a tuple", "3 o 4:1@0");
    is_bad(tensor_make(arith_parse("(_,0)"), layout_parse("4:1@1")), "_ is no number",
           "base (_,0)");
    is_bad(tensor_make(arith_int(0), layout_parse("(2,2):(1@0,1@1@0)")), "does not fit the base",
           "strides at odds");
    is_bad(tensor_identity(layout_parse("(((((2)))))")), "nests deeper than 4", "a deep identity");
    is_bad(tensor_parse("counting_iter(1,2) o 4:1"), "one start", "two starts");
    is_bad(tensor_parse("4:1"), "expected BASE o LAYOUT", "no base");
}

/* -- Evaluation -------------------------------------------------------------------------------- */
/* The natural coordinate of index i, nested as L from `at` on; what is left of i is in *i. */
static Arith natural(const Layout *L, int at, int64_t *i)
{
    const LayoutNode *node = &L->node[at];
    if (node->rank == LAYOUT_LEAF) {
        int64_t c = *i % node->shape;
        *i /= node->shape;
        return arith_int(c);
    }
    Arith entries[8];
    for (int k = 0, child = at + 1; k < node->rank; child += L->node[child].span, k++)
        entries[k] = natural(L, child, i);
    return arith_tuple(node->rank, entries);
}

static void test_evaluation(void)
{
    enum { SAME, INTEGERS, COORDS, NESTED, EVALUATION };
    Property p[EVALUATION] = {{"the identity at a natural coordinate is that coordinate", 0, 0, ""},
                              {"integer strides: base + layout_at", 0, 0, ""},
                              {"depth one: layout_coord_at", 0, 0, ""},
                              {"1-D, and nested coordinates: the same value", 0, 0, ""}};
    Random r = {.state = 7};
    for (int n = 0; n < 3000; n++) {
        Layout L = random_layout(&r, 3, 9);
        Tensor id = tensor_identity(L), count = tensor_counting(5, L);
        Layout flat = tensor_identity(layout_flatten(L)).layout;
        int64_t size = layout_size(L), i = random_below(&r, (int)size), rest = i, out[LAYOUT_DIMS];
        Arith c = natural(&L, 0, &rest), value = tensor_at(&id, i);
        check(&p[SAME], arith_equal(value, c), "%s at %d", show(L).s, (int)i);
        check(&p[NESTED], arith_equal(tensor_at_coord(&id, c), value), "%s at %d", show(L).s,
              (int)i);
        check(&p[INTEGERS], arith_value(tensor_at(&count, i)) == 5 + layout_at(L, i), "%s at %d",
              show(L).s, (int)i);
        if (!layout_coord_at(flat, i, out)) continue;
        Tensor t = tensor_make(arith_int(0), flat);
        Arith there = tensor_at(&t, i);
        bool same = true;
        for (int d = 0; d < arith_rank(there) && arith_is_tuple(there); d++)
            same &= arith_value(arith_mode(there, d)) == out[d];
        check(&p[COORDS], same, "%s at %d", show(flat).s, (int)i);
    }
    report(p, EVALUATION);
    Tensor t = tensor_parse("(0,0) o (4,5):(1@0,1@1)");
    int64_t c[] = {3, 9};
    is_text(arith_text(tensor_at_nd(&t, c, 2)), "(3,9)", "past the end of the last mode");
    Arith bad[] = {tensor_at(&t, -1), tensor_at_nd(&t, c, 1), tensor_at_coord(&t, arith_any())};
    ok(!arith_ok(bad[0]) && !arith_ok(bad[1]) && !arith_ok(bad[2]),
       "a negative index, too few, and _ have no value");
    Tensor wide = tensor_counting(INT64_MAX, layout_parse("4:1"));
    ok(!arith_ok(tensor_at(&wide, 1)), "an overflow is no value");
}

/* A layout whose strides are scaled basis elements of depth up to 4, all congruent with E<..>. */
static void test_deep(void)
{
    Tensor t = tensor_parse("0 o (4,(2,3),5):(1@3@2@1@0,(2@1@0@1,3@0@0@1),1@1@1)");
    is_text(arith_text(tensor_at_coord(&t, arith_parse("(3,(1,2),4)"))),
            "((0,(0,0,(0,0,0,3))),((6,2),4))", "paths four deep");
    t = tensor_parse("0 o (3,4,5,8):(2@1@0,1@1,5@1,1@0@0)");
    is_text(arith_text(tensor_at_coord(&t, arith_parse("(2,3,4,7)"))), "((7,4),23)",
            "2*2@1@0 + 3*1@1 + 4*5@1 + 7*1@0@0");
}

/* -- Slices ------------------------------------------------------------------------------------ */
static const struct {
    const char *tensor, *coord, *result;
} slices[] = {
    {"7 o (4,5):(1,4)", "(_,2)", "counting_iter(15) o (4):(1)"},
    {"7 o (4,5):(1,4)", "_", "counting_iter(7) o (4,5):(1,4)"},
    {"7 o (4,5):(1,4)", "(1,2)", "counting_iter(16) o ():()"},
    {"0 o (4,(2,3)):(1,(12,4))", "(_,(1,_))", "counting_iter(12) o (4,3):(1,4)"},
    {"0 o (4,(2,3)):(1,(12,4))", "(2,_)", "counting_iter(2) o ((2,3)):((12,4))"},
    {"0 o (4,(2,3)):(1,(12,4))", "(_,5)", "counting_iter(20) o (4):(1)"},
    {"(0,0) o (4,5):(1@0,1@1)", "(3,_)", "ArithTuple(3,0) o (5):(1@1)"},
    {"(1,1) o ((4,2),5):((2@0,1@0),1@1)", "((1,_),2)", "ArithTuple(3,3) o (2):(1@0)"},
};

static void test_slices(void)
{
    for (size_t i = 0; i < sizeof slices / sizeof slices[0]; i++) {
        char name[200];
        snprintf(name, sizeof name, "%s at %s", slices[i].tensor, slices[i].coord);
        is_tensor(tensor_slice(tensor_parse(slices[i].tensor), arith_parse(slices[i].coord)),
                  slices[i].result, name);
    }
    Tensor t = tensor_parse("0 o (4,5):(1,4)");
    is_bad(tensor_slice(t, arith_parse("(_,_,0)")), "nests differently", "three for two");
    is_bad(tensor_slice(t, arith_parse("(-1,_)")), "negative", "a negative coordinate");
    is_bad(tensor_slice(t, arith_parse("(1,")), "expected", "an unreadable coordinate");
}

/* Slices of a rank-3 tensor of coordinates by each pattern of `_`, everywhere. */
static void test_slice_property(void)
{
    Property p[] = {{"filling the _ gives the tensor's own value", 0, 0, ""}};
    Tensor t = tensor_parse("(1,(2,3)) o (3,4,(2,2)):(2@0,1@0@1,(5@1@1,1@0))");
    for (int mask = 1; mask < 7; mask++)
        for (int64_t i = 0; i < tensor_size(&t); i++) {
            int64_t full[] = {i % 3, i / 3 % 4, i / 12}, rest[3];
            Arith entries[3];
            int kept = 0;
            for (int m = 0; m < 3; m++) {
                entries[m] = mask >> m & 1 ? arith_any() : arith_int(full[m]);
                if (mask >> m & 1) rest[kept++] = full[m];
            }
            Tensor s = tensor_slice(t, arith_tuple(3, entries));
            check(&p[0], arith_equal(tensor_at_nd(&s, rest, kept), tensor_at_nd(&t, full, 3)),
                  "mask %d at %d", mask, (int)i);
        }
    report(p, 1);
}

/* -- Regrouping -------------------------------------------------------------------------------- */
static void test_regrouping(void)
{
    Tensor t = tensor_parse("(1,2) o (4,(6,8)):(1@0,(1@1,6@1))");
    is_tensor(tensor_flatten(t), "ArithTuple(1,2) o (4,6,8):(1@0,1@1,6@1)", "flatten");
    is_tensor(tensor_group(tensor_flatten(t), 0, 2), "ArithTuple(1,2) o ((4,6),8):((1@0,1@1),6@1)",
              "group");
    is_tensor(tensor_select(tensor_flatten(t), 2, (int[]){2, 0}),
              "ArithTuple(1,2) o (8,4):(6@1,1@0)", "select");
    Tensor id = tensor_identity(layout_parse("(128,64)"));
    Tiler tiler = tiler_parse("(16,8)");
    is_tensor(tensor_logical_divide(id, tiler),
              "ArithTuple(0,0) o ((16,8),(8,8)):((1@0,16@0),(1@1,8@1))", "logical_divide");
    is_tensor(tensor_zipped_divide(id, tiler),
              "ArithTuple(0,0) o ((16,8),(8,8)):((1@0,1@1),(16@0,8@1))", "zipped_divide");
    is_tensor(tensor_tiled_divide(id, tiler), "ArithTuple(0,0) o ((16,8),8,8):((1@0,1@1),16@0,8@1)",
              "tiled_divide");
    is_tensor(tensor_flat_divide(id, tiler), "ArithTuple(0,0) o (16,8,8,8):(1@0,1@1,16@0,8@1)",
              "flat_divide");
    is_tensor(tensor_composition(id, tiler), "ArithTuple(0,0) o (16,8):(1@0,1@1)", "composition");
    is_bad(tensor_group(id, 1, 4), "layout_group", "a group that is not there");
    is_bad(tensor_flat_divide(tensor_parse("0 o (4,6):(1,8)"), tiler_parse("6:1")), "the part",
           "a tile that ends inside a mode");
    is_bad(tensor_flatten(tensor_parse("0 o")), "expected BASE", "a poisoned tensor");
}

/* From the whole (128,128,3,1) to the document's first tensor, by tiling and slicing alone. */
static void test_intro(void)
{
    Tensor t = tensor_identity(layout_parse("(128,128,3,1)"));
    t = tensor_tiled_divide(t, tiler_parse("(128,64)"));
    t = tensor_slice(t, arith_parse("(_,0,_,_,_)"));
    is_tensor(t, "ArithTuple(0,0,0,0) o ((128,64),2,3,1):((1@0,1@1),64@1,1@2,1@3)",
              "the tiles of (128,128,3,1)");
}

/* -- Tiles ------------------------------------------------------------------------------------- */
static void test_tiles(void)
{
    Tensor C = tensor_identity(layout_parse("(100,70)")),
           A = tensor_identity(layout_parse("(100,48)"));
    Tiler cta = tiler_parse("(32,32,16)");
    Arith coord = arith_parse("(2,1,_)");
    is_tensor(tensor_local_tile_step(C, cta, coord, arith_parse("(1,1,X)")),
              "ArithTuple(64,32) o (32,32):(1@0,1@1)", "a CTA's tile of C");
    is_tensor(tensor_local_tile_step(A, cta, coord, arith_parse("(1,X,1)")),
              "ArithTuple(64,0) o (32,16,3):(1@0,1@1,16@1)", "a CTA's tiles of A, along k");
    is_tensor(tensor_local_tile_step(tensor_identity(layout_parse("(70,48)")), cta, coord,
                                     arith_parse("(X,1,1)")),
              "ArithTuple(32,0) o (32,16,3):(1@0,1@1,16@1)", "a CTA's tiles of B, along k");
    is_tensor(tensor_local_tile(A, tiler_parse("(32,16)"), arith_parse("(1)")),
              "ArithTuple(32,0) o (32,16,3):(1@0,1@1,16@1)", "a short coordinate is filled up");
    is_tensor(tensor_local_tile(A, tiler_parse("(32,16)"), arith_int(5)),
              "ArithTuple(32,16) o (32,16):(1@0,1@1)", "a tile by its number");
    is_tensor(tensor_local_tile(tensor_counting(0, layout_leaf(1000, 1)), tiler_parse("128:1"),
                                arith_int(7)),
              "counting_iter(896) o (128):(1)", "the last tile of 1000");
    is_bad(tensor_local_tile_step(C, cta, coord, arith_parse("(1,1)")), "differ in rank",
           "a short step");
    is_bad(tensor_local_tile_step(C, cta, arith_parse("(1,1)"), arith_parse("(1,1,X)")),
           "step (1,1,_), coordinate (1,1): step and coordinate", "a short coordinate");
    is_bad(tensor_local_tile_step(C, cta, coord, arith_parse("(X,X,X)")), "leaves nothing",
           "a step of X alone");
    is_bad(tensor_local_tile(C, tiler_parse("(32,32)"), arith_parse("(0,0,0)")),
           "nests differently", "a long coordinate");
}

static void test_tile_property(void)
{
    Property p[] = {{"41x55 by 4x8: tile (i,j) at (x,y) is (4i+x,8j+y)", 0, 0, ""}};
    Tensor id = tensor_identity(layout_parse("(41,55)"));
    Tensor grid = tensor_zipped_divide(id, tiler_parse("(4,8)"));
    is_tensor(grid, "ArithTuple(0,0) o ((4,8),(11,7)):((1@0,1@1),(4@0,8@1))",
              "41x55 by 4x8 rounds up");
    for (int64_t i = 0; i < 11; i++)
        for (int64_t j = 0; j < 7; j++) {
            Tensor tile =
                tensor_local_tile(id, tiler_parse("(4,8)"), arith_ints(2, (int64_t[]){i, j}));
            for (int64_t v = 0; v < 32; v++) {
                int64_t want[] = {4 * i + v % 4, 8 * j + v / 4};
                check(&p[0], arith_equal(tensor_at(&tile, v), arith_ints(2, want)), "%d,%d at %d",
                      (int)i, (int)j, (int)v);
            }
        }
    report(p, 1);
}

/* -- Partitions -------------------------------------------------------------------------------- */
static const char *const threads[] = {
    "(32,8)", "(32,8):(8,1)", "((4,8),(2,2)):((1,8),(4,64))", "(8,4):(1,16)", "(16,8):(0,1)",
};

/* How often each element of an n-element tensor appears in the parts of all threads. */
static void count_parts(Tensor t, Layout thr, int seen[])
{
    for (int64_t i = 0; i < layout_cosize(thr); i++) {
        Tensor part = tensor_local_partition(t, thr, i);
        for (int64_t v = 0; tensor_ok(&part) && v < tensor_size(&part); v++)
            seen[arith_value(tensor_at(&part, v))]++;
    }
}

static void test_partitions(void)
{
    Property p[] = {{"every element once over all threads", 0, 0, ""}};
    Tensor t = tensor_counting(0, layout_parse("(64,32)"));
    for (int n = 0; n < 4; n++) {
        int seen[64 * 32] = {0};
        count_parts(t, layout_parse(threads[n]), seen);
        for (int i = 0; i < 64 * 32; i++) check(&p[0], seen[i] == 1, "%s: %d", threads[n], i);
    }
    report(p, 1);
    Tensor A = tensor_parse("(64,0) o (32,16,3):(1@0,1@1,16@1)");
    Layout thr = layout_parse("(8,4)");
    is_tensor(tensor_local_partition(A, thr, 13), "ArithTuple(69,1) o (4,4,3):(8@0,4@1,16@1)",
              "thread 13's part of A");
    is_tensor(tensor_local_partition(A, layout_parse("(8,4):(4,1)"), 13),
              "ArithTuple(67,1) o (4,4,3):(8@0,4@1,16@1)", "threads counted along rows");
    is_tensor(tensor_local_partition_step(A, layout_parse("(8,2,4)"), 37, arith_parse("(1,X,1)")),
              "ArithTuple(69,2) o (4,4,3):(8@0,4@1,16@1)", "a step leaves a mode of threads out");
    is_tensor(tensor_local_partition(tensor_parse("5 o 24:1"), layout_leaf(8, 1), 3),
              "counting_iter(8) o (3):(8)", "one mode");
    is_tensor(
        tensor_local_partition(tensor_parse("0 o (16,8):(1,16)"), layout_parse(threads[4]), 3),
        "counting_iter(48) o (1,1):(0,0)", "a mode of threads with stride 0");
    is_bad(tensor_local_partition(A, thr, 32), "thread 32 of (8,4):(1,8): no thread has",
           "thread 32");
    is_bad(tensor_local_partition(A, thr, -1), "negative", "thread -1");
    is_bad(tensor_local_partition(A, layout_parse("(8,4):(1@0,1@1)"), 0), "coordinates as strides",
           "threads that are coordinates");
    is_bad(tensor_local_partition_step(A, thr, 0, arith_parse("(1,1,1)")), "differ in rank",
           "a long step");
    is_bad(tensor_local_partition(A, layout_poison("gone"), 0), "gone", "poisoned threads");
}

int main(void)
{
    test_tables();
    test_making();
    test_evaluation();
    test_deep();
    test_slices();
    test_slice_property();
    test_regrouping();
    test_intro();
    test_tiles();
    test_tile_property();
    test_partitions();
    return tap_done();
}
