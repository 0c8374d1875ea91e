/* emit_mma: one atom as one instruction. See emit.h. */
#include "gpu/emit.h"

#include <stdio.h>

/* "{a, b, ...}" into text, registers of one class; the atom's operand lists are at most 4 long
 * here. */
static void put_list(Ptx *x, char *text, size_t size, PtxClass cls, const PtxVal *reg, int n)
{
    static const char *const prefix[] = {[PTX_B32] = "r", [PTX_F32] = "f", [PTX_F64] = "fd"};
    size_t len = 0;
    for (int i = 0; i < n; i++) {
        if (reg[i].cls != cls) ptx_fail(x, "emit_atom: an operand has the wrong register class");
        int w = snprintf(text + len, size - len, "%s%%%s%lld", i ? ", " : "", prefix[cls],
                         (long long)reg[i].v);
        if (w < 0 || (size_t)w >= size - len) {
            ptx_fail(x, "emit_atom: the operand list is too long");
            return;
        }
        len += (size_t)w;
    }
}

void emit_atom(Ptx *x, const MmaAtom *atom, const PtxVal *acc, const PtxVal *a, const PtxVal *b)
{
    if (mma_atom_threads(atom) == 1) {
        ptx_op(x, "%s %v, %v, %v, %v", atom->mnemonic, acc[0], a[0], b[0], acc[0]);
        return;
    }
    char d[160] = "", as[160] = "", bs[160] = "";
    put_list(x, d, sizeof d, acc[0].cls, acc, atom->c_regs);
    put_list(x, as, sizeof as, a[0].cls, a, atom->a_regs);
    put_list(x, bs, sizeof bs, b[0].cls, b, atom->b_regs);
    ptx_op(x, "%s {%s}, {%s}, {%s}, {%s}", atom->mnemonic, d, as, bs, d);
}
