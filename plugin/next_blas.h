/*
 * next_blas: the BLAS that the program would have called without us.
 *
 * dlsym(RTLD_NEXT) is not enough: Python and R load BLAS into local scopes that it does not search. The
 * caller's own scope comes first, then RTLD_NEXT, then every loaded object; KNAP_BLAS overrides all. What
 * is found is kept per name and per calling object. Our own definitions are never returned.
 */
#ifndef KNAP_PLUGIN_NEXT_BLAS_H
#define KNAP_PLUGIN_NEXT_BLAS_H

#include <stddef.h>

/* A generic function pointer, to be converted to the routine's own type before the call. */
typedef void (*NextFn)(void);

/*
 * The next definition of symbol `name` (a string constant) for a caller at return_address, or NULL. May be
 * called from any thread; after the first time a look-up costs a few nanoseconds.
 */
NextFn next_blas(const char *name, const void *return_address);

/* The file that holds fn, e.g. "/usr/lib/.../libblas.so.3"; "" where unknown. */
const char *next_blas_library(NextFn fn);

/* Guard against re-entry: netlib's and BLIS's cblas_sgemm call sgemm_ through the PLT, which is us. Between
 * enter and leave this thread's calls are forwarded without a look. */
void next_blas_enter(void);
void next_blas_leave(void);
/* Nonzero inside. */
int next_blas_inside(void);

#endif
