// A thread that is cancelled inside malloc, which POSIX does not allow, leaves no lock
// on which the program, its other threads or its exit wait forever.
// RUN: %memprof-clang -w -O2 -fmemory-profile %s -pthread -o %t && rm -rf %t.dir && mkdir %t.dir
// RUN: env MEMPROF_OPTIONS=log_path=%t.dir/ timeout -s KILL 100 %t
// RUN: %memprofdata show %t.dir/
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUNDS 40
#define THREADS 4

static int running;

static void pair(void)
{
    void *volatile p = malloc(100);
    free(p);
}

static void *run(void *argument)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    __atomic_fetch_add(&running, 1, __ATOMIC_SEQ_CST);
    for (;;)
        pair();
}

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[THREADS];

        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, run, NULL);
        while (__atomic_load_n(&running, __ATOMIC_SEQ_CST) <
               (round + 1) * THREADS)
            usleep(100);
        for (int i = 0; i < THREADS; i++)
            pthread_cancel(threads[i]);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        pair();
    }
    return 0;
}
