/* sim_memory: device memory. See sim_memory.h. */
#include "gpu/sim/sim_memory.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGN = 256 };

void sim_memory_init(SimMemory *m, size_t limit)
{
    *m = (SimMemory){.limit = limit};
    pthread_rwlock_init(&m->lock, NULL);
}

void sim_memory_close(SimMemory *m)
{
    for (size_t i = 0; i < m->count; i++) {
        free(m->list[i].block);
        free(m->list[i].written);
    }
    free(m->list);
    pthread_rwlock_destroy(&m->lock);
}

void sim_memory_lock(SimMemory *m)
{
    pthread_rwlock_rdlock(&m->lock);
}

void sim_memory_unlock(SimMemory *m)
{
    pthread_rwlock_unlock(&m->lock);
}

/* A red zone on either side keeps neighbours apart. */
static bool make(SimAlloc *a, size_t bytes)
{
    size_t room = bytes ? bytes : 1;
    *a = (SimAlloc){.size = bytes};
    if (room > SIZE_MAX - 3 * ALIGN) return false;
    a->block = malloc(room + 3 * ALIGN);
    a->written = calloc(room, 1);
    if (!a->block || !a->written) {
        free(a->block);
        free(a->written);
        return false;
    }
    a->base = ((uintptr_t)a->block + 2 * ALIGN - 1) & ~(uintptr_t)(ALIGN - 1);
    return true;
}

/* Index of the first allocation whose base lies above address. */
static size_t above(const SimMemory *m, uintptr_t address)
{
    size_t low = 0, high = m->count;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (m->list[mid].base > address)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

static bool insert(SimMemory *m, const SimAlloc *a)
{
    SimAlloc *list = realloc(m->list, (m->count + 1) * sizeof *list);
    if (!list) return false;
    m->list = list;
    size_t i = above(m, a->base);
    memmove(list + i + 1, list + i, (m->count - i) * sizeof *list);
    list[i] = *a;
    m->count++;
    m->used += a->size;
    return true;
}

void *sim_memory_alloc(SimMemory *m, size_t bytes)
{
    SimAlloc a;
    pthread_rwlock_wrlock(&m->lock);
    bool done = bytes <= m->limit - m->used && make(&a, bytes);
    if (done && !insert(m, &a)) {
        free(a.block);
        free(a.written);
        done = false;
    }
    pthread_rwlock_unlock(&m->lock);
    return done ? (void *)a.base : NULL;
}

void sim_memory_release(SimMemory *m, void *p)
{
    pthread_rwlock_wrlock(&m->lock);
    size_t i = above(m, (uintptr_t)p);
    if (i > 0 && m->list[i - 1].base == (uintptr_t)p) {
        SimAlloc *a = &m->list[i - 1];
        m->used -= a->size;
        free(a->block);
        free(a->written);
        memmove(a, a + 1, (m->count - i) * sizeof *a);
        m->count--;
    }
    pthread_rwlock_unlock(&m->lock);
}

const SimAlloc *sim_memory_find(const SimMemory *m, uintptr_t address)
{
    return sim_memory_range(m, address, 1);
}

const SimAlloc *sim_memory_range(const SimMemory *m, uintptr_t address, size_t bytes)
{
    size_t i = above(m, address);
    if (i == 0) return NULL;
    const SimAlloc *a = &m->list[i - 1];
    uintptr_t offset = address - a->base;
    return offset <= a->size && bytes <= a->size - offset ? a : NULL;
}

bool sim_memory_written(const SimAlloc *a, uintptr_t address, size_t bytes)
{
    return memchr(a->written + (address - a->base), 0, bytes) == NULL;
}
