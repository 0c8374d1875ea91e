/* cli_layout: knap layout, the algebra from the shell. See cli.h and layout_expr.h. */
#include "plugin/cli.h"

#include "plugin/layout_expr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints the value of one expression, or what is wrong with it and where. */
static int evaluate(const char *text)
{
    char value[LAYOUT_EXPR_TEXT];
    LayoutExprError error;
    if (layout_expr_print(value, sizeof value, text, &error) >= 0) {
        puts(value);
        return 0;
    }
    cli_wrong("%s", error.why);
    fprintf(stderr, "  %s\n  %*s^\n", text, error.column, "");
    return 2;
}

/* A blank line, or a remark. */
static bool says_nothing(const char *line)
{
    line += strspn(line, " \t\r");
    return *line == '\0' || *line == '#';
}

static int evaluate_lines(FILE *in)
{
    char *line = NULL;
    size_t room = 0;
    int status = 0;
    while (status == 0 && getline(&line, &room, in) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (!says_nothing(line)) status = evaluate(line);
    }
    free(line);
    return status;
}

int cli_layout(int argc, char **argv)
{
    if (argc < 2) return cli_wrong("layout wants an expression, or - to read them from stdin");
    int status = 0;
    for (int i = 1; i < argc && status == 0; i++)
        status = strcmp(argv[i], "-") == 0 ? evaluate_lines(stdin) : evaluate(argv[i]);
    return status;
}
