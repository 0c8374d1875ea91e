/*
 * handle: its making, its device, and what becomes of both at fork and exit. See handle.h.
 */
#include "gpu/driver.h"
#include "plugin/handle.h"

#include "gpu/mem.h"
#include "plugin/explain.h"

#include <string.h>
#include <unistd.h>

/* -- The process's own: BLAS has no context argument ------------------------------------------- */

static KnapHandle *standard; /* of the BLAS fronts */
static pthread_once_t standard_once = PTHREAD_ONCE_INIT;
static bool forked; /* written in the child before it has a second thread */

/* -- Making ------------------------------------------------------------------------------------ */

KnapStatus handle_new(const Env *env, Device *device, KnapHandle **out)
{
    KnapHandle *h = mem_alloc(sizeof *h);
    Stats *stats = stats_new();
    Gpu *gpu = h && stats && device ? gpu_new(device, env->dump) : NULL;
    if (!h || !stats || (device && !gpu)) {
        if (device && !(h && stats)) device->ops->close(device);
        stats_free(stats);
        mem_free(h);
        return error_set(KNAP_OUT_OF_MEMORY, "no memory for a handle");
    }
    *h = (KnapHandle){.env = env, .stats = stats, .cpu = cost_cpu_machine(), .gpu = gpu};
    pthread_mutex_init(&h->lock, NULL);
    atomic_store(&h->tried, gpu != NULL);
    *out = h;
    return KNAP_OK;
}

KnapStatus knap_open(KnapHandle **out)
{
    if (!out) return error_set(KNAP_INVALID_ARGUMENT, "out is NULL");
    *out = NULL;
    return handle_new(env_get(), NULL, out);
}

void knap_close(KnapHandle *h)
{
    if (!h) return;
    if (h->env == env_get() && h->env->stats && handle_default())
        stats_merge(handle_default()->stats, h->stats);
    /* A child of fork() must not even close what its parent opened. */
    if (h->gpu && !forked) gpu_close(h->gpu);
    stats_free(h->stats);
    pthread_mutex_destroy(&h->lock);
    mem_free(h);
}

static void make_standard(void)
{
    handle_new(env_get(), NULL, &standard);
}

KnapHandle *handle_default(void)
{
    pthread_once(&standard_once, make_standard);
    return standard;
}

/* -- Device ------------------------------------------------------------------------------------ */

static void open_device(KnapHandle *h)
{
    Device *device = NULL;
    const char *error = strcmp(h->env->device, "cpu") == 0 ? "KNAP_DEVICE=cpu"
                                                           : device_open(h->env->device, &device);
    if (!error) {
        h->gpu = gpu_new(device, h->env->dump);
        if (!h->gpu) error = "no memory";
    }
    if (error) snprintf(h->why, sizeof h->why, "%s", error);
    if (h->env->verbose > 0) explain_device(stderr, h->env->device, h->gpu, h->why);
}

Gpu *handle_gpu(KnapHandle *h)
{
    if (forked) return NULL;
    if (!atomic_load_explicit(&h->tried, memory_order_acquire)) {
        pthread_mutex_lock(&h->lock);
        if (!atomic_load_explicit(&h->tried, memory_order_relaxed)) open_device(h);
        atomic_store_explicit(&h->tried, true, memory_order_release);
        pthread_mutex_unlock(&h->lock);
    }
    return h->gpu;
}

bool handle_forked(void)
{
    return forked;
}

const char *handle_why(const KnapHandle *h)
{
    if (forked) return reason_text(REASON_FORKED);
    return h->gpu ? "" : h->why;
}

Reason handle_refusal(const KnapHandle *h)
{
    if (forked) return REASON_FORKED;
    int failures = atomic_load_explicit(&h->failures, memory_order_relaxed);
    return failures >= HANDLE_FAILURES ? REASON_DISABLED : REASON_NONE;
}

void handle_note(KnapHandle *h, DeviceError error)
{
    if (error)
        atomic_fetch_add_explicit(&h->failures, 1, memory_order_relaxed);
    else if (atomic_load_explicit(&h->failures, memory_order_relaxed) != 0)
        atomic_store_explicit(&h->failures, 0, memory_order_relaxed);
}

PointerKind handle_where(KnapHandle *h, const void *p)
{
    if (forked) return POINTER_HOST;
    bool open = atomic_load_explicit(&h->tried, memory_order_acquire);
    if (!open && !driver_started()) return POINTER_HOST;
    Gpu *gpu = handle_gpu(h);
    return gpu ? gpu_where(gpu, p) : driver_where(p);
}

/* -- Fork and exit ----------------------------------------------------------------------------- */

/* What the parent counted is the parent's to report. */
static void in_child(void)
{
    forked = true;
    dispatch_tiny_in_child();
    if (standard) stats_clear(standard->stats);
}

__attribute__((constructor)) static void at_load(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

/* Statistics go to KNAP_STATS, "-" is stderr, and %p in it is the process id. A process that
 * multiplied nothing writes nothing: shells and compilers run under LD_PRELOAD too. */
static FILE *open_stats(const char *name)
{
    if (strcmp(name, "-") == 0) return stderr;
    char path[4096];
    const char *pid = strstr(name, "%p");
    if (pid)
        snprintf(path, sizeof path, "%.*s%ld%s", (int)(pid - name), name, (long)getpid(), pid + 2);
    else
        snprintf(path, sizeof path, "%s", name);
    return fopen(path, "we");
}

__attribute__((destructor)) static void at_exit(void)
{
    KnapHandle *h = env_get()->stats ? handle_default() : NULL;
    if (!h) return;
    stats_add_tiny(h->stats, dispatch_take_tiny());
    KnapStats sum;
    stats_sum(h->stats, &sum);
    FILE *out = sum.calls > 0 ? open_stats(env_get()->stats) : NULL;
    if (!out) return;
    stats_json(h->stats, out);
    if (out == stderr)
        fflush(out);
    else
        fclose(out);
}
