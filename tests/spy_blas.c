/* spy_blas: see spy_blas.h. Like the reference, cblas_sgemm calls sgemm_ by its dynamic symbol, and
 * sgemm_ reports a negative m to xerbla_. */
#include "tests/spy_blas.h"

SpyFortran spy_fortran;
SpyCblas spy_cblas;

void xerbla_(const char *routine, const int32_t *argument, size_t length);

void sgemm_(const char *transa, const char *transb, const int32_t *m, const void *n, const void *k,
            const void *alpha, const void *a, const void *lda, const void *b, const void *ldb,
            const void *beta, void *c, const void *ldc, size_t length_a, size_t length_b);

void sgemm_(const char *transa, const char *transb, const int32_t *m, const void *n, const void *k,
            const void *alpha, const void *a, const void *lda, const void *b, const void *ldb,
            const void *beta, void *c, const void *ldc, size_t length_a, size_t length_b)
{
    spy_fortran = (SpyFortran){
        .calls = spy_fortran.calls + 1,
        .pointers = {transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc},
        .lengths = {length_a, length_b},
    };
    const int32_t third = 3;
    if (*m < 0) xerbla_("SGEMM ", &third, 6);
}

void cblas_sgemm(int layout, int transa, int transb, int64_t m, int64_t n, int64_t k, float alpha,
                 const void *a, int64_t lda, const void *b, int64_t ldb, float beta, void *c,
                 int64_t ldc);

void cblas_sgemm(int layout, int transa, int transb, int64_t m, int64_t n, int64_t k, float alpha,
                 const void *a, int64_t lda, const void *b, int64_t ldb, float beta, void *c,
                 int64_t ldc)
{
    spy_cblas = (SpyCblas){
        spy_cblas.calls + 1, layout, transa, transb, m, n, k, lda, ldb, ldc, alpha, beta, a, b, c};
    const int32_t small[6] = {(int32_t)m,   (int32_t)n,   (int32_t)k,
                              (int32_t)lda, (int32_t)ldb, (int32_t)ldc};
    sgemm_("N", "N", &small[0], &small[1], &small[2], &alpha, a, &small[3], b, &small[4], &beta, c,
           &small[5], 1, 1);
}
