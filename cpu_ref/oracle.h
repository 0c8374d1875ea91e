/*
 * oracle: gemm by its definition, in double, over strides. It is slow and it is right; all else is
 * held against it.
 */
#ifndef KNAP_CPU_REF_ORACLE_H
#define KNAP_CPU_REF_ORACLE_H

#include "layout/gemm.h"

/*
 * For every element of C, before anything is written: the value that C should have, and the
 * magnitude |alpha| |A| |B| + |beta| |C| that an error bound is a multiple of.
 *
 * value: 2*m*n*batch doubles (real, imaginary), element (i,j) of batch b at 2*(i + m*(j + n*b)).
 * magnitude: m*n*batch doubles, same order. Either may be NULL. C itself is only read (not when
 * beta is 0), never written. Sums are compensated, so that the value is the correctly rounded one
 * to within a few units of the last place of a double. Reads host memory only. Any type fp_load
 * knows.
 */
void oracle_gemm(const GemmProblem *p, const GemmArgs *args, double *value, double *magnitude);

/*
 * The componentwise bound that a gemm of this problem must keep: |result - value| <= bound, with
 *   bound = (k + 4) * u_acc * magnitude + u_out * |value| + tiny
 * u_acc is the unit roundoff of the accumulate type (2^-22 for tensor-core f32, whose adder
 * truncates to about 24 bits: pass tensor_core), u_out that of C's type, tiny C's smallest
 * subnormal. Source: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., eq. 3.13
 * (complex: times 2 sqrt 2, eq. 3.14).
 */
double oracle_bound(const GemmProblem *p, double value_abs, double magnitude, bool tensor_core);

#endif
