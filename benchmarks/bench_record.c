/*
 * bench_record: results as a table for people and as CSV rows with their provenance. See bench.h.
 *
 * The CSV's columns are described in README.md. A field with a comma or a quote is quoted.
 */
#include "benchmarks/bench.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include <omp.h>

#ifndef KNAP_VERSION
#define KNAP_VERSION "unknown"
#endif

/* -- For people ------------------------------------------------------------------------------- */

static double gflops(const BenchRow *r, double seconds)
{
    return seconds > 0 ? r->flops / seconds * 1e-9 : 0.0;
}

/* A number of about five characters, or a dash where there is none. */
static const char *cell(char buf[32], double v)
{
    if (v <= 0)
        strcpy(buf, "-");
    else
        snprintf(buf, 32, "%.*f", v < 1 ? 4 : v < 10 ? 3 : v < 1000 ? 1 : 0, v);
    return buf;
}

typedef struct {
    int problem, where, kernel, peer;
} Widths;

static int wider(int width, const char *text)
{
    int len = (int)strlen(text);
    return len > width ? len : width;
}

static Widths widths(const BenchRow *rows, int count)
{
    Widths w = {7, 5, 6, 4};
    for (int i = 0; i < count; i++) {
        w.problem = wider(w.problem, rows[i].problem);
        w.where = wider(w.where, rows[i].where);
        w.kernel = wider(w.kernel, rows[i].kernel);
        w.peer = wider(w.peer, rows[i].peer);
    }
    return w;
}

static void print_row(FILE *out, Widths w, const BenchRow *r)
{
    char ms[32], rate[32], peer_ms[32], peer_rate[32], ratio[32];
    fprintf(out, "%-*s  %-*s  %-*s  %-6s  %9s  %9s  %-*s  %9s  %9s  %6s  %s\n", w.problem,
            r->problem, w.where, r->where, w.kernel, r->kernel, r->data, cell(ms, 1e3 * r->seconds),
            cell(rate, gflops(r, r->seconds)), w.peer, *r->peer ? r->peer : "-",
            cell(peer_ms, 1e3 * r->peer_seconds), cell(peer_rate, gflops(r, r->peer_seconds)),
            cell(ratio, r->seconds > 0 ? r->peer_seconds / r->seconds : 0), r->check);
}

void bench_record_table(FILE *out, const BenchRow *rows, int count)
{
    Widths w = widths(rows, count);
    fprintf(out, "%-*s  %-*s  %-*s  %-6s  %9s  %9s  %-*s  %9s  %9s  %6s  %s\n", w.problem,
            "problem", w.where, "where", w.kernel, "kernel", "data", "ms", "GFLOP/s", w.peer,
            "peer", "ms", "GFLOP/s", "ratio", "check");
    for (int i = 0; i < count; i++) print_row(out, w, &rows[i]);
}

/* -- Provenance ------------------------------------------------------------------------------- */

/* The first line of a file that begins with key, from after its colon; or "unknown". */
static void line_of(const char *path, const char *key, char *buf, size_t size)
{
    char line[256];
    snprintf(buf, size, "unknown");
    FILE *in = fopen(path, "r");
    if (!in) return;
    while (fgets(line, sizeof line, in)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) != 0 || !colon) continue;
        colon[strcspn(colon, "\n")] = '\0';
        snprintf(buf, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
        break;
    }
    fclose(in);
}

/* The commit of the source tree that we are run in: git's word, or the file COMMIT of a tree
 * without git; else the version. */
static void commit_of(char *buf, size_t size)
{
    snprintf(buf, size, KNAP_VERSION);
    FILE *in = popen(
        "test -f plugin/knap.h && (git describe --always --dirty || cat COMMIT) 2>/dev/null", "r");
    if (!in) return;
    char line[64];
    if (fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        snprintf(buf, size, "%s", line);
    }
    pclose(in);
}

static void date_of(char buf[32])
{
    time_t t = time(NULL);
    struct tm utc;
    gmtime_r(&t, &utc);
    strftime(buf, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* -- CSV -------------------------------------------------------------------------------------- */

static void put_text(FILE *out, const char *text)
{
    bool quote = strpbrk(text, ",\"\n") != NULL;
    if (quote) putc('"', out);
    for (; *text; text++) {
        if (*text == '"') putc('"', out);
        putc(*text, out);
    }
    if (quote) putc('"', out);
    putc(',', out);
}

static void put_number(FILE *out, double v)
{
    if (v > 0) fprintf(out, "%.6g", v);
    putc(',', out);
}

/* The columns that are the same for all rows, each followed by a comma. */
static void put_provenance(FILE *out, const BenchContext *run)
{
    char date[32], commit[64], cpu[128], threads[16];
    date_of(date);
    commit_of(commit, sizeof commit);
    line_of("/proc/cpuinfo", "model name", cpu, sizeof cpu);
    snprintf(threads, sizeof threads, "%d", omp_get_max_threads());
    const DeviceInfo *d = run->device;
    const char *const fields[] = {
        date, commit, cpu, threads, d ? d->name : "", d ? d->driver : "", run->command};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) put_text(out, fields[i]);
}

static void put_row(FILE *out, const BenchContext *run, const BenchRow *r)
{
    put_provenance(out, run);
    put_text(out, r->problem);
    put_text(out, r->where);
    put_text(out, r->kernel);
    put_text(out, r->data);
    put_number(out, run->repetitions);
    put_number(out, 1e3 * r->seconds);
    put_number(out, 1e3 * r->best);
    put_number(out, gflops(r, r->seconds));
    put_text(out, r->peer);
    put_number(out, 1e3 * r->peer_seconds);
    put_number(out, gflops(r, r->peer_seconds));
    put_number(out, r->seconds > 0 ? r->peer_seconds / r->seconds : 0);
    fprintf(out, "%s\n", r->check);
}

static const char header[] = "date,commit,cpu,threads,gpu,driver,command,problem,where,kernel,data,"
                             "repetitions,median_ms,best_ms,"
                             "gflops,peer,peer_median_ms,peer_gflops,ratio,check\n";

BenchError bench_record_csv(const char *path, const BenchContext *run, const BenchRow *rows,
                            int count)
{
    FILE *out = fopen(path, "a");
    if (!out) return bench_error("%s: %s", path, strerror(errno));
    fseek(out, 0, SEEK_END);
    if (ftell(out) == 0) fputs(header, out);
    for (int i = 0; i < count; i++) put_row(out, run, &rows[i]);
    bool failed = ferror(out);
    return fclose(out) || failed ? bench_error("%s: not all was written", path) : NULL;
}
