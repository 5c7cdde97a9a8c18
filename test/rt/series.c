// A run over time: its highest point is the measured peak, its end the live blocks at
// the end, and it has the program's phases and marks. Several dumps of a run, resets, a
// fork, threads and a fault lose nothing and count nothing twice. A profile of many
// runs keeps a bounded number of series, whatever the order of merging.
// RUN: %clang -fmemory-profile %ours-rt -g -O1 -fno-builtin -I%root/inc %s -pthread -o %t
// RUN: rm -rf %t.d && mkdir %t.d
// DEFINE: %{series} = python3 %S/Inputs/series.py %memprofdata %t %t.d
// RUN: %{series} plain
// RUN: %{series} dump
// RUN: %{series} reset
// RUN: %{series} fork
// RUN: %{series} threads
// RUN: %{series} fault
// RUN: %{series} stop
// RUN: %{series} many
// A program that is not instrumented is not affected.
// RUN: %clang -I%root/inc %s -pthread -o %t.plain && %t.plain plain
#include <memprof.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BLOCKS = 4000, THREADS = 4, CHILD_BLOCKS = 100 };

static void *blocks[THREADS][BLOCKS];

// So that time slots pass quickly.
static void let_time_pass(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
}

static void fill(int thread)
{
    for (int i = 0; i < BLOCKS; i++)
        blocks[thread][i] = malloc(500 + (size_t)i % 100);
}

static void clear(int thread, int from)
{
    for (int i = from; i < BLOCKS; i++) {
        free(blocks[thread][i]);
        blocks[thread][i] = NULL;
    }
}

static void *work(void *argument)
{
    const int thread = (int)(intptr_t)argument;

    for (int round = 0; round < 3; round++) {
        fill(thread);
        let_time_pass();
        clear(thread, 10);
        for (int i = 0; i < 10; i++)
            free(blocks[thread][i]);
    }
    return NULL;
}

static void run_threads(void)
{
    pthread_t threads[THREADS];

    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void run_child(void)
{
    static void *volatile own[CHILD_BLOCKS];

    memprof_mark("child");
    for (int i = 0; i < CHILD_BLOCKS; i++)
        own[i] = malloc(1000);
    let_time_pass();
    clear(0, 0); // the parent's blocks
    exit(0);
}

int main(int argc, char **argv)
{
    const char *const mode = argc > 1 ? argv[1] : "";
    int status = 0;

    memprof_phase("fill");
    fill(0);
    let_time_pass();
    memprof_mark("full");
    memprof_phase("empty");
    if (strcmp(mode, "fork") == 0 && fork() == 0)
        run_child();
    if (strcmp(mode, "dump") == 0)
        memprof_dump();
    if (strcmp(mode, "reset") == 0)
        memprof_reset();
    clear(0, 1000);
    let_time_pass();
    if (strcmp(mode, "stop") == 0) {
        memprof_stop();
        fill(1);
        memprof_start();
    }
    if (strcmp(mode, "threads") == 0)
        run_threads();
    memprof_phase(NULL);
    if (strcmp(mode, "fork") == 0)
        wait(&status);
    if (strcmp(mode, "fault") == 0)
        *(volatile char *)8 = 1;
    return status != 0;
}
