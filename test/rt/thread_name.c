// memprof_thread_name() sets the thread's name until a call with NULL. Names may be
// long and in UTF-8. A name belongs to one thread, even if another takes its memory
// over, and a forked child keeps it.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -O1 -I%root/inc -fmemory-profile -fno-builtin %ours-rt %debugflags %s -o %t -lpthread
// RUN: env MEMPROF_PROFILE_FILE=raw MEMPROF_OPTIONS=per_thread=1 %t
// RUN: %memprofdata show --by=thread --sort=blocks --json raw raw.1 > raw.json
// RUN: FileCheck %s --input-file=raw.json --implicit-check-not='"thread":'
// CHECK: "view":"thread"
// CHECK: {"thread":"a thread that says what it is called, longer than the kernel ta","values":{"blocks":30,"bytes":3000,
// CHECK: {"thread":"kernel","values":{"blocks":9,"bytes":900,
// CHECK: {"thread":"äääääääääääääääääääääääääääääää","values":{"blocks":7,"bytes":700,
// CHECK: {"thread":"of the child","values":{"blocks":5,"bytes":500,
// CHECK: {"thread":"thread_name.c.t{{.*}}","values":
// Without the option names have no effect; without the profiler the calls do nothing.
// RUN: env MEMPROF_PROFILE_FILE=plain %t
// RUN: %memprofdata show --by=thread plain | FileCheck %s --check-prefix=NONE
// NONE: No thread is known
// RUN: %clang -O1 -I%root/inc %s -o %t.plain -lpthread && %t.plain
#define _GNU_SOURCE
#include <memprof.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static __attribute__((noinline)) void allocate(int n)
{
    for (int i = 0; i < n; i++)
        free(malloc(100));
}

static void *work_named(void *unused)
{
    errno = 77;
    memprof_thread_name("a thread that says what it is called, longer than the "
                        "kernel takes");
    allocate(30);
    if (errno != 77)
        abort();
    return unused;
}

static void *work(void *unused)
{
    char name[128];

    pthread_setname_np(pthread_self(), "kernel");
    allocate(4);
    /* Cut at the end of a character. */
    for (size_t i = 0; i < 100; i += 2)
        memcpy(name + i, "\xc3\xa4", 3);
    memprof_thread_name(name);
    strcpy(name, "gone");
    allocate(7);
    memprof_thread_name(NULL);
    allocate(5);
    return unused;
}

int main(void)
{
    void *(*const works[])(void *) = {work_named, work};
    pthread_t thread;

    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, NULL, works[i], NULL);
        pthread_join(thread, NULL);
    }
    memprof_thread_name("of the child");
    const pid_t pid = fork();
    if (pid == 0) {
        allocate(5);
        return 0;
    }
    memprof_thread_name(NULL);
    allocate(1);
    return waitpid(pid, NULL, 0) != pid;
}
