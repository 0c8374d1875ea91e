/*
 * layouts: what the tests of layout/ share: all small layouts by number, random nested ones from a
 * fixed seed, and properties that count their cases and keep the first counter-example.
 */
#ifndef KNAP_TESTS_LAYOUTS_H
#define KNAP_TESTS_LAYOUTS_H

#include "layout/layout.h"
#include "tests/tap.h"

#include <string.h>

/* A printed layout, to be used within one expression. */
typedef struct {
    char s[LAYOUT_TEXT];
} Shown;

static inline Shown show(Layout L)
{
    Shown text;
    layout_print(text.s, sizeof text.s, L);
    return text;
}

/* One point: L prints as text. */
static inline void is_layout(Layout L, const char *text, const char *name)
{
    Shown got = show(L);
    if (!ok(strcmp(got.s, text) == 0, "%s = %s", name, text)) diag("got %s", got.s);
}

/* One point: L is refused, for a reason that contains these words. */
static inline void is_refused(Layout L, const char *words, const char *name)
{
    bool right = !layout_ok(L) && strstr(layout_why(&L), words);
    if (!ok(right, "%s is refused: %s", name, words)) diag("got %s", show(L).s);
}

/* -- Properties -------------------------------------------------------------------------------- */
typedef struct {
    const char *name;
    long cases;
    bool broken;
    char first[768];
} Property;

/* Counts a case; the first that fails is kept in the words of fmt. Returns holds. */
__attribute__((format(printf, 3, 4))) static inline bool check(Property *p, bool holds,
                                                               const char *fmt, ...)
{
    p->cases++;
    if (holds || p->broken) return holds;
    p->broken = true;
    va_list args;
    va_start(args, fmt);
    vsnprintf(p->first, sizeof p->first, fmt, args);
    va_end(args);
    return false;
}

/* One point for each; a property without cases has not been tested and fails. */
static inline void report(const Property p[], int n)
{
    for (int i = 0; i < n; i++)
        if (!ok(!p[i].broken && p[i].cases > 0, "%s (%ld cases)", p[i].name, p[i].cases))
            diag("first: %s", p[i].first);
}

/* -- All small layouts ------------------------------------------------------------------------- */
typedef struct {
    int extents, strides;
    int64_t extent[8], stride[8];
} Alphabet;

static inline int leaf_kinds(const Alphabet *x)
{
    return x->extents * x->strides;
}

/* How many layouts of 1 to `leaves` leaves there are. */
static inline int count_layouts(const Alphabet *x, int leaves)
{
    int all = 0;
    for (int n = 0, these = 1; n < leaves; n++) all += these *= leaf_kinds(x);
    return all;
}

/* Layout number i of them: a leaf, or a flat tuple. */
static inline Layout nth_layout(const Alphabet *x, int i)
{
    int kinds = leaf_kinds(x), leaves = 1;
    for (int these = kinds; i >= these; these *= kinds, leaves++) i -= these;
    Layout leaf[4];
    for (int n = 0; n < leaves; n++, i /= kinds) {
        int kind = i % kinds;
        leaf[n] = layout_leaf(x->extent[kind % x->extents], x->stride[kind / x->extents]);
    }
    return leaves == 1 ? leaf[0] : layout_tuple(leaves, leaf);
}

/* -- Random ones ------------------------------------------------------------------------------- */
typedef struct {
    uint64_t state;
} Random;

/* 0 <= result < n. xorshift64*, Marsaglia 2003 and Vigna 2016. */
static inline int random_below(Random *r, int n)
{
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return (int)((r->state * 0x2545F4914F6CDD1Du >> 33) % (uint64_t)n);
}

/* A nested layout of extents below 7, each stride below max_stride. */
static inline Layout random_layout(Random *r, int depth, int max_stride)
{
    if (depth == 0 || random_below(r, 3) == 0)
        return layout_leaf(1 + random_below(r, 6), random_below(r, max_stride));
    Layout mode[3];
    int rank = 1 + random_below(r, 3);
    for (int i = 0; i < rank; i++) mode[i] = random_layout(r, depth - 1, max_stride);
    return layout_tuple(rank, mode);
}

/* A nested layout whose extents and strides are powers of two: every composition of such is one. */
static inline Layout random_binary(Random *r, int depth)
{
    if (depth == 0 || random_below(r, 3) == 0)
        return layout_leaf(1 << random_below(r, 4), 1 << random_below(r, 7));
    Layout mode[3];
    int rank = 1 + random_below(r, 3);
    for (int i = 0; i < rank; i++) mode[i] = random_binary(r, depth - 1);
    return layout_tuple(rank, mode);
}

#endif
