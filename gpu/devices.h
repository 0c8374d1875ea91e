/* devices: the openers of the implementations of Device. See device_open in device.h. */
#ifndef KNAP_GPU_DEVICES_H
#define KNAP_GPU_DEVICES_H

#include "gpu/device.h"

/* The CUDA Runtime's device; spec is its ordinal. Only in builds that found a CUDA toolkit. */
DeviceError cuda_open(const char *spec, Device **out);

#endif
