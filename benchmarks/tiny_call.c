/*
 * tiny_call: what standing in front of a BLAS costs a call too small to take.
 *
 *     tiny_call /path/to/libblas.so.3 [/path/to/libknap.so]
 *
 * Times sgemm_ 2x2x2 called directly and through libknap.so, which forwards it to the same
 * library, in alternating rounds, and prints CSV: medians over the rounds, in nanoseconds a call,
 * of each and of the difference. Without libknap.so the direct call is compared with itself. Exit
 * status: 0 measured; 1 a library or its sgemm_ is missing, or a product was wrong; 2 usage.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 101, CALLS = 20000 };

/* The last two are Fortran's hidden lengths. */
typedef void Sgemm(const char *, const char *, const int *, const int *, const int *, const float *,
                   const float *, const int *, const float *, const int *, const float *, float *,
                   const int *, size_t, size_t);

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void multiply(Sgemm *sgemm, float c[4])
{
    static const float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, one = 1, zero = 0;
    const int two = 2;
    sgemm("N", "N", &two, &two, &two, &one, a, &two, b, &two, &zero, c, &two, 1, 1);
}

static bool multiplies(Sgemm *sgemm)
{
    float c[4] = {NAN, NAN, NAN, NAN};
    multiply(sgemm, c);
    return c[0] == 23 && c[1] == 34 && c[2] == 31 && c[3] == 46;
}

static double round_ns(Sgemm *sgemm)
{
    float c[4];
    const double start = now_ns();
    for (int i = 0; i < CALLS; i++) multiply(sgemm, c);
    return (now_ns() - start) / CALLS;
}

static int ascending(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, ascending);
    return values[ROUNDS / 2];
}

/* The library's sgemm_, or NULL with a line on stderr. */
static Sgemm *sgemm_of(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    void *symbol = library ? dlsym(library, "sgemm_") : NULL;
    Sgemm *sgemm;
    memcpy(&sgemm, &symbol, sizeof sgemm);
    if (!sgemm) fprintf(stderr, "tiny_call: %s\n", dlerror());
    if (!sgemm || multiplies(sgemm)) return sgemm;
    fprintf(stderr, "tiny_call: %s: wrong product\n", path);
    return NULL;
}

/* One thread, and libknap.so in front of the library that is timed. */
static void settings(const char *blas)
{
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("KNAP_BLAS", blas, 1);
    setenv("KNAP_MODE", "auto", 1);
}

int main(int argc, char **argv)
{
    static double direct[ROUNDS], through[ROUNDS], difference[ROUNDS];
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: tiny_call BLAS.so [libknap.so]\n");
        return 2;
    }
    settings(argv[1]);
    Sgemm *next = sgemm_of(argv[1]);
    Sgemm *knap = argc == 3 ? sgemm_of(argv[2]) : next;
    if (!next || !knap) return 1;
    for (int i = 0; i < ROUNDS; i++) {
        direct[i] = round_ns(next);
        through[i] = round_ns(knap);
        difference[i] = through[i] - direct[i];
    }
    printf("blas,knap,calls,direct_ns,knap_ns,difference_ns\n%s,%s,%d,%.2f,%.2f,%.2f\n", argv[1],
           argc == 3 ? argv[2] : "", ROUNDS * CALLS, median(direct), median(through),
           median(difference));
    return 0;
}
