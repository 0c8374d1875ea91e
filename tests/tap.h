/*
 * tap: the Test Anything Protocol in one header, read by prove.
 *
 *     int main(void) { ok(1 + 1 == 2, "one and one"); return tap_done(); }
 *
 * Points go to stdout, diagnostics (lines that begin with #) too, so that they stay in order. No
 * version line is printed: prove of Perl 5.36 knows none above 13. The exit status is 0 if and only
 * if every point passed. Single-threaded: report from one thread.
 */
#ifndef KNAP_TESTS_TAP_H
#define KNAP_TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    int run, failed;
} tap;

/* -- Private -- */
static inline void tap_line(const char *head, const char *fmt, va_list args)
{
    fputs(head, stdout);
    vprintf(fmt, args);
    putchar('\n');
    fflush(stdout);
}

/* One point. Returns pass, so a test can add diagnostics: if (!ok(...)) diag(...). */
__attribute__((format(printf, 2, 3))) static inline bool ok(bool pass, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    printf("%sok %d - ", pass ? "" : "not ", ++tap.run);
    tap.failed += !pass;
    tap_line("", fmt, args);
    va_end(args);
    return pass;
}

/* A point that could not be tried, and why. */
__attribute__((format(printf, 1, 2))) static inline void skip(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    printf("ok %d # SKIP ", ++tap.run);
    tap_line("", fmt, args);
    va_end(args);
}

/* A remark. */
__attribute__((format(printf, 1, 2))) static inline void diag(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    tap_line("# ", fmt, args);
    va_end(args);
}

/* The whole file could not be tried. Does not return. */
__attribute__((format(printf, 1, 2), noreturn)) static inline void skip_all(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    tap_line("1..0 # SKIP ", fmt, args);
    va_end(args);
    exit(0);
}

/* Nothing further makes sense. Does not return. */
__attribute__((format(printf, 1, 2), noreturn)) static inline void bail(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    tap_line("Bail out! ", fmt, args);
    va_end(args);
    exit(255);
}

/* Prints the plan; the value to return from main. */
static inline int tap_done(void)
{
    printf("1..%d\n", tap.run);
    return tap.failed ? 1 : 0;
}

#endif
