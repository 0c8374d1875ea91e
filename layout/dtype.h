/*
 * dtype: the element types, as one table.
 *
 * A type is a small integer that fits a byte of a key; the table gives its name, its width in bits
 * (sub-byte types exist) and how it is spelled in PTX. Nothing here allocates or fails: an unknown
 * name gives DTYPE_NONE, whose row is all zero.
 */
#ifndef KNAP_LAYOUT_DTYPE_H
#define KNAP_LAYOUT_DTYPE_H

#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
/*        enum    name     bits complex real part */
#define DTYPE_LIST(ROW) \
    ROW(NONE,  "none",    0,  0,     NONE) \
    ROW(F64,   "f64",    64,  0,     F64)  \
    ROW(F32,   "f32",    32,  0,     F32)  \
    ROW(TF32,  "tf32",   32,  0,     TF32) \
    ROW(F16,   "f16",    16,  0,     F16)  \
    ROW(BF16,  "bf16",   16,  0,     BF16) \
    ROW(E4M3,  "e4m3",    8,  0,     E4M3) \
    ROW(E5M2,  "e5m2",    8,  0,     E5M2) \
    ROW(S32,   "s32",    32,  0,     S32)  \
    ROW(S8,    "s8",      8,  0,     S8)   \
    ROW(U8,    "u8",      8,  0,     U8)   \
    ROW(S4,    "s4",      4,  0,     S4)   \
    ROW(U4,    "u4",      4,  0,     U4)   \
    ROW(B1,    "b1",      1,  0,     B1)   \
    ROW(CF32,  "cf32",   64,  1,     F32)  \
    ROW(CF64,  "cf64",  128,  1,     F64)
/* clang-format on */

typedef enum {
#define ROW(id, name, bits, complex, real) DTYPE_##id,
    DTYPE_LIST(ROW)
#undef ROW
        DTYPE_COUNT
} Dtype;

/* Name as in the PTX manual ("f16", "bf16", ...; "cf32" is a pair of f32). */
const char *dtype_name(Dtype t);

/* Width of one element in bits; 0 for DTYPE_NONE and for any value outside the table. */
int dtype_bits(Dtype t);

/* Width in bytes; 0 for sub-byte types. */
int dtype_bytes(Dtype t);

bool dtype_is_complex(Dtype t);

/* The type of the real and imaginary part; the type itself when it is real. */
Dtype dtype_real(Dtype t);

/* The type called name, or DTYPE_NONE. */
Dtype dtype_parse(const char *name);

#endif
