/* Allocates in a library, in a thread of a name, and in what all threads do; how much
 * says the argument. */
#define _GNU_SOURCE /* pthread_setname_np() */
#include <pthread.h>
#include <stdlib.h>

void *library_make(size_t n);

static size_t count = 1;

__attribute__((noinline)) static void make(size_t bytes)
{
    for (size_t i = 0; i < count; i++) {
        char *volatile own = malloc(bytes);

        own[0] = 1;
        free(own);
    }
}

static void *work(void *arg)
{
    pthread_setname_np(pthread_self(), "worker");
    make(1000);
    free(library_make(3000 * count));
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t thread;

    if (argc > 1)
        count = strtoul(argv[1], NULL, 10);
    make(200);
    free(library_make(7000 * count));
    if (pthread_create(&thread, NULL, work, NULL) != 0)
        return 1;
    return pthread_join(thread, NULL);
}
