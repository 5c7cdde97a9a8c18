/* threads.c -- measures how two threads scale that allocate at different sites.
 * Alternates between two threads at once and the same work by one thread.
 * Prints 2 * (CPU time of a pair in one thread) / (CPU time of a pair with two
 * threads), the median of all rounds; 2 is perfect scaling. CPU time shows
 * contention (locks, cache lines that move between processors); wall time on a
 * busy machine would mostly show other programs. If permitted, the program runs
 * with a high priority; otherwise the threads would hardly ever run at the same
 * time.
 *
 * With one site for both threads, they share a call stack; the result shows
 * scaling with contention.
 *
 * usage: threads PAIRS SITES
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench/micro/bench.h"

#include <pthread.h>
#include <sched.h>

#define LIVE 64
#define ROUNDS 15

struct work {
    long pairs;
    int site;
    pthread_barrier_t *start;
    double cpu_ns;
    unsigned long result;
};

BENCH_NOINLINE static char *allocate_here(size_t n)
{
    char *volatile p = (char *)malloc(n);
    return p;
}

BENCH_NOINLINE static char *allocate_there(size_t n)
{
    char *volatile p = (char *)malloc(n);
    return p;
}

static void *run(void *context)
{
    struct work *const work = (struct work *)context;
    char *blocks[LIVE] = {NULL};
    /* Read here: what both threads read is counted in one place. */
    const long pairs = work->pairs;
    const int site = work->site;
    unsigned seed = (unsigned)site + 1;
    unsigned long result = 0;

    pthread_barrier_wait(work->start);
    const double before = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (long i = 0; i < pairs; i++) {
        const size_t n = 16 + bench_random(&seed) % 256;
        char **const slot = &blocks[i % LIVE];
        if (*slot != NULL) {
            result += (unsigned char)(*slot)[0];
            free(*slot);
        }
        *slot = site == 0 ? allocate_here(n) : allocate_there(n);
        for (size_t at = 0; at < n; at += 16)
            (*slot)[at] = (char)i;
    }
    work->cpu_ns = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
    for (int i = 0; i < LIVE; i++)
        free(blocks[i]);
    work->result = result;
    return NULL;
}

/* Runs `count` threads at once. Returns their average CPU time. */
static double run_threads(int count, long pairs, int sites,
                          unsigned long *result)
{
    pthread_t threads[2];
    struct work work[2];
    pthread_barrier_t start;
    double cpu_ns = 0;

    pthread_barrier_init(&start, NULL, (unsigned)count);
    for (int i = 0; i < count; i++) {
        work[i].pairs = pairs;
        work[i].site = i % sites;
        work[i].start = &start;
        pthread_create(&threads[i], NULL, run, &work[i]);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        *result += work[i].result;
        cpu_ns += work[i].cpu_ns;
    }
    pthread_barrier_destroy(&start);
    return cpu_ns / count;
}

/* Raises the priority, if permitted, so that both threads run at the same time.
 */
static void be_urgent(void)
{
    const struct sched_param priority = {.sched_priority = 1};

    if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0)
        fprintf(stderr, "threads: other programs may have their turns\n");
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    const long pairs = bench_argument(argc, argv, 1, 100000);
    const int sites = bench_argument(argc, argv, 2, 2) == 1 ? 1 : 2;
    unsigned long result = 0;
    double scaling[ROUNDS];

    be_urgent();
    run_threads(2, pairs / 10, sites, &result);
    for (int i = 0; i < ROUNDS; i++) {
        const double one = run_threads(1, pairs, sites, &result);
        const double two = run_threads(2, pairs, sites, &result);
        scaling[i] = 2 * one / two;
    }
    qsort(scaling, ROUNDS, sizeof(scaling[0]), compare);
    fprintf(stderr, "bench: scaling %.4f\n", scaling[ROUNDS / 2]);
    bench_result(result);
    return 0;
}
