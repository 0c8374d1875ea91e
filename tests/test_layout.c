/* Layouts as values: text both ways, evaluation, the shape of the tree. */
#include "tests/layouts.h"

static const char *round_trips[] = {
    "8:1",
    "1:0",
    "0:1",
    "():()",
    "(4):(1)",
    "(4,8):(8,1)",
    "((4,8),(2,2,2)):((32,1),(16,8,128))",
    "(4,(2,3)):(1,(8,16))",
    "(3,5):(-1,-3)",
    "(16,16):(1@0,1@1)",
    "(2,(3,4)):(5@2@0,(1@1,7@1@0))",
    "(4,()):(1,())",
    "6:2@3@2@1@0",
    "9223372036854775807:1",
    "2:9223372036854775806",
    "1:-9223372036854775808",
    "(2,2):(-9223372036854775807,9223372036854775806)",
    "(2,2):(4611686018427387904@0,4611686018427387904@1)",
    "(0,4294967296,2147483647):(1,1,1)",
};

static const struct {
    const char *text, *words;
} bad_texts[] = {
    {"", "expected a number"},
    {"(4,8", "expected ',' or ')'"},
    {"(4,8):(1,2", "expected ',' or ')'"},
    {"(4,8):1", "nest differently"},
    {"(4,8):(1,(2,3))", "nest differently"},
    {"4:1 5", "text after the end"},
    {"-4:1", "negative extent"},
    {"4:1@", "expected a number"},
    {"4:1@0@0@0@0@0", "bad basis element"},
    {"4:1@-1", "bad basis element"},
    {"99999999999999999999:1", "too large"},
    {"9223372036854775808:1", "too large"},
    {"1:-9223372036854775809", "too large"},
    {"(4294967296,2147483648)", "the product of the extents overflows"},
    {"2:9223372036854775807", "a value overflows"},
    {"(2,2):(4611686018427387904,4611686018427387904)", "a value overflows"},
    {"2:-9223372036854775808", "a value overflows"},
    {"((((((((((((((((((((((((((((((((((((((((((((((((((((((((((", "too many modes"},
};

static void test_text(void)
{
    for (size_t i = 0; i < sizeof round_trips / sizeof round_trips[0]; i++)
        is_layout(layout_parse(round_trips[i]), round_trips[i], "parse, then print");
    is_layout(layout_parse("(4,(2,3))"), "(4,(2,3)):(1,(4,8))", "a shape alone is compact");
    is_layout(layout_parse(" ( 4 , 8 ) : ( 1 , 4 ) "), "(4,8):(1,4)", "blanks");
    is_layout(layout_parse("4:0@1"), "4:0", "no direction in a stride of 0");
    for (size_t i = 0; i < sizeof bad_texts / sizeof bad_texts[0]; i++)
        is_refused(layout_parse(bad_texts[i].text), bad_texts[i].words, bad_texts[i].text);
}

static void test_print_bounds(void)
{
    Layout L = layout_parse("(4,(2,3)):(1,(8,16))");
    char buf[8] = "#######";
    int length = layout_print(buf, 5, L);
    ok(length == 20 && strcmp(buf, "(4,(") == 0 && buf[5] == '#', "print stays within its buffer");
    ok(layout_print(NULL, 0, L) == 20, "print tells the length without a buffer");
    char part[LAYOUT_TEXT];
    layout_print_shape(part, sizeof part, L);
    ok(strcmp(part, "(4,(2,3))") == 0, "print the shape");
    layout_print_stride(part, sizeof part, L);
    ok(strcmp(part, "(1,(8,16))") == 0, "print the stride");
    Layout all[LAYOUT_NODES - 1];
    for (int i = 0; i < LAYOUT_NODES - 1; i++) all[i] = layout_leaf(1, INT64_MIN);
    Layout wide = layout_tuple(LAYOUT_NODES - 1, all);
    for (int i = 1; i < LAYOUT_NODES; i++) {
        wide.node[i].shape = INT64_MAX;
        memset(wide.node[i].basis, 255, LAYOUT_PATH);
    }
    ok(layout_ok(wide) && layout_print(NULL, 0, wide) < LAYOUT_TEXT,
       "LAYOUT_TEXT holds the widest");
    is_refused(layout_tuple(LAYOUT_NODES, (Layout[LAYOUT_NODES]){{0}}), "more than 48 nodes",
               "one node too many");
}

static void test_tilers(void)
{
    Tiler whole = tiler_parse("(4,2):(1,8)"), shape = tiler_parse("(4,8)");
    ok(whole.rank == 0, "a layout is a tiler for the whole");
    is_layout(whole.mode[0], "(4,2):(1,8)", "its layout");
    ok(shape.rank == 2, "a tuple of extents is a tiler by mode");
    is_layout(shape.mode[1], "8:1", "its second mode");
    Tiler modes = tiler_parse(" < 3:3 , (2,4):(1,8) > ");
    ok(modes.rank == 2, "<...> is a tiler by mode");
    is_layout(modes.mode[1], "(2,4):(1,8)", "its second mode");
    is_refused(tiler_parse("<3:3,4").mode[0], "expected ',' or '>'", "an unclosed tiler");
    is_refused(tiler_parse("<1,1,1,1,1,1,1>").mode[0], "too many modes", "a long tiler");
    is_refused(tiler_parse("<4:1> 3").mode[0], "text after", "a tiler and more");
    is_refused(tiler_parse("((2,2),4)").mode[0], "not a flat tuple", "a nested tuple as tiler");
}

static void test_asking(void)
{
    Layout L = layout_parse("(4,(2,3)):(1,(8,16))");
    ok(layout_rank(L) == 2 && layout_depth(L) == 2 && layout_size(L) == 24, "rank, depth, size");
    ok(layout_cosize(L) == 4 + 8 + 32, "cosize is one more than the largest value");
    ok(layout_cosize(layout_parse("4:-1")) == -1, "no cosize with a negative stride");
    ok(layout_cosize(layout_parse("(0,4):(1,9)")) == 0, "an empty layout has cosize 0");
    ok(layout_rank(layout_leaf(4, 1)) == 1 && layout_depth(layout_leaf(4, 1)) == 0, "a leaf");
    ok(layout_size(layout_parse("()")) == 1 && layout_rank(layout_parse("()")) == 0, "()");
    is_layout(layout_mode(L, 1), "(2,3):(8,16)", "mode 1");
    is_refused(layout_mode(L, 2), "has no mode 2", "mode 2");
    ok(!layout_is_integral(layout_parse("4:1@0")) && layout_is_integral(L), "is_integral");
    ok(layout_congruent(L, layout_parse("(9,(9,9))")) &&
           !layout_equal(L, layout_parse("(4,(2,3))")),
       "congruent is not equal");
    is_layout(layout_identity(2, (int64_t[]){5, 7}), "(5,7):(1@0,1@1)", "identity");
    is_refused(layout_leaf(-1, 1), "extent -1", "a negative extent");
    is_refused(layout_flatten(layout_pair(L, layout_poison("here"))), "here", "poison spreads");
}

static void test_evaluation(void)
{
    Layout L = layout_parse("(4,(2,3)):(1,(8,100))");
    ok(layout_at(L, 0) == 0 && layout_at(L, 7) == 3 + 8 && layout_at(L, 23) == 3 + 8 + 200, "1-D");
    ok(layout_at(L, 24) == 300, "past the end the last mode goes on");
    ok(layout_at_nd(L, (int64_t[]){2, 3}, 2) == 2 + 8 + 100,
       "n-D, with an index into a nested mode");
    bool fits;
    ok(layout_at_coord(L, layout_parse("(1,(1,2))"), &fits) == 209 && fits, "nested");
    ok(layout_at_coord(L, layout_parse("(1,5)"), &fits) == 209 && fits, "partly nested");
    ok(layout_at_coord(L, layout_parse("21"), NULL) == 209, "a leaf as coordinate is 1-D");
    ok(layout_at_coord(L, layout_parse("((0,1),1)"), &fits) == 0 && !fits,
       "deeper than the layout");
    ok(layout_at_coord(L, layout_parse("(1,1,1)"), &fits) == 0 && !fits, "too many modes");
    int64_t c[LAYOUT_DIMS];
    ok(layout_coord_at(layout_parse("(3,(2,2)):(1@1,(2@0,5))"), 2 + 3 * 3, c) && c[0] == 7 &&
           c[1] == 2,
       "the value of a layout of coordinates");
    ok(!layout_coord_at(layout_parse("3:1@0@1"), 1, c), "a nested basis element has no dimension");
    ok(!layout_coord_at(layout_parse("3:1@4"), 1, c), "dimension 4 is too large");
}

/* The last layouts that fit, and past their ends. */
static void test_limits(void)
{
    Layout last = layout_leaf(2, INT64_MAX - 1), all = layout_leaf(INT64_MAX, 1);
    int64_t c[LAYOUT_DIMS];
    ok(layout_cosize(last) == INT64_MAX && layout_cosize(all) == INT64_MAX, "the largest cosize");
    ok(layout_at(last, 1) == INT64_MAX - 1 && layout_at(all, INT64_MAX - 1) == INT64_MAX - 1,
       "the largest value");
    ok(layout_at(last, 2) == LAYOUT_OVERFLOW, "past the end: 1-D");
    ok(layout_at_nd(layout_parse("(2,1):(9223372036854775806,1)"), (int64_t[]){1, 2}, 2) ==
           LAYOUT_OVERFLOW,
       "a sum past the end");
    ok(layout_at_coord(last, layout_leaf(3, 0), NULL) == LAYOUT_OVERFLOW, "past the end: nested");
    ok(!layout_coord_at(layout_parse("2:9223372036854775806@1"), 2, c), "a coefficient past it");
    is_refused(layout_pair(all, layout_leaf(2, 0)), "the product of the extents", "one too large");
    is_refused(layout_pair(last, last), "a value overflows", "a cosize too large");
    ok(layout_size(layout_parse("(4294967296,2147483647,0)")) == 0, "an empty layout of any size");
    ok(layout_cosize(layout_parse("(0,0):(9223372036854775807,9223372036854775807)")) == 0,
       "its cosize");
    is_refused(layout_tuple(-1, NULL), "a tuple of -1 modes", "a negative rank");
    ok(layout_equal((Layout){0}, layout_parse("()")), "a zeroed Layout is ()");
}

/* The rule is told in the name of the operation that needed the room. */
static void test_names(void)
{
    Layout mode[LAYOUT_NODES - 1];
    for (int i = 0; i < LAYOUT_NODES - 1; i++) mode[i] = layout_leaf(2, 0);
    Layout full = layout_tuple(LAYOUT_NODES - 1, mode);
    is_refused(layout_group(full, 0, 2), "layout_group: (2,2,", "group in a full layout");
    is_refused(layout_append(full, full), "more than 48 nodes", "append to a full layout");
    is_refused(layout_select(full, 48, (int[48]){0}), "layout_select: (2,2,", "select too many");
}

static void test_tree(void)
{
    Layout L = layout_parse("((4,8),2,3):((32,1),(16),5)");
    is_refused(L, "nest differently", "(16) is a tuple");
    L = layout_parse("((4,8),2,3):((32,1),16,5)");
    is_layout(layout_flatten(L), "(4,8,2,3):(32,1,16,5)", "flatten");
    is_layout(layout_flatten(layout_parse("((4)):((2))")), "(4):(2)", "flatten a tuple of one");
    is_layout(layout_group(L, 1, 3), "((4,8),(2,3)):((32,1),(16,5))", "group [1,3)");
    is_layout(layout_group(L, 0, 1), "(((4,8)),2,3):(((32,1)),16,5)", "group [0,1)");
    is_refused(layout_group(L, 2, 4), "has no modes [2,4)", "group past the end");
    is_layout(layout_select(L, 2, (int[]){2, 0}), "(3,(4,8)):(5,(32,1))", "select 2, 0");
    is_layout(layout_select(L, 1, (int[]){0}), "((4,8)):((32,1))", "select one");
    is_refused(layout_select(L, 1, (int[]){3}), "has no mode 3", "select past the end");
    is_layout(layout_append(L, layout_parse("7:3@1")), "((4,8),2,3,7):((32,1),16,5,3@1)", "append");
    is_layout(layout_append(layout_leaf(4, 1), L), "(4,((4,8),2,3)):(1,((32,1),16,5))",
              "append to a leaf");
    is_layout(layout_compact(L), "((4,8),2,3):((1,4),32,64)", "compact");
}

static void test_leaves(void)
{
    LayoutLeaf leaf[4];
    int n = layout_leaves(layout_parse("((4,1),(3,2)):((2@1,9),(5,1@0))"), leaf, 4);
    ok(n == 3 && leaf[0].shape == 4 && leaf[0].stride == 2 && leaf[0].dim == 1 &&
           leaf[1].dim == 0 && leaf[2].shape == 2 && leaf[2].dim == 0,
       "leaves in order, without those of extent 1");
    ok(layout_leaves(layout_parse("(2,2,2,2,2)"), leaf, 4) == -1, "too many leaves");
    ok(layout_leaves(layout_parse("2:1@0@0"), leaf, 4) == -1,
       "no leaf along a nested basis element");
}

/* Every small layout, and random nested ones: print and parse, flatten, and the three ways to
 * evaluate. */
static void test_properties(void)
{
    enum { TEXT, FLAT, ND, PROPERTIES };
    Property p[PROPERTIES] = {{.name = "parse(print(L)) = L"},
                              {.name = "flatten is the same function"},
                              {.name = "n-D and 1-D coordinates agree"}};
    Random r = {88172645463325252u};
    for (int i = 0; i < 20000; i++) {
        Layout L = random_layout(&r, 3, 50), flat = layout_flatten(L);
        if (!layout_ok(L)) continue;
        int64_t at = random_below(&r, (int)layout_size(L)), rest = at, c[3];
        check(&p[TEXT], layout_equal(layout_parse(show(L).s), L), "%s", show(L).s);
        check(&p[FLAT], layout_at(L, at) == layout_at(flat, at), "%s at %d", show(L).s, (int)at);
        for (int m = 0; m < layout_rank(L); m++) {
            int64_t extent = layout_size(layout_mode(L, m));
            c[m] = rest % extent;
            rest /= extent;
        }
        check(&p[ND], layout_at(L, at) == layout_at_nd(L, c, layout_rank(L)), "%s at %d", show(L).s,
              (int)at);
    }
    report(p, PROPERTIES);
}

int main(void)
{
    test_text();
    test_print_bounds();
    test_tilers();
    test_asking();
    test_evaluation();
    test_limits();
    test_names();
    test_tree();
    test_leaves();
    test_properties();
    return tap_done();
}
