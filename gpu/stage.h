/*
 * stage: operands in host memory brought to the device, and C back.
 *
 * A staged matrix keeps its contiguous index and gets rows of whole 16 bytes. A matrix with neither
 * index contiguous is packed first, in host memory. Only the elements of C travel back, never what lies between
 * them.
 */
#ifndef KNAP_GPU_STAGE_H
#define KNAP_GPU_STAGE_H

#include "gpu/device.h"
#include "layout/gemm.h"

/* Working memory on the device, kept from call to call: one block each for A, B and C. */
typedef struct {
    void *at[3];
    size_t size[3];
} StageBuffers;

/* A matrix of the call and its image on the device. */
typedef struct {
    const void *host; /* element (0,0) of batch 0 */
    GemmMatrix from;  /* as in host memory */
    GemmMatrix to;    /* as on the device */
    int64_t rows, cols, batch;
    void *device;
    void *packed; /* host image in the device's layout, where it is needed; else NULL */
    bool direct;  /* travels line by line, without packing */
    bool moves;   /* has elements that travel in */
} StageMatrix;

/* Where beta is not 0, C comes back by way of `packed`: a failure halfway must leave C as it was. */
typedef struct {
    StageMatrix a, b, c;
} Stage;

/* Lays out the images and takes memory; *p and *args become the product to compute on the device. */
DeviceError stage_begin(Stage *s, Device *device, StageBuffers *buffers, GemmProblem *p,
                        GemmArgs *args);
/* Copies A, B and, unless beta is 0, C to the device. */
DeviceError stage_in(Stage *s, Device *device, void *queue);
/* Waits, and copies C back. Where beta is not 0, C is written only after all of it arrived. */
DeviceError stage_out(Stage *s, Device *device, void *queue, void *c);
void stage_end(Stage *s);
void stage_buffers_free(StageBuffers *buffers, Device *device);

#endif
