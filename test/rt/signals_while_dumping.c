// A signal ends the program while another thread, or the helper, makes a dump. The
// interrupted thread may hold what the dump waits for; both finish.
// RUN: %clang -fmemory-profile %ours-rt -O2 -pthread %s -o %t
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// DEFINE: %{times} = 25
// DEFINE: %{run} =
// DEFINE: %{loop} = for i in $(seq %{times}); do MEMPROF_OPTIONS=log_path=$PWD/$i:dump_signal=10 %{run}; done
// REDEFINE: %{run} = %t exit
// RUN: %{loop} > out 2>&1 || true
// RUN: ls *.raw | wc -l | FileCheck %s --match-full-lines
// CHECK: 25
// RUN: ls -A | not grep part
// RUN: rm -f *.raw
// REDEFINE: %{run} = %t helper
// RUN: %{loop} > out 2>&1 || true
// Blocks of the helper's file and the last one, or of the last one alone.
// RUN: for i in $(seq %{times}); do ls $i.*.raw > /dev/null || exit 1; done
// RUN: ls -A | not grep part
// RUN: not grep lost out
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int rounds, is_going;

static void *allocate(void *unused)
{
    for (;;) {
        volatile char *const p = malloc(100);
        *p = 1;
        free((void *)p);
        rounds = 1;
    }
    return unused;
}

static void *end(void *unused)
{
    while (!is_going)
        ;
    for (volatile int i = 0; i < 20000; i++)
        ;
    kill(getpid(), SIGTERM);
    for (;;)
        pause();
    return unused;
}

int main(int argc, char **argv)
{
    const int is_exit = argc > 1 && strcmp(argv[1], "exit") == 0;
    sigset_t signals;
    pthread_t thread;

    for (int i = 0; i < 3; i++)
        pthread_create(&thread, NULL, allocate, NULL);
    while (!rounds)
        usleep(100);
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM); // so that another thread gets it
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    if (is_exit) {
        pthread_create(&thread, NULL, end, NULL);
        is_going = 1;
        return 3;
    }
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGTERM);
    for (;;)
        pause();
}
