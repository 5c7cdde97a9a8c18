// While a library's destructor runs, another thread allocates without waiting for
// dlclose(), and its cached unwind rules stay valid.
// RUN: %clang -O1 -shared -fPIC -DLIBRARY %s -o %t.so
// RUN: %memprof-clang -O1 -fmemory-profile %s -rdynamic -pthread -Wl,--wrap=_dl_find_object -o %t
// RUN: rm -f %t.raw %t.walk
// RUN: env MEMPROF_PROFILE_FILE=%t.raw %t %t.so
// RUN: env MEMPROF_OPTIONS=context=walk MEMPROF_PROFILE_FILE=%t.walk %t %t.so
// RUN: python3 %S/Inputs/blocks_by_leaf.py %memprofdata %t.raw | FileCheck %s
// RUN: python3 %S/Inputs/blocks_by_leaf.py %memprofdata %t.walk | FileCheck %s
// CHECK: allocate 20000 blocks of 40 B
#ifdef LIBRARY
extern void while_closing(void);

__attribute__((destructor)) static void end(void)
{
    while_closing();
}
#else
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 500
#define DEPTH 10

static sem_t closing;
static sem_t goes_on;
static _Thread_local long look_ups;

/* The look-up that the runtime makes for an unknown address. */
int __real__dl_find_object(void *pc, void *result);
int __wrap__dl_find_object(void *pc, void *result)
{
    look_ups++;
    return __real__dl_find_object(pc, result);
}

void while_closing(void)
{
    sem_post(&closing);
    sem_wait(&goes_on);
}

static void *close_library(void *library)
{
    dlclose(library);
    return NULL;
}

__attribute__((noinline)) static void allocate(int depth)
{
    if (depth != 0) {
        allocate(depth - 1);
        __asm__ volatile("");
        return;
    }
    void *volatile p = malloc(40);
    free(p);
}

/* At alternating depths of the stack: not all walks are remembered. */
static long allocate_many(void)
{
    const long before = look_ups;

    for (int i = 0; i < ROUNDS * DEPTH; i++)
        allocate(i % DEPTH);
    return look_ups - before;
}

static void *allocate_first(void *count)
{
    *(long *)count = allocate_many();
    return NULL;
}

static int is_few(const char *when, long count)
{
    if (count > 100)
        printf("%s: %ld look-ups\n", when, count);
    return count <= 100;
}

int main(int argc, char **argv)
{
    void *const library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    pthread_t closer;
    pthread_t other;
    long first;
    int is_good = library != NULL;

    sem_init(&closing, 0, 0);
    sem_init(&goes_on, 0, 0);
    is_good &= is_few("before", allocate_many());
    pthread_create(&closer, NULL, close_library, library);
    sem_wait(&closing);
    is_good &= is_few("meanwhile", allocate_many());
    pthread_create(&other, NULL, allocate_first, &first);
    pthread_join(other, NULL);
    is_good &= is_few("by a new thread", first);
    sem_post(&goes_on);
    pthread_join(closer, NULL);
    is_good &= is_few("after", allocate_many());
    return !is_good;
}
#endif
