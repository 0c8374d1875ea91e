/*
 * knap_jax: a handler that XLA calls for a matrix product, so that JAX programs multiply with knap.
 *
 * C = A @ B as numpy has it for arrays of rank 2 and more: the last two axes are the matrices, the
 * leading ones the batch, where an axis of extent 1, or one that is absent, is broadcast. Types
 * f16, bf16, f32, f64, c64, c128; C's may differ from A's and B's where knap can do it.
 *
 * One symbol serves both platforms: on "cpu" operands are in host memory, on "CUDA" in the
 * device's, and the work is put on XLA's stream. Errors go back to XLA, which raises them in Python
 * with their sentence.
 */
#ifndef KNAP_FRAMEWORK_GLUE_JAX_KNAP_JAX_H
#define KNAP_FRAMEWORK_GLUE_JAX_KNAP_JAX_H

#include "framework_glue/jax/xla_ffi.h"
#include "plugin/knap.h"

/* NULL, or an error that XLA owns. Any thread may call. */
KNAP_API XlaError *knap_jax_gemm(XlaFrame *frame);

#endif
