// What the runtime needs of the stack in a signal handler that calls malloc on a
// small alternate stack: where nothing is known yet of the thread and of the
// code, the call uses at most 4 KiB of it.
// RUN: %memprof-clang -O1 -fmemory-profile %s -pthread -o %t
// RUN: env MEMPROF_PROFILE_FILE=%t.raw %t | FileCheck %s
// CHECK: {{^}}enough
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { BYTES = 64 * 1024, PATTERN = 0x5a, MAX = 4096 };

static unsigned char *stack;
static void *volatile block;
static unsigned char *volatile top;

__attribute__((noinline)) static void handle(int number)
{
    (void)number;
    top = __builtin_frame_address(0);
    /* The kernel's frame lies above, and the red zone is not used. */
    for (unsigned char *p = stack; p < top - 512; p++)
        *(volatile unsigned char *)p = PATTERN;
    block = malloc(40);
}

static void *run(void *argument)
{
    const stack_t alternate = {.ss_sp = stack, .ss_size = BYTES};

    sigaltstack(&alternate, NULL);
    pthread_kill(pthread_self(), SIGUSR1);
    return argument;
}

int main(void)
{
    const struct sigaction action = {.sa_handler = handle,
                                     .sa_flags = SA_ONSTACK};
    static unsigned char memory[BYTES];
    unsigned char *lowest = stack = memory;
    pthread_t thread;

    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    while (lowest < top && *lowest == PATTERN)
        lowest++;
    printf("%td bytes\n", top - lowest);
    puts(top - lowest <= MAX ? "enough" : "too much");
    free(block);
    return 0;
}
