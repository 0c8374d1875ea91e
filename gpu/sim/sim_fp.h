/*
 * sim_fp: conversions between the floating point formats, rounded once, to nearest even where
 * nothing else is said. NaN stays NaN; overflow gives infinity.
 */
#ifndef KNAP_GPU_SIM_SIM_FP_H
#define KNAP_GPU_SIM_SIM_FP_H

#include <stdint.h>

/* A binary format of 1 + exponent + mantissa bits. */
typedef struct {
    int exponent, mantissa; /* bits */
} SimFormat;

extern const SimFormat sim_f16, sim_bf16, sim_tf32, sim_f32;

typedef enum { SIM_NEAREST_EVEN, SIM_TO_ZERO, SIM_DOWN, SIM_UP, SIM_NEAREST_AWAY } SimRounding;

/* v in format f, in the low bits. */
uint32_t sim_fp_round(double v, SimFormat f, SimRounding r);

double sim_f16_value(uint16_t h);
double sim_bf16_value(uint16_t h);
double sim_tf32_value(uint32_t r); /* the low 13 bits are not looked at */
uint16_t sim_f16_round(double v);
uint16_t sim_bf16_round(double v);

/* a + b rounded to odd: rounding the result once more, to at most 50 bits, is then right. */
double sim_add_odd(double a, double b);

#endif
