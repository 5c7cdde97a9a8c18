// Signal handlers allocate and free, wherever they interrupt the program.
// RUN: %clang %ours-rt -fmemory-profile -O1 -fno-builtin %s -o %t
// RUN: env MEMPROF_OPTIONS=log_path=%t.raw timeout 300 %t
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static volatile int signals;
static char *held[64];

static void handler(int number)
{
    const int i = signals++ % 64;
    free(held[i]);
    held[i] = malloc(10 + (size_t)signals % 500);
    memset(held[i], number, 10);
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct itimerval timer = {{0, 200}, {0, 200}};
    static char *all[1000];

    sigaction(SIGALRM, &action, 0);
    setitimer(ITIMER_REAL, &timer, 0);
    /* However rarely the timer fires on a busy machine. */
    for (unsigned i = 0; signals < 1000; i++) {
        const unsigned k = i * 7919 % 1000;
        free(all[k]);
        all[k] = malloc(i % 3000);
    }
    return 0;
}
