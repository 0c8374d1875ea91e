/*
 * stage: operands in host memory brought to the device, and C back.
 *
 * Matrices travel in blocks through a ring of page-locked buffers, which several threads fill while
 * earlier blocks are on the wire. Filling a block also packs it, so any strides will do. On the
 * device a matrix keeps its contiguous index and gets lines of whole 16 bytes. Only the elements of
 * C travel back, never what lies between them.
 */
#ifndef KNAP_GPU_STAGE_H
#define KNAP_GPU_STAGE_H

#include "gpu/device.h"
#include "layout/gemm.h"

enum { STAGE_RING = 4, STAGE_BLOCK = 4 << 20 };

/* What one call at a time works with, kept from call to call: queues, page-locked blocks, and
 * device memory for A, B and C. All zero: nothing taken yet. */
typedef struct {
    void *queue[STAGE_RING];
    void *block[STAGE_RING];
    void *at[3];
    size_t size[3];
} StageLane;

/* A matrix of the call and its image on the device, as `lines` of `width` elements. */
typedef struct {
    GemmMatrix from;              /* as in host memory */
    GemmMatrix to;                /* as on the device */
    int64_t lines, width, batch;  /* batch 1 where one matrix serves all */
    int64_t line_from, step_from; /* host strides from line to line and along a line, in elements */
    int64_t pitch;                /* device stride from line to line, in elements */
    void *device;
} StageMatrix;

typedef struct {
    Device *device;
    StageLane *lane;
    StageMatrix a, b, c;
    const void *host_a, *host_b;
    void *host_c;
    bool reads_c;
} Stage;

/* Lays out the images and takes device memory; *p and *args become the product to compute on the
 * device. */
DeviceError stage_begin(Stage *s, Device *device, StageLane *lane, GemmProblem *p, GemmArgs *args);
/* Brings A, B (unless k is 0) and C (unless beta is 0) to the device; they are there when it
 * returns. */
DeviceError stage_in(Stage *s, const GemmProblem *p);
/* Brings C back, after the work on queue 0. Where beta is not 0, C is written only after all of it
 * arrived. */
DeviceError stage_out(Stage *s);

void stage_lane_free(StageLane *lane, Device *device);

#endif
