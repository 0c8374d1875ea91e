/* emit_gemm: the skeleton that the simt and mma families share. See emit_tiled_gemm in emit.h. */
#include "gpu/emit.h"

/* Where this block of threads works. */
typedef struct {
    PtxVal tid, batch; /* thread in the block, index in the batch */
    PtxVal m0, n0;     /* first row and column of C */
} Block;

/* Where an operand's fields lie in KernelArgs. */
typedef struct {
    size_t pointer, row_stride, k_stride, batch_stride;
} Fields;

static const Fields fields_a = {offsetof(KernelArgs, a), offsetof(KernelArgs, a_rs),
                                offsetof(KernelArgs, a_cs), offsetof(KernelArgs, a_bs)};
static const Fields fields_b = {offsetof(KernelArgs, b), offsetof(KernelArgs, b_cs),
                                offsetof(KernelArgs, b_rs), offsetof(KernelArgs, b_bs)};

static PtxVal special(Ptx *x, const char *name)
{
    PtxVal r = ptx_reg(x, PTX_B32);
    ptx_op(x, "mov.u32 %v, %s", r, name);
    return r;
}

static Block block_begin(Ptx *x, const GemmPlan *plan)
{
    Block b = {.tid = special(x, "%tid.x"), .batch = special(x, "%ctaid.y")};
    PtxVal index = special(x, "%ctaid.x");
    PtxVal tiles_m = ptx_param(x, PTX_B32, offsetof(KernelArgs, tiles_m));
    PtxVal tile_n = ptx_reg(x, PTX_B32);
    ptx_op(x, "div.u32 %v, %v, %v", tile_n, index, tiles_m);
    PtxVal tile_m = ptx_sub(x, index, ptx_mul(x, tile_n, tiles_m));
    b.m0 = ptx_mul(x, tile_m, ptx_imm(plan->mma.tile_m));
    b.n0 = ptx_mul(x, tile_n, ptx_imm(plan->mma.tile_n));
    return b;
}

static PtxVal stride(Ptx *x, bool unit, size_t offset, int bytes)
{
    return unit ? ptx_imm(bytes) : ptx_mul(x, ptx_param(x, PTX_B64, offset), ptx_imm(bytes));
}

static void operand_begin(Ptx *x, EmitCopy *copy, const PlanOperand *op, const Fields *f,
                          const Block *b, PtxVal row0, PtxVal extent, PtxVal smem, int tile_k)
{
    int bytes = dtype_bytes(op->type);
    EmitStrides s = {{stride(x, op->major == MAJOR_MN, f->row_stride, bytes),
                      stride(x, op->major == MAJOR_K, f->k_stride, bytes)}};
    PtxVal batch = ptx_mul(x, ptx_wide(x, b->batch), stride(x, false, f->batch_stride, bytes));
    PtxVal base = ptx_add(x, ptx_param(x, PTX_B64, f->pointer), batch);
    base = ptx_add(x, base, ptx_mul(x, ptx_wide(x, row0), s.by[0]));
    emit_copy_begin(x, copy, op, b->tid, base, ptx_sub(x, extent, row0), s, smem, tile_k);
}

/* One stage of shared memory multiplied into the accumulators. */
static void multiply(Ptx *x, const GemmPlan *plan, const EmitFrag *a, const EmitFrag *b,
                     PtxVal stage, const PtxVal *acc)
{
    const MmaAtom *atom = plan->mma.atom;
    PtxVal ar[EMIT_VALUES], br[EMIT_VALUES];
    for (int d = 0; d < a->depth; d++) {
        emit_frag_load(x, a, stage, d, ar);
        emit_frag_load(x, b, stage, d, br);
        for (int j = 0; j < b->reps; j++)
            for (int i = 0; i < a->reps; i++)
                emit_atom(x, atom, &acc[atom->c_regs * (i + a->reps * j)], &ar[atom->a_regs * i],
                          &br[atom->b_regs * j]);
    }
}

static void clear(Ptx *x, const GemmPlan *plan, PtxVal *acc, int count)
{
    bool wide = plan->mma.atom->c == DTYPE_F64;
    for (int i = 0; i < count; i++) {
        acc[i] = ptx_reg(x, wide ? PTX_F64 : PTX_F32);
        ptx_op(x, "mov.%s %v, %s", wide ? "f64" : "f32", acc[i],
               wide ? "0d0000000000000000" : "0f00000000");
    }
}

void emit_tiled_gemm(const GemmPlan *plan, Ptx *x)
{
    const MmaAtom *atom = plan->mma.atom;
    const int tile_k = plan->mma.tile_k;
    Block b = block_begin(x, plan);
    PtxVal smem = ptx_reg(x, PTX_B32);
    ptx_op(x, "mov.u32 %v, smem", smem);
    PtxVal k_left = ptx_param(x, PTX_B32, offsetof(KernelArgs, k));

    EmitCopy copy_a, copy_b;
    operand_begin(x, &copy_a, &plan->a, &fields_a, &b, b.m0,
                  ptx_param(x, PTX_B32, offsetof(KernelArgs, m)), smem, tile_k);
    operand_begin(x, &copy_b, &plan->b, &fields_b, &b, b.n0,
                  ptx_param(x, PTX_B32, offsetof(KernelArgs, n)), smem, tile_k);
    EmitFrag frag_a, frag_b;
    emit_frag_begin(x, &frag_a, &plan->a, atom->a_regs, b.tid, smem);
    emit_frag_begin(x, &frag_b, &plan->b, atom->b_regs, b.tid, smem);
    PtxVal acc[EMIT_VALUES];
    clear(x, plan, acc, atom->c_regs * frag_a.reps * frag_b.reps);

    int loop = ptx_label(x), epilogue = ptx_label(x);
    PtxVal more = ptx_reg(x, PTX_PRED), stage = ptx_reg(x, PTX_B32);
    ptx_op(x, "setp.gt.s32 %v, %v, 0", more, k_left);
    ptx_op_unless(x, more, "bra %t", epilogue);
    emit_copy_load(x, &copy_a, k_left);
    emit_copy_load(x, &copy_b, k_left);
    emit_copy_store(x, &copy_a, ptx_imm(0));
    emit_copy_store(x, &copy_b, ptx_imm(0));
    ptx_op(x, "bar.sync 0");
    ptx_op(x, "mov.u32 %v, 0", stage);

    ptx_place(x, loop); /* this tile is in shared memory; the next is on its way into registers */
    ptx_op(x, "sub.s32 %v, %v, %d", k_left, k_left, tile_k);
    emit_copy_advance(x, &copy_a);
    emit_copy_advance(x, &copy_b);
    emit_copy_load(x, &copy_a, k_left);
    emit_copy_load(x, &copy_b, k_left);
    multiply(x, plan, &frag_a, &frag_b, stage, acc);
    ptx_op(x, "sub.s32 %v, %d, %v", stage, plan->stage_bytes, stage);
    emit_copy_store(x, &copy_a, stage);
    emit_copy_store(x, &copy_b, stage);
    ptx_op(x, "bar.sync 0");
    ptx_op(x, "setp.gt.s32 %v, %v, 0", more, k_left);
    ptx_op_if(x, more, "bra %t", loop);

    ptx_place(x, epilogue);
    emit_epilogue(x, plan, acc, b.tid, b.m0, b.n0);
}
