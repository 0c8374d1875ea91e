/* sim_parse: modules, entries, declarations. See sim_parse.h and sim_program.h. */
#include "gpu/sim/sim_parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_MAX = 1 << 18, THREADS_MAX = 1024, PARAM_MAX = 4096 };

/* -- Helpers shared with sim_insn.c ----------------------------------------------------------- */

const char *sim_program_line(const char *text, uint32_t line, int *n)
{
    for (; line > 1 && *text; line--) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    text += strspn(text, " \t");
    *n = (int)strcspn(text, "\r\n");
    return text;
}

void sim_parse_fail(SimParser *x, uint32_t line, const char *fmt, ...)
{
    if (x->err[0]) return;
    int n;
    const char *s = sim_program_line(x->text, line, &n);
    char why[240];
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    snprintf(x->err, sizeof x->err, "PTX line %u '%.*s': %s", line, n < 120 ? n : 120, s, why);
    x->lex.p = "";
    x->lex.now.kind = TOKEN_END;
}

void *sim_parse_append(SimParser *x, void *array, size_t *count, size_t element)
{
    void *old, *p;
    memcpy(&old, array, sizeof old);
    p = old;
    if ((*count & (*count - 1)) == 0) /* full at each power of two */
        p = realloc(old, (*count ? 2 * *count : 1) * element);
    if (!p) {
        sim_parse_fail(x, x->lex.now.line, "out of memory");
        return NULL;
    }
    memcpy(array, &p, sizeof p);
    void *last = (char *)p + (*count)++ * element;
    memset(last, 0, element);
    return last;
}

bool sim_parse_accept(SimParser *x, const char *word)
{
    if (!sim_token_is(&x->lex.now, word)) return false;
    sim_lex_next(&x->lex);
    return true;
}

void sim_parse_expect(SimParser *x, const char *word)
{
    const SimToken *t = &x->lex.now;
    if (!sim_parse_accept(x, word))
        sim_parse_fail(x, t->line, "'%s' expected before '%.*s'", word, (int)t->n, t->s);
}

int64_t sim_parse_integer(SimParser *x)
{
    bool minus = sim_parse_accept(x, "-");
    SimToken t = x->lex.now;
    if (t.kind != TOKEN_INT) {
        sim_parse_fail(x, t.line, "integer expected before '%.*s'", (int)t.n, t.s);
        return 0;
    }
    sim_lex_next(&x->lex);
    return minus ? (int64_t)(0 - (uint64_t)t.i) : t.i;
}

const SimSymbol *sim_parse_symbol(const SimParser *x, const char *name, size_t n)
{
    for (size_t i = 0; i < x->symbol_count; i++) {
        const SimSymbol *s = &x->symbols[i];
        if (s->n == n && memcmp(s->name, name, n) == 0) return s;
    }
    return NULL;
}

SimSlot sim_parse_slots(SimParser *x, uint64_t n)
{
    SimSlot first = x->prog->slots;
    if (n > SLOTS_MAX - first) {
        sim_parse_fail(x, x->lex.now.line, "too many registers");
        return 0;
    }
    x->prog->slots += (uint32_t)n;
    return first;
}

SimSlot sim_parse_const(SimParser *x, uint64_t bits, int bytes)
{
    SimProgram *p = x->prog;
    for (size_t i = 0; i < p->const_count; i++)
        if (p->consts[i].bits == bits && p->consts[i].bytes == bytes) return p->consts[i].slot;
    SimSlot slot = sim_parse_slots(x, bytes == 8 ? 2 : 1);
    SimConst *c = sim_parse_append(x, &p->consts, &p->const_count, sizeof *c);
    if (c) *c = (SimConst){slot, bytes, bits};
    return slot;
}

/* -- Declarations ----------------------------------------------------------------------------- */

/* The word that comes now, which must be one. */
static SimToken take_word(SimParser *x, const char *what)
{
    SimToken t = x->lex.now;
    if (t.kind != TOKEN_WORD)
        sim_parse_fail(x, t.line, "%s expected before '%.*s'", what, (int)t.n, t.s);
    sim_lex_next(&x->lex);
    return t;
}

static SimType take_type(SimParser *x)
{
    SimToken t = take_word(x, "a type");
    SimType type = t.s[0] == '.' ? sim_type_parse(t.s + 1, t.n - 1) : SIM_NO_TYPE;
    if (type == SIM_NO_TYPE) {
        sim_parse_fail(x, t.line, "unknown type '%.*s'", (int)t.n, t.s);
        return SIM_B32;
    }
    return type;
}

static SimSymbol *declare(SimParser *x, SimToken name, SimSymbolKind kind)
{
    if (sim_parse_symbol(x, name.s, name.n))
        sim_parse_fail(x, name.line, "'%.*s' is declared twice", (int)name.n, name.s);
    SimSymbol *s = sim_parse_append(x, &x->symbols, &x->symbol_count, sizeof *s);
    if (s) *s = (SimSymbol){.name = name.s, .n = name.n, .kind = kind};
    return s;
}

/* .reg .b32 %r<9>, %a; */
static void parse_reg(SimParser *x)
{
    SimType type = take_type(x);
    if (sim_types[type].bytes == 1)
        sim_parse_fail(x, x->lex.now.line, "no registers of 8 bits here");
    do {
        SimSymbol *s = declare(x, take_word(x, "a register"), SYMBOL_REG);
        uint64_t count = 1;
        if (sim_parse_accept(x, "<")) {
            count = (uint64_t)sim_parse_integer(x);
            sim_parse_expect(x, ">");
            if (s) s->kind = SYMBOL_FAMILY;
        }
        if (count > SLOTS_MAX) sim_parse_fail(x, x->lex.now.line, "too many registers");
        SimSlot slot = sim_parse_slots(x, sim_types[type].bytes == 8 ? 2 * count : count);
        if (!s || x->err[0]) return;
        s->type = type;
        s->value = slot;
        s->count = count;
    } while (sim_parse_accept(x, ","));
    sim_parse_expect(x, ";");
}

/* A variable's alignment, type, name and extent; its offset follows *end, which grows. */
static void parse_variable(SimParser *x, SimSymbolKind kind, uint32_t *end, uint32_t max)
{
    uint64_t align = sim_parse_accept(x, ".align") ? (uint64_t)sim_parse_integer(x) : 0;
    SimType type = take_type(x);
    uint64_t bytes = (uint64_t)sim_types[type].bytes, count = 1;
    SimSymbol *s = declare(x, take_word(x, "a name"), kind);
    if (sim_parse_accept(x, "[")) {
        count = (uint64_t)sim_parse_integer(x);
        sim_parse_expect(x, "]");
    }
    if (!align) align = bytes;
    uint32_t line = x->lex.now.line;
    if (!bytes) sim_parse_fail(x, line, "no variables of type pred");
    if (align & (align - 1) || align > 1024) sim_parse_fail(x, line, "impossible alignment");
    if (!s || x->err[0]) return;
    s->value = (*end + align - 1) & ~(align - 1);
    if (s->value > max || count > (max - s->value) / bytes) {
        sim_parse_fail(x, line, "more than %u bytes", max);
        return;
    }
    s->count = count * bytes;
    *end = (uint32_t)(s->value + s->count);
}

static void parse_shared(SimParser *x)
{
    parse_variable(x, SYMBOL_SHARED, &x->prog->shared_bytes, SIM_SHARED_MAX);
    sim_parse_expect(x, ";");
}

static void parse_params(SimParser *x)
{
    if (!sim_parse_accept(x, "(") || sim_parse_accept(x, ")")) return;
    do {
        sim_parse_expect(x, ".param");
        parse_variable(x, SYMBOL_PARAM, &x->prog->param_bytes, PARAM_MAX);
    } while (sim_parse_accept(x, ","));
    sim_parse_expect(x, ")");
}

/* -- Entries ---------------------------------------------------------------------------------- */

/* Threads of .maxntid 128, 1, 1 */
static uint32_t parse_extent(SimParser *x)
{
    uint64_t n = 1;
    do {
        uint64_t e = (uint64_t)sim_parse_integer(x);
        if (e == 0 || e > THREADS_MAX || n * e > THREADS_MAX)
            sim_parse_fail(x, x->lex.now.line, "not 1 to %d threads", THREADS_MAX);
        n *= e ? e : 1;
    } while (!x->err[0] && sim_parse_accept(x, ","));
    return (uint32_t)n;
}

static void parse_directives(SimParser *x)
{
    while (x->lex.now.kind == TOKEN_WORD) {
        if (sim_parse_accept(x, ".maxntid")) {
            x->prog->max_threads = parse_extent(x);
        } else if (sim_parse_accept(x, ".reqntid")) {
            x->prog->max_threads = x->prog->req_threads = parse_extent(x);
        } else if (sim_parse_accept(x, ".minnctapersm") || sim_parse_accept(x, ".maxnreg")) {
            sim_parse_integer(x); /* advice to ptxas: nothing to execute */
        } else {
            const SimToken *t = &x->lex.now;
            sim_parse_fail(x, t->line, "unknown directive '%.*s'", (int)t->n, t->s);
        }
    }
}

/* A word followed by a colon. */
static bool parse_label(SimParser *x)
{
    SimLexer before = x->lex;
    sim_lex_next(&x->lex);
    if (!sim_parse_accept(x, ":")) {
        x->lex = before;
        return false;
    }
    SimSymbol *s = declare(x, before.now, SYMBOL_LABEL);
    if (s) s->value = x->prog->insn_count;
    return true;
}

static void parse_statement(SimParser *x)
{
    const SimToken t = x->lex.now;
    if (sim_parse_accept(x, ".reg"))
        parse_reg(x);
    else if (sim_parse_accept(x, ".shared"))
        parse_shared(x);
    else if (t.kind == TOKEN_WORD && t.s[0] == '.')
        sim_parse_fail(x, t.line, "unknown directive '%.*s'", (int)t.n, t.s);
    else if (t.kind != TOKEN_WORD || !parse_label(x))
        sim_parse_insn(x);
}

static void resolve_labels(SimParser *x)
{
    for (size_t i = 0; i < x->fixup_count; i++) {
        const SimFixup *f = &x->fixups[i];
        const SimSymbol *s = sim_parse_symbol(x, f->name, f->n);
        if (!s || s->kind != SYMBOL_LABEL)
            sim_parse_fail(x, f->line, "no label '%.*s'", (int)f->n, f->name);
        else if (s->value >= x->prog->insn_count)
            sim_parse_fail(x, f->line, "no instruction follows label '%.*s'", (int)f->n, f->name);
        else
            x->prog->insns[f->insn].target = (uint32_t)s->value;
    }
}

/* The pool of operands has its final place only now. */
static void finish_entry(SimParser *x, uint32_t line)
{
    SimProgram *p = x->prog;
    resolve_labels(x);
    if (x->err[0]) return;
    for (size_t i = 0; i < p->insn_count; i++)
        p->insns[i].arg = p->args ? p->args + p->insns[i].first_arg : NULL;
    const SimInsn *last = p->insn_count ? &p->insns[p->insn_count - 1] : NULL;
    if (!last || last->guard != SIM_ALWAYS || !sim_insn_ends(last))
        sim_parse_fail(x, line, "control can reach the end of the entry");
}

static bool begin_entry(SimParser *x, SimToken name)
{
    SimProgram *p = calloc(1, sizeof *p);
    x->prog = p;
    if (!p || !(p->name = strndup(name.s, name.n)) || !(p->text = strdup(x->text))) {
        sim_parse_fail(x, name.line, "out of memory");
        return false;
    }
    p->max_threads = THREADS_MAX;
    p->ptx = x->version;
    p->target = x->target;
    x->symbol_count = x->fixup_count = 0;
    sim_parse_const(x, 1, 0); /* slot SIM_ALWAYS */
    return true;
}

/* Behind .entry: name, parameters, directives, body. */
static void parse_entry(SimParser *x)
{
    if (!begin_entry(x, take_word(x, "a name"))) return;
    parse_params(x);
    parse_directives(x);
    sim_parse_expect(x, "{");
    while (x->lex.now.kind != TOKEN_END && !sim_token_is(&x->lex.now, "}")) parse_statement(x);
    uint32_t line = x->lex.now.line;
    sim_parse_expect(x, "}");
    finish_entry(x, line);
}

/* -- Modules ---------------------------------------------------------------------------------- */

/* The chips, and the PTX version that brought each. */
static const struct {
    int sm, ptx;
} chips[] = {{70, 60}, {72, 61}, {75, 63}, {80, 70}, {86, 71}, {87, 74}, {89, 78}, {90, 78}};

static int parse_version(SimParser *x)
{
    SimToken t = x->lex.now;
    int v = t.kind == TOKEN_FLOAT ? (int)(10 * t.f + 0.5) : 0;
    sim_lex_next(&x->lex);
    if (v < 60 || v > 99) sim_parse_fail(x, t.line, "versions 6.0 to 9.9 are understood");
    return v;
}

static int parse_target(SimParser *x)
{
    SimToken t = take_word(x, "a target");
    int sm = 0, n = 0;
    if (sscanf(t.s, "sm_%d%n", &sm, &n) != 1) n = 0;
    bool specific = (size_t)n + 1 == t.n && t.s[n] == 'a'; /* sm_90a: that chip only */
    for (size_t i = 0; i < sizeof chips / sizeof *chips && ((size_t)n == t.n || specific); i++) {
        if (chips[i].sm != sm || (specific && sm != 90)) continue;
        if (x->version < chips[i].ptx)
            sim_parse_fail(x, t.line, "sm_%d needs .version %d.%d", sm, chips[i].ptx / 10,
                           chips[i].ptx % 10);
        if (sm > x->chip || (specific && sm != x->chip))
            sim_parse_fail(x, t.line, "this device is sm_%d", x->chip);
        return sm;
    }
    sim_parse_fail(x, t.line, "unknown target '%.*s'", (int)t.n, t.s);
    return 0;
}

static void parse_header(SimParser *x)
{
    sim_parse_expect(x, ".version");
    x->version = parse_version(x);
    sim_parse_expect(x, ".target");
    x->target = parse_target(x);
    sim_parse_expect(x, ".address_size");
    uint32_t line = x->lex.now.line;
    if (sim_parse_integer(x) != 64) sim_parse_fail(x, line, "addresses have 64 bits here");
}

static SimProgram *parse_module(SimParser *x, const char *entry)
{
    SimProgram *found = NULL;
    parse_header(x);
    while (x->lex.now.kind != TOKEN_END) {
        sim_parse_accept(x, ".visible");
        sim_parse_expect(x, ".entry");
        if (x->err[0]) break;
        SimToken name = x->lex.now;
        parse_entry(x);
        if (!found && x->prog && sim_token_is(&name, entry))
            found = x->prog;
        else
            sim_program_free(x->prog);
        x->prog = NULL;
    }
    if (!found && !x->err[0]) snprintf(x->err, sizeof x->err, "the PTX has no entry '%s'", entry);
    return found;
}

SimProgram *sim_program_parse(const char *text, const char *entry, int sm, char *err, size_t size)
{
    SimParser *x = calloc(1, sizeof *x);
    if (!x) {
        snprintf(err, size, "out of memory");
        return NULL;
    }
    x->text = text;
    x->chip = sm;
    sim_lex_init(&x->lex, text);
    SimProgram *p = parse_module(x, entry);
    if (x->err[0]) {
        snprintf(err, size, "%s", x->err);
        sim_program_free(p);
        p = NULL;
    }
    free(x->symbols);
    free(x->fixups);
    free(x);
    return p;
}

void sim_program_free(SimProgram *p)
{
    if (!p) return;
    free(p->name);
    free(p->text);
    free(p->insns);
    free(p->args);
    free(p->consts);
    free(p->specials);
    free(p);
}
