/* sim_isa: types, and the row of a mnemonic. See sim_isa.h. */
#include "gpu/sim/sim_isa.h"

#include <string.h>

const SimTypeInfo sim_types[SIM_TYPES] = {
#define ROW(id, name, bytes, kind) {name, bytes, kind},
    SIM_TYPE_LIST(ROW)
#undef ROW
};

static const struct {
    const SimOp *ops;
    SimClass cls;
} tables[] = {
    {sim_ops_integer, SIM_INTEGER}, {sim_ops_float, SIM_FLOAT},   {sim_ops_move, SIM_MOVE},
    {sim_ops_convert, SIM_CONVERT}, {sim_ops_memory, SIM_MEMORY}, {sim_ops_matrix, SIM_MATRIX},
    {sim_ops_flow, SIM_FLOW},
};

enum { TABLES = sizeof tables / sizeof *tables };

/* -- Types ------------------------------------------------------------------------------------ */

SimType sim_type_parse(const char *s, size_t n)
{
    for (int t = 0; t < SIM_TYPES; t++)
        if (strlen(sim_types[t].name) == n && memcmp(sim_types[t].name, s, n) == 0)
            return (SimType)t;
    return SIM_NO_TYPE;
}

bool sim_type_fits(SimType want, SimType reg)
{
    const SimTypeInfo *w = &sim_types[want], *r = &sim_types[reg];
    if (w->bytes != r->bytes) return false;
    return w->kind == r->kind || w->kind == 'b' || r->kind == 'b';
}

bool sim_type_signed(SimType t)
{
    return t == SIM_S8 || t == SIM_S16 || t == SIM_S32 || t == SIM_S64;
}

/* -- Mnemonics -------------------------------------------------------------------------------- */

typedef struct {
    const char *s;
    size_t n;
} Word;

/* Cuts the text at the first c; *rest is what follows it, or empty. */
static Word cut(Word text, char c, Word *rest)
{
    const char *at = memchr(text.s, c, text.n);
    size_t n = at ? (size_t)(at - text.s) : text.n;
    *rest = at ? (Word){at + 1, text.n - n - 1} : (Word){text.s + text.n, 0};
    return (Word){text.s, n};
}

static bool same(Word a, Word b)
{
    return a.n == b.n && memcmp(a.s, b.s, a.n) == 0;
}

/* Which of the alternatives a|b|c it is; -1: none. */
static int which(Word alternatives, Word word)
{
    for (int i = 0; alternatives.n; i++) {
        Word one = cut(alternatives, '|', &alternatives);
        if (same(one, word)) return i;
    }
    return -1;
}

static bool match_type(Word word, SimInsn *in)
{
    SimType t = sim_type_parse(word.s, word.n);
    if (t == SIM_NO_TYPE || t == SIM_PRED || t == SIM_F16 || t == SIM_F16X2) return false;
    in->type = (uint8_t)t;
    return true;
}

/* Does the pattern's word take the mnemonic's? A missing optional word gives *used false. */
static bool match_word(Word pattern, Word word, SimInsn *in, int *choices, bool *used)
{
    bool optional = pattern.s[0] == '?';
    if (optional) pattern = (Word){pattern.s + 1, pattern.n - 1};
    *used = true;
    if (same(pattern, (Word){"$", 1})) return match_type(word, in);
    if (same(pattern, (Word){"VEC", 3})) {
        int v = which((Word){"v2|v4", 5}, word);
        in->vec = (uint8_t)(v < 0 ? 1 : 2 << v);
        *used = v >= 0;
        return true;
    }
    if (!optional && !memchr(pattern.s, '|', pattern.n)) return same(pattern, word);
    int i = which(pattern, word);
    in->sel[(*choices)++] = (uint8_t)(optional ? i + 1 : i);
    *used = i >= 0;
    return optional || i >= 0;
}

static bool match(const char *pattern, Word mnemonic, SimInsn *in)
{
    Word p = {pattern, strlen(pattern)};
    int choices = 0;
    Word rest, word = cut(mnemonic, '.', &rest);
    in->vec = 1;
    while (p.n) {
        bool used;
        Word want = cut(p, '.', &p);
        if (!match_word(want, word, in, &choices, &used)) return false;
        if (used) word = cut(rest, '.', &rest);
    }
    return word.n == 0;
}

/* Rows come in the order of tables; the search goes on behind `after`. */
const SimOp *sim_isa_find(const char *mnemonic, size_t n, const SimOp *after, SimInsn *in)
{
    bool open = after == NULL;
    if (mnemonic[n - 1] == '.') return NULL;
    for (int t = 0; t < TABLES; t++)
        for (const SimOp *op = tables[t].ops; op->mnemonic; op++) {
            if (open && op->mnemonic[0] == mnemonic[0] &&
                match(op->mnemonic, (Word){mnemonic, n}, in)) {
                in->op = op;
                in->cls = (uint8_t)tables[t].cls;
                return op;
            }
            open = open || op == after;
        }
    return NULL;
}
