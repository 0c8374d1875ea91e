/* atom_ref: matrix instructions as the PTX manual states them. See atom_ref.h. */
#include "cpu_ref/atom_ref.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* -- Warps and warpgroups ----------------------------------------------------------------------
 * The manual has a table for each shape; it is one rule. A register holds `pack` neighbours along
 * k, the four threads of a group lie side by side along k and the eight groups along m (n). Further
 * registers of A go 8 rows down, then on along k; of B on along k; of C 8 rows down, then on along
 * n. Warp w of a warpgroup begins at row 16*w. */
static int group_id(int lane)
{
    return lane % 32 / 4;
}

static int thread_in_group(int lane)
{
    return lane % 4;
}

/* Elements in a register, which is 64 bits wide for f64 and 32 bits else. */
static int packed(Dtype type)
{
    return dtype_bits(type) > 32 ? 1 : 32 / dtype_bits(type);
}

static AtomCoord warp_a(const AtomRef *ref, int lane, int i)
{
    const int pack = packed(ref->a), reg = i / pack;
    const int down = ref->m == 8 ? 0 : reg % 2, along = ref->m == 8 ? reg : reg / 2;
    return (AtomCoord){
        .row = 16 * (lane / 32) + group_id(lane) + 8 * down,
        .col = thread_in_group(lane) * pack + i % pack + 4 * pack * along,
    };
}

static AtomCoord warp_b(const AtomRef *ref, int lane, int i)
{
    const int pack = packed(ref->b);
    return (AtomCoord){
        .row = thread_in_group(lane) * pack + i % pack + 4 * pack * (i / pack),
        .col = group_id(lane),
    };
}

static AtomCoord warp_c(const AtomRef *ref, int lane, int i)
{
    (void)ref;
    return (AtomCoord){
        .row = 16 * (lane / 32) + group_id(lane) + 8 * (i / 2 % 2),
        .col = thread_in_group(lane) * 2 + i % 2 + 8 * (i / 4),
    };
}

/* -- Shared memory, and single threads: the whole matrix --------------------------------------- */
static AtomCoord whole_a(const AtomRef *ref, int lane, int i)
{
    (void)lane;
    return (AtomCoord){.row = i % ref->m, .col = i / ref->m};
}

static AtomCoord whole_b(const AtomRef *ref, int lane, int i)
{
    (void)lane;
    return (AtomCoord){.row = i / ref->n, .col = i % ref->n};
}

static AtomCoord whole_c(const AtomRef *ref, int lane, int i)
{
    return whole_a(ref, lane, i);
}

/* -- Volta: mma.m8n8k4 by a quadpair ----------------------------------------------------------- */
static int upper_half(int lane)
{
    return lane < 16 ? 0 : 4;
}

static AtomCoord volta_a(const AtomRef *ref, int lane, int i)
{
    if (ref->a_row) return (AtomCoord){.row = lane % 4 + upper_half(lane), .col = i};
    return (AtomCoord){.row = i % 4 + upper_half(lane), .col = lane % 4};
}

static AtomCoord volta_b(const AtomRef *ref, int lane, int i)
{
    if (ref->b_col) return (AtomCoord){.row = i, .col = lane % 4 + upper_half(lane)};
    return (AtomCoord){.row = lane % 4, .col = i % 4 + upper_half(lane)};
}

static AtomCoord volta_c(const AtomRef *ref, int lane, int i)
{
    if (ref->d == DTYPE_F16) return (AtomCoord){.row = lane % 4 + upper_half(lane), .col = i};
    return (AtomCoord){
        .row = (lane & 1) + (i & 2) + upper_half(lane),
        .col = (i & 4) + (lane & 2) + (i & 1),
    };
}

/* -- Reading a mnemonic ------------------------------------------------------------------------ */
/* What the words between its dots say. */
typedef struct {
    Dtype type[4];
    bool col[2];
    int types, majors;
} Words;

static void read_word(AtomRef *ref, Words *words, const char *word)
{
    const Dtype type = dtype_parse(word);
    const bool col = strcmp(word, "col") == 0, major = col || strcmp(word, "row") == 0;
    if (type != DTYPE_NONE && words->types < 4) words->type[words->types++] = type;
    if (major && words->majors < 2) words->col[words->majors++] = col;
    if (strcmp(word, "satfinite") == 0) ref->saturate = true;
    if (strcmp(word, "xor") == 0) ref->xor_popc = true;
    if (strcmp(word, "and") == 0) ref->and_popc = true;
    sscanf(word, "m%dn%dk%d", &ref->m, &ref->n, &ref->k); /* no other word is m and a digit */
}

static void read_words(AtomRef *ref, Words *words, const char *mnemonic)
{
    char word[32];
    for (const char *at = mnemonic; *at; at += *at == '.') {
        const size_t len = strcspn(at, ".");
        snprintf(word, sizeof word, "%.*s", (int)len, at);
        read_word(ref, words, word);
        at += len;
    }
}

static bool set_types(AtomRef *ref, int types, Dtype d, Dtype a, Dtype b, Dtype c)
{
    ref->d = d;
    ref->a = a;
    ref->b = b;
    ref->c = c;
    return types > 0;
}

static void share_out(AtomRef *ref, int threads)
{
    ref->threads = ref->a_threads = ref->b_threads = threads;
}

static bool thread_ref(AtomRef *ref, const Words *w, int k)
{
    const Dtype t = w->type[0];
    const bool bytes = k == 4;
    ref->m = ref->n = 1;
    ref->k = k;
    share_out(ref, 1);
    ref->a_at = whole_a;
    ref->b_at = whole_b;
    ref->c_at = whole_c;
    return set_types(ref, w->types, t, bytes ? DTYPE_S8 : t, bytes ? DTYPE_S8 : t, t);
}

static bool mma_ref(AtomRef *ref, const Words *w)
{
    const bool volta = ref->k == 4 && w->type[1] == DTYPE_F16;
    ref->a_row = !w->col[0];
    ref->b_col = w->col[1];
    share_out(ref, volta ? 8 : 32);
    ref->a_at = volta ? volta_a : warp_a;
    ref->b_at = volta ? volta_b : warp_b;
    ref->c_at = volta ? volta_c : warp_c;
    return w->majors == 2 &&
           set_types(ref, w->types == 4, w->type[0], w->type[1], w->type[2], w->type[3]);
}

static bool wgmma_ref(AtomRef *ref, const Words *w, bool a_shared)
{
    share_out(ref, 128);
    ref->b_threads = 1;
    if (a_shared) ref->a_threads = 1;
    ref->a_at = a_shared ? whole_a : warp_a;
    ref->b_at = whole_b;
    ref->c_at = warp_c;
    return set_types(ref, w->types == 3, w->type[0], w->type[1], w->type[2], w->type[0]);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool read_mnemonic(AtomRef *ref, const char *mnemonic, bool a_shared)
{
    Words words = {.types = 0};
    read_words(ref, &words, mnemonic);
    if (begins(mnemonic, "mma.sync.")) return mma_ref(ref, &words);
    if (begins(mnemonic, "wgmma.mma_async.")) return wgmma_ref(ref, &words, a_shared);
    if (begins(mnemonic, "fma.rn.")) return thread_ref(ref, &words, 1);
    return strcmp(mnemonic, "dp4a.s32.s32") == 0 && thread_ref(ref, &words, 4);
}

bool atom_ref_of(AtomRef *ref, const char *mnemonic, bool a_shared)
{
    *ref = (AtomRef){.threads = 0};
    if (!read_mnemonic(ref, mnemonic, a_shared) || ref->m * ref->n * ref->k == 0) return false;
    ref->a_count = ref->m * ref->k / ref->a_threads;
    ref->b_count = ref->k * ref->n / ref->b_threads;
    ref->c_count = ref->m * ref->n / ref->threads;
    return true;
}

int atom_ref_lane(const AtomRef *ref, int t)
{
    return ref->threads == 8 ? t % 4 + t / 4 * 16 : t;
}

/* -- Arithmetic -------------------------------------------------------------------------------- */
size_t atom_ref_work(const AtomRef *ref)
{
    return (size_t)ref->k * (size_t)(ref->m + ref->n);
}

/* Fragments into a row of k elements for each row of A, and for each column of B. */
static void gather_a(const AtomRef *ref, const double *value, double *rows)
{
    for (int t = 0; t < ref->a_threads; t++)
        for (int i = 0; i < ref->a_count; i++) {
            const AtomCoord at = ref->a_at(ref, atom_ref_lane(ref, t), i);
            rows[at.row * ref->k + at.col] = value[t + ref->a_threads * i];
        }
}

static void gather_b(const AtomRef *ref, const double *value, double *columns)
{
    for (int t = 0; t < ref->b_threads; t++)
        for (int i = 0; i < ref->b_count; i++) {
            const AtomCoord at = ref->b_at(ref, atom_ref_lane(ref, t), i);
            columns[at.col * ref->k + at.row] = value[t + ref->b_threads * i];
        }
}

static double multiply(const AtomRef *ref, const double *row, const double *column, double sum)
{
    for (int p = 0; p < ref->k; p++) {
        if (ref->xor_popc)
            sum += row[p] != column[p];
        else
            sum += row[p] * column[p]; /* of bits, this is and */
    }
    return sum;
}

/* A sum as a value of type D; |sum| < 2^53. */
static double to_d(const AtomRef *ref, double sum)
{
    if (ref->d != DTYPE_S32) return sum;
    if (ref->saturate) return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    const uint32_t low = (uint32_t)(int64_t)sum;
    return low > INT32_MAX ? (double)low - 4294967296.0 : (double)low;
}

void atom_ref_run(const AtomRef *ref, const AtomValues *v, double *work)
{
    double *rows = work, *columns = work + ref->m * ref->k;
    gather_a(ref, v->a, rows);
    gather_b(ref, v->b, columns);
    for (int t = 0; t < ref->threads; t++)
        for (int i = 0; i < ref->c_count; i++) {
            const AtomCoord at = ref->c_at(ref, atom_ref_lane(ref, t), i);
            const double sum = multiply(ref, &rows[at.row * ref->k], &columns[at.col * ref->k],
                                        v->c[t + ref->threads * i]);
            v->d[t + ref->threads * i] = to_d(ref, sum);
        }
}
