/* sim_shared: one block's shared memory. See sim_shared.h. */
#include "gpu/sim/sim_run.h"

#include <stdio.h>
#include <stdlib.h>

enum { WHO_BITS = 11, WHO_MASK = (1 << WHO_BITS) - 1, MANY = WHO_MASK, PENDING = WHO_MASK - 1 };
#define EPOCH_MAX ((UINT32_MAX >> WHO_BITS) - 1)

bool sim_shared_init(SimShared *s, uint32_t size)
{
    size_t room = size ? size : 1;
    *s = (SimShared){.size = size};
    s->bytes = calloc(room, 1);
    s->wrote = calloc(room, sizeof *s->wrote);
    s->read = calloc(room, sizeof *s->read);
    return s->bytes && s->wrote && s->read;
}

void sim_shared_free(SimShared *s)
{
    free(s->bytes);
    free(s->wrote);
    free(s->read);
}

void sim_shared_reset(SimShared *s)
{
    memset(s->wrote, 0, s->size * sizeof *s->wrote);
    memset(s->read, 0, s->size * sizeof *s->read);
    s->epoch = 1;
}

/* Epochs start again when the tags have no room for more: everything is then long past. */
static void restart_epochs(SimShared *s)
{
    for (uint32_t i = 0; i < s->size; i++) {
        uint32_t who = s->wrote[i] & WHO_MASK;
        s->wrote[i] = who; /* epoch 0 */
        s->read[i] = 0;
    }
    s->epoch = 0;
}

void sim_shared_barrier(SimShared *s)
{
    if (s->epoch == EPOCH_MAX) restart_epochs(s);
    s->epoch++;
}

/* -- Access ----------------------------------------------------------------------------------- */

static bool in_reach(SimWarp *w, const SimInsn *in, int lane, uint64_t address, size_t n)
{
    uint32_t size = w->block->shared.size;
    uint64_t offset = address - SIM_SHARED_BASE;
    if (address < SIM_SHARED_BASE || offset > size || n > size - offset) {
        sim_fault(
            w, in, lane,
            "%zu bytes at 0x%llx are outside the %u bytes of shared memory, which begin at 0x%x", n,
            (unsigned long long)address, size, SIM_SHARED_BASE);
        return false;
    }
    if (address % n) {
        sim_fault(w, in, lane, "%zu bytes at 0x%llx of shared memory are misaligned", n,
                  (unsigned long long)address);
        return false;
    }
    return true;
}

/* Does a tag of this epoch name another than `me`? */
static bool foreign(const SimShared *s, uint32_t tag, uint32_t me)
{
    return tag >> WHO_BITS == s->epoch && (tag & WHO_MASK) != me;
}

static bool may_read(SimWarp *w, const SimInsn *in, int lane, uint32_t i, uint32_t me)
{
    const SimShared *s = &w->block->shared;
    uint32_t tag = s->wrote[i];
    const char *why = NULL;
    if (!tag)
        why = "reads shared memory that was never written";
    else if ((tag & WHO_MASK) == PENDING)
        why = "reads shared memory that a cp.async still fills: wait_group is missing";
    if (why) sim_fault(w, in, lane, "%s, at 0x%x", why, i + SIM_SHARED_BASE);
    if (why) return false;
    if (!foreign(s, tag, me)) return true;
    sim_fault(w, in, lane,
              "races with the write of thread %u: both touch shared memory at 0x%x and no barrier "
              "lies between",
              (tag & WHO_MASK) - 1, i + SIM_SHARED_BASE);
    return false;
}

static bool may_write(SimWarp *w, const SimInsn *in, int lane, uint32_t i, uint32_t me)
{
    const SimShared *s = &w->block->shared;
    uint32_t wrote = s->wrote[i], read = s->read[i];
    if ((wrote & WHO_MASK) == PENDING) {
        sim_fault(w, in, lane, "writes shared memory that a cp.async still fills, at 0x%x",
                  i + SIM_SHARED_BASE);
        return false;
    }
    bool by_writer = foreign(s, wrote, me);
    if (!by_writer && !foreign(s, read, me)) return true;
    uint32_t who = (by_writer ? wrote : read) & WHO_MASK;
    char name[32] = "several threads";
    if (who != MANY) snprintf(name, sizeof name, "thread %u", who - 1);
    sim_fault(
        w, in, lane,
        "races with the %s of %s: both touch shared memory at 0x%x and no barrier lies between",
        by_writer ? "write" : "read", name, i + SIM_SHARED_BASE);
    return false;
}

uint8_t *sim_shared_access(SimWarp *w, const SimInsn *in, int lane, uint64_t address, size_t n,
                           SimSharedUse use)
{
    if (!in_reach(w, in, lane, address, n)) return NULL;
    SimShared *s = &w->block->shared;
    uint32_t first = (uint32_t)(address - SIM_SHARED_BASE);
    uint32_t me = (uint32_t)(w->index * SIM_LANES + lane) + 1, tag = s->epoch << WHO_BITS | me;
    if (use == SHARED_COPY) tag = s->epoch << WHO_BITS | PENDING;
    for (uint32_t i = first; i < first + n; i++) {
        if (use == SHARED_READ) {
            if (!may_read(w, in, lane, i, me)) return NULL;
            s->read[i] = foreign(s, s->read[i], me) ? s->epoch << WHO_BITS | MANY : tag;
        } else {
            if (!may_write(w, in, lane, i, me)) return NULL;
            s->wrote[i] = tag;
        }
    }
    *(use == SHARED_READ ? &w->block->counters.shared_read : &w->block->counters.shared_written) +=
        n;
    return s->bytes + first;
}

void sim_shared_arrive(SimShared *s, uint64_t address, size_t n, uint32_t thread)
{
    uint32_t first = (uint32_t)(address - SIM_SHARED_BASE);
    for (uint32_t i = first; i < first + n; i++) s->wrote[i] = s->epoch << WHO_BITS | (thread + 1);
}

/* -- Banks ------------------------------------------------------------------------------------ */

enum { BANKS = 32, WORD = 4 };

typedef struct {
    uint32_t word[BANKS][SIM_LANES]; /* different words asked of each bank */
    uint8_t count[BANKS];
    uint8_t most;
} BankUse;

static void ask_bank(BankUse *u, uint64_t address)
{
    uint32_t word = (uint32_t)(address / WORD), bank = word % BANKS, i = 0;
    while (i < u->count[bank] && u->word[bank][i] != word) i++;
    if (i < u->count[bank]) return; /* asked before: the word is broadcast */
    u->word[bank][i] = word;
    u->count[bank]++;
    if (u->count[bank] > u->most) u->most = u->count[bank];
}

/* Accesses of 8 bytes go by half warps, of 16 bytes by quarter warps. */
void sim_shared_passes(uint32_t lanes, const uint64_t address[SIM_LANES], size_t n,
                       uint64_t *passes, uint64_t *least)
{
    int group = n <= 4 ? SIM_LANES : n == 8 ? SIM_LANES / 2 : SIM_LANES / 4;
    for (int first = 0; first < SIM_LANES; first += group) {
        BankUse use;
        memset(use.count, 0, sizeof use.count);
        use.most = 0;
        for (int i = first; i < first + group; i++)
            for (size_t byte = 0; byte < n && (lanes >> i & 1); byte += WORD)
                ask_bank(&use, address[i] + byte);
        *passes += use.most;
        *least += use.most > 0;
    }
}
