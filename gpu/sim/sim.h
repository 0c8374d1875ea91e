/*
 * sim: a device that executes the PTX text which knap emits, with no GPU.
 *
 * It answers to gpu/device.h like any other. Device memory is host memory that only kernels and
 * copies may touch. It is strict where hardware is silent: an access outside every allocation or
 * misaligned, a read of a byte or register never written, a race in shared memory between two
 * barriers, a warp that diverges at a warp-wide instruction, a barrier that never completes. Each
 * ends the launch with one sentence: kernel, block, thread, line and text of the PTX. An unknown
 * instruction, or one newer than .version, .target or the chip, is refused when the module is
 * loaded.
 *
 * Its memory comes from malloc and not from gpu/mem.h: it stands for the driver and the chip,
 * whose memory mem.h does not see either. Results depend neither on the number of host threads nor
 * on the order of blocks.
 */
#ifndef KNAP_GPU_SIM_SIM_H
#define KNAP_GPU_SIM_SIM_H

#include "gpu/device.h"

#include <stdint.h>

typedef enum {
    SIM_INTEGER,
    SIM_FLOAT,
    SIM_MOVE, /* moves, comparisons, selections, logic on predicates */
    SIM_CONVERT,
    SIM_MEMORY,
    SIM_MATRIX,
    SIM_FLOW,
    SIM_CLASSES
} SimClass;

/* What the launches of one device did. */
typedef struct {
    uint64_t warp_insns[SIM_CLASSES];
    uint64_t
        thread_insns; /* the same counted by thread: guards and divergence taken into account */
    uint64_t global_read, global_written; /* bytes */
    uint64_t shared_read, shared_written; /* bytes */
    uint64_t shared_passes;       /* turns the banks took for all accesses to shared memory */
    uint64_t shared_passes_least; /* turns they would take without a bank conflict */
} SimCounters;

/* spec: "sim:sm_70", 75, 80, 86, 89 or 90. The caller closes *out. */
DeviceError sim_open(const char *spec, Device **out);

/* Totals since sim_open. */
void sim_counters(Device *device, SimCounters *out);

#endif
