/*
 * Swizzles against their definition bit by bit, layouts in other units and composed layouts against
 * the post-conditions in swizzle.h.
 */
#include "layout/swizzle.h"
#include "tests/layouts.h"

static Shown show_composed(ComposedLayout c)
{
    Shown text;
    composed_print(text.s, sizeof text.s, c);
    return text;
}

static void is_composed(ComposedLayout c, const char *text, const char *name)
{
    Shown got = show_composed(c);
    if (!ok(strcmp(got.s, text) == 0, "%s = %s", name, text)) diag("got %s", got.s);
}

static void composed_refused(ComposedLayout c, const char *words, const char *name)
{
    is_refused(c.layout, words, name);
}

/* -- Swizzles ---------------------------------------------------------------------------------- */
/* B times: bit z xor bit y, one at a time. */
static int64_t by_bits(Swizzle s, int64_t x)
{
    int64_t out = x;
    int z = s.base + (s.shift < 0 ? -s.shift : 0), y = s.base + (s.shift < 0 ? 0 : s.shift);
    for (int i = 0; i < s.bits; i++) out ^= (x >> (y + i) & 1) << (z + i);
    return out;
}

enum { DEFINED, INVOLUTION, IN_BLOCK, PERIODIC, TEXT, SWIZZLE };

static void check_swizzle(Swizzle s, Property p[])
{
    char text[64];
    swizzle_print(text, sizeof text, s);
    check(&p[TEXT], swizzle_equal(swizzle_parse(text), s), "%s", text);
    int64_t period = swizzle_period(s);
    for (int64_t x = 0; x < 2 * period; x++) {
        int64_t y = swizzle_apply(s, x);
        check(&p[DEFINED], y == by_bits(s, x), "%s at %lld", text, (long long)x);
        check(&p[INVOLUTION], swizzle_apply(s, y) == x, "%s at %lld", text, (long long)x);
        check(&p[IN_BLOCK], y / period == x / period, "%s at %lld", text, (long long)x);
        check(&p[PERIODIC], swizzle_apply(s, x + period) == y + period, "%s at %lld", text,
              (long long)x);
    }
}

static void test_swizzles(void)
{
    Property p[SWIZZLE] = {
        [DEFINED] = {.name = "a swizzle xors B bits, S apart"},
        [INVOLUTION] = {.name = "it is its own inverse, so a bijection"},
        [IN_BLOCK] = {.name = "it stays in its block of 2^(B+M+|S|)"},
        [PERIODIC] = {.name = "each block is permuted alike"},
        [TEXT] = {.name = "text of a swizzle, there and back"},
    };
    long refused = 0;
    for (int b = 0; b <= 4; b++)
        for (int m = 0; m <= 4; m++)
            for (int s = -5; s <= 5; s++)
                if ((s < 0 ? -s : s) >= b)
                    check_swizzle((Swizzle){b, m, s}, p);
                else
                    refused += swizzle_ok((Swizzle){b, m, s});
    report(p, SWIZZLE);
    ok(refused == 0, "|S| < B is illegal");
    ok(swizzle_apply((Swizzle){3, 4, 2}, 5) == -1, "an illegal swizzle answers -1");
    ok(!swizzle_ok((Swizzle){1, 60, 2}) && !swizzle_ok((Swizzle){-1, 0, 0}) &&
           !swizzle_ok((Swizzle){0, 0, -63}) && !swizzle_ok((Swizzle){1, -1, 1}),
       "swizzles of too many bits, or of negative B or M");
    ok(swizzle_equal(swizzle_parse(" S< 3, 4 ,3 > "), (Swizzle){3, 4, 3}), "blanks in a swizzle");
    ok(!swizzle_ok(swizzle_parse("S<3,4>")) && !swizzle_ok(swizzle_parse("S<3,4,3")) &&
           !swizzle_ok(swizzle_parse("S<3,4,3> o")),
       "text that is no swizzle");
}

/* The hardware's: a byte address x ^ ((x & mask << 7) >> 3) for S<mode,4,3>. */
static void test_hardware(void)
{
    Property p = {.name = "the formula on byte addresses is the recast swizzle on elements"};
    for (int mode = 0; mode <= 3; mode++)
        for (int bits = 4; bits <= 128; bits *= 2)
            for (int64_t element = 0; element < 4096 * 8 / bits; element++) {
                int64_t x = element * bits / 8, mask = ((1 << mode) - 1) << 7;
                int64_t y = x ^ (x & mask) >> 3, in_byte = element * bits % 8;
                Swizzle s = swizzle_recast((Swizzle){mode, 4, 3}, 8, bits);
                int64_t got = swizzle_apply(s, element) * bits;
                check(&p, got == 8 * y + in_byte, "S<%d,4,3>, %d bits, element %lld", mode, bits,
                      (long long)element);
            }
    report(&p, 1);
    ok(swizzle_equal(swizzle_recast((Swizzle){3, 4, 3}, 8, 16), (Swizzle){3, 3, 3}),
       "S<3,4,3> on bytes is S<3,3,3> on halves");
    ok(!swizzle_ok(swizzle_recast((Swizzle){3, 4, 3}, 8, 256)), "32-byte elements are refused");
    ok(!swizzle_ok(swizzle_recast((Swizzle){3, 4, 3}, 8, 12)), "12-bit elements are refused");
}

/* -- Layouts in other units -------------------------------------------------------------------- */
enum { UNITS = 2048 };

/* Each value of L, as a multiset below UNITS. */
static bool tally(Layout L, int64_t n, short count[UNITS])
{
    memset(count, 0, UNITS * sizeof count[0]);
    for (int64_t i = 0; i < layout_size(L); i++)
        for (int64_t e = 0, v = layout_at(L, i) * n; e < n; e++, v++) {
            if (v < 0 || v >= UNITS) return false;
            count[v]++;
        }
    return true;
}

static bool same_memory(Layout fine, Layout coarse, int64_t n)
{
    static short a[UNITS], b[UNITS];
    return tally(fine, 1, a) && tally(coarse, n, b) && memcmp(a, b, sizeof a) == 0;
}

enum { UP, UP_SIZE, DOWN, DOWN_ORDER, BACK, UNITS_POINTS };

static bool same_function(Layout a, Layout b)
{
    if (layout_size(a) != layout_size(b)) return false;
    for (int64_t i = 0; i < layout_size(a); i++)
        if (layout_at(a, i) != layout_at(b, i)) return false;
    return true;
}

/* Neighbours in R of one value of L, where the mode that was split is the first. */
static bool splits_first(Layout L, Layout R, int64_t n)
{
    for (int64_t i = 0; i < layout_size(R); i++)
        if (layout_at(R, i) != n * layout_at(L, i / n) + i % n) return false;
    return true;
}

static void check_units(Layout L, int64_t n, Property p[])
{
    if (layout_size(L) * n > UNITS || layout_cosize(L) * n > UNITS) return;
    Layout up = layout_upcast(L, n), down = layout_downcast(L, n);
    if (layout_ok(up)) {
        check(&p[UP], same_memory(L, up, n), "%s by %lld = %s", show(L).s, (long long)n,
              show(up).s);
        check(&p[UP_SIZE], layout_size(up) * n == layout_size(L), "%s by %lld", show(L).s,
              (long long)n);
    }
    if (!layout_ok(down)) return;
    check(&p[DOWN], same_memory(down, L, n), "%s by %lld = %s", show(L).s, (long long)n,
          show(down).s);
    Layout back = layout_upcast(down, n);
    check(&p[BACK], same_function(back, L), "%s by %lld = %s = %s", show(L).s, (long long)n,
          show(down).s, show(back).s);
    Layout first = layout_flatten(L);
    if (n > 1 && first.node[0].rank > 0 && first.node[1].stride == 1 && first.node[1].shape > 1)
        check(&p[DOWN_ORDER], splits_first(L, down, n), "%s by %lld", show(L).s, (long long)n);
}

static void test_units(void)
{
    Property p[UNITS_POINTS] = {
        [UP] = {.name = "upcast holds the same memory"},
        [UP_SIZE] = {.name = "upcast has a part n of the elements"},
        [DOWN] = {.name = "downcast holds the same memory"},
        [DOWN_ORDER] = {.name = "downcast puts an element's parts side by side"},
        [BACK] = {.name = "upcast undoes downcast"},
    };
    const Alphabet small = {
        .extents = 4, .strides = 6, .extent = {1, 2, 3, 4}, .stride = {0, 1, 2, 3, 4, 8}};
    for (int i = 0; i < count_layouts(&small, 3); i++)
        for (int64_t n = 1; n <= 4; n++) check_units(nth_layout(&small, i), n, p);
    Random r = {.state = 11};
    for (int i = 0; i < 20000; i++) check_units(random_binary(&r, 3), 1 << random_below(&r, 4), p);
    report(p, UNITS_POINTS);
}

static void test_unit_answers(void)
{
    Layout tile = layout_parse("((8,16),(64,1)):((64,512),(1,0))");
    is_layout(layout_recast(tile, 16, 32), "((8,16),(32,1)):((32,256),(1,0))", "16 to 32 bits");
    is_layout(layout_recast(tile, 16, 8), "((8,16),(128,1)):((128,1024),(1,0))", "16 to 8 bits");
    is_layout(layout_upcast(tile, 8), "((8,16),(8,1)):((8,64),(1,0))", "in chunks of 16 bytes");
    is_layout(layout_upcast(layout_parse("(2,4):(1,2)"), 4), "(1,2):(1,1)", "a mode used up");
    is_refused(layout_upcast(layout_parse("(6,4):(1,8)"), 4), "does not step evenly", "a cut unit");
    is_refused(layout_upcast(layout_parse("4:2"), 2), "whole units", "units with holes");
    is_refused(layout_upcast(layout_parse("(2,2):(1,1)"), 2), "whole units", "units twice");
    is_refused(layout_upcast(layout_parse("4:1@0"), 2), "coordinates", "units of coordinates");
    is_refused(layout_downcast(layout_parse("4:2"), 2), "no mode has stride 1", "nothing to split");
    is_refused(layout_downcast(layout_parse("(4,2):(1,1)"), 2), "two modes", "two to split");
    is_refused(layout_recast(tile, 16, 24), "from 16 bits to 24", "16 to 24 bits");
    is_refused(layout_downcast(layout_leaf(INT64_MAX, 1), 2), "overflows", "too many parts");
    is_refused(layout_upcast(tile, 0), "positive", "units of nothing");
}

/* -- Composed layouts -------------------------------------------------------------------------- */
static void test_text(void)
{
    static const char *const texts[] = {
        "S<3,4,3> o 0 o (8,64):(64,1)",
        "S<3,4,3> o 0 o ((8,16),(64,1)):((64,512),(1,0))",
        "S<3,4,3> o 0 o ((8,16),(64,1),(1,7)):((64,512),(1,0),(0,8192))",
        "S<0,4,3> o -12 o 8:1",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        is_composed(composed_parse(texts[i]), texts[i], "parse and print");
    is_composed(composed_parse("(4,2):(2,1)"), "S<0,4,3> o 0 o (4,2):(2,1)", "a plain layout");
    is_composed(composed_parse(" S<1,4,3>o 7 o(8,8)"), "S<1,4,3> o 7 o (8,8):(1,8)", "blanks");
    composed_refused(composed_parse("S<3,4,3> o 8:1"), "expected S<B,M,S>", "no offset");
    composed_refused(composed_parse("S<3,4,2> o 0 o 8:1"), "|S| is less than B", "S<3,4,2>");
    composed_refused(composed_parse("S<3,4,3> o 0 o 8:1@0"), "coordinates", "swizzled coordinates");
    composed_refused(composed_parse("S<3,4,3> o 0 o (8"), "expected ','", "half a layout");
    char cut[12];
    ComposedLayout c = composed_parse(texts[1]);
    ok(composed_print(cut, sizeof cut, c) == (int)strlen(texts[1]) &&
           strcmp(cut, "S<3,4,3> o ") == 0,
       "a buffer too small is terminated and the length is told");
}

enum { AT, SLICED, COMPOSED, RECAST, COMPOSED_POINTS };

/* Slicing, restricting and evaluating one, against S(offset + L). */
static void check_composed(ComposedLayout c, Layout b, Property p[])
{
    int64_t rows = layout_size(layout_mode(c.layout, 0)), n = layout_size(c.layout);
    Swizzle s = c.bits ? swizzle_recast(c.swizzle, 8, c.bits) : c.swizzle;
    for (int64_t i = 0; i < n; i++)
        check(&p[AT], composed_at(c, i) == by_bits(s, c.offset + layout_at(c.layout, i)),
              "%s at %d", show_composed(c).s, (int)i);
    for (int64_t j = 0; j < n / rows; j++) {
        ComposedLayout column = composed_slice(c, 2, (int64_t[]){COMPOSED_ALL, j});
        bool same = composed_ok(column) && layout_rank(column.layout) == 1;
        for (int64_t i = 0; i < rows && same; i++)
            same = composed_at(column, i) == composed_at_nd(c, (int64_t[]){i, j}, 2);
        check(&p[SLICED], same, "%s column %d", show_composed(c).s, (int)j);
    }
    ComposedLayout R = composed_composition(c, b);
    for (int64_t i = 0; composed_ok(R) && i < layout_size(b); i++)
        check(&p[COMPOSED], composed_at(R, i) == composed_at(c, layout_at(b, i)), "%s o %s",
              show_composed(c).s, show(b).s);
}

/* The byte that each fine element lies in, counted by the coarse layout and by the fine one. */
static void check_recast(ComposedLayout c, int from, int to, Property *p)
{
    ComposedLayout R = composed_recast(c, from, to);
    if (!composed_ok(R)) return;
    const ComposedLayout *fine = from < to ? &c : &R, *coarse = from < to ? &R : &c;
    int64_t n = from < to ? to / from : from / to, units = layout_size(coarse->layout);
    static short seen[1 << 16];
    memset(seen, 0, sizeof seen);
    bool same = layout_size(fine->layout) == units * n;
    for (int64_t i = 0; i < units; i++)
        for (int64_t e = 0; e < n; e++) seen[(composed_at(*coarse, i) * n + e) & 0xFFFF]++;
    for (int64_t i = 0; i < units * n; i++) seen[composed_at(*fine, i) & 0xFFFF]--;
    for (int i = 0; i < 1 << 16; i++) same &= seen[i] == 0;
    check(p, same, "%s from %d to %d", show_composed(c).s, from, to);
}

static void test_composed(void)
{
    Property p[COMPOSED_POINTS] = {
        [AT] = {.name = "a composed layout is S(offset + L)"},
        [SLICED] = {.name = "a slice is what it was cut from"},
        [COMPOSED] = {.name = "composition from the right"},
        [RECAST] = {.name = "recast holds the same memory"},
    };
    static const char *const layouts[] = {"(8,64):(64,1)", "(64,8):(1,64)",
                                          "((8,4),(32,2)):((32,512),(1,256))", "(16,16):(1,16)"};
    static const char *const rights[] = {"8:8", "(4,8):(8,64)", "32:1", "(8,2):(1,64)"};
    for (int mode = 0; mode <= 3; mode++)
        for (int which = 0; which < 4; which++)
            for (int64_t offset = 0; offset <= 192; offset += 48)
                for (int bits = 0; bits <= 32; bits = bits ? 2 * bits : 4) {
                    ComposedLayout c =
                        composed_make((Swizzle){mode, 4, 3}, offset, layout_parse(layouts[which]));
                    if (bits) c = composed_typed(c, bits);
                    check_composed(c, layout_parse(rights[which]), p);
                    for (int to = 4; to <= 128; to *= 2)
                        check_recast(c, bits ? bits : 8, to, &p[RECAST]);
                }
    report(p, COMPOSED_POINTS);
}

static void test_composed_answers(void)
{
    ComposedLayout half = composed_typed(composed_parse("S<3,4,3> o 0 o (8,64):(64,1)"), 16);
    is_composed(composed_recast(half, 16, 32), "S<3,4,3> o 0 o (8,32):(32,1)",
                "a swizzle on bytes stays under recast");
    ComposedLayout plain = composed_parse("S<3,4,3> o 16 o (8,128):(128,1)");
    is_composed(composed_recast(plain, 8, 16), "S<3,3,3> o 8 o (8,64):(64,1)",
                "a swizzle on the layout's values is recast with it");
    composed_refused(composed_recast(composed_parse("S<3,4,3> o 0 o (8,128):(128,1)"), 8, 256),
                     "larger", "elements beyond a chunk");
    composed_refused(composed_recast(half, 8, 16), "the elements have 16", "the wrong size");
    composed_refused(composed_typed(plain, 24), "power of two", "elements of 24 bits");
    composed_refused(composed_slice(plain, 2, (int64_t[]){8, COMPOSED_ALL}), "outside",
                     "row 8 of 8");
    composed_refused(composed_slice(plain, 1, (int64_t[]){0}), "outside",
                     "one index for two modes");
    composed_refused(composed_composition(plain, layout_parse("5:100")), "does not divide",
                     "a composition that is none");
    composed_refused(composed_recast(composed_parse("S<1,4,3> o 1 o (8,16):(16,1)"), 8, 16),
                     "no whole element", "an odd offset");
    is_composed(composed_slice(half, 2, (int64_t[]){1, COMPOSED_ALL}), "S<3,4,3> o 64 o (64):(1)",
                "row 1");
    is_composed(composed_composition_by(half, tiler_parse("(8,16)")),
                "S<3,4,3> o 0 o (8,16):(64,1)", "a tile of it");
    ok(composed_at_nd(half, (int64_t[]){1, 0}, 2) == 72, "row 1 of halves begins in chunk 1");
    ok(composed_cosize(half) == 512, "an atom of halves has 512");
    ComposedLayout column = composed_slice(half, 2, (int64_t[]){COMPOSED_ALL, 0});
    ok(composed_cosize(column) == 512, "and its column needs them all");
    ok(composed_equal(half, half) && !composed_equal(half, plain), "equality");
}

int main(void)
{
    test_swizzles();
    test_hardware();
    test_units();
    test_unit_answers();
    test_text();
    test_composed();
    test_composed_answers();
    return tap_done();
}
