/*
 * blas_xerbla: wrong arguments, reported as the reference does. The program's own xerbla_ or
 * cblas_xerbla is called if there is one in sight, then the next BLAS's; where neither is, a line
 * in the reference's words goes to stderr. They may end the program or leave by longjmp; where they
 * return, so does the BLAS call.
 */
#include "plugin/blas_call.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Part of CBLAS's binary interface: a program's own cblas_xerbla reads RowMajorStrg to undo the
 * exchange of A and B, and its xerbla_ reads CBLAS_CallFromC. Like netlib's, they are plain ints
 * without a lock. */
KNAP_API extern int RowMajorStrg, CBLAS_CallFromC;
int RowMajorStrg;
int CBLAS_CallFromC;

/* The last argument is Fortran's hidden length of the name. The number is passed as 64 bits, of
 * which a program with 32-bit integers reads the low half: x86-64 and AArch64 Linux are
 * little-endian. */
typedef void (*Xerbla)(const char *routine, const int64_t *argument, size_t length);
typedef void (*CblasXerbla)(int argument, const char *routine, const char *format, ...);

static NextFn handler(const char *name, const void *caller)
{
    void *p = dlsym(RTLD_DEFAULT, name);
    NextFn fn;
    memcpy(&fn, &p, sizeof fn);
    return fn ? fn : next_blas(name, caller);
}

static void print_wrong(const char *routine, int argument)
{
    fprintf(stderr, " ** On entry to %s parameter number %2d had an illegal value\n", routine,
            argument);
}

void blas_xerbla(const BlasName *name, int argument, const void *caller)
{
    const Xerbla xerbla = (Xerbla)handler("xerbla_", caller);
    const int64_t wide = argument;
    if (xerbla)
        xerbla(name->xerbla, &wide, strlen(name->xerbla));
    else
        print_wrong(name->xerbla, argument);
}

static void flags_set(bool from_c, bool row_major)
{
    CBLAS_CallFromC = from_c;
    RowMajorStrg = row_major;
}

void blas_xerbla_from_cblas(const BlasName *name, int argument, bool row_major, const void *caller)
{
    flags_set(true, row_major);
    blas_xerbla(name, argument, caller);
    flags_set(false, false);
}

void blas_cblas_xerbla(const BlasName *name, int argument, const char *what, int value,
                       bool row_major, const void *caller)
{
    const CblasXerbla xerbla = (CblasXerbla)handler("cblas_xerbla", caller);
    char format[48];
    snprintf(format, sizeof format, "Illegal %s setting, %%d\n", what);
    flags_set(true, row_major);
    if (xerbla)
        xerbla(argument, name->cblas, format, value);
    else
        print_wrong(name->cblas, argument);
    flags_set(false, false);
}
