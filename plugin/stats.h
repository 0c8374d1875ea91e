/*
 * stats: what was computed where, and why: counters that any thread may raise, and their JSON.
 *
 * A row for each routine, shape class, place, reason and kernel or library. The shape class of a
 * product is the edge of the cube with as many multiplications: class i has edges from 2^i to
 * 2^(i+1)-1. No lock is taken and nothing allocated after stats_new; where rows run out, the totals
 * still count.
 */
#ifndef KNAP_PLUGIN_STATS_H
#define KNAP_PLUGIN_STATS_H

#include "plugin/dispatch.h"

typedef struct Stats Stats;

Stats *stats_new(void);
void stats_free(Stats *s);
/* One finished call. routine must be a string constant. */
void stats_add(Stats *s, const char *routine, const GemmProblem *p, Place place, Reason reason,
               const char *where, double seconds);
/* Adds all of `from`, e.g. a handle that is closed. */
void stats_merge(Stats *s, const Stats *from);
/* Forgets everything. For a child of fork(): no other thread may be counting. */
void stats_clear(Stats *s);
/* n calls that were forwarded below the threshold, neither timed nor measured. */
void stats_add_tiny(Stats *s, uint64_t n);
void stats_sum(const Stats *s, KnapStats *out);
/* One JSON object: version, totals, and one row per routine, shape class, place and reason with
 * calls, seconds, flops and bytes. */
void stats_json(const Stats *s, FILE *out);
/* Adds what stats_json wrote. False where the text is not that. */
bool stats_read(Stats *s, FILE *in);
/* The same as a short table for people, as `knap run` prints it at exit. */
void stats_table(const Stats *s, FILE *out);

#endif
