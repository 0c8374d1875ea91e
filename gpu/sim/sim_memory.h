/*
 * sim_memory: device memory. Allocations are host memory of their own, each with a shadow byte a
 * byte that says whether it was ever written.
 *
 * Readers (launches, copies) hold sim_memory_lock while they use what sim_memory_find gave them.
 */
#ifndef KNAP_GPU_SIM_SIM_MEMORY_H
#define KNAP_GPU_SIM_SIM_MEMORY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uintptr_t base; /* a multiple of 256, as cudaMalloc gives it */
    size_t size;
    uint8_t *written; /* 1 where a byte was written */
    void *block;      /* what free takes */
} SimAlloc;

typedef struct {
    pthread_rwlock_t lock;
    SimAlloc *list; /* by ascending base */
    size_t count, used, limit;
} SimMemory;

void sim_memory_init(SimMemory *m, size_t limit);
void sim_memory_close(SimMemory *m);
/* NULL where memory is short. */
void *sim_memory_alloc(SimMemory *m, size_t bytes);
void sim_memory_release(SimMemory *m, void *p);

void sim_memory_lock(SimMemory *m);
void sim_memory_unlock(SimMemory *m);
/* The allocation in which address lies, or NULL. */
const SimAlloc *sim_memory_find(const SimMemory *m, uintptr_t address);
/* The allocation that holds all of [address, address + bytes), or NULL. */
const SimAlloc *sim_memory_range(const SimMemory *m, uintptr_t address, size_t bytes);
/* Were they all written? */
bool sim_memory_written(const SimAlloc *a, uintptr_t address, size_t bytes);

#endif
