/*
 * Every row of mma_atoms in several tilings: A and B are reached as often as copies of the atom
 * share them, C is a bijection for each copy along k, and the thread indices are the logical
 * threads in another order.
 */
#include "tests/layouts.h"
#include "layout/tiled.h"

static const char *const atom_layouts[] = {"(1,1,1)", "(2,2):(2,1)", "(4,1,1)", "(1,2,2):(0,2,1)"};

static TiledMma tiling_of(const MmaAtom *atom, const char *atoms, int times)
{
    TiledMma mma = tiled_mma_make(atom, layout_parse(atoms), (Tiler){0});
    mma.tile_m *= times;
    mma.tile_n *= times;
    mma.tile_k *= times;
    return mma;
}

/* Fewest and most threads that hold one element; false where one lies outside. */
static bool count_holders(Layout tv, int64_t rows, int64_t cols, int step, int *least, int *most)
{
    static unsigned char held[1 << 20];
    int64_t threads = layout_size(layout_mode(tv, 0)), c[LAYOUT_DIMS];
    memset(held, 0, (size_t)(rows * cols));
    for (int64_t v = 0; v < layout_size(layout_mode(tv, 1)); v++)
        for (int64_t t = 0; t < threads; t += step) {
            if (!layout_coord_at(tv, t + threads * v, c) || c[0] >= rows || c[1] >= cols)
                return false;
            held[c[0] + rows * c[1]]++;
        }
    *least = 255, *most = 0;
    for (int64_t i = 0; i < rows * cols; i++) {
        *least = held[i] < *least ? held[i] : *least;
        *most = held[i] > *most ? held[i] : *most;
    }
    return true;
}

static void check_operand(Property *p, const TiledMma *mma, char operand, const char *atoms)
{
    const MmaAtom *atom = mma->atom;
    int64_t rows = operand == 'B' ? mma->tile_n : mma->tile_m;
    int64_t cols = operand == 'C' ? mma->tile_n : mma->tile_k;
    bool smem = (operand == 'A' && atom->a_source == MMA_SHARED) ||
                (operand == 'B' && atom->b_source == MMA_SHARED);
    int share = operand == 'A'   ? mma->thr_n
                : operand == 'B' ? mma->thr_m
                                 : (int)layout_size(layout_mode(mma->atoms, 2));
    int least = 0, most = 0, step = smem ? mma_atom_threads(atom) : 1;
    Layout tv = tiled_mma_tv(mma, operand);
    check(p,
          layout_ok(tv) && count_holders(tv, rows, cols, step, &least, &most) && least == share &&
              most == share,
          "%s, atoms %s, %c: %d to %d threads hold an element, not %d: %s", atom->name, atoms,
          operand, least, most, share, show(tv).s);
}

/* Thread thr(t) holds what logical thread t does, and thr sends no two to one index. */
static void check_index(Property *p, const TiledMma *mma, const char *atoms)
{
    Layout thr = tiled_mma_thr(mma), tv = tiled_mma_tv(mma, 'C');
    Layout by_index = tiled_mma_by_index(mma, tv);
    int64_t n = layout_size(layout_mode(by_index, 0)), threads = tiled_mma_threads(mma);
    bool seen[1024] = {false}, right = layout_ok(by_index) && n <= 1024;
    for (int64_t t = 0; right && t < threads; t++) {
        int64_t at = layout_at(thr, t), want[LAYOUT_DIMS], got[LAYOUT_DIMS];
        right = at < n && !seen[at];
        if (right) seen[at] = true;
        for (int64_t v = 0; right && v < layout_size(layout_mode(tv, 1)); v += 3)
            right = layout_coord_at(tv, t + threads * v, want) &&
                    layout_coord_at(by_index, at + n * v, got) && want[0] == got[0] &&
                    want[1] == got[1];
    }
    check(p, right, "%s, atoms %s: threads %s, C by index %s", mma->atom->name, atoms, show(thr).s,
          show(by_index).s);
}

int main(void)
{
    Property p[] = {{.name = "each element of A in one thread for each copy along n, or all"},
                    {.name = "each element of B in one thread for each copy along m, or all"},
                    {.name = "each element of C in one thread for each copy along k"},
                    {.name = "thread thr(t) holds what logical thread t does"}};
    for (const MmaAtom *atom = mma_atoms; atom->name; atom++)
        for (size_t i = 0; i < sizeof atom_layouts / sizeof *atom_layouts; i++)
            for (int times = 1; times <= 2; times++) {
                TiledMma mma = tiling_of(atom, atom_layouts[i], times);
                for (int op = 0; op < 3; op++)
                    check_operand(&p[op], &mma, "ABC"[op], atom_layouts[i]);
                check_index(&p[3], &mma, atom_layouts[i]);
            }
    report(p, 4);
    return tap_done();
}
