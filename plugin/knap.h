/*
 * knap.h: the public interface of libknap, GEMM on NVIDIA tensor cores with a CPU to fall back on.
 *
 * Most programs never include this file: they call sgemm_, cblas_dgemm and their kin, and
 * libknap.so stands in front of their BLAS (LD_PRELOAD, -lknap, or `knap run -- program`). This
 * interface adds what BLAS cannot say: mixed types, row and column strides, batches, device memory,
 * a chosen accuracy.
 *
 * Threads: a handle may be used by any number of threads at once; knap_close must be the last use.
 * Errors: a function returns a status; knap_last_error has one sentence about the last failure in
 * this thread. knap never aborts and never prints unless KNAP_VERBOSE asks for it.
 * CUDA: nothing of it is initialised before the first call that is worth a GPU.
 */
#ifndef KNAP_H
#define KNAP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define KNAP_API __attribute__((visibility("default")))
#else
#define KNAP_API
#endif

typedef enum {
    KNAP_OK = 0,
    KNAP_INVALID_ARGUMENT = 1, /* the sentence names it; nothing was written */
    KNAP_UNSUPPORTED = 2,      /* types or compute mode that neither GPU nor CPU can do */
    KNAP_OUT_OF_MEMORY = 3,    /* of the host */
    KNAP_DEVICE_ERROR = 4      /* operands in device memory, and the device failed */
} KnapStatus;

/* Element types; the values are part of the ABI. */
typedef enum {
    KNAP_F64 = 1,
    KNAP_F32 = 2,
    KNAP_F16 = 3,
    KNAP_BF16 = 4,
    KNAP_CF32 = 5, /* pairs of f32: real, imaginary */
    KNAP_CF64 = 6
} KnapType;

/* Accuracy of f32 products. AUTO is never less accurate than fp32 arithmetic. Modes that this
 * version does not have are KNAP_UNSUPPORTED. */
typedef enum {
    KNAP_COMPUTE_AUTO = 0,
    KNAP_COMPUTE_FP32 = 1,
    KNAP_COMPUTE_BF16X6 = 2,
    KNAP_COMPUTE_F16X3 = 3,
    KNAP_COMPUTE_TF32 = 4
} KnapCompute;

/* A matrix, or a batch of them: element (i,j) of batch b is at data + (i*rs + j*cs + b*bs)
 * elements. Column-major with leading dimension ld: rs 1, cs ld. Row-major: rs ld, cs 1.
 * Transposed: exchange them. Strides may be 0 or negative for A and B; distinct elements of C
 * must be distinct in memory. */
typedef struct {
    void *data; /* host or device memory; A and B are only read */
    int64_t rs, cs, bs;
    KnapType type;
    int conj; /* nonzero: the complex conjugate of A or B */
} KnapMatrix;

/* C = alpha * A * B + beta * C for each of `batch` problems. Zero-initialise it, then fill it
 * in. */
typedef struct {
    size_t size; /* sizeof(KnapGemm) */
    /* A is m x k, B is k x n, C is m x n; all >= 0; a single product has batch 1 */
    int64_t m, n, k, batch;
    KnapMatrix a, b, c;
    KnapCompute compute;
    const void *alpha, *beta; /* host pointers to scalars of scalar_type */
    KnapType scalar_type;     /* f64, f32, f16, bf16, cf32 or cf64; real for real matrices */
    void *stream; /* operands in device memory: cudaStream_t to order the work on; else unused */
} KnapGemm;

typedef struct KnapHandle KnapHandle;

/* What a handle did so far. Every call is counted once, where it was computed. */
typedef struct {
    uint64_t calls;        /* all */
    uint64_t gpu_calls;    /* computed on the GPU */
    uint64_t next_calls;   /* forwarded to the program's own BLAS */
    uint64_t cpu_calls;    /* computed by the OpenMP reference */
    uint64_t gpu_failures; /* computed on a CPU because the GPU failed */
    /* wall time; cpu_seconds holds next_calls too, the tiniest not timed */
    double gpu_seconds, cpu_seconds;
    double gpu_flops, cpu_flops;
} KnapStats;

/* Opens a handle configured by the KNAP_* environment. On success *out is owned by the caller. */
KNAP_API KnapStatus knap_open(KnapHandle **out);
/* Closes it; NULL is allowed. */
KNAP_API void knap_close(KnapHandle *handle);

/*
 * Computes one strided, batched product. Operands must be all in host memory (pinned and managed
 * memory count as either) or all in device memory. Host: returns when C is complete. Device:
 * returns when the work is on the stream. alpha and beta are read before it returns. beta = 0 does
 * not read C; alpha = 0 or k = 0 does not read A and B; m, n or batch 0 does nothing.
 * KNAP_INVALID_ARGUMENT, KNAP_UNSUPPORTED: C untouched. A GPU failure with operands in host memory
 * is not an error: the CPU computes, and the failure is counted.
 */
KNAP_API KnapStatus knap_gemm(KnapHandle *handle, const KnapGemm *gemm);

KNAP_API void knap_stats(KnapHandle *handle, KnapStats *out);
/* One sentence about this thread's last failure; "" if there was none. Valid until its next knap
 * call. */
KNAP_API const char *knap_last_error(void);
/* "0.1.0" */
KNAP_API const char *knap_version(void);
KNAP_API const char *knap_status_name(KnapStatus status);

#ifdef __cplusplus
}
#endif
#endif
