/*
 * models: a table of GPUs. See models.h.
 *
 * Multiprocessors, boost clock and bandwidth are those of NVIDIA's data sheets. The link is what a
 * pageable cudaMemcpy reaches and launch_s a kernel submitted and waited for: both measured on an
 * H100, for the others scaled by their PCIe generation.
 */
#include "plugin/models.h"

#include <string.h>

#define GIB ((size_t)1 << 30)

/* clang-format off */
const DeviceModel device_models[] = {
    /* key      name               driver sm units clock_hz memory_bps link_bps launch_s memory */
    { "v100", { "Tesla V100-SXM2-16GB",  "", 70,  80, 1.53e9,  900e9, 5e9, 10.0e-6,  16 * GIB } },
    { "t4",   { "Tesla T4",              "", 75,  40, 1.59e9,  320e9, 5e9, 10.0e-6,  16 * GIB } },
    { "a100", { "NVIDIA A100-SXM4-80GB", "", 80, 108, 1.41e9, 2039e9, 7e9,  9.0e-6,  80 * GIB } },
    { "l40s", { "NVIDIA L40S",           "", 89, 142, 2.52e9,  864e9, 7e9,  9.0e-6,  48 * GIB } },
    { "h100", { "NVIDIA H100 80GB HBM3", "", 90, 132, 1.98e9, 3350e9, 8e9,  8.5e-6,  80 * GIB } },
    { "h200", { "NVIDIA H200",           "", 90, 132, 1.98e9, 4800e9, 8e9,  8.5e-6, 141 * GIB } },
    { 0 },
};
/* clang-format on */

const DeviceModel *model_find(const char *key)
{
    for (const DeviceModel *m = device_models; m->key; m++)
        if (strcmp(m->key, key) == 0) return m;
    return NULL;
}
