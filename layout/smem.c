/* smem: shared-memory atoms and tiles, their forms, bank conflicts. See smem.h. */
#include "layout/smem.h"

/* -- Names and sizes --------------------------------------------------------------------------- */
static const char *const mode_names[SMEM_MODES] = {"none", "32B", "64B", "128B"};

const char *smem_mode_name(SmemMode mode)
{
    return (unsigned)mode < SMEM_MODES ? mode_names[mode] : "?";
}

const char *smem_major_name(SmemMajor major)
{
    return major == SMEM_K_MAJOR ? "K" : "MN";
}

int smem_row(SmemMode mode)
{
    return 16 << mode;
}

int smem_period(SmemMode mode)
{
    return 8 * smem_row(mode);
}

/* -- Making tiles ------------------------------------------------------------------------------ */
static ComposedLayout refusal(Layout poison)
{
    return composed_make((Swizzle){0, 4, 3}, 0, poison);
}

ComposedLayout smem_atom(SmemMode mode, SmemMajor major, Dtype type)
{
    int bits = dtype_bits(type);
    if ((unsigned)mode >= SMEM_MODES || bits == 0)
        return refusal(layout_poison("smem_atom: no mode %d, or no type %d", (int)mode, (int)type));
    int row = smem_row(mode) * 8 / bits;
    Layout along = layout_leaf(row, 1), across = layout_leaf(8, row);
    Layout L = major == SMEM_K_MAJOR ? layout_pair(across, along) : layout_pair(along, across);
    return composed_typed(composed_make((Swizzle){(int)mode, 4, 3}, 0, L), bits);
}

ComposedLayout smem_atom_fitting(SmemMajor major, Dtype type, int64_t extent)
{
    int bits = dtype_bits(type);
    for (int mode = SMEM_128B; mode >= SMEM_NONE && bits > 0 && extent > 0; mode--)
        if (extent % (smem_row((SmemMode)mode) * 8 / bits) == 0)
            return smem_atom((SmemMode)mode, major, type);
    return refusal(layout_poison("smem_atom: %lld elements of %s do not fill chunks of 16 bytes",
                                 (long long)extent, dtype_name(type)));
}

/* The compact layout of n in which mode i has place order[i]. */
static Layout ordered(int rank, const int64_t n[], const int order[])
{
    Layout mode[SMEM_RANK];
    int64_t stride = 1;
    for (int place = 0; place < rank; place++) {
        int i = 0;
        while (i < rank && (order ? order[i] : i) != place) i++;
        if (i == rank) return layout_poison("tile_to_shape: no mode is number %d in order", place);
        mode[i] = layout_leaf(n[i], stride);
        if (__builtin_mul_overflow(stride, n[i], &stride))
            return layout_poison("tile_to_shape: the shape overflows");
    }
    return layout_tuple(rank, mode);
}

ComposedLayout smem_tile_to_shape(ComposedLayout atom, int rank, const int64_t shape[],
                                  const int order[])
{
    ComposedLayout tile = atom;
    if (!composed_ok(atom)) return atom;
    int atom_rank = layout_rank(atom.layout);
    int64_t n[SMEM_RANK];
    if (rank < atom_rank || rank < 1 || rank > SMEM_RANK)
        return refusal(
            layout_poison("tile_to_shape: an atom of %d modes, a shape of %d", atom_rank, rank));
    for (int i = 0; i < rank; i++) {
        int64_t block = i < atom_rank ? layout_size(layout_mode(atom.layout, i)) : 1;
        if (block < 1 || shape[i] < 1 || shape[i] % block != 0)
            return refusal(layout_poison("tile_to_shape: mode %d of the atom, %lld, does not divide"
                                         " the shape's %lld",
                                         i, (long long)block, (long long)shape[i]));
        n[i] = shape[i] / block;
    }
    tile.layout = layout_blocked_product(atom.layout, ordered(rank, n, order));
    return tile;
}

ComposedLayout smem_tile(SmemMajor major, Dtype type, int64_t mn, int64_t k, int64_t stages)
{
    static const int order[2][3] = {{0, 1, 2}, {1, 0, 2}};
    ComposedLayout atom = smem_atom_fitting(major, type, major == SMEM_K_MAJOR ? k : mn);
    return smem_tile_to_shape(atom, stages > 0 ? 3 : 2, (int64_t[]){mn, k, stages}, order[major]);
}

/* -- Recognising them -------------------------------------------------------------------------- */
Layout smem_runs(Layout L, int i, int n, const int64_t e[])
{
    Layout mode = layout_mode(L, i), run[SMEM_RANK];
    int64_t left = layout_size(mode), stride = 1;
    if (!layout_ok(mode)) return mode;
    if (n < 0 || n >= SMEM_RANK) return layout_poison("runs: %d of them", n);
    for (int r = 0; r < n; r++) {
        if (e[r] < 1 || left % e[r] != 0)
            return layout_poison("runs: %lld does not divide %lld", (long long)e[r],
                                 (long long)left);
        run[r] = layout_leaf(e[r], stride);
        left /= e[r];
        stride *= e[r];
    }
    run[n] = layout_leaf(left, stride);
    return layout_composition(mode, layout_tuple(n + 1, run));
}

int64_t smem_step(Layout L, int i)
{
    Layout mode = layout_coalesce(layout_mode(L, i));
    if (!layout_ok(mode) || layout_depth(mode) > 0) return -1;
    return layout_size(mode) == 1 ? 0 : mode.node[0].stride;
}

/* All of L's steps are multiples of `bytes`. */
static bool steps_by(Layout L, int bits, int64_t bytes)
{
    for (int i = 0; layout_ok(L) && i < L.node[0].span; i++)
        if (L.node[i].rank == LAYOUT_LEAF && L.node[i].shape > 1 &&
            L.node[i].stride % (bytes * 8 / bits) != 0)
            return false;
    return layout_ok(L);
}

static bool hardware_swizzle(Swizzle s)
{
    return s.bits >= SMEM_NONE && s.bits < SMEM_MODES &&
           (s.bits == 0 || (s.base == 4 && s.shift == 3));
}

/* The first `chunk` positions of mode i are neighbours. */
static bool contiguous(const Layout *L, int i, int64_t chunk)
{
    return smem_step(smem_runs(*L, i, 1, &chunk), 0) == 1;
}

/* What lies outside the atom begins where the pattern does. */
static bool atoms_aligned(const Layout *L, Layout across, Layout along, int bits, int64_t period)
{
    bool aligned = steps_by(layout_mode(across, 1), bits, period) &&
                   steps_by(layout_mode(along, 1), bits, period);
    for (int i = 2; i < layout_rank(*L) && aligned; i++)
        aligned = steps_by(layout_mode(*L, i), bits, period);
    return aligned;
}

/* The rules on a tile whose swizzle and major are known. */
static const char *broken_rule(const ComposedLayout *tile, SmemForm *form)
{
    const Layout *L = &tile->layout;
    int bits = tile->bits, inner = form->major == SMEM_K_MAJOR, period = smem_period(form->mode);
    int64_t row = smem_row(form->mode) * 8 / bits, chunk = 128 / bits;
    int64_t extent = layout_size(layout_mode(*L, inner));
    form->run = extent < row ? extent : row;
    if (extent % form->run != 0) return "rows do not divide the tile's contiguous extent";
    Layout along = smem_runs(*L, inner, 1, &form->run);
    if (smem_step(along, 0) != 1) return "a row of the swizzle is not contiguous";
    Layout across = smem_runs(*L, !inner, 1, (int64_t[]){8});
    if (smem_step(across, 0) != row) return "rows are not a swizzle's width apart, eight by eight";
    if (form->mode == SMEM_NONE) period = 16;
    if (!atoms_aligned(L, across, along, bits, period))
        return "atoms do not begin at a multiple of the swizzle's period";
    int64_t start = tile->offset % (period * 8 / bits);
    if (start < 0 || start % chunk != 0) return "the offset is no chunk of 16 bytes";
    return start > 0 && start + form->run > row ? "the offset leaves the first row of the pattern"
                                                : NULL;
}

SmemForm smem_form(ComposedLayout tile)
{
    const Layout *L = &tile.layout;
    SmemForm form = {.why = "the layout is poisoned"};
    if (!composed_ok(tile)) return form;
    form.why = "the element type is not known";
    if (tile.bits < 1 || tile.bits > 128) return form;
    form.why = "no swizzle of the hardware: S<0,4,3>, S<1,4,3>, S<2,4,3>, S<3,4,3>";
    if (!hardware_swizzle(tile.swizzle)) return form;
    form.why = "it has no two modes MN and K";
    if (layout_rank(*L) < 2 || layout_size(*L) == 0) return form;
    form.why = "neither MN nor K is contiguous over 16 bytes";
    form.mode = (SmemMode)tile.swizzle.bits;
    form.major = contiguous(L, 1, 128 / tile.bits) ? SMEM_K_MAJOR : SMEM_MN_MAJOR;
    if (form.major == SMEM_MN_MAJOR && !contiguous(L, 0, 128 / tile.bits)) return form;
    form.why = broken_rule(&tile, &form);
    return form;
}

/* -- Bank conflicts ---------------------------------------------------------------------------- */
enum { WARP = 32, BANKS = 32, WORD = 4 };

/* The most words of one bank among `n` distinct or repeated ones. */
static int deepest_bank(const int64_t word[], int n)
{
    int depth[BANKS] = {0}, most = 0;
    for (int i = 0; i < n; i++) {
        int seen = 0;
        while (word[seen] != word[i]) seen++;
        if (seen < i) continue;
        int d = ++depth[word[i] % BANKS];
        if (d > most) most = d;
    }
    return most;
}

/* Byte offset of a lane's access, or -1 where it is none that the hardware makes. */
static int64_t byte_at(const ComposedLayout *access, int64_t index, int bytes)
{
    int64_t at = composed_at(*access, index) * (access->bits ? access->bits : 8);
    return at < 0 || at % (8 * bytes) != 0 ? -1 : at / 8;
}

/* The passes of lanes [first, first + lanes) of access number v; -1 where one is illegal. */
static int passes(const ComposedLayout *access, int64_t first, int64_t lanes, int bytes)
{
    int64_t word[BANKS];
    int n = 0;
    for (int64_t lane = 0; lane < lanes; lane++) {
        int64_t at = byte_at(access, first + lane, bytes);
        if (at < 0) return -1;
        for (int w = 0; w < bytes / WORD; w++) word[n++] = at / WORD + w;
    }
    return deepest_bank(word, n);
}

SmemTurns smem_turns(ComposedLayout access, int bytes)
{
    SmemTurns none = {.why = "the layout is poisoned"}, all = {.why = NULL};
    if (!composed_ok(access)) return none;
    int64_t lanes = layout_size(layout_mode(access.layout, 0)), size = layout_size(access.layout);
    none.why = "a lane moves 4, 8 or 16 bytes at a time";
    if (bytes != 4 && bytes != 8 && bytes != 16) return none;
    none.why = "mode 0 is not a warp's lanes: 1 to 32";
    if (lanes < 1 || lanes > WARP) return none;
    none.why = "an offset is negative or no multiple of the access";
    int64_t group = WARP * WORD / bytes;
    for (int64_t v = 0; v < size; v += lanes) {
        for (int64_t first = 0; first < lanes; first += group) {
            int64_t n = lanes - first < group ? lanes - first : group;
            int turns = passes(&access, v + first, n, bytes);
            if (turns < 0) return none;
            all.turns += turns;
            all.least++;
        }
    }
    return all;
}
