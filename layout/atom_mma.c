/* atom_mma: readers of the table of MMA atoms, and atoms made for one N. See atom_mma.h. */
#include "layout/atom_mma.h"

#include <stdio.h>
#include <string.h>

/* -- N ----------------------------------------------------------------------------------------- */
bool mma_atom_has_n(const MmaAtom *row, int n)
{
    if (!row->n_set) return n == row->n;
    return n >= 8 && n <= 256 && n % 8 == 0 && row->n_set >> (n / 8 - 1) & 1;
}

/* The smallest N of the row above n; 0: none. */
static int next_n(const MmaAtom *row, int n)
{
    while (++n <= 256)
        if (mma_atom_has_n(row, n)) return n;
    return 0;
}

int mma_atom_print_n(char *buf, size_t size, const MmaAtom *row)
{
    int len = 0;
    for (int n = next_n(row, 0), last; n; n = next_n(row, last)) {
        const int step = next_n(row, n) - n;
        const size_t at = (size_t)len < size ? (size_t)len : size;
        for (last = n; step > 0 && next_n(row, last) == last + step;) last += step;
        len += snprintf(buf + at, size - at, last > n ? "%s%d..%d by %d" : "%s%d", len ? ", " : "",
                        n, last, step);
    }
    return len;
}

/* -- An atom of one N -------------------------------------------------------------------------- */
/* Copies text with the number that follows `before` replaced by n. */
static void renumber(char *out, size_t size, const char *text, const char *before, int n)
{
    const char *number = strstr(text, before) + strlen(before);
    const char *after = number + strspn(number, "0123456789");
    snprintf(out, size, "%.*s%d%s", (int)(number - text), text, n, after);
}

static MmaAtom no_atom(void)
{
    return (MmaAtom){.name = NULL};
}

MmaAtom mma_atom_at_n(const MmaAtom *row, int n, MmaAtomText *text)
{
    char set[96];
    MmaAtom atom = *row;
    text->why[0] = '\0';
    if (mma_atom_has_n(row, n) && !row->n_set) return atom;
    if (!mma_atom_has_n(row, n)) {
        mma_atom_print_n(set, sizeof set, row);
        snprintf(text->why, sizeof text->why, "mma_atom_at_n: %s has no N of %d, only %s",
                 row->name, n, set);
        return no_atom();
    }
    renumber(text->name, sizeof text->name, row->name, "_64x", n);
    renumber(text->mnemonic, sizeof text->mnemonic, row->mnemonic, "m64n", n);
    snprintf(text->b_tv, sizeof text->b_tv, "(128,(%d,%d)):(0,(1,%d))", n, row->k, n);
    snprintf(text->c_tv, sizeof text->c_tv, "((4,8,4),(2,2,%d)):((128,1,16),(64,8,512))", n / 8);
    atom.name = text->name;
    atom.mnemonic = text->mnemonic;
    atom.b_tv = text->b_tv;
    atom.c_tv = text->c_tv;
    atom.n = n;
    atom.c_regs = row->c_regs * n / row->n;
    return atom;
}

/* -- By name ----------------------------------------------------------------------------------- */
const MmaAtom *mma_atom_find(const char *name)
{
    for (const MmaAtom *row = mma_atoms; row->name; row++)
        if (strcmp(row->name, name) == 0) return row;
    return NULL;
}

/* The N for which the row is called name; 0: none. */
static int n_of_name(const MmaAtom *row, const char *name)
{
    char at_n[64];
    if (strcmp(row->name, name) == 0) return row->n;
    for (int n = row->n_set ? next_n(row, row->n) : 0; n; n = next_n(row, n)) {
        renumber(at_n, sizeof at_n, row->name, "_64x", n);
        if (strcmp(at_n, name) == 0) return n;
    }
    return 0;
}

MmaAtom mma_atom_by_name(const char *name, MmaAtomText *text)
{
    for (const MmaAtom *row = mma_atoms; row->name; row++) {
        const int n = n_of_name(row, name);
        if (n) return mma_atom_at_n(row, n, text);
    }
    snprintf(text->why, sizeof text->why, "mma_atom_by_name: no atom is called %.120s", name);
    return no_atom();
}

/* -- Layouts ----------------------------------------------------------------------------------- */
int mma_atom_threads(const MmaAtom *atom)
{
    return (int)layout_size(layout_parse(atom->thr_id));
}

Layout mma_atom_tv(const MmaAtom *atom, char operand)
{
    switch (operand) {
    case 'A':
        return layout_composition(layout_identity(2, (int64_t[]){atom->m, atom->k}),
                                  layout_parse(atom->a_tv));
    case 'B':
        return layout_composition(layout_identity(2, (int64_t[]){atom->n, atom->k}),
                                  layout_parse(atom->b_tv));
    case 'C':
        return layout_composition(layout_identity(2, (int64_t[]){atom->m, atom->n}),
                                  layout_parse(atom->c_tv));
    default: return layout_poison("mma_atom_tv: operand must be A, B or C");
    }
}
