/*
 * explain: the lines of KNAP_VERBOSE. 1: one line a call, in the manner of MKL_VERBOSE; 2: before
 * it one line for each kernel, with its seconds or the reason it was refused.
 *
 * Each line is one write, so lines of several threads do not mix. Nothing here fails.
 */
#ifndef KNAP_PLUGIN_EXPLAIN_H
#define KNAP_PLUGIN_EXPLAIN_H

#include "plugin/dispatch.h"

/* A finished call, as it was given and as it was computed. */
typedef struct {
    const char *routine;
    const GemmProblem *problem;
    const GemmArgs *args;
    Place place;
    Reason reason;
    const char *where;  /* kernel or library */
    const char *detail; /* the device's sentence after a failure, or "" */
    Decision decision;
    double seconds;
} ExplainCall;

void explain_call(FILE *out, const ExplainCall *call);

/* A GpuReport whose ctx is a FILE. */
void explain_kernel(void *ctx, const KernelDesc *kernel, const char *reason, double seconds);

/* The device that was opened, or why (gpu NULL) there is none. */
void explain_device(FILE *out, const char *spec, const Gpu *gpu, const char *why);

/* The letters of a transpose pair, as seen from C's own order: "NN", "NT", ...; C where
 * conjugated, S where neither stride is 1. out holds 3 characters. */
void explain_trans(const GemmProblem *p, char out[3]);

/* Seconds for people: "12.3 us". Returns out. */
const char *explain_seconds(double seconds, char out[24]);

const char *explain_place(Place place);

#endif
