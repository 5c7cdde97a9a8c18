// The first process of a container: SIGTERM from outside does not end it, as without
// the profiler, and writes a profile with dump_on_term=1. A child ends by SIGTERM and
// writes a profile. Processes that get the same number in turn leave each other's files
// alone, killed or not. continuous=1 works even if /proc shows another namespace's
// process numbers.
// REQUIRES: pid-namespace
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -O1 -fno-builtin %s -o %t
// RUN: python3 %S/Inputs/namespaces.py %memprofdata %t %unshare-pid > %t.out
// RUN: FileCheck %s --match-full-lines < %t.out
//      CHECK: terminated memprof.profraw.1.1.raw memprof.profraw.1.raw 3 0 4 1
// CHECK-NEXT: terminated memprof.profraw.1.2.raw memprof.profraw.1.3.raw 3 0 4 1
// CHECK-NEXT: without memprof.profraw.1.4.raw 4 1
// CHECK-NEXT: child memprof.profraw.1.5.raw memprof.profraw.2.raw 4 1 5 1
// CHECK-NEXT: killed memprof.profraw.1.6.raw 3 0
// CHECK-NEXT: ended memprof.profraw.1.7.raw 4 1
// CHECK-NEXT: nested memprof.profraw.1.8.raw 4 1
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *kept;

int main(int argc, char **argv)
{
    struct pollfd input = {0, POLLIN, 0};
    char c;

    (void)argc;
    for (int i = 0; i < 3; i++)
        free(malloc(10));
    if (!strcmp(argv[1], "child") && fork() == 0) {
        for (int i = 0; i < 4; i++)
            free(malloc(10));
        kept = malloc(1);
        raise(SIGTERM);
    }
    wait(NULL);
    write(1, "ready\n", 6);
    while (!strcmp(argv[1], "busy") && poll(&input, 1, 1) != 1)
        continue;
    if (read(0, &c, 1) != 1)
        return 9;
    kept = malloc(1);
    return kept ? 5 : 8;
}
