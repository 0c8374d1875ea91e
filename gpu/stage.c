/* stage: operands in host memory to the device and back. See stage.h. */
#include "gpu/stage.h"
#include "gpu/mem.h"

#include <string.h>

/* Rows shorter than this many bytes travel faster when they are packed into one block first. */
enum { NARROW = 64, FEW_ROWS = 16, LINE = 16 };

static size_t element(const StageMatrix *x)
{
    return (size_t)dtype_bytes((Dtype)x->from.type);
}

/* -- The image of a matrix ------------------------------------------------------------------------- */

/* Whether lines of `width` elements, `pitch` apart, can be copied as they are. */
static bool lines_travel(const StageMatrix *x, int64_t width, int64_t pitch, int64_t lines)
{
    bool apart = lines <= 1 || pitch >= width;
    return apart && (lines <= FEW_ROWS || (size_t)width * element(x) >= NARROW);
}

static int64_t round_up(int64_t n, int64_t to)
{
    return (n + to - 1) / to * to;
}

/* Decides the device's layout; returns whether the matrix travels directly. */
static bool lay_out(StageMatrix *x)
{
    int64_t line = (int64_t)(LINE / element(x) ? LINE / element(x) : 1);
    bool by_col = x->from.rs == 1 && lines_travel(x, x->rows, x->from.cs, x->cols);
    bool by_row = x->from.cs == 1 && lines_travel(x, x->cols, x->from.rs, x->rows);
    x->to = x->from;
    x->to.align = 4;
    if (by_col && !by_row) {
        x->to.rs = 1;
        x->to.cs = round_up(x->rows, line);
        x->to.bs = x->to.cs * x->cols;
    } else {
        x->to.cs = 1;
        x->to.rs = round_up(x->cols, line);
        x->to.bs = x->to.rs * x->rows;
    }
    if (x->from.bs == 0) { /* one matrix serves the whole batch */
        x->batch = 1;
        x->to.bs = 0;
    }
    return by_col || by_row;
}

static size_t image_bytes(const StageMatrix *x)
{
    int64_t one = x->to.cs == 1 ? x->to.rs * x->rows : x->to.cs * x->cols;
    return (size_t)(one * x->batch) * element(x);
}

/* Where element (i,j) of batch b lies, in bytes. */
static ptrdiff_t offset(const StageMatrix *x, const GemmMatrix *m, int64_t i, int64_t j, int64_t b)
{
    return (ptrdiff_t)((i * m->rs + j * m->cs + b * m->bs) * (int64_t)element(x));
}

/* Copies all elements between two host images, in the order of the device's lines. */
static void repack(const StageMatrix *x, char *dst, const GemmMatrix *to, const char *src,
                   const GemmMatrix *from)
{
    size_t size = element(x);
    bool by_row = x->to.cs == 1;
    int64_t lines = by_row ? x->rows : x->cols, width = by_row ? x->cols : x->rows;
    bool whole = by_row ? to->cs == 1 && from->cs == 1 : to->rs == 1 && from->rs == 1;
    for (int64_t b = 0; b < x->batch; b++)
        for (int64_t l = 0; l < lines; l++) {
            int64_t i0 = by_row ? l : 0, j0 = by_row ? 0 : l;
            if (whole) {
                memcpy(dst + offset(x, to, i0, j0, b), src + offset(x, from, i0, j0, b),
                       (size_t)width * size);
                continue;
            }
            for (int64_t e = 0; e < width; e++) {
                int64_t i = by_row ? l : e, j = by_row ? e : l;
                memcpy(dst + offset(x, to, i, j, b), src + offset(x, from, i, j, b), size);
            }
        }
}

/* -- Travelling -------------------------------------------------------------------------------------- */

/* Copies lines between the call's matrix and its image, batch by batch. */
static DeviceError copy_lines(const StageMatrix *x, Device *device, void *queue, CopyDirection way,
                              char *host)
{
    size_t size = element(x);
    bool by_row = x->to.cs == 1;
    int64_t lines = by_row ? x->rows : x->cols, width = by_row ? x->cols : x->rows;
    size_t there = (size_t)(by_row ? x->to.rs : x->to.cs) * size;
    size_t here =
        lines > 1 ? (size_t)(by_row ? x->from.rs : x->from.cs) * size : (size_t)width * size;
    for (int64_t b = 0; b < x->batch; b++) {
        char *far = (char *)x->device + offset(x, &x->to, 0, 0, b);
        char *near = host + offset(x, &x->from, 0, 0, b);
        bool in = way == COPY_TO_DEVICE;
        DeviceError error = device->ops->copy(device, queue, way, in ? far : near,
                                              in ? there : here, in ? near : far, in ? here : there,
                                              (size_t)width * size, (size_t)lines);
        if (error) return error;
    }
    return NULL;
}

static DeviceError copy_image(const StageMatrix *x, Device *device, void *queue, CopyDirection way)
{
    size_t bytes = image_bytes(x);
    bool in = way == COPY_TO_DEVICE;
    return device->ops->copy(device, queue, way, in ? x->device : x->packed, bytes,
                             in ? x->packed : x->device, bytes, bytes, 1);
}

static DeviceError move_in(const StageMatrix *x, Device *device, void *queue)
{
    if (!x->moves) return NULL;
    if (x->direct) {
        char *host;
        memcpy(&host, &x->host, sizeof host); /* read only: the direction says so */
        return copy_lines(x, device, queue, COPY_TO_DEVICE, host);
    }
    repack(x, x->packed, &x->to, x->host, &x->from);
    return copy_image(x, device, queue, COPY_TO_DEVICE);
}

/* -- Public ------------------------------------------------------------------------------------------- */

static DeviceError take_room(StageBuffers *buffers, int which, Device *device, StageMatrix *x)
{
    size_t bytes = image_bytes(x);
    if (bytes > buffers->size[which]) {
        if (buffers->at[which]) device->ops->release(device, buffers->at[which]);
        buffers->at[which] = NULL;
        buffers->size[which] = 0;
        DeviceError error = device->ops->alloc(device, bytes, &buffers->at[which]);
        if (error) return error;
        buffers->size[which] = bytes;
    }
    x->device = buffers->at[which];
    return NULL;
}

DeviceError stage_begin(Stage *s, Device *device, StageBuffers *buffers, GemmProblem *p,
                        GemmArgs *args)
{
    bool reads_c = p->beta != SCALAR_ZERO;
    memset(s, 0, sizeof *s);
    s->a =
        (StageMatrix){.host = args->a, .from = p->a, .rows = p->m, .cols = p->k, .moves = p->k > 0};
    s->b =
        (StageMatrix){.host = args->b, .from = p->b, .rows = p->k, .cols = p->n, .moves = p->k > 0};
    s->c =
        (StageMatrix){.host = args->c, .from = p->c, .rows = p->m, .cols = p->n, .moves = reads_c};
    StageMatrix *all[3] = {&s->a, &s->b, &s->c};
    for (int i = 0; i < 3; i++) {
        StageMatrix *x = all[i];
        x->batch = p->batch;
        x->direct = lay_out(x);
        if (i < 2 && !x->moves) continue;
        DeviceError error = take_room(buffers, i, device, x);
        if (error) return error;
        if (x->direct && !(x == &s->c && reads_c)) continue;
        x->packed = mem_alloc(image_bytes(x));
        if (!x->packed) return device_error("no host memory to pack an operand");
    }
    p->a = s->a.to;
    p->b = s->b.to;
    p->c = s->c.to;
    p->memory = MEMORY_DEVICE;
    args->a = s->a.device;
    args->b = s->b.device;
    args->c = s->c.device;
    return NULL;
}

DeviceError stage_in(Stage *s, Device *device, void *queue)
{
    DeviceError error = move_in(&s->a, device, queue);
    if (!error) error = move_in(&s->b, device, queue);
    if (!error) error = move_in(&s->c, device, queue);
    return error;
}

DeviceError stage_out(Stage *s, Device *device, void *queue, void *c)
{
    StageMatrix *x = &s->c;
    DeviceError error = x->packed ? copy_image(x, device, queue, COPY_TO_HOST)
                                  : copy_lines(x, device, queue, COPY_TO_HOST, c);
    if (!error) error = device->ops->queue_wait(device, queue);
    if (!error && x->packed) repack(x, c, &x->from, x->packed, &x->to);
    return error;
}

void stage_end(Stage *s)
{
    mem_free(s->a.packed);
    mem_free(s->b.packed);
    mem_free(s->c.packed);
}

void stage_buffers_free(StageBuffers *buffers, Device *device)
{
    for (int i = 0; i < 3; i++)
        if (buffers->at[i]) device->ops->release(device, buffers->at[i]);
}
