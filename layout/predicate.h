/*
 * predicate: which elements of a tile lie inside the tensor that it was cut from.
 *
 * Tiling rounds up, so last tiles stick out. The recipe: take the identity tensor of the data's
 * shape (tensor_identity), tile and partition it with the very operations that tile and partition
 * the data, and compare each coordinate that comes out with the shape. The answers go into a buffer
 * of the caller's, addressed by a layout; a mode of stride 0 shares one answer among all of its
 * elements. A bound of `_` in an entry of the shape compares nothing there, so the rows of an A
 * tile are predicated by (M,_) and its columns apart.
 *
 * No allocation. A Predicate that cannot be is poisoned through its layout, which says why.
 */
#ifndef KNAP_LAYOUT_PREDICATE_H
#define KNAP_LAYOUT_PREDICATE_H

#include "layout/tensor.h"

typedef struct {
    bool *bit;     /* the caller's */
    int64_t room;  /* bits that fit there */
    Layout layout; /* integral, strides >= 0: element -> bit */
} Predicate;

/* Compact strides for the modes of `shape`, first fastest, but 0 where step has X: (4,8) with (1,X)
 * is (4,8):(1,0). step: one entry for each mode; `1` keeps all. */
Layout predicate_layout(Layout shape, Arith step);

/* Element i of a tensor of coordinates lies within `shape`: no entry is negative and each is less
 * than the shape's (arith_within). */
bool predicate_at(const Tensor *coords, Arith shape, int64_t i);

/* How many do; 0 for a poisoned tensor. */
int64_t predicate_count(const Tensor *coords, Arith shape);

/* Fills p: bit p.layout(i) = predicate_at(coords, shape, i), for all i below size(coords). Returns
 * p, or a poisoned one: where the sizes of its layout and of coords differ, room is too small, a
 * stride is negative, a coordinate cannot be formed, or elements that share a bit have different
 * answers. */
Predicate predicate_fill(Predicate p, const Tensor *coords, Arith shape);

/* Element i of the source, at from + src(i) * bytes, is copied to to + dst(i) * bytes where the
 * predicate says so; nothing else is read or written. src and dst are tensors of integers. Returns
 * how many were copied, as an integer, or a poisoned value: sizes that differ, values that are no
 * integers, an offset that cannot be formed; nothing has been copied then. */
Arith predicate_copy_if(const Predicate *p, const Tensor *src, const void *from, const Tensor *dst,
                        void *to, size_t bytes);

#endif
