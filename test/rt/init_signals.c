// As without the profiler, signals do not end the first process of a container. A fault
// of its own ends it, and its profile is written.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir && ulimit -c 0
// RUN: %clang -fmemory-profile %ours-rt -O1 -fno-builtin %s -o %t
// RUN: %clang -O1 -fno-builtin %s -o %t.plain
// RUN: sh %S/Inputs/init_signals.sh %t > with; sh %S/Inputs/init_signals.sh %t.plain > without
// RUN: diff with without
// RUN: if grep -q namespaces with; then exit 0; fi; \
// RUN:   for how in term int segv fault; do \
// RUN:     %memprofdata merge $how*.raw -o $how.profdata || exit 1; done; \
// RUN:   python3 %S/Inputs/blocks_in.py %memprofdata *.profdata > blocks; \
// RUN:   FileCheck %s < blocks
// The helper's dump is one file and the rest of the run another, unless the program
// ends before the helper writes: the sum is the whole run.
// CHECK-COUNT-4: 200 0
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void allocate(void)
{
    for (int i = 0; i < 100; i++)
        free(malloc(10));
}

int main(int argc, char **argv)
{
    allocate();
    if (argc > 1 && strcmp(argv[1], "term") == 0)
        kill(getpid(), SIGTERM);
    if (argc > 1 && strcmp(argv[1], "int") == 0) {
        signal(SIGINT, SIG_DFL);
        raise(SIGINT);
    }
    if (argc > 1 && strcmp(argv[1], "segv") == 0)
        raise(SIGSEGV);
    allocate();
    if (argc > 1 && strcmp(argv[1], "fault") == 0)
        *(volatile int *)8 = 1;
    return getpid();
}
