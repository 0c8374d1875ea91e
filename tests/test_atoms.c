/*
 * The tables of atoms and element types: each atom's A, B and C are bijections onto their matrices,
 * lie where the PTX manual's formulas put them, fill their registers, and its mnemonic says what
 * the row says.
 */
#include "tests/layouts.h"
#include "cpu_ref/atom_ref.h"
#include "layout/atom_mma.h"

enum { MOST_ELEMENTS = 64 * 256 };

static const char *tv_text(const MmaAtom *atom, char operand)
{
    return operand == 'A' ? atom->a_tv : operand == 'B' ? atom->b_tv : atom->c_tv;
}

/* Rows and columns of an operand's index space: (m,k), (n,k) or (m,n). */
static void extents(const MmaAtom *atom, char operand, int64_t n[2])
{
    n[0] = operand == 'B' ? atom->n : atom->m;
    n[1] = operand == 'C' ? atom->n : atom->k;
}

static bool is_bijection(const MmaAtom *atom, char operand)
{
    static bool has[MOST_ELEMENTS];
    int64_t n[2];
    extents(atom, operand, n);
    Layout L = layout_parse(tv_text(atom, operand));
    if (layout_size(L) != n[0] * n[1] || layout_cosize(L) != n[0] * n[1]) return false;
    memset(has, 0, sizeof has);
    for (int64_t i = 0; i < layout_size(L); i++) has[layout_at(L, i)] = true;
    for (int64_t i = 0; i < n[0] * n[1]; i++)
        if (!has[i]) return false;
    return true;
}

/* mma_atom_tv's coordinates are those of the row's linear indices. */
static bool has_coordinates(const MmaAtom *atom, char operand)
{
    int64_t n[2], c[LAYOUT_DIMS];
    extents(atom, operand, n);
    Layout linear = layout_parse(tv_text(atom, operand)), tv = mma_atom_tv(atom, operand);
    if (layout_rank(tv) != 2 || layout_size(tv) != layout_size(linear)) return false;
    for (int64_t i = 0; i < layout_size(tv); i++)
        if (!layout_coord_at(tv, i, c) || c[0] + n[0] * c[1] != layout_at(linear, i)) return false;
    return true;
}

/* Values that a thread holds fill its registers: 32 bits each, or one value where that is wider. */
static bool fills_registers(const MmaAtom *atom, char operand)
{
    Dtype type = operand == 'A' ? atom->a : operand == 'B' ? atom->b : atom->c;
    int regs = operand == 'A' ? atom->a_regs : operand == 'B' ? atom->b_regs : atom->c_regs;
    int64_t values = layout_size(layout_mode(layout_parse(tv_text(atom, operand)), 1));
    int reg_bits = dtype_bits(type) > 32 ? dtype_bits(type) : 32;
    return values * dtype_bits(type) == (int64_t)regs * reg_bits;
}

/* The manual's element of an operand as (m,k), (n,k) or (m,n): its B is (k,n). */
static AtomCoord manual_coord(const AtomRef *ref, char operand, int lane, int i)
{
    if (operand == 'A') return ref->a(lane, i);
    if (operand == 'C') return ref->c(lane, i);
    AtomCoord kn = ref->b(lane, i);
    return (AtomCoord){.row = kn.col, .col = kn.row};
}

static bool agrees_with_manual(const MmaAtom *atom, const AtomRef *ref, char operand)
{
    int count = operand == 'A' ? ref->a_count : operand == 'B' ? ref->b_count : ref->c_count;
    Layout tv = mma_atom_tv(atom, operand), thr = layout_parse(atom->thr_id);
    if (layout_size(tv) != (int64_t)ref->lanes * count) return false;
    for (int64_t at = 0; at < layout_size(tv); at++) {
        int64_t t = at % ref->lanes, c[LAYOUT_DIMS];
        AtomCoord want = manual_coord(ref, operand, (int)layout_at(thr, t), (int)(at / ref->lanes));
        if (!layout_coord_at(tv, at, c) || c[0] != want.row || c[1] != want.col) return false;
    }
    return true;
}

/* fma.rn.f32, or mma.sync.aligned.mMnNkK.row.col.D.A.B.C. */
static bool mnemonic_fits(const MmaAtom *atom)
{
    char text[128];
    if (mma_atom_threads(atom) == 1)
        snprintf(text, sizeof text, "fma.rn.%s", dtype_name(atom->d));
    else
        snprintf(text, sizeof text, "mma.sync.aligned.m%dn%dk%d.row.col.%s.%s.%s.%s", atom->m,
                 atom->n, atom->k, dtype_name(atom->d), dtype_name(atom->a), dtype_name(atom->b),
                 dtype_name(atom->c));
    return strcmp(text, atom->mnemonic) == 0;
}

static bool name_fits(const MmaAtom *atom)
{
    char shape[64];
    snprintf(shape, sizeof shape, "_%dx%dx%d_", atom->m, atom->n, atom->k);
    return strstr(atom->name, shape) && mma_atom_find(atom->name) == atom;
}

static void test_atom(const MmaAtom *atom)
{
    const AtomRef *ref = atom_ref_find(atom->m, atom->n, atom->k, dtype_bits(atom->a));
    for (const char *operand = "ABC"; *operand; operand++) {
        ok(is_bijection(atom, *operand), "%s: %c is a bijection", atom->name, *operand);
        ok(has_coordinates(atom, *operand), "%s: %c has its coordinates", atom->name, *operand);
        ok(fills_registers(atom, *operand), "%s: %c fills its registers", atom->name, *operand);
        if (ref)
            ok(agrees_with_manual(atom, ref, *operand), "%s: %c is as in the manual", atom->name,
               *operand);
    }
    ok(ref || mma_atom_threads(atom) == 1, "%s: the manual's formulas are known", atom->name);
    ok(mnemonic_fits(atom), "%s: %s fits the row", atom->name, atom->mnemonic);
    ok(name_fits(atom), "%s: the name fits the row", atom->name);
    ok(atom->sm >= 70 && atom->ptx >= 60, "%s: needs sm_%d, PTX %d", atom->name, atom->sm,
       atom->ptx);
}

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

int main(void)
{
    for (const MmaAtom *atom = mma_atoms; atom->name; atom++) test_atom(atom);
    ok(mma_atom_find("no such atom") == NULL, "no such atom");
    ok(!layout_ok(mma_atom_tv(&mma_atoms[0], 'D')), "no such operand");
    test_dtypes();
    return tap_done();
}
