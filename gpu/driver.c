/* driver: questions to CUDA's driver that start nothing. See driver.h. */
#include "gpu/driver.h"

#include <dlfcn.h>
#include <string.h>

/* A function of CUDA's driver, if the program, or a library of it, has loaded that. fn: the address
 * of a function pointer. */
static bool driver_function(const char *name, void *fn)
{
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    void *found = driver ? dlsym(driver, name) : NULL;
    if (driver) dlclose(driver);
    memcpy(fn, &found, sizeof found);
    return found != NULL;
}

bool driver_started(void)
{
    int (*count)(int *) = NULL, devices = 0;
    return driver_function("cuDeviceGetCount", &count) && count(&devices) == 0;
}

PointerKind driver_where(const void *p)
{
    enum { MEMORY_TYPE = 2, DEVICE = 2 }; /* CU_POINTER_ATTRIBUTE_, CU_MEMORYTYPE_ */
    int (*ask)(void *, int, unsigned long long) = NULL;
    unsigned type = 0;
    if (!driver_function("cuPointerGetAttribute", &ask)) return POINTER_HOST;
    bool known = ask(&type, MEMORY_TYPE, (unsigned long long)(uintptr_t)p) == 0;
    return known && type == DEVICE ? POINTER_DEVICE : POINTER_HOST;
}
