/*
 * next_blas: the BLAS that the program would have called without us.
 *
 * dlsym(RTLD_NEXT) is not enough: Python and R load BLAS into local scopes that it does not search.
 * The caller's own scope comes first, then RTLD_NEXT, then every loaded object, then the system's
 * libblas; KNAP_BLAS overrides all. Our own definitions are never returned. A library that was
 * found stays loaded. Everything here may be called from any thread. Nothing fails but by finding
 * nothing.
 */
#ifndef KNAP_PLUGIN_NEXT_BLAS_H
#define KNAP_PLUGIN_NEXT_BLAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A generic function pointer, to be converted to the routine's own type before the call. */
typedef void (*NextFn)(void);

/* What one caller gets for a name. */
typedef struct NextFound {
    NextFn fn;           /* NULL: there is none */
    const char *library; /* the file that holds it, "" where unknown */
    bool wide;           /* the caller's integers have 64 bits */
    /* Private: the callers' addresses that this answer is for, and the answer found before it. */
    uintptr_t low, bytes;
    const struct NextFound *older;
} NextFound;

/* Width of a name's integers. WIDTH_ASKED: 32 bits, or 64 where KNAP_ILP64 says so. */
typedef enum { WIDTH_32, WIDTH_64, WIDTH_ASKED } NextWidth;

/* A name and all that was found for it, one static per name: NEXT_SLOT("sgemm_", WIDTH_ASKED). */
typedef struct {
    const char *name;
    NextWidth width;
    const NextFound *_Atomic newest;
} NextSlot;

/* clang-format off */
#define NEXT_SLOT(text, bits) { .name = (text), .width = (bits), .newest = NULL }
/* clang-format on */

/* The next definition of the slot's name for a caller at return_address; never NULL itself. The
 * first time from each calling object takes a search, after that a nanosecond. */
const NextFound *next_blas_find(NextSlot *slot, const void *return_address);

/* The same for a name asked once, by a search each time. */
NextFn next_blas(const char *name, const void *return_address);

/* The file that holds fn, e.g. "/usr/lib/.../libblas.so.3"; "" where unknown. */
const char *next_blas_library(NextFn fn);

/* -- Guard against re-entry -------------------------------------------------------------------- */

/* netlib's and BLIS's cblas_sgemm call sgemm_ through the PLT, which is us. Between enter and leave
 * this thread's calls are forwarded without a look. The guard is the stack address of the function
 * that forwards, and what lies deeper is inside: so a caller that leaves by longjmp (R's xerbla_
 * does) does not stay inside for ever. Not to be nested; enter and leave in one function. */
extern _Thread_local const char *next_blas_guard __attribute__((visibility("hidden")));

/* Always inlined, because the frame must be the caller's own. */
#define NEXT_BLAS_INLINE static inline __attribute__((always_inline))

NEXT_BLAS_INLINE void next_blas_enter(void)
{
    next_blas_guard = __builtin_frame_address(0);
}

NEXT_BLAS_INLINE void next_blas_leave(void)
{
    next_blas_guard = NULL;
}

NEXT_BLAS_INLINE bool next_blas_inside(void)
{
    return next_blas_guard && (const char *)__builtin_frame_address(0) < next_blas_guard;
}

#endif
