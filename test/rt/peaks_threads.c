// With threads the recorded peak is at most 16 KiB a thread below the true one, and the
// call stacks' live bytes at the peak add up to it, except for calls in progress.
// Blocks that another thread frees are counted, whatever block was at their address
// before.
// RUN: %clang -fmemory-profile %ours-rt -g -O1 -fno-builtin -pthread %s -o %t
// RUN: rm -f %t.raw && env MEMPROF_PROFILE_FILE=%t.raw %t
// RUN: %memprofdata merge --text %t.raw -o %t.json
// RUN: python3 %S/Inputs/peaks_threads.py %t.json
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 4, BLOCKS = 500, BYTES = 2000, ROUNDS = 20 };

static pthread_barrier_t barrier;
static void *left[THREADS];

__attribute__((noinline)) static void *own(void)
{
    void *volatile p = malloc(BYTES);
    return p;
}

__attribute__((noinline)) static void *given(void)
{
    void *volatile p = malloc(24);
    return p;
}

// All at once: four times 500 blocks of 2000 bytes; before and after, fewer.
static void *work(void *argument)
{
    void **const mine = argument;
    void *blocks[BLOCKS];

    for (int round = 0; round < ROUNDS; round++) {
        const int count = round == ROUNDS / 2 ? BLOCKS : BLOCKS / 2;

        for (int i = 0; i < count; i++)
            blocks[i] = own();
        *mine = given();
        pthread_barrier_wait(&barrier);
        // The neighbour's block.
        free(left[(mine - left + 1) % THREADS]);
        pthread_barrier_wait(&barrier);
        for (int i = 0; i < count; i++)
            free(blocks[i]);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

__attribute__((noinline)) static void *replaced(void)
{
    void *volatile p = malloc(72);
    return p;
}

// At the address of main's last block.
static void *replace(void *argument)
{
    void **const place = argument;
    void *const before = *place;

    free(before);
    for (int i = 0; i < 1000 && (i == 0 || *place != before); i++)
        *place = replaced();
    return *place == before ? NULL : argument;
}

// A block of another thread at the address of this thread's last block does not count
// as its last block.
static void free_another(void)
{
    pthread_t thread;
    void *p = replaced();
    void *failed = NULL;

    pthread_create(&thread, NULL, replace, &p);
    pthread_join(thread, &failed);
    if (failed != NULL)
        abort();
    free(p);
}

int main(void)
{
    pthread_t threads[THREADS];

    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &left[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    free_another();
    return 0;
}
