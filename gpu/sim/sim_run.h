/*
 * sim_run: blocks and warps in execution, and what the instructions' semantics are written with.
 *
 * A warp's lanes run in lock-step while they stand at the same instruction. Where they part, the
 * lanes at the lowest instruction go first; they join again where they meet. So warp-wide
 * instructions see every lane of a structured program together, and one that does not is an error.
 *
 * The first error ends the launch: sim_fault records it, and whoever runs warps looks after each
 * instruction.
 */
#ifndef KNAP_GPU_SIM_SIM_RUN_H
#define KNAP_GPU_SIM_SIM_RUN_H

#include "gpu/sim/sim_memory.h"
#include "gpu/sim/sim_program.h"
#include "gpu/sim/sim_shared.h"

#include <string.h>

typedef struct {
    const SimProgram *program;
    const SimMemory *memory; /* locked for reading */
    const uint8_t *params;
    DeviceGrid grid;
} SimLaunch;

typedef enum { WARP_RUNS, WARP_AT_BARRIER, WARP_DONE } SimWarpState;

/* One cp.async instruction of a warp whose lanes have not all waited for it. */
typedef struct {
    uint32_t mask;  /* lanes that have not */
    uint32_t bytes; /* that each lane copies */
    uint64_t address[SIM_LANES];
    uint32_t group[SIM_LANES]; /* of the lane's commit_group */
} SimCopy;

struct SimWarp {
    struct SimBlock *block;
    int index;
    uint8_t *regs;               /* slots */
    uint32_t *defined;           /* of each slot: the lanes that were written */
    uint32_t exec;               /* lanes that execute the current instruction */
    uint32_t pc, active;         /* the next instruction and the lanes that stand there */
    uint32_t next_pc;            /* the lowest instruction at which other lanes wait */
    uint32_t lane_pc[SIM_LANES]; /* of live lanes that are not active */
    uint32_t start, live;        /* lanes that began, and that have not ended */
    SimWarpState state;
    uint64_t steps;
    const SimAlloc *last; /* the allocation of the last access, found again at once */
    SimCopy *copies;
    size_t copy_count, copy_room;
    uint32_t committed[SIM_LANES]; /* commit_groups of each lane */
};

typedef struct SimBlock {
    const SimLaunch *launch;
    SimWarp *warps;
    int warp_count;
    uint32_t index[3];
    SimShared shared;
    SimCounters counters;
    char error[512]; /* "": none */
} SimBlock;

/* Room for one block of the launch; NULL when out of memory. */
SimBlock *sim_block_new(const SimLaunch *launch);
void sim_block_free(SimBlock *b);
/* Runs block number `linear` of the grid to its end, or to its first error. */
void sim_block_run(SimBlock *b, uint64_t linear);

/* -- For the semantics ------------------------------------------------------------------------ */

/* Records an error of this instruction in this lane. */
void sim_fault(SimWarp *w, const SimInsn *in, int lane, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
bool sim_faulted(const SimWarp *w);
/* Every lane of a full warp must execute this one. False: sim_fault was called. */
bool sim_full_warp(SimWarp *w, const SimInsn *in);

/* Bytes of global memory, checked; NULL: sim_fault was called. Bytes to be written count as
 * written. */
const uint8_t *sim_global_read(SimWarp *w, const SimInsn *in, int lane, uint64_t address, size_t n);
uint8_t *sim_global_write(SimWarp *w, const SimInsn *in, int lane, uint64_t address, size_t n);

/* The lanes that execute go to pc, the other active ones to the next instruction. */
void sim_warp_branch(SimWarp *w, uint32_t pc);
/* The lanes that execute end. */
void sim_warp_exit(SimWarp *w);

static inline void *sim_lanes(SimWarp *w, SimSlot slot)
{
    return w->regs + (size_t)slot * SIM_SLOT_BYTES;
}

/* Reads operand k of all lanes into the array v. */
#define sim_get(w, in, k, v) memcpy(v, sim_lanes(w, (in)->arg[k]), sizeof(v))

/* Writes operand k, bytes a lane, in the lanes that execute. */
static inline void sim_put(SimWarp *w, const SimInsn *in, int k, const void *v, size_t bytes)
{
    uint8_t *d = sim_lanes(w, in->arg[k]);
    const uint8_t *s = v;
    if (w->exec == UINT32_MAX) {
        memcpy(d, s, bytes * SIM_LANES);
        return;
    }
    for (size_t i = 0; i < SIM_LANES; i++)
        if (w->exec >> i & 1) memcpy(d + bytes * i, s + bytes * i, bytes);
}

static inline uint32_t sim_get_pred(SimWarp *w, const SimInsn *in, int k)
{
    uint32_t mask;
    memcpy(&mask, sim_lanes(w, in->arg[k]), sizeof mask);
    return in->negated >> k & 1 ? ~mask : mask;
}

static inline void sim_put_pred(SimWarp *w, const SimInsn *in, int k, uint32_t mask)
{
    uint32_t old;
    memcpy(&old, sim_lanes(w, in->arg[k]), sizeof old);
    mask = (mask & w->exec) | (old & ~w->exec);
    memcpy(sim_lanes(w, in->arg[k]), &mask, sizeof mask);
}

/* The address in operand k, whose offset is imm[m]. */
static inline uint64_t sim_address(SimWarp *w, const SimInsn *in, int k, int m, int lane)
{
    const uint8_t *p = sim_lanes(w, in->arg[k]);
    uint64_t wide;
    uint32_t narrow;
    if (in->wide >> k & 1) {
        memcpy(&wide, p + 8 * lane, sizeof wide);
        return wide + (uint64_t)in->imm[m];
    }
    memcpy(&narrow, p + 4 * lane, sizeof narrow);
    return narrow + (uint64_t)in->imm[m];
}

/* for each lane that executes */
#define SIM_EACH_LANE(w, lane)                   \
    for (int lane = 0; lane < SIM_LANES; lane++) \
        if ((w)->exec >> lane & 1)

#endif
