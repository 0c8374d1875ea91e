/*
 * gemm: the noun that every room shares. A GemmProblem says what is asked; it is plain data without
 * pointers or padding, so it can be compared with memcmp and used as a key. Pointers and scalars
 * travel apart, in GemmArgs, because they change from call to call.
 *
 *     C[b](i,j) = alpha * sum_p op(A[b](i,p)) * op(B[b](p,j)) + beta * C[b](i,j)
 *
 * for 0 <= i < m, 0 <= j < n, 0 <= p < k, 0 <= b < batch. A is m x k, B is k x n, C is m x n; a
 * transpose is only a swap of strides. Element (i,j) of an operand lies at i*rs + j*cs elements
 * from its pointer, batch b at b*bs elements further. op is conjugation where conj is set, else
 * nothing.
 *
 * Where beta is 0, C is written and never read. Where alpha or k is 0, A and B are not read.
 * Bytes that belong to no element of C are never written.
 */
#ifndef KNAP_LAYOUT_GEMM_H
#define KNAP_LAYOUT_GEMM_H

#include "layout/dtype.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* Accuracy asked of the arithmetic, the KNAP_SGEMM knob and knap.h's compute mode. AUTO never means
 * less accurate than arithmetic in the accumulate type (f32 for f16, bf16 and f32; f64 for f64). */
typedef enum {
    COMPUTE_AUTO,
    COMPUTE_FP32,
    COMPUTE_BF16X6,
    COMPUTE_F16X3,
    COMPUTE_TF32,
    COMPUTE_COUNT
} Compute;

/* What a kernel may assume of a scalar before it sees its value. */
typedef enum { SCALAR_ZERO, SCALAR_ONE, SCALAR_OTHER } ScalarClass;

/* Where the bytes of all three operands are. */
typedef enum { MEMORY_HOST, MEMORY_DEVICE } Memory;

typedef struct {
    int64_t rs, cs, bs; /* row, column and batch stride, in elements */
    uint8_t type;       /* Dtype */
    uint8_t conj;       /* 1: conjugated (complex A and B only) */
    uint8_t align;      /* log2 of the bytes that divide the pointer: 0..4 */
    uint8_t zero[5];
} GemmMatrix;

typedef struct {
    int64_t m, n, k, batch;
    GemmMatrix a, b, c;
    uint8_t compute; /* Compute */
    uint8_t alpha;   /* ScalarClass */
    uint8_t beta;    /* ScalarClass */
    uint8_t memory;  /* Memory */
    uint8_t zero[4];
} GemmProblem;

static_assert(sizeof(GemmMatrix) == 32, "GemmMatrix has padding");
static_assert(sizeof(GemmProblem) == 136, "GemmProblem has padding");

typedef struct {
    const void *a, *b;
    void *c;
    double alpha[2], beta[2]; /* real, imaginary; exact for every type's scalars */
    void *stream; /* device memory only: the cudaStream_t to order the work on; NULL: default */
} GemmArgs;

/* 2*m*n*k*batch, times 4 for complex types; as a double, since it exceeds 2^63. */
double gemm_flops(const GemmProblem *p);

/* The type products are summed in: f64 for f64 and cf64, s32 for integers, else f32. */
Dtype gemm_accumulator(const GemmProblem *p);

/* The same product as C' = B' * A' (transposed): m and n, A and B exchanged, strides swapped. */
void gemm_transpose(GemmProblem *p, GemmArgs *args);

/* Class of a scalar; a NaN is SCALAR_OTHER. */
ScalarClass gemm_scalar_class(const double s[2]);

/* log2 of the largest power of two, at most 16, that divides the address. */
uint8_t gemm_pointer_align(const void *p);

#endif
