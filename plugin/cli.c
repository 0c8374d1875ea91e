/* cli: the knap command, a table of subcommands. See cli.h. */
#include "plugin/cli.h"

#include "benchmarks/bench.h"
#include "plugin/knap.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int version(int argc, char **argv)
{
    (void)argc, (void)argv;
    printf("knap %s\n", knap_version());
    return 0;
}

static int help(int argc, char **argv);

/* clang-format off */
static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *usage;
} commands[] = {
    { "run", cli_run,
      "run [--KNOB VALUE ...] -- PROGRAM [ARGUMENT ...]\n"
      "      runs a program with its BLAS calls on the GPU where that is faster, and tells at its\n"
      "      end what ran where; a knob is a KNAP_ variable in small letters: --mode always" },
    { "info", cli_info,
      "info\n"
      "      the device, the next BLAS, the CPU, and every knob with its value and meaning" },
    { "explain", cli_explain,
      "explain ROUTINE M N K [nn|nt|tn|tt] [--device SPEC | --gpu MODEL]\n"
      "      where such a call would run, and why; ROUTINE is one of sgemm dgemm cgemm zgemm\n"
      "      hgemm bgemm, MODEL one of v100 t4 a100 l40s h100 h200" },
    { "list", cli_list,
      "list\n"
      "      the MMA atoms and the kernels" },
    { "layout", cli_layout,
      "layout EXPR ... | -\n"
      "      the value of each expression of the layout algebra; - reads them from stdin, a line\n"
      "      each: coalesce composition complement left_inverse right_inverse logical_divide\n"
      "      zipped_divide tiled_divide flat_divide logical_product zipped_product\n"
      "      tiled_product blocked_product raked_product size cosize rank depth shape stride\n"
      "      flatten group select get append make_layout make_ordered_layout identity filter\n"
      "      filter_zeros crd2idx idx2crd" },
    { "draw", cli_draw,
      "draw EXPR | mma NAME [A|B|C] | tiled-mma NAME thr_m thr_n tile_m tile_n tile_k [A|B|C]\n"
      "     | copy M N THREADS VEC MAJOR | predicate TILE SHAPE  [--svg FILE]\n"
      "      a layout's values, who holds what, or which cells are inside; as text, and as SVG" },
    { "bench", bench_main,
      "bench [OPTION ...]\n"
      "      measures and verifies; knap bench --help tells how" },
    { "help",      help,    "help" },
    { "--help",    help,    NULL },
    { "-h",        help,    NULL },
    { "version",   version, "version" },
    { "--version", version, NULL },
};
/* clang-format on */

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static int help(int argc, char **argv)
{
    (void)argc, (void)argv;
    puts("knap: GEMM on tensor cores behind every BLAS call\n");
    for (int i = 0; i < COMMANDS; i++)
        if (commands[i].usage) printf("  knap %s\n", commands[i].usage);
    return 0;
}

int cli_wrong(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fputs("knap: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    return 2;
}

/* bench prints its own help. */
static bool wants_help(int i, int argc, char **argv)
{
    return argc == 2 && strcmp(argv[1], "--help") == 0 && commands[i].run != bench_main;
}

int main(int argc, char **argv)
{
    if (argc < 2) return cli_wrong("a command is missing; knap help lists them");
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, argv[1]) != 0) continue;
        if (!wants_help(i, argc - 1, argv + 1)) return commands[i].run(argc - 1, argv + 1);
        printf("knap %s\n", commands[i].usage ? commands[i].usage : commands[i].name);
        return 0;
    }
    return cli_wrong("%s is no command; knap help lists them", argv[1]);
}
