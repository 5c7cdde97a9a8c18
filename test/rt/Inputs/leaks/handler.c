/* At the end some threads are in a handler on its own stack, or block all
 * signals; the first thread has ended. */
#include "leaks.h"

#include <signal.h>

SITE(below_handler)
SITE(leaked)
SITE(blocked)

static pthread_barrier_t barrier;

static void handle(int number)
{
    pthread_barrier_wait(&barrier);
    for (;;)
        pause();
}

static void raise_below(void)
{
    void *volatile here = site_below_handler(40);

    raise(SIGUSR1);
    (void)here;
}

static void *be_interrupted(void *argument)
{
    stack_t stack = {.ss_size = 65536};

    stack.ss_sp = argument;
    sigaltstack(&stack, NULL);
    call_below(raise_below);
    return NULL;
}

static void *block_all(void *argument)
{
    void *volatile here = site_blocked(41);
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    pthread_barrier_wait(&barrier);
    for (;;)
        pause();
    return here;
}

static void *end_all(void *argument)
{
    pthread_barrier_wait(&barrier);
    site_leaked(42);
    forget();
    usleep(50000);
    exit(0);
}

static char stack[65536];

static void make(void)
{
    pthread_t t;
    const struct sigaction action = {.sa_handler = handle,
                                     .sa_flags = SA_ONSTACK};

    sigaction(SIGUSR1, &action, NULL);
    pthread_barrier_init(&barrier, NULL, 4);
    pthread_create(&t, NULL, be_interrupted, stack);
    pthread_create(&t, NULL, block_all, NULL);
    pthread_create(&t, NULL, end_all, NULL);
    pthread_barrier_wait(&barrier);
}

int main(void)
{
    apart(make);
    pthread_exit(NULL);
}
