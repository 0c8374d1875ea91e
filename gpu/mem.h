/* mem: the one pair of functions through which gpu/ and plugin/ take host memory, so that a test
 * can make the nth request fail. */
#ifndef KNAP_GPU_MEM_H
#define KNAP_GPU_MEM_H

#include <stddef.h>

/* Zeroed memory, or NULL. */
void *mem_alloc(size_t bytes);
/* NULL is allowed. */
void mem_free(void *p);

/* Tests: the nth request from now returns NULL, once; 0: none does. */
void mem_fail_nth(int n);

#endif
