/*
 * test_names: the exported BLAS names, held against the table they are made from.
 *
 * Each of libknap.so and libknap64.so (in $KNAP_BUILD) exports exactly the names of the table and
 * of knap.h; each name, called with integers of its own width, multiplies. Where integers have 32
 * bits, what lies above them is garbage; where they have 64, leading dimensions are 2^32, whose low
 * half is 0.
 */
#include "cpu_ref/fp.h"
#include "plugin/blas_names.h"
#include "tests/tap.h"

#include <complex.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

typedef const void *CblasPointer;
typedef void (*Symbol)(void);

/* -- One product: C = alpha A B + beta C, 3 x 1 = 3 x 2 by 2 x 1, in small integers --------------
 */

enum { M = 3, N = 1, K = 2, MAX_BYTES = 16 };

/* Integer arguments as a caller leaves them in memory or registers. */
typedef struct {
    int64_t m, n, k, lda, ldb, ldc;
} Ints;

typedef struct {
    Dtype type;
    Ints ints;
    /* Bytes, aligned for every type. */
    _Alignas(MAX_BYTES) unsigned char a[M * K * MAX_BYTES], b[K * MAX_BYTES], c[M * MAX_BYTES];
    _Alignas(MAX_BYTES) unsigned char alpha[MAX_BYTES], beta[MAX_BYTES];
} Product;

static const double complex alpha = 2 + 1 * I, beta = 3 - 1 * I;
static double complex a_at(double i, double p)
{
    return i + 2 * p + 1 + (i - p) * I;
}
static double complex b_at(double p)
{
    return 3 - p + (p + 1) * I;
}
static double complex c_at(double i)
{
    return i - 1 + 2 * I;
}

/* A real type keeps the real parts. */
static double complex as_type(Dtype t, double complex x)
{
    return dtype_is_complex(t) ? x : creal(x);
}

static void put(Dtype t, void *base, int index, double complex x)
{
    fp_store(t, base, index, (double[2]){creal(x), cimag(x)});
}

static double complex wanted(Dtype t, int i)
{
    double complex sum = 0;
    for (int p = 0; p < K; p++) sum += as_type(t, a_at(i, p)) * as_type(t, b_at(p));
    return as_type(t, alpha) * sum + as_type(t, beta) * as_type(t, c_at(i));
}

/* 64 bits with garbage in the upper half for a name that takes 32, and the number itself otherwise.
 */
static int64_t spoilt(int32_t x, bool wide)
{
    return wide ? x : (int64_t)(0x5A5A5A5A00000000u | (uint32_t)x);
}

static Product product_make(Dtype t, bool wide)
{
    Product x = {.type = t};
    x.ints.m = spoilt(M, wide);
    x.ints.n = spoilt(N, wide);
    x.ints.k = spoilt(K, wide);
    x.ints.lda = spoilt(M, wide);
    x.ints.ldb = wide ? (int64_t)1 << 32 : spoilt(K, false);
    x.ints.ldc = wide ? (int64_t)1 << 32 : spoilt(M, false);
    for (int i = 0; i < M; i++) put(t, x.c, i, c_at(i));
    for (int i = 0; i < M; i++)
        for (int p = 0; p < K; p++) put(t, x.a, i + M * p, a_at(i, p));
    for (int p = 0; p < K; p++) put(t, x.b, p, b_at(p));
    put(t, x.alpha, 0, alpha);
    put(t, x.beta, 0, beta);
    return x;
}

static void check_product(const Product *x, const char *library, const char *name)
{
    bool same = true;
    for (int i = 0; i < M; i++) {
        double got[2];
        fp_load(x->type, x->c, i, got);
        const double complex want = wanted(x->type, i);
        if (got[0] == creal(want) && got[1] == cimag(want)) continue;
        diag("C(%d) = %g%+gi, not %g%+gi", i, got[0], got[1], creal(want), cimag(want));
        same = false;
    }
    ok(same, "%s: %s multiplies", library, name);
}

/* -- Calling ------------------------------------------------------------------------------------
 */

static void call_fortran(Symbol symbol, Product *x)
{
    typedef void Gemm(const char *, const char *, const void *, const void *, const void *,
                      const void *, const void *, const void *, const void *, const void *,
                      const void *, void *, const void *);
    const Ints *n = &x->ints;
    ((Gemm *)symbol)("n", "No transposition", &n->m, &n->n, &n->k, x->alpha, x->a, &n->lda, x->b,
                     &n->ldb, x->beta, x->c, &n->ldc);
}

/* The scalar itself, or for complex types a pointer to it. */
#define CALL_CBLAS(letter, LETTER, dtype, Scalar)                                                  \
    static void call_cblas_##letter(Symbol symbol, Product *x)                                     \
    {                                                                                              \
        typedef void Gemm(int, int, int, int64_t, int64_t, int64_t, Scalar, const void *, int64_t, \
                          const void *, int64_t, Scalar, void *, int64_t);                         \
        const Ints *n = &x->ints;                                                                  \
        const CblasPointer pointers[2] = {x->alpha, x->beta};                                      \
        const bool by_pointer = dtype_is_complex(DTYPE_##dtype);                                   \
        Scalar s[2];                                                                               \
        memcpy(&s[0], by_pointer ? (const void *)&pointers[0] : x->alpha, sizeof s[0]);            \
        memcpy(&s[1], by_pointer ? (const void *)&pointers[1] : x->beta, sizeof s[1]);             \
        ((Gemm *)symbol)(102, 111, 111, n->m, n->n, n->k, s[0], x->a, n->lda, x->b, n->ldb, s[1],  \
                         x->c, n->ldc);                                                            \
    }
#define CALL_CBLAS_ROW(...) CALL_CBLAS(__VA_ARGS__)
BLAS_TYPES(CALL_CBLAS_ROW)

/* -- The names ----------------------------------------------------------------------------------
 */

typedef enum { NAT, W32, W64 } Width;

typedef struct {
    const char *symbol;
    Width width;
    Dtype type;
    void (*call)(Symbol, Product *);
} Name;

#define TEXT_OF(...) #__VA_ARGS__
#define TEXT(...) TEXT_OF(__VA_ARGS__)
#define FORTRAN_NAME(prefix, suffix, width, letter, LETTER, dtype, Scalar) \
    {TEXT(prefix##letter##gemm##suffix), width, DTYPE_##dtype, call_fortran},
#define CBLAS_NAME(prefix, suffix, width, letter, LETTER, dtype, Scalar) \
    {TEXT(prefix##letter##gemm##suffix), width, DTYPE_##dtype, call_cblas_##letter},
#define FORTRAN_ROW(...) FORTRAN_NAME(__VA_ARGS__)
#define CBLAS_ROW(...) CBLAS_NAME(__VA_ARGS__)

static const Name names[] = {BLAS_FORTRAN_NAMES(FORTRAN_ROW) BLAS_CBLAS_NAMES(CBLAS_ROW)};
enum { NAMES = sizeof names / sizeof names[0] };

static bool listed(const char *symbol)
{
    static const char *const others[] = {"RowMajorStrg", "CBLAS_CallFromC"};
    for (int i = 0; i < NAMES; i++)
        if (strcmp(symbol, names[i].symbol) == 0) return true;
    for (int i = 0; i < 2; i++)
        if (strcmp(symbol, others[i]) == 0) return true;
    return strncmp(symbol, "knap_", 5) == 0;
}

/* Marks that sanitizers put beside exported data are not names that a program could call. */
static bool of_sanitizer(const char *symbol)
{
    return strncmp(symbol, "__odr_asan", 10) == 0 || strncmp(symbol, "__asan", 6) == 0;
}

static void check_exports(const char *path, const char *library)
{
    char command[PATH_MAX + 64], symbol[256];
    snprintf(command, sizeof command, "nm -D --defined-only '%s'", path);
    FILE *nm = popen(command, "r");
    int foreign = 0, seen = 0;
    while (nm && fscanf(nm, "%*s %*s %255s", symbol) == 1) {
        seen++;
        if (listed(symbol) || of_sanitizer(symbol)) continue;
        diag("%s exports %s", library, symbol);
        foreign++;
    }
    if (!nm || pclose(nm) != 0)
        skip("%s: nm cannot list it", library);
    else
        ok(foreign == 0 && seen >= NAMES, "%s exports the table and knap.h, and nothing else",
           library);
}

static void check_name(void *handle, const char *library, const Name *name, bool nat_is_wide)
{
    void *p = dlsym(handle, name->symbol);
    Symbol symbol;
    memcpy(&symbol, &p, sizeof symbol);
    if (!symbol) {
        ok(false, "%s: %s is exported", library, name->symbol);
        return;
    }
    Product x = product_make(name->type, name->width == W64 || (name->width == NAT && nat_is_wide));
    name->call(symbol, &x);
    check_product(&x, library, name->symbol);
}

static void check_library(const char *library, bool nat_is_wide)
{
    const char *build = getenv("KNAP_BUILD");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", build ? build : "build", library);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) bail("%s", dlerror());
    check_exports(path, library);
    for (int i = 0; i < NAMES; i++) check_name(handle, library, &names[i], nat_is_wide);
}

int main(void)
{
    setenv("KNAP_MODE", "always", 1);
    setenv("KNAP_DEVICE", "cpu", 1);
    setenv("KNAP_ILP64", "0", 1);
    check_library("libknap.so", false);
    check_library("libknap64.so", true);
    return tap_done();
}
