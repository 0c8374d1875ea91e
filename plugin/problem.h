/*
 * problem: from knap.h's KnapGemm to the GemmProblem that all rooms share, with every argument
 * checked.
 */
#ifndef KNAP_PLUGIN_PROBLEM_H
#define KNAP_PLUGIN_PROBLEM_H

#include "plugin/dispatch.h"

/* Dtype of a public type; DTYPE_NONE where there is none. */
Dtype problem_dtype(KnapType type);

/*
 * Fills in *p and *args from a public request; p->memory is left MEMORY_HOST. KNAP_OK, or
 * KNAP_INVALID_ARGUMENT / KNAP_UNSUPPORTED with a sentence that names the argument. Nothing that
 * the pointers in it point to is read, but for the scalars.
 */
KnapStatus problem_from_knap(const KnapGemm *gemm, GemmProblem *p, GemmArgs *args);

#endif
