/* spy_blas: a next BLAS that writes down how it was called. Built by tests/forward.t; not a test
 * itself. */
#ifndef KNAP_TESTS_SPY_BLAS_H
#define KNAP_TESTS_SPY_BLAS_H

#include <stddef.h>
#include <stdint.h>

/* The last call of sgemm_: its arguments as they came, Fortran's hidden lengths too. */
typedef struct {
    int calls;
    const void *pointers[13];
    size_t lengths[2];
} SpyFortran;

/* The last call of cblas_sgemm: whole registers. */
typedef struct {
    int calls;
    int layout, transa, transb;
    int64_t m, n, k, lda, ldb, ldc;
    float alpha, beta;
    const void *a, *b, *c;
} SpyCblas;

extern SpyFortran spy_fortran;
extern SpyCblas spy_cblas;

#endif
