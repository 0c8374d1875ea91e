/*
 * The tables of atoms and element types. Every atom, at every N that it has: A, B and C are
 * bijections, lie where the PTX manual's formulas put them and fill their registers; name and
 * mnemonic say what the row says; and the instruction, given fragments by these layouts, multiplies
 * matrices exactly. Where there is a ptxas ($PTXAS, or on PATH), it takes each instruction at the
 * target and version of its row.
 */
#include "tests/layouts.h"
#include "tests/ptxas.h"
#include "cpu_ref/atom_ref.h"
#include "layout/atom_mma.h"

#include <unistd.h>

enum { THREADS = 128, ELEMENTS = 256 * 256 };

/* -- Operands ---------------------------------------------------------------------------------- */
static const char *tv_text(const MmaAtom *atom, char operand)
{
    return operand == 'A' ? atom->a_tv : operand == 'B' ? atom->b_tv : atom->c_tv;
}

static Dtype type_of(const MmaAtom *atom, char operand)
{
    return operand == 'A' ? atom->a : operand == 'B' ? atom->b : atom->c;
}

static int regs_of(const MmaAtom *atom, char operand)
{
    return operand == 'A' ? atom->a_regs : operand == 'B' ? atom->b_regs : atom->c_regs;
}

static bool is_shared(const MmaAtom *atom, char operand)
{
    return (operand == 'A' && atom->a_source == MMA_SHARED) ||
           (operand == 'B' && atom->b_source == MMA_SHARED);
}

/* An operand's layout, evaluated: element (t,v) is row e % rows, column e / rows of the matrix with
 * e = t[t] + v[v]; rows and columns are (m,k), (n,k) or (m,n). */
typedef struct {
    int rows, columns;
    int holders; /* threads that hold a part of it; 1 for shared memory */
    int values;
    int t[THREADS], v[ELEMENTS];
} Map;

static Map maps[3];

static Map *map_of(char operand)
{
    return &maps[operand - 'A'];
}

static bool read_map(const MmaAtom *atom, char operand)
{
    Map *map = map_of(operand);
    Layout tv = layout_parse(tv_text(atom, operand));
    if (layout_rank(tv) != 2) return false;
    Layout thr = layout_mode(tv, 0), val = layout_mode(tv, 1);
    if (layout_size(thr) != mma_atom_threads(atom) || layout_size(thr) > THREADS) return false;
    if (layout_size(val) > ELEMENTS) return false;
    map->rows = operand == 'B' ? atom->n : atom->m;
    map->columns = operand == 'C' ? atom->n : atom->k;
    map->holders = is_shared(atom, operand) ? 1 : (int)layout_size(thr);
    map->values = (int)layout_size(val);
    for (int i = 0; i < (int)layout_size(thr); i++) map->t[i] = (int)layout_at(thr, i);
    for (int i = 0; i < map->values; i++) map->v[i] = (int)layout_at(val, i);
    return true;
}

static bool is_bijection(const MmaAtom *atom, char operand)
{
    static bool has[ELEMENTS];
    const Map *map = map_of(operand);
    const int elements = map->rows * map->columns;
    if (map->holders * map->values != elements) return false;
    for (int t = map->holders; t < mma_atom_threads(atom); t++)
        if (map->t[t] != 0) return false; /* all see the same */
    memset(has, 0, sizeof has);
    for (int i = 0; i < elements; i++) {
        const int e = map->t[i % map->holders] + map->v[i / map->holders];
        if (e < 0 || e >= elements || has[e]) return false;
        has[e] = true;
    }
    return true;
}

/* mode i of mma_atom_tv has the coordinates of these linear indices. */
static bool mode_has(Layout tv, int mode, const Map *map, const int *index, int count)
{
    int64_t c[LAYOUT_DIMS];
    Layout L = layout_mode(tv, mode);
    if (layout_size(L) != count) return false;
    for (int i = 0; i < count; i++)
        if (!layout_coord_at(L, i, c) || c[0] + map->rows * c[1] != index[i] || c[0] < 0 ||
            c[0] >= map->rows)
            return false;
    return true;
}

static bool has_coordinates(const MmaAtom *atom, char operand)
{
    const Map *map = map_of(operand);
    Layout tv = mma_atom_tv(atom, operand);
    return layout_rank(tv) == 2 && mode_has(tv, 0, map, map->t, mma_atom_threads(atom)) &&
           mode_has(tv, 1, map, map->v, map->values);
}

/* Values that a thread holds fill its registers: 32 bits each, or one value where that is wider. */
static bool fills_registers(const MmaAtom *atom, char operand)
{
    const int bits = dtype_bits(type_of(atom, operand)), regs = regs_of(atom, operand);
    if (is_shared(atom, operand)) return regs == 0;
    return map_of(operand)->values * bits == regs * (bits > 32 ? bits : 32);
}

/* -- The manual -------------------------------------------------------------------------------- */
/* Its element of an operand as (m,k), (n,k) or (m,n): its B is (k,n). */
static AtomCoord manual_coord(const AtomRef *ref, char operand, int lane, int i)
{
    if (operand == 'A') return ref->a_at(ref, lane, i);
    if (operand == 'C') return ref->c_at(ref, lane, i);
    const AtomCoord kn = ref->b_at(ref, lane, i);
    return (AtomCoord){.row = kn.col, .col = kn.row};
}

static bool agrees_with_manual(const AtomRef *ref, char operand)
{
    const Map *map = map_of(operand);
    const int count = operand == 'A' ? ref->a_count : operand == 'B' ? ref->b_count : ref->c_count;
    if (count != map->values) return false;
    for (int t = 0; t < map->holders; t++)
        for (int i = 0; i < count; i++) {
            const AtomCoord want = manual_coord(ref, operand, atom_ref_lane(ref, t), i);
            if (map->t[t] + map->v[i] != want.row + map->rows * want.col) return false;
        }
    return true;
}

static bool has_lanes(const MmaAtom *atom, const AtomRef *ref)
{
    Layout thr = layout_parse(atom->thr_id);
    if (layout_size(thr) != ref->threads) return false;
    for (int t = 0; t < ref->threads; t++)
        if (layout_at(thr, t) != atom_ref_lane(ref, t)) return false;
    return true;
}

/* -- Products ---------------------------------------------------------------------------------- */
typedef struct {
    int64_t matrix[ELEMENTS];  /* column-major, as the layouts count */
    double fragment[ELEMENTS]; /* value v of thread t at t + holders*v */
} Data;

static Data data[3];
static double result[ELEMENTS], work[2 * ELEMENTS];

/* Any value of an integer type; floating types get integers whose sums are exact. */
static int64_t random_value(Random *r, Dtype type)
{
    const int bits = dtype_bits(type), some = random_below(r, 100);
    switch (type) {
    case DTYPE_S32: return (int64_t[]){some - 50, INT32_MAX - some, INT32_MIN + some}[some % 3];
    case DTYPE_S8:
    case DTYPE_S4: return random_below(r, 1 << bits) - (1 << (bits - 1));
    case DTYPE_U8:
    case DTYPE_U4:
    case DTYPE_B1: return random_below(r, 1 << bits);
    default: return some % 32 - 16;
    }
}

static void make_data(const MmaAtom *atom, char operand, Random *r)
{
    const Map *map = map_of(operand);
    Data *x = &data[operand - 'A'];
    for (int i = 0; i < map->rows * map->columns; i++)
        x->matrix[i] = random_value(r, type_of(atom, operand));
    for (int i = 0; i < map->rows * map->columns; i++) {
        const int e = map->t[i % map->holders] + map->v[i / map->holders];
        x->fragment[i] = (double)x->matrix[e];
    }
}

/* What D should be at (m,n), from the matrices. */
static int64_t expected(const MmaAtom *atom, int m, int n)
{
    int64_t sum = data[2].matrix[m + atom->m * n];
    const int64_t *a = &data[0].matrix[m], *b = &data[1].matrix[n];
    for (int p = 0; p < atom->k; p++, a += atom->m, b += atom->n)
        sum += atom->op == MMA_XOR_POPC ? *a ^ *b : *a * *b;
    if (atom->d != DTYPE_S32) return sum;
    if (atom->op == MMA_DOT_SAT)
        return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (sum - INT32_MIN) % (INT64_C(1) << 32) + (sum < INT32_MIN ? INT64_C(1) << 32 : 0) +
           INT32_MIN;
}

static bool multiplies(const MmaAtom *atom, const AtomRef *ref)
{
    Random r = {.state = 0x9E3779B97F4A7C15u + (uint64_t)atom->n};
    for (const char *operand = "ABC"; *operand; operand++) make_data(atom, *operand, &r);
    if (atom_ref_work(ref) > sizeof work / sizeof *work) return false;
    atom_ref_run(ref, &(AtomValues){data[0].fragment, data[1].fragment, data[2].fragment, result},
                 work);
    const Map *c = map_of('C');
    for (int i = 0; i < atom->m * atom->n; i++) {
        const int e = c->t[i % c->holders] + c->v[i / c->holders];
        if (result[i] != (double)expected(atom, e % atom->m, e / atom->m)) return false;
    }
    return true;
}

/* -- Name and mnemonic ------------------------------------------------------------------------- */
static void put(char *text, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void put(char *text, size_t size, const char *fmt, ...)
{
    const size_t len = strlen(text);
    va_list args;
    va_start(args, fmt);
    vsnprintf(text + len, size - len, fmt, args);
    va_end(args);
}

static bool mnemonic_fits(const MmaAtom *atom)
{
    static const char *const popc[] = {[MMA_XOR_POPC] = ".xor.popc",
                                       [MMA_AND_POPC] = ".and.popc",
                                       [MMA_DOT] = "",
                                       [MMA_DOT_SAT] = ""};
    const bool group = mma_atom_threads(atom) == 128;
    char text[128] = "";
    if (mma_atom_threads(atom) == 1 && atom->k == 1)
        put(text, sizeof text, "fma.rn.%s", dtype_name(atom->d));
    else if (mma_atom_threads(atom) == 1)
        put(text, sizeof text, "dp%da.%s.%s", atom->k, dtype_name(atom->d), dtype_name(atom->c));
    else {
        put(text, sizeof text, "%s.sync.aligned.m%dn%dk%d", group ? "wgmma.mma_async" : "mma",
            atom->m, atom->n, atom->k);
        if (!group)
            put(text, sizeof text, ".%s.%s", atom->a_majors == MMA_K_MAJOR ? "row" : "col",
                atom->b_majors == MMA_K_MAJOR ? "col" : "row");
        put(text, sizeof text, "%s.%s.%s.%s", atom->op == MMA_DOT_SAT ? ".satfinite" : "",
            dtype_name(atom->d), dtype_name(atom->a), dtype_name(atom->b));
        if (!group) put(text, sizeof text, ".%s", dtype_name(atom->c));
        put(text, sizeof text, "%s", popc[atom->op]);
    }
    return strcmp(text, atom->mnemonic) == 0;
}

/* CuTe's word for a type: F16, U1. */
static void put_type(char *text, size_t size, Dtype type)
{
    const size_t len = strlen(text);
    put(text, size, "%s", type == DTYPE_B1 ? "U1" : dtype_name(type));
    for (char *at = text + len; *at; at++)
        if (*at >= 'a' && *at <= 'z') *at = (char)(*at - 'a' + 'A');
}

/* What a name says of majors: T is K-major for A, N for B; CuTe leaves it out where it is free. */
static const char *major_words(const MmaAtom *atom)
{
    if (atom->b_majors == MMA_ANY_MAJOR) return "";
    if (atom->a_majors == MMA_K_MAJOR) return atom->b_majors == MMA_K_MAJOR ? "_TN" : "_TT";
    return atom->b_majors == MMA_K_MAJOR ? "_NN" : "_NT";
}

/* All of the name after the generation. */
static bool name_fits(const MmaAtom *atom)
{
    static const char *const op[] = {[MMA_DOT] = "",
                                     [MMA_DOT_SAT] = "_SATURATE",
                                     [MMA_XOR_POPC] = "_XORPOPC",
                                     [MMA_AND_POPC] = "_ANDPOPC"};
    const bool group = mma_atom_threads(atom) == 128;
    char text[96] = "";
    if (strcmp(atom->name, "SM61_DP4A") == 0) return atom->k == 4;
    put(text, sizeof text, "_%dx%dx%d_", atom->m, atom->n, atom->k);
    put_type(text, sizeof text, atom->d);
    put_type(text, sizeof text, atom->a);
    put_type(text, sizeof text, atom->b);
    if (!group) put_type(text, sizeof text, atom->c);
    if (group) put(text, sizeof text, atom->a_source == MMA_SHARED ? "_SS" : "_RS");
    put(text, sizeof text, "%s%s", major_words(atom), op[atom->op]);
    const char *from = strchr(atom->name, '_');
    return from && strcmp(text, from) == 0;
}

/* The generation in the name runs it: CuTe files some of Turing's instructions under Ampere. */
static bool generation_fits(const MmaAtom *atom)
{
    int generation = atom->sm;
    return (sscanf(atom->name, "SM%d", &generation) == 1 || mma_atom_threads(atom) == 1) &&
           generation >= atom->sm && atom->sm >= 61 && atom->ptx >= 50 &&
           strcmp(atom->suffix, mma_atom_threads(atom) == 128 ? "a" : "") == 0;
}

/* Made again from its name, and found if it is a row: no two share a name. */
static bool is_found(const MmaAtom *row, const MmaAtom *atom)
{
    MmaAtomText text;
    if (mma_atom_find(atom->name) != (atom->n == row->n ? row : NULL)) return false;
    const MmaAtom again = mma_atom_by_name(atom->name, &text);
    return again.name && again.n == atom->n && strcmp(again.name, atom->name) == 0 &&
           strcmp(again.mnemonic, atom->mnemonic) == 0;
}

/* -- Every atom -------------------------------------------------------------------------------- */
enum {
    BIJECTION,
    COORDINATES,
    REGISTERS,
    MANUAL,
    LANES,
    PRODUCT,
    MNEMONIC,
    NAME,
    GENERATION,
    FOUND,
    PROPERTIES
};

static Property property[PROPERTIES] = {
    [BIJECTION] = {.name = "A, B, C are bijections"},
    [COORDINATES] = {.name = "mma_atom_tv has the coordinates of the row's linear indices"},
    [REGISTERS] = {.name = "values fill their registers"},
    [MANUAL] = {.name = "elements are where the manual's formulas say"},
    [LANES] = {.name = "threads are the lanes that the manual says"},
    [PRODUCT] = {.name = "fragments multiply as matrices do"},
    [MNEMONIC] = {.name = "the mnemonic says what the row says"},
    [NAME] = {.name = "the name says what the row says"},
    [GENERATION] = {.name = "the name's generation has the instruction"},
    [FOUND] = {.name = "the atom is found and made by its name"},
};

static bool check_operand(const MmaAtom *atom, const AtomRef *ref, char operand)
{
    const bool readable = read_map(atom, operand);
    const bool whole = check(&property[BIJECTION], readable && is_bijection(atom, operand),
                             "%s: %c is %s", atom->name, operand, tv_text(atom, operand));
    if (!whole) return false;
    check(&property[COORDINATES], has_coordinates(atom, operand), "%s: %c", atom->name, operand);
    check(&property[REGISTERS], fills_registers(atom, operand), "%s: %c has %d", atom->name,
          operand, regs_of(atom, operand));
    return check(&property[MANUAL], ref->threads && agrees_with_manual(ref, operand),
                 "%s: %c is %s", atom->name, operand, tv_text(atom, operand));
}

static void check_atom(const MmaAtom *row, const MmaAtom *atom)
{
    AtomRef ref;
    atom_ref_of(&ref, atom->mnemonic, is_shared(atom, 'A'));
    bool good = check(&property[LANES], has_lanes(atom, &ref), "%s: %s", atom->name, atom->thr_id);
    for (const char *operand = "ABC"; *operand; operand++)
        good = check_operand(atom, &ref, *operand) && good;
    check(&property[PRODUCT], good && multiplies(atom, &ref), "%s", atom->name);
    check(&property[MNEMONIC], mnemonic_fits(atom), "%s: %s", atom->name, atom->mnemonic);
    check(&property[NAME], name_fits(atom), "%s", atom->name);
    check(&property[GENERATION], generation_fits(atom), "%s: sm_%d%s, PTX %d", atom->name, atom->sm,
          atom->suffix, atom->ptx);
    check(&property[FOUND], is_found(row, atom), "%s", atom->name);
}

static void test_atoms(void)
{
    MmaAtomText text;
    for (const MmaAtom *row = mma_atoms; row->name; row++)
        for (int n = 1; n <= 256; n++) {
            if (!mma_atom_has_n(row, n)) continue;
            const MmaAtom atom = mma_atom_at_n(row, n, &text);
            if (n == row->n) check_atom(row, row);
            if (row->n_set) check_atom(row, &atom);
        }
    report(property, PROPERTIES);
}

/* -- Ranges of N, searches --------------------------------------------------------------------- */
static void is_range(const char *name, int count, const char *want)
{
    const MmaAtom *row = mma_atom_find(name);
    char text[96] = "", brief[8];
    int has = 0;
    for (int n = -8; row && n <= 512; n++) has += mma_atom_has_n(row, n);
    const int len = row ? mma_atom_print_n(text, sizeof text, row) : 0;
    if (!ok(strcmp(text, want) == 0 && has == count, "%s: N is %s, %d of them", name, want, count))
        diag("got %s, %d of them", text, has);
    ok(row && mma_atom_print_n(brief, sizeof brief, row) == len && strncmp(brief, want, 7) == 0,
       "%s: N cut to a short buffer", name);
}

static void test_ranges(void)
{
    MmaAtomText text;
    is_range("SM80_16x8x16_F32F16F16F32_TN", 1, "8");
    is_range("SM90_64x8x16_F32F16F16_SS", 32, "8..256 by 8");
    is_range("SM90_64x8x32_S32S8U8_RS_TN_SATURATE", 18, "8..32 by 8, 48..256 by 16");
    MmaAtom atom = mma_atom_by_name("SM90_64x128x16_F16F16F16_SS", &text);
    ok(atom.name && atom.n == 128 && atom.c_regs == 32 &&
           strcmp(atom.c_tv, "((4,8,4),(2,2,16)):((128,1,16),(64,8,512))") == 0,
       "the 64x128 accumulator of CuTe's MMA atom document");
    atom = mma_atom_at_n(mma_atom_find("SM90_64x8x32_S32S8S8_SS_TN"), 40, &text);
    ok(!atom.name &&
           strcmp(text.why, "mma_atom_at_n: SM90_64x8x32_S32S8S8_SS_TN has no N of 40, only "
                            "8..32 by 8, 48..256 by 16") == 0,
       "an N that is not there is refused: %s", text.why);
    atom = mma_atom_by_name("SM90_64x40x32_S32S8S8_SS_TN", &text);
    ok(!atom.name && strstr(text.why, "SM90_64x40x32_S32S8S8_SS_TN"), "by name too: %s", text.why);
    static const char *const nobody[] = {"SM90_64x264x16_F32F16F16_SS", "", "no such atom",
                                         "SM90_64x12x16_F32F16F16_SS",
                                         "SM90_64x08x16_F32F16F16_SS"};
    for (size_t i = 0; i < sizeof nobody / sizeof *nobody; i++)
        ok(!mma_atom_find(nobody[i]) && !mma_atom_by_name(nobody[i], &text).name,
           "no atom is called '%s'", nobody[i]);
    ok(!layout_ok(mma_atom_tv(&mma_atoms[0], 'D')), "no such operand");
}

static void test_reference(void)
{
    static const char *const unknown[] = {"",
                                          "mma",
                                          "mma.sync.aligned.m16n8k16.row.col",
                                          "add.f32",
                                          "dp2a.lo.s32.s32",
                                          "wgmma.mma_async.sync.aligned.f32.f16.f16"};
    AtomRef ref;
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        ok(!atom_ref_of(&ref, unknown[i], false), "the reference does not know '%s'", unknown[i]);
}

/* -- Element types ----------------------------------------------------------------------------- */
static void test_dtypes(void)
{
    static const struct {
        Dtype type;
        const char *name;
        int bits, bytes;
    } facts[] = {{DTYPE_F64, "f64", 64, 8},   {DTYPE_F16, "f16", 16, 2},
                 {DTYPE_BF16, "bf16", 16, 2}, {DTYPE_CF32, "cf32", 64, 8},
                 {DTYPE_E4M3, "e4m3", 8, 1},  {DTYPE_S4, "s4", 4, 0},
                 {DTYPE_B1, "b1", 1, 0},      {DTYPE_NONE, "none", 0, 0}};
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        ok(strcmp(dtype_name(facts[i].type), facts[i].name) == 0 &&
               dtype_bits(facts[i].type) == facts[i].bits &&
               dtype_bytes(facts[i].type) == facts[i].bytes,
           "%s has %d bits", facts[i].name, facts[i].bits);
    bool round_trip = true, parts = true;
    for (int t = 1; t < DTYPE_COUNT; t++) {
        Dtype type = (Dtype)t, real = dtype_real(type);
        round_trip = round_trip && dtype_parse(dtype_name(type)) == type;
        parts = parts && !dtype_is_complex(real) &&
                dtype_bits(type) == dtype_bits(real) * (dtype_is_complex(type) ? 2 : 1);
    }
    ok(round_trip, "each type's name parses to it");
    ok(parts, "a complex type is two of its real type");
    ok(dtype_parse("f17") == DTYPE_NONE && dtype_parse("none") == DTYPE_NONE, "no such type");
    ok(dtype_bits((Dtype)DTYPE_COUNT) == 0 && dtype_bits((Dtype)200) == 0, "past the table");
}

/* -- ptxas ------------------------------------------------------------------------------------- */
/* ", {%f0, %f1}" of the registers of an operand, or its descriptor. */
static void put_operand(FILE *out, const MmaAtom *atom, char operand, const char *before)
{
    const Dtype type = type_of(atom, operand);
    const bool wide = type == DTYPE_F64, f32 = type == DTYPE_F32;
    const char *letter = wide ? "d" : f32 ? "f" : "r", *join = "";
    const bool alone = mma_atom_threads(atom) == 1;
    fprintf(out, "%s%s", before, alone || is_shared(atom, operand) ? "" : "{");
    if (is_shared(atom, operand)) fprintf(out, "%%descriptor");
    for (int i = 0; i < regs_of(atom, operand); i++, join = ", ")
        fprintf(out, "%s%%%s%d", join, letter, i);
    fprintf(out, "%s", alone || is_shared(atom, operand) ? "" : "}");
}

/* After the operands of wgmma: scale of D; signs of A and B, of floats; transposition of what lies
 * in shared memory, of 16-bit floats. */
static void put_scales(FILE *out, const MmaAtom *atom)
{
    fprintf(out, ", %%scale");
    if (atom->d == DTYPE_S32) return;
    fprintf(out, ", 1, -1");
    if (dtype_bits(atom->a) != 16) return;
    fprintf(out, is_shared(atom, 'A') ? ", 0, 1" : ", 1");
}

static void put_kernel(FILE *out, const MmaAtom *atom, int number)
{
    const bool group = mma_atom_threads(atom) == 128;
    fprintf(out, ".visible .entry k%d()\n{\n.reg .b32 %%r<128>;\n.reg .f32 %%f<128>;\n", number);
    fprintf(out, ".reg .f64 %%d<8>;\n.reg .b64 %%descriptor;\n.reg .pred %%scale;\n%s",
            atom->mnemonic);
    put_operand(out, atom, 'C', " ");
    put_operand(out, atom, 'A', ", ");
    put_operand(out, atom, 'B', ", ");
    if (group)
        put_scales(out, atom);
    else
        put_operand(out, atom, 'C', ", ");
    fprintf(out, ";\nret;\n}\n");
}

static bool same_target(const MmaAtom *a, const MmaAtom *b)
{
    return a->sm == b->sm && a->ptx == b->ptx && strcmp(a->suffix, b->suffix) == 0;
}

/* Kernels for all rows of one target, at their smallest and largest N. */
static int put_module(FILE *out, const MmaAtom *like)
{
    int count = 0;
    MmaAtomText text;
    fprintf(out, ".version %d.%d\n.target sm_%d%s\n.address_size 64\n", like->ptx / 10,
            like->ptx % 10, like->sm, like->suffix);
    for (const MmaAtom *row = mma_atoms; row->name; row++) {
        if (!same_target(row, like)) continue;
        put_kernel(out, row, count++);
        if (!row->n_set) continue;
        const MmaAtom most = mma_atom_at_n(row, 256, &text);
        put_kernel(out, &most, count++);
    }
    return count;
}

static void assemble(const MmaAtom *like)
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
    for (const MmaAtom *row = mma_atoms; row->name; row++) {
        const MmaAtom *first = mma_atoms;
        while (!same_target(first, row)) first++;
        if (first == row) assemble(row);
    }
}

int main(void)
{
    test_atoms();
    test_ranges();
    test_reference();
    test_dtypes();
    test_ptxas();
    return tap_done();
}
