/* Threads on blocks of their own: no count is lost, none is shared; a block
 * that another thread frees keeps its counts. */
#include "known.h"

#include <pthread.h>

#define THREADS 4
#define ROUNDS 3000

#define THREAD_ALLOCATORS(n)       \
    ALLOCATOR(own##n, malloc(size)) \
    ALLOCATOR(given##n, malloc(size))
THREAD_ALLOCATORS(0)
THREAD_ALLOCATORS(1)
THREAD_ALLOCATORS(2)
THREAD_ALLOCATORS(3)

static void *(*const own[THREADS])(size_t) = {own0, own1, own2, own3};
static void *(*const given[THREADS])(size_t) = {given0, given1, given2,
                                                given3};
static const char *const own_name[THREADS] = {"own0", "own1", "own2", "own3"};
static const char *const given_name[THREADS] = {"given0", "given1", "given2",
                                                "given3"};
static void *gifts[THREADS][ROUNDS];

static void *work(void *argument)
{
    const int me = (int)(intptr_t)argument;

    for (uint64_t i = 0; i < ROUNDS; i++) {
        const size_t size = i % 300 + 1;
        void *p = own[me](size);

        ended(me, own_name[me], size, touch(p, size, i % 50));
        free(p);
        gifts[me][i] = given[me](16);
        ended(THREADS + me, given_name[me], 16,
              touch(gifts[me][i], 16, i % 7));
    }
    return NULL;
}

static void *free_gifts(void *argument)
{
    const int of = (int)(intptr_t)argument;

    for (int i = 0; i < ROUNDS; i++)
        free(gifts[of][i]);
    return NULL;
}

static void run_all(void *(*function)(void *))
{
    pthread_t thread[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, function, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

int main(void)
{
    run_all(work);
    run_all(free_gifts);
    print_sites();
    return 0;
}
