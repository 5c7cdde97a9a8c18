// A signal handler may fork (_Fork() is safe there), also if the signal interrupts
// fork(): the program ends normally and its profile is complete.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -O0 -fno-builtin %s -o %t
// RUN: timeout 300 %t
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata *.raw | FileCheck %s
// CHECK: {{^}}1000 0{{$}}
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void join(pid_t pid)
{
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

static void handler(int number)
{
    const int saved = errno;
    const pid_t child = _Fork();

    (void)number;
    if (child == 0)
        _exit(0);
    join(child);
    errno = saved;
}

/* One-shot: on a slow machine a periodic timer could leave time for nothing but
 * the handler. */
static void soon(int us)
{
    const struct itimerval value = {.it_value = {0, us}};

    setitimer(ITIMER_REAL, &value, NULL);
}

int main(void)
{
    const struct sigaction action = {.sa_handler = handler,
                                     .sa_flags = SA_RESTART};

    sigaction(SIGALRM, &action, NULL);
    for (int i = 0; i < 150; i++) {
        pid_t child;

        soon(1 + i * 61 % 3000);
        child = fork();
        if (child == 0)
            _exit(0);
        join(child);
    }
    soon(0);
    for (int i = 0; i < 1000; i++)
        free(malloc(1000));
    return 0;
}
