/*
 * check: whether somebody computes a gemm rightly, held against the definition (cpu_ref/oracle.h).
 *
 * One problem is tried on operands with guard bands, patterned (as NaNs) outside every element:
 *   exact data    small integers: every order of summation gives the same value, so C must be equal
 *   random data   uniform in [-1,1): each element within the componentwise bound
 *   beta 0        C starts as NaN: every element must be written and none read
 *   alpha 0       A and B are NaN, where the subject promises not to read them
 *   afterwards    guard bands, padding and inputs are unchanged; a second run gives the same bits
 * A problem too large for the definition is sampled instead: with random data some rows and columns
 * in full; with exact data C t must equal beta C0 t + alpha A (B t) for a random vector t of +-1
 * (Freivalds: an error escapes with probability at most 1/2 in each row that has one).
 */
#ifndef KNAP_BENCHMARKS_CHECK_H
#define KNAP_BENCHMARKS_CHECK_H

#include "benchmarks/bench.h"

enum { CHECK_TEXT = 1024 };

/* Computes a problem in host memory: NULL, or why it could not. */
typedef const char *CheckRun(void *ctx, const GemmProblem *p, const GemmArgs *args);

typedef struct {
    CheckRun *run;
    void *ctx;
    const char
        *options; /* of `knap bench`, that choose the same subject: they are part of the replay */
    bool tensor_core; /* sums in a tensor core's f32, which truncates */
    bool skips_ab;    /* promises not to read A and B when alpha is 0 */
} CheckSubject;

/*
 * Tries one problem. False: why (at most CHECK_TEXT bytes, lines apart) says what was wrong, with
 * the worst element's index, both values and the bound, and ends in the command that replays it.
 */
bool check_gemm(const CheckSubject *who, const BenchSpec *spec, char *why, size_t size);

/* True if check_gemm samples this problem instead of computing the whole definition. */
bool check_samples(const GemmProblem *p);

#endif
