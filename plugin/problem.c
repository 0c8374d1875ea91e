/* problem: is a request well formed? See problem.h. */
#include "plugin/problem.h"

#include "cpu_ref/fp.h"

#include <stdarg.h>

/* -- Checks of a GemmProblem: each names the argument ------------------------------------------ */

/* One operand, as the checks see it. */
typedef struct {
    const char *name;
    const GemmMatrix *x;
    int64_t rows, cols, batch;
} Operand;

/* The sentence stays valid until this thread checks again. */
__attribute__((format(printf, 1, 2))) static const char *sentence(const char *fmt, ...)
{
    static _Thread_local char text[160];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return text;
}

static const char *check_extent(const char *name, int64_t extent)
{
    return extent < 0 ? sentence("%s is %lld, but must not be negative", name, (long long)extent)
                      : NULL;
}

static bool known_type(uint8_t type)
{
    static const Dtype known[] = {DTYPE_F64,  DTYPE_F32,  DTYPE_F16,
                                  DTYPE_BF16, DTYPE_CF32, DTYPE_CF64};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (type == known[i]) return true;
    return false;
}

/* Adds |stride| * (extent - 1) to *reach; false on overflow. */
static bool reach_add(int64_t *reach, int64_t extent, int64_t stride)
{
    int64_t step = 0;
    if (extent <= 1) return true;
    if (stride < 0 && __builtin_sub_overflow((int64_t)0, stride, &stride)) return false;
    return !__builtin_mul_overflow(extent - 1, stride, &step) &&
           !__builtin_add_overflow(*reach, step, reach);
}

/* Every element has an offset in bytes that an int64_t holds. */
static bool reach_fits(const Operand *o)
{
    int64_t reach = 1;
    return reach_add(&reach, o->rows, o->x->rs) && reach_add(&reach, o->cols, o->x->cs) &&
           reach_add(&reach, o->batch, o->x->bs) &&
           !__builtin_mul_overflow(reach, (int64_t)dtype_bytes((Dtype)o->x->type), &reach);
}

static bool operand_empty(const Operand *o)
{
    return o->rows == 0 || o->cols == 0 || o->batch == 0;
}

static const char *check_operand(const Operand *o)
{
    if (!known_type(o->x->type)) return sentence("%s has an unknown type", o->name);
    if (!operand_empty(o) && !reach_fits(o))
        return sentence("%s: its strides reach beyond the address space", o->name);
    return NULL;
}

/* -- C's elements are distinct ----------------------------------------------------------------- */

static uint64_t magnitude(int64_t x)
{
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/*
 * Whether two of an e0 x e1 grid's elements meet: i*s0 + j*s1 = 0 with |i| < e0, |j| < e1, not both
 * 0. The shortest solution is (s1, -s0) / gcd(s0, s1). A stride of 0 is its own case: (1, 0) or (0,
 * 1).
 */
static bool collides(int64_t e0, int64_t s0, int64_t e1, int64_t s1)
{
    uint64_t a = magnitude(s0), b = magnitude(s1);
    if (a == 0 && e0 > 1) return true;
    if (b == 0 && e1 > 1) return true;
    if (e0 <= 1 || e1 <= 1) return false;
    uint64_t g = gcd(a, b);
    return b / g < (uint64_t)e0 && a / g < (uint64_t)e1;
}

/* Exact for one product; of a batch, collisions that need all three strides are not seen. */
static const char *check_distinct(const GemmProblem *p)
{
    const GemmMatrix *c = &p->c;
    if (collides(p->m, c->rs, p->n, c->cs))
        return sentence("C: row stride %lld and column stride %lld make elements of a %lld x %lld "
                        "matrix share memory",
                        (long long)c->rs, (long long)c->cs, (long long)p->m, (long long)p->n);
    if (collides(p->m, c->rs, p->batch, c->bs) || collides(p->n, c->cs, p->batch, c->bs))
        return sentence("C: batch stride %lld makes matrices of the batch share memory",
                        (long long)c->bs);
    return NULL;
}

/* -- The whole --------------------------------------------------------------------------------- */

static const char *check_extents(const GemmProblem *p)
{
    const char *why = check_extent("m", p->m);
    if (!why) why = check_extent("n", p->n);
    if (!why) why = check_extent("k", p->k);
    return why ? why : check_extent("batch", p->batch);
}

static const char *check_pointers(const GemmProblem *p, const GemmArgs *args)
{
    if (!args->c) return "C is NULL";
    if (p->k == 0 || p->alpha == SCALAR_ZERO) return NULL;
    if (!args->a) return "A is NULL";
    return args->b ? NULL : "B is NULL";
}

static bool aligned(const GemmMatrix *x, const void *p)
{
    return (uintptr_t)p % (uintptr_t)dtype_bytes(dtype_real((Dtype)x->type)) == 0;
}

/* The CPU reads what is not aligned, as a BLAS does; a GPU faults. */
static const char *check_alignment(const GemmProblem *p, const GemmArgs *args)
{
    if (p->memory == MEMORY_HOST) return NULL;
    if (!aligned(&p->a, args->a)) return "A in device memory is not aligned to its type";
    if (!aligned(&p->b, args->b)) return "B in device memory is not aligned to its type";
    return aligned(&p->c, args->c) ? NULL : "C in device memory is not aligned to its type";
}

const char *problem_check(const GemmProblem *p, const GemmArgs *args)
{
    const Operand a = {"A", &p->a, p->m, p->k, p->batch};
    const Operand b = {"B", &p->b, p->k, p->n, p->batch};
    const Operand c = {"C", &p->c, p->m, p->n, p->batch};
    const char *why = check_extents(p);
    if (!why) why = check_operand(&a);
    if (!why) why = check_operand(&b);
    if (!why) why = check_operand(&c);
    if (why || operand_empty(&c)) return why;
    why = check_distinct(p);
    if (!why) why = check_pointers(p, args);
    return why ? why : check_alignment(p, args);
}

/* -- From the public request ------------------------------------------------------------------- */

Dtype problem_dtype(KnapType type)
{
    switch (type) {
    case KNAP_F64: return DTYPE_F64;
    case KNAP_F32: return DTYPE_F32;
    case KNAP_F16: return DTYPE_F16;
    case KNAP_BF16: return DTYPE_BF16;
    case KNAP_CF32: return DTYPE_CF32;
    case KNAP_CF64: return DTYPE_CF64;
    }
    return DTYPE_NONE;
}

/* The conjugate of a real matrix is itself. */
static GemmMatrix matrix_from(const KnapMatrix *x)
{
    Dtype type = problem_dtype(x->type);
    return (GemmMatrix){.rs = x->rs,
                        .cs = x->cs,
                        .bs = x->bs,
                        .type = (uint8_t)type,
                        .conj = x->conj && dtype_is_complex(type)};
}

/* Reads alpha and beta. */
static const char *read_scalars(const KnapGemm *g, GemmProblem *p, GemmArgs *args)
{
    Dtype type = problem_dtype(g->scalar_type);
    if (type == DTYPE_NONE) return "scalar_type is unknown";
    if (!g->alpha) return "alpha is NULL";
    if (!g->beta) return "beta is NULL";
    if (dtype_is_complex(type) && !dtype_is_complex((Dtype)p->c.type))
        return "scalar_type is complex, but C is real";
    fp_load(type, g->alpha, 0, args->alpha);
    fp_load(type, g->beta, 0, args->beta);
    p->alpha = (uint8_t)gemm_scalar_class(args->alpha);
    p->beta = (uint8_t)gemm_scalar_class(args->beta);
    return NULL;
}

static const char *check_request(const KnapGemm *g)
{
    if (g->size != sizeof *g)
        return sentence("size is %zu, but this library's KnapGemm has %zu bytes", g->size,
                        sizeof *g);
    if (g->compute < KNAP_COMPUTE_AUTO || g->compute > KNAP_COMPUTE_TF32)
        return sentence("compute is %d, which is no mode", (int)g->compute);
    return g->c.conj ? "C cannot be conjugated" : NULL;
}

KnapStatus problem_from_knap(const KnapGemm *g, GemmProblem *p, GemmArgs *args)
{
    const char *why = check_request(g);
    if (why) return error_set(KNAP_INVALID_ARGUMENT, "%s", why);
    *p = (GemmProblem){.m = g->m,
                       .n = g->n,
                       .k = g->k,
                       .batch = g->batch,
                       .a = matrix_from(&g->a),
                       .b = matrix_from(&g->b),
                       .c = matrix_from(&g->c),
                       .compute = (uint8_t)g->compute,
                       .memory = MEMORY_HOST};
    *args = (GemmArgs){.a = g->a.data, .b = g->b.data, .c = g->c.data, .stream = g->stream};
    why = read_scalars(g, p, args);
    if (!why) why = problem_check(p, args);
    if (why) return error_set(KNAP_INVALID_ARGUMENT, "%s", why);
    if (g->compute > KNAP_COMPUTE_FP32)
        return error_set(KNAP_UNSUPPORTED, "compute mode %d is not in this version",
                         (int)g->compute);
    return KNAP_OK;
}
