/* stage: operands in host memory to the device and back. See stage.h. */
#include "gpu/stage.h"
#include "gpu/mem.h"

#include <omp.h>
#include <string.h>

/* Lines begin at multiples of 16 bytes. Eight threads fill faster than a PCIe 5.0 x16 link drains;
 * blocks of less than 64 KiB are not worth waking them. */
enum { LINE = 16, FILLERS = 8, FILL_ALONE = 64 << 10 };

/* -- The image of a matrix --------------------------------------------------------------------- */

static int64_t element(const StageMatrix *x)
{
    return dtype_bytes((Dtype)x->from.type);
}

static StageMatrix image_of(const GemmMatrix *from, int64_t rows, int64_t cols, int64_t batch)
{
    bool by_col = from->rs == 1 && from->cs != 1;
    StageMatrix x = {.from = *from,
                     .to = *from,
                     .lines = by_col ? cols : rows,
                     .width = by_col ? rows : cols,
                     .batch = from->bs == 0 ? 1 : batch,
                     .line_from = by_col ? from->cs : from->rs,
                     .step_from = by_col ? from->rs : from->cs};
    int64_t whole = LINE > element(&x) ? LINE / element(&x) : 1;
    x.pitch = (x.width + whole - 1) / whole * whole;
    x.to.rs = by_col ? 1 : x.pitch;
    x.to.cs = by_col ? x.pitch : 1;
    x.to.bs = from->bs == 0 ? 0 : x.pitch * x.lines;
    x.to.align = 4;
    return x;
}

static size_t image_bytes(const StageMatrix *x)
{
    return (size_t)(x->pitch * x->lines * x->batch * element(x));
}

/* -- Blocks ------------------------------------------------------------------------------------ */

/* Part of a matrix that fits a page-locked block: lines [line, line + lines), elements [at, at +
 * width). */
typedef struct {
    int64_t batch, line, lines, at, width;
} Block;

/* The block after b in the order batch, line, element; false after the last. A walk starts from
 * {0}. */
static bool block_next(const StageMatrix *x, Block *b)
{
    int64_t fit = STAGE_BLOCK / element(x);
    b->at += b->width;
    if (b->at >= x->width) {
        b->at = 0;
        b->line += b->lines;
    }
    if (b->line >= x->lines) {
        b->line = 0;
        b->batch++;
    }
    if (b->batch >= x->batch) return false;
    int64_t left = x->width - b->at;
    b->width = left < fit ? left : fit;
    b->lines = b->width < x->width ? 1 : fit / x->width;
    if (b->lines > x->lines - b->line) b->lines = x->lines - b->line;
    return true;
}

/* Elements `step` apart on one side, neighbours on the other. */
static void copy_line(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t n,
                      int64_t size)
{
    if (dst_step == 1 && src_step == 1) {
        memcpy(dst, src, (size_t)(n * size));
        return;
    }
    for (int64_t i = 0; i < n; i++)
        memcpy(dst + i * dst_step * size, src + i * src_step * size, (size_t)size);
}

/* Between the matrix in host memory and a block whose lines are block_pitch elements apart. */
static void fill(const StageMatrix *x, const Block *b, char *host, char *block, int64_t block_pitch,
                 CopyDirection way)
{
    const int64_t size = element(x);
    char *first =
        host + (b->batch * x->from.bs + b->line * x->line_from + b->at * x->step_from) * size;
    int threads = b->lines * b->width * size < FILL_ALONE ? 1 : omp_get_max_threads();
    if (threads > FILLERS) threads = FILLERS;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t l = 0; l < b->lines; l++) {
        char *here = first + l * x->line_from * size, *there = block + l * block_pitch * size;
        if (way == COPY_TO_DEVICE)
            copy_line(there, 1, here, x->step_from, b->width, size);
        else
            copy_line(here, x->step_from, there, 1, b->width, size);
    }
}

/* Starts a block on its way over the link. */
static DeviceError send(const Stage *s, const StageMatrix *x, const Block *b, int slot,
                        CopyDirection way)
{
    const int64_t size = element(x);
    size_t width =
        (size_t)(b->width * size); /* one line has no pitch, which CUDA limits to 2 GiB */
    size_t pitch = b->lines == 1 ? width : (size_t)(x->pitch * size);
    char *far = (char *)x->device + (b->batch * x->to.bs + b->line * x->pitch + b->at) * size;
    void *near = s->lane->block[slot];
    bool in = way == COPY_TO_DEVICE;
    return s->device->ops->copy(s->device, s->lane->queue[slot], way, in ? far : near,
                                in ? pitch : width, in ? near : far, in ? width : pitch, width,
                                (size_t)b->lines);
}

static DeviceError drain(const Stage *s, int slot)
{
    return s->device->ops->queue_wait(s->device, s->lane->queue[slot]);
}

/* A slot is filled again only when its last block has left. */
static DeviceError move_in(const Stage *s, const StageMatrix *x, const void *host)
{
    char *from;
    memcpy(&from, &host, sizeof from); /* only read: the direction says so */
    Block b = {0};
    DeviceError error = NULL;
    for (int n = 0; !error && block_next(x, &b); n++) {
        int slot = n % STAGE_RING;
        error = drain(s, slot);
        if (error) break;
        fill(x, &b, from, s->lane->block[slot], b.width, COPY_TO_DEVICE);
        error = send(s, x, &b, slot, COPY_TO_DEVICE);
    }
    return error;
}

/* Blocks are fetched STAGE_RING ahead of the one being unpacked. */
static DeviceError move_out(const Stage *s, const StageMatrix *x, char *host)
{
    Block fetched = {0}, unpacked = {0};
    DeviceError error = NULL;
    int64_t on_the_way = 0;
    for (int n = 0; !error && n < STAGE_RING && block_next(x, &fetched); n++, on_the_way++)
        error = send(s, x, &fetched, n, COPY_TO_HOST);
    for (int n = 0; !error && on_the_way > 0 && block_next(x, &unpacked); n++) {
        int slot = n % STAGE_RING;
        error = drain(s, slot);
        if (error) break;
        fill(x, &unpacked, host, s->lane->block[slot], unpacked.width, COPY_TO_HOST);
        on_the_way--;
        if (!block_next(x, &fetched)) continue;
        error = send(s, x, &fetched, slot, COPY_TO_HOST);
        on_the_way++;
    }
    return error;
}

/* -- The lane ---------------------------------------------------------------------------------- */

static DeviceError lane_ready(StageLane *lane, Device *device)
{
    DeviceError error = NULL;
    for (int i = 0; i < STAGE_RING && !error; i++) {
        if (!lane->queue[i]) error = device->ops->queue_open(device, &lane->queue[i]);
        if (!error && !lane->block[i])
            error = device->ops->host_alloc(device, STAGE_BLOCK, &lane->block[i]);
    }
    return error;
}

static DeviceError take_room(StageLane *lane, int which, Device *device, StageMatrix *x)
{
    size_t bytes = image_bytes(x);
    if (bytes > lane->size[which]) {
        if (lane->at[which]) device->ops->release(device, lane->at[which]);
        lane->at[which] = NULL;
        lane->size[which] = 0;
        DeviceError error = device->ops->alloc(device, bytes, &lane->at[which]);
        if (error) return error;
        lane->size[which] = bytes;
    }
    x->device = lane->at[which];
    return NULL;
}

void stage_lane_free(StageLane *lane, Device *device)
{
    for (int i = 0; i < STAGE_RING; i++) {
        if (lane->queue[i]) device->ops->queue_close(device, lane->queue[i]);
        if (lane->block[i]) device->ops->host_release(device, lane->block[i]);
    }
    for (int i = 0; i < 3; i++)
        if (lane->at[i]) device->ops->release(device, lane->at[i]);
}

/* -- A call ------------------------------------------------------------------------------------ */

DeviceError stage_begin(Stage *s, Device *device, StageLane *lane, GemmProblem *p, GemmArgs *args)
{
    *s = (Stage){.device = device,
                 .lane = lane,
                 .a = image_of(&p->a, p->m, p->k, p->batch),
                 .b = image_of(&p->b, p->k, p->n, p->batch),
                 .c = image_of(&p->c, p->m, p->n, p->batch),
                 .host_a = args->a,
                 .host_b = args->b,
                 .host_c = args->c,
                 .reads_c = p->beta != SCALAR_ZERO};
    DeviceError error = lane_ready(lane, device);
    if (!error && p->k > 0) error = take_room(lane, 0, device, &s->a);
    if (!error && p->k > 0) error = take_room(lane, 1, device, &s->b);
    if (!error) error = take_room(lane, 2, device, &s->c);
    p->a = s->a.to;
    p->b = s->b.to;
    p->c = s->c.to;
    p->memory = MEMORY_DEVICE;
    args->a = s->a.device;
    args->b = s->b.device;
    args->c = s->c.device;
    return error;
}

DeviceError stage_in(Stage *s, const GemmProblem *p)
{
    DeviceError error = NULL;
    if (p->k > 0) error = move_in(s, &s->a, s->host_a);
    if (!error && p->k > 0) error = move_in(s, &s->b, s->host_b);
    if (!error && s->reads_c) error = move_in(s, &s->c, s->host_c);
    for (int i = 0; i < STAGE_RING && !error; i++) error = drain(s, i);
    return error;
}

/* By way of an image in ordinary memory, unpacked once it is complete. */
static DeviceError out_at_once(Stage *s)
{
    char *whole = mem_alloc(image_bytes(&s->c));
    if (!whole) return device_error("no host memory to receive C");
    StageMatrix image = s->c;
    image.from = image.to;
    image.line_from = image.pitch;
    image.step_from = 1;
    DeviceError error = move_out(s, &image, whole);
    for (int64_t b = 0; !error && b < s->c.batch; b++) {
        Block all = {.batch = b, .lines = s->c.lines, .width = s->c.width};
        fill(&s->c, &all, s->host_c, whole + b * s->c.to.bs * element(&s->c), s->c.pitch,
             COPY_TO_HOST);
    }
    mem_free(whole);
    return error;
}

DeviceError stage_out(Stage *s)
{
    DeviceError error = drain(s, 0); /* the other queues know nothing of the kernel */
    if (error) return error;
    return s->reads_c ? out_at_once(s) : move_out(s, &s->c, s->host_c);
}
