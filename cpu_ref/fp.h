/*
 * fp: conversions between double or float and the narrow types, correctly rounded to nearest even.
 *
 * Narrow values travel as their bits. Overflow gives infinity, NaN stays NaN (quiet, sign kept),
 * subnormals are exact. From double the rounding happens once. Source of the formats: IEEE 754-2019
 * (binary16), bfloat16 and tf32 as in the PTX manual. Pure functions, any thread.
 */
#ifndef KNAP_CPU_REF_FP_H
#define KNAP_CPU_REF_FP_H

#include "layout/dtype.h"

#include <stdint.h>

uint16_t fp_f16_from_f64(double x);
uint16_t fp_f16_from_f32(float x);
double fp_f16_to_f64(uint16_t h);
float fp_f16_to_f32(uint16_t h);

uint16_t fp_bf16_from_f64(double x);
uint16_t fp_bf16_from_f32(float x);
double fp_bf16_to_f64(uint16_t h);
float fp_bf16_to_f32(uint16_t h);

/* tf32: an f32 whose low 13 significand bits are zero; cvt.rn and cvt.rna (ties away), as in
 * PTX. */
float fp_tf32_from_f32(float x);
float fp_tf32_from_f32_rna(float x);

/* Element `index` of an array of type t as a double pair (imaginary 0 for real types), and back.
 * Real types f64 f32 tf32 f16 bf16 s32 s8 u8, complex cf32 cf64. Others load as NaN and store
 * nothing. */
void fp_load(Dtype t, const void *base, int64_t index, double out[2]);
void fp_store(Dtype t, void *base, int64_t index, const double x[2]);

/* Unit roundoff of a type: 2^-53, 2^-24, 2^-11 (f16, tf32), 2^-8 (bf16); 0 for integers. */
double fp_unit(Dtype t);

#endif
