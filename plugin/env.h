/*
 * env: every knob, in one table. This is the only file that reads the environment.
 *
 * An unknown value gives one warning on stderr that lists the known ones, and the default holds.
 */
#ifndef KNAP_PLUGIN_ENV_H
#define KNAP_PLUGIN_ENV_H

#include "layout/gemm.h"

#include <stdio.h>

/* clang-format off */
/*      field    variable        default values
 *      meaning */
#define ENV_LIST(ROW) \
    ROW(mode,    "KNAP_MODE",    "auto", "auto|always|never", \
        "auto: the GPU where it is faster; always: our own code for every call (GPU where " \
        "one can, else cpu_ref); never: forward everything") \
    ROW(device,  "KNAP_DEVICE",  "0",    "0|1|...|cpu|sim:sm_NN", \
        "which GPU; cpu: none; sim:sm_80: the simulated one") \
    ROW(sgemm,   "KNAP_SGEMM",   "auto", "auto|fp32", \
        "accuracy of f32 products; auto is never below fp32 arithmetic") \
    ROW(verbose, "KNAP_VERBOSE", "0",    "0|1|2", \
        "1: a line a call on stderr; 2: and every kernel refused, with its reason") \
    ROW(stats,   "KNAP_STATS",   "",     "FILE|-", \
        "statistics as JSON at exit; - is stderr; %p in the name is the process id") \
    ROW(dump,    "KNAP_DUMP",    "",     "DIR", \
        "writes the PTX of each kernel there, under its full name, and what the JIT remarked") \
    ROW(blas,    "KNAP_BLAS",    "",     "PATH", \
        "the BLAS to forward to, instead of the program's own") \
    ROW(ilp64,   "KNAP_ILP64",   "0",    "0|1", \
        "1: unsuffixed BLAS names take 64-bit integers (libknap64.so always does)")
/* clang-format on */

typedef enum { MODE_AUTO, MODE_ALWAYS, MODE_NEVER } EnvMode;

typedef struct {
    EnvMode mode;
    const char *device; /* as written */
    Compute sgemm;
    int verbose;
    const char *stats, *dump, *blas; /* NULL when empty */
    bool ilp64;
} Env;

/* The environment, read once (thread-safe); later changes of it are not seen. */
const Env *env_get(void);

/* Every knob with its value and meaning, for `knap info`. */
void env_print(FILE *out);

/* A variable of this process as it stands, or NULL; NULL in a setuid program. */
const char *env_lookup(const char *name);

/* Reads name=value strings into an Env without touching the process: for tests. lookup returns a
 * variable's value or NULL. Warnings go to `warn` (NULL: nowhere). */
void env_read(Env *env, const char *(*lookup)(const char *name), FILE *warn);

#endif
