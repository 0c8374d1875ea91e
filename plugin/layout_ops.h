/*
 * layout_ops: the values that layout expressions work on, and the operations on them, as one table.
 *
 * A value is a tuple of integers (a shape, a stride, a coordinate, or one integer), a layout, or a
 * tiler. An operation takes values that already have the kinds its row asks for, and returns a
 * value; one that is refused returns a poisoned layout that says why.
 */
#ifndef KNAP_PLUGIN_LAYOUT_OPS_H
#define KNAP_PLUGIN_LAYOUT_OPS_H

#include "layout/layout.h"

enum { OPS_ARGS = 8 };

typedef enum { OPS_TUPLE, OPS_LAYOUT, OPS_TILER } OpsKind;

/* A tuple and a layout lie in is.mode[0]. An integer of a tuple is the stride of a leaf of extent
 * 1, so it may have a basis: 1@0; a leaf of extent 0 is `_`, a mode left open. */
typedef struct {
    OpsKind kind;
    int column; /* of its first character, from 0 */
    Tiler is;
} OpsValue;

typedef struct {
    const char *name;
    /* One letter an argument, the last one for all further: L layout, T tiler, S shape, i integer
     * >= 0, c coordinate, x a layout or a shape, m shapes and strides or layouts. */
    const char *kinds;
    int least, most;
    OpsValue (*apply)(const OpsValue a[], int n);
} OpsRow;

/* The rows, ended by one whose name is NULL. */
extern const OpsRow layout_ops[];

/* The row of the name that is `length` characters long, or NULL. */
const OpsRow *layout_ops_find(const char *name, size_t length);

OpsValue layout_ops_tuple(Layout tuple);
OpsValue layout_ops_layout(Layout L);
OpsValue layout_ops_int(int64_t n);
/* The leaf `_`. */
Layout layout_ops_open(void);

/* The poisoned layout in v, or NULL. */
const Layout *layout_ops_poison(const OpsValue *v);

/* shape:stride of two tuples; poisoned where they do not fit or the values leave 64 bits. */
Layout layout_ops_join(Layout shape, Layout stride);

/* v as a row's letter asks for it; poisoned where it is none. */
OpsValue layout_ops_convert(const OpsValue *v, char kind);

/* L at a coordinate: a tuple or integer; where `_` leaves modes open, the layout of those modes. */
OpsValue layout_ops_at(Layout L, Layout coord);
/* L at a coordinate, `_` counted as 0. */
OpsValue layout_ops_offset(Layout L, Layout coord);

#endif
