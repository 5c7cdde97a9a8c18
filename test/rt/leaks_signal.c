// dump_signal with leaks=1 looks for leaks from outside while threads allocate: each
// file has the leaks that the program then finds itself, also beside continuous=1.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: %memprof-clang -fmemory-profile -g -O1 -fno-omit-frame-pointer -pthread \
// RUN:   -I%root/inc %s -ldl -o server
// RUN: env MEMPROF_OPTIONS=log_path=now:leaks=1:dump_signal=12 ./server 6 2>&1 | FileCheck %s --check-prefix=OUT
// OUT-NOT: memprof:
// OUT: 7 files, leaked 6000
// RUN: ls now.*.raw | wc -l | FileCheck %s --check-prefix=EIGHT
// EIGHT: {{^}}8{{$}}
// RUN: for i in '' .1 .2 .3 .4 .5 .6; do not %memprofdata show --leaks now.*[0-9][0-9]$i.raw > leaks$i.txt; done
// RUN: grep -h leaked[[:blank:]][[:blank:]] leaks.txt leaks.?.txt | FileCheck %s --check-prefix=NOW
// NOW: leaked       1000 B in 1 block; still
// NOW: leaked       1.95 KiB in 2 blocks; still
// NOW: leaked       2.93 KiB in 3 blocks; still
// NOW: leaked       3.91 KiB in 4 blocks; still
// NOW: leaked       4.88 KiB in 5 blocks; still
// NOW: leaked       5.86 KiB in 6 blocks; still
// NOW: leaked       5.86 KiB in 6 blocks; still
// The call stacks, too, of the last signal and of the program's own search.
// RUN: sed -n 's/lived.*//; /^Call stacks/,$p' leaks.5.txt > signal.txt
// RUN: sed -n 's/lived.*//; /^Call stacks/,$p' leaks.6.txt | diff signal.txt -
// RUN: FileCheck %s --check-prefix=STACK < signal.txt
// STACK: 5.86 KiB leaked 100.0 % allocated 5.86 KiB in 6 blocks
// STACK: lose

// RUN: env MEMPROF_OPTIONS=log_path=kept:leaks=1:dump_signal=12:continuous=1 ./server 2 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT-NOT: memprof:
// KEPT: leaked 2000
// RUN: not %memprofdata show --leaks kept.*.2.raw | FileCheck %s --check-prefix=TWO
// TWO: leaked       1.95 KiB in 2 blocks;

// A static program has no list of binaries.
// RUN: %build/bin/memprof-clang-%llvm-version -fmemory-profile -g -O1 -fno-omit-frame-pointer -pthread -static-pie \
// RUN:   -DSTATIC -I%root/inc %s -o static
// RUN: env MEMPROF_OPTIONS=log_path=static:leaks=1:dump_signal=12 ./static 2 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: not %memprofdata show --leaks static.*[0-9].1.raw | FileCheck %s --check-prefix=TWO

// Without leaks=1, and by dump_interval, nothing is looked for.
// RUN: env MEMPROF_OPTIONS=log_path=off:dump_signal=12 ./server 1
// RUN: not %memprofdata show --leaks off.*[0-9][0-9].raw | FileCheck %s --check-prefix=OFF
// OFF: Not measured in this profile: bytes leaked.

// The program's own functions are asked in another process, where they fault.
// RUN: %memprof-clang -fmemory-profile -g -O1 -fno-omit-frame-pointer -pthread -DFAULTS \
// RUN:   -I%root/inc %s -ldl -o faults
// RUN: env MEMPROF_OPTIONS=log_path=faults:leaks=1:dump_signal=12 ./faults 1
// RUN: not %memprofdata show --leaks faults.*[0-9][0-9].raw | FileCheck %s --check-prefix=ONE
// ONE: leaked       1000 B in 1 block;

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <memprof.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 3

static volatile int is_over;
static void *held[THREADS][256];

#ifdef FAULTS
const char *__lsan_default_suppressions(void);
static int program;
const char *__lsan_default_suppressions(void)
{
    return getppid() == program ? *(char *volatile *)8 : "";
}
#endif

static void *churn(void *argument)
{
    const long id = (long)argument;
    unsigned n = (unsigned)id;

    while (!is_over) {
        n = n * 1103515245 + 12345;
        void **const p = &held[id][n >> 16 & 255];
        free(*p);
        *p = malloc((n >> 8) % 5000 + 1);
        if (n >> 8 == 0)
            usleep(1);
    }
    return NULL;
}

static void *load(void *argument)
{
    while (!is_over) {
#ifdef STATIC
        usleep(1000);
#else
        void *const library = dlopen("libm.so.6", RTLD_NOW);
        if (library != NULL)
            dlclose(library);
#endif
    }
    return argument;
}

__attribute__((noinline)) static void lose(void)
{
    char *volatile p = malloc(1000);

    memset(p, 0, 1000);
}

__attribute__((noinline)) static void lose_below(void)
{
    volatile char stack[65536];

    memset((void *)stack, 0, sizeof(stack));
    __asm__ volatile("" : : "r"(stack) : "memory");
    lose();
    __asm__ volatile("" : : "r"(stack) : "memory");
}

__attribute__((noinline)) static void forget(void)
{
    volatile char stack[131072];

    memset((void *)stack, 0, sizeof(stack));
    __asm__ volatile("" : : "r"(stack) : "memory");
}

/* The number of finished profiles of this process. */
static int count_files(void)
{
    char command[64];
    int n = 0;

    snprintf(command, sizeof(command), "ls *.%d.raw *.%d.*.raw 2>&- | wc -l",
             getpid(), getpid());
    FILE *const out = popen(command, "r");
    if (out != NULL && fscanf(out, "%d", &n) != 1)
        n = 0;
    if (out != NULL)
        pclose(out);
    return n;
}

static void ask(int is_from_outside)
{
    const int files = count_files();
    char command[64];

    snprintf(command, sizeof(command), "kill -USR2 %d", getpid());
    errno = 77;
    if (is_from_outside ? system(command) : raise(SIGUSR2) || errno != 77)
        exit(1);
    for (int i = 0; i < 6000 && count_files() == files; i++)
        usleep(10000);
}

int main(int argc, char **argv)
{
    const int signals = argc > 1 ? atoi(argv[1]) : 0;
    pthread_t threads[THREADS + 1];

#ifdef FAULTS
    program = getpid();
#endif
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, churn, (void *)i);
    pthread_create(&threads[THREADS], NULL, load, NULL);
    usleep(1);
    for (int i = 0; i < signals; i++) {
        lose_below();
        forget();
        ask(i % 2 == 0);
    }
    const long long leaked = memprof_leaks();
    is_over = 1;
    for (int i = 0; i <= THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d files, leaked %lld\n", count_files(), leaked);
    return 0;
}
