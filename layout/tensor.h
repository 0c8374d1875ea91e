/*
 * tensor: a base and a layout, without data: the function i -> base + layout(i).
 *
 * Where the strides are integers the base is one too, and the values count (CuTe's
 * counting_iterator); they are offsets into memory, or indices. Where the strides are coordinates
 * the base is a coordinate, and so are the values: such a tensor, tiled and partitioned exactly as
 * the data are, says of each element where in the whole it lies. That serves as predicate
 * (predicate.h), as TMA coordinate (tma.h) and, times the strides of the data, as address.
 *
 * Tensors are values. What is impossible gives a poisoned tensor whose layout carries the reason
 * (tensor_ok, tensor_why); evaluating one gives a poisoned coordinate. An integer is a 1-D index
 * into whatever it addresses. Indices past the end of a last mode are legal, as in CuTe: tiles
 * stick out. Negative ones are refused.
 */
#ifndef KNAP_LAYOUT_TENSOR_H
#define KNAP_LAYOUT_TENSOR_H

#include "layout/basis.h"
#include "layout/layout.h"

enum { TENSOR_TEXT = LAYOUT_TEXT + ARITH_TEXT }; /* a buffer that holds any printed tensor */

typedef struct {
    Arith base; /* has an integer entry wherever a stride of the layout points */
    Layout layout;
} Tensor;

/* -- Making ------------------------------------------------------------------------------------ */
/* The base is widened by zeros to where the strides point. Refused where a stride points at a tuple
 * or past an integer other than 0, and where the base has a `_`. */
Tensor tensor_make(Arith base, Layout L);
/* Integers from start on. */
Tensor tensor_counting(int64_t start, Layout L);
/* The coordinates of a shape, nested as it is: (4,(2,3)) gives (4,(2,3)):(1@0,(1@0@1,1@1@1)). Post:
 * the value at a natural coordinate is that coordinate. */
Tensor tensor_identity(Layout shape);
/* Text as printed: "counting_iter(42) o (4,5):(1,4)" or "ArithTuple(0,0) o (4,5):(1@0,1@1)". */
Tensor tensor_parse(const char *text);
Tensor tensor_poison(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* -- Asking ------------------------------------------------------------------------------------ */
bool tensor_ok(const Tensor *t);
const char *tensor_why(const Tensor *t);
int64_t tensor_size(const Tensor *t);
/* As tensor_parse reads it, or "poisoned: why". Returns the full length, as snprintf does. */
int tensor_print(char *buf, size_t size, const Tensor *t);
/* The printed tensor, a colon, and its values: a line for each index of mode 0, a column for each
 * of mode 1; further modes give further such tables, with a line of dashes between. */
int tensor_print_table(char *buf, size_t size, const Tensor *t);

/* -- Evaluation: base + layout(c) -------------------------------------------------------------- */
Arith tensor_at(const Tensor *t, int64_t index);
/* One index a mode; n must be the rank. */
Arith tensor_at_nd(const Tensor *t, const int64_t *c, int n);
/* Any tree of integers that the shape refines. */
Arith tensor_at_coord(const Tensor *t, Arith c);

/* -- The layout changed, the base kept: layout.h says how -------------------------------------- */
Tensor tensor_flatten(Tensor t);
Tensor tensor_group(Tensor t, int begin, int end);
Tensor tensor_select(Tensor t, int n, const int idx[]);
Tensor tensor_composition(Tensor t, Tiler tiler);
Tensor tensor_logical_divide(Tensor t, Tiler tiler);
Tensor tensor_zipped_divide(Tensor t, Tiler tiler);
Tensor tensor_tiled_divide(Tensor t, Tiler tiler);
Tensor tensor_flat_divide(Tensor t, Tiler tiler);

/* -- Slices ------------------------------------------------------------------------------------
 * c has `_` for what is kept. An integer moves the base and its mode is gone; kept modes stand side
 * by side, whatever tuple of c their `_` was in, and one alone is a tuple of one, as in CuTe.
 * Post: filling the `_` of c with c' and evaluating t there gives what the slice has at c'. */
Tensor tensor_slice(Tensor t, Arith c);

/* The tile of t at coordinate c of the grid of tiles: zipped_divide, the tile's modes kept, the
 * rest sliced by c. Modes of the grid that c lacks count as `_`. Each mode of the tile is a mode of
 * the result; then come the kept modes of the grid. */
Tensor tensor_local_tile(Tensor t, Tiler tiler, Arith c);
/* tiler and c first lose the modes where step (CuTe's Step, as in "(1,X,1)") has X. */
Tensor tensor_local_tile_step(Tensor t, Tiler tiler, Arith c, Arith step);
/* What thread `index` gets when `threads`, a layout of thread indices, is laid over t again and
 * again: every size-of-mode-i-th element of mode i, from the thread's coordinate on. Refused where
 * no coordinate of `threads` has that index. Post: over all threads, each element once. */
Tensor tensor_local_partition(Tensor t, Layout threads, int64_t index);
Tensor tensor_local_partition_step(Tensor t, Layout threads, int64_t index, Arith step);

#endif
