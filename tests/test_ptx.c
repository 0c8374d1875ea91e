/* test_ptx: the PTX builder: what it writes, what it folds, and that its first error sticks. */
#include "gpu/ptx.h"
#include "tests/tap.h"

#include <string.h>

static char text[4096];

static Ptx fresh(void)
{
    Ptx x;
    ptx_init(&x, text, sizeof text);
    return x;
}

static void wrote(const char *expected, const char *what)
{
    if (!ok(strcmp(text, expected) == 0, "%s", what))
        diag("got \"%s\", expected \"%s\"", text, expected);
}

static void test_folding(void)
{
    Ptx x = fresh();
    PtxVal r = ptx_reg(&x, PTX_B32), w = ptx_reg(&x, PTX_B64);
    ok(ptx_is_imm(ptx_add(&x, ptx_imm(2), ptx_imm(3)), 5), "2 + 3 is a constant");
    ok(ptx_is_imm(ptx_mul(&x, ptx_imm(-2), ptx_imm(3)), -6), "-2 * 3 is a constant");
    ok(ptx_is_imm(ptx_mul(&x, r, ptx_imm(0)), 0), "r * 0 is the constant 0");
    ok(ptx_mul(&x, ptx_imm(1), r).v == r.v && ptx_add(&x, ptx_imm(0), r).v == r.v,
       "1 * r and 0 + r are r");
    ok(ptx_sub(&x, w, ptx_imm(0)).v == w.v, "w - 0 is w");
    ok(ptx_is_imm(ptx_div(&x, ptx_imm(37), 8), 4) && ptx_is_imm(ptx_rem(&x, ptx_imm(37), 8), 5),
       "37 / 8 and 37 mod 8 are constants");
    ok(ptx_is_imm(ptx_rem(&x, r, 1), 0) && ptx_div(&x, r, 1).v == r.v, "r / 1 is r, r mod 1 is 0");
    ok(ptx_is_imm(ptx_less(&x, ptx_imm(1), ptx_imm(2)), 1), "1 < 2 is true");
    ok(ptx_is_imm(ptx_and(&x, ptx_imm(0), ptx_reg(&x, PTX_PRED)), 0), "false and p is false");
    ok(x.len == 0, "none of it wrote an instruction");
}

static void test_instructions(void)
{
    Ptx x = fresh();
    PtxVal r = ptx_reg(&x, PTX_B32);
    ptx_add(&x, ptx_imm(7), r);
    wrote("    add.s32 %r1, %r0, 7;\n", "a constant stands second");
    x = fresh();
    ptx_mul(&x, ptx_reg(&x, PTX_B32), ptx_imm(16));
    wrote("    shl.b32 %r1, %r0, 4;\n", "times 16 is a shift");
    x = fresh();
    ptx_mul(&x, ptx_reg(&x, PTX_B32), ptx_reg(&x, PTX_B64));
    wrote("    cvt.s64.s32 %rd1, %r0;\n    mul.lo.s64 %rd2, %rd1, %rd0;\n",
          "a 32-bit operand is widened to meet a 64-bit one");
    x = fresh();
    PtxVal t = ptx_reg(&x, PTX_B32);
    ptx_div(&x, t, 8);
    ptx_rem(&x, t, 8);
    ptx_div(&x, t, 6);
    wrote("    shr.u32 %r1, %r0, 3;\n    and.b32 %r2, %r0, 7;\n    div.u32 %r3, %r0, 6;\n",
          "division and remainder");
    x = fresh();
    PtxVal p = ptx_less(&x, ptx_imm(5), ptx_reg(&x, PTX_B32));
    int label = ptx_label(&x);
    ptx_op_unless(&x, p, "bra %t", label);
    ptx_place(&x, label);
    wrote("    setp.gt.s32 %p0, %r0, 5;\n    @!%p0 bra $L1;\n$L1:\n", "predicate, guard and label");
    x = fresh();
    ptx_op_if(&x, ptx_imm(0), "never");
    ptx_op_if(&x, ptx_imm(1), "always");
    ptx_op_unless(&x, ptx_imm(1), "never");
    wrote("    always;\n", "constant guards decide at emission");
}

static void test_module(void)
{
    Ptx x = fresh();
    PtxVal m = ptx_param(&x, PTX_B32, 24);
    ptx_op(&x, "mov.u32 %v, %v", ptx_reg(&x, PTX_B32), m);
    PtxEntry entry = {
        .name = "k", .ptx = 60, .sm = 70, .threads = 64, .param_bytes = 32, .smem_bytes = 48};
    ok(ptx_finish(&x, &entry) == NULL, "a module is finished");
    wrote("// k\n.version 6.0\n.target sm_70\n.address_size 64\n\n"
          ".visible .entry k(.param .align 8 .b8 args[32])\n.maxntid 64, 1, 1\n{\n"
          "    .reg .b32 %r<2>;\n    .shared .align 16 .b8 smem[48];\n"
          "    ld.param.b32 %r0, [args+24];\n    mov.u32 %r1, %r0;\n    ret;\n}\n",
          "the module's whole text");
    ok(x.len == strlen(text), "its length is known");
}

static void test_errors(void)
{
    char small[64];
    Ptx x;
    ptx_init(&x, small, sizeof small);
    for (int i = 0; i < 10; i++) ptx_op(&x, "bar.sync 0");
    ok(strstr(x.err, "does not fit"), "a full buffer is an error");
    ok(strlen(small) < sizeof small, "and the buffer stays terminated");
    char first[sizeof x.err];
    memcpy(first, x.err, sizeof first);
    ptx_fail(&x, "another");
    PtxEntry entry = {.name = "k", .ptx = 60, .sm = 70, .threads = 32, .param_bytes = 8};
    ok(ptx_finish(&x, &entry) && strcmp(ptx_finish(&x, &entry), first) == 0,
       "the first error sticks");

    x = fresh();
    ptx_op(&x, "mov.u32 %q");
    ok(strstr(x.err, "%q"), "an unknown directive is named");
    x = fresh();
    ptx_div(&x, ptx_reg(&x, PTX_B32), 0);
    ok(x.err[0], "division by zero is an error");

    char tight[40];
    ptx_init(&x, tight, sizeof tight);
    ptx_op(&x, "ret");
    ok(ptx_finish(&x, &entry) != NULL, "a header that does not fit is an error");
}

int main(void)
{
    test_folding();
    test_instructions();
    test_module();
    test_errors();
    return tap_done();
}
