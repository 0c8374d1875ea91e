/* sim_lex: PTX text as tokens. See sim_lex.h. */
#include "gpu/sim/sim_lex.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("_$%.", c));
}

/* Past the end of a comment that begins at p, or p itself. */
static const char *skip_comment(SimLexer *x, const char *p)
{
    if (p[0] != '/') return p;
    if (p[1] == '/') return p + strcspn(p, "\n");
    if (p[1] != '*') return p;
    const char *end = strstr(p + 2, "*/");
    end = end ? end + 2 : p + strlen(p);
    for (; p < end; p++) x->line += *p == '\n';
    return end;
}

static const char *skip_space(SimLexer *x, const char *p)
{
    for (;;) {
        const char *start = p;
        for (; isspace((unsigned char)*p); p++) x->line += *p == '\n';
        p = skip_comment(x, p);
        if (p == start) return p;
    }
}

/* A colon belongs to a word only doubled, as in shared::cta. */
static const char *word_end(const char *p)
{
    for (;;) {
        while (is_word(*p)) p++;
        if (p[0] != ':' || p[1] != ':' || !isalnum((unsigned char)p[2])) return p;
        p += 2;
    }
}

/* 0f and 0d: the bits of a float in 8, of a double in 16 hexadecimal digits. */
static const char *bits_literal(SimToken *t, const char *p)
{
    char digits[17] = "";
    size_t n = tolower((unsigned char)p[1]) == 'f' ? 8 : 16;
    size_t have = strspn(p + 2, "0123456789abcdefABCDEF");
    t->kind = have == n ? TOKEN_FLOAT : TOKEN_BAD;
    memcpy(digits, p + 2, have < n ? have : n);
    uint64_t bits = strtoull(digits, NULL, 16);
    uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&f, &low, sizeof f);
    memcpy(&t->f, &bits, sizeof bits);
    if (n == 8) t->f = (double)f;
    return p + 2 + have;
}

static const char *number(SimToken *t, const char *p)
{
    if (p[0] == '0' && p[1] && strchr("fFdD", p[1])) return bits_literal(t, p);
    char *int_end, *float_end;
    t->kind = TOKEN_INT;
    t->i = (int64_t)strtoull(p, &int_end, 0);
    bool hex = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
    double f = hex ? 0 : strtod(p, &float_end);
    if (!hex && float_end > int_end) {
        t->kind = TOKEN_FLOAT;
        t->f = f;
        return float_end;
    }
    return int_end + (*int_end == 'U');
}

void sim_lex_next(SimLexer *x)
{
    const char *p = skip_space(x, x->p);
    SimToken t = {.s = p, .line = x->line};
    if (!*p) {
        t.kind = TOKEN_END;
    } else if (isdigit((unsigned char)*p)) {
        p = number(&t, p);
    } else if (is_word(*p)) {
        t.kind = TOKEN_WORD;
        p = word_end(p);
    } else {
        t.kind = strchr(",;:[](){}<>@!+-|=", *p) ? TOKEN_MARK : TOKEN_BAD;
        p++;
    }
    t.n = (size_t)(p - t.s);
    x->p = p;
    x->now = t;
}

void sim_lex_init(SimLexer *x, const char *text)
{
    *x = (SimLexer){.p = text, .line = 1};
    sim_lex_next(x);
}

bool sim_token_is(const SimToken *t, const char *word)
{
    return (t->kind == TOKEN_WORD || t->kind == TOKEN_MARK) && t->n == strlen(word) &&
           memcmp(t->s, word, t->n) == 0;
}
