/* stats: counters that any thread may raise. See stats.h. */
#include "plugin/stats.h"

#include "gpu/mem.h"
#include "plugin/cost.h"
#include "plugin/explain.h"

#include <locale.h>
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 256, ROUTINE = 24, WHERE = 72, CLASSES = 21 };

typedef enum { ROW_FREE, ROW_CLAIMED, ROW_READY } RowState;

/* Sums of some calls. */
typedef struct {
    atomic_uint_fast64_t calls;
    _Atomic double seconds, flops, bytes;
} Count;

/* What tells one row from another. Texts are copied: a library's name may go away with the
 * library. */
typedef struct {
    char routine[ROUTINE], where[WHERE];
    uint8_t shape, place, reason;
} RowKey;

/* The key is written by the thread that claims the row and read by others once it is ready. */
typedef struct {
    atomic_int state;
    RowKey key;
    Count count;
} Row;

struct Stats {
    Row rows[ROWS];
    Count total[PLACE_COUNT];
    atomic_uint_fast64_t failures;
};

/* A Count at one moment. */
typedef struct {
    uint64_t calls;
    double seconds, flops, bytes;
} Sum;

/* -- Counting ---------------------------------------------------------------------------------- */

static void raise_by(_Atomic double *x, double by)
{
    double old = atomic_load_explicit(x, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(x, &old, old + by, memory_order_relaxed,
                                                  memory_order_relaxed))
        continue;
}

static void count_add(Count *c, Sum by)
{
    atomic_fetch_add_explicit(&c->calls, by.calls, memory_order_relaxed);
    raise_by(&c->seconds, by.seconds);
    raise_by(&c->flops, by.flops);
    raise_by(&c->bytes, by.bytes);
}

static Sum count_read(const Count *c)
{
    return (Sum){.calls = atomic_load_explicit(&c->calls, memory_order_relaxed),
                 .seconds = atomic_load_explicit(&c->seconds, memory_order_relaxed),
                 .flops = atomic_load_explicit(&c->flops, memory_order_relaxed),
                 .bytes = atomic_load_explicit(&c->bytes, memory_order_relaxed)};
}

/* Edge of the cube with as many multiplications, as a power of two. */
static uint8_t shape_class(double product)
{
    if (!(product >= 1)) return 0;
    int log2 = ilogb(cbrt(product) * (1 + 1e-12));
    return (uint8_t)(log2 < CLASSES ? log2 : CLASSES - 1);
}

/* The end of a long text tells more than its beginning: a library's path ends in its name. What
 * JSON would have to escape becomes '_'. */
static void copy_tail(char *to, size_t size, const char *from)
{
    size_t length = strlen(from);
    if (length >= size) from += length - (size - 1);
    for (; *from; from++, to++)
        *to = (unsigned char)*from < ' ' || *from == '"' || *from == '\\' ? '_' : *from;
    *to = '\0';
}

static RowKey key_make(const char *routine, uint8_t shape, Place place, Reason reason,
                       const char *where)
{
    RowKey key = {.shape = shape, .place = (uint8_t)place, .reason = (uint8_t)reason};
    copy_tail(key.routine, sizeof key.routine, routine);
    copy_tail(key.where, sizeof key.where, where ? where : "");
    return key;
}

static bool key_equal(const RowKey *a, const RowKey *b)
{
    return a->shape == b->shape && a->place == b->place && a->reason == b->reason &&
           strcmp(a->routine, b->routine) == 0 && strcmp(a->where, b->where) == 0;
}

static bool row_ready(const Row *row)
{
    return atomic_load_explicit(&row->state, memory_order_acquire) == ROW_READY;
}

static bool row_claim(Row *row, const RowKey *key)
{
    int state = ROW_FREE;
    if (!atomic_compare_exchange_strong(&row->state, &state, ROW_CLAIMED)) return false;
    row->key = *key;
    atomic_store_explicit(&row->state, ROW_READY, memory_order_release);
    return true;
}

/* The row of a key, claimed if it is new; NULL where all are taken. A row that another thread
 * claims at this moment is passed over: at worst a key has two rows, and their sum is right. */
static Row *row_of(Stats *s, const RowKey *key)
{
    for (int i = 0; i < ROWS; i++) {
        Row *row = &s->rows[i];
        if (row_ready(row) ? key_equal(&row->key, key) : row_claim(row, key)) return row;
    }
    return NULL;
}

static void add(Stats *s, const RowKey *key, Sum by)
{
    Row *row = row_of(s, key);
    if (row) count_add(&row->count, by);
    count_add(&s->total[key->place], by);
    if (key->reason == REASON_FAILED)
        atomic_fetch_add_explicit(&s->failures, by.calls, memory_order_relaxed);
}

/* -- Public ------------------------------------------------------------------------------------ */

Stats *stats_new(void)
{
    return mem_alloc(sizeof(Stats));
}

void stats_free(Stats *s)
{
    mem_free(s);
}

void stats_clear(Stats *s)
{
    memset(s, 0, sizeof *s);
}

void stats_add(Stats *s, const char *routine, const GemmProblem *p, Place place, Reason reason,
               const char *where, double seconds)
{
    RowKey key = key_make(routine, shape_class(cost_product(p)), place, reason, where);
    add(s, &key,
        (Sum){.calls = 1,
              .seconds = seconds,
              .flops = gemm_flops(p),
              .bytes = cost_operand_bytes(p)});
}

void stats_add_tiny(Stats *s, uint64_t n)
{
    if (n == 0) return;
    const bool never = dispatch_threshold() > DBL_MAX;
    RowKey key = key_make("all", 0, PLACE_NEXT, never ? REASON_MODE : REASON_TINY, "");
    add(s, &key, (Sum){.calls = n});
}

void stats_merge(Stats *s, const Stats *from)
{
    for (int i = 0; i < ROWS; i++)
        if (row_ready(&from->rows[i])) add(s, &from->rows[i].key, count_read(&from->rows[i].count));
}

void stats_sum(const Stats *s, KnapStats *out)
{
    Sum gpu = count_read(&s->total[PLACE_GPU]);
    Sum next = count_read(&s->total[PLACE_NEXT]);
    Sum cpu = count_read(&s->total[PLACE_CPU]);
    *out = (KnapStats){.calls = gpu.calls + next.calls + cpu.calls,
                       .gpu_calls = gpu.calls,
                       .next_calls = next.calls,
                       .cpu_calls = cpu.calls,
                       .gpu_failures = atomic_load(&s->failures),
                       .gpu_seconds = gpu.seconds,
                       .cpu_seconds = next.seconds + cpu.seconds,
                       .gpu_flops = gpu.flops,
                       .cpu_flops = next.flops + cpu.flops};
}

/* -- JSON: one line a row, so that the reader need not be a parser ----------------------------- */

static void print_row(const Row *row, const char *before, FILE *out)
{
    const RowKey *key = &row->key;
    Sum sum = count_read(&row->count);
    fprintf(out,
            "%s\n  {\"routine\": \"%s\", \"shape\": %d, \"edge\": %lld, \"place\": \"%s\", "
            "\"reason\": \"%s\", \"where\": \"%s\", \"calls\": %llu, \"seconds\": %.9g, "
            "\"flops\": %.17g, \"bytes\": %.17g}",
            before, key->routine, key->shape, 1LL << key->shape, explain_place((Place)key->place),
            reason_name((Reason)key->reason), key->where, (unsigned long long)sum.calls,
            sum.seconds, sum.flops, sum.bytes);
}

static void put_json(const Stats *s, FILE *out)
{
    KnapStats sum;
    stats_sum(s, &sum);
    fprintf(out,
            "{\"knap\": \"%s\", \"calls\": %llu, \"gpu_calls\": %llu, \"next_calls\": %llu, "
            "\"cpu_calls\": %llu, \"gpu_failures\": %llu,\n \"gpu_seconds\": %.9g, "
            "\"cpu_seconds\": %.9g, \"gpu_flops\": %.17g, \"cpu_flops\": %.17g, \"rows\": [",
            knap_version(), (unsigned long long)sum.calls, (unsigned long long)sum.gpu_calls,
            (unsigned long long)sum.next_calls, (unsigned long long)sum.cpu_calls,
            (unsigned long long)sum.gpu_failures, sum.gpu_seconds, sum.cpu_seconds, sum.gpu_flops,
            sum.cpu_flops);
    const char *before = "";
    for (int i = 0; i < ROWS; i++) {
        if (!row_ready(&s->rows[i])) continue;
        print_row(&s->rows[i], before, out);
        before = ",";
    }
    fputs("]}\n", out);
}

/* In the C locale: a program may have chosen one that writes 0,5. */
void stats_json(const Stats *s, FILE *out)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t was = c ? uselocale(c) : (locale_t)0;
    put_json(s, out);
    if (!c) return;
    uselocale(was);
    freelocale(c);
}

/* What follows "name":, or NULL. */
static const char *value_of(const char *line, const char *name)
{
    char quoted[32];
    int length = snprintf(quoted, sizeof quoted, "\"%s\": ", name);
    const char *at = strstr(line, quoted);
    return at ? at + length : NULL;
}

static double number_of(const char *line, const char *name)
{
    const char *value = value_of(line, name);
    return value ? strtod(value, NULL) : 0;
}

static void text_of(const char *line, const char *name, char *out, size_t size)
{
    const char *value = value_of(line, name);
    size_t length = value && value[0] == '"' ? strcspn(value + 1, "\"") : 0;
    snprintf(out, size, "%.*s", (int)length, length ? value + 1 : "");
}

/* The number for which name(number) is text; `count` where none is. */
static int find_name(const char *text, int count, const char *(*name)(int))
{
    int i = 0;
    while (i < count && strcmp(name(i), text) != 0) i++;
    return i;
}

static const char *place_at(int i)
{
    return explain_place((Place)i);
}

static const char *reason_at(int i)
{
    return reason_name((Reason)i);
}

/* Adds a row's line. False where it is none. */
static bool read_row(Stats *s, const char *line)
{
    char routine[ROUTINE], where[WHERE], place[16], reason[32];
    text_of(line, "routine", routine, sizeof routine);
    text_of(line, "where", where, sizeof where);
    text_of(line, "place", place, sizeof place);
    text_of(line, "reason", reason, sizeof reason);
    int p = find_name(place, PLACE_COUNT, place_at);
    int r = find_name(reason, REASON_COUNT, reason_at);
    double shape = number_of(line, "shape"), calls = number_of(line, "calls");
    if (!routine[0] || p == PLACE_COUNT || r == REASON_COUNT) return false;
    if (!(shape >= 0 && shape < CLASSES && calls >= 0 && calls < 0x1p53)) return false;
    RowKey key = key_make(routine, (uint8_t)shape, (Place)p, (Reason)r, where);
    add(s, &key,
        (Sum){.calls = (uint64_t)calls,
              .seconds = number_of(line, "seconds"),
              .flops = number_of(line, "flops"),
              .bytes = number_of(line, "bytes")});
    return true;
}

bool stats_read(Stats *s, FILE *in)
{
    char line[512];
    bool ours = fgets(line, sizeof line, in) && strncmp(line, "{\"knap\": ", 9) == 0;
    ours = ours && fgets(line, sizeof line, in);
    while (ours && fgets(line, sizeof line, in)) ours = read_row(s, line);
    return ours;
}

/* -- Table ------------------------------------------------------------------------------------- */

/* The row that took the most seconds first. */
static int by_seconds(const void *a, const void *b)
{
    const Row *x = *(const Row *const *)a, *y = *(const Row *const *)b;
    double d = count_read(&y->count).seconds - count_read(&x->count).seconds;
    return (d > 0) - (d < 0);
}

static void print_line(const Row *row, FILE *out)
{
    const RowKey *key = &row->key;
    Sum sum = count_read(&row->count);
    char edge[32] = "any", rate[16] = "-";
    if (sum.flops > 0) {
        snprintf(edge, sizeof edge, "%lld-%lld", 1LL << key->shape, (2LL << key->shape) - 1);
        snprintf(rate, sizeof rate, "%.4g", sum.flops / fmax(sum.seconds, 1e-9) * 1e-9);
    }
    fprintf(out, "  %-10s %-13s %10llu %12.4f %9s  %-4s %-36s %s\n", key->routine, edge,
            (unsigned long long)sum.calls, sum.seconds, rate, explain_place((Place)key->place),
            key->where, reason_name((Reason)key->reason));
}

void stats_table(const Stats *s, FILE *out)
{
    const Row *rows[ROWS];
    size_t n = 0;
    for (int i = 0; i < ROWS; i++)
        if (row_ready(&s->rows[i])) rows[n++] = &s->rows[i];
    qsort(rows, n, sizeof rows[0], by_seconds);
    KnapStats sum;
    stats_sum(s, &sum);
    fprintf(out, "knap: %llu calls: %llu on the GPU, %llu by the next BLAS, %llu by cpu_ref",
            (unsigned long long)sum.calls, (unsigned long long)sum.gpu_calls,
            (unsigned long long)sum.next_calls, (unsigned long long)sum.cpu_calls);
    if (sum.gpu_failures > 0)
        fprintf(out, "; the GPU failed %llu times", (unsigned long long)sum.gpu_failures);
    fprintf(out, "\n  %-10s %-13s %10s %12s %9s  %-4s %-36s %s\n", "routine", "as a cube of",
            "calls", "seconds", "GFLOP/s", "on", "with", "why not the GPU");
    for (size_t i = 0; i < n; i++) print_line(rows[i], out);
}
