/*
 * sim_lanewise: semantics given as one expression over a lane.
 *
 *     SIM_LANEWISE2(add_u32, uint32_t, uint32_t, a + b)
 *
 * defines a SimExec that sets its destination, of the first type, to the expression of its sources
 * a, b (and c), of the second type, in every lane that executes. The expression is evaluated in
 * the other lanes too, so it must not trap whatever the operands are.
 */
#ifndef KNAP_GPU_SIM_SIM_LANEWISE_H
#define KNAP_GPU_SIM_SIM_LANEWISE_H

#include "gpu/sim/sim_run.h"

#define SIM_LANEWISE1(name, D, S, expr)             \
    static void name(SimWarp *w, const SimInsn *in) \
    {                                               \
        D d_[SIM_LANES];                            \
        S a_[SIM_LANES];                            \
        sim_get(w, in, 1, a_);                      \
        for (int i_ = 0; i_ < SIM_LANES; i_++) {    \
            const S a = a_[i_];                     \
            d_[i_] = (D)(expr);                     \
        }                                           \
        sim_put(w, in, 0, d_, sizeof *d_);          \
    }

#define SIM_LANEWISE2(name, D, S, expr)             \
    static void name(SimWarp *w, const SimInsn *in) \
    {                                               \
        D d_[SIM_LANES];                            \
        S a_[SIM_LANES], b_[SIM_LANES];             \
        sim_get(w, in, 1, a_);                      \
        sim_get(w, in, 2, b_);                      \
        for (int i_ = 0; i_ < SIM_LANES; i_++) {    \
            const S a = a_[i_], b = b_[i_];         \
            d_[i_] = (D)(expr);                     \
        }                                           \
        sim_put(w, in, 0, d_, sizeof *d_);          \
    }

/* a and b of type S, c as wide as the destination. */
#define SIM_LANEWISE3(name, D, S, expr)             \
    static void name(SimWarp *w, const SimInsn *in) \
    {                                               \
        D d_[SIM_LANES], c_[SIM_LANES];             \
        S a_[SIM_LANES], b_[SIM_LANES];             \
        sim_get(w, in, 1, a_);                      \
        sim_get(w, in, 2, b_);                      \
        sim_get(w, in, 3, c_);                      \
        for (int i_ = 0; i_ < SIM_LANES; i_++) {    \
            const S a = a_[i_], b = b_[i_];         \
            const D c = c_[i_];                     \
            d_[i_] = (D)(expr);                     \
        }                                           \
        sim_put(w, in, 0, d_, sizeof *d_);          \
    }

#endif
