/* sim_exec_flow: branches, barriers and what passes between the lanes of a warp. */
#include "gpu/sim/sim_run.h"

/* -- Branches --------------------------------------------------------------------------------- */

static void bra(SimWarp *w, const SimInsn *in)
{
    sim_warp_branch(w, in->target);
}

/* .uni promises that all lanes go the same way; where none goes this is not reached. */
static void bra_uni(SimWarp *w, const SimInsn *in)
{
    uint32_t stay = w->active & ~w->exec;
    if (stay)
        sim_fault(w, in, __builtin_ctz(stay),
                  "the branch is not uniform: this thread does not take it");
    sim_warp_branch(w, in->target);
}

static void end(SimWarp *w, const SimInsn *in)
{
    (void)in;
    sim_warp_exit(w);
}

static void trap(SimWarp *w, const SimInsn *in)
{
    sim_fault(w, in, __builtin_ctz(w->exec), "trap");
}

bool sim_insn_ends(const SimInsn *in)
{
    SimExec *e = in->op->exec;
    return e == bra || e == bra_uni || e == end || e == trap;
}

/* -- Barriers --------------------------------------------------------------------------------- */

/* Barrier 0 with all threads of the block is the one that exists here. A warp must come to it
 * as one, also where barrier.sync without .aligned would let its lanes come one by one. */
static void bar_sync(SimWarp *w, const SimInsn *in)
{
    uint32_t absent = w->live & ~w->exec;
    if (absent)
        sim_fault(w, in, __builtin_ctz(absent),
                  "the warp diverges at a barrier, which this thread does not reach");
    if (in->imm[0] != 0) sim_fault(w, in, __builtin_ctz(w->exec), "only barrier 0 is simulated");
    if (in->imms == 2 && in->imm[1] != (int64_t)w->block->launch->grid.threads)
        sim_fault(w, in, __builtin_ctz(w->exec), "only barriers of the whole block are simulated");
    w->state = WARP_AT_BARRIER;
}

/* -- Within a warp ---------------------------------------------------------------------------- */

/* The lanes named by operand k must be those that execute. */
static bool members_here(SimWarp *w, const SimInsn *in, int k)
{
    uint32_t members[SIM_LANES];
    sim_get(w, in, k, members);
    SIM_EACH_LANE(w, i)
    {
        if (members[i] == w->exec) continue;
        sim_fault(w, in, i, "the member mask 0x%08x is not that of the lanes here, 0x%08x",
                  members[i], w->exec);
        return false;
    }
    return true;
}

/* up, down, bfly, idx: the lane read, and whether it lies in the segment that c describes. */
static uint32_t shfl_source(int mode, uint32_t lane, uint32_t b, uint32_t c, bool *inside)
{
    uint32_t mask = c >> 8 & 31, bound = b & 31;
    uint32_t last = (lane & mask) | (c & 31 & ~mask), from;
    switch (mode) {
    case 0:
        from = lane - bound;
        *inside = (int32_t)from >= (int32_t)last;
        break;
    case 1:
        from = lane + bound;
        *inside = from <= last;
        break;
    case 2:
        from = lane ^ bound;
        *inside = from <= last;
        break;
    default: from = (lane & mask) | (bound & ~mask); *inside = from <= last;
    }
    return *inside ? from : lane;
}

static void shfl(SimWarp *w, const SimInsn *in)
{
    uint32_t d[SIM_LANES] = {0}, a[SIM_LANES], b[SIM_LANES], c[SIM_LANES], p = 0;
    const int src = in->dsts;
    if (!members_here(w, in, src + 3)) return;
    sim_get(w, in, src, a);
    sim_get(w, in, src + 1, b);
    sim_get(w, in, src + 2, c);
    SIM_EACH_LANE(w, i)
    {
        bool inside;
        uint32_t from = shfl_source(in->sel[0], (uint32_t)i, b[i], c[i], &inside);
        if (!(w->exec >> from & 1))
            sim_fault(w, in, i, "reads lane %u, which does not execute this", from);
        d[i] = a[from];
        p |= (uint32_t)inside << i;
    }
    sim_put(w, in, 0, d, sizeof *d);
    if (in->dsts == 2) sim_put_pred(w, in, 1, p);
}

/* all, any, uni */
static void vote(SimWarp *w, const SimInsn *in)
{
    uint32_t p = sim_get_pred(w, in, 1) & w->exec;
    if (!members_here(w, in, 2)) return;
    bool verdict[] = {p == w->exec, p != 0, p == 0 || p == w->exec};
    sim_put_pred(w, in, 0, verdict[in->sel[0]] ? UINT32_MAX : 0);
}

static void ballot(SimWarp *w, const SimInsn *in)
{
    uint32_t d[SIM_LANES];
    if (!members_here(w, in, 2)) return;
    for (int i = 0; i < SIM_LANES; i++) d[i] = sim_get_pred(w, in, 1) & w->exec;
    sim_put(w, in, 0, d, sizeof *d);
}

/* -- Table ------------------------------------------------------------------------------------ */

/* clang-format off */
const SimOp sim_ops_flow[] = {
    SIM_OP("bra",                   "@",   bra),
    SIM_OP("bra.uni",               "@",   bra_uni),
    SIM_OP("ret.?uni",              "",    end),
    SIM_OP("exit",                  "",    end),
    SIM_OP("trap",                  "",    trap),
    SIM_OP("bar.sync",              "#",   bar_sync),
    SIM_OP("bar.sync",              "#,#", bar_sync),
    SIM_OP("barrier.sync.?aligned", "#",   bar_sync),
    SIM_OP("barrier.sync.?aligned", "#,#", bar_sync),
    SIM_OP_SINCE(0, 78, "bar.cta.sync",              "#",   bar_sync),
    SIM_OP_SINCE(0, 78, "bar.cta.sync",              "#,#", bar_sync),
    SIM_OP_SINCE(0, 78, "barrier.cta.sync.?aligned", "#",   bar_sync),
    SIM_OP_SINCE(0, 78, "barrier.cta.sync.?aligned", "#,#", bar_sync),
    SIM_OP("shfl.sync.up|down|bfly|idx.b32", "=b32|pred,b32,u32,u32,u32", shfl),
    SIM_OP("vote.sync.all|any|uni.pred",     "=pred,pred,u32", vote),
    SIM_OP("vote.sync.ballot.b32",           "=b32,pred,u32",  ballot),
    {0},
};
/* clang-format on */
