/*
 * bench_time: medians of interleaved repetitions on the host's clock. See bench.h.
 *
 * A repetition submits so many products that it lasts some milliseconds, and waits once: the
 * latency of a launch and of the clock is spread over them. Sides take turns, so that a clock that
 * drifts with heat drifts for all.
 */
#include "benchmarks/bench.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { RUNNERS = 4, REPETITIONS = 1000, INNER = 1000 };
static const double least_seconds = 0.01; /* of one repetition */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds a product, over `inner` of them. */
static BenchError measure(const BenchRunner *r, int inner, double *seconds)
{
    BenchError err = NULL;
    double start = now();
    for (int i = 0; !err && i < inner; i++) err = r->start(r->ctx);
    if (!err && r->wait) err = r->wait(r->ctx);
    *seconds = (now() - start) / inner;
    return err;
}

/* Two runs to warm up, the second of which tells how many products make a repetition. */
static BenchError warm_up(const BenchRunner *r, int *inner)
{
    double seconds;
    BenchError err = measure(r, 1, &seconds);
    if (!err) err = measure(r, 1, &seconds);
    *inner = (int)fmin(INNER, ceil(least_seconds / fmax(seconds, 1e-9)));
    return err;
}

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static void summarise(BenchRunner *r, double *seconds, int count)
{
    qsort(seconds, (size_t)count, sizeof *seconds, ascending);
    r->best = seconds[0];
    r->median = 0.5 * (seconds[(count - 1) / 2] + seconds[count / 2]);
}

BenchError bench_time(BenchRunner *runners, int count, int repetitions)
{
    double seconds[RUNNERS][REPETITIONS];
    int inner[RUNNERS];
    if (count > RUNNERS || repetitions < 1 || repetitions > REPETITIONS)
        return bench_error("1 to %d repetitions", REPETITIONS);
    BenchError err = NULL;
    for (int r = 0; !err && r < count; r++) err = warm_up(&runners[r], &inner[r]);
    for (int i = 0; i < repetitions; i++)
        for (int r = 0; !err && r < count; r++)
            err = measure(&runners[r], inner[r], &seconds[r][i]);
    for (int r = 0; !err && r < count; r++) summarise(&runners[r], seconds[r], repetitions);
    return err;
}
