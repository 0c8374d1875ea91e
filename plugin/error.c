/*
 * error: the last error of each thread, the names of the status codes, the version.
 *
 * The buffer is thread-local, since knap.h promises one sentence a thread and BLAS has no context
 * argument.
 */
#include "plugin/dispatch.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last[256];

KnapStatus error_set(KnapStatus status, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(last, sizeof last, fmt, args);
    va_end(args);
    return status;
}

const char *knap_last_error(void)
{
    return last;
}

const char *knap_version(void)
{
    return KNAP_VERSION;
}

const char *knap_status_name(KnapStatus status)
{
    switch (status) {
    case KNAP_OK: return "ok";
    case KNAP_INVALID_ARGUMENT: return "invalid argument";
    case KNAP_UNSUPPORTED: return "unsupported";
    case KNAP_OUT_OF_MEMORY: return "out of memory";
    case KNAP_DEVICE_ERROR: return "device error";
    }
    return "unknown status";
}
