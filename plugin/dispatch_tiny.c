/*
 * dispatch_tiny: the threshold below which a front forwards a call without a further look, and the
 * count of such calls. Both belong to the process, since they come before any handle and cost
 * nanoseconds.
 */
#include "plugin/decide.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

static double threshold = DECIDE_TINY;

/* The environment cannot be asked in nanoseconds, so it is asked at load. Before that, AUTO's
 * holds. */
__attribute__((constructor)) static void at_load(void)
{
    const EnvMode mode = env_get()->mode;
    threshold = mode == MODE_ALWAYS ? 0 : mode == MODE_NEVER ? INFINITY : DECIDE_TINY;
}

double dispatch_threshold(void)
{
    return threshold;
}

/* Threads count in different cache lines, else the line would travel at every call. */
enum { STRIPES = 16, CACHE_LINE = 64 };

static struct {
    _Alignas(CACHE_LINE) atomic_uint_fast64_t n;
} tiny[STRIPES];

/* Fibonacci hashing of the thread's address: its top bits are well mixed. */
static unsigned stripe(void)
{
    return (unsigned)((uint64_t)pthread_self() * 0x9E3779B97F4A7C15u >> 60);
}

void dispatch_count_tiny(void)
{
    atomic_fetch_add_explicit(&tiny[stripe()].n, 1, memory_order_relaxed);
}

uint64_t dispatch_take_tiny(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < STRIPES; i++)
        sum += atomic_exchange_explicit(&tiny[i].n, 0, memory_order_relaxed);
    return sum;
}
