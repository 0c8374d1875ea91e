/*
 * layout_expr: expressions of the layout algebra as text, under CuTe's names.
 *
 *     expr   := term { '(' list ')' }               a layout at a coordinate: (4,8):(8,1)(2,3)
 *     term   := atom [ ':' atom ]                   shape:stride
 *     atom   := INT { '@' INT } | '_' | '(' [list] ')' | '<' list '>' | NAME '(' list ')'
 *     list   := expr { ',' expr }
 *
 * A tuple of numbers is a shape, a stride or a coordinate; a tuple of which a member is a layout is
 * a tiler, as in CuTe, and so is <...>. Where a layout is wanted, a shape means the compact
 * column-major one. A coordinate with `_` gives the layout of the modes left open. CuTe's mark of
 * static numbers, _4, is read as 4. The operations are the rows of layout_ops.
 *
 * Nothing here allocates. An expression that cannot be read or is refused gives a sentence that
 * names the operation, its operands and the rule broken, and the column where it happened.
 */
#ifndef KNAP_PLUGIN_LAYOUT_EXPR_H
#define KNAP_PLUGIN_LAYOUT_EXPR_H

#include "layout/layout.h"

enum { LAYOUT_EXPR_TEXT = 6 * LAYOUT_TEXT }; /* a buffer that holds any printed value */

typedef struct {
    int column; /* from 0 */
    char why[1200];
} LayoutExprError;

/* The value of text, printed into buf as layout_print does; its length, or -1: *error says why. */
int layout_expr_print(char *buf, size_t size, const char *text, LayoutExprError *error);

/* The value of text as a layout; poisoned where *error says why. */
Layout layout_expr_layout(const char *text, LayoutExprError *error);

#endif
