// Pairs of hooks that threads install at the same time are all called.
// RUN: %memprof-clang -w -O2 -fmemory-profile %s -pthread -o %t
// RUN: for i in $(seq 60); do env MEMPROF_OPTIONS=dump_at_exit=0 %t || exit 1; done
#include <pthread.h>
#include <sanitizer/allocator_interface.h>
#include <stdlib.h>

#define PAIRS 5

static int born[PAIRS], freed[PAIRS], numbers[PAIRS];
static int arrived;

#define HOOKS(n)                                            \
    static void malloc_##n(const volatile void *p, size_t s) \
    {                                                       \
        born[n]++;                                          \
    }                                                       \
    static void free_##n(const volatile void *p)            \
    {                                                       \
        freed[n]++;                                         \
    }
HOOKS(0) HOOKS(1) HOOKS(2) HOOKS(3) HOOKS(4)
static void (*const on_malloc[])(const volatile void *, size_t) = {
    malloc_0, malloc_1, malloc_2, malloc_3, malloc_4};
static void (*const on_free[])(const volatile void *) = {free_0, free_1, free_2,
                                                         free_3, free_4};

static void *install(void *argument)
{
    const long i = (long)argument;

    __atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < PAIRS)
        ;
    numbers[i] =
        __sanitizer_install_malloc_and_free_hooks(on_malloc[i], on_free[i]);
    return NULL;
}

int main(void)
{
    pthread_t threads[PAIRS];
    unsigned seen = 0;

    for (long i = 0; i < PAIRS; i++)
        pthread_create(&threads[i], NULL, install, (void *)i);
    for (long i = 0; i < PAIRS; i++)
        pthread_join(threads[i], NULL);
    for (long i = 0; i < PAIRS; i++)
        born[i] = freed[i] = 0;
    void *volatile p = malloc(10);
    free(p);
    for (long i = 0; i < PAIRS; i++) {
        seen |= 1u << numbers[i];
        if (born[i] != 1 || freed[i] != 1)
            return 1;
    }
    return seen != 0x3e;
}
