/*
 * swizzle: Swizzle<B,M,S>, layouts seen through one, and recasting between element sizes.
 *
 * A Swizzle is a function of integers that xors B of their bits with B others:
 *
 *     ... y y y ... z z z m m m m        z ^= y: B bits, M bits below them untouched, and
 *                                        y lies S above z (S < 0: below, and y ^= z)
 *
 * It is an involution, and a permutation of each block of 2^(B+M+|S|) neighbours. S<3,4,3> on byte
 * addresses moves the 16-byte chunks of a 128-byte row by the number of the row, modulo 8.
 *
 * A ComposedLayout is a swizzle after an offset after a layout, c -> S(offset + L(c)), written
 * S<3,4,3> o 0 o (8,64):(64,1). What its swizzle counts is said by `bits`:
 *     0      the layout's own values;
 *     else   bytes, as the hardware does, where the layout's values are elements of so many bits.
 * So S<3,4,3> stays S<3,4,3> whatever the element type, and composed_at is right for each.
 *
 * All are values. What is impossible gives a composed layout whose layout is poisoned and says why;
 * operations on one return it unchanged. Nothing here allocates or aborts.
 */
#ifndef KNAP_LAYOUT_SWIZZLE_H
#define KNAP_LAYOUT_SWIZZLE_H

#include "layout/layout.h"

typedef struct {
    int bits, base, shift; /* B, M, S */
} Swizzle;

typedef struct {
    Swizzle swizzle;
    int bits; /* of an element, where the swizzle counts bytes; 0: it counts the layout's values */
    int64_t offset; /* in the layout's values */
    Layout layout;
} ComposedLayout;

/* -- Swizzle ----------------------------------------------------------------------------------- */
/* Legal: B, M >= 0, |S| >= B, B + M + |S| <= 62. */
bool swizzle_ok(Swizzle s);
/* The rule that s breaks; "" where it is legal. */
const char *swizzle_why(Swizzle s);
bool swizzle_equal(Swizzle a, Swizzle b);
/* Post: S(S(x)) = x; x and S(x) lie in one block of swizzle_period(s). -1 where s is illegal. */
int64_t swizzle_apply(Swizzle s, int64_t x);
/* 2^(B+M+|S|), or 1 where B is 0: S(x + period) = S(x) + period. */
int64_t swizzle_period(Swizzle s);
/* The same permutation of memory, counted in units of `to` bits instead of `from`. Both are powers
 * of two. Post, with n = to/from: R(i) * n = S(i * n). Illegal (M < 0) where a unit is larger than
 * what S moves as one. */
Swizzle swizzle_recast(Swizzle s, int from, int to);
/* "S<3,4,3>", blanks allowed; what cannot be read is an illegal swizzle. */
Swizzle swizzle_parse(const char *text);
int swizzle_print(char *buf, size_t size, Swizzle s);

/* -- Layouts in other units -------------------------------------------------------------------- */
/* Values counted in units of n. Post: size(R) * n = size(L), and the values of R, each standing for
 * the n from R*n on, are those of L. Refused where L does not hold whole units, or a mode leaves
 * one at no even place. Integer strides only. */
Layout layout_upcast(Layout L, int64_t n);
/* Each value becomes n: the mode of stride 1 has n times its extent, the other strides are n times
 * as large. Post: size(R) = size(L) * n and upcast(R, n) is the same function as L. Refused where
 * there is not one mode of stride 1. */
Layout layout_downcast(Layout L, int64_t n);
/* The same memory in elements of `to` bits instead of `from`: one of the two above. */
Layout layout_recast(Layout L, int from, int to);

/* -- Composed layouts -------------------------------------------------------------------------- */
/* S o offset o L, all in the same unit. Refused where S is illegal or a stride is a coordinate. */
ComposedLayout composed_make(Swizzle s, int64_t offset, Layout L);
/* S<0,4,3> o 0 o L */
ComposedLayout composed_plain(Layout L);
/* The same, read as elements of so many bits with a swizzle that counts bytes; bits is a power of
 * two. Refused where an element is larger than what the swizzle moves as one. */
ComposedLayout composed_typed(ComposedLayout c, int bits);
/* "S<3,4,3> o 0 o LAYOUT", or a layout alone. bits = 0. */
ComposedLayout composed_parse(const char *text);
/* As layout_print; a buffer of LAYOUT_TEXT holds any. */
int composed_print(char *buf, size_t size, ComposedLayout c);

bool composed_ok(ComposedLayout c);
/* The reason of a poisoned one; "" otherwise. Points into *c. */
const char *composed_why(const ComposedLayout *c);
bool composed_equal(ComposedLayout a, ComposedLayout b);

/* S(offset + L(index)), in the layout's values: elements where bits is set. 0 where poisoned. */
int64_t composed_at(ComposedLayout c, int64_t index);
/* One index a mode, as layout_at_nd. */
int64_t composed_at_nd(ComposedLayout c, const int64_t *index, int n);
/* What a buffer must hold: offset + cosize(L), up to a whole period of the swizzle. -1: unknown. */
int64_t composed_cosize(ComposedLayout c);

enum { COMPOSED_ALL = -1 };
/* Mode i fixed at index[i] and dropped, or kept whole where that is COMPOSED_ALL. n is the rank.
 * Post: R(kept) = C(index with kept filled in). */
ComposedLayout composed_slice(ComposedLayout c, int n, const int64_t index[]);
/* Post: R(i) = C(B(i)). By mode: each, as layout_composition_by. */
ComposedLayout composed_composition(ComposedLayout c, Layout b);
ComposedLayout composed_composition_by(ComposedLayout c, Tiler t);
/* The same memory in elements of `to` bits instead of `from`, which is c.bits where that is set.
 * The post-conditions of layout_upcast and layout_downcast hold of composed_at. */
ComposedLayout composed_recast(ComposedLayout c, int from, int to);

#endif
