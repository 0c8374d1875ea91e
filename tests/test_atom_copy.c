/*
 * The table of copy atoms. Every atom, and every tensor copy at each number of dimensions and
 * several boxes: Src and Dst are bijections onto the same bits, addresses are as aligned as they
 * must be, registers are filled, and the instruction's text says what the row says. ldmatrix and
 * stmatrix move each element where the PTX manual says, and by one address a lane bring matrices
 * to and from the fragments of the MMA atoms. Where there is a ptxas ($PTXAS, or on PATH), it takes
 * each instruction at the target and version of its row.
 */
#include "tests/layouts.h"
#include "tests/ptxas.h"
#include "layout/atom_copy.h"
#include "layout/atom_mma.h"

#include <unistd.h>

enum { LANES = 32, BITS = 1 << 16 };

/* -- Bits -------------------------------------------------------------------------------------- */
/* One side of an atom, evaluated: bit v of thread t is bit t[t] + v[v] of the data moved. */
typedef struct {
    int threads, values;
    int t[LANES], v[BITS];
    bool repeats[LANES]; /* the thread's bits are those of an earlier one */
} Side;

static Side src, dst;

static bool read_side(Side *side, const CopyAtom *atom, Layout tv)
{
    if (layout_rank(tv) != 2) return false;
    const Layout thr = layout_mode(tv, 0), val = layout_mode(tv, 1);
    if (layout_size(thr) != copy_atom_threads(atom) || layout_size(thr) > LANES) return false;
    if (layout_size(val) > BITS) return false;
    side->threads = (int)layout_size(thr);
    side->values = (int)layout_size(val);
    for (int i = 0; i < side->values; i++) side->v[i] = (int)layout_at(val, i);
    for (int i = 0; i < side->threads; i++) {
        side->t[i] = (int)layout_at(thr, i);
        side->repeats[i] = false;
        for (int j = 0; j < i; j++) side->repeats[i] |= side->t[j] == side->t[i];
    }
    return true;
}

static bool read_sides(const CopyAtom *atom)
{
    return read_side(&src, atom, copy_atom_src(atom)) && read_side(&dst, atom, copy_atom_dst(atom));
}

/* Each of the atom's bits once, but for threads that repeat others. */
static bool is_bijection(const CopyAtom *atom, const Side *side)
{
    static bool has[BITS];
    const int bits = copy_atom_threads(atom) * atom->bits;
    int found = 0;
    if (bits > BITS) return false;
    memset(has, 0, sizeof has);
    for (int t = 0; t < side->threads; t++)
        for (int v = 0; v < side->values && !side->repeats[t]; v++, found++) {
            const int bit = side->t[t] + side->v[v];
            if (bit < 0 || bit >= bits || has[bit]) return false;
            has[bit] = true;
        }
    return found == bits;
}

/* Bytes that must divide an address: the manual asks 16 of a tensor and 128 of its boxes in shared
 * memory, else as many as the thread moves from there. */
static int manual_align(const CopyAtom *atom, CopySpace space, const Side *side)
{
    if (space == COPY_REGISTERS) return 0;
    if (atom->dims) return space == COPY_GLOBAL ? 16 : 128;
    return side->values / 8;
}

/* In memory a thread's bits follow one another, from a multiple of the alignment where the whole
 * begins at one. */
static bool is_aligned(const CopyAtom *atom, CopySpace space, const Side *side, int bytes)
{
    if (bytes != manual_align(atom, space, side)) return false;
    for (int t = 0; t < side->threads && bytes; t++)
        if (side->t[t] % (8 * bytes) != 0) return false;
    for (int v = 0; v < side->values && bytes; v++)
        if (side->v[v] != v) return false;
    return true;
}

/* On the side of the registers each thread has its own bits, as many as the row says. */
static bool fills_registers(const CopyAtom *atom)
{
    const Side *side = atom->from == COPY_REGISTERS ? &src : &dst;
    const int regs = copy_atom_regs(atom);
    if (atom->from != COPY_REGISTERS && atom->to != COPY_REGISTERS) return regs == 0;
    for (int t = 0; t < side->threads; t++)
        if (side->repeats[t]) return false;
    return side->values == atom->bits &&
           (regs * 32 == atom->bits || (regs == 1 && atom->bits < 32));
}

/* -- Texts ------------------------------------------------------------------------------------- */
static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

/* Where the text says how much a thread moves: the size of cp.async, the type of a register that
 * is not full. */
static bool width_fits(const CopyAtom *atom)
{
    char size[24], type[24];
    snprintf(size, sizeof size, "[src], %d", atom->bits / 8);
    snprintf(type, sizeof type, ".b%d", atom->bits);
    const char *at = strstr(atom->operands, size);
    if (atom->done == COPY_COMMIT_GROUP) return at && strspn(at + strlen(size), "0123456789") == 0;
    return atom->bits >= 32 || has(atom->mnemonic, type);
}

/* The numbers that follow `letter` in the operands are 0, 1, ... and this many. */
static bool counts_up(const char *operands, char letter, int want)
{
    int count = 0;
    for (const char *at = operands; *at; at++) {
        if (*at != letter || at[1] < '0' || at[1] > '9') continue;
        if (at[1] - '0' != count++) return false;
    }
    return count == want;
}

static bool operands_fit(const CopyAtom *atom, int dims)
{
    const bool tensor = atom->dims > 0;
    const bool given[] = {atom->from != COPY_REGISTERS && !(tensor && atom->from == COPY_GLOBAL),
                          atom->to != COPY_REGISTERS && !(tensor && atom->to == COPY_GLOBAL),
                          tensor, atom->done == COPY_MBARRIER, atom->zfill};
    const char *const word[] = {"[src]", "[dst]", "[map, {c0", "[mbar]", ", n"};
    for (int i = 0; i < 5; i++)
        if (has(atom->operands, word[i]) != given[i]) return false;
    return width_fits(atom) && counts_up(atom->operands, 'r', copy_atom_regs(atom)) &&
           counts_up(atom->operands, 'c', dims) &&
           has(atom->operands, ", mask") == has(atom->mnemonic, ".multicast");
}

/* Order of the spaces in the text: cp.async and TMA name the destination first. */
static bool spaces_fit(const CopyAtom *atom)
{
    const char *global = strstr(atom->mnemonic, ".global");
    const char *shared = strstr(atom->mnemonic, ".shared");
    const bool uses_global = atom->from == COPY_GLOBAL || atom->to == COPY_GLOBAL;
    const bool uses_shared = atom->from == COPY_SHARED || atom->to == COPY_SHARED;
    if (!global != !uses_global || !shared != !uses_shared) return false;
    return !global || !shared || (shared < global) == (atom->to == COPY_SHARED);
}

static bool completion_fits(const CopyAtom *atom)
{
    const char *text = atom->mnemonic;
    const bool async = has(text, ".async"), bulk = has(text, ".bulk");
    return (atom->done == COPY_IN_ORDER) == !async &&
           (atom->done == COPY_COMMIT_GROUP) == (async && !bulk) &&
           (atom->done == COPY_MBARRIER) == has(text, ".mbarrier::complete_tx::bytes") &&
           (atom->done == COPY_BULK_GROUP) == has(text, ".bulk_group") &&
           (atom->done == COPY_IN_ORDER) == (copy_atom_regs(atom) > 0);
}

/* The width in a name: <uint32_t>, _U32x4_ for a thread's registers; a box is not in the name. */
static bool name_fits(const CopyAtom *atom)
{
    int sm = atom->sm, width = 0, count = 1;
    const char *type = strstr(atom->name, "<uint"), *vector = strstr(atom->name, "_U");
    if (sscanf(atom->name, "SM%d_", &sm) == 1 ? sm != atom->sm : atom->sm != 70) return false;
    if (atom->dims) return !type && !vector;
    if (type) return sscanf(type, "<uint%d_t>", &width) == 1 && width == atom->bits;
    return vector && sscanf(vector, "_U%dx%d_", &width, &count) == 2 &&
           width * count == atom->bits && (width == 16) == has(atom->mnemonic, ".trans");
}

/* -- Every atom -------------------------------------------------------------------------------- */
enum {
    BIJECTIONS,
    ALIGNED,
    REGISTERS,
    OPERANDS,
    SPACES,
    COMPLETION,
    NAME,
    FOUND,
    BOXES,
    PROPERTIES
};

static Property property[PROPERTIES] = {
    [BIJECTIONS] = {.name = "Src and Dst are bijections onto the same bits"},
    [ALIGNED] = {.name = "a thread's memory is in one piece and as aligned as it must be"},
    [REGISTERS] = {.name = "a thread's bits fill its registers"},
    [OPERANDS] = {.name = "the operands are those of the row"},
    [SPACES] = {.name = "the mnemonic goes from space to space"},
    [COMPLETION] = {.name = "the mnemonic completes as the row says"},
    [NAME] = {.name = "the name says what the row says"},
    [FOUND] = {.name = "the row is found by its name"},
    [BOXES] = {.name = "boxes are made, and the smallest of 1 dimension is the row"},
};

static void check_atom(const CopyAtom *atom, int dims)
{
    const char *name = atom->name;
    const bool whole =
        check(&property[BIJECTIONS],
              read_sides(atom) && is_bijection(atom, &src) && is_bijection(atom, &dst),
              "%s: %s to %s", name, atom->src_tv, atom->dst_tv);
    if (whole) {
        check(&property[ALIGNED],
              is_aligned(atom, atom->from, &src, atom->src_align) &&
                  is_aligned(atom, atom->to, &dst, atom->dst_align),
              "%s: %d, %d", name, atom->src_align, atom->dst_align);
        check(&property[REGISTERS], fills_registers(atom), "%s: %d", name, copy_atom_regs(atom));
    }
    check(&property[OPERANDS], operands_fit(atom, dims), "%s: %s", name, atom->operands);
    check(&property[SPACES], spaces_fit(atom), "%s: %s", name, atom->mnemonic);
    check(&property[COMPLETION], completion_fits(atom), "%s: %s", name, atom->mnemonic);
    check(&property[NAME], name_fits(atom), "%s", name);
}

static void check_boxes(const CopyAtom *row)
{
    CopyAtomText text;
    CopyAtom atom = copy_atom_at_box(row, 1, row->bits, &text);
    check(&property[BOXES],
          atom.name && strcmp(atom.mnemonic, row->mnemonic) == 0 &&
              strcmp(atom.operands, row->operands) == 0 && atom.bits == row->bits &&
              strcmp(atom.src_tv, row->src_tv) == 0 && strcmp(atom.dst_tv, row->dst_tv) == 0,
          "%s: %s", row->name, text.why);
    for (int dims = 1; dims <= row->dims; dims++)
        for (int bits = COPY_BOX_BITS; bits <= BITS; bits += 63 * COPY_BOX_BITS) {
            atom = copy_atom_at_box(row, dims, bits, &text);
            if (check(&property[BOXES], atom.name, "%s", text.why)) check_atom(&atom, dims);
        }
}

static void test_atoms(void)
{
    for (const CopyAtom *row = copy_atoms; row->name; row++) {
        check_atom(row, row->dims ? 1 : 0);
        check(&property[FOUND], copy_atom_find(row->name) == row, "%s", row->name);
        if (row->dims) check_boxes(row);
    }
    report(property, PROPERTIES);
}

/* -- Matrices of 8x8, by the manual ------------------------------------------------------------ */
/* Register i of a lane has two elements j of matrix i, whose row r is at the address that lane
 * 8*i + r gives: row lane/4, columns 2*(lane%4) + j; rows and columns exchanged by .trans. */
static bool is_fragment(const CopyAtom *atom, bool trans, const Side *rows, const Side *fragment)
{
    if (rows->values != 128 || fragment->values != atom->bits) return false;
    for (int lane = 0; lane < LANES; lane++)
        for (int v = 0; v < atom->bits; v++) {
            const int i = v / 32, j = v / 16 % 2, along = 2 * (lane % 4) + j;
            const int row = trans ? along : lane / 4, column = trans ? lane / 4 : along;
            const int in_memory = rows->t[8 * i + row] + rows->v[16 * column + v % 16];
            if (fragment->t[lane] + fragment->v[v] != in_memory) return false;
        }
    return true;
}

static void test_matrices(void)
{
    int loads = 0, stores = 0;
    Property manual = {.name = "ldmatrix and stmatrix: elements are where the manual says"};
    Property twins = {.name = "stmatrix is ldmatrix with Src and Dst exchanged"};
    for (const CopyAtom *row = copy_atoms; row->name; row++) {
        const bool load = has(row->mnemonic, "ldmatrix"), trans = has(row->mnemonic, ".trans");
        if (!load && !has(row->mnemonic, "stmatrix")) continue;
        check(&manual,
              read_sides(row) && is_fragment(row, trans, load ? &src : &dst, load ? &dst : &src),
              "%s: %s to %s", row->name, row->src_tv, row->dst_tv);
        loads += load;
        stores += !load;
        if (load) continue;
        char name[48];
        snprintf(name, sizeof name, "SM75%.*sLDSM%s", (int)(strlen(row->name) - 10), row->name + 4,
                 row->name + strlen(row->name) - 2);
        const CopyAtom *twin = copy_atom_find(name);
        check(&twins,
              twin && strcmp(row->src_tv, twin->dst_tv) == 0 &&
                  strcmp(row->dst_tv, twin->src_tv) == 0 &&
                  strcmp(row->mnemonic + 2, twin->mnemonic + 2) == 0,
              "%s: %s", row->name, name);
    }
    ok(loads == 6 && stores == 6, "ldmatrix and stmatrix: %d and %d rows", loads, stores);
    report(&manual, 1);
    report(&twins, 1);
}

/* -- Matrices and the fragments of MMA --------------------------------------------------------- */
/* Each lane gives the address of element first(lane) of an operand, from where its 16 bytes run
 * along mode `along` (0: m or n, 1: k or n). Then the fragment is the atom's. */
typedef struct {
    const char *copy, *mma;
    char operand;
    const char *first;
    int along;
} Feeding;

/* clang-format off */
static const Feeding feeding[] = {
    { "SM75_U32x4_LDSM_N", "SM80_16x8x16_F32F16F16F32_TN",   'A', "(16,2):(1@0,8@1)",      1 },
    { "SM75_U16x8_LDSM_T", "SM80_16x8x16_F32F16F16F32_TN",   'A', "(8,2,2):(1@1,8@0,8@1)", 0 },
    { "SM75_U32x2_LDSM_N", "SM80_16x8x16_F32F16F16F32_TN",   'B', "(8,2,2):(1@0,8@1,0)",   1 },
    { "SM75_U16x4_LDSM_T", "SM80_16x8x16_F32F16F16F32_TN",   'B', "(16,2):(1@1,0)",        0 },
    { "SM75_U32x2_LDSM_N", "SM80_16x8x8_F32F16F16F32_TN",    'A', "(16,2):(1@0,0)",        1 },
    { "SM75_U32x1_LDSM_N", "SM80_16x8x8_F32F16F16F32_TN",    'B', "(8,4):(1@0,0)",         1 },
    { "SM75_U16x2_LDSM_T", "SM80_16x8x8_F32F16F16F32_TN",    'B', "(8,4):(1@1,0)",         0 },
    { "SM75_U32x4_LDSM_N", "SM80_16x8x8_F32TF32TF32F32_TN",  'A', "(16,2):(1@0,4@1)",      1 },
    { "SM75_U32x4_LDSM_N", "SM80_16x8x32_S32S8S8S32_TN",     'A', "(16,2):(1@0,16@1)",     1 },
    { "SM90_U32x2_STSM_N", "SM80_16x8x16_F16F16F16F16_TN",   'C', "(16,2):(1@0,0)",        1 },
    { "SM90_U16x4_STSM_T", "SM80_16x8x16_F16F16F16F16_TN",   'C', "(8,2,2):(1@1,8@0,0)",   0 },
};
/* clang-format on */

static int element_bits(const Feeding *f, const MmaAtom *mma)
{
    return dtype_bits(f->operand == 'A' ? mma->a : f->operand == 'B' ? mma->b : mma->d);
}

/* Where the element of a fragment that begins at this bit of the data moved lies in the matrix. */
static void place_of(const Feeding *f, const Side *rows, int bit, int width, int64_t at[])
{
    int lane = 0;
    while (lane < LANES - 1 && (bit < rows->t[lane] || bit >= rows->t[lane] + 128)) lane++;
    layout_coord_at(layout_parse(f->first), lane, at);
    at[f->along] += (bit - rows->t[lane]) / width;
}

static bool feeds(const Feeding *f, const CopyAtom *copy, const MmaAtom *mma)
{
    const int width = element_bits(f, mma), count = copy->bits / width;
    const Layout tv = mma_atom_tv(mma, f->operand);
    const bool load = copy->to == COPY_REGISTERS;
    const Side *rows = load ? &src : &dst, *fragment = load ? &dst : &src;
    int64_t got[LAYOUT_DIMS], want[LAYOUT_DIMS];
    if (!read_sides(copy) || layout_size(tv) != LANES * count) return false;
    for (int i = 0; i < LANES * count; i++) {
        const int lane = i % LANES, v = i / LANES * width;
        place_of(f, rows, fragment->t[lane] + fragment->v[v], width, got);
        if (!layout_coord_at(tv, i, want) || got[0] != want[0] || got[1] != want[1]) return false;
    }
    return true;
}

static void test_feeding(void)
{
    for (size_t i = 0; i < sizeof feeding / sizeof *feeding; i++) {
        const Feeding *f = &feeding[i];
        const CopyAtom *copy = copy_atom_find(f->copy);
        const MmaAtom *mma = mma_atom_find(f->mma);
        ok(copy && mma && feeds(f, copy, mma), "%s by addresses %s is %c of %s", f->copy, f->first,
           f->operand, f->mma);
    }
}

/* -- Searches, boxes and refusals -------------------------------------------------------------- */
static void is_vectorized(CopySpace from, CopySpace to, int bits, const char *name)
{
    const CopyAtom *atom = copy_atom_vectorized(from, to, bits);
    ok(name ? atom && strcmp(atom->name, name) == 0 : !atom, "%s to %s by %d bits is %s",
       copy_space_name(from), copy_space_name(to), bits, name ? name : "none");
}

static void test_searches(void)
{
    is_vectorized(COPY_GLOBAL, COPY_REGISTERS, 128, "UniversalCopy<uint128_t>_LDG");
    is_vectorized(COPY_REGISTERS, COPY_SHARED, 96, "UniversalCopy<uint32_t>_STS");
    is_vectorized(COPY_REGISTERS, COPY_GLOBAL, 24, "UniversalCopy<uint8_t>_STG");
    is_vectorized(COPY_SHARED, COPY_REGISTERS, 4096, "UniversalCopy<uint128_t>_LDS");
    is_vectorized(COPY_GLOBAL, COPY_REGISTERS, 12, NULL);
    is_vectorized(COPY_GLOBAL, COPY_REGISTERS, 0, NULL);
    is_vectorized(COPY_GLOBAL, COPY_SHARED, 128, NULL);
    ok(!copy_atom_find("") && !copy_atom_find("SM75_U32x3_LDSM_N"), "no such copy atom");
    ok(strcmp(copy_done_name(COPY_IN_ORDER), "in order") == 0 &&
           strcmp(copy_done_name(COPY_COMMIT_GROUP), "commit_group") == 0 &&
           strcmp(copy_done_name(COPY_MBARRIER), "mbarrier") == 0 &&
           strcmp(copy_done_name(COPY_BULK_GROUP), "bulk_group") == 0,
       "names of completions");
}

static void is_no_box(const char *name, int dims, int64_t bits, const char *why)
{
    CopyAtomText text;
    const CopyAtom atom = copy_atom_at_box(copy_atom_find(name), dims, bits, &text);
    if (!ok(!atom.name && strcmp(text.why, why) == 0, "refused: %s", why)) diag("%s", text.why);
}

static void test_boxes(void)
{
    CopyAtomText text;
    const CopyAtom atom =
        copy_atom_at_box(copy_atom_find("SM90_TMA_LOAD_MULTICAST"), 3, 64 * 64 * 16, &text);
    ok(atom.name && strcmp(atom.name, "SM90_TMA_LOAD_MULTICAST_3D") == 0 &&
           strcmp(atom.mnemonic, "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier"
                                 "::complete_tx::bytes.multicast::cluster") == 0 &&
           strcmp(atom.operands, "[dst], [map, {c0, c1, c2}], [mbar], mask") == 0 &&
           strcmp(atom.dst_tv, "(1,65536):(0,1)") == 0,
       "a box of 3 dimensions, 64x64 halves");
    ok(copy_atom_at_box(copy_atom_find("SM90_TMA_STORE"), 5, 8LL * COPY_BOX_BYTES_MAX, &text).name,
       "a box as large as shared memory");
    is_no_box("SM75_U32x4_LDSM_N", 1, 128,
              "copy_atom_at_box: SM75_U32x4_LDSM_N is no tensor copy and has no box");
    is_no_box("SM90_TMA_LOAD", 0, 128,
              "copy_atom_at_box: SM90_TMA_LOAD has 1 to 5 dimensions, not 0");
    is_no_box("SM90_TMA_STORE", 6, 128,
              "copy_atom_at_box: SM90_TMA_STORE has 1 to 5 dimensions, not 6");
    is_no_box("SM90_TMA_LOAD", 2, 192,
              "copy_atom_at_box: SM90_TMA_LOAD moves multiples of 128 bits, not 192");
    is_no_box("SM90_TMA_LOAD", 2, -128,
              "copy_atom_at_box: SM90_TMA_LOAD moves multiples of 128 bits, not -128");
    is_no_box("SM90_TMA_LOAD", 2, INT64_C(1) << 40,
              "copy_atom_at_box: SM90_TMA_LOAD of 1099511627776 bits is more than the 232448 bytes "
              "of shared memory");
}

/* -- ptxas ------------------------------------------------------------------------------------- */
static bool same_target(const CopyAtom *a, const CopyAtom *b)
{
    return a->sm == b->sm && a->ptx == b->ptx && strcmp(a->suffix, b->suffix) == 0;
}

static void put_kernel(FILE *out, const CopyAtom *atom, int number)
{
    fprintf(out, ".visible .entry k%d()\n{\n.reg .b64 dst, src, map, mbar;\n", number);
    fprintf(out, ".reg .b32 r0, r1, r2, r3, c0, c1, c2, c3, c4, n;\n.reg .b16 mask;\n%s %s;\n",
            atom->mnemonic, atom->operands);
    fprintf(out, "ret;\n}\n");
}

/* Kernels for all rows of one target, tensor copies at each number of dimensions. */
static int put_module(FILE *out, const CopyAtom *like)
{
    int count = 0;
    CopyAtomText text;
    fprintf(out, ".version %d.%d\n.target sm_%d%s\n.address_size 64\n", like->ptx / 10,
            like->ptx % 10, like->sm, like->suffix);
    for (const CopyAtom *row = copy_atoms; row->name; row++) {
        if (!same_target(row, like)) continue;
        put_kernel(out, row, count++);
        for (int dims = 2; dims <= row->dims; dims++) {
            const CopyAtom atom = copy_atom_at_box(row, dims, row->bits, &text);
            put_kernel(out, &atom, count++);
        }
    }
    return count;
}

static void assemble(const CopyAtom *like)
{
    char path[256], what[64];
    FILE *out = ptxas_text(path, sizeof path);
    const int count = put_module(out, like);
    fclose(out);
    snprintf(what, sizeof what, "%d kernels for sm_%d%s, PTX %d.%d", count, like->sm, like->suffix,
             like->ptx / 10, like->ptx % 10);
    ptxas_takes(path, like->sm, like->suffix, what);
}

static void test_ptxas(void)
{
    if (!ptxas_is_here()) return;
    for (const CopyAtom *row = copy_atoms; row->name; row++) {
        const CopyAtom *first = copy_atoms;
        while (!same_target(first, row)) first++;
        if (first == row) assemble(row);
    }
}

int main(void)
{
    test_atoms();
    test_matrices();
    test_feeding();
    test_searches();
    test_boxes();
    test_ptxas();
    return tap_done();
}
