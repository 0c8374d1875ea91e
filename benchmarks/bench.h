/*
 * bench: the driver behind `knap bench`, in pieces that the tests use too: the one problem grammar,
 * operands with guard bands, whoever can compute a problem, a clock, and the record of a run.
 *
 *     knap bench -s f16:4096x4096x4096:nt -y --vs cublas --data device --csv results.csv
 *
 * Functions that can fail return NULL on success, else a sentence that stays valid until the same
 * thread fails again. Single-threaded, but for the OpenMP loops inside. The grammar is described in
 * README.md and in bench_spec.c.
 */
#ifndef KNAP_BENCHMARKS_BENCH_H
#define KNAP_BENCHMARKS_BENCH_H

#include "gpu/gpu.h"

#include <stdio.h>

enum {
    BENCH_TEXT = 256, /* holds any printed spec */
    BENCH_GUARD = 512 /* bytes before and after each operand */
};

typedef const char *BenchError; /* NULL: done */

/* `knap bench`. Exit status: 0 if everything ran and was right, 1 if not, 2 for wrong usage. */
int bench_main(int argc, char **argv);

/* An error sentence, written as printf into this thread's buffer. */
BenchError bench_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* -- The problem grammar (bench_spec.c) ------------------------------------------------------- */

typedef struct {
    GemmProblem problem; /* with the alignment that bench_case_new will give; in host memory */
    double alpha[2], beta[2];
    int64_t ld[3]; /* of A, B, C as written; 0: the smallest */
    int64_t pad;   /* added to each smallest ld */
    int64_t skew;  /* elements by which each pointer misses a 256-byte boundary */
    uint64_t seed;
    char store[4]; /* letters of A, B, C: n column-major, t row-major, c that conjugated, g general
                    */
} BenchSpec;

BenchError bench_spec_parse(const char *text, BenchSpec *out);
/* The shortest text that parses to spec, at most BENCH_TEXT bytes. */
void bench_spec_print(const BenchSpec *spec, char *buf, size_t size);

/* Specs from a text file (one a line; # begins a comment), in *out, to be freed. */
BenchError bench_spec_read(const char *path, BenchSpec **out, int *count);

/* -- Operands (bench_data.c) ------------------------------------------------------------------ */

/*
 * Exact data are integers so small that any order of summation is exact in the accumulate type: a
 * right result has one value only (rounded once where C is narrower). Random data are uniform in
 * [-1,1).
 */
typedef enum { DATA_EXACT, DATA_RANDOM } BenchData;

typedef struct {
    GemmMatrix at;
    int64_t rows, cols, batch;
    unsigned char *base; /* 256-byte aligned; begins and ends with a guard band */
    size_t bytes;
    void *data; /* element (0,0) of batch 0 */
} BenchOperand;

typedef struct {
    GemmProblem problem; /* operands in host memory */
    GemmArgs args;
    uint64_t seed;
    BenchOperand a, b, c;
} BenchCase;

BenchError bench_case_new(const BenchSpec *spec, BenchCase *out);
void bench_case_free(BenchCase *x);
/* Every byte becomes a pattern that is a NaN in every float type, then each element gets its value;
 * an element's value depends on seed and place in the matrix, not on strides or threads. C is left
 * NaN where beta is 0, A and B where poison_ab. */
void bench_case_fill(BenchCase *x, BenchData data, bool poison_ab);
/* Largest magnitude of exact data for this problem; 0: none exist (k too large, or odd scalars). */
int64_t bench_exact_radius(const GemmProblem *p, const GemmArgs *args);

int64_t bench_index(GemmMatrix x, int64_t i, int64_t j, int64_t b);
/* First and one past the last element that a matrix touches, from its pointer; both 0 if empty. */
void bench_span(GemmMatrix x, int64_t rows, int64_t cols, int64_t batch, int64_t span[2]);
/* A well-mixed 64-bit number for (seed, index). */
uint64_t bench_mix(uint64_t seed, uint64_t index);

/* -- Who computes (bench_engine.c) ------------------------------------------------------------ */

/* A device with its kernels, or the CPU (gpu NULL). memory says where it is given operands. */
typedef struct {
    Device *device; /* owned by gpu */
    Gpu *gpu;
    const KernelDesc *forced; /* NULL: the cheapest that can */
    Memory memory;
    const char *spec;
} BenchEngine;

/* device: "cpu", or as device_open takes it. kernel: a registry row to force, or NULL. */
BenchError bench_engine_open(BenchEngine *out, const char *device, const char *kernel);
void bench_engine_close(BenchEngine *e);
/* The row that will compute p, in *out; NULL on the CPU. An error where none can: every reason. */
BenchError bench_engine_choose(const BenchEngine *e, const GemmProblem *p, const KernelDesc **out);
/* True if p's products are summed on tensor cores, whose f32 adder truncates. */
bool bench_engine_tensor_core(const BenchEngine *e, const GemmProblem *p);
const char *bench_engine_where(const BenchEngine *e);

/* Operands of a case copied to a device, guard bands included. */
typedef struct {
    Device *device;
    GemmProblem problem;
    GemmArgs args;
    void *memory[3];
    size_t bytes[3];
} BenchResident;

BenchError bench_resident_new(Device *device, const GemmProblem *p, const GemmArgs *args,
                              BenchResident *out);
/* Copies C and its guard bands back to where args came from. */
BenchError bench_resident_fetch(const BenchResident *r, const GemmArgs *args);
void bench_resident_free(BenchResident *r);

/* Computes p, whose operands are a case's in host memory; ctx is a BenchEngine. With memory DEVICE
 * the whole storage is copied there, computed on in place and C's brought back. A CheckRun. */
const char *bench_engine_run(void *engine, const GemmProblem *p, const GemmArgs *args);

/* -- Whom to compare with (bench_peer.c, bench_cublas.c) -------------------------------------- */

typedef struct BenchPeer BenchPeer;

struct BenchPeer {
    char name[64];
    Memory memory; /* where it wants its operands */
    BenchError (*run)(BenchPeer *, const GemmProblem *p, const GemmArgs *args);
    void (*close)(BenchPeer *);
};

/* A BLAS as a shared library, or "cublas". */
BenchError bench_peer_open(const char *spec, BenchPeer **out);
BenchError bench_cublas_open(BenchPeer **out);

/* One operand as BLAS says it: op letter n, t or c, leading dimension. False where BLAS cannot. */
typedef struct {
    char op;
    int64_t ld;
} BenchBlasMatrix;
bool bench_blas_matrix(GemmMatrix x, int64_t rows, int64_t cols, BenchBlasMatrix *out);

/* p rewritten, in place, so that C is column-major, and A and B as BLAS says them. */
BenchError bench_blas_problem(GemmProblem *p, GemmArgs *args, BenchBlasMatrix *a,
                              BenchBlasMatrix *b);

/* -- The clock (bench_time.c) ----------------------------------------------------------------- */

/* One side of a comparison. start submits one product, wait (may be NULL) returns when all are
 * done. */
typedef struct {
    BenchError (*start)(void *ctx);
    BenchError (*wait)(void *ctx);
    void *ctx;
    double median, best; /* seconds a product */
} BenchRunner;

/* Warms up, then times all runners in turn, `repetitions` times. */
BenchError bench_time(BenchRunner *runners, int count, int repetitions);

/* -- The record (bench_record.c) -------------------------------------------------------------- */

typedef struct {
    char problem[BENCH_TEXT], where[96], kernel[64], data[8];
    double flops;
    double seconds, best; /* 0: did not run */
    char peer[64];        /* "": none */
    double peer_seconds;
    char check[32]; /* ok, WRONG, not asked, ... */
} BenchRow;

/* What is the same for all rows of a run. */
typedef struct {
    const DeviceInfo *device; /* NULL: the CPU */
    const char *command;
    int repetitions;
} BenchContext;

void bench_record_table(FILE *out, const BenchRow *rows, int count);
/* Appends rows to a CSV file, with a header if the file is new. */
BenchError bench_record_csv(const char *path, const BenchContext *run, const BenchRow *rows,
                            int count);

#endif
