/*
 * smem: shared-memory tiles in the four forms that TMA writes and wgmma reads, and bank conflicts.
 *
 * A form is a mode (how far chunks of 16 bytes are permuted) and a major (which of MN and K is
 * contiguous). Its atom is 8 rows of W bytes, W = 16, 32, 64, 128 for none, 32B, 64B, 128B; the row
 * runs along the major index. The swizzle counts bytes, so it is S<mode,4,3> for each element type,
 * and composed layouts here carry the element's bits (see swizzle.h).
 *
 * Tiles are (MN, K, further modes such as stages). Refusals: a poisoned composed layout, or a field
 * `why`, which is NULL where all is well.
 */
#ifndef KNAP_LAYOUT_SMEM_H
#define KNAP_LAYOUT_SMEM_H

#include "layout/dtype.h"
#include "layout/swizzle.h"

/* The value of a mode is the B of its swizzle. */
typedef enum { SMEM_NONE, SMEM_32B, SMEM_64B, SMEM_128B, SMEM_MODES } SmemMode;

/* Which index is contiguous. The values are wgmma's transpose immediates. */
typedef enum { SMEM_K_MAJOR, SMEM_MN_MAJOR } SmemMajor;

enum { SMEM_RANK = 8 }; /* modes of a tile at most */

/* "none", "32B", "64B", "128B"; and "K", "MN". */
const char *smem_mode_name(SmemMode mode);
const char *smem_major_name(SmemMajor major);
/* Bytes of a row; bytes after which the pattern repeats, to which a buffer is aligned: 8 rows. */
int smem_row(SmemMode mode);
int smem_period(SmemMode mode);

/* -- Making tiles ------------------------------------------------------------------------------ */
/* S<mode,4,3> o 0 o (8,W):(W,1) for K, (W,8):(1,W) for MN, W in elements. */
ComposedLayout smem_atom(SmemMode mode, SmemMajor major, Dtype type);
/* The one of the widest row that divides `extent`, the tile's extent along its major index. */
ComposedLayout smem_atom_fitting(SmemMajor major, Dtype type, int64_t extent);
/* The atom repeated until it fills the shape: (atom's mode i, repetitions of it). order[i] is the
 * place of mode i among the repetitions, 0 fastest; NULL: 0, 1, 2, ... Refused where the atom does
 * not divide the shape. Post: mode i has size shape[i]; the first of each is the atom. */
ComposedLayout smem_tile_to_shape(ComposedLayout atom, int rank, const int64_t shape[],
                                  const int order[]);
/* The fitting atom tiled to (mn, k), along the major index last, and where stages > 0 to
 * (mn, k, stages): ((8,mn/8),(W,k/W),(1,stages)) for K. */
ComposedLayout smem_tile(SmemMajor major, Dtype type, int64_t mn, int64_t k, int64_t stages);

/* -- Recognising them -------------------------------------------------------------------------- */
typedef struct {
    const char *why; /* NULL: the hardware has this form; else the rule that it breaks */
    SmemMode mode;
    SmemMajor major;
    int64_t run; /* elements contiguous along the major index: a row, or all of a narrower tile */
} SmemForm;

/* The form of a tile whose modes 0 and 1 are MN and K, whatever their nesting. */
SmemForm smem_form(ComposedLayout tile);

/* Mode i of L cut into n runs of neighbours, each of the positions that the one before leaves: the
 * extents e[0], e[1], ... and what remains, n + 1 modes. Poisoned where they do not divide it, or
 * where L is not even within a run. */
Layout smem_runs(Layout L, int i, int n, const int64_t e[]);
/* The one stride of mode i of L, 0 where it has one element; -1 where there is no single one. */
int64_t smem_step(Layout L, int i);

/* -- Bank conflicts ---------------------------------------------------------------------------- */
typedef struct {
    const char *why; /* NULL, or why there is no answer; then both numbers are 0 */
    int turns;       /* passes through the 32 banks of 4 bytes */
    int least;       /* those of an access without conflicts */
} SmemTurns;

/*
 * A warp's accesses of 4, 8 or 16 bytes a lane: mode 0 of `access` is the lane (at most 32), the
 * other modes are one access after the other. Values are byte offsets, or elements where
 * access.bits is set. Lanes go together by 32, 16 or 8, so that a pass moves at most 128 bytes; a
 * bank asked for several words takes a pass for each, and one word serves all who ask for it.
 * least counts one pass for each such group.
 */
SmemTurns smem_turns(ComposedLayout access, int bytes);

#endif
