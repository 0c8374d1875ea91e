/*
 * cpu_team: threads for the blocked GEMM. See cpu_team.h.
 *
 * Two variables belong to the process and not to a call, since fork() is the process's: both are
 * written only around fork(), by its handlers, which are registered when the library is loaded,
 * because a program may start threads and fork before its first call here.
 */
#include "cpu_ref/cpu_team.h"

#include <omp.h>
#include <pthread.h>
#include <stdbool.h>

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 32)
#include <sys/single_threaded.h>
static bool has_threads(void)
{
    return !__libc_single_threaded;
}
#else
static bool has_threads(void)
{
    return true;
}
#endif

static const double FLOPS_A_THREAD = 4e6; /* some 20 us: several times what waking a team costs */

static bool parent_has_threads; /* while fork() is under way */
static bool orphaned;           /* this process is a child of one with threads */

static void before_fork(void)
{
    parent_has_threads = has_threads();
}

static void after_fork_in_child(void)
{
    orphaned = orphaned || parent_has_threads;
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, NULL, after_fork_in_child);
}

int cpu_team_size(double flops)
{
    if (flops < 2 * FLOPS_A_THREAD || orphaned || omp_in_parallel()) return 1;
    const int most = omp_get_max_threads();
    return flops < most * FLOPS_A_THREAD ? (int)(flops / FLOPS_A_THREAD) : most;
}

void cpu_team_run(int size, void (*body)(void *ctx, Member me), void *ctx)
{
    if (size <= 1) {
        body(ctx, (Member){0, 1});
        return;
    }
#pragma omp parallel num_threads(size)
    body(ctx, (Member){omp_get_thread_num(), omp_get_num_threads()});
}

void cpu_team_wait(Member me)
{
    if (me.size <= 1) return;
#pragma omp barrier
}

Range cpu_team_share(int64_t total, Member me)
{
    const int64_t each = total / me.size, extra = total % me.size;
    const int64_t from = me.id * each + (me.id < extra ? me.id : extra);
    return (Range){from, from + each + (me.id < extra)};
}
