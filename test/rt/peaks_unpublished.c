// The peak of a run has the blocks of all its call stacks at the peak, also those that
// a thread had not published then.
// RUN: %clang -fmemory-profile %ours-rt -g -O1 -fno-builtin -pthread %s -o %t
// RUN: rm -f %t.raw && env MEMPROF_PROFILE_FILE=%t.raw %t
// RUN: %memprofdata show --json %t.raw | FileCheck %s
// CHECK: "run_peak_bytes":[[PEAK:[0-9]+]],
// CHECK: "peak":[[PEAK]],
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t barrier;

static void *work(void *argument)
{
    void *const volatile p = malloc(8000);

    pthread_barrier_wait(&barrier); // main frees now
    pthread_barrier_wait(&barrier);
    free(p);
    return argument;
}

int main(void)
{
    void *const volatile p = malloc(100000);
    pthread_t thread;

    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, work, NULL);
    pthread_barrier_wait(&barrier);
    free(p);
    pthread_barrier_wait(&barrier);
    return pthread_join(thread, NULL);
}
