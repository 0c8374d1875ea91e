/*
 * tiled: atoms laid out over threads and values (CuTe's TiledMMA and TiledCopy).
 *
 * Everything here returns (thread, value) layouts whose strides are coordinates into a tile: evaluated
 * at (t, v) they give the (m,k), (n,k) or (m,n) that thread t holds as its v-th value. That one
 * coordinate serves as address, as predicate and as TMA coordinate.
 */
#ifndef KNAP_LAYOUT_TILED_H
#define KNAP_LAYOUT_TILED_H

#include "layout/atom_mma.h"

/* Copies of an atom: thr_m x thr_n of them side by side over threads (m fastest), then as many over
 * values as fill the tile. perm_m and perm_n reorder the tile's rows and columns before the atoms are
 * laid over them; a permutation is a layout of the tile's extent (a leaf m:1 permutes nothing). */
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
 *   T  = (atom's T, thr_m, thr_n), size tiled_mma_threads; a dimension the operand lacks has stride 0;
 *   V  = the atom's values;
 *   R0, R1 = repetitions of the atom: A: (m, k), B: (n, k), C: (m, n).
 * Post: for A and B every (T,V,R0,R1) lies in the tile and all of the tile is reached; for C it is a
 * bijection. Poisoned where the atoms do not fill the tile evenly.
 */
Layout tiled_mma_tv(const TiledMma *mma, char operand);

/*
 * A copy of a tile of extents n[0] x n[1] by `threads` threads, `vec` neighbours along dimension `major`
 * at a time (0 or 1): neighbouring threads take neighbouring vectors along `major` first. Returns
 * (T, (vec, rest along major, rest along the other)). Post: a bijection onto the tile. Poisoned where
 * threads * vec does not divide the tile evenly that way.
 */
Layout tiled_copy_tv(const int64_t n[2], int threads, int vec, int major);

#endif
