/* module: the cache of loaded kernels. See module.h. */
#include "gpu/module.h"
#include "gpu/mem.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct Module Module;
struct Module {
    Module *next;
    const KernelDesc *kernel;
    KernelKey key;
    DeviceKernel *loaded;
    int threads;
};

struct ModuleCache {
    Device *device;
    const char *dump_dir;
    pthread_mutex_t lock; /* held while a kernel compiles: who needs the same one waits for it */
    Module *first;
};

ModuleCache *module_cache_new(Device *device, const char *dump_dir)
{
    ModuleCache *cache = mem_alloc(sizeof *cache);
    if (!cache) return NULL;
    cache->device = device;
    cache->dump_dir = dump_dir;
    pthread_mutex_init(&cache->lock, NULL);
    return cache;
}

void module_cache_free(ModuleCache *cache)
{
    if (!cache) return;
    for (Module *m = cache->first, *next; m; m = next) {
        next = m->next;
        cache->device->ops->unload(cache->device, m->loaded);
        mem_free(m);
    }
    pthread_mutex_destroy(&cache->lock);
    mem_free(cache);
}

static Module *find(const ModuleCache *cache, const KernelDesc *kernel, const KernelKey *key)
{
    for (Module *m = cache->first; m; m = m->next)
        if (m->kernel == kernel && memcmp(&m->key, key, sizeof *key) == 0) return m;
    return NULL;
}

/* A dump that cannot be written is no reason to fail a product. */
static void dump(const char *dir, const char *name, const char *ending, const char *text)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s.%s", dir, name, ending);
    FILE *f = n > 0 && (size_t)n < sizeof path ? fopen(path, "w") : NULL;
    if (!f) return;
    fputs(text, f);
    fclose(f);
}

static DeviceError compile(ModuleCache *cache, const GemmProblem *p, Module *m, char *text,
                           GemmPlan *plan)
{
    const DeviceOps *ops = cache->device->ops;
    const char *why = kernel_emit(m->kernel, p, plan, text, KERNEL_PTX_SIZE);
    if (why) return device_error("kernel %s: %s", m->kernel->name, why);
    if (cache->dump_dir) dump(cache->dump_dir, plan->name, "ptx", text);
    m->threads = plan->threads;
    DeviceError error = ops->load(cache->device, text, plan->name, &m->loaded);
    if (!error && cache->dump_dir && ops->remarks)
        dump(cache->dump_dir, plan->name, "log", ops->remarks(m->loaded));
    return error;
}

static DeviceError add(ModuleCache *cache, const KernelDesc *kernel, const GemmProblem *p,
                       const KernelKey *key, Module **out)
{
    Module *m = mem_alloc(sizeof *m);
    GemmPlan *plan = mem_alloc(sizeof *plan);
    char *text = mem_alloc(KERNEL_PTX_SIZE);
    DeviceError error = NULL;
    if (!m || !plan || !text) error = device_error("no host memory to emit a kernel");
    if (!error) {
        m->kernel = kernel;
        m->key = *key;
        error = compile(cache, p, m, text, plan);
    }
    mem_free(plan);
    mem_free(text);
    if (error) {
        mem_free(m);
        return error;
    }
    m->next = cache->first;
    cache->first = *out = m;
    return NULL;
}

DeviceError module_get(ModuleCache *cache, const KernelDesc *kernel, const GemmProblem *p,
                       DeviceKernel **out, int *threads)
{
    KernelKey key = kernel_key(p);
    DeviceError error = NULL;
    pthread_mutex_lock(&cache->lock);
    Module *m = find(cache, kernel, &key);
    if (!m) error = add(cache, kernel, p, &key, &m);
    pthread_mutex_unlock(&cache->lock);
    if (error) return error;
    *out = m->loaded;
    *threads = m->threads;
    return NULL;
}
