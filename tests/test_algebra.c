/*
 * The algebra, held against the post-conditions in layout.h: over all layouts of up to three leaves
 * with small extents and strides, over random nested ones, and by known answers of CuTe's
 * documentation.
 */
#include "tests/layouts.h"

static const Alphabet small = {4, 6, {1, 2, 3, 4}, {0, 1, 2, 3, 4, 8}};

enum { MAX_VALUE = 4096 };

/* -- Known answers ----------------------------------------------------------------------------- */
typedef Layout Binary(Layout a, Layout b);

static const struct {
    const char *name;
    Binary *op;
    const char *a, *b, *result;
} answers[] = {
    {"coalesce_by", layout_coalesce_by, "(2,(1,6)):(1,(6,2))", "9", "12:1"},
    {"coalesce_by", layout_coalesce_by, "(2,(1,6)):(1,(6,2))", "(1,1)", "(2,6):(1,2)"},
    {"coalesce_by", layout_coalesce_by, "((2,2),(2,2)):((1,2),(4,8))", "(1)",
     "(4,(2,2)):(1,(4,8))"},
    {"composition", layout_composition, "20:2", "(5,4):(4,1)", "(5,4):(8,2)"},
    {"composition", layout_composition, "(10,2):(16,4)", "(5,4):(1,5)", "(5,(2,2)):(16,(80,4))"},
    {"composition", layout_composition, "(6,2):(8,2)", "(4,3):(3,1)", "((2,2),3):((24,2),8)"},
    {"composition", layout_composition, "8:3", "(2,2):(-1,2)", "(2,2):(-3,6)"},
    {"composition", layout_composition, "(4,1):(1,9)", "8:1", "(4,2):(1,9)"},
    {"composition", layout_composition, "(4,2):(1,100)", "16:1", "(4,4):(1,100)"},
    {"composition", layout_composition, "(6,2):(8,2)", "2:5", "2:40"},
    {"composition", layout_composition, "(0,6):(1,8)", "(1,4):(5,0)", "(1,4):(0,0)"},
    {"composition", layout_composition, "(8,2):(4,1)", "(3,3,0):(1,3,9)", "(3,3,0):(4,12,0)"},
    {"composition", layout_composition, "(9223372036854775807,1):(1,0)",
     "(2,2):(4611686018427387903,1)", "(2,2):(4611686018427387903,1)"},
    {"composition", layout_composition, "(4,5):(5@0,1)", "(2,3):(0,0)", "(2,3):(0,0)"},
    {"composition", layout_composition, "(8,(4,2)):(1,(8,64))", "(4,8):(2@1@1,2@0)",
     "(4,8):(128,2)"},
    {"composition", layout_composition, "(8,(4,2)):(1,(8,64))", "(8,2):(1@1,4@0)",
     "((4,2),2):((8,64),4)"},
    {"composition", layout_composition, "(16,16):(1@0,1@1)", "((4,8),(2,2,2)):((32,1),(16,8,128))",
     "((4,8),(2,2,2)):((2@1,1@0),(1@1,8@0,8@1))"},
    {"composition", layout_composition, "(16,16):(3,1@1)", "((4,8),()):((32,1),())",
     "((4,8),()):((2@1,3),())"},
};

static const struct {
    const char *name;
    Binary *op;
    const char *a, *b, *words;
} refusals[] = {
    {"composition", layout_composition, "(6,2):(8,2)", "4:5",
     "composition: (6,2):(8,2) o 4:5: stride 5 does not divide 6"},
    {"composition", layout_composition, "(4,6):(1,8)", "5:2", "the part 2 does not divide 5"},
    {"composition", layout_composition, "(4,6):(1,8)", "9:1", "the part 4 does not divide 9"},
    {"composition", layout_composition, "(4,6):(1,8)", "(3,2):(1,2)", "add up past a mode"},
    {"composition", layout_composition, "(4,6):(1,8)", "4:-1", "a negative stride"},
    {"composition", layout_composition, "(4,6):(1,8)", "4:1@2", "mode that is not there"},
    {"composition", layout_composition, "(0,6):(1,8)", "4:1", "the left layout is empty"},
    {"composition", layout_composition, "4:288230376151711743", "4:64", "a stride overflows"},
    {"composition", layout_composition, "4:1152921504606846976", "16:1",
     "composition: 4:1152921504606846976, 16:1: 16:1152921504606846976: a value overflows"},
    {"composition", layout_composition, "((2,3),5):((1,2),6)", "(2,3):(1@0,1@0@0)", "within what"},
    {"composition", layout_composition, "((2,3),5):((1,2),6)", "(2,3):(1,1@1)", "within what"},
    {"coalesce_by", layout_coalesce_by, "(2,2):(1,8)", "(1,1,1)", "the profile"},
};

static void test_answers(void)
{
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        char name[LAYOUT_TEXT];
        snprintf(name, sizeof name, "%s(%s, %s)", answers[i].name, answers[i].a, answers[i].b);
        is_layout(answers[i].op(layout_parse(answers[i].a), layout_parse(answers[i].b)),
                  answers[i].result, name);
    }
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        is_refused(refusals[i].op(layout_parse(refusals[i].a), layout_parse(refusals[i].b)),
                   refusals[i].words, refusals[i].name);
}

static const struct {
    const char *a;
    int64_t m;
    const char *result; /* NULL: refused */
} complements[] = {
    {"4:1", 24, "6:4"},
    {"6:4", 24, "4:1"},
    {"(4,6):(1,4)", 24, "1:0"},
    {"4:2", 24, "(2,3):(1,8)"},
    {"(2,4):(1,6)", 24, "3:2"},
    {"(2,2):(1,6)", 24, "(3,2):(2,12)"},
    {"(64,8):(1,65)", 1040, "2:520"},
    {"(4,2):(1,0)", 8, "2:4"},
    {"1:0", 5, "5:1"},
    {"2:4611686018427387904", INT64_MAX, "4611686018427387904:1"},
    {"1:0", INT64_MAX, "9223372036854775807:1"},
    {"3:3", INT64_MAX, "(3,1024819115206086201):(1,9)"},
    {"(2,2):(1,1)", 8, NULL},
    {"(4,2):(1,3)", 8, NULL},
    {"4:-1", 8, NULL},
    {"4:1@0", 8, NULL},
    {"(0,2):(1,1)", 8, NULL},
};

static void test_known_unary(void)
{
    for (size_t i = 0; i < sizeof complements / sizeof complements[0]; i++) {
        Layout R = layout_complement(layout_parse(complements[i].a), complements[i].m);
        if (complements[i].result)
            is_layout(R, complements[i].result, complements[i].a);
        else
            is_refused(R, "complement: ", complements[i].a);
    }
    is_layout(layout_coalesce(layout_parse("(2,(1,6)):(1,(6,2))")), "12:1", "coalesce");
    is_layout(layout_coalesce(layout_parse("(2,3,4):(1@0,2@0,6@1)")), "(6,4):(1@0,6@1)",
              "coalesce merges within a dimension only");
    is_layout(layout_coalesce(layout_parse("(2,3):(0,0)")), "6:0", "coalesce a broadcast");
    is_layout(layout_coalesce(layout_parse("(1,())")), "1:0", "coalesce to nothing");
    is_layout(layout_filter_ones(layout_parse("((4,1),1,(1,1),3):((2,5),7,(1,1),1)")),
              "((4),3):((2),1)", "filter_ones");
    is_layout(layout_filter_ones(layout_parse("(1,(1))")), "1:0", "filter_ones of one element");
    is_layout(layout_right_inverse(layout_parse("(4,8):(8,1)")), "(8,4):(4,1)", "right_inverse");
    is_layout(layout_right_inverse(layout_parse("(4,8):(1,5)")), "4:1", "right_inverse, padded");
    is_layout(layout_left_inverse(layout_parse("(4,8):(8,1)")), "(8,4):(4,1)", "left_inverse");
    is_layout(layout_left_inverse(layout_parse("(4,8):(1,5)")), "(5,8):(1,4)",
              "left_inverse, padded");
    is_layout(layout_left_inverse(layout_parse("4:2")), "(2,4):(0,1)", "left_inverse, strided");
    is_refused(layout_left_inverse(layout_parse("2:4611686018427387904")),
               "left_inverse: 2:4611686018427387904: ", "left_inverse too large");
    is_refused(layout_left_inverse(layout_parse("(4,8):(1,2)")), "not injective", "left_inverse");
    is_refused(layout_right_inverse(layout_parse("4:1@0")), "coordinates", "right_inverse");
}

/* -- One layout -------------------------------------------------------------------------------- */
/* Which values below MAX_VALUE L has; false: it has one twice. */
static bool image(Layout L, bool has[MAX_VALUE])
{
    memset(has, 0, MAX_VALUE);
    bool injective = true;
    for (int64_t i = 0; i < layout_size(L); i++) {
        int64_t value = layout_at(L, i);
        if (has[value]) injective = false;
        has[value] = true;
    }
    return injective;
}

static bool same_function(Layout a, Layout b)
{
    if (layout_size(a) != layout_size(b)) return false;
    for (int64_t i = 0; i < layout_size(a); i++)
        if (layout_at(a, i) != layout_at(b, i)) return false;
    return true;
}

/* Two neighbouring leaves of a coalesced layout could still be merged, or one has extent 1. */
static bool mergeable(Layout R)
{
    LayoutLeaf leaf[LAYOUT_NODES];
    int n = layout_leaves(R, leaf, LAYOUT_NODES);
    bool can = layout_size(R) > 1 && n != (layout_depth(R) ? layout_rank(R) : 1);
    for (int i = 0; i + 1 < n; i++)
        if (leaf[i + 1].stride == leaf[i].shape * leaf[i].stride) can = true;
    return can;
}

enum { COALESCE, MERGED, FILTER, RIGHT, RIGHT_MOST, LEFT, LEFT_REFUSED, UNARY };
static void check_right_inverse(Layout L, Property p[])
{
    bool has[MAX_VALUE];
    Layout R = layout_right_inverse(L);
    bool injective = image(L, has), right = layout_ok(R);
    for (int64_t i = 0; i < layout_size(R) && right; i++) {
        int64_t index = layout_at(R, i);
        right = index < layout_size(L) && layout_at(L, index) == i;
    }
    check(&p[RIGHT], right, "%s has %s", show(L).s, show(R).s);
    int64_t reached = 0;
    while (has[reached]) reached++;
    if (injective)
        check(&p[RIGHT_MOST], layout_size(R) == reached, "%s has %s", show(L).s, show(R).s);
}

/* A stride that leaves a remainder by a smaller one, extent-1 modes left out. */
static bool has_remainder(Layout L)
{
    LayoutLeaf leaf[LAYOUT_NODES];
    int n = layout_leaves(L, leaf, LAYOUT_NODES);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (leaf[i].stride > 0 && leaf[j].stride % leaf[i].stride != 0 &&
                leaf[j].stride > leaf[i].stride)
                return true;
    return false;
}

static void check_left_inverse(Layout L, Property p[])
{
    bool has[MAX_VALUE];
    Layout R = layout_left_inverse(L);
    if (!layout_ok(R)) {
        check(&p[LEFT_REFUSED], !image(L, has) || has_remainder(L), "%s: %s", show(L).s,
              layout_why(&R));
        return;
    }
    bool right = true;
    for (int64_t i = 0; i < layout_size(L); i++)
        right = right && layout_at(R, layout_at(L, i)) == i;
    check(&p[LEFT], right, "%s has %s", show(L).s, show(R).s);
}

static void check_unary(Layout L, Property p[])
{
    Layout R = layout_coalesce(L);
    check(&p[COALESCE], layout_depth(R) <= 1 && same_function(R, L), "%s to %s", show(L).s,
          show(R).s);
    check(&p[MERGED], !mergeable(R), "%s to %s", show(L).s, show(R).s);
    Layout ones = layout_filter_ones(L);
    check(&p[FILTER], same_function(ones, L), "%s to %s", show(L).s, show(ones).s);
    check_right_inverse(L, p);
    check_left_inverse(L, p);
}

static void test_unary(void)
{
    Property p[UNARY] = {{.name = "coalesce is the same function, of depth <= 1"},
                         {.name = "coalesce leaves nothing to merge"},
                         {.name = "filter_ones is the same function"},
                         {.name = "right_inverse: A(R(i)) = i"},
                         {.name = "right_inverse of an injective layout inverts all it can"},
                         {.name = "left_inverse: R(A(i)) = i"},
                         {.name = "left_inverse refuses only overlaps and remainders"}};
    for (int i = 0; i < count_layouts(&small, 3); i++) check_unary(nth_layout(&small, i), p);
    Random r = {2463534242u};
    for (int i = 0; i < 3000; i++) {
        Layout L = random_layout(&r, 2, 12);
        if (layout_size(L) <= 600 && layout_cosize(L) <= MAX_VALUE) check_unary(L, p);
    }
    report(p, UNARY);
}

/* -- Complement -------------------------------------------------------------------------------- */
/* Two modes of which one steps within the other: what complement may refuse. */
static bool interleaved(Layout L)
{
    LayoutLeaf leaf[LAYOUT_NODES];
    Layout flat = layout_coalesce(L);
    int n = layout_leaves(flat, leaf, LAYOUT_NODES);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i != j && leaf[i].stride > 0 && leaf[i].stride <= leaf[j].stride &&
                leaf[j].stride < leaf[i].shape * leaf[i].stride)
                return true;
    return false;
}

/* Without padding: in order, each stride is a multiple of what is filled before it. */
static bool is_tight(Layout L)
{
    LayoutLeaf leaf[LAYOUT_NODES];
    int n = layout_leaves(L, leaf, LAYOUT_NODES);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (leaf[j].stride > leaf[i].stride && leaf[i].stride > 0 &&
                leaf[j].stride % (leaf[i].shape * leaf[i].stride) != 0)
                return false;
    return true;
}

static bool ascends(Layout R)
{
    LayoutLeaf leaf[LAYOUT_NODES];
    int n = layout_leaves(R, leaf, LAYOUT_NODES);
    for (int i = 0; i + 1 < n; i++)
        if (leaf[i].stride >= leaf[i + 1].stride) return false;
    return true;
}

/* L's values once each: modes of stride 0 taken out. */
static Layout without_zeros(Layout L)
{
    LayoutLeaf leaf[LAYOUT_NODES];
    Layout mode[LAYOUT_NODES];
    int n = layout_leaves(L, leaf, LAYOUT_NODES), kept = 0;
    for (int i = 0; i < n; i++)
        if (leaf[i].stride != 0) mode[kept++] = layout_leaf(leaf[i].shape, leaf[i].stride);
    return layout_tuple(kept, mode);
}

/* Where a further copy of L would begin: padding counts as part of it. */
static int64_t period(Layout L)
{
    LayoutLeaf leaf[LAYOUT_NODES];
    int n = layout_leaves(L, leaf, LAYOUT_NODES);
    int64_t end = 1;
    for (int i = 0; i < n; i++)
        if (leaf[i].shape * leaf[i].stride > end) end = leaf[i].shape * leaf[i].stride;
    return end;
}

enum { REFUSED, DISJOINT, REACHES, FILLS, ASCENDS, COMPLEMENT };

static void check_complement(Layout L, int64_t m, Property p[])
{
    bool has[MAX_VALUE];
    Layout R = layout_complement(L, m);
    check(&p[REFUSED], layout_ok(R) != interleaved(L), "%s has %s", show(L).s, show(R).s);
    if (!layout_ok(R)) return;
    Layout both = layout_pair(without_zeros(L), R);
    check(&p[DISJOINT], image(both, has), "%s up to %d has %s", show(L).s, (int)m, show(R).s);
    check(&p[REACHES], period(both) >= m, "%s up to %d has %s", show(L).s, (int)m, show(R).s);
    bool fills = true;
    for (int64_t i = 0; i < m; i++) fills = fills && has[i];
    if (is_tight(L)) check(&p[FILLS], fills, "%s up to %d has %s", show(L).s, (int)m, show(R).s);
    check(&p[ASCENDS], ascends(R), "%s up to %d has %s", show(L).s, (int)m, show(R).s);
}

static void test_complement(void)
{
    Property p[COMPLEMENT] = {
        {.name = "complement refuses interleaved layouts and no others"},
        {.name = "complement: values meet only in 0"},
        {.name = "complement: a further copy of (A,R) would begin at m or past it"},
        {.name = "complement: without padding, all below m is reached"},
        {.name = "complement: strides ascend"}};
    for (int i = 0; i < count_layouts(&small, 3); i++) {
        check_complement(nth_layout(&small, i), 24, p);
        check_complement(nth_layout(&small, i), 37, p);
    }
    report(p, COMPLEMENT);
}

/* -- Composition ------------------------------------------------------------------------------- */
enum { COMPOSED, COMPATIBLE, WITHIN, CARRIES, COMPOSITION };

/* Each mode of R, where B has a leaf, has that leaf's extent; else the same holds within. */
static bool refines(Layout R, Layout B)
{
    if (layout_size(R) != layout_size(B)) return false;
    if (layout_depth(B) == 0) return true;
    if (layout_depth(R) == 0 || layout_rank(R) != layout_rank(B)) return false;
    for (int i = 0; i < layout_rank(B); i++)
        if (!refines(layout_mode(R, i), layout_mode(B, i))) return false;
    return true;
}

static bool is_composition(Layout R, Layout A, Layout B)
{
    for (int64_t i = 0; i < layout_size(B); i++)
        if (layout_at(R, i) != layout_at(A, layout_at(B, i))) return false;
    return true;
}

/* What A makes of B's values is the sum of what it makes of B's leaves: so it is for any layout. */
static bool is_additive(Layout A, Layout B)
{
    LayoutLeaf b[LAYOUT_NODES];
    int n = layout_leaves(B, b, LAYOUT_NODES);
    for (int64_t i = 0; i < layout_size(B); i++) {
        int64_t rest = i, sum = 0;
        for (int k = 0; k < n; rest /= b[k++].shape)
            sum += layout_at(A, rest % b[k].shape * b[k].stride);
        if (sum != layout_at(A, layout_at(B, i))) return false;
    }
    return true;
}

/* A refusal must be deserved: what stays in A's first mode exists, what carries does not. */
static void check_refusal(Layout A, Layout B, Layout R, Property p[])
{
    LayoutLeaf a[LAYOUT_NODES];
    layout_leaves(layout_coalesce(A), a, LAYOUT_NODES);
    check(&p[WITHIN], layout_cosize(B) > a[0].shape, "%s o %s", show(A).s, show(B).s);
    if (strstr(layout_why(&R), "add up"))
        check(&p[CARRIES], !is_additive(A, B), "%s o %s", show(A).s, show(B).s);
}

static void check_composition(Layout A, Layout B, Property p[])
{
    Layout R = layout_composition(A, B);
    if (!layout_ok(R)) {
        check_refusal(A, B, R, p);
        return;
    }
    check(&p[COMPOSED], is_composition(R, A, B), "%s o %s = %s", show(A).s, show(B).s, show(R).s);
    check(&p[COMPATIBLE], refines(R, B), "%s o %s = %s", show(A).s, show(B).s, show(R).s);
}

static void test_composition(void)
{
    static const Alphabet left = {4, 3, {1, 2, 3, 4}, {0, 1, 5}};
    static const Alphabet right = {4, 4, {1, 2, 3, 4}, {0, 1, 2, 4}};
    Property p[COMPOSITION] = {{.name = "composition: R(i) = A(B(i))"},
                               {.name = "composition: R is compatible with B"},
                               {.name = "composition refuses nothing that stays in A's first mode"},
                               {.name = "composition refuses as carries what no layout can be"}};
    for (int i = 0; i < count_layouts(&left, 3); i++) {
        Layout A = nth_layout(&left, i);
        for (int j = 0; j < count_layouts(&right, 2); j++)
            check_composition(A, nth_layout(&right, j), p);
    }
    Random r = {362436069u};
    for (int i = 0; i < 50000; i++)
        check_composition(random_layout(&r, 2, 40), random_layout(&r, 2, 9), p);
    report(p, COMPOSITION);
}

/* Powers of two divide each other: only a B that overlaps itself may be refused. */
static void test_binary(void)
{
    Property p = {.name = "composition of powers of two always exists"};
    Random r = {521288629u};
    for (int i = 0; i < 40000; i++) {
        Layout A = random_binary(&r, 2), B = random_binary(&r, 2), R = layout_composition(A, B);
        if (layout_size(B) > 1 << 12 || !layout_ok(layout_complement(B, 1))) continue;
        check(&p, layout_ok(R) && is_composition(R, A, B), "%s o %s = %s", show(A).s, show(B).s,
              show(R).s);
    }
    report(&p, 1);
}

/* The identity of an M x N tensor sends index B(i) to its coordinate (B(i) % M, B(i) / M). */
static void test_coordinates(void)
{
    enum { INDEX, DIMENSION, KINDS };
    Property p[KINDS] = {{.name = "identity o B has the coordinate of B(i)"},
                         {.name = "A o (strides that are coordinates) counts within A's modes"}};
    Random r = {123456789u};
    for (int i = 0; i < 20000; i++) {
        int64_t extent[] = {1 + random_below(&r, 24), 1 + random_below(&r, 24)};
        Layout B = random_layout(&r, 2, 30), A = layout_identity(2, extent);
        Layout R = layout_composition(A, B);
        int64_t size = layout_size(B), at = random_below(&r, (int)size), c[LAYOUT_DIMS];
        int64_t index = layout_at(B, at);
        if (layout_ok(R))
            check(&p[INDEX],
                  layout_coord_at(R, at, c) && c[0] == index % extent[0] &&
                      c[1] == index / extent[0],
                  "%s o %s = %s at %d", show(A).s, show(B).s, show(R).s, (int)at);
        Layout two = layout_pair(layout_leaf(extent[0], 3), random_layout(&r, 2, 30));
        Layout along = layout_pair(layout_basis(extent[0], 1, 0), layout_basis(2, 1, 1));
        Layout S = layout_composition(two, along);
        if (layout_ok(S))
            check(&p[DIMENSION],
                  layout_at_nd(S, (int64_t[]){extent[0] - 1, 1}, 2) ==
                      layout_at_nd(two, (int64_t[]){extent[0] - 1, 1}, 2),
                  "%s o %s = %s", show(two).s, show(along).s, show(S).s);
    }
    report(p, KINDS);
}

static void test_by_mode(void)
{
    Layout A = layout_parse("(12,(4,8)):(59,(13,1))");
    is_layout(layout_composition_by(A, tiler_parse("<3:4,8:2>")), "(3,(2,4)):(236,(26,1))",
              "composition by mode");
    is_layout(layout_composition_by(A, tiler_parse("(3,8)")), "(3,(4,2)):(59,(13,1))",
              "composition with extents");
    is_layout(layout_composition_by(A, tiler_parse("<3:4>")), "(3,(4,8)):(236,(13,1))",
              "modes past the tiler stay");
    is_refused(layout_composition_by(A, tiler_parse("<1,1,1>")), "more than the layout's 2",
               "a tiler with more modes");
}

int main(void)
{
    test_answers();
    test_known_unary();
    test_by_mode();
    test_unary();
    test_complement();
    test_composition();
    test_binary();
    test_coordinates();
    return tap_done();
}
