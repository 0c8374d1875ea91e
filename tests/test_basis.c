/*
 * Basis elements and the coordinates that they add up to: the tables of CuTe's documentation, the
 * laws of a module over the integers, and comparison held against its definition.
 */
#include "layout/basis.h"
#include "tests/layouts.h"

typedef struct {
    char s[ARITH_TEXT];
} Coord;

static Coord shown(Arith a)
{
    Coord text;
    arith_print(text.s, sizeof text.s, a);
    return text;
}

static void is_arith(Arith a, const char *text, const char *name)
{
    Coord got = shown(a);
    if (!ok(strcmp(got.s, text) == 0, "%s = %s", name, text)) diag("got %s", got.s);
}

static void is_bad(Arith a, const char *rule, const char *name)
{
    if (!ok(!arith_ok(a) && strstr(arith_why(&a), rule), "%s is refused: %s", name, rule))
        diag("got %s", shown(a).s);
}

/* -- The table of basis elements --------------------------------------------------------------- */
static const struct {
    const char *element, *text, *open;
} elements[] = {
    {"E<>", "1", "1"},
    {"E<0>", "1@0", "(1,0,...)"},
    {"E<1>", "1@1", "(0,1,0,...)"},
    {"E<3>", "1@3", "(0,0,0,1,0,...)"},
    {"E<0,1>", "1@1@0", "((0,1,0,...),0,...)"},
    {"E<1,0>", "1@0@1", "(0,(1,0,...),0,...)"},
    {"5*E<1>", "5@1", "(0,5,0,...)"},
    {"5*E<0,1>", "5@1@0", "((0,5,0,...),0,...)"},
    {"-2*E<0,1,2,3>", "-2@3@2@1@0", "((0,(0,0,(0,0,0,-2,0,...),0,...),0,...),0,...)"},
    {"0*E<2>", "0", "0"},
};

static void test_elements(void)
{
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
        char text[BASIS_TEXT], again[BASIS_TEXT], open[ARITH_TEXT];
        Basis b = basis_parse(elements[i].element);
        basis_print(text, sizeof text, b);
        basis_print(again, sizeof again, basis_parse(text));
        arith_print_open(open, sizeof open, arith_basis(b));
        bool same = strcmp(text, elements[i].text) == 0 && strcmp(again, text) == 0 &&
                    strcmp(open, elements[i].open) == 0;
        if (!ok(same, "%s is %s, that is %s", elements[i].element, elements[i].text,
                elements[i].open))
            diag("got %s, read again %s, that is %s", text, again, open);
    }
}

static void test_bad_elements(void)
{
    static const char *const bad[] = {"",
                                      "E",
                                      "E<0",
                                      "1@",
                                      "E<-1>",
                                      "1@0@0@0@0@0",
                                      "E<0,0,0,0,0>",
                                      "3*",
                                      "1@255",
                                      "1 2",
                                      "99999999999999999999"};
    bool refused = true;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refused &= !basis_ok(basis_parse(bad[i]));
    ok(refused, "what is no basis element is refused");
    Basis big = basis_scale(basis_parse("4@1"), INT64_MAX / 2);
    ok(!basis_ok(big) && strstr(big.why, "* 4@1: it overflows"), "an overflowing scale is refused");
    ok(!basis_ok(basis_element(LAYOUT_PATH + 1, (int[LAYOUT_PATH + 1]){0})), "so is a long path");
    is_bad(arith_basis(big), "overflows", "the coordinate of a poisoned element");
}

/* -- Sums -------------------------------------------------------------------------------------- */
static const struct {
    const char *sum, *value;
} sums[] = {
    {"3*E<0> + 4*E<1>", "(3,4)"},
    {"(42,2,7) + (0,5,2)", "(42,7,9)"},
    {"2*2@1@0", "((0,4))"},
    {"3*1@1", "(0,3)"},
    {"4*5@1", "(0,20)"},
    {"7*1@0@0", "((7))"},
    {"2*2@1@0 + 3*1@1 + 4*5@1 + 7*1@0@0", "((7,4),23)"},
    {"2*1@0 + 3*1@1", "(2,3)"},
    {"2*1@1 + 3*1@0", "(3,2)"},
    {"0 + (1,2)", "(1,2)"},
    {"(0,1) + ((5,6),2,3)", "((5,6),3,3)"},
    {"1@0 + -1@0", "(0)"},
    {"() + (1,(2,3))", "(1,(2,3))"},
    {"(1,X,_)", "(1,_,_)"},
    {"-3*(1,(0,-2))", "(-3,(0,6))"},
    {"2*3*E<>", "6"},
};

static void test_sums(void)
{
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++)
        is_arith(arith_parse(sums[i].sum), sums[i].value, sums[i].sum);
    char open[ARITH_TEXT];
    arith_print_open(open, sizeof open, arith_parse("3*E<0> + 4*E<1>"));
    ok(strcmp(open, "(3,4,0,...)") == 0, "the sum goes on with zeros: %s", open);
    is_arith(arith_shape(layout_parse("(4,(2,3)):(1,(4,8))")), "(4,(2,3))",
             "the shape of a layout");
    is_arith(arith_mode(arith_parse("(1,(2,3))"), 1), "(2,3)", "an entry");
    Arith a = arith_parse("((7,4),23)");
    int at = arith_find(&a, (uint8_t[LAYOUT_PATH]){1, 2});
    ok(at >= 0 && a.node[at].value == 4 && arith_find(&a, (uint8_t[LAYOUT_PATH]){3}) < 0,
       "an entry is found by its path");
}

static void test_refused_sums(void)
{
    is_bad(arith_parse("3 + (1,2)"), "3 + (1,2): an integer and a tuple", "3 + (1,2)");
    is_bad(arith_parse("1@0 + 1@1@0"), "an integer and a tuple", "incompatible elements");
    is_bad(arith_add(arith_parse("(_,1)"), arith_parse("(1,1)")), "_ is no number",
           "(_,1) + (1,1)");
    is_bad(arith_parse("2*_"), "_ is no number", "2*_");
    is_bad(arith_parse("(9223372036854775807) + (1)"), "overflows", "a sum that overflows");
    is_bad(arith_scale(arith_ints(1, (int64_t[]){INT64_MIN}), -1), "overflows", "-1 * INT64_MIN");
    is_bad(arith_parse("E<100>"), "more than 48 entries", "a coordinate too wide");
    is_bad(arith_parse("(1,2"), "expected ',' or ')' at character 5", "(1,2");
    is_bad(arith_parse("(1,)"), "expected a number", "(1,)");
    is_bad(arith_parse("(1,2) 3"), "text after the end", "(1,2) 3");
    is_bad(arith_parse("(((((((((1)))))))))"), "nested too deep", "nine parentheses");
    is_bad(arith_mode(arith_parse("(1,2)"), 2), "(1,2) has no entry 2", "entry 2 of (1,2)");
    Arith bad = arith_parse("("), good = arith_int(1);
    ok(!arith_ok(arith_add(good, bad)) && !arith_ok(arith_scale(bad, 2)) &&
           !arith_ok(arith_pair(good, bad)) && !arith_equal(bad, bad) && arith_rank(bad) == 0,
       "poison spreads");
}

/* -- Laws -------------------------------------------------------------------------------------- */
/* A random coordinate of a shape: each leaf in [-low, high). */
static Arith random_arith(Random *r, int depth, int low, int high)
{
    if (depth == 0) return arith_int(random_below(r, low + high) - low);
    Arith entries[3];
    int rank = 1 + random_below(r, 3);
    for (int i = 0; i < rank; i++) entries[i] = random_arith(r, i % 2 ? depth - 1 : 0, low, high);
    return arith_tuple(rank, entries);
}

/* value * E<path> for each leaf below `at`, added up. */
static Arith by_elements(const Arith *a, int at, int path[], int depth)
{
    const ArithNode *node = &a->node[at];
    if (node->rank == ARITH_LEAF) {
        Basis e = basis_scale(basis_element(depth, path), node->value);
        return arith_basis(e);
    }
    Arith sum = arith_int(0);
    for (int i = 0, child = at + 1; i < node->rank; child += a->node[child].span, i++) {
        path[depth] = i;
        sum = arith_add(sum, by_elements(a, child, path, depth + 1));
    }
    return sum;
}

/* Equal as infinite tuples: the difference is zero everywhere. */
static bool same_value(Arith a, Arith b)
{
    Arith d = arith_add(a, arith_scale(b, -1));
    for (int i = 0; arith_ok(d) && i < d.node[0].span; i++)
        if (d.node[i].value != 0) return false;
    return arith_ok(d);
}

static void test_laws(void)
{
    enum { COMMUTES, ASSOCIATES, DISTRIBUTES, ELEMENTS, READS, LAWS };
    Property p[LAWS] = {{"a + b = b + a", 0, 0, ""},
                        {"(a + b) + c = a + (b + c)", 0, 0, ""},
                        {"k*(a + b) = k*a + k*b", 0, 0, ""},
                        {"a is the sum of its entries times basis elements", 0, 0, ""},
                        {"a printed and read again is a", 0, 0, ""}};
    Random r = {.state = 20260101};
    for (int i = 0; i < 20000; i++) {
        Arith a = random_arith(&r, 3, 20, 20), b = random_arith(&r, 3, 20, 20);
        Arith c = random_arith(&r, 3, 20, 20), sum = arith_add(a, b);
        int path[LAYOUT_PATH], k = random_below(&r, 9) - 4;
        check(&p[READS], arith_equal(arith_parse(shown(a).s), a), "%s", shown(a).s);
        check(&p[ELEMENTS], same_value(by_elements(&a, 0, path, 0), a), "%s", shown(a).s);
        if (!arith_ok(sum) || !arith_ok(arith_add(sum, c)) || !arith_ok(arith_add(b, c))) continue;
        check(&p[COMMUTES], arith_equal(sum, arith_add(b, a)), "%s, %s", shown(a).s, shown(b).s);
        check(&p[ASSOCIATES], same_value(arith_add(sum, c), arith_add(a, arith_add(b, c))),
              "%s, %s, %s", shown(a).s, shown(b).s, shown(c).s);
        check(&p[DISTRIBUTES],
              same_value(arith_scale(sum, k), arith_add(arith_scale(a, k), arith_scale(b, k))),
              "%d, %s, %s", k, shown(a).s, shown(b).s);
    }
    report(p, LAWS);
}

/* -- Comparison -------------------------------------------------------------------------------- */
static const struct {
    const char *a, *b;
    bool less, within;
} comparisons[] = {
    {"(40,54)", "(41,55)", true, true},
    {"(41,54)", "(41,55)", false, false},
    {"(40,55)", "(41,55)", false, false},
    {"999", "1000", true, true},
    {"1000", "1000", false, false},
    {"(-1,3)", "(4,5)", true, false},
    {"(3)", "(4,5)", true, true},
    {"(3)", "(4,0)", false, false},
    {"(3,0)", "(4)", false, false},
    {"(40,99)", "(41,_)", true, true},
    {"(41,0)", "(41,_)", false, false},
    {"((3,1),4)", "((4,2),5)", true, true},
    {"((3,2),4)", "((4,2),5)", false, false},
    {"(7,4)", "((4,2),5)", false, false},
    {"(0,4)", "((4,2),5)", true, true},
    {"((1,1),4)", "(8,5)", false, false},
    {"0", "(4,5)", true, true},
    {"5", "(4,5)", false, false},
    {"(_,1)", "(4,5)", false, false},
};

static void test_comparison(void)
{
    for (size_t i = 0; i < sizeof comparisons / sizeof comparisons[0]; i++) {
        Arith a = arith_parse(comparisons[i].a), b = arith_parse(comparisons[i].b);
        ok(arith_elem_less(a, b) == comparisons[i].less &&
               arith_within(a, b) == comparisons[i].within,
           "%s is %sless than %s, and %s it", comparisons[i].a, comparisons[i].less ? "" : "not ",
           comparisons[i].b, comparisons[i].within ? "within" : "not within");
    }
    ok(!arith_elem_less(arith_parse("("), arith_int(3)), "a poisoned coordinate is less than none");
}

static void test_comparison_by_definition(void)
{
    Property p[] = {{"elem_less is less in each entry", 0, 0, ""}};
    for (int64_t n = 0; n < 6 * 6 * 6 * 6; n++) {
        int64_t a[2] = {n % 6 - 1, n / 6 % 6 - 1}, b[2] = {n / 36 % 6 - 1, n / 216 - 1};
        bool less = a[0] < b[0] && a[1] < b[1], inside = less && a[0] >= 0 && a[1] >= 0;
        Arith x = arith_ints(2, a), y = arith_ints(2, b);
        check(&p[0], arith_elem_less(x, y) == less && arith_within(x, y) == inside, "%s, %s",
              shown(x).s, shown(y).s);
    }
    report(p, 1);
}

int main(void)
{
    test_elements();
    test_bad_elements();
    test_sums();
    test_refused_sums();
    test_laws();
    test_comparison();
    test_comparison_by_definition();
    return tap_done();
}
