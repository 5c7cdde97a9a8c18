// A forked child starts from zero: its file does not have the parent's data or blocks,
// even if the child frees or resizes these blocks and calls the same functions. A child
// that records nothing writes nothing.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -O0 -fno-builtin %s -o %t
// RUN: %t && python3 %S/Inputs/blocks_in.py %memprofdata *.raw | \
// RUN:   FileCheck %s --match-full-lines --implicit-check-not={{.}}
// RUN: rm * && env MEMPROF_OPTIONS=clock=coarse %t && \
// RUN:   python3 %S/Inputs/blocks_in.py %memprofdata *.raw | \
// RUN:   FileCheck %s --match-full-lines --implicit-check-not={{.}}
// The child of _Fork, the other children, the parent.
//      CHECK: 2 0
// CHECK-NEXT: 3 1
// CHECK-NEXT: 8 1
// CHECK-NEXT: 100 90
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char *kept[100];

static void allocate(int n)
{
    for (int i = 0; i < n; i++)
        kept[i] = malloc(100);
}

static void join(pid_t pid)
{
    int status;

    if (waitpid(pid, &status, 0) != pid || status != 0)
        _exit(99);
}

static void grandchild(void)
{
    const pid_t pid = fork();

    if (pid == 0) {
        /* 7 blocks; one of the child's that ends is not its own. */
        for (int i = 20; i < 27; i++)
            kept[i] = realloc(kept[i], 5000);
        for (int i = 0; i < 100; i++)
            free(kept[i]);
        kept[0] = malloc(9);
        exit(0);
    }
    join(pid);
}

int main(void)
{
    pid_t pid;

    allocate(100);
    for (int i = 90; i < 100; i++) {
        free(kept[i]);
        kept[i] = 0;
    }
    pid = fork();
    if (pid == 0) {
        for (int i = 0; i < 10; i++)
            free(kept[i]);
        allocate(3);
        free(kept[0]);
        free(kept[1]);
        kept[0] = kept[1] = 0;
        for (int i = 3; i < 10; i++)
            kept[i] = 0;
        grandchild();
        exit(0);
    }
    join(pid);
    pid = _Fork();
    if (pid == 0) {
        free(malloc(1));
        free(malloc(2));
        exit(0);
    }
    join(pid);
    pid = fork();
    if (pid == 0) {
        free(kept[50]);
        exit(0);
    }
    join(pid);
    return 0;
}
