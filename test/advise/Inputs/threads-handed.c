/* threads-handed.c -- blocks that one thread fills and one other thread uses,
 * and lines of which one thread accesses all and the other one 8 bytes. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define TURNS 1000
#define NODES 64
#define BUFFERS 100
#define BUFFER_LONGS 512

typedef long pair __attribute__((vector_size(16)));

static volatile long *volatile range; /* of one line */
static volatile pair *volatile vector;
static volatile long *node[NODES];
static volatile long *buffer[BUFFERS];
static pthread_barrier_t turn;
char copy[64];

static void wait(void)
{
    pthread_barrier_wait(&turn);
}

static void *fill(void *unused)
{
    for (int i = 0; i < TURNS; i++) {
        range[7] = i;
        ((volatile long *)vector)[1] = i;
        wait();
        wait();
    }
    return unused;
}

static void *use(void *unused)
{
    volatile size_t bytes = 64;

    for (int i = 0; i < TURNS; i++) {
        wait();
        memcpy(copy, (const void *)range, bytes);
        (void)*vector;
        wait();
    }
    for (int k = 0; k < NODES; k++)
        for (int i = 0; i < TURNS; i++)
            *node[k] += 1;
    for (int k = 0; k < BUFFERS; k++)
        for (int i = 0; i < BUFFER_LONGS; i++)
            (void)buffer[k][i];
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    pthread_barrier_init(&turn, NULL, 2);
    range = calloc(8, sizeof(*range));
    vector = calloc(8, sizeof(*vector));
    for (int k = 0; k < NODES; k++)
        node[k] = calloc(1, sizeof(*node[k]));
    for (int k = 0; k < BUFFERS; k++) {
        buffer[k] = malloc(BUFFER_LONGS * sizeof(*buffer[k]));
        for (int i = 0; i < BUFFER_LONGS; i++)
            buffer[k][i] = i;
    }
    pthread_create(&threads[0], NULL, fill, NULL);
    pthread_create(&threads[1], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
