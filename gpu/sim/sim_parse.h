/*
 * sim_parse: what the parts of the parser share. sim_parse.c reads modules, entries and
 * declarations, sim_insn.c instructions. The first error sticks and turns the rest of the text
 * into its end, so loops finish by themselves and sim_program_parse looks once.
 */
#ifndef KNAP_GPU_SIM_SIM_PARSE_H
#define KNAP_GPU_SIM_SIM_PARSE_H

#include "gpu/sim/sim_lex.h"
#include "gpu/sim/sim_program.h"

typedef enum { SYMBOL_REG, SYMBOL_FAMILY, SYMBOL_SHARED, SYMBOL_PARAM, SYMBOL_LABEL } SimSymbolKind;

typedef struct {
    const char *name; /* in the text */
    size_t n;
    SimSymbolKind kind;
    SimType type;   /* of registers */
    uint64_t value; /* slot, address, offset, or index of an instruction */
    uint64_t count; /* registers of a family, bytes of a variable */
} SimSymbol;

/* A branch to a label that may stand further down. */
typedef struct {
    const char *name;
    size_t n, insn;
    uint32_t line;
} SimFixup;

/* One register, constant or name of an operand. */
typedef enum { ITEM_REG, ITEM_INT, ITEM_FLOAT, ITEM_SYMBOL, ITEM_SPECIAL, ITEM_LABEL } SimItemKind;

typedef struct {
    SimItemKind kind;
    bool negated; /* !p */
    SimType type;
    SimSlot slot;
    int64_t i;
    double f;
    const char *s; /* of a label */
    size_t n;
    SimSymbolKind space; /* of ITEM_SYMBOL, whose address is i */
    uint64_t bytes;      /* of ITEM_SYMBOL */
    int bits;            /* of a float written as 0f or 0d: 32 or 64; else 0 */
} SimItem;

typedef struct {
    char shape; /* ' ' one item, '{' braces, '[' an address, '|' two items p|q */
    int first, count;
    int64_t offset;
} SimOperand;

enum { SIM_ITEMS = 160, SIM_OPERANDS = 12 };

typedef struct {
    SimLexer lex;
    const char *text;
    int chip, version, target; /* 10*major + minor */
    SimProgram *prog;
    SimSymbol *symbols;
    size_t symbol_count;
    SimFixup *fixups;
    size_t fixup_count;
    SimItem items[SIM_ITEMS];
    SimOperand operands[SIM_OPERANDS];
    int item_count, operand_count;
    char err[400];
} SimParser;

/* Records the first error, at line `line` of the text. */
void sim_parse_fail(SimParser *x, uint32_t line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Room for one more element at the end of *array; NULL (and an error) when out of memory. */
void *sim_parse_append(SimParser *x, void *array, size_t *count, size_t element);
/* Takes the token if it is the given mark or word. */
bool sim_parse_accept(SimParser *x, const char *word);
void sim_parse_expect(SimParser *x, const char *word);
/* An integer constant, with its sign. */
int64_t sim_parse_integer(SimParser *x);
/* The symbol of that name and kind, or NULL. */
const SimSymbol *sim_parse_symbol(const SimParser *x, const char *name, size_t n);
/* Slots that hold a constant in every lane; bytes 0: a predicate. */
SimSlot sim_parse_const(SimParser *x, uint64_t bits, int bytes);
/* n new slots. */
SimSlot sim_parse_slots(SimParser *x, uint64_t n);

/* One statement from its guard to its semicolon (sim_insn.c). */
void sim_parse_insn(SimParser *x);

#endif
