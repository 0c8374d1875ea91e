/* emit_copy: tiles from global memory through registers to shared memory, and fragments out of it.
 */
#include "gpu/emit.h"

/* -- Vectors of neighbours --------------------------------------------------------------------- */

/* An access of `bytes` as registers of one class: 2 bytes h, 4 to 16 bytes r, rd for 64-bit
 * elements. */
typedef struct {
    PtxClass cls;
    int bytes; /* of one register */
    int n;
} Access;

static Access access_of(int bytes, int element_bytes)
{
    if (bytes == 2) return (Access){PTX_B16, 2, 1};
    if (element_bytes == 8) return (Access){PTX_B64, 8, bytes / 8};
    return (Access){PTX_B32, 4, bytes / 4};
}

/* "{a,b,c,d}" for up to four registers, "a" for one; op is e.g. "ld.global". */
static void access_op(Ptx *x, PtxVal guard, const char *op, bool load, PtxVal base, int64_t con,
                      const PtxVal *reg, int n, const char *type)
{
    PtxVal at = ptx_imm(con);
    if (n == 1 && load) ptx_op_if(x, guard, "%s.%s %v, [%v+%v]", op, type, reg[0], base, at);
    if (n == 1 && !load) ptx_op_if(x, guard, "%s.%s [%v+%v], %v", op, type, base, at, reg[0]);
    if (n == 2 && load)
        ptx_op_if(x, guard, "%s.v2.%s {%v, %v}, [%v+%v]", op, type, reg[0], reg[1], base, at);
    if (n == 2 && !load)
        ptx_op_if(x, guard, "%s.v2.%s [%v+%v], {%v, %v}", op, type, base, at, reg[0], reg[1]);
    if (n == 4 && load)
        ptx_op_if(x, guard, "%s.v4.%s {%v, %v, %v, %v}, [%v+%v]", op, type, reg[0], reg[1], reg[2],
                  reg[3], base, at);
    if (n == 4 && !load)
        ptx_op_if(x, guard, "%s.v4.%s [%v+%v], {%v, %v, %v, %v}", op, type, base, at, reg[0],
                  reg[1], reg[2], reg[3]);
    if (n != 1 && n != 2 && n != 4) ptx_fail(x, "%s: no access of %d registers", op, n);
}

static const char *bits_type(PtxClass cls)
{
    return cls == PTX_B16 ? "b16" : cls == PTX_B32 ? "b32" : cls == PTX_B64 ? "b64" : NULL;
}

/* -- Global to registers ----------------------------------------------------------------------- */

/* Keeps every vec-th coordinate: where each vector begins. */
static EmitCoord vector_heads(EmitCoord c, int vec)
{
    for (int v = 0; v * vec < c.count; v++)
        for (int d = 0; d < 2; d++) c.value[v][d] = c.value[v * vec][d];
    c.count /= vec;
    return c;
}

void emit_copy_begin(Ptx *x, EmitCopy *copy, const PlanOperand *op, PtxVal tid, PtxVal global,
                     PtxVal rows, EmitStrides strides, PtxVal smem, int tile_k)
{
    int bytes = dtype_bytes(op->type);
    copy->op = op;
    copy->coord = vector_heads(emit_coord(x, op->copy, tid), op->vec);
    copy->global = emit_pointer(x, global, &copy->coord, strides);
    copy->step = ptx_mul(x, strides.by[1], ptx_imm(tile_k));
    emit_offsets(x, &copy->coord, strides, copy->from);
    emit_inside(x, &copy->coord, 0, rows, copy->row_ok);
    EmitStrides in_smem = {
        {ptx_imm(op->smem_stride[0] * bytes), ptx_imm(op->smem_stride[1] * bytes)}};
    copy->shared = emit_pointer(x, ptx_add(x, smem, ptx_imm(op->smem_base)), &copy->coord, in_smem);
    Access a = access_of(op->vec * bytes, bytes);
    for (int v = 0; v < copy->coord.count; v++) {
        copy->hold[v].n = a.n;
        for (int i = 0; i < a.n; i++) copy->hold[v].reg[i] = ptx_reg(x, a.cls);
    }
}

void emit_copy_load(Ptx *x, EmitCopy *copy, PtxVal room_k)
{
    int bytes = dtype_bytes(copy->op->type);
    Access a = access_of(copy->op->vec * bytes, bytes);
    PtxVal k_ok[EMIT_VALUES];
    emit_inside(x, &copy->coord, 1, room_k, k_ok);
    for (int v = 0; v < copy->coord.count; v++) {
        EmitVec *hold = &copy->hold[v];
        PtxVal inside = ptx_and(x, copy->row_ok[v], k_ok[v]);
        PtxVal from = ptx_add(x, copy->global, copy->from[v].run);
        for (int i = 0; i < hold->n; i++) ptx_op(x, "mov.%s %v, 0", bits_type(a.cls), hold->reg[i]);
        access_op(x, inside, "ld.global", true, from, copy->from[v].con, hold->reg, hold->n,
                  bits_type(a.cls));
    }
}

void emit_copy_advance(Ptx *x, EmitCopy *copy)
{
    ptx_op(x, "add.s64 %v, %v, %v", copy->global, copy->global, copy->step);
}

/* -- Registers to shared memory ---------------------------------------------------------------- */

/* The elements one by one: a 32-bit register of two halves is taken apart. */
static void store_elements(Ptx *x, const EmitVec *vec, PtxVal base, int64_t con, int64_t step,
                           int element_bytes, PtxClass cls)
{
    for (int i = 0; i < vec->n; i++) {
        if (element_bytes == 2 && cls == PTX_B32) {
            PtxVal half[2] = {ptx_reg(x, PTX_B16), ptx_reg(x, PTX_B16)};
            ptx_op(x, "mov.b32 {%v, %v}, %v", half[0], half[1], vec->reg[i]);
            for (int j = 0; j < 2; j++)
                ptx_op(x, "st.shared.b16 [%v+%v], %v", base, ptx_imm(con + (2 * i + j) * step),
                       half[j]);
        } else {
            ptx_op(x, "st.shared.%s [%v+%v], %v", bits_type(cls), base, ptx_imm(con + i * step),
                   vec->reg[i]);
        }
    }
}

void emit_copy_store(Ptx *x, const EmitCopy *copy, PtxVal stage)
{
    const PlanOperand *op = copy->op;
    int bytes = dtype_bytes(op->type), width = op->vec * bytes;
    Access a = access_of(width, bytes);
    PtxVal base = ptx_add(x, copy->shared, stage);
    int along = op->major == MAJOR_K; /* the index that a vector runs along */
    bool whole = op->vec == 1 || (op->smem_stride[along] == 1 &&
                                  emit_granule(op->copy, op->smem_stride, bytes) % width == 0);
    for (int v = 0; v < copy->coord.count; v++) {
        const int64_t *at = copy->coord.value[v];
        int64_t con = (at[0] * op->smem_stride[0] + at[1] * op->smem_stride[1]) * bytes;
        if (whole && con % width == 0)
            access_op(x, ptx_imm(1), "st.shared", false, base, con, copy->hold[v].reg, a.n,
                      bits_type(a.cls));
        else
            store_elements(x, &copy->hold[v], base, con, op->smem_stride[along] * bytes, bytes,
                           a.cls);
    }
}

/* -- Shared memory to fragments ---------------------------------------------------------------- */

static PtxClass frag_class(Dtype t)
{
    return t == DTYPE_F32 ? PTX_F32 : t == DTYPE_F64 ? PTX_F64 : PTX_B32;
}

void emit_frag_begin(Ptx *x, EmitFrag *frag, const PlanOperand *op, int regs, PtxVal tid,
                     PtxVal smem)
{
    int bytes = dtype_bytes(op->type);
    EmitCoord c = emit_coord(x, op->frag, tid);
    Layout values = layout_mode(op->frag, 1);
    frag->op = op;
    frag->cls = frag_class(op->type);
    frag->regs = regs;
    frag->per = (int)layout_size(layout_mode(values, 0)) / regs;
    frag->reps = (int)layout_size(layout_mode(values, 1));
    frag->depth = (int)layout_size(layout_mode(values, 2));
    frag->granule = emit_granule(op->frag, op->smem_stride, bytes);
    EmitStrides s = {{ptx_imm(op->smem_stride[0] * bytes), ptx_imm(op->smem_stride[1] * bytes)}};
    frag->shared = emit_pointer(x, ptx_add(x, smem, ptx_imm(op->smem_base)), &c, s);
    EmitOffset at[EMIT_VALUES];
    emit_offsets(x, &c, s, at);
    for (int v = 0; v < c.count; v++) frag->offset[v] = at[v].con;
    for (int v = 0; v < c.count; v++)
        if (v % frag->per && at[v].con != at[v - 1].con + bytes)
            ptx_fail(x, "emit_frag: values of one register are not neighbours in shared memory");
}

/* How many registers from r on, 4, 2 or 1, are neighbours that one aligned access can bring. */
static int run_of(const EmitFrag *frag, const int64_t *offset, int r, int count, int reg_bytes)
{
    for (int n = 16 / reg_bytes; n > 1; n /= 2) {
        bool good = r + n <= count && frag->granule % (n * reg_bytes) == 0 &&
                    offset[r] % (n * reg_bytes) == 0;
        for (int i = 1; good && i < n; i++) good = offset[r + i] == offset[r] + i * reg_bytes;
        if (good) return n;
    }
    return 1;
}

void emit_frag_load(Ptx *x, const EmitFrag *frag, PtxVal stage, int d, PtxVal *out)
{
    int reg_bytes = frag->cls == PTX_F64 ? 8 : 4, count = frag->reps * frag->regs;
    const char *type = frag->cls == PTX_F64 ? "f64" : frag->cls == PTX_F32 ? "f32" : "b32";
    PtxVal base = ptx_add(x, frag->shared, stage);
    int64_t offset[EMIT_VALUES];
    for (int r = 0; r < count; r++) {
        offset[r] = frag->offset[(d * count + r) * frag->per];
        out[r] = ptx_reg(x, frag->cls);
    }
    for (int r = 0, n; r < count; r += n) {
        n = run_of(frag, offset, r, count, reg_bytes);
        access_op(x, ptx_imm(1), "ld.shared", true, base, offset[r], &out[r], n, type);
    }
}
