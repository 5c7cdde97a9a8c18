// If the kernel kills the program because memory has run out, the file of continuous=1
// is valid and has the state of the last but one snapshot.
// REQUIRES: memory-cgroup
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -O1 -fno-builtin %s -o %t
// RUN: env MEMPROF_OPTIONS=continuous=1 python3 %S/Inputs/oom_kill.py %memprofdata %t | FileCheck %s
// CHECK: {{[0-9]+}} snapshots seen
// CHECK: behind by {{[0-9]+}} s
// RUN: ls -A | not grep -vx 'lines\|memprof[.]profraw[.][0-9]*[.]raw'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK_BYTES = 64 << 10, BLOCKS_A_STEP = 10 };
/* 40 MiB, less than the memory limit. */
enum { PATIENT_BLOCKS = 640 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Counts how often the file was seen to be replaced. */
static long look(void)
{
    static struct stat last;
    static char path[64];
    static long count;
    struct stat s;

    if (path[0] == 0)
        sprintf(path, "memprof.profraw.%d.raw", (int)getpid());
    if (stat(path, &s) || (s.st_ino == last.st_ino &&
                           s.st_mtim.tv_sec == last.st_mtim.tv_sec &&
                           s.st_mtim.tv_nsec == last.st_mtim.tv_nsec))
        return count;
    last = s;
    return ++count;
}

int main(void)
{
    const double start = now();
    long blocks = 0;

    while (now() - start < 300) {
        const long snapshots = look();
        char line[96];

        /* The last memory is taken only after some snapshots. */
        if (blocks < PATIENT_BLOCKS || snapshots >= 3)
            for (int i = 0; i < BLOCKS_A_STEP; i++, blocks++)
                memset(malloc(BLOCK_BYTES), 1, BLOCK_BYTES);
        else
            free(malloc(1)); /* an idle program gets no snapshot */
        write(1, line, (size_t)sprintf(line, "%.3f %ld %ld\n", now() - start,
                                       blocks, snapshots));
        usleep(20000);
    }
    return 1;
}
