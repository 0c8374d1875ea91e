/*
 * ptx: a builder of PTX text. It prints, counts registers, folds constants and remembers the first
 * error; everything else is ptxas's work.
 *
 * A PtxVal is a register or an integer known at emission time. The arithmetic functions fold:
 * adding 0 or multiplying by 1 emits nothing, two constants make a constant. So code written once
 * for "a stride" costs nothing where the stride is 1.
 *
 * The text lives in a caller's buffer. The first error (buffer full, ill-typed operand) sticks:
 * later calls do nothing, and ptx_finish reports it. No allocation, no global state.
 */
#ifndef KNAP_GPU_PTX_H
#define KNAP_GPU_PTX_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Register classes and their declaration in PTX: name prefix and type. */
/* clang-format off */
#define PTX_CLASS_LIST(ROW) \
    ROW(PRED, "p",  ".pred") \
    ROW(B16,  "h",  ".b16")  \
    ROW(B32,  "r",  ".b32")  \
    ROW(B64,  "rd", ".b64")  \
    ROW(F32,  "f",  ".f32")  \
    ROW(F64,  "fd", ".f64")
/* clang-format on */

typedef enum {
#define ROW(id, prefix, type) PTX_##id,
    PTX_CLASS_LIST(ROW)
#undef ROW
        PTX_CLASSES,
    PTX_IMM = PTX_CLASSES /* not a register: a constant */
} PtxClass;

typedef struct {
    PtxClass cls;
    int64_t v; /* register number, or the constant */
} PtxVal;

typedef struct {
    char *buf;
    size_t size, len;
    int regs[PTX_CLASSES]; /* registers used so far */
    int labels;
    char err[160]; /* "": no error yet */
} Ptx;

void ptx_init(Ptx *x, char *buf, size_t size);
void ptx_fail(Ptx *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What surrounds the body: one entry with one parameter block called "args", and shared memory
 * called "smem" (16-byte aligned; 0 bytes leave it out). */
typedef struct {
    const char *name;
    int ptx, sm; /* PTX ISA version and target, as 10*major + minor */
    int threads;
    int param_bytes, smem_bytes;
} PtxEntry;

/* Writes the module round what was emitted, in place. NULL, or the first error. */
const char *ptx_finish(Ptx *x, const PtxEntry *entry);

/* A constant; a fresh register. */
PtxVal ptx_imm(int64_t v);
PtxVal ptx_reg(Ptx *x, PtxClass cls);
bool ptx_is_imm(PtxVal a, int64_t v);

/*
 * One instruction. Directives: %v takes a PtxVal, %t an int used as label number, %d an int, %s a
 * string. A ';' and a newline are added. ptx_op_if guards it with predicate p (negated: !p); a
 * constant p either drops the guard or the whole instruction.
 */
void ptx_op(Ptx *x, const char *fmt, ...);
void ptx_op_if(Ptx *x, PtxVal p, const char *fmt, ...);
void ptx_op_unless(Ptx *x, PtxVal p, const char *fmt, ...);
void ptx_comment(Ptx *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int ptx_label(Ptx *x);             /* a new label's number */
void ptx_place(Ptx *x, int label); /* the label stands here */

/* -- Integer arithmetic that folds. Width follows the operands: a B64 operand makes the result B */
PtxVal ptx_add(Ptx *x, PtxVal a, PtxVal b);
PtxVal ptx_sub(Ptx *x, PtxVal a, PtxVal b);
PtxVal ptx_mul(Ptx *x, PtxVal a, PtxVal b);
/* Unsigned; n > 0. Powers of two become a shift or a mask. */
PtxVal ptx_div(Ptx *x, PtxVal a, int64_t n);
PtxVal ptx_rem(Ptx *x, PtxVal a, int64_t n);
/* a as a 64-bit register (sign extended); a constant stays one. */
PtxVal ptx_wide(Ptx *x, PtxVal a);
/* a < b, signed, as a predicate; two constants give ptx_imm(0 or 1). */
PtxVal ptx_less(Ptx *x, PtxVal a, PtxVal b);
/* Conjunction of predicates or constants. */
PtxVal ptx_and(Ptx *x, PtxVal a, PtxVal b);
/* A register that holds a (a itself when it is one); cls B32 or B64. */
PtxVal ptx_in_reg(Ptx *x, PtxVal a, PtxClass cls);

/* Field of the parameter block, loaded at byte offset. */
PtxVal ptx_param(Ptx *x, PtxClass cls, size_t offset);

#endif
