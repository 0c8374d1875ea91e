/*
 * tma: a tensor in global memory and a tile of it -> the parameters of a TMA tensor map, and the
 * tensor of TMA coordinates that a kernel tiles and partitions in place of the data.
 *
 * Each leaf of the global layout becomes a dimension of the map: dimension 0 is the contiguous one,
 * the others follow by ascending stride. Leaves of extent 1 come last; their coordinate is always
 * 0, so one whose box is 1 is left out where there is no room for it. A leaf of extent 1 that stays
 * has a stride that the hardware takes put in place of any other; nothing is read through it.
 * Leaves of stride 0 repeat the same data and are no dimension.
 *
 * Nothing here calls CUDA: the fields are what cuTensorMapEncodeTiled wants, with interleave none.
 * What TMA cannot do gives a poisoned map that names the rule broken (tma_ok, tma_why).
 */
#ifndef KNAP_LAYOUT_TMA_H
#define KNAP_LAYOUT_TMA_H

#include "layout/dtype.h"
#include "layout/tensor.h"

enum {
    TMA_RANK = 5,   /* dimensions of a map */
    TMA_BOX = 256,  /* longest side of a box, in elements */
    TMA_ALIGN = 16, /* bytes: of the address, of strides and of the box's contiguous side */
    TMA_TEXT = 512  /* a buffer that holds any printed map that is not poisoned */
};

/* Values as in CUtensorMapSwizzle. */
typedef enum {
    TMA_SWIZZLE_NONE,
    TMA_SWIZZLE_32B,
    TMA_SWIZZLE_64B,
    TMA_SWIZZLE_128B,
    TMA_SWIZZLE_128B_ATOM_32B,
    TMA_SWIZZLE_COUNT
} TmaSwizzle;

/* What a load writes for elements outside the tensor. Values as in CUtensorMapFloatOOBfill. */
typedef enum { TMA_FILL_ZERO, TMA_FILL_NAN } TmaFill;

typedef struct {
    Dtype type;
    Layout layout;    /* of the whole tensor, in elements: integer strides, any nesting */
    uint64_t address; /* of its element 0; only the alignment matters */
    Arith tile;       /* extents of the box: one for each mode, or nested as deep as the layout */
    TmaSwizzle swizzle;
    TmaFill fill;
} TmaTile;

typedef struct {
    int rank;
    int type;                      /* value as in CUtensorMapDataType */
    int64_t dim[TMA_RANK];         /* elements */
    int64_t stride[TMA_RANK];      /* bytes; CUDA's globalStrides are stride + 1 */
    int32_t box[TMA_RANK];         /* elements */
    int32_t elem_stride[TMA_RANK]; /* 1 */
    TmaSwizzle swizzle;
    TmaFill fill;
    int64_t bytes; /* what a load brings to shared memory and to its barrier, fill included */
    Tensor coords; /* of the global layout's shape; its values are TMA coordinates */
} TmaMap;

/* Post, where ok: for each element i of the layout, the inner product of coords(i) and stride is
 * its offset in bytes, and coords(i) lies within dim. An extent of the tile that a nested mode
 * shares out fills its leaves from the first on; refused where it does not come out even. */
TmaMap tma_map(const TmaTile *tile);

bool tma_ok(const TmaMap *map);
const char *tma_why(const TmaMap *map);
/* "f16 (4096,8192) strides (2,8192) box (64,128) swizzle 128B fill zero", or "poisoned: why".
 * Returns the full length, as snprintf does. */
int tma_print(char *buf, size_t size, const TmaMap *map);

/* The mode that undoes Swizzle<b,m,s> of byte addresses; TMA_SWIZZLE_COUNT where there is none. */
TmaSwizzle tma_swizzle(int b, int m, int s);

#endif
