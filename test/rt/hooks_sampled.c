// What a hook or a signal handler allocates is not taken for the block of the call that it
// interrupts: sampled and unsampled blocks, and last_access=1.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %memprof-clang -fmemory-profile -O1 %s -o prog
// RUN: env MEMPROF_OPTIONS=sample=1000 ./prog hook
// RUN: env MEMPROF_OPTIONS=sample=2000 ./prog signal
// RUN: env MEMPROF_OPTIONS=last_access=1 ./prog hook
// RUN: env MEMPROF_OPTIONS=last_access=1:sample=500 ./prog signal
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *, size_t),
                                              void (*freed)(const volatile void *));

static void make_block(size_t bytes)
{
    void *volatile p = malloc(bytes);
    free(p);
}

static void on_malloc(const volatile void *p, size_t bytes)
{
    static _Thread_local int depth;

    (void)p;
    (void)bytes;
    if (depth++ == 0)
        make_block(24);
    depth--;
}

static void on_free(const volatile void *p)
{
    (void)p;
}

static void on_alarm(int number)
{
    (void)number;
    make_block(24);
}

int main(int argc, char **argv)
{
    const struct itimerval often = {{0, 50}, {0, 50}};

    if (argc > 1 && strcmp(argv[1], "hook") == 0) {
        __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
    } else {
        signal(SIGALRM, on_alarm);
        setitimer(ITIMER_REAL, &often, NULL);
    }
    for (int i = 0; i < 200000; i++)
        make_block(4000);
    return 0;
}
