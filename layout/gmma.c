/* gmma: wgmma's matrix descriptors from layouts. See gmma.h. */
#include "layout/gmma.h"

/* -- Operands ---------------------------------------------------------------------------------- */
/* Why wgmma has no such operand, or NULL. */
static const char *unfit(const ComposedLayout *tile, SmemMajor major, int64_t mn)
{
    int bits = tile->bits;
    if (bits != 1 && bits != 8 && bits != 16 && bits != 32)
        return "wgmma takes elements of 1, 8, 16 or 32 bits";
    if (major == SMEM_MN_MAJOR && bits != 16) return "only 16-bit operands may be MN-major";
    if (mn < 8 || mn > 256 || mn % 8 != 0) return "MN of one wgmma is a multiple of 8 up to 256";
    if (layout_size(layout_mode(tile->layout, 0)) % mn != 0) return "mn does not divide the tile";
    if (layout_size(layout_mode(tile->layout, 1)) % (256 / bits) != 0)
        return "the tile's K is no multiple of 256 bits";
    return NULL;
}

/* The strides of an integral layout in bytes; they are multiples of 16 bytes. */
static Layout in_bytes(Layout L, int bits)
{
    for (int i = 0; layout_ok(L) && i < L.node[0].span; i++)
        L.node[i].stride = L.node[i].shape > 1 ? L.node[i].stride * bits / 8 : 0;
    return L;
}

/* (pieces along MN, pieces along K, further modes) in bytes. */
static Layout starts(const ComposedLayout *tile, Layout mn, Layout k)
{
    Layout mode[SMEM_RANK] = {layout_mode(mn, 2), layout_mode(k, 2)};
    int rank = layout_rank(tile->layout);
    if (rank > SMEM_RANK) return layout_poison("gmma: %d modes", rank);
    for (int i = 2; i < rank; i++) mode[i] = layout_mode(tile->layout, i);
    return in_bytes(layout_tuple(rank, mode), tile->bits);
}

/* The runs of a mode: one row or core of `inner`, those of one piece, the pieces. */
static Layout runs_of(const ComposedLayout *tile, int mode, int64_t inner, int64_t piece)
{
    return smem_runs(tile->layout, mode, 2, (int64_t[]){inner, piece / inner});
}

GmmaOperand gmma_operand(ComposedLayout tile, int64_t mn)
{
    SmemForm form = smem_form(tile);
    GmmaOperand op = {.why = form.why, .mode = form.mode, .major = form.major};
    if (op.why || (op.why = unfit(&tile, form.major, mn))) return op;
    bool k_major = form.major == SMEM_K_MAJOR, swizzled = form.mode != SMEM_NONE;
    int64_t chunk = 128 / tile.bits, row = smem_row(form.mode) * 8 / tile.bits;
    op.k = 256 / tile.bits;
    op.why = "MN of one wgmma is no multiple of the swizzle's row";
    if (!k_major && mn % row != 0) return op;
    Layout m = runs_of(&tile, 0, k_major ? 8 : row, mn);
    Layout k = runs_of(&tile, 1, k_major ? chunk : 8, op.k);
    int64_t m_step = smem_step(m, 1) * tile.bits / 8, k_step = smem_step(k, 1) * tile.bits / 8;
    op.why = "the groups of a piece are not evenly spaced";
    if (smem_step(m, 1) < 0 || smem_step(k, 1) < 0) return op;
    bool swapped = !k_major && swizzled;
    op.lbo = swapped ? m_step : k_step;
    op.sbo = swapped ? k_step : m_step;
    if (k_major && swizzled) op.lbo = 16;
    op.offset = tile.offset * tile.bits / 8;
    op.start = starts(&tile, m, k);
    op.why = layout_ok(op.start) ? NULL : "its pieces have no layout";
    return op;
}

/* -- Descriptors ------------------------------------------------------------------------------- */
enum { FIELD = 1 << 18 }; /* bytes that a field of 14 bits, in units of 16, does not reach */

GmmaDesc gmma_desc(const GmmaOperand *op, uint32_t address, int64_t piece)
{
    GmmaDesc desc = {.why = op->why, .mode = op->mode};
    if (desc.why) return desc;
    desc.why = "there is no such piece";
    if (piece < 0 || piece >= layout_size(op->start)) return desc;
    uint32_t phase = address % (uint32_t)smem_period(op->mode);
    bool rows = op->mode == SMEM_64B || op->mode == SMEM_128B;
    desc.why = "the buffer does not begin at a row of the swizzle's pattern";
    if (op->mode == SMEM_NONE ? address % 16 != 0 : phase != 0 && (!rows || phase % 128 != 0))
        return desc;
    int64_t start = (int64_t)address + op->offset + layout_at(op->start, piece);
    desc.why = "an address or a distance exceeds the descriptor's 18 bits";
    if (start < 0 || start >= FIELD || op->lbo >= FIELD || op->sbo >= FIELD) return desc;
    desc.start = (uint32_t)start;
    desc.lbo = (uint32_t)op->lbo;
    desc.sbo = (uint32_t)op->sbo;
    desc.base_offset = rows && phase != 0 ? address >> 7 & 7 : 0;
    desc.why = NULL;
    return desc;
}

/* The hardware's code of a mode, and back: its own inverse. */
static const uint8_t mode_code[SMEM_MODES] = {0, 3, 2, 1};

/* Bits 0-13 start, 16-29 lbo, 32-45 sbo, in units of 16 bytes; 49-51 base offset; 62-63 mode. */
uint64_t gmma_desc_pack(GmmaDesc desc)
{
    const uint32_t field = 0x3FFF;
    return (uint64_t)(desc.start >> 4 & field) | (uint64_t)(desc.lbo >> 4 & field) << 16 |
           (uint64_t)(desc.sbo >> 4 & field) << 32 | (uint64_t)(desc.base_offset & 7) << 49 |
           (uint64_t)mode_code[desc.mode & 3] << 62;
}

GmmaDesc gmma_desc_unpack(uint64_t bits)
{
    return (GmmaDesc){.start = (uint32_t)(bits & 0x3FFF) << 4,
                      .lbo = (uint32_t)(bits >> 16 & 0x3FFF) << 4,
                      .sbo = (uint32_t)(bits >> 32 & 0x3FFF) << 4,
                      .base_offset = (uint32_t)(bits >> 49 & 7),
                      .mode = (SmemMode)mode_code[bits >> 62]};
}
