/* sim_exec_memory: loads, stores and asynchronous copies. */
#include "gpu/sim/sim_run.h"

#include <stdlib.h>

/* -- Loads and stores ------------------------------------------------------------------------- */

static size_t element_bytes(const SimInsn *in)
{
    return (size_t)sim_types[in->type].bytes;
}

/* Puts n loaded bytes into a lane of a wider register, with their sign. */
static void put_widened(uint8_t *d, const SimInsn *in, const uint8_t *p, size_t n)
{
    uint64_t v = 0;
    memcpy(&v, p, n);
    if (sim_type_signed((SimType)in->type) && v >> (8 * n - 1)) v |= UINT64_MAX << 8 * n;
    memcpy(d, &v, in->width);
}

static void put_vector(SimWarp *w, const SimInsn *in, int lane, const uint8_t *p)
{
    size_t n = element_bytes(in);
    for (int k = 0; k < in->vec; k++, p += n) {
        uint8_t *d = (uint8_t *)sim_lanes(w, in->arg[k]) + (size_t)in->width * (size_t)lane;
        if (n < in->width)
            put_widened(d, in, p, n);
        else if (n == 4) /* sizes that are known are quick */
            memcpy(d, p, 4);
        else if (n == 8)
            memcpy(d, p, 8);
        else
            memcpy(d, p, n);
    }
}

/* The elements that one lane stores. */
static void get_vector(SimWarp *w, const SimInsn *in, int lane, uint8_t *p)
{
    size_t bytes = element_bytes(in);
    for (int k = 0; k < in->vec; k++) {
        const uint8_t *s = sim_lanes(w, in->arg[1 + k]);
        memcpy(p + bytes * (size_t)k, s + (size_t)in->width * (size_t)lane, bytes);
    }
}

static void ld_param(SimWarp *w, const SimInsn *in)
{
    SIM_EACH_LANE(w, i) put_vector(w, in, i, w->block->launch->params + in->imm[0]);
}

static void ld_global(SimWarp *w, const SimInsn *in)
{
    size_t n = element_bytes(in) * in->vec;
    SIM_EACH_LANE(w, i)
    {
        const uint8_t *p = sim_global_read(w, in, i, sim_address(w, in, in->dsts, 0, i), n);
        if (!p) return;
        put_vector(w, in, i, p);
    }
}

static void st_global(SimWarp *w, const SimInsn *in)
{
    size_t n = element_bytes(in) * in->vec;
    SIM_EACH_LANE(w, i)
    {
        uint8_t *p = sim_global_write(w, in, i, sim_address(w, in, 0, 0, i), n);
        if (!p) return;
        get_vector(w, in, i, p);
    }
}

static void count_passes(SimWarp *w, const uint64_t *address, size_t n)
{
    SimCounters *c = &w->block->counters;
    sim_shared_passes(w->exec, address, n, &c->shared_passes, &c->shared_passes_least);
}

static void ld_shared(SimWarp *w, const SimInsn *in)
{
    size_t n = element_bytes(in) * in->vec;
    uint64_t address[SIM_LANES] = {0};
    SIM_EACH_LANE(w, i)
    {
        address[i] = sim_address(w, in, in->dsts, 0, i);
        const uint8_t *p = sim_shared_access(w, in, i, address[i], n, SHARED_READ);
        if (!p) return;
        put_vector(w, in, i, p);
    }
    count_passes(w, address, n);
}

static void st_shared(SimWarp *w, const SimInsn *in)
{
    size_t n = element_bytes(in) * in->vec;
    uint64_t address[SIM_LANES] = {0};
    SIM_EACH_LANE(w, i)
    {
        address[i] = sim_address(w, in, 0, 0, i);
        uint8_t *p = sim_shared_access(w, in, i, address[i], n, SHARED_WRITE);
        if (!p) return;
        get_vector(w, in, i, p);
    }
    count_passes(w, address, n);
}

/* -- cp.async: the bytes move at once, but nobody may look before their thread has waited ----- */

static SimCopy *new_copy(SimWarp *w)
{
    if (w->copy_count == w->copy_room) {
        size_t room = w->copy_room ? 2 * w->copy_room : 16;
        SimCopy *copies = realloc(w->copies, room * sizeof *copies);
        if (!copies) return NULL;
        w->copies = copies;
        w->copy_room = room;
    }
    return &w->copies[w->copy_count++];
}

/* One lane: n bytes of shared memory from `from`, of which the first `given` are read and the
 * rest are 0. */
static bool copy_lane(SimWarp *w, const SimInsn *in, int lane, uint64_t to, uint64_t from,
                      uint32_t n, uint32_t given)
{
    if (given > n) {
        sim_fault(w, in, lane, "copies %u of %u bytes", given, n);
        return false;
    }
    if (from % n) {
        sim_fault(w, in, lane, "the source of %u bytes at 0x%llx is misaligned", n,
                  (unsigned long long)from);
        return false;
    }
    uint8_t bytes[16] = {0};
    for (uint32_t i = 0; i < given; i++) {
        const uint8_t *s = sim_global_read(w, in, lane, from + i, 1);
        if (!s) return false;
        bytes[i] = *s;
    }
    uint8_t *d = sim_shared_access(w, in, lane, to, n, SHARED_COPY);
    if (d) memcpy(d, bytes, n);
    return d != NULL;
}

static void cp_async(SimWarp *w, const SimInsn *in)
{
    const uint32_t n = (uint32_t)in->imm[2];
    if (n != 16 && (in->sel[0] == 1 || (n != 4 && n != 8))) {
        sim_fault(w, in, 0, "no copy of %u bytes exists", n);
        return;
    }
    uint32_t given[SIM_LANES];
    for (int i = 0; i < SIM_LANES; i++) given[i] = n;
    if (in->srcs == 3) sim_get(w, in, 2, given);
    SimCopy *c = new_copy(w);
    if (!c) {
        sim_fault(w, in, 0, "the simulator is out of memory");
        return;
    }
    c->mask = w->exec;
    c->bytes = n;
    SIM_EACH_LANE(w, i)
    {
        c->address[i] = sim_address(w, in, 0, 0, i);
        c->group[i] = w->committed[i];
        if (!copy_lane(w, in, i, c->address[i], sim_address(w, in, 1, 1, i), n, given[i])) return;
    }
    count_passes(w, c->address, n);
}

static void commit_group(SimWarp *w, const SimInsn *in)
{
    (void)in;
    SIM_EACH_LANE(w, i) w->committed[i]++;
}

/* The executing lanes' copies of all groups but the last `left` arrive; all: those not
 * committed too. */
static void arrive(SimWarp *w, int64_t left, bool all)
{
    size_t kept = 0;
    for (size_t k = 0; k < w->copy_count; k++) {
        SimCopy *c = &w->copies[k];
        SIM_EACH_LANE(w, i)
        {
            if (!(c->mask >> i & 1)) continue;
            if (!all && (int64_t)c->group[i] >= (int64_t)w->committed[i] - left) continue;
            sim_shared_arrive(&w->block->shared, c->address[i], c->bytes,
                              (uint32_t)(w->index * SIM_LANES + i));
            c->mask &= ~(1U << i);
        }
        if (c->mask) w->copies[kept++] = *c;
    }
    w->copy_count = kept;
}

static void wait_group(SimWarp *w, const SimInsn *in)
{
    arrive(w, in->imm[0], false);
}

static void wait_all(SimWarp *w, const SimInsn *in)
{
    (void)in;
    arrive(w, 0, true);
}

/* -- Order between memory accesses: the simulator's own order is the strongest there is ------- */

static void fence(SimWarp *w, const SimInsn *in)
{
    (void)w, (void)in;
}

/* -- Table ------------------------------------------------------------------------------------ */

#define LEVEL1 "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"

/* clang-format off */
const SimOp sim_ops_memory[] = {
    SIM_OP("ld.param.?VEC.$",                              "=~,[p]", ld_param),
    SIM_OP("ld.?weak.global.?ca|cg|cs|lu|cv.?nc.?VEC.$",   "=~,[g]", ld_global),
    SIM_OP("ld.?weak.shared.?VEC.$",                       "=~,[s]", ld_shared),
    SIM_OP("st.?weak.global.?wb|cg|cs|wt.?VEC.$",          "[g],~",  st_global),
    SIM_OP("st.?weak.shared.?VEC.$",                       "[s],~",  st_shared),
    SIM_OP_SINCE(0,  78, "ld.?weak.shared::cta.?VEC.$",    "=~,[s]", ld_shared),
    SIM_OP_SINCE(0,  78, "st.?weak.shared::cta.?VEC.$",    "[s],~",  st_shared),
    SIM_OP_SINCE(70, 74, "ld.?weak.global.?nc." LEVEL1 ".?VEC.$", "=~,[g]", ld_global),
    SIM_OP_SINCE(75, 74, "ld.?weak.global.?nc.?" LEVEL1 ".L2::64B|L2::128B.?VEC.$", "=~,[g]", ld_global),
    SIM_OP_SINCE(80, 74, "ld.?weak.global.?nc.?" LEVEL1 ".L2::256B.?VEC.$", "=~,[g]", ld_global),
    SIM_OP_SINCE(70, 74, "st.?weak.global." LEVEL1 ".?VEC.$", "[g],~", st_global),
    SIM_OP_SINCE(80, 70, "cp.async.ca|cg.shared.global",      "[s],[g],#",     cp_async),
    SIM_OP_SINCE(80, 70, "cp.async.ca|cg.shared.global",      "[s],[g],#,u32", cp_async),
    SIM_OP_SINCE(80, 78, "cp.async.ca|cg.shared::cta.global", "[s],[g],#",     cp_async),
    SIM_OP_SINCE(80, 78, "cp.async.ca|cg.shared::cta.global", "[s],[g],#,u32", cp_async),
    SIM_OP_SINCE(80, 74, "cp.async.ca|cg.shared.global.L2::64B|L2::128B|L2::256B", "[s],[g],#",     cp_async),
    SIM_OP_SINCE(80, 74, "cp.async.ca|cg.shared.global.L2::64B|L2::128B|L2::256B", "[s],[g],#,u32", cp_async),
    SIM_OP_SINCE(80, 70, "cp.async.commit_group", "",  commit_group),
    SIM_OP_SINCE(80, 70, "cp.async.wait_group",   "#", wait_group),
    SIM_OP_SINCE(80, 70, "cp.async.wait_all",     "",  wait_all),
    SIM_OP("membar.cta|gl|sys",                   "",  fence),
    SIM_OP("fence.?acq_rel|sc.cta|gpu|sys",       "",  fence),
    {0},
};
/* clang-format on */
