/* cpu_micro_portable: the micro-kernels for 16-byte vectors without FMA, 8 accumulators of 16
 * registers, on any machine: the compiler knows the vectors or takes them apart. See
 * cpu_micro.inc. */
#define NAME cpu_micro_portable_f32
#define REAL float
#define BYTES 16
#define VECTORS 2
#define COLUMNS 4
#define TARGET
#define FMA(x, y, z) ((x) * (y) + (z))
#include "cpu_ref/cpu_micro.inc"

#define NAME cpu_micro_portable_f64
#define REAL double
#define BYTES 16
#define VECTORS 2
#define COLUMNS 4
#define TARGET
#define FMA(x, y, z) ((x) * (y) + (z))
#include "cpu_ref/cpu_micro.inc"
