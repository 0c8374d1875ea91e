/*
 * blas_call: a BLAS gemm after its calling convention is taken off: the rules of the reference,
 * whatever the spelling. blas_front.c makes these from Fortran and CBLAS arguments.
 *
 * Errors go where a BLAS sends them, to the program's xerbla_ or cblas_xerbla; nothing is returned.
 */
#ifndef KNAP_PLUGIN_BLAS_CALL_H
#define KNAP_PLUGIN_BLAS_CALL_H

#include "layout/gemm.h"
#include "plugin/dispatch.h"
#include "plugin/next_blas.h"

#include <math.h>

/* An exported name: what is known of it before it is called. */
typedef struct {
    NextSlot next;
    const char *routine; /* for logs: "sgemm" */
    const char *xerbla;  /* the reference's name in errors, blank-padded: "SGEMM " */
    const char *cblas;   /* the same in CBLAS: "cblas_sgemm" */
    Dtype type;
} BlasName;

/* A column-major gemm, as the reference's arguments. */
typedef struct {
    char transa, transb; /* in capitals */
    int64_t m, n, k;
    const void *a, *b;
    void *c;
    int64_t lda, ldb, ldc;
    double alpha[2], beta[2];
} BlasGemm;

/* How to hand the call, unchanged, to the next BLAS. */
typedef struct {
    const NextFound *next;
    void (*run)(const void *call);
    const void *call;
} BlasForward;

/* Forwards at once what is not worth a look: calls from inside a forwarded call, and those below
 * the threshold. True: it is done. Inline, because every tiny call comes through here. The
 * magnitude is compared, so that KNAP_MODE=always sees negative sizes too. */
NEXT_BLAS_INLINE bool blas_call_forward(const BlasForward *forward, int64_t m, int64_t n, int64_t k)
{
    if (!forward->next->fn) return false;
    const bool inside = next_blas_inside();
    if (!inside) {
        if (fabs((double)m * (double)n * (double)k) >= dispatch_threshold()) return false;
        dispatch_count_tiny();
        next_blas_enter();
    }
    forward->run(forward->call);
    if (!inside) next_blas_leave();
    return true;
}

/* Forwards a call that only the next BLAS understands; false where there is none. */
NEXT_BLAS_INLINE bool blas_call_leave_to_next(const BlasForward *forward)
{
    if (!forward->next->fn) return false;
    next_blas_enter();
    forward->run(forward->call);
    next_blas_leave();
    return true;
}

/* The number, in the reference's order, of the first wrong argument; 0: none. */
int blas_call_check(const BlasGemm *gemm);

/* Computes a checked call. */
void blas_call_gemm(const BlasName *name, const BlasGemm *gemm, const BlasForward *forward);

/* -- Reporting a wrong argument ---------------------------------------------------------------- */

/* From Fortran: xerbla_ with the reference's number. */
void blas_xerbla(const BlasName *name, int argument, const void *caller);

/* From CBLAS, found in the reference's routine behind it: the same with the two flags set by which
 * xerbla_ and cblas_xerbla tell whose call it was. */
void blas_xerbla_from_cblas(const BlasName *name, int argument, bool row_major, const void *caller);

/* From CBLAS, found in an enumeration: cblas_xerbla. what: "layout", "TransA", "TransB". */
void blas_cblas_xerbla(const BlasName *name, int argument, const char *what, int value,
                       bool row_major, const void *caller);

#endif
