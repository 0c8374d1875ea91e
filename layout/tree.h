/*
 * tree: the inside of layout/, for its own files only: building and walking the node array.
 *
 * A Builder appends nodes in preorder. Its first failure (too many nodes, a poisoned part, or a
 * reason given by tree_fail) sticks; what follows is ignored and tree_end returns the poisoned
 * layout. tree_end also refuses what does not fit in int64_t, so the leaves of a layout that is
 * there may be multiplied and added up without a further check.
 */
#ifndef KNAP_LAYOUT_TREE_H
#define KNAP_LAYOUT_TREE_H

#include "layout/layout.h"

typedef struct {
    Layout L;
    int n; /* nodes so far */
} Builder;

Builder tree_begin(void);
void tree_leaf(Builder *b, LayoutNode leaf);
/* Begins a tuple; tree_close ends it and wants the mark and the number of its modes. */
int tree_open(Builder *b);
void tree_close(Builder *b, int mark, int rank);
/* Appends the subtree of L at node `at`. */
void tree_copy(Builder *b, const Layout *L, int at);
/* Appends the top-level modes [begin, end) of L. */
void tree_modes(Builder *b, const Layout *L, int begin, int end);
void tree_fail(Builder *b, Layout poison);
Layout tree_end(const Builder *b);
/* What keeps L from being a layout, by the limits stated in layout.h; NULL: nothing. */
const char *tree_misfit(const Layout *L);
/* R; where only the making of it was refused ("layout: rule"), the same in the name of an operation
 * on a, and on b unless that is NULL: "name: a, b: rule". */
Layout tree_named(const char *name, const Layout *a, const Layout *b, Layout R);

/* Index of mode i of the node `at`; a leaf is its own mode 0. -1 where there is none. */
int tree_mode(const Layout *L, int at, int i);
/* The leaves of the subtree at `at`, in order; returns their number. */
int tree_leaves(const Layout *L, int at, LayoutNode leaf[LAYOUT_NODES]);
/* One leaf as it is, several as a flat tuple, none as 1:0. */
Layout tree_from_leaves(const LayoutNode leaf[], int n);

LayoutNode tree_node(int64_t shape, int64_t stride);
/* The stride of leaf times k; false where that overflows. A stride of 0 has no basis. */
bool tree_scale(LayoutNode *leaf, int64_t k);

/* Drops leaves of extent 1 and merges neighbours; returns the new number. Where `open`, a last leaf
 * of extent 1 is kept, so that the function is the same past its end too. */
int tree_merge(LayoutNode leaf[], int n, bool open);

/* op applied to each mode of a and of t, or to the whole where t has rank 0; further modes
 * unchanged. */
typedef Layout TreeOp(Layout a, Layout b);
Layout tree_by_mode(const char *name, Layout a, const Tiler *t, TreeOp *op);
/* tree_named for an operation on a and a tiler. */
Layout tree_named_by_mode(const char *name, const Layout *a, const Tiler *t, Layout R);

/* A printed layout, cut where too long, for messages: use it within one expression. */
typedef struct {
    char s[192];
} TreeText;
TreeText tree_text(Layout L);

#endif
