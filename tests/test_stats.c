/* test_stats: counters, their sums, threads, and the JSON read back. */
#include "plugin/stats.h"
#include "tests/tap.h"

#include <pthread.h>
#include <string.h>

static GemmProblem cube(int64_t n)
{
    GemmMatrix x = {.rs = 1, .cs = n, .type = DTYPE_F32};
    return (GemmProblem){.m = n, .n = n, .k = n, .batch = 1, .a = x, .b = x, .c = x};
}

static Stats *filled(void)
{
    Stats *s = stats_new();
    GemmProblem big = cube(1024), small = cube(100);
    stats_add(s, "sgemm", &big, PLACE_GPU, REASON_NONE, "kernel_a", 0.5);
    stats_add(s, "sgemm", &big, PLACE_GPU, REASON_NONE, "kernel_a", 0.25);
    stats_add(s, "sgemm", &big, PLACE_CPU, REASON_FAILED, "cpu_ref", 4);
    stats_add(s, "sgemm", &small, PLACE_NEXT, REASON_SLOWER, "/lib/libblas.so.3", 1);
    stats_add_tiny(s, 7);
    return s;
}

static bool sums_right(const Stats *s, unsigned times)
{
    KnapStats t;
    stats_sum(s, &t);
    double flops = 2.0 * 1024 * 1024 * 1024;
    return t.calls == 11 * times && t.gpu_calls == 2 * times && t.next_calls == 8 * times &&
           t.cpu_calls == 1 * times && t.gpu_failures == 1 * times &&
           t.gpu_seconds == 0.75 * times && t.cpu_seconds == 5.0 * times &&
           t.gpu_flops == 2 * flops * times && t.cpu_flops == (flops + 2e6) * times;
}

static int count_text(const char *text, const char *what)
{
    int n = 0;
    while ((text = strstr(text, what))) n++, text++;
    return n;
}

static void json_of(const Stats *s, char *text, size_t size)
{
    FILE *out = fmemopen(text, size, "w");
    stats_json(s, out);
    fclose(out);
}

/* Brackets and quotes are balanced, which a truncated or ill-nested text is not. */
static bool balanced(const char *text)
{
    int depth = 0, quotes = 0;
    for (; *text; text++) {
        depth += (*text == '{') + (*text == '[') - (*text == '}') - (*text == ']');
        quotes += *text == '"';
        if (depth < 0) return false;
    }
    return depth == 0 && quotes % 2 == 0;
}

static void test_json(void)
{
    static char text[1 << 14], again[1 << 14];
    Stats *s = filled(), *t = stats_new();
    json_of(s, text, sizeof text);
    ok(count_text(text, "\"routine\"") == 4, "equal calls share a row, others do not");
    ok(balanced(text), "the JSON is balanced");
    ok(strstr(text, "\"edge\": 1024") && strstr(text, "\"edge\": 64"), "shape classes 1024 and 64");
    FILE *in = fmemopen(text, strlen(text), "r");
    ok(stats_read(t, in), "the JSON can be read back");
    fclose(in);
    json_of(t, again, sizeof again);
    ok(strcmp(text, again) == 0 && sums_right(t, 1), "and is the same when written again");
    in = fmemopen(text, strlen(text), "r");
    ok(stats_read(t, in) && sums_right(t, 2), "reading it again adds");
    fclose(in);
    in = fmemopen((char[]){"[1, 2]\n"}, 7, "r");
    ok(!stats_read(t, in), "other text is refused");
    fclose(in);
    stats_free(s);
    stats_free(t);
}

/* A name with what JSON would have to escape. */
static void test_names(void)
{
    static char text[1 << 14];
    Stats *s = stats_new();
    GemmProblem p = cube(2);
    char path[200];
    memset(path, 'd', sizeof path);
    strcpy(path + 150, "\"x\\y\n/libblas.so.3");
    stats_add(s, "sgemm", &p, PLACE_NEXT, REASON_SLOWER, path, 1);
    stats_add(s, "sgemm", &p, PLACE_NEXT, REASON_SLOWER, path, 1);
    json_of(s, text, sizeof text);
    ok(balanced(text) && strstr(text, "_x_y_/libblas.so.3\"") && count_text(text, "routine") == 1,
       "a long and wild path keeps its end, and its row");
    stats_free(s);
}

static void test_merge(void)
{
    Stats *s = filled(), *t = filled();
    ok(sums_right(s, 1), "sums");
    stats_merge(s, t);
    ok(sums_right(s, 2), "merged: twice the sums");
    stats_clear(s);
    ok(sums_right(s, 0), "cleared: nothing");
    stats_free(s);
    stats_free(t);
}

/* More kinds of calls than rows: the totals still count each. */
static void test_overflow(void)
{
    Stats *s = stats_new();
    GemmProblem p = cube(10);
    for (int i = 0; i < 1000; i++) {
        char where[16];
        snprintf(where, sizeof where, "w%d", i);
        stats_add(s, "sgemm", &p, PLACE_CPU, REASON_TINY, where, 1);
    }
    KnapStats sum;
    stats_sum(s, &sum);
    ok(sum.calls == 1000 && sum.cpu_seconds == 1000, "1000 kinds of calls are counted");
    stats_free(s);
}

enum { THREADS = 4, CALLS = 5000 };

static void *count_many(void *ctx)
{
    GemmProblem p = cube(64);
    for (int i = 0; i < CALLS; i++)
        stats_add(ctx, i % 2 ? "sgemm" : "dgemm", &p, (Place)(i % PLACE_COUNT), REASON_NONE, "x",
                  0.5);
    return NULL;
}

static void test_threads(void)
{
    Stats *s = stats_new();
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, count_many, s);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    KnapStats sum;
    stats_sum(s, &sum);
    ok(sum.calls == THREADS * CALLS, "%d threads lose no call", THREADS);
    ok(sum.gpu_seconds + sum.cpu_seconds == 0.5 * THREADS * CALLS, "nor a second");
    stats_free(s);
}

static void test_table(void)
{
    static char text[1 << 14];
    Stats *s = filled();
    FILE *out = fmemopen(text, sizeof text, "w");
    stats_table(s, out);
    fclose(out);
    ok(strstr(text, "11 calls") && strstr(text, "kernel_a") && strstr(text, "1024-2047") &&
           strstr(text, "gpu failed"),
       "the table has totals, kernels, classes and reasons");
    stats_free(s);
}

int main(void)
{
    test_merge();
    test_json();
    test_names();
    test_overflow();
    test_threads();
    test_table();
    return tap_done();
}
