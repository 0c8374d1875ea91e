/*
 * Shared-memory atoms, tiles and forms against known answers and against the definition of a form,
 * bank conflicts against counts made by hand.
 */
#include "layout/smem.h"
#include "tests/layouts.h"

static void is_composed(ComposedLayout c, const char *text, const char *name)
{
    Shown got;
    composed_print(got.s, sizeof got.s, c);
    if (!ok(strcmp(got.s, text) == 0, "%s = %s", name, text)) diag("got %s", got.s);
}

/* -- Atoms and tiles --------------------------------------------------------------------------- */
static const struct {
    SmemMode mode;
    SmemMajor major;
    Dtype type;
    const char *atom;
} atoms[] = {
    {SMEM_NONE, SMEM_K_MAJOR, DTYPE_F16, "S<0,4,3> o 0 o (8,8):(8,1)"},
    {SMEM_32B, SMEM_K_MAJOR, DTYPE_F16, "S<1,4,3> o 0 o (8,16):(16,1)"},
    {SMEM_64B, SMEM_K_MAJOR, DTYPE_BF16, "S<2,4,3> o 0 o (8,32):(32,1)"},
    {SMEM_128B, SMEM_K_MAJOR, DTYPE_F16, "S<3,4,3> o 0 o (8,64):(64,1)"},
    {SMEM_128B, SMEM_MN_MAJOR, DTYPE_F16, "S<3,4,3> o 0 o (64,8):(1,64)"},
    {SMEM_64B, SMEM_MN_MAJOR, DTYPE_BF16, "S<2,4,3> o 0 o (32,8):(1,32)"},
    {SMEM_128B, SMEM_K_MAJOR, DTYPE_TF32, "S<3,4,3> o 0 o (8,32):(32,1)"},
    {SMEM_128B, SMEM_K_MAJOR, DTYPE_E4M3, "S<3,4,3> o 0 o (8,128):(128,1)"},
    {SMEM_32B, SMEM_K_MAJOR, DTYPE_S8, "S<1,4,3> o 0 o (8,32):(32,1)"},
    {SMEM_NONE, SMEM_MN_MAJOR, DTYPE_F64, "S<0,4,3> o 0 o (2,8):(1,2)"},
    {SMEM_128B, SMEM_K_MAJOR, DTYPE_B1, "S<3,4,3> o 0 o (8,1024):(1024,1)"},
};

static void test_atoms(void)
{
    for (size_t i = 0; i < sizeof atoms / sizeof atoms[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s, %s-major, %s", dtype_name(atoms[i].type),
                 smem_major_name(atoms[i].major), smem_mode_name(atoms[i].mode));
        is_composed(smem_atom(atoms[i].mode, atoms[i].major, atoms[i].type), atoms[i].atom, name);
    }
    is_refused(smem_atom(SMEM_128B, SMEM_K_MAJOR, DTYPE_NONE).layout, "no type", "an atom of none");
    is_refused(smem_atom_fitting(SMEM_K_MAJOR, DTYPE_F16, 12).layout, "chunks of 16 bytes",
               "12 halves");
    is_composed(smem_atom_fitting(SMEM_K_MAJOR, DTYPE_F16, 96), "S<2,4,3> o 0 o (8,32):(32,1)",
                "the widest that divides 96 halves");
}

/* Layouts printed for a 128 x 128 x 64 tile of seven stages in halves. */
static void test_tiles(void)
{
    ComposedLayout atom = smem_atom(SMEM_128B, SMEM_K_MAJOR, DTYPE_F16);
    ComposedLayout staged = smem_tile_to_shape(atom, 3, (int64_t[]){128, 64, 7}, (int[]){0, 1, 2});
    const char *text = "S<3,4,3> o 0 o ((8,16),(64,1),(1,7)):((64,512),(1,0),(0,8192))";
    is_composed(staged, text, "seven stages");
    is_composed(smem_tile(SMEM_K_MAJOR, DTYPE_F16, 128, 64, 7), text, "the same in one call");
    int64_t stage[] = {COMPOSED_ALL, COMPOSED_ALL, 0};
    is_composed(composed_slice(staged, 3, stage), "S<3,4,3> o 0 o ((8,16),(64,1)):((64,512),(1,0))",
                "stage 0");
    stage[2] = 2;
    is_composed(composed_slice(staged, 3, stage),
                "S<3,4,3> o 16384 o ((8,16),(64,1)):((64,512),(1,0))", "stage 2");
    ok(composed_cosize(staged) == 128 * 64 * 7, "a buffer of seven stages");
    is_composed(smem_tile(SMEM_MN_MAJOR, DTYPE_F16, 128, 64, 2),
                "S<3,4,3> o 0 o ((64,2),(8,8),(1,2)):((1,4096),(64,512),(0,8192))",
                "MN-major: K repeats first");
    is_composed(smem_tile_to_shape(atom, 2, (int64_t[]){16, 128}, (int[]){1, 0}),
                "S<3,4,3> o 0 o ((8,2),(64,2)):((64,1024),(1,512))", "K repeats first");
    is_composed(smem_tile_to_shape(atom, 2, (int64_t[]){16, 128}, NULL),
                "S<3,4,3> o 0 o ((8,2),(64,2)):((64,512),(1,1024))", "no order: MN first");
    is_refused(smem_tile_to_shape(atom, 2, (int64_t[]){12, 64}, NULL).layout, "does not divide",
               "a shape of 12 rows");
    is_refused(smem_tile_to_shape(atom, 2, (int64_t[]){16, 64}, (int[]){0, 2}).layout,
               "no mode is number 1", "an order with a gap");
    is_refused(smem_tile_to_shape(atom, 1, (int64_t[]){16}, NULL).layout, "an atom of 2 modes",
               "a shape of one mode");
}

/* Read through the swizzle, each element once: a tile is a bijection onto its buffer. */
static void test_bijection(void)
{
    enum { MOST = 64 * 64 * 2 };
    static const Dtype types[] = {DTYPE_F16, DTYPE_E4M3, DTYPE_F32, DTYPE_S4};
    Property p[] = {{.name = "a tile is a bijection onto its buffer"},
                    {.name = "and has the form it was made with"}};
    for (int t = 0; t < 4; t++)
        for (int mode = SMEM_NONE; mode <= SMEM_128B; mode++)
            for (int major = 0; major < 2; major++) {
                ComposedLayout atom = smem_atom((SmemMode)mode, (SmemMajor)major, types[t]);
                int64_t n[3] = {2 * layout_size(layout_mode(atom.layout, 0)),
                                layout_size(layout_mode(atom.layout, 1)), 2};
                ComposedLayout tile = smem_tile_to_shape(atom, 3, n, NULL);
                static char seen[MOST];
                memset(seen, 0, sizeof seen);
                int64_t size = layout_size(tile.layout);
                bool once = size <= MOST && size == composed_cosize(tile);
                for (int64_t i = 0; i < size && once; i++) {
                    int64_t at = composed_at(tile, i);
                    once = at >= 0 && at < size && !seen[at]++;
                }
                check(&p[0], once, "%s mode %d", dtype_name(types[t]), mode);
                SmemForm form = smem_form(tile);
                check(&p[1], !form.why && (int)form.mode == mode && (int)form.major == major,
                      "%s mode %d major %d: %s", dtype_name(types[t]), mode, major,
                      form.why ? form.why : "another");
            }
    report(p, 2);
}

/* -- Forms ------------------------------------------------------------------------------------- */
static const struct {
    const char *layout, *why; /* 16-bit elements; NULL: mode and major are */
    SmemMode mode;
    SmemMajor major;
} forms[] = {
    {"S<3,4,3> o 0 o ((8,16),(64,1)):((64,512),(1,0))", NULL, SMEM_128B, SMEM_K_MAJOR},
    {"S<3,4,3> o 0 o (128,64):(64,1)", NULL, SMEM_128B, SMEM_K_MAJOR},
    {"S<2,4,3> o 0 o (64,8):(32,1)", NULL, SMEM_64B, SMEM_K_MAJOR},
    {"S<3,4,3> o 16 o (64,16):(64,1)", NULL, SMEM_128B, SMEM_K_MAJOR},
    {"S<1,4,3> o 128 o (8,16):(16,1)", NULL, SMEM_32B, SMEM_K_MAJOR},
    {"S<2,4,3> o 0 o ((32,4),(8,8)):((1,2048),(32,256))", NULL, SMEM_64B, SMEM_MN_MAJOR},
    {"S<0,4,3> o 8 o ((8,4),(8,2)):((8,64),(1,256))", NULL, SMEM_NONE, SMEM_K_MAJOR},
    {"S<0,4,3> o 0 o ((8,4),(8,2)):((1,64),(8,256))", NULL, SMEM_NONE, SMEM_MN_MAJOR},
    {"(64,64):(64,1)", "rows are not a swizzle's width apart", SMEM_NONE, SMEM_K_MAJOR},
    {"S<0,4,3> o 0 o (64,64):(72,1)", "rows are not a swizzle's width apart", SMEM_NONE,
     SMEM_K_MAJOR},
    {"S<2,4,3> o 0 o (8,(8,8)):(8,(1,64))", "a row of the swizzle is not contiguous", SMEM_NONE,
     SMEM_K_MAJOR},
    {"S<3,4,3> o 0 o (64,32):(32,1)", "rows are not a swizzle's width apart", SMEM_NONE,
     SMEM_K_MAJOR},
    {"S<3,4,3> o 0 o (64,96):(96,1)", "rows do not divide", SMEM_NONE, SMEM_K_MAJOR},
    {"S<3,4,3> o 0 o (12,64):(64,1)", "rows are not a swizzle's width apart", SMEM_NONE,
     SMEM_K_MAJOR},
    {"S<3,4,3> o 0 o ((8,2),64):((64,576),1)", "atoms do not begin", SMEM_NONE, SMEM_K_MAJOR},
    {"S<3,4,3> o 0 o ((8,2),64,3):((64,512),1,1056)", "atoms do not begin", SMEM_NONE,
     SMEM_K_MAJOR},
    {"S<3,4,3> o 4 o (8,64):(64,1)", "no chunk of 16 bytes", SMEM_NONE, SMEM_K_MAJOR},
    {"S<3,4,3> o 8 o (8,64):(64,1)", "leaves the first row", SMEM_NONE, SMEM_K_MAJOR},
    {"S<3,4,3> o 64 o (8,64):(64,1)", "leaves the first row", SMEM_NONE, SMEM_K_MAJOR},
    {"S<3,3,3> o 0 o (8,64):(64,1)", "no swizzle of the hardware", SMEM_NONE, SMEM_K_MAJOR},
    {"S<4,4,4> o 0 o (8,64):(64,1)", "no swizzle of the hardware", SMEM_NONE, SMEM_K_MAJOR},
    {"S<3,4,3> o 0 o (8,64):(128,2)", "neither MN nor K", SMEM_NONE, SMEM_K_MAJOR},
    {"S<3,4,3> o 0 o 64:1", "no two modes", SMEM_NONE, SMEM_K_MAJOR},
};

static void test_forms(void)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        SmemForm form = smem_form(composed_typed(composed_parse(forms[i].layout), 16));
        bool right = forms[i].why
                         ? form.why && strstr(form.why, forms[i].why)
                         : !form.why && form.mode == forms[i].mode && form.major == forms[i].major;
        if (!ok(right, "%s: %s", forms[i].layout,
                forms[i].why ? forms[i].why : smem_mode_name(forms[i].mode)))
            diag("got %s %s-major: %s", smem_mode_name(form.mode), smem_major_name(form.major),
                 form.why ? form.why : "yes");
    }
    ok(smem_form(composed_parse("S<3,4,3> o 0 o (8,64):(64,1)")).why != NULL,
       "without an element size there is no form");
    ok(smem_form(composed_parse("S<3")).why != NULL, "a poisoned layout has no form");
}

/* -- Bank conflicts ---------------------------------------------------------------------------- */
static const struct {
    const char *access; /* of bits-wide elements */
    int bits, bytes, turns, least;
    const char *what;
} conflicts[] = {
    {"32:4", 8, 4, 1, 1, "neighbouring words"},
    {"32:0", 8, 4, 1, 1, "one word for all"},
    {"32:128", 8, 4, 32, 1, "a column of 128-byte rows"},
    {"32:132", 8, 4, 1, 1, "a column of padded rows"},
    {"32:8", 8, 4, 2, 1, "every second word"},
    {"32:8", 8, 8, 2, 2, "neighbouring pairs"},
    {"32:16", 8, 16, 4, 4, "neighbouring quads"},
    {"(16,2):(128,8)", 8, 8, 32, 2, "two columns of pairs"},
    {"((4,8)):((4,128))", 8, 4, 8, 1, "fragments from 128-byte rows"},
    {"S<3,4,3> o 0 o ((4,8)):((4,128))", 8, 4, 1, 1, "the same swizzled"},
    {"(8):(64)", 16, 16, 8, 1, "ldmatrix x1 down 128-byte rows of halves"},
    {"S<3,4,3> o 0 o (8):(64)", 16, 16, 1, 1, "the same swizzled"},
    {"((8,4)):((64,8))", 16, 16, 32, 4, "ldmatrix x4 down 128-byte rows"},
    {"S<3,4,3> o 0 o ((8,4)):((64,8))", 16, 16, 4, 4, "the same swizzled"},
    {"(8):(32)", 16, 16, 4, 1, "ldmatrix down 64-byte rows"},
    {"S<2,4,3> o 0 o (8):(32)", 16, 16, 1, 1, "the same swizzled"},
    {"(8):(16)", 16, 16, 2, 1, "ldmatrix down 32-byte rows"},
    {"S<1,4,3> o 0 o (8):(16)", 16, 16, 1, 1, "the same swizzled"},
    {"(8):(72)", 16, 16, 1, 1, "ldmatrix down rows padded by 16 bytes"},
    {"((8,4),4):((64,512),16)", 16, 16, 128, 16, "four ldmatrix along K"},
    {"S<3,4,3> o 0 o ((8,4),4):((64,512),16)", 16, 16, 16, 16, "the same swizzled"},
};

static void test_conflicts(void)
{
    for (size_t i = 0; i < sizeof conflicts / sizeof conflicts[0]; i++) {
        ComposedLayout access =
            composed_typed(composed_parse(conflicts[i].access), conflicts[i].bits);
        SmemTurns got = smem_turns(access, conflicts[i].bytes);
        if (!ok(!got.why && got.turns == conflicts[i].turns && got.least == conflicts[i].least,
                "%s, %s: %d turns, least %d", conflicts[i].what, conflicts[i].access,
                conflicts[i].turns, conflicts[i].least))
            diag("got %d, least %d, %s", got.turns, got.least, got.why ? got.why : "");
    }
    ok(smem_turns(composed_parse("32:4"), 3).why != NULL, "no access of 3 bytes");
    ok(smem_turns(composed_parse("32:4"), 16).why != NULL, "16 bytes at 4 are misaligned");
    ok(smem_turns(composed_parse("64:4"), 4).why != NULL, "a warp has 32 lanes");
    ok(smem_turns(composed_parse("32:-4"), 4).why != NULL, "negative offsets");
    ok(smem_turns(composed_parse("32"), 4).why != NULL, "words at odd bytes");
}

int main(void)
{
    test_atoms();
    test_tiles();
    test_bijection();
    test_forms();
    test_conflicts();
    return tap_done();
}
