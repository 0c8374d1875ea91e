/*
 * blas_names: one table from which every exported BLAS name is made.
 *
 * A routine has a letter, and each letter is exported under each spelling: a spelling is one row, a
 * type is one row. tests/test_names.c walks the products, holds them against the libraries and
 * calls every one.
 */
#ifndef KNAP_PLUGIN_BLAS_NAMES_H
#define KNAP_PLUGIN_BLAS_NAMES_H

/* clang-format off */
/* A type: letter in a routine's name, the same in capitals, Dtype of the matrices, C type by which
 * CBLAS passes alpha and beta. cblas_hgemm has MKL's form: an f16 scalar is passed by value as its
 * bits, in a 16-bit integer, not as _Float16 or float. */
#define BLAS_TYPE_S s, S, F32,  float
#define BLAS_TYPE_D d, D, F64,  double
#define BLAS_TYPE_C c, C, CF32, CblasPointer
#define BLAS_TYPE_Z z, Z, CF64, CblasPointer
#define BLAS_TYPE_H h, H, F16,  uint16_t

#define BLAS_TYPES(ROW) \
    ROW(BLAS_TYPE_S) ROW(BLAS_TYPE_D) ROW(BLAS_TYPE_C) ROW(BLAS_TYPE_Z) ROW(BLAS_TYPE_H)

/* A spelling: prefix and suffix round "<letter>gemm", and the width of an integer argument: NAT is
 * 32 bits in libknap.so and 64 in libknap64.so or where KNAP_ILP64 says so, W32 and W64 are fixed.
 *       prefix       suffix                    who calls it so */
#define BLAS_FORTRAN_COMMON(ROW, ...) \
    ROW(,             _,    NAT, __VA_ARGS__) /* the reference */ \
    ROW(,             ,     NAT, __VA_ARGS__) /* no underscore */
#define BLAS_FORTRAN_MORE(ROW, ...) \
    ROW(,             _64_, W64, __VA_ARGS__) /* MKL, libblastrampoline, netlib */ \
    ROW(,             64_,  W64, __VA_ARGS__) /* OpenBLAS */ \
    ROW(scipy_,       _,    W32, __VA_ARGS__) /* the wheels of numpy and scipy */ \
    ROW(scipy_,       _64_, W64, __VA_ARGS__)
#define BLAS_CBLAS_COMMON(ROW, ...) \
    ROW(cblas_,       ,     NAT, __VA_ARGS__)
#define BLAS_CBLAS_MORE(ROW, ...) \
    ROW(cblas_,       64_,  W64, __VA_ARGS__) \
    ROW(cblas_,       _64,  W64, __VA_ARGS__) \
    ROW(scipy_cblas_, ,     W32, __VA_ARGS__) \
    ROW(scipy_cblas_, 64_,  W64, __VA_ARGS__)

/* Every name: ROW(prefix, suffix, width, letter, LETTER, dtype, scalar). f16 has the common. */
#define BLAS_ALL_NAMES(COMMON, MORE, ROW) \
    COMMON(ROW, BLAS_TYPE_S) MORE(ROW, BLAS_TYPE_S) \
    COMMON(ROW, BLAS_TYPE_D) MORE(ROW, BLAS_TYPE_D) \
    COMMON(ROW, BLAS_TYPE_C) MORE(ROW, BLAS_TYPE_C) \
    COMMON(ROW, BLAS_TYPE_Z) MORE(ROW, BLAS_TYPE_Z) \
    COMMON(ROW, BLAS_TYPE_H)
#define BLAS_FORTRAN_NAMES(ROW) BLAS_ALL_NAMES(BLAS_FORTRAN_COMMON, BLAS_FORTRAN_MORE, ROW)
#define BLAS_CBLAS_NAMES(ROW)   BLAS_ALL_NAMES(BLAS_CBLAS_COMMON, BLAS_CBLAS_MORE, ROW)
/* clang-format on */

#endif
