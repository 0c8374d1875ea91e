/*
 * dispatch_tiny: the threshold below which a front forwards a call without a further look, and the
 * count of such calls. Both belong to the process, since they come before any handle and cost
 * nanoseconds.
 *
 * Each thread counts in a variable of its own, because a locked instruction would wait for all the
 * stores of the product before it. The sum is over the threads that live and those that ended.
 */
#include "plugin/decide.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

/* -- The threshold ----------------------------------------------------------------------------- */

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

/* -- The count --------------------------------------------------------------------------------- */

typedef struct Counter Counter;
struct Counter {
    atomic_uint_fast64_t n; /* written by its own thread alone, so it needs no locked instruction */
    Counter *next;
    bool listed;
};

static _Thread_local Counter mine;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static Counter *living;
static uint64_t ended, taken; /* counts of threads that ended; counts that were taken */
static pthread_key_t at_exit;
static bool have_key;

static void leave(void *counter)
{
    Counter *c = counter;
    pthread_mutex_lock(&lock);
    for (Counter **at = &living; *at; at = &(*at)->next)
        if (*at == c) {
            *at = c->next;
            break;
        }
    ended += atomic_load_explicit(&c->n, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
    atomic_store_explicit(&c->n, 0, memory_order_relaxed);
    c->listed = false;
}

/* A thread that cannot be watched to its end keeps its count until then. */
__attribute__((noinline)) static void enlist(void)
{
    pthread_mutex_lock(&lock);
    if (!have_key) have_key = pthread_key_create(&at_exit, leave) == 0;
    if (have_key && pthread_setspecific(at_exit, &mine) == 0) {
        mine.next = living;
        living = &mine;
    }
    pthread_mutex_unlock(&lock);
    mine.listed = true;
}

void dispatch_count_tiny(void)
{
    if (!mine.listed) enlist();
    uint64_t n = atomic_load_explicit(&mine.n, memory_order_relaxed);
    atomic_store_explicit(&mine.n, n + 1, memory_order_relaxed);
}

void dispatch_tiny_in_child(void)
{
    pthread_mutex_init(&lock, NULL); /* another thread of the parent may have held it */
    living = mine.listed ? &mine : NULL;
    mine.next = NULL;
    ended = 0;
    taken = atomic_load_explicit(&mine.n, memory_order_relaxed);
}

uint64_t dispatch_take_tiny(void)
{
    pthread_mutex_lock(&lock);
    uint64_t sum = ended;
    for (const Counter *c = living; c; c = c->next)
        sum += atomic_load_explicit(&c->n, memory_order_relaxed);
    uint64_t fresh = sum - taken;
    taken = sum;
    pthread_mutex_unlock(&lock);
    return fresh;
}
