/* cpu_micro_avx2: the micro-kernels for AVX2 with FMA, 12 accumulators of 16 registers. See
 * cpu_micro.inc. */
#ifdef __x86_64__
#include <immintrin.h>

#define NAME cpu_micro_avx2_f32
#define REAL float
#define BYTES 32
#define VECTORS 3
#define COLUMNS 4
#define TARGET __attribute__((target("avx2,fma")))
#define FMA _mm256_fmadd_ps
#include "cpu_ref/cpu_micro.inc"

#define NAME cpu_micro_avx2_f64
#define REAL double
#define BYTES 32
#define VECTORS 3
#define COLUMNS 4
#define TARGET __attribute__((target("avx2,fma")))
#define FMA _mm256_fmadd_pd
#include "cpu_ref/cpu_micro.inc"

#else
#include "cpu_ref/cpu_kernel.h"
#endif
