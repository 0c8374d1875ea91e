/* devices: which kinds of device this build has, found by their spec. See device.h. */
#include "gpu/device.h"
#include "gpu/devices.h"
#include "gpu/sim/sim.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *kind;
    const char *prefix; /* of the spec */
    DeviceError (*open)(const char *spec, Device **out);
} kinds[] = {
    {"sim", "sim:", sim_open},
#ifdef KNAP_HAVE_CUDA
    {"cuda", "", cuda_open}, /* any other spec: an ordinal */
#endif
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

DeviceError device_open(const char *spec, Device **out)
{
    *out = NULL;
    for (int i = 0; i < KINDS; i++)
        if (strncmp(spec, kinds[i].prefix, strlen(kinds[i].prefix)) == 0)
            return kinds[i].open(spec, out);
    return device_error("device %s: this build has no CUDA device", spec);
}

const char *device_kinds(void)
{
    return KINDS == 2 ? "cuda, sim" : "sim";
}

DeviceError device_error(const char *fmt, ...)
{
    static _Thread_local char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return text;
}
