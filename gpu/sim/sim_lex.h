/*
 * sim_lex: PTX text as tokens. A character that begins no token gives TOKEN_BAD; nothing else can
 * fail.
 */
#ifndef KNAP_GPU_SIM_SIM_LEX_H
#define KNAP_GPU_SIM_SIM_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    TOKEN_END,
    TOKEN_WORD, /* with all its dots: ld.shared::cta.b32, %tid.x, .reg */
    TOKEN_INT,
    TOKEN_FLOAT, /* 1.5, 0f3F800000, 0d3FF0000000000000 */
    TOKEN_MARK,  /* one character */
    TOKEN_BAD
} SimTokenKind;

typedef struct {
    SimTokenKind kind;
    const char *s;
    size_t n;
    uint32_t line;
    int64_t i;
    double f;
} SimToken;

typedef struct {
    const char *p;
    uint32_t line;
    SimToken now;
} SimLexer;

/* now becomes the first token. */
void sim_lex_init(SimLexer *x, const char *text);
/* now becomes the next token. */
void sim_lex_next(SimLexer *x);
bool sim_token_is(const SimToken *t, const char *word);

#endif
