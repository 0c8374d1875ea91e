/*
 * cli: the knap command. Each subcommand is a function of its own arguments (argv[0] is its name)
 * that returns the exit status: 0 done, 1 failed, 2 wrong usage.
 */
#ifndef KNAP_PLUGIN_CLI_H
#define KNAP_PLUGIN_CLI_H

#include <stdbool.h>

int cli_info(int argc, char **argv);
int cli_run(int argc, char **argv);
int cli_explain(int argc, char **argv);
int cli_list(int argc, char **argv);
int cli_layout(int argc, char **argv);
int cli_draw(int argc, char **argv);

/* One sentence on stderr; returns 2. */
int cli_wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
