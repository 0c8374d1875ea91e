/*
 * stats: what was computed where, and why: counters that any thread may raise, and their JSON.
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
/* n calls that were forwarded below the threshold, neither timed nor measured. */
void stats_add_tiny(Stats *s, uint64_t n);
void stats_sum(const Stats *s, KnapStats *out);
/* One JSON object: version, totals, and one row per routine, shape class, place and reason with calls,
 * seconds, flops and bytes. */
void stats_json(const Stats *s, FILE *out);
/* The same as a short table for people, as `knap run` prints it at exit. */
void stats_table(const Stats *s, FILE *out);

#endif
