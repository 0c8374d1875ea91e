/*
 * models: well-known GPUs as data, so that `knap explain --gpu h100` and tests can decide for a GPU
 * that is not there.
 */
#ifndef KNAP_PLUGIN_MODELS_H
#define KNAP_PLUGIN_MODELS_H

#include "gpu/device.h"

typedef struct {
    const char *key; /* "h100" */
    DeviceInfo info;
} DeviceModel;

/* The rows, ended by one whose key is NULL. */
extern const DeviceModel device_models[];

/* The row called key, or NULL. */
const DeviceModel *model_find(const char *key);

#endif
