/*
 * handle: what a KnapHandle owns: settings, statistics and, from the first call that is worth it, a
 * GPU.
 *
 * Any thread may call. In a child of fork() the GPU is gone: handle_gpu answers NULL there, and
 * nothing of CUDA, nor any lock that another thread may have held at the fork, is touched.
 */
#ifndef KNAP_PLUGIN_HANDLE_H
#define KNAP_PLUGIN_HANDLE_H

#include "plugin/cost.h"
#include "plugin/dispatch.h"
#include "plugin/stats.h"

#include <pthread.h>
#include <stdatomic.h>

/* The GPU is left alone after so many failures in a row. */
enum { HANDLE_FAILURES = 3 };

struct KnapHandle {
    const Env *env;
    Stats *stats;
    CpuMachine cpu;
    pthread_mutex_t lock; /* held while the device is opened */
    atomic_bool tried;    /* whether it was */
    Gpu *gpu;             /* written before tried: NULL for good where it could not be opened */
    char why[200];        /* then: why there is none */
    atomic_int failures;  /* of the GPU, in a row */
};

/* True in a child of fork(). */
bool handle_forked(void);

/* The GPU, opened by the first call. NULL: there is none, handle_why says why. */
Gpu *handle_gpu(KnapHandle *h);
const char *handle_why(const KnapHandle *h);

/* REASON_FORKED or REASON_DISABLED where the GPU may not be asked, else REASON_NONE. */
Reason handle_refusal(const KnapHandle *h);

/* Counts a call of the GPU: error NULL or a sentence. */
void handle_note(KnapHandle *h, DeviceError error);

/* Where an operand is. Device memory can exist only where our device is open or the program itself
 * has started CUDA, so nothing of CUDA is touched before its time. Where we have no GPU, the driver
 * is asked, so that device memory is never taken for the host's. */
PointerKind handle_where(KnapHandle *h, const void *p);

#endif
