/*
 * tiled: atoms laid out over threads and values (CuTe's TiledMMA and TiledCopy).
 *
 * A matrix, cut by an atom's (T,V) layout and its copies, becomes a (thread, value) layout of the
 * same values. Cut the identity, and evaluated at (t, v) it gives the (m,k), (n,k) or (m,n) that
 * thread t holds as its v-th value: that one coordinate serves as address, as predicate and as TMA
 * coordinate. Cut the layout of data, and it gives offsets.
 *
 * Threads are counted in two ways. The logical ones are the atom's, then the copies of the atom
 * along m, n and k: coordinates (V,M,N,K). tiled_mma_thr sends those to the indices that the
 * hardware knows, as thr_id and the layout of the atoms say; tiled_mma_by_index goes back.
 *
 * Errors: what is impossible gives a poisoned layout or tensor, which says why.
 */
#ifndef KNAP_LAYOUT_TILED_H
#define KNAP_LAYOUT_TILED_H

#include "layout/atom_mma.h"
#include "layout/tensor.h"

/* -- Multiply ------------------------------------------------------------------------------------
 * Copies of an atom side by side over threads, then as many over values as fill the tile. Atoms are
 * laid over positions 0, 1, 2, ...; perm_m, perm_n and perm_k send a position to the row or column
 * of the tile that lies there. So row x of the atom, in copy t over threads and repetition r, is
 *
 *     perm_m(x + atom.m * (t + copies along m * r))
 *
 * A permutation is a layout of the tile's extent that reaches each index below it; a leaf m:1, and
 * (), which is what a zeroed Layout is, permute nothing. Example: the atom is 1 x 1 x 1, thr_m 16,
 * tile_m 128. Unpermuted, thread t holds rows t, t+16, ..., t+112. With perm_m (16,4,2):(4,1,64),
 * position t + 16*j + 64*h is row 4*t + j + 64*h: thread t holds the four neighbours 4t..4t+3, and
 * four more 64 further, as R0 = (4,2):(1@0,64@0).
 */
typedef struct {
    const MmaAtom *atom;
    int thr_m, thr_n; /* copies over threads, m fastest, where `atoms` is () */
    int tile_m, tile_n, tile_k;
    Layout perm_m, perm_n, perm_k;
    Layout atoms; /* (M,N,K) -> number of the copy of the atom; sizes count before thr_m, thr_n */
} TiledMma;

/* CuTe's make_tiled_mma. atoms has up to three modes, for m, n and k, such as (2,2):(2,1). Modes of
 * perm are those permutations, whose size is the tile; one that is () or missing permutes nothing,
 * and the tile is then what the copies of the atom cover once. What is wrong shows in what is made
 * of it. */
TiledMma tiled_mma_make(const MmaAtom *atom, Layout atoms, Tiler perm);

/* All threads: those of the atom times its copies; 0 where tiled_mma_thr is refused. */
int tiled_mma_threads(const TiledMma *mma);

/* CuTe's ThrLayoutVMNK: (V,M,N,K), the atom's logical thread and the copy, -> thread index. Copies
 * take the indices that thr_id leaves free: four quadpairs (4,2):(1,16) as (2,2):(2,1) are
 * ((4,2),2,2,1):((1,16),8,4,0). Refused where two copies would have one thread, and where
 * no layout leads back. */
Layout tiled_mma_thr(const TiledMma *mma);

/*
 * An operand's data ('A': (M,K,...), 'B': (N,K,...), 'C': (M,N,...)) as (T, (V, R0, R1, ...)):
 *   T  = (the atom's T, copies along m, n, k), size tiled_mma_threads; what the operand lacks has
 *        stride 0;
 *   V  = the atom's values;
 *   R0, R1 = repetitions of the atom: A (m, k), B (n, k), C (m, n); tuples where perm splits them
 *        and where the data have several tiles. Further modes of the data follow unchanged.
 * T counts logical threads. Post: for A and B every value of the data is reached; for C too, once
 * by each copy along k. Refused where the atoms do not fill the tile evenly or tiles the data, and
 * where perm is none or cuts through an atom in a way that is no layout.
 */
Layout tiled_mma_thrfrg(const TiledMma *mma, char operand, Layout data);

/* The same of the identity of one tile: (T, (V, R0, R1)) -> coordinate in the tile. */
Layout tiled_mma_tv(const TiledMma *mma, char operand);

/* thrfrg with the thread index in place of T. Indices that tiled_mma_thr does not reach, as lanes 4
 * to 15 of a single quadpair, repeat the threads that there are. */
Layout tiled_mma_by_index(const TiledMma *mma, Layout thrfrg);

/* What thread `index` has of a (T,V) layout made of data's: the values from its base on. */
Tensor tiled_part(Tensor data, Layout tv, int64_t index);

/* The part of an operand's data that the thread of this index has: (V, R0, R1, ...). */
Tensor tiled_mma_partition(const TiledMma *mma, char operand, Tensor data, int64_t index);

/* (V,M,K), (V,N,K) or (V,M,N): the fragment of one tile, compact, first value fastest. An operand
 * that the atom reads from shared memory has one value an atom, the descriptor. */
Layout tiled_mma_fragment(const TiledMma *mma, char operand);

/* -- Copy -------------------------------------------------------------------------------------- */
typedef struct {
    Layout tv;    /* (thread index, value) -> index into the tile, column-major */
    int64_t n[2]; /* extents of the tile */
    int vec;      /* values that one instruction moves: 0 counts as 1 */
} TiledCopy;

/* CuTe's make_tiled_copy: thr is the coordinate of a thread -> its index, val that of a value ->
 * its number; each thread's values are neighbours. Both bijections, of one or two modes. Example:
 * (32,8) and (4,1) copy 128 x 8, thread t the rows 4*(t%32)..4*(t%32)+3 of column t/32. */
TiledCopy tiled_copy_make(Layout thr, Layout val, int vec);

/* The copy that gives each thread what it has as A, B or C of one tile. */
TiledCopy tiled_copy_mma(const TiledMma *mma, char operand, int vec);

/* Data of two modes and more as (T, ((vec, V/vec), R0, R1, ...)): R0, R1 count tiles. */
Layout tiled_copy_thrfrg(const TiledCopy *copy, Layout data);

/* The part of the data that the thread of this index copies: ((vec, V/vec), R0, R1, ...). */
Tensor tiled_copy_partition(const TiledCopy *copy, Tensor data, int64_t index);

/*
 * A copy of a tile of extents n[0] x n[1] by `threads` threads, `vec` neighbours along dimension
 * `major` at a time (0 or 1): neighbouring threads take neighbouring vectors along `major` first.
 * Returns (T, (vec, rest along major, rest along the other)), T = (threads along major, along the
 * other). Post: a bijection onto the tile; for v < vec, (t,v) is v further along major than (t,0).
 * Poisoned where threads * vec does not divide the tile evenly that way.
 */
Layout tiled_copy_tv(const int64_t n[2], int threads, int vec, int major);

#endif
