/*
 * spy_program: a program over spy_blas, run by tests/forward.t under libknap.so. Prints TAP.
 *
 * Forwarded calls arrive as they were made; the calls of a forwarded call are not looked at again;
 * wrong arguments reach this program's xerbla_ and cblas_xerbla, which leave by longjmp as R's
 * does. argv[1] is the KNAP_MODE that it runs in.
 */
#include "tests/spy_blas.h"
#include "tests/tap.h"

#include <setjmp.h>
#include <string.h>

/* As C programs declare it, without the hidden lengths. */
void sgemm_(const char *, const char *, const int *, const int *, const int *, const float *,
            const float *, const int *, const float *, const int *, const float *, float *,
            const int *);
void cblas_sgemm(int, int, int, int64_t, int64_t, int64_t, float, const void *, int64_t,
                 const void *, int64_t, float, void *, int64_t);
extern int RowMajorStrg, CBLAS_CallFromC;

/* -- The program's own error handlers -------------------------------------------------------------
 */

static struct {
    jmp_buf out;
    int calls, argument, row_major, from_c;
    char routine[16];
} error;

void xerbla_(const char *routine, const int32_t *argument, size_t length);
void cblas_xerbla(int argument, const char *routine, const char *format, ...);

static _Noreturn void leave(int argument, const char *routine, size_t length)
{
    error.calls++;
    error.argument = argument;
    error.row_major = RowMajorStrg;
    error.from_c = CBLAS_CallFromC;
    snprintf(error.routine, sizeof error.routine, "%.*s", (int)length, routine);
    longjmp(error.out, 1);
}

void xerbla_(const char *routine, const int32_t *argument, size_t length)
{
    leave(*argument, routine, length);
}

void cblas_xerbla(int argument, const char *routine, const char *format, ...)
{
    (void)format;
    leave(argument, routine, strlen(routine));
}

/* -- Forwarding
 * ------------------------------------------------------------------------------------- */

static const float one = 1, zero = 0, a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
static float c[4];
static const int two = 2;

static void fortran_call(const char *transa, int m)
{
    if (setjmp(error.out)) return;
    sgemm_(transa, "n", &m, &two, &two, &one, a, &two, b, &two, &zero, c, &two);
}

static void test_fortran_arguments(void)
{
    const char transa[] = "No", transb[] = "t";
    const int m = 2, n = 2, k = 2, lda = 2, ldb = 2, ldc = 2;
    const void *const sent[13] = {transa, transb, &m,   &n,    &k, &one, a,
                                  &lda,   b,      &ldb, &zero, c,  &ldc};
    sgemm_(transa, transb, &m, &n, &k, &one, a, &lda, b, &ldb, &zero, c, &ldc);
    ok(memcmp(sent, spy_fortran.pointers, sizeof sent) == 0,
       "sgemm_ is forwarded by the same pointers");
    ok(spy_fortran.lengths[0] == 1 && spy_fortran.lengths[1] == 1, "with hidden lengths 1");
}

static void test_cblas_arguments(void)
{
    const int64_t upper = (int64_t)0x12345678 << 32;
    cblas_sgemm(101, 112, 111, upper | 2, upper | 3, upper | 4, 5, a, upper | 6, b, upper | 7, 8, c,
                upper | 9);
    const SpyCblas *s = &spy_cblas;
    ok(s->layout == 101 && s->transa == 112 && s->transb == 111,
       "cblas_sgemm's enumerations arrive");
    ok(s->m == (upper | 2) && s->n == (upper | 3) && s->k == (upper | 4) && s->lda == (upper | 6) &&
           s->ldb == (upper | 7) && s->ldc == (upper | 9),
       "its integers arrive with their upper halves");
    ok(s->alpha == 5 && s->beta == 8, "its scalars arrive");
    ok(s->a == a && s->b == b && s->c == c, "its pointers arrive");
}

static void test_forwarding(void)
{
    test_fortran_arguments();
    test_cblas_arguments();
    ok(spy_fortran.calls == 2 && spy_cblas.calls == 1, "each call arrives once");
    fortran_call("n", -1);
    ok(error.calls == 1 && error.argument == 3, "the next BLAS's xerbla_ is this program's");
    fortran_call("n", 2);
    ok(spy_fortran.calls == 4, "after xerbla_ left by longjmp, calls are forwarded");
}

/* -- Wrong arguments, found by us
 * ----------------------------------------------------------------------- */

static void cblas_call(int layout, int transa, int transb, int m, int n, int lda)
{
    if (setjmp(error.out)) return;
    cblas_sgemm(layout, transa, transb, m, n, 2, one, a, lda, b, 2, zero, c, 2);
}

static void expect(const char *routine, int argument, bool row_major, bool from_c, const char *what)
{
    const bool right = error.calls == 1 && error.argument == argument &&
                       error.row_major == row_major && error.from_c == from_c &&
                       strcmp(error.routine, routine) == 0;
    if (!ok(right, "%s: %s, argument %d", what, routine, argument))
        diag("got %d calls, %s, argument %d, RowMajorStrg %d, CBLAS_CallFromC %d", error.calls,
             error.routine, error.argument, error.row_major, error.from_c);
    error.calls = 0;
    RowMajorStrg = CBLAS_CallFromC = 0; /* nobody else could: we left by longjmp */
}

static void test_errors(void)
{
    fortran_call("x", 2);
    expect("SGEMM ", 1, false, false, "sgemm_ with transa x");
    fortran_call("c", -1);
    expect("SGEMM ", 3, false, false, "sgemm_ with m -1");
    fortran_call("N", 3);
    expect("SGEMM ", 8, false, false, "sgemm_ with lda below m");
    cblas_call(100, 111, 111, 2, 2, 2);
    expect("cblas_sgemm", 1, false, true, "cblas_sgemm with layout 100");
    cblas_call(102, 110, 111, 2, 2, 2);
    expect("cblas_sgemm", 2, false, true, "column-major with transa 110");
    cblas_call(102, 111, 114, 2, 2, 2);
    expect("cblas_sgemm", 3, false, true, "column-major with transb 114");
    cblas_call(101, 111, 114, 2, 2, 2);
    expect("cblas_sgemm", 2, true, true, "row-major with transb 114");
    cblas_call(102, 111, 111, -1, 2, 2);
    expect("SGEMM ", 3, false, true, "column-major with m -1");
    cblas_call(101, 111, 111, -1, 2, 2);
    expect("SGEMM ", 4, true, true, "row-major with m -1, which is the reference's n");
    cblas_call(101, 111, 111, 2, 2, 1);
    expect("SGEMM ", 10, true, true, "row-major with lda 1, which is the reference's ldb");
    ok(spy_fortran.calls == 0 && spy_cblas.calls == 0, "nothing wrong was forwarded");
    fortran_call("n", 2);
    ok(c[0] == 23 && c[1] == 34 && c[2] == 31 && c[3] == 46, "after all that, we multiply");
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "always") == 0)
        test_errors();
    else
        test_forwarding();
    return tap_done();
}
