// A handler forks while its thread is in the dynamic linker and a dump of another
// thread waits for the linker's lock: no deadlock.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -O1 -shared -fPIC -DLIBRARY %s -o lib.so
// RUN: %clang -fmemory-profile %ours-rt -O1 -I%root/inc %s -o app -lpthread -ldl
// RUN: timeout -s KILL 120 ./app 2>&1 | FileCheck %s
// CHECK: done
#ifdef LIBRARY
#include <stdlib.h>
void *make(void)
{
    return malloc(10);
}
#else
#define _GNU_SOURCE
#include <dlfcn.h>
#include <memprof.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* The next signal comes 3 ms after the handler has ended, so that the threads go on
 * however long a fork takes. */
static void set_alarm(long us)
{
    const struct itimerval once = {{0, 0}, {0, us}};

    setitimer(ITIMER_REAL, &once, NULL);
}

static void on_alarm(int number)
{
    const pid_t child = _Fork();

    (void)number;
    if (child == 0)
        _exit(0);
    if (child > 0)
        waitpid(child, NULL, 0);
    set_alarm(3000);
}

static void *load(void *unused)
{
    for (int i = 0; i < 2000; i++) {
        void *const library = dlopen("./lib.so", RTLD_NOW);
        void *(*const make)(void) = (void *(*)(void))dlsym(library, "make");

        free(make());
        dlclose(library);
    }
    return unused;
}

static void *fork_often(void *unused)
{
    for (int i = 0; i < 200; i++) {
        const pid_t child = fork();

        if (child == 0) {
            free(malloc(5));
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    return unused;
}

static void *dump(void *unused)
{
    for (int i = 0; i < 200; i++)
        memprof_dump();
    return unused;
}

int main(void)
{
    static void *(*const work[])(void *) = {load, fork_often, fork_often, dump};
    const struct sigaction action = {.sa_handler = on_alarm,
                                     .sa_flags = SA_RESTART};
    pthread_t threads[4];

    sigaction(SIGALRM, &action, NULL);
    set_alarm(3000);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    signal(SIGALRM, SIG_IGN);
    puts("done");
    return 0;
}
#endif
