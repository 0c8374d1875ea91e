/* mem: host memory, with a way to make a request fail. See mem.h. */
#include "gpu/mem.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_int fail_in;

void *mem_alloc(size_t bytes)
{
    if (atomic_load(&fail_in) > 0 && atomic_fetch_sub(&fail_in, 1) == 1) return NULL;
    return calloc(1, bytes ? bytes : 1);
}

void mem_free(void *p)
{
    free(p);
}

void mem_fail_nth(int n)
{
    atomic_store(&fail_in, n);
}
