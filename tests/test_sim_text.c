/* The simulated device reads PTX: what a module may look like, and what each part of it means. */
#include "gpu/sim/sim.h"
#include "tests/tap.h"

#include <string.h>

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

/* Two entries, comments, parameters one by one, single registers, several arrays, signed
 * offsets, hex. */
static const char *const module =
    "// a module\n" HEAD "/* with comments\n   of both kinds */\n"
    ".visible .entry first()\n{\n    trap;\n    ret;\n}\n"
    ".visible .entry second(.param .u32 n, .param .u64 out,\n    .param .f32 scale, .param .align "
    "8 .b8 rest[8])\n"
    ".reqntid 32, 2\n.minnctapersm 1\n{\n"
    "    .reg .u32 %n, %t, %r<4>;\n    .reg .u64 %out, %at;\n    .reg .f32 %f<3>;\n    .reg .pred "
    "%p;\n"
    "    .shared .b8 pad;\n    .shared .align 16 .f32 values[64];\n"
    "    ld.param.u32 %n, [n]; ld.param.u64 %out, [out]; ld.param.f32 %f0, [scale];\n"
    "    ld.param.s16 %r0, [rest+2];\n" /* widened with its sign */
    "    mov.u32 %t, %tid.x;\n    cvt.rn.f32.u32 %f1, %t;\n"
    "    mov.u32 %r1, values;\n    mad.lo.u32 %r2, %t, 0x4, %r1;\n"
    "    st.shared.f32 [%r2+0], %f1; // one a thread\n"
    "    bar.sync 0;\n"
    "    xor.b32 %r3, %t, 1;\n    mad.lo.u32 %r3, %r3, 4, %r1;\n    add.u32 %r3, %r3, 4;\n"
    "    ld.shared.f32 %f2, [%r3+-4];\n    fma.rn.f32 %f2, %f2, %f0, 0f3F000000;\n"
    "    cvt.rn.f32.s32 %f1, %r0;\n    add.f32 %f2, %f2, %f1;\n"
    "    setp.ge.u32 %p, %t, %n;\n    mad.wide.u32 %at, %t, 4, %out;\n"
    "    @%p bra $skip;\n    st.global.f32 [%at], %f2;\n$skip:\n    ret;\n}\n";

typedef struct {
    uint32_t n, pad;
    uint64_t out;
    float scale;
    uint32_t pad2;
    int16_t rest[4];
} Params;

static void test_module(Device *d)
{
    DeviceKernel *k = NULL;
    Params p = {.n = 50, .scale = 2, .rest = {9, -100, 9, 9}};
    void *out = NULL;
    float back[50];
    bool right = true;
    DeviceError e = d->ops->load(d, module, "second", &k);
    if (!ok(!e, "a module with two entries loads")) bail("%s", e);
    e = d->ops->alloc(d, sizeof back, &out);
    memcpy(&p.out, &out, sizeof out);
    if (!e) e = d->ops->launch(d, NULL, k, (DeviceGrid){{1, 1, 1}, 64}, &p, sizeof p);
    if (!e)
        e = d->ops->copy(d, NULL, COPY_TO_HOST, back, sizeof back, out, sizeof back, sizeof back,
                         1);
    for (int i = 0; i < 50 && !e; i++) right &= back[i] == (float)(i ^ 1) * 2 + 0.5F - 100;
    if (!ok(!e && right, "parameters have their natural places, offsets their signs"))
        diag("%s", e ? e : "");
    e = d->ops->launch(d, NULL, k, (DeviceGrid){{1, 1, 1}, 32}, &p, sizeof p);
    ok(e && strstr(e, "blocks of 32 threads"), ".reqntid is required");
    d->ops->release(d, out);
    d->ops->unload(d, k);
}

/* clang-format off */
#define BODY(decls) HEAD ".visible .entry k(.param .u64 p)\n{\n" decls "    ret;\n}\n"
static const struct {
    const char *name, *text, *want;
} refused[] = {
    { "no version",            ".target sm_70\n",                              "'.version' expected" },
    { "no target",             ".version 7.0\n.address_size 64\n",             "'.target' expected" },
    { "32-bit addresses",      ".version 7.0\n.target sm_70\n.address_size 32\n", "64 bits" },
    { "nothing at all",        "",                                             "'.version' expected" },
    { "a module-wide array",   HEAD ".global .b32 x;\n",                       "'.entry' expected" },
    { "a device function",     HEAD ".func f()\n{\n    ret;\n}\n",             "'.entry' expected" },
    { "an unfinished entry",   HEAD ".visible .entry k()\n{\n    ret;\n",      "'}' expected" },
    { "an empty entry",        HEAD ".visible .entry k()\n{\n}\n",             "control can reach the end" },
    { "a guarded end",         BODY(".reg .pred %p;\n@%p "),                   "control can reach the end" },
    { "a block in the body",   BODY("{\n}\n"),                                 "instruction expected" },
    { "a register twice",      BODY(".reg .b32 %r<2>;\n.reg .b32 %r<2>;\n"),   "declared twice" },
    { "a label twice",         BODY("$L1:\n$L1:\n"),                           "declared twice" },
    { "unknown type",          BODY(".reg .b33 %r;\n"),                        "unknown type '.b33'" },
    { "too much shared memory", BODY(".shared .align 16 .b8 s[49153];\n"),     "more than 49152 bytes" },
    { "odd alignment",         BODY(".shared .align 3 .b8 s[4];\n"),           "impossible alignment" },
    { "too many registers",    BODY(".reg .b32 %r<99999999>;\n"),              "too many registers" },
    { "too many threads",      HEAD ".visible .entry k()\n.maxntid 2048\n{\n", "threads" },
    { "unknown directive",     HEAD ".visible .entry k()\n.maxsomething 1\n{\n", "unknown directive" },
    { "a register as label",   BODY(".reg .b32 %r;\nbra %r;\n"),               "a label is needed" },
    { "negated source",        BODY(".reg .b32 %r;\nmov.b32 %r, !%r;\n"),      "negated" },
    { "constant destination",  BODY(".reg .b32 %r;\nmov.b32 1, %r;\n"),        "the destination is no register" },
    { "store to a parameter",  BODY("st.param.b32 [p], 0;\n"),                 "unknown instruction" },
    { "load of a parameter as global", BODY(".reg .b64 %r;\nld.global.b64 %r, [p];\n"), "another space" },
    { "shared address as global", BODY(".shared .b32 s;\n.reg .b32 %r;\nld.global.b32 %r, [s];\n"), "another space" },
    { "short vector",          BODY(".reg .b32 %r;\n.reg .b64 %a;\nld.global.v2.b32 {%r}, [%a];\n"), "number of registers" },
    { "mixed widths",          BODY(".reg .b32 %r;\n.reg .b64 %a;\nld.global.v2.b32 {%r, %a}, [%a];\n"), "wrong type" },
    { "a minus in an address", BODY(".reg .b32 %r;\n.reg .b64 %a;\nld.global.b32 %r, [%a-4];\n"), "']' expected" },
    { "a stray character",     BODY("?\n"),                                    "instruction expected" },
    { "a long float in bits",  BODY(".reg .f32 %f;\nmov.f32 %f, 0f3F80000;\n"), "operand expected" },
};
/* clang-format on */

static void test_refused(Device *d)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        DeviceKernel *k = NULL;
        DeviceError e = d->ops->load(d, refused[i].text, "k", &k);
        if (!ok(e && strstr(e, refused[i].want), "refused: %s", refused[i].name))
            diag("the error was: %s", e ? e : "none");
        if (!e) d->ops->unload(d, k);
    }
}

/* Every text that ends too early is refused, and none brings the parser down. */
static void test_truncated(Device *d)
{
    static char text[4096];
    const size_t n = strlen(module);
    size_t loaded = 0, last = 0;
    for (size_t cut = 0; cut < n; cut++) {
        DeviceKernel *k = NULL;
        memcpy(text, module, cut);
        text[cut] = '\0';
        if (d->ops->load(d, text, "second", &k)) continue;
        loaded++;
        last = cut;
        d->ops->unload(d, k);
    }
    ok(loaded == 1 && last == n - 1, "of %zu beginnings only the whole but for its newline loads",
       n);
}

int main(void)
{
    Device *d;
    if (sim_open("sim:sm_70", &d)) bail("no simulated device");
    test_module(d);
    test_refused(d);
    test_truncated(d);
    d->ops->close(d);
    return tap_done();
}
