/*
 * tiled: atoms laid out over threads and values (CuTe's TiledMMA and TiledCopy).
 *
 * Everything here returns (thread, value) layouts whose strides are coordinates into a tile:
 * evaluated at (t, v) they give the (m,k), (n,k) or (m,n) that thread t holds as its v-th value.
 * That one coordinate serves as address, as predicate and as TMA coordinate.
 */
#ifndef KNAP_LAYOUT_TILED_H
#define KNAP_LAYOUT_TILED_H

#include "layout/atom_mma.h"

/*
 * Copies of an atom: thr_m x thr_n of them side by side over threads (m fastest), then as many over
 * values as fill the tile. Atoms are laid over positions 0, 1, 2, ...; perm_m and perm_n send a
 * position to the row or column of the tile that lies there. So row x of the atom, in copy t over
 * threads and repetition r, is
 *
 *     perm_m(x + atom.m * (t + thr_m * r))
 *
 * A permutation is a layout of the tile's extent that reaches each index below it; a leaf m:1, and
 * (), which is what a zeroed Layout is, permute nothing. Example: the atom is 1 x 1 x 1, thr_m 16,
 * tile_m 128. Unpermuted, thread t holds rows t, t+16, ..., t+112. With perm_m (16,4,2):(4,1,64),
 * position t + 16*j + 64*h is row 4*t + j + 64*h: thread t holds the four neighbours 4t..4t+3, and
 * four more 64 further, as R0 = (4,2):(1@0,64@0).
 */
typedef struct {
    const MmaAtom *atom;
    int thr_m, thr_n;
    int tile_m, tile_n, tile_k;
    Layout perm_m, perm_n;
} TiledMma;

/* All threads: those of the atom times thr_m * thr_n. */
int tiled_mma_threads(const TiledMma *mma);

/*
 * The (T, (V, R0, R1)) layout of an operand ('A', 'B' or 'C') over its tile:
 *   T  = (atom's T, thr_m, thr_n), size tiled_mma_threads; what the operand lacks has stride 0;
 *   V  = the atom's values;
 *   R0, R1 = repetitions of the atom: A (m, k), B (n, k), C (m, n); tuples where perm splits them.
 * T counts the atom's logical threads; atom->thr_id sends those to lanes.
 * Post: for A and B every (T,V,R0,R1) lies in the tile and all of the tile is reached; for C it is
 * a bijection. Poisoned where the atoms do not fill the tile evenly, and where perm is none or cuts
 * through an atom in a way that is no layout.
 */
Layout tiled_mma_tv(const TiledMma *mma, char operand);

/*
 * A copy of a tile of extents n[0] x n[1] by `threads` threads, `vec` neighbours along dimension
 * `major` at a time (0 or 1): neighbouring threads take neighbouring vectors along `major` first.
 * Returns (T, (vec, rest along major, rest along the other)), T = (threads along major, along the
 * other). Post: a bijection onto the tile; for v < vec, (t,v) is v further along major than (t,0).
 * Poisoned where threads * vec does not divide the tile evenly that way.
 */
Layout tiled_copy_tv(const int64_t n[2], int threads, int vec, int major);

#endif
