/* threads.c -- blocks that four threads access one after the other, so that the
 * moves of their cache lines between threads are known. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define TURNS 1000

struct node {
    long count;
};

static long *neighbours;         /* of one line, a number for each thread */
static long *shared;             /* a number that all write */
static long *table;              /* all read it; it is written once */
static struct node *own[THREADS]; /* main's blocks, one for each thread */
static char *buffer;             /* four lines that all fill */
static pthread_barrier_t turn;

static void take_turn(long me, size_t bytes)
{
    neighbours[me] += *(volatile long *)table;
    *(volatile long *)shared += 1;
    own[me]->count += 1;
    memset(buffer, (int)me, bytes);
}

static void *work(void *arg)
{
    volatile size_t bytes = 256;

    for (int i = 0; i < TURNS; i++) {
        for (long k = 0; k < THREADS; k++) {
            if (k == (long)arg)
                take_turn(k, bytes);
            pthread_barrier_wait(&turn);
        }
    }
    return NULL;
}

static struct node *make_node(void)
{
    return calloc(1, sizeof(struct node));
}

int main(void)
{
    pthread_t threads[THREADS];
    long *volatile mine;

    neighbours = calloc(THREADS, sizeof(*neighbours));
    shared = calloc(1, sizeof(*shared));
    table = malloc(64 * sizeof(*table));
    *(volatile long *)table = 1;
    buffer = malloc(256);
    mine = malloc(sizeof(long));
    for (int i = 0; i < THREADS; i++)
        own[i] = make_node();
    pthread_barrier_init(&turn, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (*mine = 0; *mine < 10000;)
        ++*mine;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        free(own[i]);
    free(neighbours);
    free(shared);
    free(table);
    free(buffer);
    free(mine);
    return 0;
}
