/*
 * test_cpu_threads: the blocked GEMM by any number of threads, by several at once, inside a
 * parallel region, after fork() and without memory: always the same bits.
 */
#include "tests/gemm_trial.h"

#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- A heap that can run dry ------------------------------------------------------------------- */

static bool heap_is_dry;

/* In place of the C library's. */
void *aligned_alloc(size_t alignment, size_t size)
{
    void *p = NULL;
    if (heap_is_dry || posix_memalign(&p, alignment, size) != 0) return NULL;
    return p;
}

/* -- Threads and processes --------------------------------------------------------------------- */

static Trial large_trial(Types types)
{
    Case c = plain_case(types, 200, 190, 310);
    c.beta[0] = 0.5;
    return trial_new(c);
}

/* Multiplies afresh and compares the bits of C with an earlier result. */
static bool same_again(Trial *t, const char *result)
{
    memcpy(t->oc.memory, t->oc.before, t->oc.bytes);
    cpu_gemm(&t->p, &t->args);
    return memcmp(t->oc.memory, result, t->oc.bytes) == 0;
}

/* A copy of C after one multiplication. */
static char *first_result(Trial *t)
{
    char *result = malloc(t->oc.bytes);
    if (!result) bail("out of memory");
    cpu_gemm(&t->p, &t->args);
    memcpy(result, t->oc.memory, t->oc.bytes);
    return result;
}

static void test_same_bits(Types types)
{
    Trial t = large_trial(types);
    char *result = first_result(&t);
    const int usual = omp_get_max_threads();
    bool same = true;
    for (int threads = 1; threads <= 7; threads += 2) {
        omp_set_num_threads(threads);
        same = same_again(&t, result) && same;
    }
    omp_set_num_threads(usual);
    ok(same, "%s: the same bits by 1, 3, 5 and 7 threads", dtype_name(types.in));
    heap_is_dry = true;
    ok(same_again(&t, result), "%s: the same bits without memory for packing",
       dtype_name(types.in));
    heap_is_dry = false;
    free(result);
    trial_free(&t);
}

static void *multiply_often(void *wrong)
{
    Trial t = large_trial(all_types[0]);
    char *result = first_result(&t);
    for (int i = 0; i < 10; i++) *(int *)wrong += !same_again(&t, result);
    free(result);
    trial_free(&t);
    return NULL;
}

static void test_concurrent(void)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    int wrong[THREADS] = {0}, sum = 0;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, multiply_often, &wrong[i])) bail("pthread_create");
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        sum += wrong[i];
    }
    ok(sum == 0, "several threads at once");
}

static void test_in_parallel_region(void)
{
    int wrong = 0;
#pragma omp parallel num_threads(3) reduction(+ : wrong)
    multiply_often(&wrong);
    ok(wrong == 0, "inside a parallel region");
}

/* A child of a process that has used OpenMP: a second team would wait for threads that do not
 * exist. */
static void test_fork(void)
{
    Trial t = large_trial(all_types[0]);
    char *result = first_result(&t);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(same_again(&t, result) ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "in a child of fork()");
    ok(same_again(&t, result), "in the parent afterwards");
    free(result);
    trial_free(&t);
}

int main(void)
{
    if (omp_get_max_threads() < 2) omp_set_num_threads(2);
    for (int i = 0; i < TYPES; i++) test_same_bits(all_types[i]);
    test_concurrent();
    test_in_parallel_region();
    test_fork();
    return tap_done();
}
