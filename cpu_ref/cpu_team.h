/*
 * cpu_team: how many OpenMP threads a call may use, and running them. Private to cpu_ref.
 *
 * A process that was forked from one with threads gets one thread: OpenMP's idle workers do not
 * survive fork(), and the GNU run-time would wait for them for ever.
 */
#ifndef KNAP_CPU_REF_CPU_TEAM_H
#define KNAP_CPU_REF_CPU_TEAM_H

#include <stdint.h>

/* One thread among the `size` that do a job together. */
typedef struct {
    int id, size;
} Member;

/* [from, to) */
typedef struct {
    int64_t from, to;
} Range;

/* Threads for work of this many floating-point operations: 1 for little work, inside a parallel
 * region and where threads must not be used, else as OpenMP's settings say. */
int cpu_team_size(double flops);

/* Calls body(ctx, me) once in each of `size` threads, or fewer if OpenMP gives fewer; with size 1,
 * in this thread and without OpenMP. */
void cpu_team_run(int size, void (*body)(void *ctx, Member me), void *ctx);

/* Waits until every member has come here. */
void cpu_team_wait(Member me);

/* This member's part of 0..total: the parts are consecutive, differ by at most one, and cover
 * it. */
Range cpu_team_share(int64_t total, Member me);

#endif
