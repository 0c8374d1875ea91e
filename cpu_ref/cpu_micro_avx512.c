/* cpu_micro_avx512: the micro-kernels for AVX-512F, 24 accumulators of 32 registers. See
 * cpu_micro.inc. */
#ifdef __x86_64__
#include <immintrin.h>

#define NAME cpu_micro_avx512_f32
#define REAL float
#define BYTES 64
#define VECTORS 3
#define COLUMNS 8
#define TARGET __attribute__((target("avx512f")))
#define FMA _mm512_fmadd_ps
#include "cpu_ref/cpu_micro.inc"

#define NAME cpu_micro_avx512_f64
#define REAL double
#define BYTES 64
#define VECTORS 3
#define COLUMNS 8
#define TARGET __attribute__((target("avx512f")))
#define FMA _mm512_fmadd_pd
#include "cpu_ref/cpu_micro.inc"

#else
#include "cpu_ref/cpu_kernel.h"
#endif
