/*
 * driver: what CUDA's driver can be asked before we have a device, without loading or starting it.
 *
 * The Runtime would start CUDA to answer, so the driver's own functions are looked up where the
 * program has loaded them already. Needs no CUDA headers; any thread, but not a child of fork().
 */
#ifndef KNAP_GPU_DRIVER_H
#define KNAP_GPU_DRIVER_H

#include "gpu/device.h"

/* Whether somebody in this process has started CUDA: the driver refuses questions until then.
 * Without it nobody has device memory. */
bool driver_started(void);

/* Where p points, asked of the driver itself: POINTER_DEVICE or POINTER_HOST. */
PointerKind driver_where(const void *p);

#endif
