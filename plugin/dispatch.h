/*
 * dispatch: where each gemm is computed, and why.
 *
 *     fast refusal (a comparison) -> can (reject) -> should (seconds) -> GPU, next BLAS or cpu_ref
 *
 * Every front (Fortran, CBLAS, knap.h, later BLIS and frameworks) fills in a GemmProblem and comes
 * here.
 */
#ifndef KNAP_PLUGIN_DISPATCH_H
#define KNAP_PLUGIN_DISPATCH_H

#include "gpu/gpu.h"
#include "plugin/env.h"
#include "plugin/knap.h"

/* Where a call was, or would be, computed. */
typedef enum { PLACE_GPU, PLACE_NEXT, PLACE_CPU, PLACE_COUNT } Place;

/* Why the GPU did not get a call: one table of named reasons. */
/* clang-format off */
#define REASON_LIST(ROW) \
    ROW(NONE,      "",             "taken by the GPU") \
    ROW(TINY,      "tiny",         "below the size that any GPU could win") \
    ROW(SLOWER,    "cpu faster",   "by the cost model the CPU is faster, transfers included") \
    ROW(MODE,      "mode",         "KNAP_MODE=never") \
    ROW(NO_DEVICE, "no device",    "KNAP_DEVICE=cpu, no CUDA in this build, or no GPU here") \
    ROW(FORKED,    "forked",       "in a child of fork(), where CUDA must not be touched") \
    ROW(NO_KERNEL, "no kernel",    "every kernel refused (KNAP_VERBOSE=2 lists why)") \
    ROW(TOO_LARGE, "too large",    "the operands do not fit the GPU's memory") \
    ROW(FAILED,    "gpu failed",   "the GPU failed in this call; the CPU computed it") \
    ROW(DISABLED,  "gpu disabled", "too many GPU failures in a row; the GPU is left alone") \
    ROW(TRIVIAL,   "trivial",      "nothing to multiply: an empty C, or alpha or k is 0")
/* clang-format on */

typedef enum {
#define ROW(id, name, text) REASON_##id,
    REASON_LIST(ROW)
#undef ROW
        REASON_COUNT
} Reason;

const char *reason_name(Reason r);
const char *reason_text(Reason r);

/* What was decided for a problem, and the seconds it was decided on. */
typedef struct {
    const KernelDesc *kernel; /* NULL: not on the GPU */
    Reason reason;
    double gpu_seconds; /* transfers included; infinity where no kernel can */
    double cpu_seconds;
} Decision;

/* The program's own BLAS for this very call: run computes the whole call by forwarding it. NULL:
 * there is none. */
typedef struct {
    void (*run)(void *ctx);
    void *ctx;
    const char *name; /* for the log: the library forwarded to */
} NextCall;

/* The name a front gives a call in logs and statistics, e.g. "sgemm", "knap_gemm". */
typedef struct {
    const char *routine; /* a string constant */
} CallInfo;

/* -- The handle -------------------------------------------------------------------------------- */

/* A handle whose settings are given (tests); env must outlive it. device: taken over, or NULL to
 * open env->device lazily. */
KnapStatus handle_new(const Env *env, Device *device, KnapHandle **out);

/* The handle of the BLAS fronts, made at their first call above the threshold; the process's one
 * global, because BLAS has no context argument. Never closed. NULL when out of memory. */
KnapHandle *handle_default(void);

/* m*n*k below which a call with operands in host memory is forwarded without a further look.
 * Read at load from KNAP_MODE: 0 for always, infinity for never. */
double dispatch_threshold(void);

/* Counts a call that a front forwarded below the threshold. A few nanoseconds. */
void dispatch_count_tiny(void);
/* How many were counted since it was last asked. */
uint64_t dispatch_take_tiny(void);
/* In a child of fork(): forgets what the parent counted. */
void dispatch_tiny_in_child(void);

/* -- Computing --------------------------------------------------------------------------------- */

/* What would be done with p where an optimised BLAS is next; touches the device only if the
 * problem is big enough to be worth it. report: see gpu_choose; may be NULL. */
Decision dispatch_decide(KnapHandle *handle, const GemmProblem *p, GpuReport *report, void *ctx);

/*
 * Computes p: on the GPU, by next, or by cpu_gemm. p must be valid. On any GPU failure C (in host
 * memory) is computed on the CPU. KNAP_OK, or KNAP_UNSUPPORTED / KNAP_DEVICE_ERROR with the
 * sentence set.
 */
KnapStatus dispatch_gemm(KnapHandle *handle, const GemmProblem *p, const GemmArgs *args,
                         CallInfo info, const NextCall *next);

/* Checks p against the rules of knap.h: NULL, or a sentence naming the argument. */
const char *problem_check(const GemmProblem *p, const GemmArgs *args);

/* Sets this thread's last error and returns status. */
KnapStatus error_set(KnapStatus status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
