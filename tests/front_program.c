/* front_program: a program that calls sgemm_ once and exits with 0 if the product is right; built
 * as a library with -DTRACER, a sgemm_ that counts how deep it is and goes on by RTLD_NEXT. For
 * forward.t. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef void Sgemm(const char *, const char *, const int *, const int *, const int *, const float *,
                   const float *, const int *, const float *, const int *, const float *, float *,
                   const int *);
Sgemm sgemm_;

#ifdef TRACER
void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
            const float *beta, float *c, const int *ldc)
{
    static int depth;
    void *p = dlsym(RTLD_NEXT, "sgemm_");
    Sgemm *next;
    memcpy(&next, &p, sizeof next);
    if (!next || ++depth > 1) _Exit(3); /* nobody behind us, or we again */
    next(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    depth--;
}
#else
int main(void)
{
    const int two = 2;
    const float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, one = 1, zero = 0;
    float c[4] = {0};
    sgemm_("N", "N", &two, &two, &two, &one, a, &two, b, &two, &zero, c, &two);
    return c[0] == 23 && c[1] == 34 && c[2] == 31 && c[3] == 46 ? 0 : 1;
}
#endif
