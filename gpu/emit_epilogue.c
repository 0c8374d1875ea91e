/* emit_epilogue: C = alpha * acc + beta * C, predicated by coordinates. See emit.h. */
#include "gpu/emit.h"

/* C as one thread sees it. */
typedef struct {
    EmitCoord coord;
    EmitOffset at[EMIT_VALUES];
    PtxVal inside[EMIT_VALUES];
    PtxVal pointer;
    PtxVal alpha, beta; /* in the accumulate type */
    const char *type;   /* of the accumulate type: "f32" or "f64" */
    Dtype c_type;
} Epilogue;

/* A scalar of the parameter block, rounded to the accumulate type. */
static PtxVal scalar(Ptx *x, size_t offset, PtxClass cls)
{
    PtxVal wide = ptx_param(x, PTX_F64, offset);
    if (cls == PTX_F64) return wide;
    PtxVal r = ptx_reg(x, PTX_F32);
    ptx_op(x, "cvt.rn.f32.f64 %v, %v", r, wide);
    return r;
}

static PtxVal stride_bytes(Ptx *x, bool unit, size_t offset, int bytes)
{
    return unit ? ptx_imm(bytes) : ptx_mul(x, ptx_param(x, PTX_B64, offset), ptx_imm(bytes));
}

/* Element of C, as a register of the accumulate type. */
static PtxVal load_c(Ptx *x, const Epilogue *e, PtxVal from, int v)
{
    PtxVal at = ptx_imm(e->at[v].con);
    bool wide = e->c_type == DTYPE_F64;
    PtxVal r = ptx_reg(x, wide ? PTX_F64 : PTX_F32);
    if (wide || e->c_type == DTYPE_F32) {
        ptx_op(x, "mov.%s %v, %s", e->type, r, wide ? "0d0000000000000000" : "0f00000000");
        ptx_op_if(x, e->inside[v], "ld.global.%s %v, [%v+%v]", e->type, r, from, at);
        return r;
    }
    PtxVal half = ptx_reg(x, PTX_B16);
    ptx_op(x, "mov.b16 %v, 0", half);
    ptx_op_if(x, e->inside[v], "ld.global.b16 %v, [%v+%v]", half, from, at);
    if (e->c_type == DTYPE_F16) {
        ptx_op(x, "cvt.f32.f16 %v, %v", r, half);
    } else { /* a bf16 is the upper half of an f32 */
        PtxVal zero = ptx_reg(x, PTX_B16), bits = ptx_reg(x, PTX_B32);
        ptx_op(x, "mov.b16 %v, 0", zero);
        ptx_op(x, "mov.b32 %v, {%v, %v}", bits, zero, half);
        ptx_op(x, "mov.b32 %v, %v", r, bits);
    }
    return r;
}

static void store_c(Ptx *x, const Epilogue *e, PtxVal to, int v, PtxVal value)
{
    PtxVal at = ptx_imm(e->at[v].con);
    if (e->c_type == DTYPE_F64 || e->c_type == DTYPE_F32) {
        ptx_op_if(x, e->inside[v], "st.global.%s [%v+%v], %v", e->type, to, at, value);
        return;
    }
    PtxVal half = ptx_reg(x, PTX_B16);
    ptx_op(x, "cvt.rn.%s.f32 %v, %v", dtype_name(e->c_type), half, value);
    ptx_op_if(x, e->inside[v], "st.global.b16 [%v+%v], %v", to, at, half);
}

static void write_all(Ptx *x, const Epilogue *e, const PtxVal *acc, bool read_c)
{
    for (int v = 0; v < e->coord.count; v++) {
        PtxVal p = ptx_add(x, e->pointer, e->at[v].run), sum = ptx_reg(x, acc[v].cls);
        ptx_op(x, "mul.rn.%s %v, %v, %v", e->type, sum, acc[v], e->alpha);
        if (read_c) {
            PtxVal c = load_c(x, e, p, v);
            ptx_op(x, "fma.rn.%s %v, %v, %v, %v", e->type, sum, c, e->beta, sum);
        }
        store_c(x, e, p, v, sum);
    }
}

static void both_inside(Ptx *x, Epilogue *e, PtxVal rows, PtxVal cols)
{
    PtxVal in_m[EMIT_VALUES], in_n[EMIT_VALUES];
    emit_inside(x, &e->coord, 0, rows, in_m);
    emit_inside(x, &e->coord, 1, cols, in_n);
    for (int v = 0; v < e->coord.count; v++) e->inside[v] = ptx_and(x, in_m[v], in_n[v]);
}

void emit_epilogue(Ptx *x, const GemmPlan *plan, const PtxVal *acc, PtxVal tid, PtxVal m0,
                   PtxVal n0)
{
    int bytes = dtype_bytes(plan->c_type);
    PtxClass cls = acc[0].cls;
    Epilogue e = {.coord = emit_coord(x, plan->c_frag, tid), .c_type = plan->c_type};
    e.type = cls == PTX_F64 ? "f64" : "f32";
    e.alpha = scalar(x, offsetof(KernelArgs, alpha), cls);
    e.beta = scalar(x, offsetof(KernelArgs, beta), cls);
    EmitStrides s = {{stride_bytes(x, false, offsetof(KernelArgs, c_rs), bytes),
                      stride_bytes(x, plan->c_unit, offsetof(KernelArgs, c_cs), bytes)}};
    PtxVal batch = ptx_reg(x, PTX_B32);
    ptx_op(x, "mov.u32 %v, %%ctaid.y", batch);
    PtxVal skip = stride_bytes(x, false, offsetof(KernelArgs, c_bs), bytes);
    PtxVal base = ptx_add(x, ptx_param(x, PTX_B64, offsetof(KernelArgs, c)),
                          ptx_mul(x, ptx_wide(x, batch), skip));
    base = ptx_add(x, base, ptx_mul(x, ptx_wide(x, m0), s.by[0]));
    base = ptx_add(x, base, ptx_mul(x, ptx_wide(x, n0), s.by[1]));
    e.pointer = emit_pointer(x, base, &e.coord, s);
    emit_offsets(x, &e.coord, s, e.at);
    both_inside(x, &e, ptx_sub(x, ptx_param(x, PTX_B32, offsetof(KernelArgs, m)), m0),
                ptx_sub(x, ptx_param(x, PTX_B32, offsetof(KernelArgs, n)), n0));

    int overwrite = ptx_label(x), done = ptx_label(x);
    PtxVal reads = ptx_reg(x, PTX_PRED);
    /* neu: a NaN beta reads C, as arithmetic would have it */
    ptx_op(x, "setp.neu.%s %v, %v, %s", e.type, reads, e.beta,
           cls == PTX_F64 ? "0d0000000000000000" : "0f00000000");
    ptx_op_unless(x, reads, "bra %t", overwrite);
    write_all(x, &e, acc, true);
    ptx_op(x, "bra %t", done);
    ptx_place(x, overwrite);
    write_all(x, &e, acc, false);
    ptx_place(x, done);
}
