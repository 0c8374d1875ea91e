/*
 * layout: CuTe's layouts as a C11 value type.
 *
 * A Layout is a shape and a stride of the same nesting, written shape:stride, e.g.
 * (4,(2,3)):(1,(8,16)). It is the function that sends a coordinate inside the shape to the inner
 * product of coordinate and stride. A 1-D index is a coordinate too: it is unfolded
 * colexicographically (first mode fastest).
 *
 * Strides may be coordinates: 3@1 is three times the basis element E<1>. A layout with such strides
 * sends a coordinate to a coordinate; the identity of an M x K matrix is (M,K):(1@0,1@1).
 *
 * Layouts are values: pass, return, copy and forget them. Nothing here allocates, prints or aborts.
 * A zeroed Layout is (). The product of a layout's extents (a 0 left out), one more than its
 * largest value and the negative of its smallest fit in int64_t, and it has at most LAYOUT_NODES
 * nodes: what breaks a limit is refused when it is made. An operation that is impossible returns a
 * poisoned layout that carries a sentence saying why; every operation on a poisoned layout returns
 * it unchanged, so calls nest and are tested once, with layout_ok. All functions are pure and may
 * be called from any thread.
 *
 * The names and the meaning of the operations are CuTe's; each states its post-condition, which is
 * what the tests check.
 */
#ifndef KNAP_LAYOUT_LAYOUT_H
#define KNAP_LAYOUT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LAYOUT_NODES = 48, /* leaves and inner nodes of one layout */
    LAYOUT_PATH = 4,   /* longest path of a basis element E<i,j,k,l> */
    LAYOUT_DIMS = 4,   /* top-level coordinates that layout_coord_at can return */
    LAYOUT_TILER = 6,  /* modes of a by-mode tiler */
    LAYOUT_LEAF = -1,  /* rank of a leaf node */
    LAYOUT_TEXT = 3072 /* a buffer that holds any printed layout */
};

/* What evaluation gives where the value does not fit in int64_t, as can be past the end of a
 * layout: no layout has this value. */
#define LAYOUT_OVERFLOW INT64_MIN

/* One node of the tree, in preorder: a tuple is followed by its modes, each `span` nodes long. */
typedef struct {
    int64_t shape;              /* leaf: extent, >= 0; tuple: 0 */
    int64_t stride;             /* leaf: coefficient; tuple: 0 */
    uint8_t basis[LAYOUT_PATH]; /* leaf: path of the basis element, each index + 1; 0: an integer */
    int8_t rank;                /* number of modes, or LAYOUT_LEAF */
    uint8_t span;               /* nodes of this subtree, itself included */
    uint8_t zero[2];
} LayoutNode;

typedef struct {
    uint32_t poisoned; /* nonzero: `why` holds the reason and there are no nodes */
    uint32_t zero;
    union {
        LayoutNode node[LAYOUT_NODES];
        char why[LAYOUT_NODES * sizeof(LayoutNode)];
    };
} Layout;

/* A tiler: one layout for the whole (rank 0, in mode[0]), or one a mode (rank modes). */
typedef struct {
    int rank;
    Layout mode[LAYOUT_TILER];
} Tiler;

/* -- Text ---------------------------------------------------------------------------------------
 * Grammar: layout := shape ':' stride | shape;  shape := INT | '(' shape {',' shape} ')' | '()';
 * stride congruent to shape, leaves INT or INT '@' INT {'@' INT}. As in CuTe the outermost basis
 * index is written last: 5@2@0 is 5 times E<0,2>. A shape alone means the compact column-major
 * layout of that shape. Blanks are allowed anywhere. Numbers that do not fit are refused. A stride
 * of 0 has no basis: 0@1 reads as 0. */
Layout layout_parse(const char *text);

/* Writes L (or "poisoned: why") into buf, always terminated. Returns the full length, as snprintf
 * does. */
int layout_print(char *buf, size_t size, Layout L);

/* Writes the shape alone, or the stride alone. */
int layout_print_shape(char *buf, size_t size, Layout L);
int layout_print_stride(char *buf, size_t size, Layout L);

/* Tiler text: a layout, or '<' layout {',' layout} '>', or a flat tuple of extents: "(4,8)" means
 * <4:1,8:1>. A text that cannot be read gives rank 0 and a poisoned mode[0]. */
Tiler tiler_parse(const char *text);

/* -- Making and asking ------------------------------------------------------------------------- */
bool layout_ok(Layout L);
/* The reason of a poisoned layout; "" otherwise. Points into *L. */
const char *layout_why(const Layout *L);
/* A poisoned layout; fmt as printf. */
Layout layout_poison(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

Layout layout_leaf(int64_t shape, int64_t stride);
/* shape:(stride@dim) */
Layout layout_basis(int64_t shape, int64_t stride, int dim);
/* (modes[0], ..., modes[rank-1]) */
Layout layout_tuple(int rank, const Layout modes[]);
Layout layout_pair(Layout a, Layout b);
/* Compact column-major layout of the same shape. */
Layout layout_compact(Layout shape);
/* (n[0],...,n[rank-1]):(1@0,...,1@(rank-1)), the identity: its value is the coordinate. */
Layout layout_identity(int rank, const int64_t n[]);

/* A leaf has rank 1 (itself is its mode 0) and depth 0; () has rank 0. */
int layout_rank(Layout L);
int layout_depth(Layout L);
Layout layout_mode(Layout L, int i);
/* Number of elements: the product of the extents. 0 for a poisoned layout. */
int64_t layout_size(Layout L);
/* 1 + the largest value (0 if empty). Integer strides >= 0 only; else -1. */
int64_t layout_cosize(Layout L);
/* Same nesting, extents and strides. A poisoned layout equals none, itself included. */
bool layout_equal(Layout a, Layout b);
/* Same nesting (extents and strides not compared). */
bool layout_congruent(Layout a, Layout b);
/* Every stride is a plain integer. */
bool layout_is_integral(Layout L);

/* -- Evaluation (integer strides) ----------------------------------------------------------------
 * Coordinates past the last extent of the last mode are legal, as in CuTe: that mode goes on. All
 * three give LAYOUT_OVERFLOW where that leads beyond int64_t, and 0 for a poisoned layout. */
int64_t layout_at(Layout L, int64_t index);
/* One index a mode; n must be the rank. Each index may itself be 1-D into a nested mode. */
int64_t layout_at_nd(Layout L, const int64_t *c, int n);
/* Nested coordinate, carried as the shape of `c` ("(1,(2,0))"): any tree that the shape refines. A
 * coordinate that does not fit gives *ok = false and 0; ok may be NULL. */
int64_t layout_at_coord(Layout L, Layout c, bool *ok);
/* The value of a layout whose strides are coordinates: out[d] is the coefficient of E<d>. Integer
 * strides add to out[0]. Returns false where a basis path is deeper than one, d is too large
 * or a coefficient does not fit. */
bool layout_coord_at(Layout L, int64_t index, int64_t out[LAYOUT_DIMS]);

/* -- Shape of the tree ------------------------------------------------------------------------- */
/* All leaves as one flat tuple; a leaf stays a leaf. Post: same function of 1-D indices. */
Layout layout_flatten(Layout L);
/* Modes [begin, end) put into one nested mode. */
Layout layout_group(Layout L, int begin, int end);
/* The modes named by idx, in that order; one mode gives a tuple of one. */
Layout layout_select(Layout L, int n, const int idx[]);
/* Mode b appended as a further top-level mode. A leaf counts as a tuple of one. */
Layout layout_append(Layout a, Layout b);

/* -- Algebra -------------------------------------------------------------------------------------
 * Domains below: 0 <= i < size of the result, i a 1-D index. */

/* Post: size(R) = size(L); R(i) = L(i); depth(R) <= 1; no two neighbouring leaves can be merged. */
Layout layout_coalesce(Layout L);
/* Coalesced part by part: L's mode at each leaf of profile (a shape, strides ignored) becomes one
 * coalesced mode; modes that profile lacks stay. Profile (1,1) keeps rank 2, a leaf coalesces the
 * whole. */
Layout layout_coalesce_by(Layout L, Layout profile);
/* Modes of size 1 removed, at any depth; 1:0 where nothing is left. Post: R(i) = L(i). */
Layout layout_filter_ones(Layout L);
/* R = A o B. Post: R compatible with B's shape; R(i) = A(B(i)). A leaf of B whose strides are
 * coordinates counts within the mode of A that they name. Refused:
 *   - steps of B that leave a mode of A whose extent their stride does not divide, or that take a
 *     part of it which does not divide B's extent (CuTe's two divisibility conditions);
 *   - modes of B that add up past the end of a mode of A: no layout has those values (CuTe takes
 *     their absence on trust);
 *   - modes of B of which one counts in a mode of A and another in a part of that mode: such
 *     coordinates cannot be added.
 * The last mode of A has no end. Extent-1 leaves of B give 1:0. */
Layout layout_composition(Layout a, Layout b);
/* By mode: R has A's rank; mode i = composition(A_i, tiler_i); modes past the tiler's rank stay. */
Layout layout_composition_by(Layout a, Tiler t);
/* R = the complement of A up to m. Post: the values of A and R meet only in 0 and (A,R) has no
 * value twice (modes of A with stride 0 aside); R's strides ascend; a further copy of (A,R) would
 * begin at m or past it; (A,R) reaches every value below m that is not padding. Padded layouts such
 * as (64,8):(1,65) are legal: their period is extent * stride of the last mode, here 520, and
 * values 64, 129, ... are padding. Overlapping ones are refused, and those of which one mode steps
 * within another. */
Layout layout_complement(Layout a, int64_t m);
/* Post: A(R(i)) = i for i < size(R). For an injective A the largest such prefix. */
Layout layout_right_inverse(Layout a);
/* Post: R(A(i)) = i for i < size(A). Refused where A is not injective, and where a stride leaves a
 * remainder by a smaller one. */
Layout layout_left_inverse(Layout a);

/* -- Division: A cut into tiles ---------------------------------------------------------------- */
/* Post: R = A o (B, complement(B, size A)); mode 0 is the tile, mode 1 the rest. By mode: each. */
Layout layout_logical_divide(Layout a, Tiler t);
/* By-mode tiles gathered: ((tile0,tile1,...),(rest0,rest1,...,untouched modes)). */
Layout layout_zipped_divide(Layout a, Tiler t);
/* ((tiles),rest0,rest1,...); the rest of a whole-layout tiler is unpacked where it is a tuple. */
Layout layout_tiled_divide(Layout a, Tiler t);
/* (tile0,tile1,...,rest0,rest1,...) */
Layout layout_flat_divide(Layout a, Tiler t);

/* -- Product: A repeated as B says ------------------------------------------------------------- */
/* Post: mode 0 = A; mode 1 = complement(A, size(A)*cosize(B)) o B. By mode: each mode so. */
Layout layout_logical_product(Layout a, Tiler t);
Layout layout_zipped_product(Layout a, Tiler t);
Layout layout_tiled_product(Layout a, Tiler t);
/* A and B of any rank, padded by 1:0 to equal rank: mode i = (A_i, B_i), blocks of A. */
Layout layout_blocked_product(Layout a, Layout b);
/* The same with (B_i, A_i): A interleaved. */
Layout layout_raked_product(Layout a, Layout b);

/* A tiler of one layout for the whole, and one of plain extents a mode: <n[0]:1,n[1]:1,...>. */
Tiler tiler_whole(Layout L);
Tiler tiler_shape(int rank, const int64_t n[]);

/* -- Leaves, for code generators --------------------------------------------------------------- */
typedef struct {
    int64_t shape, stride;
    int dim; /* d of stride@d; 0 for an integer stride, so integer layouts have all in dim 0 */
} LayoutLeaf;

/* The leaves in order, first fastest; extent-1 leaves are left out. Returns their number, or -1
 * where a basis path is deeper than one or more than max leaves are there. */
int layout_leaves(Layout L, LayoutLeaf *out, int max);

#endif
