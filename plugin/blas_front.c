/*
 * blas_front: the exported BLAS names, and how their arguments are read.
 *
 * Every alias comes from blas_names.h. An alias packs its arguments into a struct and notes who
 * called; one function per convention, Fortran or CBLAS, does the rest:
 *
 *     forward what is tiny -> check the arguments -> dispatch (GPU, next BLAS, CPU)
 *
 * What is forwarded is forwarded as it came. This file is compiled twice: libknap64.so's copy has
 * KNAP_ILP64, where names of natural width take 64-bit integers. Wrong arguments go to the
 * program's xerbla_ or cblas_xerbla. Nothing here allocates, or returns a status.
 */
#include "cpu_ref/fp.h"
#include "plugin/blas_call.h"
#include "plugin/blas_names.h"

#ifndef KNAP_ILP64
#define KNAP_ILP64 0
#endif

/* How CBLAS passes a complex scalar. */
typedef const void *CblasPointer;

/* Widths of blas_names.h. */
#define W32 WIDTH_32
#define W64 WIDTH_64
#define NAT (KNAP_ILP64 ? WIDTH_64 : WIDTH_ASKED)

/* What blas_names.h says of a name. One static each: the slot in it is filled in by the first
 * calls. */
#define TEXT_OF(...) #__VA_ARGS__
#define TEXT(...) TEXT_OF(__VA_ARGS__)
#define NAME_ROW(symbol, width, letter, LETTER, dtype)                                     \
    {                                                                                      \
        .next = NEXT_SLOT(TEXT(symbol), width), .routine = #letter "gemm",                 \
        .xerbla = #LETTER "GEMM ", .cblas = "cblas_" #letter "gemm", .type = DTYPE_##dtype \
    }

/* -- Fortran: everything by reference ---------------------------------------------------------- */

typedef struct {
    const char *transa, *transb; /* only the first character counts */
    const void *m, *n, *k, *alpha, *a, *lda, *b, *ldb, *beta;
    void *c;
    const void *ldc;
    const NextFound *next;
} FortranCall;

/* The two last are the hidden lengths of transa and transb. Callers in C leave them out, so they
 * are never read; compilers may trust them, so they are always passed on. */
typedef void (*FortranGemm)(const char *transa, const char *transb, const void *m, const void *n,
                            const void *k, const void *alpha, const void *a, const void *lda,
                            const void *b, const void *ldb, const void *beta, void *c,
                            const void *ldc, size_t, size_t);

static void fortran_forward(const void *ctx)
{
    const FortranCall *x = ctx;
    ((FortranGemm)x->next->fn)(x->transa, x->transb, x->m, x->n, x->k, x->alpha, x->a, x->lda, x->b,
                               x->ldb, x->beta, x->c, x->ldc, 1, 1);
}

static int64_t int_at(const void *p, bool wide)
{
    return wide ? *(const int64_t *)p : *(const int32_t *)p;
}

static char capital(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static void fortran_gemm(const BlasName *name, const FortranCall *x, const BlasForward *forward,
                         BlasGemm *g, const void *caller)
{
    const bool wide = x->next->wide;
    g->transa = capital(*x->transa);
    g->transb = capital(*x->transb);
    g->a = x->a;
    g->b = x->b;
    g->c = x->c;
    g->lda = int_at(x->lda, wide);
    g->ldb = int_at(x->ldb, wide);
    g->ldc = int_at(x->ldc, wide);
    fp_load(name->type, x->alpha, 0, g->alpha);
    fp_load(name->type, x->beta, 0, g->beta);
    const int wrong = blas_call_check(g);
    /* OpenBLAS's letter for the conjugate without a transposition */
    const bool conj_only = g->transa == 'R' || g->transb == 'R';
    if (conj_only && dtype_is_complex(name->type) && blas_call_leave_to_next(forward)) return;
    if (wrong)
        blas_xerbla(name, wrong, caller);
    else
        blas_call_gemm(name, g, forward);
}

static void fortran_call(BlasName *name, FortranCall *x, const void *caller)
{
    x->next = next_blas_find(&name->next, caller);
    const bool wide = x->next->wide;
    const BlasForward forward = {x->next, fortran_forward, x};
    BlasGemm g = {.m = int_at(x->m, wide), .n = int_at(x->n, wide), .k = int_at(x->k, wide)};
    if (!blas_call_forward(&forward, g.m, g.n, g.k)) fortran_gemm(name, x, &forward, &g, caller);
}

#define FORTRAN_ALIAS(prefix, suffix, width, letter, LETTER, dtype, Scalar)                        \
    KNAP_API void prefix##letter##gemm##suffix(                                                    \
        const char *transa, const char *transb, const void *m, const void *n, const void *k,       \
        const void *alpha, const void *a, const void *lda, const void *b, const void *ldb,         \
        const void *beta, void *c, const void *ldc);                                               \
    void prefix##letter##gemm##suffix(const char *transa, const char *transb, const void *m,       \
                                      const void *n, const void *k, const void *alpha,             \
                                      const void *a, const void *lda, const void *b,               \
                                      const void *ldb, const void *beta, void *c, const void *ldc) \
    {                                                                                              \
        static BlasName name =                                                                     \
            NAME_ROW(prefix##letter##gemm##suffix, width, letter, LETTER, dtype);                  \
        FortranCall x = {transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, NULL};      \
        fortran_call(&name, &x, __builtin_return_address(0));                                      \
    }

/* A row's last arguments come as one macro, e.g. BLAS_TYPE_S: one more expansion takes them apart.
 */
#define FORTRAN_ROW(...) FORTRAN_ALIAS(__VA_ARGS__)
BLAS_FORTRAN_NAMES(FORTRAN_ROW)

/* -- CBLAS: sizes and real scalars by value ---------------------------------------------------- */

enum { ROW_MAJOR = 101, COL_MAJOR = 102, NO_TRANS = 111, TRANS = 112, CONJ_TRANS = 113 };
enum { CONJ_NO_TRANS = 114 }; /* OpenBLAS has it, the reference has not */

/* Integers are declared with 64 bits whatever their width, so that what a 64-bit caller put into
 * the upper half is passed on; where they have 32, the upper half means nothing and is dropped for
 * our own use. */
typedef struct {
    int layout, transa, transb;
    int64_t m, n, k;
    const void *alpha; /* the address of the argument, be it the scalar or a pointer to it */
    const void *a;
    int64_t lda;
    const void *b;
    int64_t ldb;
    const void *beta;
    void *c;
    int64_t ldc;
    const NextFound *next;
} CblasCall;

#define CBLAS_FORWARD(letter, LETTER, dtype, Scalar)                                               \
    static void cblas_forward_##letter(const void *ctx)                                            \
    {                                                                                              \
        typedef void Gemm(int, int, int, int64_t, int64_t, int64_t, Scalar, const void *, int64_t, \
                          const void *, int64_t, Scalar, void *, int64_t);                         \
        const CblasCall *x = ctx;                                                                  \
        const Scalar *alpha = x->alpha, *beta = x->beta;                                           \
        ((Gemm *)x->next->fn)(x->layout, x->transa, x->transb, x->m, x->n, x->k, *alpha, x->a,     \
                              x->lda, x->b, x->ldb, *beta, x->c, x->ldc);                          \
    }
#define CBLAS_FORWARD_ROW(...) CBLAS_FORWARD(__VA_ARGS__)
BLAS_TYPES(CBLAS_FORWARD_ROW)

static int64_t int_of(int64_t value, bool wide)
{
    return wide ? value : (int32_t)value;
}

/* 0: no transposition that CBLAS knows. */
static char trans_letter(int trans)
{
    switch (trans) {
    case NO_TRANS: return 'N';
    case TRANS: return 'T';
    case CONJ_TRANS: return 'C';
    default: return 0;
    }
}

/* Checks the enumerations. As in netlib, a wrong transb of a row-major call is reported as
 * argument 2. */
static bool cblas_enums_ok(const BlasName *name, const CblasCall *x, const void *caller)
{
    const bool row = x->layout == ROW_MAJOR;
    if (!row && x->layout != COL_MAJOR)
        blas_cblas_xerbla(name, 1, "layout", x->layout, false, caller);
    else if (!trans_letter(x->transa))
        blas_cblas_xerbla(name, 2, "TransA", x->transa, row, caller);
    else if (!trans_letter(x->transb))
        blas_cblas_xerbla(name, row ? 2 : 3, "TransB", x->transb, row, caller);
    else
        return true;
    return false;
}

static BlasGemm cblas_col_major(const CblasCall *x)
{
    const bool wide = x->next->wide;
    return (BlasGemm){
        .transa = trans_letter(x->transa),
        .transb = trans_letter(x->transb),
        .m = int_of(x->m, wide),
        .n = int_of(x->n, wide),
        .k = int_of(x->k, wide),
        .a = x->a,
        .b = x->b,
        .c = x->c,
        .lda = int_of(x->lda, wide),
        .ldb = int_of(x->ldb, wide),
        .ldc = int_of(x->ldc, wide),
    };
}

/* A row-major C is the column-major transpose of C: op(B)' op(A)' with the operands exchanged. */
static BlasGemm cblas_row_major(const CblasCall *x)
{
    const BlasGemm g = cblas_col_major(x);
    BlasGemm t = g;
    t.transa = g.transb;
    t.transb = g.transa;
    t.m = g.n;
    t.n = g.m;
    t.a = g.b;
    t.b = g.a;
    t.lda = g.ldb;
    t.ldb = g.lda;
    return t;
}

static void cblas_scalar(Dtype type, const void *argument, double out[2])
{
    fp_load(type, dtype_is_complex(type) ? *(const CblasPointer *)argument : argument, 0, out);
}

static void cblas_gemm(const BlasName *name, const CblasCall *x, const BlasForward *forward,
                       const void *caller)
{
    const bool conj_only = x->transa == CONJ_NO_TRANS || x->transb == CONJ_NO_TRANS;
    if (conj_only && dtype_is_complex(name->type) && blas_call_leave_to_next(forward)) return;
    if (!cblas_enums_ok(name, x, caller)) return;
    const bool row = x->layout == ROW_MAJOR;
    BlasGemm g = row ? cblas_row_major(x) : cblas_col_major(x);
    cblas_scalar(name->type, x->alpha, g.alpha);
    cblas_scalar(name->type, x->beta, g.beta);
    const int wrong = blas_call_check(&g);
    if (wrong)
        blas_xerbla_from_cblas(name, wrong, row, caller);
    else
        blas_call_gemm(name, &g, forward);
}

static void cblas_call(BlasName *name, CblasCall *x, void (*run)(const void *), const void *caller)
{
    x->next = next_blas_find(&name->next, caller);
    const bool wide = x->next->wide;
    const BlasForward forward = {x->next, run, x};
    if (blas_call_forward(&forward, int_of(x->m, wide), int_of(x->n, wide), int_of(x->k, wide)))
        return;
    cblas_gemm(name, x, &forward, caller);
}

#define CBLAS_ALIAS(prefix, suffix, width, letter, LETTER, dtype, Scalar)                          \
    KNAP_API void prefix##letter##gemm##suffix(int layout, int transa, int transb, int64_t m,      \
                                               int64_t n, int64_t k, Scalar alpha, const void *a,  \
                                               int64_t lda, const void *b, int64_t ldb,            \
                                               Scalar beta, void *c, int64_t ldc);                 \
    void prefix##letter##gemm##suffix(                                                             \
        int layout, int transa, int transb, int64_t m, int64_t n, int64_t k, Scalar alpha,         \
        const void *a, int64_t lda, const void *b, int64_t ldb, Scalar beta, void *c, int64_t ldc) \
    {                                                                                              \
        static BlasName name =                                                                     \
            NAME_ROW(prefix##letter##gemm##suffix, width, letter, LETTER, dtype);                  \
        CblasCall x = {layout, transa, transb, m,     n, k,   &alpha, a,                           \
                       lda,    b,      ldb,    &beta, c, ldc, NULL};                               \
        cblas_call(&name, &x, cblas_forward_##letter, __builtin_return_address(0));                \
    }
#define CBLAS_ROW(...) CBLAS_ALIAS(__VA_ARGS__)
BLAS_CBLAS_NAMES(CBLAS_ROW)
