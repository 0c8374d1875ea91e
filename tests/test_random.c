/*
 * A million random cases of layout/ from a fixed seed, or from the one given as argument: nested
 * layouts of rank up to 8 and depth up to 4, padded, broadcast, empty, negative, with strides near
 * 2^40 and up to the ends of int64_t. The post-conditions of layout.h are held against an
 * evaluation of its own, in 128 bits; a refusal must name the operation, an operand and a rule, and
 * the rule must be broken.
 */
#include "tests/layouts.h"

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1 /* gcc's name for it, which clang 14 lacks */
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
enum { CASES = 60000 };
#else
enum { CASES = 1200000 };
#endif
/* Indices tried of one layout, and the size up to which one is searched whole. */
enum { SAMPLES = 6, SMALL = 256 };

__extension__ typedef __int128 Wide;

/* -- Random layouts ---------------------------------------------------------------------------- */
enum { COMPACT, PADDED, BINARY, ANY_SMALL, LARGE, EXTREME, STYLES };

static uint64_t random_bits(Random *r, int bits)
{
    uint64_t high = (uint64_t)random_below(r, 1 << 30), low = (uint64_t)random_below(r, 1 << 30);
    uint64_t mixed = high << 34 ^ low << 12 ^ (uint64_t)random_below(r, 1 << 12);
    return mixed >> (64 - bits);
}

static int64_t random_extent(Random *r, int style)
{
    if (random_below(r, 4) == 0) return 1;
    if (style == BINARY) return 1 << random_below(r, 4);
    if (style == LARGE && random_below(r, 4) == 0) return (int64_t)random_bits(r, 22) + 1;
    if (style == EXTREME && random_below(r, 8) == 0) return (int64_t)random_bits(r, 63);
    if (style == EXTREME && random_below(r, 30) == 0) return 0;
    return 1 + random_below(r, 6);
}

static int64_t random_stride(Random *r, int style)
{
    static const int64_t ends[] = {INT64_MAX,     INT64_MIN,         INT64_MAX - 1,
                                   INT64_MAX / 2, INT64_MAX / 2 + 1, -1};
    if (random_below(r, 10) == 0) return 0;
    if (style == BINARY) return (int64_t)1 << random_below(r, 9);
    if (style == LARGE) return ((int64_t)1 << 40) + random_below(r, 65) - 32;
    if (style == EXTREME && random_below(r, 3) == 0) return ends[random_below(r, 6)];
    if (style == EXTREME) return (int64_t)random_bits(r, 1 + random_below(r, 63));
    return random_below(r, 24);
}

typedef struct {
    Random *r;
    int style;
    int64_t next; /* the stride that goes on where the last leaf ended */
} Source;

static Layout draw_leaf(Source *s)
{
    int64_t extent = random_extent(s->r, s->style);
    if (s->style > PADDED && random_below(s->r, 4))
        return layout_leaf(extent, random_stride(s->r, s->style));
    Layout leaf = layout_leaf(extent, s->next);
    if (__builtin_mul_overflow(s->next, extent ? extent : 1, &s->next)) s->next = 1;
    if (s->style == PADDED) s->next = s->next % INT32_MAX + random_below(s->r, 3);
    return leaf;
}

static Layout draw_tree(Source *s, int depth, int most)
{
    if (depth == 0) return draw_leaf(s);
    Layout mode[8];
    int rank = 1 + random_below(s->r, most);
    for (int i = 0; i < rank; i++) mode[i] = draw_tree(s, random_below(s->r, 3) ? 0 : depth - 1, 3);
    return layout_tuple(rank, mode);
}

static Layout draw(Random *r, int style)
{
    Source s = {.r = r, .style = style, .next = 1};
    return draw_tree(&s, random_below(r, 5), random_below(r, 4) ? 3 : 8);
}

/* -- An evaluation of its own ------------------------------------------------------------------ */
static int leaves_of(const Layout *L, LayoutNode leaf[LAYOUT_NODES])
{
    int n = 0;
    for (int i = 0; i < L->node[0].span; i++)
        if (L->node[i].rank == LAYOUT_LEAF) leaf[n++] = L->node[i];
    return n;
}

static Wide value_of(const Layout *L, Wide index)
{
    LayoutNode leaf[LAYOUT_NODES];
    int n = leaves_of(L, leaf);
    Wide value = 0;
    for (int i = 0; i + 1 < n; index /= leaf[i++].shape)
        value += index % leaf[i].shape * leaf[i].stride;
    return n ? value + index * leaf[n - 1].stride : 0;
}

static int64_t some_index(Random *r, const Layout *L, int sample)
{
    int64_t size = layout_size(*L);
    return sample == 0 ? size - 1 : (int64_t)(random_bits(r, 63) % (uint64_t)size);
}

/* Equal functions, on samples; empty layouts have no values to compare. */
static bool agree(Random *r, const Layout *a, const Layout *b)
{
    if (layout_size(*a) != layout_size(*b)) return false;
    for (int s = 0; s < SAMPLES && layout_size(*a) > 0; s++) {
        int64_t i = some_index(r, a, s);
        if (value_of(a, i) != value_of(b, i)) return false;
    }
    return true;
}

/* A small layout has a value twice. */
static bool repeats(const Layout *L)
{
    Wide seen[SMALL];
    for (int n = 0; n < (int)layout_size(*L); n++) {
        seen[n] = value_of(L, n);
        for (int i = 0; i < n; i++)
            if (seen[i] == seen[n]) return true;
    }
    return false;
}

static bool is_small(const Layout *L)
{
    return layout_size(*L) <= SMALL;
}

static bool any_negative(const Layout *L)
{
    LayoutNode leaf[LAYOUT_NODES];
    for (int i = leaves_of(L, leaf); i-- > 0;)
        if (leaf[i].stride < 0) return true;
    return false;
}

/* -- Judging ----------------------------------------------------------------------------------- */
enum {
    MADE,
    TEXT,
    AT,
    TREE,
    COALESCED,
    COMPOSED,
    COMPLEMENTED,
    RIGHT,
    LEFT,
    DIVIDED,
    BY_MODE,
    MULTIPLIED,
    NAMED,
    DESERVED,
    PROPERTIES
};

static bool judge(Property *p, bool holds, const Layout *a, const Layout *b, const Layout *R)
{
    if (holds) {
        p->cases++;
        return true;
    }
    return check(p, false, "%.200s and %.200s: %.300s", show(*a).s, show(*b).s, show(*R).s);
}

/* The reason begins with an operation and quotes one of the operands. */
static bool names(const char *why, const Layout *a, const Layout *b)
{
    char text[2][64];
    layout_print(text[0], sizeof text[0], *a);
    layout_print(text[1], sizeof text[1], *b);
    const char *colon = strstr(why, ": ");
    return colon && colon > why && colon[2] && (strstr(why, text[0]) || strstr(why, text[1]));
}

/* What A gives for B's values is not the sum of what it gives for B's leaves, for some index. */
static bool carries_somewhere(const Layout *A, const Layout *B)
{
    LayoutNode b[LAYOUT_NODES];
    int n = leaves_of(B, b);
    for (int64_t i = 0; i < layout_size(*B); i++) {
        Wide sum = 0;
        int64_t rest = i;
        for (int k = 0; k < n; rest /= b[k++].shape)
            sum += value_of(A, (Wide)(rest % b[k].shape) * b[k].stride);
        if (sum != value_of(A, value_of(B, i))) return true;
    }
    return false;
}

/* "... X does not divide Y": so it is. */
static bool indivisible(const char *why)
{
    const char *at = strstr(why, " does not divide ");
    if (!at) return false;
    long long y = strtoll(at + strlen(" does not divide "), NULL, 10);
    while (at > why && at[-1] != ' ') at--;
    long long x = strtoll(at, NULL, 10);
    return x != 0 && y % x != 0;
}

/* The rules that can be checked by what the operands are. Others are taken as they are told. */
static bool deserved(const Layout *A, const Layout *B, const char *why)
{
    if (strstr(why, "does not divide")) return indivisible(why);
    if (strstr(why, "add up")) return !is_small(B) || any_negative(B) || carries_somewhere(A, B);
    if (strstr(why, "it is empty")) return layout_size(*A) == 0;
    if (strstr(why, "a stride is negative")) return any_negative(A);
    if (strstr(why, "not injective") || strstr(why, "overlaps itself"))
        return !is_small(A) || repeats(A);
    return true;
}

static void judge_refusal(Property p[], const Layout *A, const Layout *B, const Layout *R)
{
    judge(&p[NAMED], names(layout_why(R), A, B), A, B, R);
    judge(&p[DESERVED], deserved(A, B, layout_why(R)), A, B, R);
}

/* -- One case of each -------------------------------------------------------------------------- */
typedef void Case(Random *r, Property p[], const Layout *A, const Layout *B);

static bool fits(Wide x)
{
    return x <= INT64_MAX && x > INT64_MIN;
}

/* A layout is refused when it is made if and only if a limit stated in layout.h is broken. */
static void try_making(Random *r, Property p[], const Layout *A, const Layout *B)
{
    Layout R = layout_pair(*A, *B);
    LayoutNode leaf[2 * LAYOUT_NODES];
    int n = leaves_of(A, leaf);
    n += leaves_of(B, leaf + n);
    Wide size = 1, most = 0, least = 0;
    for (int i = 0; i < n && fits(size); i++) {
        Wide last = leaf[i].shape > 1 ? (Wide)(leaf[i].shape - 1) * leaf[i].stride : 0;
        size *= leaf[i].shape ? leaf[i].shape : 1;
        most += last > 0 ? last : 0;
        least += last < 0 ? last : 0;
    }
    bool room = A->node[0].span + B->node[0].span < LAYOUT_NODES;
    bool legal = room && fits(size) && fits(most + 1) && fits(least);
    judge(&p[MADE], layout_ok(R) == legal, A, B, &R);
    if (layout_ok(R) && layout_size(R) > 0 && !any_negative(&R))
        judge(&p[AT], layout_cosize(R) == most + 1, A, B, &R);
    (void)r;
}

static void try_text(Random *r, Property p[], const Layout *A, const Layout *B)
{
    Layout R = layout_parse(show(*A).s);
    judge(&p[TEXT], layout_equal(R, *A), A, B, &R);
    (void)r;
}

static void try_values(Random *r, Property p[], const Layout *A, const Layout *B)
{
    if (layout_size(*A) == 0) return;
    for (int s = 0; s < SAMPLES; s++) {
        int64_t i = s % 2 ? (int64_t)random_bits(r, 63) : some_index(r, A, s);
        Wide value = value_of(A, i);
        int64_t got = layout_at(*A, i);
        bool sane = fits(value) ? got == value || (s % 2 && got == LAYOUT_OVERFLOW)
                                : got == LAYOUT_OVERFLOW;
        if (i < layout_size(*A)) sane = got == value;
        judge(&p[AT], sane, A, B, A);
    }
}

static void try_tree(Random *r, Property p[], const Layout *A, const Layout *B)
{
    int rank = layout_rank(*A), begin = rank ? random_below(r, rank) : 0;
    Layout flat = layout_flatten(*A), ones = layout_filter_ones(*A);
    judge(&p[TREE], agree(r, A, &flat) && layout_depth(flat) <= 1, A, B, &flat);
    judge(&p[TREE], agree(r, A, &ones), A, B, &ones);
    Layout R = rank ? layout_group(*A, begin, begin + 1 + random_below(r, rank - begin)) : *A;
    if (layout_ok(R))
        judge(&p[TREE], agree(r, A, &R), A, B, &R);
    else
        judge_refusal(p, A, B, &R);
}

static void try_coalesce(Random *r, Property p[], const Layout *A, const Layout *B)
{
    Layout R = layout_coalesce(*A);
    judge(&p[COALESCED], layout_depth(R) <= 1 && agree(r, A, &R), A, B, &R);
}

static bool is_composed(Random *r, const Layout *A, const Layout *B, const Layout *R)
{
    if (layout_size(*R) != layout_size(*B)) return false;
    for (int s = 0; s < SAMPLES && layout_size(*R) > 0 && layout_size(*A) > 0; s++) {
        int64_t i = some_index(r, R, s);
        if (value_of(R, i) != value_of(A, value_of(B, i))) return false;
    }
    return true;
}

static void try_composition(Random *r, Property p[], const Layout *A, const Layout *B)
{
    Layout R = layout_composition(*A, *B);
    if (layout_ok(R))
        judge(&p[COMPOSED], is_composed(r, A, B, &R), A, B, &R);
    else
        judge_refusal(p, A, B, &R);
}

/* A's modes of stride 0 taken out: A's values, each as often as it is to be. */
static Layout once(const Layout *A)
{
    LayoutNode leaf[LAYOUT_NODES];
    Layout mode[LAYOUT_NODES];
    int n = leaves_of(A, leaf), kept = 0;
    for (int i = 0; i < n; i++)
        if (leaf[i].stride != 0) mode[kept++] = layout_leaf(leaf[i].shape, leaf[i].stride);
    return layout_tuple(kept, mode);
}

/* Strides ascend, and past its last leaf or A's the values would be m or more. */
static bool reaches(const Layout *A, const Layout *R, int64_t m)
{
    LayoutNode leaf[LAYOUT_NODES];
    Wide end = 1, before = 0;
    for (int i = leaves_of(A, leaf); i-- > 0;) {
        Wide last = (Wide)leaf[i].shape * leaf[i].stride;
        if (leaf[i].shape > 1 && last > end) end = last;
    }
    int n = leaves_of(R, leaf);
    for (int i = 0; i < n; before = leaf[i++].stride) {
        Wide last = (Wide)leaf[i].shape * leaf[i].stride;
        if (leaf[i].stride <= before && leaf[i].shape != 1) return false;
        if (last > end) end = last;
    }
    return end >= m;
}

static void try_complement(Random *r, Property p[], const Layout *A, const Layout *B)
{
    int64_t m = random_below(r, 2) ? random_below(r, 200) : (int64_t)random_bits(r, 62);
    Layout R = layout_complement(*A, m), distinct = once(A);
    if (!layout_ok(R)) {
        judge(&p[NAMED], names(layout_why(&R), A, A), A, B, &R);
        const Layout *blamed = strstr(layout_why(&R), "overlaps itself") ? &distinct : A;
        judge(&p[DESERVED], deserved(blamed, B, layout_why(&R)), A, B, &R);
        return;
    }
    Layout both = layout_pair(distinct, R);
    bool right = reaches(A, &R, m);
    if (layout_ok(both) && is_small(&both)) right = right && !repeats(&both);
    judge(&p[COMPLEMENTED], right, A, B, &R);
}

static void try_right_inverse(Random *r, Property p[], const Layout *A, const Layout *B)
{
    Layout R = layout_right_inverse(*A);
    if (!layout_ok(R)) {
        judge_refusal(p, A, A, &R);
        return;
    }
    bool right = true;
    for (int s = 0; s < SAMPLES && right; s++) {
        int64_t i = some_index(r, &R, s);
        Wide at = value_of(&R, i);
        right = at < layout_size(*A) && value_of(A, at) == i;
    }
    if (is_small(A) && !repeats(A))
        for (int i = 0; i < (int)layout_size(*A); i++)
            right = right && value_of(A, i) != layout_size(R);
    judge(&p[RIGHT], right, A, B, &R);
}

static void try_left_inverse(Random *r, Property p[], const Layout *A, const Layout *B)
{
    Layout R = layout_left_inverse(*A);
    if (!layout_ok(R)) {
        judge_refusal(p, A, A, &R);
        return;
    }
    bool right = true;
    for (int s = 0; s < SAMPLES; s++) {
        int64_t i = some_index(r, A, s);
        right = right && value_of(&R, value_of(A, i)) == i;
    }
    judge(&p[LEFT], right, A, B, &R);
}

static void try_divide(Random *r, Property p[], const Layout *A, const Layout *B)
{
    Layout R = layout_logical_divide(*A, tiler_whole(*B));
    if (!layout_ok(R)) {
        judge(&p[NAMED], names(layout_why(&R), A, B), A, B, &R);
        return;
    }
    Layout both = layout_pair(*B, layout_complement(*B, layout_size(*A)));
    judge(&p[DIVIDED], is_composed(r, A, &both, &R), A, B, &R);
}

/* Each mode cut in tiles of few elements: all four divisions have the same elements. */
static void try_by_mode(Random *r, Property p[], const Layout *A, const Layout *B)
{
    int rank = layout_rank(*A);
    int64_t n[LAYOUT_TILER];
    if (rank == 0 || rank > LAYOUT_TILER) return;
    for (int i = 0; i < rank; i++) n[i] = 1 + random_below(r, 4);
    Tiler t = tiler_shape(rank, n);
    Layout logical = layout_logical_divide(*A, t), zipped = layout_zipped_divide(*A, t);
    Layout flat = layout_flat_divide(*A, t), tiled = layout_tiled_divide(*A, t);
    if (!layout_ok(logical) || !layout_ok(zipped)) {
        const Layout *R = layout_ok(logical) ? &zipped : &logical;
        judge(&p[NAMED], strstr(layout_why(R), ": "), A, B, R);
        return;
    }
    bool right = layout_ok(flat) == layout_ok(tiled) || !layout_ok(flat);
    if (layout_ok(flat)) right = agree(r, &flat, &zipped) && agree(r, &tiled, &zipped);
    for (int i = 0; i < rank; i++) {
        Layout mode = layout_mode(*A, i), cut = layout_mode(logical, i);
        Layout both = layout_pair(layout_leaf(n[i], 1),
                                  layout_complement(layout_leaf(n[i], 1), layout_size(mode)));
        right = right && is_composed(r, &mode, &both, &cut);
    }
    judge(&p[BY_MODE], right, A, B, &logical);
}

static void try_product(Random *r, Property p[], const Layout *A, const Layout *B)
{
    Layout R = layout_logical_product(*A, tiler_whole(*B));
    if (!layout_ok(R)) {
        judge(&p[NAMED], names(layout_why(&R), A, B), A, B, &R);
        return;
    }
    Layout copies = layout_complement(*A, layout_size(*A) * layout_cosize(*B));
    Layout rest = layout_mode(R, 1);
    bool right = layout_equal(layout_mode(R, 0), *A) && is_composed(r, &copies, B, &rest);
    judge(&p[MULTIPLIED], right, A, B, &R);
}

static Case *const cases[] = {
    try_making,     try_text,          try_values,       try_tree,   try_coalesce, try_composition,
    try_complement, try_right_inverse, try_left_inverse, try_divide, try_by_mode,  try_product,
};
enum { KINDS = sizeof cases / sizeof cases[0] };

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 20021201u;
    diag("seed %llu", (unsigned long long)seed);
    Property p[PROPERTIES] = {
        [MADE] = {.name = "a layout is refused when made just where it breaks a limit"},
        [TEXT] = {.name = "parse(print(L)) = L"},
        [AT] = {.name = "values and cosize; LAYOUT_OVERFLOW where they do not fit"},
        [TREE] = {.name = "flatten, filter_ones and group are the same function"},
        [COALESCED] = {.name = "coalesce is the same function, of depth <= 1"},
        [COMPOSED] = {.name = "composition: R(i) = A(B(i))"},
        [COMPLEMENTED] = {.name = "complement: disjoint, ascending, reaching m"},
        [RIGHT] = {.name = "right_inverse: A(R(i)) = i, the most of them"},
        [LEFT] = {.name = "left_inverse: R(A(i)) = i"},
        [DIVIDED] = {.name = "logical_divide = A o (B, complement of B)"},
        [BY_MODE] = {.name = "division by mode, in four groupings"},
        [MULTIPLIED] = {.name = "logical_product = (A, complement of A o B)"},
        [NAMED] = {.name = "a refusal names operation, operand and rule"},
        [DESERVED] = {.name = "the rule that a refusal names is broken"},
    };
    Random r = {seed ? seed : 1};
    for (int i = 0; i < CASES;) {
        Layout A = draw(&r, random_below(&r, STYLES)), B = draw(&r, random_below(&r, STYLES));
        if (!layout_ok(A) || !layout_ok(B)) continue;
        cases[i++ % KINDS](&r, p, &A, &B);
    }
    report(p, PROPERTIES);
    return tap_done();
}
