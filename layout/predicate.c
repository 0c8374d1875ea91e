/* predicate: coordinates compared with bounds, and copies under the answers. See predicate.h. */
#include "layout/predicate.h"

#include "layout/tree.h"

#include <string.h>

/* -- Layouts of predicates --------------------------------------------------------------------- */
/* Compact strides for the leaves of mode `at`, from *stride on; 0 where it is shared. */
static void stride_mode(Layout *L, int at, bool shared, int64_t *stride)
{
    for (int i = at; i < at + L->node[at].span; i++) {
        LayoutNode *node = &L->node[i];
        if (node->rank != LAYOUT_LEAF) continue;
        memset(node->basis, 0, sizeof node->basis);
        node->stride = shared ? 0 : *stride;
        if (!shared && __builtin_mul_overflow(*stride, node->shape, stride)) *stride = INT64_MAX;
    }
}

Layout predicate_layout(Layout shape, Arith step)
{
    if (shape.poisoned) return shape;
    if (!arith_ok(step)) return layout_poison("%s", step.why);
    if (!arith_is_tuple(step) && !arith_is_any(step)) return layout_compact(shape);
    if (arith_rank(step) != layout_rank(shape))
        return layout_poison("predicate_layout: %s: the step has %d entries", tree_text(shape).s,
                             arith_rank(step));
    int64_t stride = 1;
    for (int i = 0; i < layout_rank(shape); i++) {
        bool shared = arith_is_any(arith_is_tuple(step) ? arith_mode(step, i) : step);
        stride_mode(&shape, tree_mode(&shape, 0, i), shared, &stride);
    }
    return shape;
}

/* -- Comparing --------------------------------------------------------------------------------- */
bool predicate_at(const Tensor *coords, Arith shape, int64_t i)
{
    return arith_within(tensor_at(coords, i), shape);
}

int64_t predicate_count(const Tensor *coords, Arith shape)
{
    int64_t inside = 0, size = tensor_size(coords);
    for (int64_t i = 0; i < size; i++) inside += predicate_at(coords, shape, i);
    return inside;
}

static Predicate refuse(Predicate p, const Tensor *coords, const char *rule)
{
    if (!layout_ok(p.layout)) return p;
    p.layout = tensor_ok(coords) ? layout_poison("predicate: %s for %s: %s", tree_text(p.layout).s,
                                                 tree_text(coords->layout).s, rule)
                                 : coords->layout;
    return p;
}

/* NULL, or what keeps p from holding an answer for each coordinate. */
static const char *misfit(const Predicate *p, const Tensor *coords)
{
    if (!layout_ok(p->layout)) return layout_why(&p->layout);
    if (!tensor_ok(coords)) return tensor_why(coords);
    if (layout_size(p->layout) != tensor_size(coords)) return "the sizes differ";
    int64_t bits = layout_cosize(p->layout);
    if (bits < 0) return "its strides must be integers >= 0";
    return bits > p->room ? "the buffer is too small" : NULL;
}

Predicate predicate_fill(Predicate p, const Tensor *coords, Arith shape)
{
    const char *why = misfit(&p, coords);
    if (why) return refuse(p, coords, why);
    int64_t size = tensor_size(coords);
    for (int64_t i = size - 1; i >= 0; i--) {
        Arith c = tensor_at(coords, i);
        if (!arith_ok(c)) return refuse(p, coords, c.why);
        p.bit[layout_at(p.layout, i)] = arith_within(c, shape);
    }
    /* Each bit is now that of its first element; the others must agree. */
    for (int64_t i = 0; i < size; i++)
        if (p.bit[layout_at(p.layout, i)] != predicate_at(coords, shape, i))
            return refuse(p, coords, "elements that share an answer differ in it");
    return p;
}

/* -- Copying ----------------------------------------------------------------------------------- */
static Arith offset(const Tensor *t, int64_t i)
{
    Arith at = tensor_at(t, i);
    return arith_is_tuple(at)
               ? arith_poison("copy_if: %s: its values are coordinates", tree_text(t->layout).s)
               : at;
}

/* The integer 0, or why element i cannot be copied. */
static Arith check_element(const Tensor *src, const Tensor *dst, int64_t i)
{
    Arith from = offset(src, i), to = offset(dst, i);
    if (!arith_ok(from)) return from;
    return arith_ok(to) ? arith_int(0) : to;
}

static Arith check_copy(const Predicate *p, const Tensor *src, const Tensor *dst)
{
    const char *why = misfit(p, src);
    if (!why && tensor_size(src) != tensor_size(dst)) why = "source and destination differ in size";
    if (why)
        return arith_poison("copy_if: %s to %s under %s: %s", tree_text(src->layout).s,
                            tree_text(dst->layout).s, tree_text(p->layout).s, why);
    Arith fine = arith_int(0);
    for (int64_t i = 0; i < tensor_size(src) && arith_ok(fine); i++)
        if (p->bit[layout_at(p->layout, i)]) fine = check_element(src, dst, i);
    return fine;
}

Arith predicate_copy_if(const Predicate *p, const Tensor *src, const void *from, const Tensor *dst,
                        void *to, size_t bytes)
{
    Arith fine = check_copy(p, src, dst);
    if (!arith_ok(fine)) return fine;
    int64_t copied = 0, width = (int64_t)bytes;
    for (int64_t i = 0; i < tensor_size(src); i++) {
        if (!p->bit[layout_at(p->layout, i)]) continue;
        memcpy((char *)to + arith_value(tensor_at(dst, i)) * width,
               (const char *)from + arith_value(tensor_at(src, i)) * width, bytes);
        copied++;
    }
    return arith_int(copied);
}
