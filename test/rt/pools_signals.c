// A signal handler runs before or after a pool call, never inside of it. A handler that
// leaves by siglongjmp, or that waits for another thread, blocks no other thread's
// pools.
// RUN: %clang -O1 -I%root/inc -fmemory-profile -fno-builtin %ours-rt %s -o %t -lpthread
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: env MEMPROF_PROFILE_FILE=%t.dir/jumps timeout -s KILL 60 %t jumps
// RUN: env MEMPROF_PROFILE_FILE=%t.dir/waits timeout -s KILL 60 %t waits
// RUN: %memprofdata show --by=pool --sort=blocks %t.dir/jumps | FileCheck %s
// RUN: %memprofdata show --by=pool --sort=blocks %t.dir/waits | FileCheck %s
// CHECK: {{^ *}}1 {{.*}}  other{{$}}
#define _GNU_SOURCE
#include <memprof.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ending them all takes far longer than the timer. */
enum { BLOCKS = 1 << 18, ROUNDS = 4, TIMER_US = 500 };

static char memory[BLOCKS], other;
static sigjmp_buf before;
static int jumps, other_round;
static volatile sig_atomic_t is_armed;
static pthread_barrier_t told, heard;

static void *tell(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&told);
        if (other_round++ == 0) {
            memprof_pool_create(&other, "other");
            memprof_pool_alloc(&other, &other, 1);
        } else {
            memprof_pool_free(memory, &other);
        }
        pthread_barrier_wait(&heard);
    }
    return unused;
}

static void on_alarm(int number)
{
    (void)number;
    if (!is_armed)
        return;
    is_armed = 0;
    if (jumps)
        siglongjmp(before, 1);
    pthread_barrier_wait(&told);
    pthread_barrier_wait(&heard);
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = on_alarm};
    pthread_t thread;
    sigset_t alarms;

    jumps = argc > 1 && strcmp(argv[1], "jumps") == 0;
    pthread_barrier_init(&told, NULL, 2);
    pthread_barrier_init(&heard, NULL, 2);
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    /* The other thread gets no signals. */
    pthread_sigmask(SIG_BLOCK, &alarms, NULL);
    pthread_create(&thread, NULL, tell, NULL);
    pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
    sigaction(SIGALRM, &action, NULL);
    for (volatile int round = 0; round < ROUNDS; round++) {
        memprof_pool_create(memory, "many");
        for (int i = 0; i < BLOCKS; i++)
            memprof_pool_alloc(memory, &memory[i], 1);
        is_armed = 1;
        if (sigsetjmp(before, 1) == 0) {
            ualarm(TIMER_US, 0);
            memprof_pool_clear(memory);
            while (is_armed)
                usleep(1000);
        }
        if (jumps) {
            pthread_barrier_wait(&told);
            pthread_barrier_wait(&heard);
        }
    }
    pthread_join(thread, NULL);
    return 0;
}
