// Threads open and close libraries at addresses that others just freed, while one
// thread allocates all the time: each block is attributed to the library that allocated
// it, according to the program's own count.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -O1 -fmemory-profile %debugflags -Wl,--build-id -shared -fPIC -DNAME=alpha -DSIZE=100 %s -o alpha.so
// RUN: %clang -O1 -fmemory-profile %debugflags -Wl,--build-id -shared -fPIC -DNAME=bravo -DSIZE=200 %s -o bravo.so
// RUN: %clang -O1 %debugflags -Wl,--build-id -shared -fPIC -DNAME=gamma -DSIZE=300 %s -o gamma.so
// RUN: %clang -O1 %debugflags -Wl,--build-id -shared -fPIC -DNAME=delta -DSIZE=400 %s -o delta.so
// RUN: %clang -O1 -fmemory-profile %ours-rt %debugflags -Wl,--build-id -rdynamic -pthread %s -o prog
// RUN: ./prog 300 ./alpha.so ./bravo.so ./gamma.so ./delta.so > expected
// RUN: python3 %S/Inputs/blocks_by_leaf.py %memprofdata *.raw | grep -E '^(alpha|bravo|gamma|delta)_|^-' > leaves
// RUN: cat expected leaves && cmp expected leaves
#include <stdlib.h>
#ifdef NAME
#define PASTE(a, b) a##_##b
#define NAMED(a, b) PASTE(a, b)
#define KEEP __attribute__((noinline))

extern void count_begin(int size);

KEEP void NAMED(NAME, allocate)(void)
{
    void *volatile p = malloc(SIZE);
    free(p);
}

KEEP __attribute__((constructor)) void NAMED(NAME, begin)(void)
{
    void *volatile p = malloc(SIZE + 1);
    count_begin(SIZE);
    free(p);
}

void allocate(void)
{
    NAMED(NAME, allocate)();
    __asm__ volatile("");
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define LIBRARIES 4
#define THREADS 3

static const char *const names[] = {"alpha", "bravo", "gamma", "delta"};
static char **paths;
static int rounds;
static _Atomic int begun[LIBRARIES];
static _Atomic int allocated[LIBRARIES];
static _Atomic int must_stop;

void count_begin(int size)
{
    begun[size / 100 - 1]++;
}

static void *churn(void *argument)
{
    unsigned seed = (unsigned)(size_t)argument;

    for (int i = 0; i < rounds; i++) {
        const int which = rand_r(&seed) % LIBRARIES;
        void *const library = dlopen(paths[which], RTLD_NOW);
        void (*const allocate)(void) =
            (void (*)(void))dlsym(library, "allocate");
        for (int k = 0; k < 5; k++)
            allocate();
        allocated[which] += 5;
        dlclose(library);
    }
    return NULL;
}

static void *allocate_always(void *unused)
{
    while (!must_stop) {
        void *volatile p = malloc(50);
        free(p);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    pthread_t other;

    rounds = argc > 2 ? atoi(argv[1]) : 0;
    paths = argv + 2;
    pthread_create(&other, NULL, allocate_always, NULL);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, churn, (void *)(i + 1));
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    must_stop = 1;
    pthread_join(other, NULL);
    /* In the order of names. */
    const int order[] = {0, 1, 3, 2};
    for (int i = 0; i < LIBRARIES; i++) {
        const int n = order[i];
        printf("%s_allocate %d blocks of %d B\n", names[n], allocated[n],
               100 * (n + 1));
        printf("%s_begin %d blocks of %d B\n", names[n], begun[n],
               100 * (n + 1) + 1);
    }
    return 0;
}
#endif
