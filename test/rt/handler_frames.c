// A handler of SIGSEGV has the stack that it has without us: the frame above it is the
// kernel's, which returns from the signal.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -O1 %s -o plain && ./plain > without
// RUN: %clang -fmemory-profile %ours-rt -O1 %s -o prog && ./prog > with
// RUN: diff with without
// RUN: FileCheck %s < with
// CHECK: 2 frames above a fault{{$}}
#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sigjmp_buf back;
static volatile int depth_outside, depth_in_handler;

// Frames of the caller and above it.
static __attribute__((noinline)) int depth(void)
{
    void *frames[64];

    return backtrace(frames, 64);
}

static void handle(int number, siginfo_t *info, void *context)
{
    depth_in_handler = depth();
    siglongjmp(back, 1);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};

    free(malloc(10));
    depth(); // loads the unwinder
    sigaction(SIGSEGV, &action, NULL);
    depth_outside = depth();
    if (sigsetjmp(back, 1) == 0)
        *(volatile int *)8 = 0;
    printf("%d frames above a fault\n", depth_in_handler - depth_outside);
    return 0;
}
