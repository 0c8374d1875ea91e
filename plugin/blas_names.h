/*
 * blas_names: one table from which every exported BLAS name is made.
 *
 * A routine has a letter, and each letter is exported under each spelling. Adding a spelling is one row,
 * adding a type is one row; tests/test_names.c walks both and calls every product.
 */
#ifndef KNAP_PLUGIN_BLAS_NAMES_H
#define KNAP_PLUGIN_BLAS_NAMES_H

/* clang-format off */
/* letter, Dtype of the matrices, C type of a CBLAS scalar argument */
#define BLAS_TYPES(ROW) \
    ROW(s, F32)  \
    ROW(d, F64)  \
    ROW(c, CF32) \
    ROW(z, CF64)

/* Spellings: prefix and suffix round "<letter>gemm", and the width of an integer argument: NAT is 32 bits
 * in libknap.so and 64 in libknap64.so, W64 always 64.
 *   who calls it so:                          the reference; no underscore; MKL, LBT; OpenBLAS; wheels */
#define BLAS_FORTRAN_SPELLINGS(ROW, ...) \
    ROW(,       _,    NAT, __VA_ARGS__) \
    ROW(,       ,     NAT, __VA_ARGS__) \
    ROW(,       _64_, W64, __VA_ARGS__) \
    ROW(,       64_,  W64, __VA_ARGS__) \
    ROW(scipy_, _,    NAT, __VA_ARGS__) \
    ROW(scipy_, _64_, W64, __VA_ARGS__)

#define BLAS_CBLAS_SPELLINGS(ROW, ...) \
    ROW(cblas_,       ,    NAT, __VA_ARGS__) \
    ROW(cblas_,       64_, W64, __VA_ARGS__) \
    ROW(cblas_,       _64, W64, __VA_ARGS__) \
    ROW(scipy_cblas_, ,    NAT, __VA_ARGS__) \
    ROW(scipy_cblas_, 64_, W64, __VA_ARGS__)
/* clang-format on */

#endif
