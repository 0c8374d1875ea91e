/* draw: layouts as text grids and SVG. See draw.h. */
#include "layout/draw.h"
#include "layout/printer.h"

#include <stdio.h>
#include <string.h>

/* -- Printing ---------------------------------------------------------------------------------- */
static Printer begin(char *buf, size_t size)
{
    if (size > 0) buf[0] = '\0';
    return (Printer){.buf = buf, .size = size};
}

/* -- Cells ------------------------------------------------------------------------------------- */
bool draw_extents(Layout L, int64_t most, int *rows, int *cols)
{
    if (layout_rank(L) != 2) return false;
    int64_t m = layout_size(layout_mode(L, 0)), n = layout_size(layout_mode(L, 1));
    if (m < 1 || n < 1 || m > most / n) return false;
    *rows = (int)m;
    *cols = (int)n;
    return true;
}

static DrawCell *cell_at(const DrawGrid *g, int64_t row, int64_t col)
{
    return &g->cell[row * g->cols + col];
}

static void clear(const DrawGrid *g)
{
    for (int i = 0; i < g->rows * g->cols; i++) g->cell[i] = (DrawCell){.colour = DRAW_WHITE};
}

/* Poisoned unless L has the grid's rows and columns. */
static Layout fits(const DrawGrid *g, Layout L)
{
    int rows, cols;
    if (!layout_ok(L)) return L;
    if (!draw_extents(L, INT64_MAX, &rows, &cols))
        return layout_poison("draw: a layout of two modes, neither empty, is wanted");
    if (rows != g->rows || cols != g->cols)
        return layout_poison("draw: %d x %d does not fit %d x %d", rows, cols, g->rows, g->cols);
    return L;
}

/* Coordinates that the values of L have: 0 for integers. */
static int dims_of(const Layout *L)
{
    int dims = 0;
    for (int i = 0; i < L->node[0].span; i++)
        if (L->node[i].rank == LAYOUT_LEAF && L->node[i].basis[0] > dims)
            dims = L->node[i].basis[0];
    return dims;
}

/* "(3,4)"; cut where too long for a cell. */
static void put_coordinate(DrawCell *cell, const int64_t c[], int dims)
{
    Printer out = begin(cell->text, sizeof cell->text);
    for (int d = 0; d < dims; d++) printer_put(&out, "%s%lld", d ? "," : "(", (long long)c[d]);
    printer_put(&out, ")");
}

Layout draw_fill_layout(const DrawGrid *g, Layout L)
{
    L = fits(g, L);
    if (!layout_ok(L)) return L;
    clear(g);
    int dims = dims_of(&L);
    for (int i = 0; i < g->rows * g->cols; i++) {
        DrawCell *cell = cell_at(g, i % g->rows, i / g->rows);
        int64_t c[LAYOUT_DIMS];
        if (!layout_coord_at(L, i, c))
            return layout_poison("draw: values nested, or of more than %d coordinates",
                                 LAYOUT_DIMS);
        if (dims)
            put_coordinate(cell, c, dims);
        else
            snprintf(cell->text, sizeof cell->text, "%lld", (long long)c[0]);
        cell->colour = dims ? DRAW_WHITE : (int)(c[0] & 7);
    }
    return L;
}

Layout draw_fill_tv(const DrawGrid *g, Layout tv, Layout thr, bool turned)
{
    if (!layout_ok(tv)) return tv;
    if (!layout_ok(thr)) return thr;
    if (layout_rank(tv) != 2)
        return layout_poison("draw: a layout of threads and values is wanted");
    clear(g);
    int64_t threads = layout_size(layout_mode(tv, 0)), size = layout_size(tv);
    for (int64_t i = 0; i < size; i++) {
        int64_t c[LAYOUT_DIMS];
        bool known = layout_coord_at(tv, i, c);
        int64_t row = c[turned], col = c[!turned];
        if (!known || row < 0 || row >= g->rows || col < 0 || col >= g->cols)
            return layout_poison("draw: thread %lld, value %lld leaves the grid",
                                 (long long)(i % threads), (long long)(i / threads));
        DrawCell *cell = cell_at(g, row, col);
        if (cell->text[0]) continue;
        long long t = (long long)layout_at(thr, i % threads);
        snprintf(cell->text, sizeof cell->text, "T%lldV%lld", t, (long long)(i / threads));
        cell->colour = (int)(t & INT32_MAX);
    }
    return tv;
}

static bool below(const int64_t c[], int n, const int64_t bound[])
{
    for (int d = 0; d < n; d++)
        if (c[d] >= bound[d]) return false;
    return true;
}

Layout draw_fill_predicate(const DrawGrid *g, Layout coords, int n, const int64_t bound[])
{
    coords = fits(g, coords);
    if (!layout_ok(coords)) return coords;
    if (n < 1 || n > LAYOUT_DIMS) return layout_poison("draw: 1 to %d bounds", LAYOUT_DIMS);
    clear(g);
    for (int i = 0; i < g->rows * g->cols; i++) {
        DrawCell *cell = cell_at(g, i % g->rows, i / g->rows);
        int64_t c[LAYOUT_DIMS];
        if (!layout_coord_at(coords, i, c))
            return layout_poison("draw: values nested, or of more than %d coordinates",
                                 LAYOUT_DIMS);
        bool inside = below(c, n, bound);
        cell->text[0] = inside ? '1' : '.';
        cell->colour = inside ? 1 : DRAW_WHITE;
    }
    return coords;
}

/* -- Text -------------------------------------------------------------------------------------- */
static int digits(int n)
{
    return snprintf(NULL, 0, "%d", n);
}

static int widest(const DrawGrid *g)
{
    int width = digits(g->cols - 1);
    for (int i = 0; i < g->rows * g->cols; i++) {
        int length = (int)strlen(g->cell[i].text);
        if (length > width) width = length;
    }
    return width;
}

/* Cells of a row up to the last that says something, so that no line ends in blanks. */
static int filled(const DrawGrid *g, int row)
{
    int cols = g->cols;
    while (cols > 0 && cell_at(g, row, cols - 1)->text[0] == '\0') cols--;
    return cols;
}

int draw_text(char *buf, size_t size, const DrawGrid *g)
{
    Printer out = begin(buf, size);
    int label = digits(g->rows - 1), width = widest(g);
    if (g->title) printer_put(&out, "%s\n", g->title);
    printer_put(&out, "%*s ", label, "");
    for (int col = 0; col < g->cols; col++) printer_put(&out, " %*d", width, col);
    printer_put(&out, "\n");
    for (int row = 0; row < g->rows; row++) {
        printer_put(&out, "%*d:", label, row);
        int cols = filled(g, row);
        for (int col = 0; col < cols; col++)
            printer_put(&out, " %*s", width, cell_at(g, row, col)->text);
        printer_put(&out, "\n");
    }
    return out.length;
}

/* -- SVG --------------------------------------------------------------------------------------- */
enum { CELL_HEIGHT = 22, CHARACTER = 7, MARGIN = 2 }; /* pixels; the margin in cells */

/* Pale enough for black text; neighbours differ. */
static const char *const palette[] = {"#aec7e8", "#ffbb78", "#98df8a", "#ff9896",
                                      "#c5b0d5", "#f7d794", "#9edae5", "#dbdb8d"};
enum { COLOURS = sizeof palette / sizeof palette[0] };

static const char *fill_of(int colour)
{
    return colour < 0 ? "#ffffff" : palette[colour % COLOURS];
}

typedef struct {
    Printer out;
    int width; /* of a cell, in pixels */
} Picture;

static void put_label(Picture *p, int x, int y, const char *text)
{
    printer_put(&p->out, "<text x=\"%d\" y=\"%d\">%s</text>\n", x, y, text);
}

static void put_number(Picture *p, int x, int y, int n)
{
    char text[16];
    snprintf(text, sizeof text, "%d", n);
    put_label(p, x, y, text);
}

static void put_cell(Picture *p, int x, int y, const DrawCell *cell)
{
    printer_put(&p->out,
                "<rect class=\"cell\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\" "
                "stroke=\"#000000\"/>\n",
                x, y, p->width, CELL_HEIGHT, fill_of(cell->colour));
    if (cell->text[0]) put_label(p, x + p->width / 2, y + CELL_HEIGHT / 2, cell->text);
}

static void put_grid(Picture *p, const DrawGrid *g)
{
    int left = (g->x + MARGIN) * p->width, top = (g->y + MARGIN) * CELL_HEIGHT;
    int half_x = p->width / 2, half_y = CELL_HEIGHT / 2;
    if (g->title) put_label(p, left + g->cols * p->width / 2, top - 3 * half_y, g->title);
    for (int col = 0; col < g->cols; col++)
        put_number(p, left + col * p->width + half_x, top - half_y, col);
    for (int row = 0; row < g->rows; row++) {
        put_number(p, left - half_x, top + row * CELL_HEIGHT + half_y, row);
        for (int col = 0; col < g->cols; col++)
            put_cell(p, left + col * p->width, top + row * CELL_HEIGHT, cell_at(g, row, col));
    }
}

static int max(int a, int b)
{
    return a > b ? a : b;
}

int draw_svg(char *buf, size_t size, int n, const DrawGrid g[])
{
    int characters = 3, right = 0, bottom = 0;
    for (int i = 0; i < n; i++) {
        characters = max(characters, widest(&g[i]));
        right = max(right, g[i].x + g[i].cols);
        bottom = max(bottom, g[i].y + g[i].rows);
    }
    Picture p = {.out = begin(buf, size), .width = CHARACTER * characters + 8};
    int width = (right + 2 * MARGIN) * p.width, height = (bottom + 2 * MARGIN) * CELL_HEIGHT;
    printer_put(
        &p.out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
        "viewBox=\"0 0 %d %d\" font-family=\"monospace\" font-size=\"11\" text-anchor=\"middle\" "
        "dominant-baseline=\"central\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
        width, height, width, height);
    for (int i = 0; i < n; i++) put_grid(&p, &g[i]);
    printer_put(&p.out, "</svg>\n");
    return p.out.length;
}
