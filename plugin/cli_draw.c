/*
 * cli_draw: knap draw, layouts as a text grid on stdout and as SVG in a file. See cli.h and draw.h.
 *
 * Wrong usage is one sentence and 2. The file is written under a temporary name first, so that it
 * is whole or not there.
 */
#include "plugin/cli.h"

#include "layout/draw.h"
#include "layout/tiled.h"
#include "plugin/layout_expr.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GRIDS = 3, MOST_CELLS = 65536, GAP = 2 };

typedef struct {
    DrawGrid grid[GRIDS];
    char title[GRIDS][LAYOUT_TEXT];
    int n;
} Picture;

static int refused(Layout poison)
{
    return cli_wrong("%s", layout_why(&poison));
}

/* A further grid, or NULL: that has been said. */
static DrawGrid *add_grid(Picture *p, int64_t rows, int64_t cols)
{
    if (rows < 1 || cols < 1 || rows > MOST_CELLS / cols) {
        cli_wrong("draw: a grid has 1 to %d cells", MOST_CELLS);
        return NULL;
    }
    DrawGrid *g = &p->grid[p->n];
    *g = (DrawGrid){.title = p->title[p->n], .rows = (int)rows, .cols = (int)cols};
    g->cell = calloc((size_t)(rows * cols), sizeof *g->cell);
    if (!g->cell) {
        cli_wrong("draw: no memory");
        return NULL;
    }
    p->n++;
    return g;
}

static void free_grids(Picture *p)
{
    for (int i = 0; i < p->n; i++) free(p->grid[i].cell);
}

/* -- Words ------------------------------------------------------------------------------------- */
/* Numbers of 1 and more, from `least` on; 0 or 2. */
static int read_numbers(char **word, int n, int least, int out[])
{
    for (int i = 0; i < n; i++) {
        char *end;
        errno = 0;
        long value = strtol(word[i], &end, 10);
        if (errno || end == word[i] || *end || value < least || value > MOST_CELLS)
            return cli_wrong("draw: %s is no number from %d to %d", word[i], least, MOST_CELLS);
        out[i] = (int)value;
    }
    return 0;
}

/* "ABC" where word is NULL, else the operand that it names; NULL: it names none. */
static const char *operands(const char *word)
{
    if (!word) return "ABC";
    if (strlen(word) == 1 && strchr("ABC", word[0])) return word;
    cli_wrong("draw: %s is no operand; there are A, B and C", word);
    return NULL;
}

/* An atom with the texts that it points to. */
typedef struct {
    MmaAtom atom;
    MmaAtomText text;
} NamedAtom;

/* The atom called name, at any N; false: that has been said. */
static bool find_atom(const char *name, NamedAtom *named)
{
    named->atom = mma_atom_by_name(name, &named->text);
    if (!named->atom.name) cli_wrong("draw: %s is no atom; knap list tells their names", name);
    return named->atom.name != NULL;
}

/* -- What can be drawn ------------------------------------------------------------------------- */
static int draw_expression(Picture *p, int argc, char **word)
{
    (void)argc;
    LayoutExprError error;
    Layout L = layout_expr_layout(word[0], &error);
    int rows, cols;
    if (!layout_ok(L)) return refused(L);
    if (layout_rank(L) == 1) L = layout_pair(layout_leaf(1, 0), L);
    if (!draw_extents(L, MOST_CELLS, &rows, &cols))
        return cli_wrong("draw: %s has not two modes of 1 to %d cells; group makes two of more",
                         word[0], MOST_CELLS);
    DrawGrid *g = add_grid(p, rows, cols);
    if (!g) return 2;
    Layout drawn = draw_fill_layout(g, L);
    layout_print(p->title[0], sizeof p->title[0], L);
    return layout_ok(drawn) ? 0 : refused(drawn);
}

/* One operand of a product, m x n x k, where CuTe's pictures have it: A left, B above, C. */
static int add_operand(Picture *p, char operand, const int mnk[3], Layout tv, Layout thr)
{
    if (!layout_ok(tv)) return refused(tv);
    int rows = operand == 'B' ? mnk[2] : mnk[0], cols = operand == 'A' ? mnk[2] : mnk[1];
    DrawGrid *g = add_grid(p, rows, cols);
    if (!g) return 2;
    snprintf(p->title[p->n - 1], sizeof p->title[0], "%c: rows %c, columns %c", operand,
             operand == 'B' ? 'k' : 'm', operand == 'A' ? 'k' : 'n');
    g->x = operand == 'A' ? 0 : mnk[2] + GAP;
    g->y = operand == 'B' ? 0 : mnk[2] + GAP;
    Layout drawn = draw_fill_tv(g, tv, thr, operand == 'B');
    return layout_ok(drawn) ? 0 : refused(drawn);
}

static int draw_mma(Picture *p, int argc, char **word)
{
    NamedAtom named;
    if (!find_atom(word[1], &named)) return 2;
    const MmaAtom *atom = &named.atom;
    const char *which = operands(argc > 2 ? word[2] : NULL);
    if (!which) return 2;
    int status = 0;
    for (; *which && status == 0; which++)
        status = add_operand(p, *which, (int[]){atom->m, atom->n, atom->k},
                             mma_atom_tv(atom, *which), layout_parse(atom->thr_id));
    return status;
}

static int draw_tiled_mma(Picture *p, int argc, char **word)
{
    NamedAtom named;
    int n[5];
    if (!find_atom(word[1], &named)) return 2;
    const MmaAtom *atom = &named.atom;
    const char *which = operands(argc > 7 ? word[7] : NULL);
    if (!which || read_numbers(word + 2, 5, 1, n) != 0) return 2;
    TiledMma mma = {
        .atom = atom, .thr_m = n[0], .thr_n = n[1], .tile_m = n[2], .tile_n = n[3], .tile_k = n[4]};
    /* Copies of the atom take the lanes that the atom leaves free, as CuTe has it. */
    Layout thr = layout_logical_product(layout_parse(atom->thr_id),
                                        tiler_whole(layout_leaf((int64_t)n[0] * n[1], 1)));
    int status = 0;
    for (; *which && status == 0; which++)
        status = add_operand(p, *which, n + 2, tiled_mma_tv(&mma, *which), thr);
    return status;
}

static int draw_copy(Picture *p, int argc, char **word)
{
    (void)argc;
    int n[4], major;
    if (read_numbers(word + 1, 4, 1, n) != 0 || read_numbers(word + 5, 1, 0, &major) != 0) return 2;
    if (major > 1) return cli_wrong("draw: copies run along mode 0 or 1, not %d", major);
    Layout tv = tiled_copy_tv((int64_t[]){n[0], n[1]}, n[2], n[3], major);
    if (!layout_ok(tv)) return refused(tv);
    DrawGrid *g = add_grid(p, n[0], n[1]);
    if (!g) return 2;
    layout_print(p->title[0], sizeof p->title[0], tv);
    Layout drawn = draw_fill_tv(g, tv, layout_leaf(n[2], 1), false);
    return layout_ok(drawn) ? 0 : refused(drawn);
}

/* The extents of a flat shape of one or two modes; their number, or 0: that has been said. */
static int read_extents(const char *word, int64_t extent[2])
{
    LayoutExprError error;
    Layout shape = layout_expr_layout(word, &error);
    if (!layout_ok(shape)) return refused(shape), 0;
    int rank = layout_rank(shape);
    if (rank < 1 || rank > 2 || layout_depth(shape) > 1 || layout_size(shape) < 1)
        return cli_wrong("draw: %s is no shape of one or two extents", word), 0;
    for (int i = 0; i < rank; i++) extent[i] = layout_size(layout_mode(shape, i));
    return rank;
}

static int draw_predicate(Picture *p, int argc, char **word)
{
    (void)argc;
    int64_t tile[2], bound[2];
    int rank = read_extents(word[1], tile), bounds = rank ? read_extents(word[2], bound) : 0;
    if (rank == 0 || bounds == 0) return 2;
    if (rank != bounds) return cli_wrong("draw: %s and %s differ in rank", word[1], word[2]);
    /* The coordinates, cut into tiles: division rounds up, and the coordinates tell by how much. */
    Tiler tiler = rank == 1 ? tiler_whole(layout_leaf(tile[0], 1)) : tiler_shape(rank, tile);
    Layout coords = layout_logical_divide(layout_identity(rank, bound), tiler);
    int rows, cols;
    if (!layout_ok(coords)) return refused(coords);
    if (!draw_extents(coords, MOST_CELLS, &rows, &cols))
        return cli_wrong("draw: a grid has 1 to %d cells", MOST_CELLS);
    DrawGrid *g = add_grid(p, rows, cols);
    if (!g) return 2;
    layout_print(p->title[0], sizeof p->title[0], coords);
    Layout drawn = draw_fill_predicate(g, coords, rank, bound);
    return layout_ok(drawn) ? 0 : refused(drawn);
}

/* clang-format off */
static const struct {
    const char *name;
    int least, most; /* words, the name among them */
    int (*draw)(Picture *p, int argc, char **word);
    const char *usage;
} kinds[] = {
    { "mma",       2, 3, draw_mma,       "mma NAME [A|B|C]" },
    { "tiled-mma", 7, 8, draw_tiled_mma, "tiled-mma NAME thr_m thr_n tile_m tile_n tile_k [A|B|C]" },
    { "copy",      6, 6, draw_copy,      "copy M N THREADS VEC MAJOR" },
    { "predicate", 3, 3, draw_predicate, "predicate TILE SHAPE" },
};
/* clang-format on */

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static int fill(Picture *p, int argc, char **word)
{
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i].name, word[0]) != 0) continue;
        if (argc < kinds[i].least || argc > kinds[i].most)
            return cli_wrong("draw wants: %s", kinds[i].usage);
        return kinds[i].draw(p, argc, word);
    }
    if (argc > 1) return cli_wrong("draw wants one expression, but got %s too", word[1]);
    return draw_expression(p, argc, word);
}

/* -- Writing ----------------------------------------------------------------------------------- */
static int put_text(const Picture *p)
{
    for (int i = 0; i < p->n; i++) {
        size_t size = (size_t)draw_text(NULL, 0, &p->grid[i]) + 1;
        char *text = malloc(size);
        if (!text) return cli_wrong("draw: no memory"), 1;
        draw_text(text, size, &p->grid[i]);
        printf("%s%s", i > 0 ? "\n" : "", text);
        free(text);
    }
    return 0;
}

/* mkstemp's file is for its owner alone; a drawing is as readable as any file. */
static bool write_whole(int fd, const char *text, size_t length)
{
    mode_t mask = umask(0);
    umask(mask);
    FILE *f = fdopen(fd, "w");
    if (!f) return close(fd), false;
    bool done = fwrite(text, 1, length, f) == length && fchmod(fd, 0666 & ~mask) == 0;
    return fclose(f) == 0 && done;
}

static bool write_file(const char *path, const char *text, size_t length)
{
    size_t size = strlen(path) + sizeof ".XXXXXX";
    char *name = malloc(size);
    if (!name) return false;
    snprintf(name, size, "%s.XXXXXX", path);
    int fd = mkstemp(name);
    bool made = fd >= 0;
    bool done = made && write_whole(fd, text, length) && rename(name, path) == 0;
    int why = errno;
    if (made && !done) unlink(name);
    free(name);
    errno = why;
    return done;
}

static int put_svg(const Picture *p, const char *path)
{
    size_t size = (size_t)draw_svg(NULL, 0, p->n, p->grid) + 1;
    char *svg = malloc(size);
    if (!svg) return cli_wrong("draw: no memory"), 1;
    draw_svg(svg, size, p->n, p->grid);
    bool done = write_file(path, svg, size - 1);
    if (!done) cli_wrong("draw: %s cannot be written: %s", path, strerror(errno));
    free(svg);
    return done ? 0 : 1;
}

/* Takes --svg FILE out of the words; the number of words left, or 0: wrong, and that has been
 * said. */
static int take_svg(int argc, char **word, const char **path)
{
    int n = 0;
    for (int i = 0; i < argc; i++) {
        if (strcmp(word[i], "--svg") != 0) {
            word[n++] = word[i];
        } else if (++i == argc) {
            cli_wrong("draw: --svg wants a file's name");
            return 0;
        } else {
            *path = word[i];
        }
    }
    if (n == 0) cli_wrong("draw wants a layout, or mma, tiled-mma, copy or predicate");
    return n;
}

int cli_draw(int argc, char **argv)
{
    const char *path = NULL;
    argc = take_svg(argc - 1, argv + 1, &path);
    if (argc == 0) return 2;
    Picture p = {.n = 0};
    int status = fill(&p, argc, argv + 1);
    if (status == 0 && path) status = put_svg(&p, path);
    if (status == 0) status = put_text(&p);
    free_grids(&p);
    return status;
}
