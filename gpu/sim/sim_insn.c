/* sim_insn: one statement, from text to a decoded instruction. See sim_isa.h for the forms of
 * operands. */
#include "gpu/sim/sim_parse.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const specials[SIM_SPECIALS] = {
    "%tid.x",   "%tid.y",    "%tid.z",    "%ntid.x",   "%ntid.y", "%ntid.z", "%ctaid.x", "%ctaid.y",
    "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z", "%laneid", "%warpid", "%nwarpid",
};

/* -- From text to items ----------------------------------------------------------------------- */

/* %r12 of the family %r<20>. */
static bool find_in_family(const SimParser *x, const SimToken *t, SimItem *item)
{
    size_t prefix = t->n;
    while (prefix > 0 && isdigit((unsigned char)t->s[prefix - 1])) prefix--;
    if (prefix == t->n || t->n - prefix > 6) return false;
    if (t->s[prefix] == '0' && t->n - prefix > 1) return false;
    uint64_t number = 0;
    for (size_t i = prefix; i < t->n; i++) number = 10 * number + (uint64_t)(t->s[i] - '0');
    const SimSymbol *s = sim_parse_symbol(x, t->s, prefix);
    if (!s || s->kind != SYMBOL_FAMILY || number >= s->count) return false;
    item->kind = ITEM_REG;
    item->type = s->type;
    item->slot = (SimSlot)(s->value + number * (sim_types[s->type].bytes == 8 ? 2 : 1));
    return true;
}

static bool find_special(SimParser *x, const SimToken *t, SimItem *item)
{
    int id = 0;
    while (id < SIM_SPECIALS && !sim_token_is(t, specials[id])) id++;
    if (id == SIM_SPECIALS) return false;
    SimProgram *p = x->prog;
    size_t i = 0;
    while (i < p->special_count && p->specials[i].id != (SimSpecial)id) i++;
    if (i == p->special_count) {
        SimSlot slot = sim_parse_slots(x, 1);
        SimSpecialUse *use = sim_parse_append(x, &p->specials, &p->special_count, sizeof *use);
        if (!use) return false;
        *use = (SimSpecialUse){slot, (SimSpecial)id};
    }
    item->kind = ITEM_SPECIAL;
    item->type = SIM_U32;
    item->slot = p->specials[i].slot;
    return true;
}

/* A name: register, variable, special register, or else the label of a branch. */
static void name_item(SimParser *x, const SimToken *t, SimItem *item)
{
    const SimSymbol *s = sim_parse_symbol(x, t->s, t->n);
    if (s && (s->kind == SYMBOL_SHARED || s->kind == SYMBOL_PARAM)) {
        item->kind = ITEM_SYMBOL;
        item->space = s->kind;
        item->bytes = s->count;
        item->i = (int64_t)(s->value + (s->kind == SYMBOL_SHARED ? SIM_SHARED_BASE : 0));
    } else if (s && s->kind == SYMBOL_REG) {
        item->kind = ITEM_REG;
        item->type = s->type;
        item->slot = (SimSlot)s->value;
    } else if (!find_in_family(x, t, item) && !find_special(x, t, item)) {
        item->kind = ITEM_LABEL;
        if (t->s[0] == '%') sim_parse_fail(x, t->line, "no register '%.*s'", (int)t->n, t->s);
    }
}

static void number_item(SimParser *x, const SimToken *t, SimItem *item)
{
    bool minus = sim_parse_accept(x, "-");
    SimToken v = x->lex.now;
    if (v.kind == TOKEN_INT) {
        item->kind = ITEM_INT;
        item->i = minus ? (int64_t)(0 - (uint64_t)v.i) : v.i;
    } else if (v.kind == TOKEN_FLOAT) {
        item->kind = ITEM_FLOAT;
        item->f = minus ? -v.f : v.f;
        bool by_bits = v.n > 2 && v.s[0] == '0' && strchr("fFdD", v.s[1]);
        item->bits = by_bits ? (v.n == 10 ? 32 : 64) : 0;
    } else {
        sim_parse_fail(x, t->line, "operand expected before '%.*s'", (int)t->n, t->s);
    }
}

static void parse_item(SimParser *x)
{
    if (x->item_count == SIM_ITEMS) {
        sim_parse_fail(x, x->lex.now.line, "too many operands");
        return;
    }
    SimItem *item = &x->items[x->item_count++];
    bool negated = sim_parse_accept(x, "!");
    SimToken t = x->lex.now;
    *item = (SimItem){.negated = negated, .s = t.s, .n = t.n};
    if (t.kind == TOKEN_WORD)
        name_item(x, &t, item);
    else
        number_item(x, &t, item);
    sim_lex_next(&x->lex);
}

/* Items up to the closing mark, or just one more behind '|'. */
static void parse_operand(SimParser *x)
{
    if (x->operand_count == SIM_OPERANDS) {
        sim_parse_fail(x, x->lex.now.line, "too many operands");
        return;
    }
    SimOperand *o = &x->operands[x->operand_count++];
    *o = (SimOperand){.shape = ' ', .first = x->item_count};
    if (sim_parse_accept(x, "{")) {
        o->shape = '{';
        do parse_item(x);
        while (sim_parse_accept(x, ","));
        sim_parse_expect(x, "}");
    } else {
        bool address = sim_parse_accept(x, "[");
        parse_item(x);
        if (sim_parse_accept(x, "+")) o->offset = sim_parse_integer(x);
        if (address) {
            o->shape = '[';
            sim_parse_expect(x, "]");
        } else if (sim_parse_accept(x, "|")) {
            o->shape = '|';
            parse_item(x);
        }
    }
    o->count = x->item_count - o->first;
}

/* -- From items to the operands of a row: each function gives NULL, or why not ---------------- */

static void push(SimParser *x, SimInsn *in, SimSlot slot, bool dst)
{
    SimSlot *arg = sim_parse_append(x, &x->prog->args, &x->prog->arg_count, sizeof *arg);
    if (!arg) return;
    *arg = slot;
    if (dst)
        in->dsts++;
    else
        in->srcs++;
}

static const char *fit_int(SimParser *x, SimInsn *in, int64_t v, int bytes)
{
    if (bytes < 8 && (v >= (int64_t)1 << 8 * bytes || v < -((int64_t)1 << (8 * bytes - 1))))
        return "a constant does not fit";
    uint64_t bits = bytes < 8 ? (uint64_t)v & (((uint64_t)1 << 8 * bytes) - 1) : (uint64_t)v;
    push(x, in, sim_parse_const(x, bits, bytes), false);
    return NULL;
}

static const char *fit_float(SimParser *x, SimInsn *in, const SimItem *item, SimType type)
{
    const SimTypeInfo *t = &sim_types[type];
    bool as_bits = t->kind == 'b' && item->bits == 8 * t->bytes;
    if (!as_bits && type != SIM_F32 && type != SIM_F64) return "a float constant has no place here";
    uint64_t bits;
    float narrow = (float)item->f;
    uint32_t low;
    memcpy(&low, &narrow, sizeof low);
    memcpy(&bits, &item->f, sizeof bits);
    push(x, in, sim_parse_const(x, t->bytes == 4 ? low : bits, t->bytes), false);
    return NULL;
}

/* A source that is no register. any: special registers and addresses may stand here too. */
static const char *fit_value(SimParser *x, SimInsn *in, const SimOperand *o, const SimItem *item,
                             SimType type, bool any)
{
    const SimTypeInfo *t = &sim_types[type];
    switch (item->kind) {
    case ITEM_INT:
        if (t->kind == 'f' || t->kind == 'p') return "an integer constant has no place here";
        return fit_int(x, in, item->i, t->bytes);
    case ITEM_FLOAT: return fit_float(x, in, item, type);
    case ITEM_SPECIAL:
        if (!any || !sim_type_fits(type, item->type)) return "a special register has no place here";
        push(x, in, item->slot, false);
        return NULL;
    case ITEM_SYMBOL:
        if (!any || t->kind == 'f' || t->bytes < 4 || item->space != SYMBOL_SHARED)
            return "an address has no place here";
        return fit_int(x, in, item->i + o->offset, t->bytes);
    default: return "an operand is no register";
    }
}

static const char *fit_item(SimParser *x, SimInsn *in, const SimOperand *o, const SimItem *item,
                            SimType type, bool dst, bool any)
{
    if (item->kind != ITEM_SYMBOL && o->offset) return "an offset has no place here";
    if (item->negated && (type != SIM_PRED || item->kind != ITEM_REG || dst))
        return "only a predicate that is read can be negated";
    if (item->kind != ITEM_REG)
        return dst ? "the destination is no register" : fit_value(x, in, o, item, type, any);
    if (!sim_type_fits(type, item->type)) return "a register has the wrong type";
    if (item->negated) in->negated |= 1U << (in->dsts + in->srcs);
    push(x, in, item->slot, dst);
    return NULL;
}

/* The ~ operand: registers at least as wide as the data, all of one width. */
static const char *fit_vector(SimParser *x, SimInsn *in, const SimOperand *o, bool dst)
{
    const SimTypeInfo *t = &sim_types[in->type];
    if (o->shape != (in->vec > 1 ? '{' : ' ') || o->count != in->vec)
        return "the number of registers is not that of the vector";
    int width = t->bytes < 2 ? 2 : t->bytes;
    SimType type = t->bytes < 2 ? SIM_B16 : (SimType)in->type;
    for (int i = 0; i < o->count; i++) {
        const SimItem *item = &x->items[o->first + i];
        const SimTypeInfo *r = &sim_types[item->type];
        if (item->kind != ITEM_REG || r->bytes <= width) continue;
        if (t->kind == 'f' || r->kind == 'f') return "a float register has the wrong width";
        width = r->bytes;
        type = width == 4 ? SIM_B32 : SIM_B64;
    }
    in->width = (uint8_t)width;
    const char *why = NULL;
    for (int i = 0; i < o->count && !why; i++)
        why = fit_item(x, in, o, &x->items[o->first + i], type, dst, false);
    return why;
}

static const char *fit_param(SimInsn *in, const SimOperand *o, const SimItem *item)
{
    int64_t bytes = sim_types[in->type].bytes * in->vec;
    if (item->kind != ITEM_SYMBOL || item->space != SYMBOL_PARAM) return "no parameter is named";
    if (o->offset < 0 || o->offset + bytes > (int64_t)item->bytes) return "outside the parameter";
    if ((item->i + o->offset) % bytes) return "misaligned in the parameters";
    return NULL;
}

static const char *fit_address(SimParser *x, SimInsn *in, char space, const SimOperand *o)
{
    const SimItem *item = &x->items[o->first];
    if (o->shape != '[') return "an address in brackets is needed";
    int64_t offset = o->offset;
    const char *why = space == 'p' ? fit_param(in, o, item) : NULL;
    if (why) return why;
    int index = in->dsts + in->srcs;
    if (item->kind == ITEM_REG) {
        const SimTypeInfo *t = &sim_types[item->type];
        if (t->kind == 'f' || !(t->bytes == 8 || (t->bytes == 4 && space == 's')))
            return "an address is in a register of the wrong type";
        if (t->bytes == 8) in->wide |= 1U << index;
        push(x, in, item->slot, false);
    } else if (item->kind == ITEM_SYMBOL && space == (item->space == SYMBOL_SHARED ? 's' : 'p')) {
        offset += item->i;
        in->wide |= 1U << index;
        push(x, in, sim_parse_const(x, 0, 8), false);
    } else {
        return "the address is of another space";
    }
    in->imm[in->imms++] = offset;
    return NULL;
}

static const char *fit_constant(SimParser *x, SimInsn *in, const SimOperand *o)
{
    const SimItem *item = &x->items[o->first];
    if (o->shape != ' ' || item->kind != ITEM_INT) return "an integer constant is needed";
    in->imm[in->imms++] = item->i;
    return NULL;
}

static const char *fit_label(SimParser *x, const SimInsn *in, const SimOperand *o)
{
    const SimItem *item = &x->items[o->first];
    if (o->shape != ' ' || item->kind != ITEM_LABEL) return "a label is needed";
    SimFixup *f = sim_parse_append(x, &x->fixups, &x->fixup_count, sizeof *f);
    if (f) *f = (SimFixup){item->s, item->n, x->prog->insn_count, in->line};
    return NULL;
}

/* T, ?T, T*n and T|pred. */
static const char *fit_typed(SimParser *x, SimInsn *in, const char *s, size_t n,
                             const SimOperand *o, bool dst)
{
    bool any = *s == '?';
    if (any) s++, n--;
    size_t name = 0;
    while (name < n && s[name] != '*' && s[name] != '|') name++;
    SimType type = sim_type_parse(s, name);
    bool pair = name < n && s[name] == '|', vector = name < n && s[name] == '*';
    int count = vector ? atoi(s + name + 1) : 1;
    if (pair && o->shape == '|') count = 2;
    char shape = count == 1 && o->shape != '{' ? ' ' : vector ? '{' : pair ? '|' : ' ';
    if (o->shape != shape || o->count != count)
        return "the number of registers is not the instruction's";
    const char *why = NULL;
    for (int i = 0; i < count && !why; i++)
        why = fit_item(x, in, o, &x->items[o->first + i], pair && i ? SIM_PRED : type, dst, any);
    return why;
}

static const char *fit(SimParser *x, SimInsn *in, const char *s, size_t n, const SimOperand *o)
{
    bool dst = *s == '=';
    if (dst) s++, n--;
    switch (*s) {
    case '[': return fit_address(x, in, s[1], o);
    case '#': return fit_constant(x, in, o);
    case '@': return fit_label(x, in, o);
    case '~': return fit_vector(x, in, o, dst);
    default: return fit_typed(x, in, s, n, o, dst);
    }
}

static const char *fit_form(SimParser *x, SimInsn *in)
{
    in->dsts = in->srcs = in->imms = 0;
    in->negated = in->wide = 0;
    in->first_arg = (uint32_t)x->prog->arg_count;
    int i = 0;
    const char *why = NULL;
    for (const char *s = in->op->form; *s && !why; i++) {
        size_t n = strcspn(s, ",");
        if (i == x->operand_count) return "operands are missing";
        why = fit(x, in, s, n, &x->operands[i]);
        s += n + (s[n] == ',');
    }
    return why ? why : i < x->operand_count ? "too many operands" : NULL;
}

/* -- Statements ------------------------------------------------------------------------------- */

static void parse_guard(SimParser *x, SimInsn *in)
{
    if (!sim_parse_accept(x, "@")) return;
    x->item_count = 0;
    parse_item(x);
    const SimItem *p = &x->items[0];
    if (p->kind != ITEM_REG || p->type != SIM_PRED)
        sim_parse_fail(x, in->line, "the guard is no predicate");
    in->guard = p->slot;
    in->guard_negated = p->negated;
}

/* Tries the rows of the mnemonic in turn. Where none fits, the one that came furthest says why. */
static const SimOp *choose_row(SimParser *x, SimInsn *in, const SimToken *t)
{
    const char *reason = "";
    int furthest = -1;
    size_t args = x->prog->arg_count;
    const SimOp *op = sim_isa_find(t->s, t->n, NULL, in);
    if (!op) sim_parse_fail(x, t->line, "unknown instruction '%.*s'", (int)t->n, t->s);
    while (op) {
        const char *why = fit_form(x, in);
        if (!why) return op;
        if (in->dsts + in->srcs > furthest) reason = why;
        if (in->dsts + in->srcs > furthest) furthest = in->dsts + in->srcs;
        x->prog->arg_count = args;
        op = sim_isa_find(t->s, t->n, op, in);
    }
    sim_parse_fail(x, t->line, "%s", reason);
    return NULL;
}

static void check_age(SimParser *x, const SimOp *op, uint32_t line)
{
    if (x->target < op->sm) sim_parse_fail(x, line, "needs .target sm_%d", op->sm);
    if (x->version < op->ptx)
        sim_parse_fail(x, line, "needs .version %d.%d", op->ptx / 10, op->ptx % 10);
}

void sim_parse_insn(SimParser *x)
{
    SimInsn in = {.line = x->lex.now.line, .guard = SIM_ALWAYS};
    parse_guard(x, &in);
    const SimToken t = x->lex.now;
    if (t.kind != TOKEN_WORD)
        sim_parse_fail(x, t.line, "instruction expected before '%.*s'", (int)t.n, t.s);
    sim_lex_next(&x->lex);
    x->item_count = x->operand_count = 0;
    if (x->lex.now.kind != TOKEN_END && !sim_token_is(&x->lex.now, ";")) {
        do parse_operand(x);
        while (sim_parse_accept(x, ","));
    }
    sim_parse_expect(x, ";");
    if (x->err[0]) return;
    const SimOp *op = choose_row(x, &in, &t);
    if (op) check_age(x, op, t.line);
    if (x->err[0]) return;
    SimInsn *slot = sim_parse_append(x, &x->prog->insns, &x->prog->insn_count, sizeof *slot);
    if (slot) *slot = in;
}
