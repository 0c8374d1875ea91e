/*
 * draw: layouts as pictures, in text and in SVG.
 *
 * A DrawGrid is a table of cells in a buffer of the caller. draw_fill_* writes the cells from a
 * layout and returns that layout, or a poisoned one that says why it cannot be drawn. The printers
 * write into a caller's buffer, always terminated, and return the full length, as snprintf does.
 *
 * A TV map, a layout (T,V) -> coordinates, is drawn the other way round: each cell names the
 * thread and the value that lie there, T<t>V<v>, and has its thread's colour.
 */
#ifndef KNAP_LAYOUT_DRAW_H
#define KNAP_LAYOUT_DRAW_H

#include "layout/layout.h"

enum { DRAW_WHITE = -1, DRAW_CELL = 44 };

typedef struct {
    char text[DRAW_CELL];
    int colour; /* any number >= 0, or DRAW_WHITE */
} DrawCell;

typedef struct {
    const char *title; /* above the grid, without any of <>&; NULL: none */
    int rows, cols;
    DrawCell *cell; /* rows*cols of them, row by row */
    int x, y;       /* SVG: where the grid lies, in cells */
} DrawGrid;

/* Rows and columns that a layout of two modes needs; false where it has another rank, or more than
 * `most` cells. */
bool draw_extents(Layout L, int64_t most, int *rows, int *cols);

/* The value of a rank-2 layout at each (row, col): a number or a coordinate. */
Layout draw_fill_layout(const DrawGrid *g, Layout L);

/* The inverse of tv, of which mode 0 counts threads and mode 1 values, and whose value is (row,
 * col), or (col, row) where `turned`. Thread t is shown as thr(t). Where several hold a cell, the
 * first is shown; a cell that nobody holds stays empty. */
Layout draw_fill_tv(const DrawGrid *g, Layout tv, Layout thr, bool turned);

/* A rank-2 layout of coordinates against bounds: 1 where each of the n coordinates is below its
 * bound, . elsewhere. */
Layout draw_fill_predicate(const DrawGrid *g, Layout coords, int n, const int64_t bound[]);

/* The cells in columns, with the numbers of rows and columns; no blanks at a line's end. */
int draw_text(char *buf, size_t size, const DrawGrid *g);

/* One picture of n grids, each where its x and y say. */
int draw_svg(char *buf, size_t size, int n, const DrawGrid g[]);

#endif
