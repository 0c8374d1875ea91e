/* sim_run: blocks and warps in execution. See sim_run.h. */
#include "gpu/sim/sim_run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Instructions of a warp after which it is taken to run for ever. */
enum { STEPS_MAX = 1 << 26 };

/* -- Errors ----------------------------------------------------------------------------------- */

void sim_fault(SimWarp *w, const SimInsn *in, int lane, const char *fmt, ...)
{
    SimBlock *b = w->block;
    if (b->error[0]) return;
    const SimProgram *p = b->launch->program;
    char why[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    int n;
    const char *text = sim_program_line(p->text, in->line, &n);
    snprintf(b->error, sizeof b->error,
             "kernel %.96s, block (%u,%u,%u), thread %d, PTX line %u '%.*s': %s", p->name,
             b->index[0], b->index[1], b->index[2], w->index * SIM_LANES + lane, in->line,
             n < 100 ? n : 100, text, why);
}

bool sim_faulted(const SimWarp *w)
{
    return w->block->error[0] != '\0';
}

static int first_lane(uint32_t mask)
{
    return mask ? __builtin_ctz(mask) : 0;
}

bool sim_full_warp(SimWarp *w, const SimInsn *in)
{
    if (w->exec == UINT32_MAX) return true;
    sim_fault(w, in, first_lane(~w->exec),
              "the whole warp must execute this and this thread does not (executing lanes: 0x%08x)",
              w->exec);
    return false;
}

/* -- Global memory ---------------------------------------------------------------------------- */

static const SimAlloc *reach(SimWarp *w, const SimInsn *in, int lane, uint64_t address, size_t n,
                             const char *verb)
{
    const SimAlloc *a = w->last;
    bool again = a && address - a->base <= a->size && n <= a->size - (address - a->base);
    if (!again) a = sim_memory_range(w->block->launch->memory, (uintptr_t)address, n);
    if (!a) {
        sim_fault(w, in, lane, "%s %zu bytes at 0x%llx, which no allocation holds", verb, n,
                  (unsigned long long)address);
        return NULL;
    }
    if (address % n) {
        sim_fault(w, in, lane, "%s %zu bytes at 0x%llx, which is misaligned", verb, n,
                  (unsigned long long)address);
        return NULL;
    }
    return w->last = a;
}

const uint8_t *sim_global_read(SimWarp *w, const SimInsn *in, int lane, uint64_t address, size_t n)
{
    const SimAlloc *a = reach(w, in, lane, address, n, "reads");
    if (!a) return NULL;
    if (!sim_memory_written(a, (uintptr_t)address, n)) {
        sim_fault(
            w, in, lane,
            "reads %zu bytes at 0x%llx that were never written (byte %llu of an allocation of %zu)",
            n, (unsigned long long)address, (unsigned long long)(address - a->base), a->size);
        return NULL;
    }
    w->block->counters.global_read += n;
    return (const uint8_t *)(uintptr_t)address;
}

uint8_t *sim_global_write(SimWarp *w, const SimInsn *in, int lane, uint64_t address, size_t n)
{
    const SimAlloc *a = reach(w, in, lane, address, n, "writes");
    if (!a) return NULL;
    memset(a->written + (address - a->base), 1, n);
    w->block->counters.global_written += n;
    return (uint8_t *)(uintptr_t)address;
}

/* -- Divergence ------------------------------------------------------------------------------- */

/* Lanes at the lowest instruction become the active ones. */
static void regroup(SimWarp *w)
{
    uint32_t low = UINT32_MAX;
    for (int i = 0; i < SIM_LANES; i++) {
        if (w->active >> i & 1) w->lane_pc[i] = w->pc;
        if ((w->live >> i & 1) && w->lane_pc[i] < low) low = w->lane_pc[i];
    }
    w->pc = low;
    w->active = 0;
    w->next_pc = UINT32_MAX;
    for (int i = 0; i < SIM_LANES; i++) {
        if (!(w->live >> i & 1)) continue;
        if (w->lane_pc[i] == low)
            w->active |= 1U << i;
        else if (w->lane_pc[i] < w->next_pc)
            w->next_pc = w->lane_pc[i];
    }
}

void sim_warp_branch(SimWarp *w, uint32_t pc)
{
    uint32_t rest = w->active & ~w->exec;
    for (int i = 0; i < SIM_LANES && rest; i++)
        if (rest >> i & 1) w->lane_pc[i] = w->pc;
    if (rest && w->pc < w->next_pc) w->next_pc = w->pc;
    w->active = w->exec;
    w->pc = pc;
}

void sim_warp_exit(SimWarp *w)
{
    w->live &= ~w->exec;
    w->active &= ~w->exec;
    if (!w->live)
        w->state = WARP_DONE;
    else if (!w->active)
        regroup(w);
}

/* -- Warps ------------------------------------------------------------------------------------ */

static bool defined(SimWarp *w, const SimInsn *in)
{
    uint32_t have = w->defined[in->guard];
    for (int i = in->dsts; i < in->dsts + in->srcs; i++) have &= w->defined[in->arg[i]];
    uint32_t missing = w->exec & ~have;
    if (!missing) return true;
    sim_fault(w, in, first_lane(missing), "reads a register that was never written");
    return false;
}

static uint32_t guarded(SimWarp *w, const SimInsn *in)
{
    uint32_t mask;
    memcpy(&mask, sim_lanes(w, in->guard), sizeof mask);
    if (w->active & ~w->defined[in->guard])
        sim_fault(w, in, first_lane(w->active & ~w->defined[in->guard]),
                  "is guarded by a predicate that was never written");
    return w->active & (in->guard_negated ? ~mask : mask);
}

static void step(SimWarp *w)
{
    const SimInsn *in = &w->block->launch->program->insns[w->pc];
    w->exec = guarded(w, in);
    w->pc++;
    if (w->exec && defined(w, in)) {
        for (int i = 0; i < in->dsts; i++) w->defined[in->arg[i]] |= w->exec;
        in->op->exec(w, in);
        w->block->counters.warp_insns[in->cls]++;
        w->block->counters.thread_insns += (uint64_t)__builtin_popcount(w->exec);
    }
    if (w->pc >= w->next_pc) regroup(w);
    if (++w->steps > STEPS_MAX)
        sim_fault(w, in, first_lane(w->active), "the warp still runs after %d instructions",
                  STEPS_MAX);
}

static void run_warp(SimWarp *w)
{
    while (w->state == WARP_RUNS && !sim_faulted(w)) step(w);
}

/* -- Blocks ----------------------------------------------------------------------------------- */

static bool new_warp(SimBlock *b, int index)
{
    SimWarp *w = &b->warps[index];
    const SimProgram *p = b->launch->program;
    int lanes = (int)b->launch->grid.threads - index * SIM_LANES;
    w->block = b;
    w->index = index;
    w->start = lanes >= SIM_LANES ? UINT32_MAX : (1U << lanes) - 1;
    w->regs = aligned_alloc(SIM_SLOT_BYTES, (size_t)p->slots * SIM_SLOT_BYTES);
    w->defined = calloc(p->slots, sizeof *w->defined);
    return w->regs && w->defined;
}

SimBlock *sim_block_new(const SimLaunch *launch)
{
    SimBlock *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->launch = launch;
    b->warp_count = (int)((launch->grid.threads + SIM_LANES - 1) / SIM_LANES);
    b->warps = calloc((size_t)b->warp_count, sizeof *b->warps);
    bool done = b->warps && sim_shared_init(&b->shared, launch->program->shared_bytes);
    for (int i = 0; i < b->warp_count && done; i++) done = new_warp(b, i);
    if (done) return b;
    sim_block_free(b);
    return NULL;
}

void sim_block_free(SimBlock *b)
{
    if (!b) return;
    for (int i = 0; i < b->warp_count && b->warps; i++) {
        free(b->warps[i].regs);
        free(b->warps[i].defined);
        free(b->warps[i].copies);
    }
    sim_shared_free(&b->shared);
    free(b->warps);
    free(b);
}

static void set_const(SimWarp *w, const SimConst *c)
{
    uint8_t *p = sim_lanes(w, c->slot);
    uint32_t mask = c->bits ? UINT32_MAX : 0;
    if (c->bytes == 0) memcpy(p, &mask, sizeof mask);
    for (int i = 0; i < SIM_LANES && c->bytes; i++)
        memcpy(p + c->bytes * i, &c->bits, (size_t)c->bytes); /* low bytes first */
    w->defined[c->slot] = UINT32_MAX;
}

static uint32_t special(const SimWarp *w, SimSpecial id, int lane)
{
    const SimBlock *b = w->block;
    const DeviceGrid *g = &b->launch->grid;
    switch (id) {
    case SIM_TID_X: return (uint32_t)(w->index * SIM_LANES + lane);
    case SIM_NTID_X: return g->threads;
    case SIM_NTID_Y:
    case SIM_NTID_Z: return 1;
    case SIM_CTAID_X:
    case SIM_CTAID_Y:
    case SIM_CTAID_Z: return b->index[id - SIM_CTAID_X];
    case SIM_NCTAID_X:
    case SIM_NCTAID_Y:
    case SIM_NCTAID_Z: return g->blocks[id - SIM_NCTAID_X];
    case SIM_LANEID: return (uint32_t)lane;
    case SIM_WARPID: return (uint32_t)w->index;
    case SIM_NWARPID: return (uint32_t)b->warp_count;
    default: return 0;
    }
}

static void start_warp(SimWarp *w)
{
    const SimProgram *p = w->block->launch->program;
    memset(w->defined, 0, p->slots * sizeof *w->defined);
    memset(w->committed, 0, sizeof w->committed);
    for (size_t i = 0; i < p->const_count; i++) set_const(w, &p->consts[i]);
    for (size_t i = 0; i < p->special_count; i++) {
        uint32_t v[SIM_LANES];
        for (int lane = 0; lane < SIM_LANES; lane++) v[lane] = special(w, p->specials[i].id, lane);
        memcpy(sim_lanes(w, p->specials[i].slot), v, sizeof v);
        w->defined[p->specials[i].slot] = UINT32_MAX;
    }
    w->pc = 0;
    w->next_pc = UINT32_MAX;
    w->live = w->active = w->start;
    w->state = WARP_RUNS;
    w->steps = w->copy_count = 0;
    w->last = NULL;
}

/* Every warp stands at the barrier or has ended. */
static void pass_barrier(SimBlock *b)
{
    const SimWarp *gone = NULL;
    for (int i = 0; i < b->warp_count && !gone; i++)
        if (b->warps[i].live != b->warps[i].start) gone = &b->warps[i];
    for (int i = 0; i < b->warp_count; i++) {
        SimWarp *w = &b->warps[i];
        if (w->state != WARP_AT_BARRIER) continue;
        const SimInsn *in = &b->launch->program->insns[w->pc - 1];
        if (gone)
            sim_fault(w, in, first_lane(w->live),
                      "waits at a barrier for thread %d, which has ended",
                      gone->index * SIM_LANES + first_lane(gone->start & ~gone->live));
        w->state = WARP_RUNS;
    }
    sim_shared_barrier(&b->shared);
}

static bool all_done(const SimBlock *b)
{
    for (int i = 0; i < b->warp_count; i++)
        if (b->warps[i].state != WARP_DONE) return false;
    return true;
}

void sim_block_run(SimBlock *b, uint64_t linear)
{
    const uint32_t *n = b->launch->grid.blocks;
    b->index[0] = (uint32_t)(linear % n[0]);
    b->index[1] = (uint32_t)(linear / n[0] % n[1]);
    b->index[2] = (uint32_t)(linear / n[0] / n[1]);
    sim_shared_reset(&b->shared);
    for (int i = 0; i < b->warp_count; i++) start_warp(&b->warps[i]);
    for (;;) {
        for (int i = 0; i < b->warp_count; i++) run_warp(&b->warps[i]);
        if (b->error[0] || all_done(b)) return;
        pass_barrier(b);
    }
}
