// The command "accesses": what counts afterwards, in threads that run, wait in a call or
// stay in one loop; what the records before it become; code that always counts.
// RUN: %memprof-clang -fmemory-profile -O1 -mllvm -memprof-versions=2 %s -o %t -lpthread
// RUN: %memprof-clang -fmemory-profile -O1 %s -o %t.plain -lpthread
// RUN: %memprof-clang -fmemory-profile -O1 -mllvm -memprof-versions=2 -mllvm -memprof-access=rw %s -o %t.rw -lpthread
// RUN: python3 %S/Inputs/control.py %memprofdata %t %t.d accesses
// RUN: python3 %S/Inputs/control.py %memprofdata %t.rw %t.d accesses
// RUN: python3 %S/Inputs/control.py %memprofdata %t.plain %t.d accesses-plain
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUND = 4000000, SHORT = 1000 };

static int to_thread[2], from_thread[2];
static volatile int is_over;

static void touch(volatile int *p, long n)
{
    for (long i = 0; i < n; i++)
        p[i & 7] = 1;
}

static __attribute__((noinline)) int *kept_of_main(void)
{
    return malloc(8 * sizeof(int));
}

static __attribute__((noinline)) int *kept_of_thread(void)
{
    return malloc(8 * sizeof(int));
}

static __attribute__((noinline)) void ended(void)
{
    int *const p = malloc(8 * sizeof(int));

    touch(p, SHORT);
    free(p);
}

static void *run(void *unused)
{
    int *const p = kept_of_thread();
    char c;

    while (read(to_thread[0], &c, 1) == 1) {
        touch(p, ROUND);
        c = 'd';
        if (write(from_thread[1], &c, 1) != 1)
            return unused;
    }
    free(p);
    return NULL;
}

/* One loop without calls, until the next byte of stdin. */
static void *wait_for_byte(void *unused)
{
    char c;

    is_over = read(0, &c, 1) >= 0;
    return unused;
}

static void loop(volatile int *p)
{
    pthread_t thread;

    is_over = 0;
    pthread_create(&thread, NULL, wait_for_byte, NULL);
    while (!is_over)
        p[0] = 1;
    pthread_join(thread, NULL);
}

int main(void)
{
    int *const p = kept_of_main();
    pthread_t thread;
    char c;

    if (pipe(to_thread) != 0 || pipe(from_thread) != 0)
        return 2;
    pthread_create(&thread, NULL, run, NULL);
    while (read(0, &c, 1) == 1) {
        if (c == 'l') {
            loop(p);
            continue;
        }
        ended();
        touch(p, ROUND);
        if (write(to_thread[1], "r", 1) != 1 || read(from_thread[0], &c, 1) != 1)
            return 2;
        puts("done");
        fflush(stdout);
    }
    close(to_thread[1]);
    pthread_join(thread, NULL);
    free(p);
    return 3;
}
