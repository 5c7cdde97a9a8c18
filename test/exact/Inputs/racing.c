/* racing.c -- four threads that access one block at the same time: parts of their
 * own, which share counters, by single accesses, loops and ranges. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define ROUNDS 200000
#define PART 4 /* ints: four parts are one granule */
#define BYTES (2 * THREADS * PART * sizeof(int))

static int *block;
static volatile size_t part_bytes = PART * sizeof(int);
static pthread_barrier_t start;

static void *work(void *argument)
{
    const int me = (int)(long)argument;
    volatile int *const slow = block + me * PART;
    int *const quick = block + (THREADS + me) * PART;

    pthread_barrier_wait(&start);
    for (int i = 0; i < ROUNDS; i++) {
        slow[i % PART] = i; /* one access */
        if (i % 8 == 0) {
            for (int k = 0; k < PART; k++)
                quick[k] += i; /* accesses that may be counted together */
            memset(quick, i, part_bytes); /* two words */
        }
        __asm__ volatile("" ::: "memory");
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];

    block = malloc(BYTES);
    pthread_barrier_init(&start, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    free(block);
    return 0;
}
