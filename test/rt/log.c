// The log of every block: merged it is the profile that the runtime wrote in the same run,
// however the program ends. log.py runs the modes below.
// RUN: %clang -fmemory-profile %ours-rt -g -O1 -fno-builtin -I%root/inc %s -pthread -o %t
// RUN: rm -rf %t.d && mkdir %t.d
// DEFINE: %{log} = python3 %S/Inputs/log.py %memprofdata %t %t.d
// RUN: %{log} plain
// RUN: %{log} plain free_sites=1
// RUN: %{log} plain dump_at_exit=0
// RUN: %{log} plain continuous=1
// RUN: %{log} threads
// RUN: %{log} threads free_sites=1:per_thread=1
// RUN: %{log} handover
// RUN: %{log} storm
// The profiler's memory does not grow with the log.
// RUN: %{log} bounded
// RUN: %{log} fork
// RUN: %{log} fault
// RUN: %{log} quick
// RUN: %{log} closes
// RUN: %{log} daemon
// RUN: %{log} exec
// RUN: %{log} kill
// RUN: %{log} idle
// RUN: %{log} little
// RUN: %{log} parts
// RUN: %{log} parts free_sites=1
// RUN: %{log} fd
// RUN: %{log} unix
// RUN: %{log} full
// RUN: %{log} name
// RUN: %{log} sample
// Sampled blocks have their weights.
// RUN: %{log} plain sample=100
// RUN: %{log} threads sample=100:free_sites=1:per_thread=1
// RUN: %{log} handover sample=1000000
// RUN: %{log} parts sample=100
// RUN: %{log} fork sample=100:sample_seed=3
// RUN: %{log} damage sample=100:leaks=1
// RUN: %{log} damage
// Access histograms.
// RUN: %clang -fmemory-profile %ours-rt -g -O1 -fno-builtin -mllvm -memprof-histogram -I%root/inc %s -pthread -o %t
// RUN: %{log} plain
// RUN: %{log} threads
// RUN: %{log} fork
// RUN: %{log} plain sample=100
// RUN: %memprof-clang -fmemory-profile -g -O1 -fno-builtin -mllvm -memprof-access=rw -I%root/inc %s -pthread -o %t
// RUN: %{log} threads sample=100
// A program that is not instrumented is not affected.
// RUN: %clang -I%root/inc %s -pthread -o %t.plain && %t.plain plain
#define _GNU_SOURCE
#include <fcntl.h>
#include <memprof_vm.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, ROUNDS = 20000, SHARED = 64, HANDED = 5000, STORM = 64 };

static char *volatile kept[100];
static _Atomic(char *) shared[SHARED];

__attribute__((noinline)) static char *make(size_t size)
{
    char *const p = malloc(size);

    memset(p, 1, size);
    return p;
}

// Events and pools of the program, mapped memory, a collection of garbage, and places of
// accesses.
__attribute__((noinline)) static void tell(int i)
{
    static const char pool = 0;
    char *const p = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    memprof_event("told", i);
    memprof_pool_alloc(&pool, &pool + 16 * i, 10 + i);
    if (i % 3 == 0)
        memprof_pool_free(&pool, &pool + 16 * i);
    memprof_vm_gc(i % 2 == 0 ? "mark" : NULL, i);
    munmap(p, i % 2 == 0 ? 4096 : 8192);
    if (i == 0)
        memprof_pool_create(&pool, "a pool");
}

__attribute__((noinline)) static void work(int i)
{
    char *const a = make(10 + i % 100);
    char *b = make(1000);

    a[0] = b[0];
    b = realloc(b, 900 + i % 3000);
    b[1] = 2;
    free(a);
    free(b);
}

static void plain(void)
{
    memprof_phase("first");
    for (int i = 0; i < 5000; i++)
        work(i);
    for (int i = 0; i < 100; i++)
        tell(i);
    memprof_mark("half way");
    memprof_phase("second");
    for (int i = 0; i < 100; i++)
        memprof_histogram(kept[i] = make(100 * i + 1));
    for (int i = 0; i < 100; i += 2)
        free(kept[i]);
    memprof_phase(NULL);
}

// Threads free each other's blocks, so ends are in the log before their beginnings.
static void *thread(void *number)
{
    uintptr_t random = (uintptr_t)number + 1;

    prctl(PR_SET_NAME, (uintptr_t)number % 2 != 0 ? "odd" : "even");
    for (int i = 0; i < ROUNDS; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        if (i < 100)
            tell(i);
        free(__c11_atomic_exchange(&shared[random >> 33 & (SHARED - 1)],
                                   make(16 + (random >> 40 & 127)), __ATOMIC_ACQ_REL));
    }
    return NULL;
}

/* Thousands of blocks at one address: one thread allocates, one frees. */
static void *take_over(void *unused)
{
    for (int i = 0; i < HANDED; i++) {
        char *p;

        while ((p = atomic_exchange(&shared[0], NULL)) == NULL)
            sched_yield();
        free(p);
    }
    return unused;
}

static void hand_over(void)
{
    pthread_t id;

    pthread_create(&id, NULL, take_over, NULL);
    for (int i = 0; i < HANDED; i++) {
        char *const p = malloc(1 << 20);
        char *none = NULL;

        while (!atomic_compare_exchange_weak(&shared[0], &none, p)) {
            none = NULL;
            sched_yield();
        }
    }
    pthread_join(id, NULL);
}

// All threads allocate the same sizes in the same order, STORM_ROUNDS of them.
static void *storm(void *number)
{
    const int rounds = atoi(getenv("STORM_ROUNDS"));

    for (int i = 0; i < rounds; i++)
        free(atomic_exchange(&shared[(i + 7 * (uintptr_t)number) & (SHARED - 1)],
                             make(16 + i % 1000)));
    return NULL;
}

static long resident_kib(void)
{
    char text[100] = "";
    const int fd = open("/proc/self/statm", O_RDONLY);

    if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
        abort();
    close(fd);
    return atol(strchr(text, ' ')) * (sysconf(_SC_PAGESIZE) / 1024);
}

static void grow_log(int rounds)
{
    for (int i = 0; i < rounds; i++)
        free(make(16 + i % 100));
}

static void run_threads(uintptr_t count, void *(*run)(void *))
{
    pthread_t ids[STORM];

    for (uintptr_t i = 0; i < count; i++)
        pthread_create(&ids[i], NULL, run, (void *)i);
    for (uintptr_t i = 0; i < count; i++)
        pthread_join(ids[i], NULL);
}

// Closes all files as a daemon does, and has files of its own then, also with the number
// that the log had. Nothing but the program writes to them.
static void close_files(void)
{
    struct stat own;
    const int fd = open(".", O_TMPFILE | O_RDWR, 0600);

    free(make(16));
    closefrom(3);
    if (fd != 3 || open(".", O_TMPFILE | O_RDWR, 0600) != 3)
        _exit(2);
    for (int next = 4; next < 1010; next++)
        dup2(3, next);
    plain();
    sleep(2);
    plain();
    if (fstat(3, &own) != 0 || own.st_size != 0)
        _exit(3);
}

int main(int argc, char **argv)
{
    const char *const mode = argv[argc > 1];

    if (strcmp(mode, "daemon") == 0) {
        int status = 0;

        if (fork() != 0)
            wait(&status);
        close_files();
        return status != 0;
    }
    if (strcmp(mode, "closes") == 0)
        close_files();

    if (strcmp(mode, "threads") == 0) {
        run_threads(THREADS, thread);
        return 0;
    }
    if (strcmp(mode, "storm") == 0) {
        run_threads(STORM, storm);
        return 0;
    }
    if (strcmp(mode, "bounded") == 0) {
        grow_log(100000);
        const long before = resident_kib();
        grow_log(3000000);
        printf("%ld\n", resident_kib() - before);
        return 0;
    }
    if (strcmp(mode, "handover") == 0) {
        hand_over();
        return 0;
    }
    plain();
    if (strcmp(mode, "fork") == 0) {
        const pid_t child = fork();

        plain();
        if (child != 0)
            waitpid(child, NULL, 0);
    }
    if (strcmp(mode, "fault") == 0)
        *(volatile int *)8 = 0;
    if (strcmp(mode, "quick") == 0)
        _exit(0);
    if (strcmp(mode, "exec") == 0)
        execl(argv[0], argv[0], "plain", NULL);
    if (strcmp(mode, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(mode, "idle") == 0) {
        // What was kept is written although nobody allocates. log.py closes the input.
        if (fork() == 0)
            plain();
        read(0, &(char){0}, 1);
        wait(NULL);
    }
    if (strcmp(mode, "little") == 0) {
        // A child that allocates once and then waits has a log.
        if (fork() == 0)
            free(make(16));
        read(0, &(char){0}, 1);
        wait(NULL);
    }
    if (strcmp(mode, "parts") == 0) {
        // Further events follow those that are written.
        sleep(2);
        work(0);
        for (int i = 0; i < 5000; i++)
            work(i);
    }
    return 0;
}
