/* The simulated device refuses: each broken kernel gets the sentence that says what is wrong. */
#include "tests/sim_bench.h"

/* clang-format off */
#define OUT   "    mul.wide.u32 %rd2, %r0, 4;\n    add.s64 %rd2, %rd1, %rd2;\n"
#define STORE "    st.global.b32 [%rd2], %r0;\n"

/* what, its error must hold all of (up to three), and the body; in 64 bytes of ones, out 128 bytes */
static const struct {
    const char *name, *want[3], *body;
} broken[] = {
    /* -- Text that cannot be loaded -- */
    { "unknown instruction", {"PTX line 18", "frob.b32 %r2, %r0;", "unknown instruction 'frob.b32'"},
      "    frob.b32 %r2, %r0;\n" },
    { "unknown modifier", {"unknown instruction 'add.sat.f32'"},
      "    add.sat.f32 %f0, %f1, %f2;\n" },
    { "modifiers out of order", {"unknown instruction"}, "    mul.s32.lo %r2, %r0, %r0;\n" },
    { "unknown directive", {"unknown directive '.local'"}, "    .local .b32 x;\n" },
    { "unknown register", {"no register '%r64'"}, "    mov.b32 %r64, 0;\n" },
    { "wrong register type", {"a register has the wrong type"}, "    add.f32 %f0, %rd0, %f1;\n" },
    { "integer constant for a float", {"an integer constant has no place here"},
      "    mov.f32 %f0, 1;\n" },
    { "constant too large", {"a constant does not fit"}, "    add.s32 %r2, %r0, 4294967296;\n" },
    { "64-bit shift distance", {"a register has the wrong type"},
      "    shl.b64 %rd2, %rd0, %rd1;\n" },
    { "too few operands", {"operands are missing"}, "    add.s32 %r2, %r0;\n" },
    { "too many operands", {"too many operands"}, "    add.s32 %r2, %r0, %r0, %r0;\n" },
    { "special register in arithmetic", {"special register"}, "    add.u32 %r2, %tid.x, 1;\n" },
    { "no such label", {"no label '$L7'"}, "    bra $L7;\n" },
    { "parameter out of bounds", {"outside the parameter"}, "    ld.param.b64 %rd2, [args+16];\n" },
    { "cvt without rounding", {"unknown instruction"}, "    cvt.f32.s32 %f0, %r0;\n" },
    { "fma without rounding", {"unknown instruction"}, "    fma.f32 %f0, %f1, %f2, %f3;\n" },
    { "address in a 32-bit register", {"address is in a register of the wrong type"},
      "    ld.global.b32 %r2, [%r0];\n" },
    { "semicolon missing", {"';' expected"}, "    mov.b32 %r2, 0\n    mov.b32 %r3, 0;\n" },
    { "end without ret", {"control can reach the end"}, "    ret;\n$L1:\n    mov.b32 %r2, 0;\n    @%p0" },
    /* -- Global memory -- */
    { "read out of bounds", {"thread 16,", "ld.global.b32 %r2, [%rd2];", "reads 4 bytes"},
      "    mul.wide.u32 %rd2, %r0, 4;\n    add.s64 %rd2, %rd0, %rd2;\n    ld.global.b32 %r2, [%rd2];\n" },
    { "write out of bounds", {"thread 31,", "writes 4 bytes", "which no allocation holds"},
      OUT "    st.global.b32 [%rd2+4], %r0;\n" },
    { "null pointer", {"thread 0,", "at 0x0", "which no allocation holds"},
      "    mov.b64 %rd2, 0;\n    ld.global.b32 %r2, [%rd2];\n" },
    { "misaligned read", {"misaligned", "reads 8 bytes"}, "    ld.global.b64 %rd2, [%rd0+4];\n" },
    { "misaligned vector", {"misaligned", "reads 16 bytes"},
      "    ld.global.v4.b32 {%r2,%r3,%r4,%r5}, [%rd0+8];\n" },
    { "read of unwritten memory", {"never written", "byte 8 of an allocation of 128"},
      "    ld.global.b32 %r2, [%rd1+8];\n" },
    { "output left out", {"a copy to the host reads", "never written"}, "" },
    /* -- Registers -- */
    { "read of an unwritten register", {"thread 0,", "add.s32 %r2, %r3, 1;", "reads a register that was never written"},
      "    add.s32 %r2, %r3, 1;\n" },
    { "register written in some lanes", {"thread 4,", "reads a register that was never written"},
      "    setp.lt.u32 %p0, %r0, 4;\n    @%p0 mov.b32 %r2, 1;\n    add.s32 %r2, %r2, 1;\n" },
    { "guard never written", {"guarded by a predicate that was never written"},
      "    @%p0 mov.b32 %r2, 1;\n" },
    { "division by zero", {"thread 0,", "divides by zero"}, "    div.u32 %r2, 7, %r0;\n" },
    /* -- Shared memory -- */
    { "shared memory never written", {"ld.shared.b32", "reads shared memory that was never written"},
      "    ld.shared.b32 %r2, [smem];\n" },
    { "shared memory out of bounds", {"outside the 4096 bytes of shared memory"},
      "    st.shared.b32 [smem+4096], %r0;\n" },
    { "shared memory from address 0", {"outside"}, "    mov.b32 %r2, 0;\n    st.shared.b32 [%r2], %r0;\n" },
    { "shared memory misaligned", {"misaligned"}, "    st.shared.b32 [smem+2], %r0;\n" },
    { "two writes race", {"thread 1,", "races with the write of thread 0"}, "    st.shared.b32 [smem], %r0;\n" },
    { "a read races with a write", {"thread 33,", "races with the write of thread"},
      "    shl.b32 %r2, %r0, 2;\n    mov.u32 %r3, smem;\n    add.s32 %r3, %r3, %r2;\n"
      "    st.shared.b32 [%r3], %r0;\n    setp.gt.u32 %p0, %r0, 32;\n"
      "    @%p0 ld.shared.b32 %r4, [%r3+-128];\n" },
    { "a write races with a read", {"races with the read of several threads"},
      "    shl.b32 %r2, %r0, 2;\n    mov.u32 %r3, smem;\n    add.s32 %r3, %r3, %r2;\n"
      "    st.shared.b32 [%r3], %r0;\n    bar.sync 0;\n    ld.shared.b32 %r4, [smem];\n    st.shared.b32 [%r3], %r4;\n" },
    { "bytes of one word race", {"thread 1,", "races with the write of thread 0"},
      "    shl.b32 %r2, %r0, 1;\n    mov.u32 %r3, smem;\n    add.s32 %r3, %r3, %r2;\n    cvt.u16.u32 %h0, %r0;\n"
      "    st.shared.b16 [%r3], %h0;\n    setp.eq.u32 %p0, %r0, 1;\n    @%p0 st.shared.b8 [smem+1], %h0;\n" },
    /* -- Barriers and warps -- */
    { "diverged at a barrier", {"bar.sync 0;", "the warp diverges at a barrier"},
      "    setp.lt.u32 %p0, %r0, 8;\n    @%p0 bar.sync 0;\n" },
    { "barrier after a thread has ended", {"thread 32,", "waits at a barrier for thread 0, which has ended"},
      "    setp.lt.u32 %p0, %r0, 32;\n    @%p0 ret;\n    bar.sync 0;\n" },
    { "runs for ever", {"$L1", "still runs after"}, "$L1:\n    bra $L1;\n" },
    { "branch not uniform", {"not uniform"}, "    setp.lt.u32 %p0, %r0, 8;\n    @%p0 bra.uni $L1;\n$L1:\n" },
    { "shuffle by a diverged warp", {"member mask 0xffffffff is not that of the lanes here, 0x000000ff"},
      "    setp.lt.u32 %p0, %r0, 8;\n    @%p0 shfl.sync.bfly.b32 %r2, %r0, 1, 31, 0xffffffff;\n" },
    { "mma by a diverged warp", {"thread 8,", "the whole warp must execute this"},
      "    mov.b32 %r2, 0;\n    mov.f32 %f0, 0f00000000;\n    setp.lt.u32 %p0, %r0, 8;\n"
      "    @%p0 mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f0,%f0,%f0}, {%r2,%r2}, {%r2}, {%f0,%f0,%f0,%f0};\n" },
    { "trap", {"trap"}, "    trap;\n" },
    /* -- Asynchronous copies -- */
    { "copy not waited for", {"ld.shared", "wait_group is missing"},
      "    setp.lt.u32 %p0, %r0, 1;\n    @%p0 cp.async.ca.shared.global [smem], [%rd0], 16;\n"
      "    cp.async.commit_group;\n    cp.async.wait_group 1;\n    bar.sync 0;\n    ld.shared.b32 %r2, [smem];\n" },
    { "copy waited for, no barrier", {"races with the write of thread 0"},
      "    setp.lt.u32 %p0, %r0, 1;\n    @%p0 cp.async.ca.shared.global [smem], [%rd0], 16;\n"
      "    cp.async.commit_group;\n    cp.async.wait_group 0;\n    ld.shared.b32 %r2, [smem];\n" },
    { "copy of an odd size", {"no copy of 12 bytes"}, "    cp.async.ca.shared.global [smem], [%rd0], 12;\n" },
    { "copy through level 2 of 4 bytes", {"no copy of 4 bytes"},
      "    cp.async.cg.shared.global [smem], [%rd0], 4;\n" },
};
/* clang-format on */

enum { CASES = sizeof broken / sizeof *broken };

static void test_broken(void)
{
    const uint32_t ones[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    uint32_t out[32];
    for (int i = 0; i < CASES; i++) {
        DeviceError e = sim_run((SimRun){.body = broken[i].body,
                                         .threads = 64,
                                         .in = ones,
                                         .in_bytes = sizeof ones,
                                         .out = out,
                                         .out_bytes = sizeof out},
                                NULL);
        bool good = e != NULL;
        for (int k = 0; k < 3 && good; k++)
            good = !broken[i].want[k] || strstr(e, broken[i].want[k]);
        if (!ok(good, "%s", broken[i].name)) diag("the error was: %s", e ? e : "none");
    }
}

/* -- Versions and targets --------------------------------------------------------------------- */

/* clang-format off */
static const struct {
    const char *name, *spec, *version, *target, *body, *want; /* want NULL: loads */
} versions[] = {
    { "target above the chip",   "sim:sm_75", "7.8", "sm_80", "", "this device is sm_75" },
    { "target below the chip",   "sim:sm_90", "7.8", "sm_70", "", NULL },
    { "sm_90a on sm_90",         "sim:sm_90", "8.0", "sm_90a", "", NULL },
    { "unknown target",          "sim:sm_90", "8.0", "sm_77", "", "unknown target 'sm_77'" },
    { "version below the target", "sim:sm_90", "7.0", "sm_90", "", "sm_90 needs .version 7.8" },
    { "ancient version",         "sim:sm_90", "4.0", "sm_70", "", "versions 6.0 to" },
    { "instruction above target", "sim:sm_80", "7.0", "sm_75",
      "    cp.async.commit_group;\n", "needs .target sm_80" },
    { "instruction above version", "sim:sm_80", "7.0", "sm_80",
      "    st.shared::cta.b32 [smem], 1;\n", "needs .version 7.8" },
    { "mma of sm_80 on sm_75", "sim:sm_75", "7.0", "sm_75",
      "    mov.b32 %r2, 0;\n    mov.f32 %f0, 0f00000000;\n"
      "    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f0,%f0,%f0}, {%r2,%r2,%r2,%r2},"
      " {%r2,%r2}, {%f0,%f0,%f0,%f0};\n", "needs .target sm_80" },
    { "unknown device", "sim:sm_60", "7.0", "sm_70", "", "no such device 'sim:sm_60'" },
    { "device with a tail", "sim:sm_80x", "7.0", "sm_70", "", "no such device" },
};
/* clang-format on */

static void test_versions(void)
{
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        DeviceError e = sim_run((SimRun){.spec = versions[i].spec,
                                         .version = versions[i].version,
                                         .target = versions[i].target,
                                         .body = versions[i].body},
                                NULL);
        bool good = versions[i].want ? e && strstr(e, versions[i].want) : !e;
        if (!ok(good, "%s", versions[i].name)) diag("the error was: %s", e ? e : "none");
    }
}

/* -- The device's own calls ------------------------------------------------------------------- */

static void test_launch_checks(Device *d)
{
    static char text[1 << 14];
    DeviceKernel *k = NULL;
    SimRun r = {.body = ""};
    sim_defaults(&r);
    uint64_t args[2] = {0, 0};
    sim_text(text, sizeof text, &r);
    ok(d->ops->load(d, text, "other", &k) && !k, "an entry that is not there");
    ok(!d->ops->load(d, text, "test", &k), "loads");
    ok(d->ops->launch(d, NULL, k, (DeviceGrid){{1, 1, 1}, 32}, args, 8) != NULL,
       "parameters too short");
    ok(d->ops->launch(d, NULL, k, (DeviceGrid){{1, 1, 1}, 1025}, args, 16) != NULL, "1025 threads");
    ok(d->ops->launch(d, NULL, k, (DeviceGrid){{1, 1, 1}, 0}, args, 16) != NULL, "no threads");
    ok(d->ops->launch(d, NULL, k, (DeviceGrid){{1, 0, 1}, 32}, args, 16) != NULL, "no blocks");
    ok(!d->ops->launch(d, NULL, k, (DeviceGrid){{2, 3, 4}, 33}, args, 16),
       "24 blocks of 33 threads");
    d->ops->unload(d, k);
}

static void test_memory(Device *d)
{
    void *p = NULL, *q = NULL;
    char host[64] = "text", back[64];
    ok(!d->ops->alloc(d, 64, &p) && (uintptr_t)p % 256 == 0, "memory is aligned as cudaMalloc's");
    ok(!d->ops->alloc(d, 0, &q) && q, "no bytes have an address too");
    ok(d->ops->where(d, (char *)p + 63) == POINTER_DEVICE, "device memory is known");
    ok(d->ops->where(d, (char *)p + 64) == POINTER_HOST && d->ops->where(d, host) == POINTER_HOST,
       "other memory is the host's");
    ok(d->ops->alloc(d, (size_t)1 << 60, &q) != NULL, "too much memory is an error");
    ok(!d->ops->copy(d, NULL, COPY_TO_DEVICE, p, 16, host, 8, 8, 4), "a copy by rows");
    ok(!d->ops->copy(d, NULL, COPY_TO_HOST, back, 8, p, 16, 8, 4) && !memcmp(host, back, 32),
       "comes back");
    ok(d->ops->copy(d, NULL, COPY_TO_HOST, back, 16, p, 16, 16, 4) != NULL,
       "the gaps were never written");
    ok(d->ops->copy(d, NULL, COPY_TO_DEVICE, p, 16, host, 16, 16, 5) != NULL,
       "a copy that leaves memory");
    d->ops->release(d, p);
    ok(d->ops->copy(d, NULL, COPY_TO_DEVICE, p, 8, host, 8, 8, 1) != NULL,
       "released memory is gone");
}

/* The first block that fails speaks, however many host threads there are. */
static void test_first_error(void)
{
    const char *body = "    setp.lt.u32 %p0, %r1, 37;\n    @%p0 ret;\n    trap;\n";
    for (int i = 0; i < 8; i++) {
        DeviceError e = sim_run((SimRun){.body = body, .blocks = 100}, NULL);
        if (!e || !strstr(e, "block (37,0,0)")) {
            ok(false, "of many errors the first block's is told");
            return;
        }
    }
    ok(true, "of many errors the first block's is told");
}

int main(void)
{
    Device *d;
    if (sim_open("sim:sm_80", &d)) bail("no simulated device");
    test_broken();
    test_versions();
    test_launch_checks(d);
    test_memory(d);
    test_first_error();
    d->ops->close(d);
    return tap_done();
}
