/*
 * sim_shared: one block's shared memory, with who touched each byte since the last barrier.
 *
 * Two threads race when both touch a byte between two barriers and one of them writes. A tag is
 * epoch << 11 | who: who is 1 + thread, or MANY readers, or PENDING for a byte that a cp.async
 * will write. A write tag of 0 means never written.
 */
#ifndef KNAP_GPU_SIM_SIM_SHARED_H
#define KNAP_GPU_SIM_SIM_SHARED_H

#include "gpu/sim/sim_isa.h"

typedef struct {
    uint8_t *bytes;
    uint32_t *wrote, *read; /* tags */
    uint32_t size, epoch;
} SimShared;

bool sim_shared_init(SimShared *s, uint32_t size);
void sim_shared_free(SimShared *s);
/* A new block begins: nothing is written. */
void sim_shared_reset(SimShared *s);
/* A barrier: what was done before is ordered before what comes. */
void sim_shared_barrier(SimShared *s);

typedef enum {
    SHARED_READ,
    SHARED_WRITE,
    SHARED_COPY /* a write that arrives later */
} SimSharedUse;

/* Bytes of shared memory, checked and noted; NULL: sim_fault was called. */
uint8_t *sim_shared_access(SimWarp *w, const SimInsn *in, int lane, uint64_t address, size_t n,
                           SimSharedUse use);
/* The bytes of a copy by that thread have arrived. */
void sim_shared_arrive(SimShared *s, uint64_t address, size_t n, uint32_t thread);

/* The turns the banks take when lane i accesses n bytes at address[i] (n <= 16), and the least
 * possible. */
void sim_shared_passes(uint32_t lanes, const uint64_t address[SIM_LANES], size_t n,
                       uint64_t *passes, uint64_t *least);

#endif
