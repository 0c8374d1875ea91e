/*
 * gmma: a shared-memory tile as wgmma sees it, through a 64-bit matrix descriptor.
 *
 * One wgmma reads a piece of the tile: mn (64 rows of A, or N of B) by 256 bits of K. Its
 * descriptor says where the piece starts and two distances between groups of rows; all three are
 * derived from the tile's layout. What makes pieces of one tile differ is their start alone, and
 * that is a layout too: the K-advance inside a swizzle atom is one of its strides.
 *
 * An answer that does not exist carries `why`, the rule that is broken; NULL where all is well.
 */
#ifndef KNAP_LAYOUT_GMMA_H
#define KNAP_LAYOUT_GMMA_H

#include "layout/smem.h"

typedef struct {
    const char *why;
    SmemMode mode;
    SmemMajor major;
    int k;            /* elements of K in a piece: 256 bits */
    int64_t lbo, sbo; /* leading and stride byte offset; see gmma_operand */
    int64_t offset;   /* bytes from the buffer to the first piece */
    Layout start;     /* (piece along MN, piece along K, further modes) -> bytes beyond that */
} GmmaOperand;

/*
 * The tile (MN, K, further modes), element size known, read in pieces of mn. Distances, in bytes:
 *
 *                  lbo                                    sbo
 *     K  none      the two chunks of 16 bytes along K     groups of 8 rows
 *     K  swizzled  unused, 16                             groups of 8 rows
 *     MN none      groups of 8 along K                    chunks of 16 bytes along MN
 *     MN swizzled  swizzle rows along MN                  groups of 8 along K
 *
 * 0 where there is one group. Refused: what is none of smem's forms, elements of other than 1, 8,
 * 16 or 32 bits, MN-major of other than 16 bits, mn that is no multiple of 8 up to 256 or does not
 * divide the tile, groups that are not evenly spaced.
 */
GmmaOperand gmma_operand(ComposedLayout tile, int64_t mn);

/* The fields of a descriptor, in bytes but for base_offset. */
typedef struct {
    const char *why;
    uint32_t start, lbo, sbo;
    uint32_t base_offset; /* 0..7, in rows of 128 bytes */
    SmemMode mode;
} GmmaDesc;

/* The descriptor of piece number `piece` (an index into op->start), the buffer being at this
 * shared-memory address. A buffer at a multiple of smem_period has base_offset 0; for 64B and 128B
 * a multiple of 128 will do, where the pattern was written from there. */
GmmaDesc gmma_desc(const GmmaOperand *op, uint32_t address, int64_t piece);

/* The 64 bits, and the fields of any 64 bits (why: a layout code is always legal, so NULL). */
uint64_t gmma_desc_pack(GmmaDesc desc);
GmmaDesc gmma_desc_unpack(uint64_t bits);

#endif
