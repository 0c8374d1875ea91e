/*
 * next_blas: see next_blas.h. The search is slow and takes the loader's locks; its answers are kept
 * in a list per name, newest first, each valid for the addresses of one calling object. Lists only
 * grow, so they are read without a lock; two threads that search at once leave two equal answers,
 * which does no harm.
 */
#include "plugin/next_blas.h"

#include "plugin/env.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

_Thread_local const char *next_blas_guard;

/* -- Loaded objects ---------------------------------------------------------------------------- */

/* The base of the object that holds an address, or NULL. */
static const void *object_base(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Keeps the object that holds an address loaded for ever. Returns its file, or "". */
static const char *object_pin(const void *address)
{
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname) return "";
    void *handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (handle) dlclose(handle);
    return info.dli_fname;
}

typedef struct {
    uintptr_t low, high; /* high excluded */
} Span;

static Span object_span(const struct dl_phdr_info *object)
{
    Span s = {UINTPTR_MAX, 0};
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &object->dlpi_phdr[i];
        if (h->p_type != PT_LOAD) continue;
        const uintptr_t low = object->dlpi_addr + h->p_vaddr;
        if (low < s.low) s.low = low;
        if (low + h->p_memsz > s.high) s.high = low + h->p_memsz;
    }
    return s;
}

/* The object that holds `at`, or, for code that no object holds, the gap between its neighbours. */
typedef struct {
    uintptr_t at;
    Span span;
    char path[PATH_MAX]; /* "": the program itself, or no object */
} Caller;

static int caller_visit(struct dl_phdr_info *object, size_t size, void *ctx)
{
    (void)size;
    Caller *caller = ctx;
    const Span s = object_span(object);
    if (caller->at >= s.low && caller->at < s.high) {
        caller->span = s;
        snprintf(caller->path, sizeof caller->path, "%s", object->dlpi_name);
        return 1;
    }
    if (s.high <= caller->at && s.high > caller->span.low) caller->span.low = s.high;
    if (s.low > caller->at && s.low < caller->span.high) caller->span.high = s.low;
    return 0;
}

static void caller_find(Caller *caller, const void *address)
{
    *caller = (Caller){.at = (uintptr_t)address, .span = {0, UINTPTR_MAX}};
    dl_iterate_phdr(caller_visit, caller);
}

/* The path of the index-th object. One at a time, because the loader must not be called from inside
 * dl_iterate_phdr: it takes the two locks in the other order. */
typedef struct {
    size_t index;
    char path[PATH_MAX];
} Nth;

static int nth_visit(struct dl_phdr_info *object, size_t size, void *ctx)
{
    (void)size;
    Nth *nth = ctx;
    if (nth->index-- > 0) return 0;
    snprintf(nth->path, sizeof nth->path, "%s", object->dlpi_name);
    return 1;
}

static bool nth_path(Nth *nth, size_t index)
{
    nth->index = index;
    return dl_iterate_phdr(nth_visit, nth) != 0;
}

/* -- Search ------------------------------------------------------------------------------------ */

/* Whether p lies in this library or in its sibling, libknap.so in libknap64.so: what one forwards,
 * the other must not read with its own width of integers. */
static bool is_ours(const void *p)
{
    static const char here;
    Dl_info info;
    if (object_base(p) == object_base(&here)) return true;
    if (!dladdr(p, &info) || !info.dli_fname) return false;
    const char *slash = strrchr(info.dli_fname, '/');
    return strncmp(slash ? slash + 1 : info.dli_fname, "libknap", 7) == 0;
}

/* The symbol in the scope of a handle, unless it is ours. */
static void *symbol_in(void *handle, const char *name)
{
    void *p = dlsym(handle, name);
    return p && !is_ours(p) ? p : NULL;
}

/* The caller's object, where that stands before us in the program's scope under the same name: a
 * tracer, say, which came to us by RTLD_NEXT. What it defines is what called us and not what comes
 * next. */
static const void *in_front_of_us(const char *name, const void *return_address)
{
    const void *caller = object_base(return_address), *first = symbol_in(RTLD_DEFAULT, name);
    return first && object_base(first) == caller ? caller : NULL;
}

/* In a loaded object and what it depends on. The program's own scope begins with us, and the
 * address it gives may be a jump to us, so the program is left to RTLD_NEXT. */
static void *from_object(const char *path, const char *name)
{
    if (!path[0]) return NULL;
    void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle) return NULL;
    void *p = symbol_in(handle, name);
    dlclose(handle);
    return p;
}

static void *from_any_object(const char *name, const void *but)
{
    Nth nth;
    for (size_t i = 0; nth_path(&nth, i); i++) {
        void *p = from_object(nth.path, name);
        if (p && object_base(p) != but) return p;
    }
    return NULL;
}

/* In a library that is loaded for it, and stays. */
static void *from_file(const char *path, const char *name)
{
    void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    return handle ? symbol_in(handle, name) : NULL;
}

static void *from_override(const char *name)
{
    const Env *env = env_get();
    if (!env->blas) return NULL;
    void *p = from_file(env->blas, name);
    if (!p && env->verbose > 0) fprintf(stderr, "knap: KNAP_BLAS=%s has no %s\n", env->blas, name);
    return p;
}

static void *search(const char *name, bool wide, const void *return_address,
                    const char *caller_path)
{
    const void *front = in_front_of_us(name, return_address);
    void *p = from_override(name);
    if (!p && !front) p = from_object(caller_path, name);
    if (!p) p = symbol_in(RTLD_NEXT, name);
    if (!p) p = from_any_object(name, front);
    if (!p) p = from_file(wide ? "libblas64.so.3" : "libblas.so.3", name);
    return p;
}

/* ISO C has no conversion from an object pointer to a function pointer; POSIX promises that the
 * bits fit. */
static NextFn as_function(void *p)
{
    NextFn fn;
    memcpy(&fn, &p, sizeof fn);
    return fn;
}

/* -- Answers ----------------------------------------------------------------------------------- */

enum { ANSWERS = 512 }; /* names in use times calling objects; beyond them every call searches */

/* Per process, like the loader's own tables; a BLAS call has no context that could own them. */
static NextFound answers[ANSWERS];
static atomic_size_t answers_used;

static const NextFound *answer_keep(NextSlot *slot, NextFound found)
{
    static _Thread_local NextFound unkept;
    const size_t i = atomic_fetch_add(&answers_used, 1);
    NextFound *kept = i < ANSWERS ? &answers[i] : &unkept;
    *kept = found;
    if (kept == &unkept) return kept;
    kept->older = atomic_load(&slot->newest);
    while (!atomic_compare_exchange_weak(&slot->newest, &kept->older, kept)) continue;
    return kept;
}

static const NextFound *answer_make(NextSlot *slot, const void *return_address)
{
    Caller caller;
    caller_find(&caller, return_address);
    const bool wide = slot->width == WIDTH_64 || (slot->width == WIDTH_ASKED && env_get()->ilp64);
    void *p = search(slot->name, wide, return_address, caller.path);
    return answer_keep(slot, (NextFound){
                                 .fn = as_function(p),
                                 .library = p ? object_pin(p) : "",
                                 .wide = wide,
                                 .low = caller.span.low,
                                 .bytes = caller.span.high - caller.span.low,
                             });
}

const NextFound *next_blas_find(NextSlot *slot, const void *return_address)
{
    const uintptr_t at = (uintptr_t)return_address;
    const NextFound *f = atomic_load_explicit(&slot->newest, memory_order_acquire);
    for (; f; f = f->older) {
        if (at - f->low < f->bytes) return f;
    }
    return answer_make(slot, return_address);
}

NextFn next_blas(const char *name, const void *return_address)
{
    Caller caller;
    caller_find(&caller, return_address);
    void *p = search(name, env_get()->ilp64, return_address, caller.path);
    if (p) object_pin(p);
    return as_function(p);
}

const char *next_blas_library(NextFn fn)
{
    void *p;
    memcpy(&p, &fn, sizeof p);
    Dl_info info;
    return p && dladdr(p, &info) && info.dli_fname ? info.dli_fname : "";
}
