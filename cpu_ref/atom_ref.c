/* atom_ref: the fragments of mma as the PTX manual states them. See atom_ref.h. */
#include "cpu_ref/atom_ref.h"

#include <stddef.h>

/* The manual's two names for parts of the lane. */
static int group_id(int lane)
{
    return lane >> 2;
}

static int thread_id_in_group(int lane)
{
    return lane % 4;
}

/* -- m16n8k16, 16-bit elements ----------------------------------------------------------------- */
static AtomCoord m16n8k16_a(int lane, int i)
{
    int upper = (0 <= i && i < 2) || (4 <= i && i < 6);
    return (AtomCoord){
        .row = upper ? group_id(lane) : group_id(lane) + 8,
        .col = thread_id_in_group(lane) * 2 + (i & 1) + (i < 4 ? 0 : 8),
    };
}

static AtomCoord m16n8k16_b(int lane, int i)
{
    return (AtomCoord){
        .row = thread_id_in_group(lane) * 2 + (i & 1) + (i < 2 ? 0 : 8),
        .col = group_id(lane),
    };
}

/* -- 16x8 accumulators ------------------------------------------------------------------------- */
static AtomCoord m16n8_c(int lane, int i)
{
    return (AtomCoord){
        .row = i < 2 ? group_id(lane) : group_id(lane) + 8,
        .col = thread_id_in_group(lane) * 2 + (i & 1),
    };
}

/* clang-format off */
const AtomRef atom_refs[] = {
    /* shape    bits   m  n   k  lanes  A  B  C   A           B           C */
    { "m16n8k16", 16, 16, 8, 16, 32,    8, 4, 4,  m16n8k16_a, m16n8k16_b, m16n8_c },
    { 0 },
};
/* clang-format on */

const AtomRef *atom_ref_find(int m, int n, int k, int bits)
{
    for (const AtomRef *ref = atom_refs; ref->shape; ref++)
        if (ref->m == m && ref->n == n && ref->k == k && ref->bits == bits) return ref;
    return NULL;
}
