/*
 * bench_spec: the problem grammar. See bench.h.
 *
 *     TYPE:MxNxK[:STORE][:KEY=VALUE]...
 *
 *     TYPE    of A and B: f64 f32 tf32 f16 bf16 cf32 cf64
 *     STORE   how A, B and C lie in memory, a letter each, as BLAS has it: n column-major,
 *             t transposed (row-major), c transposed and conjugated, g general (no index
 *             contiguous); default nnn
 *     KEY     batch=N  c=TYPE (default: that of A)  alpha=X beta=X (default 1 and 0; X,Y where
 *             complex)  lda=N ldb=N ldc=N (default: the smallest)  pad=N (added to the smallest)
 *             skew=N (elements off a 256-byte boundary)  compute=MODE  seed=N (default 1)
 *
 * Parsing never allocates. What is missing gets its default; what is unknown is an error.
 */
#include "benchmarks/bench.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const compute_name[COMPUTE_COUNT] = {"auto", "fp32", "bf16x6", "f16x3", "tf32"};

BenchError bench_error(const char *fmt, ...)
{
    static _Thread_local char text[1024]; /* the documented life of an error sentence */
    char fresh[sizeof text];              /* an argument may be the last sentence */
    va_list args;
    va_start(args, fmt);
    vsnprintf(fresh, sizeof fresh, fmt, args);
    va_end(args);
    return strcpy(text, fresh);
}

/* -- Reading ---------------------------------------------------------------------------------- */

/* A whole number in [low, high] at *s; *s moves past it. */
static bool number(const char **s, int64_t low, int64_t high, int64_t *out)
{
    char *end;
    errno = 0;
    long long v = strtoll(*s, &end, 10);
    if (end == *s || errno || v < low || v > high) return false;
    *s = end;
    *out = v;
    return true;
}

static bool shape(const char *s, GemmProblem *p)
{
    const int64_t most = INT32_MAX;
    return number(&s, 0, most, &p->m) && *s++ == 'x' && number(&s, 0, most, &p->n) && *s++ == 'x' &&
           number(&s, 0, most, &p->k) && *s == '\0';
}

static bool store(const char *s, BenchSpec *out)
{
    size_t len = strlen(s);
    if (len < 1 || len > 3 || strspn(s, "ntcg") != len) return false;
    memcpy(out->store, s, len);
    return out->store[2] != 'c';
}

/* X or X,Y */
static bool scalar(const char *s, double out[2])
{
    char *end;
    out[0] = strtod(s, &end);
    out[1] = 0.0;
    if (end == s) return false;
    if (*end != ',') return *end == '\0';
    s = end + 1;
    out[1] = strtod(s, &end);
    return end != s && *end == '\0';
}

static bool type(const char *s, uint8_t *out)
{
    *out = (uint8_t)dtype_parse(s);
    return *out != DTYPE_NONE;
}

static bool compute(const char *s, uint8_t *out)
{
    for (int i = 0; i < COMPUTE_COUNT; i++) {
        if (strcmp(s, compute_name[i]) != 0) continue;
        *out = (uint8_t)i;
        return true;
    }
    return false;
}

static bool whole(const char *s, int64_t low, int64_t *out)
{
    return number(&s, low, (int64_t)1 << 40, out) && *s == '\0';
}

static bool seed(const char *s, uint64_t *out)
{
    char *end;
    *out = strtoull(s, &end, 10);
    return end != s && *end == '\0';
}

static bool key_value(const char *key, const char *value, BenchSpec *out)
{
    if (strcmp(key, "batch") == 0) return whole(value, 0, &out->problem.batch);
    if (strcmp(key, "c") == 0) return type(value, &out->problem.c.type);
    if (strcmp(key, "alpha") == 0) return scalar(value, out->alpha);
    if (strcmp(key, "beta") == 0) return scalar(value, out->beta);
    if (strcmp(key, "lda") == 0) return whole(value, 1, &out->ld[0]);
    if (strcmp(key, "ldb") == 0) return whole(value, 1, &out->ld[1]);
    if (strcmp(key, "ldc") == 0) return whole(value, 1, &out->ld[2]);
    if (strcmp(key, "pad") == 0) return whole(value, 0, &out->pad);
    if (strcmp(key, "skew") == 0) return whole(value, 0, &out->skew) && out->skew < 16;
    if (strcmp(key, "compute") == 0) return compute(value, &out->problem.compute);
    if (strcmp(key, "seed") == 0) return seed(value, &out->seed);
    return false;
}

static bool field(int index, char *text, BenchSpec *out)
{
    if (index == 0) return type(text, &out->problem.a.type);
    if (index == 1) return shape(text, &out->problem);
    char *value = strchr(text, '=');
    if (!value) return index == 2 && store(text, out);
    *value++ = '\0';
    return key_value(text, value, out);
}

/* -- Completing ------------------------------------------------------------------------------- */

/* Strides of an operand stored as its letter says; false where ld is too small. */
static bool strides(GemmMatrix *x, char letter, int64_t rows, int64_t cols, int64_t ld, int64_t pad)
{
    bool by_rows = letter == 't' || letter == 'c';
    int64_t inner = by_rows ? cols : rows, outer = by_rows ? rows : cols;
    int64_t least = inner > 1 ? inner : 1;
    if (ld == 0) ld = least + pad;
    if (ld < least) return false;
    int64_t step = letter == 'g' ? 2 : 1;
    x->rs = by_rows ? ld : step;
    x->cs = by_rows ? 1 : ld * step;
    x->bs = ld * step * outer;
    x->conj = letter == 'c' && dtype_is_complex((Dtype)x->type);
    return true;
}

/* Alignment that an operand will have, skew elements past a 256-byte boundary. */
static uint8_t alignment(GemmMatrix x, int64_t skew)
{
    return gemm_pointer_align((const void *)(uintptr_t)(256 + skew * dtype_bytes((Dtype)x.type)));
}

/* A scalar travels as the accumulate type has it. */
static void round_scalar(const GemmProblem *p, double s[2])
{
    if (gemm_accumulator(p) != DTYPE_F32) return;
    s[0] = (double)(float)s[0];
    s[1] = (double)(float)s[1];
}

static BenchError complete(BenchSpec *out)
{
    GemmProblem *p = &out->problem;
    p->b.type = p->a.type;
    if (p->c.type == DTYPE_NONE) p->c.type = p->a.type;
    Dtype a = (Dtype)p->a.type, c = (Dtype)p->c.type;
    if (dtype_bytes(a) == 0 || dtype_bytes(c) == 0)
        return bench_error("types below a byte are not supported");
    if (dtype_is_complex(a) != dtype_is_complex(c))
        return bench_error("A and C must both be complex or both real");
    if (!dtype_is_complex(a) && (out->alpha[1] != 0.0 || out->beta[1] != 0.0))
        return bench_error("complex scalars need complex types");
    if (!strides(&p->a, out->store[0], p->m, p->k, out->ld[0], out->pad))
        return bench_error("lda is too small");
    if (!strides(&p->b, out->store[1], p->k, p->n, out->ld[1], out->pad))
        return bench_error("ldb is too small");
    if (!strides(&p->c, out->store[2], p->m, p->n, out->ld[2], out->pad))
        return bench_error("ldc is too small");
    round_scalar(p, out->alpha);
    round_scalar(p, out->beta);
    p->a.align = p->b.align = alignment(p->a, out->skew);
    p->c.align = alignment(p->c, out->skew);
    p->alpha = (uint8_t)gemm_scalar_class(out->alpha);
    p->beta = (uint8_t)gemm_scalar_class(out->beta);
    return NULL;
}

BenchError bench_spec_parse(const char *text, BenchSpec *out)
{
    char copy[BENCH_TEXT];
    if (strlen(text) >= sizeof copy) return bench_error("problem too long: %s", text);
    strcpy(copy, text);
    memset(out, 0, sizeof *out);
    memcpy(out->store, "nnn", 4);
    out->problem.batch = 1;
    out->alpha[0] = 1.0;
    out->seed = 1;
    int count = 0;
    for (char *rest = copy, *part; (part = strsep(&rest, ":")); count++)
        if (!field(count, part, out))
            return bench_error(
                "problem '%s': field %d ('%s') is not understood (TYPE:MxNxK[:nt][:KEY=VALUE]...)",
                text, count + 1, part);
    if (count < 2) return bench_error("problem '%s' has no shape (TYPE:MxNxK)", text);
    return complete(out);
}

/* -- Writing ---------------------------------------------------------------------------------- */

typedef struct {
    char *buf;
    size_t size, len;
} Text;

__attribute__((format(printf, 2, 3))) static void put(Text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(t->buf + t->len, t->size - t->len, fmt, args);
    va_end(args);
    if (n > 0) t->len += (size_t)n;
    if (t->len >= t->size) t->len = t->size - 1;
}

/* In as few digits as bring the same number back, which is read as an f32 where sums are in f32. */
static void put_number(Text *t, double v, bool narrow)
{
    char digits[40];
    for (int n = 1; n <= 17; n++) {
        snprintf(digits, sizeof digits, "%.*g", n, v);
        double back = strtod(digits, NULL);
        if (back == v || (narrow && (double)(float)back == v)) break;
    }
    put(t, "%s", digits);
}

static void put_scalar(Text *t, const char *key, const double s[2], double otherwise, bool narrow)
{
    if (s[0] == otherwise && s[1] == 0.0) return;
    put(t, ":%s=", key);
    put_number(t, s[0], narrow);
    if (s[1] == 0.0) return;
    put(t, ",");
    put_number(t, s[1], narrow);
}

static void put_whole(Text *t, const char *key, int64_t v, int64_t otherwise)
{
    if (v != otherwise) put(t, ":%s=%lld", key, (long long)v);
}

void bench_spec_print(const BenchSpec *spec, char *buf, size_t size)
{
    static const char *const ld_name[3] = {"lda", "ldb", "ldc"};
    const GemmProblem *p = &spec->problem;
    Text t = {buf, size, 0};
    put(&t, "%s:%lldx%lldx%lld:%.*s", dtype_name((Dtype)p->a.type), (long long)p->m,
        (long long)p->n, (long long)p->k, spec->store[2] == 'n' ? 2 : 3, spec->store);
    if (p->c.type != p->a.type) put(&t, ":c=%s", dtype_name((Dtype)p->c.type));
    put_whole(&t, "batch", p->batch, 1);
    bool narrow = gemm_accumulator(p) == DTYPE_F32;
    put_scalar(&t, "alpha", spec->alpha, 1.0, narrow);
    put_scalar(&t, "beta", spec->beta, 0.0, narrow);
    for (int i = 0; i < 3; i++) put_whole(&t, ld_name[i], spec->ld[i], 0);
    put_whole(&t, "pad", spec->pad, 0);
    put_whole(&t, "skew", spec->skew, 0);
    if (p->compute) put(&t, ":compute=%s", compute_name[p->compute]);
    if (spec->seed != 1) put(&t, ":seed=%llu", (unsigned long long)spec->seed);
}

/* -- Files of specs --------------------------------------------------------------------------- */

static BenchError read_line(char *line, BenchSpec **list, int *count)
{
    line[strcspn(line, "#\n")] = '\0';
    char *text = line + strspn(line, " \t\r");
    text[strcspn(text, " \t\r")] = '\0';
    if (!*text) return NULL;
    BenchSpec *grown = realloc(*list, ((size_t)*count + 1) * sizeof **list);
    if (!grown) return bench_error("out of memory");
    *list = grown;
    return bench_spec_parse(text, &grown[(*count)++]);
}

BenchError bench_spec_read(const char *path, BenchSpec **out, int *count)
{
    FILE *in = fopen(path, "r");
    if (!in) return bench_error("%s: %s", path, strerror(errno));
    char line[BENCH_TEXT * 2];
    BenchError err = NULL;
    while (!err && fgets(line, sizeof line, in)) err = read_line(line, out, count);
    fclose(in);
    return err;
}
