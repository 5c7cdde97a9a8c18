// With continuous=1 the one file is a valid profile at any moment. Soon it has
// everything that the program did, and the live blocks.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -O1 -gline-tables-only -fdebug-info-for-profiling -fno-builtin %s -o %t
// RUN: env MEMPROF_OPTIONS=continuous=1 python3 %S/Inputs/kill_loop.py \
// RUN:   %memprofdata %t 8 lag | FileCheck %s
// CHECK: 8 killed
// The delay depends on the machine; on an idle one it is less than a second.
// RUN: %if long %{ FileCheck %s --check-prefix=LAG < %t.dir/lag %}
// LAG: behind by 0 s
// RUN: ls -A | not grep -vx 'lag\|lines[.][0-9]*\|memprof[.]profraw[.][0-9]*[.]raw'
// RUN: ls *.raw | count 8
// RUN: %memprofdata merge *.raw -o all.profdata
// Complete at the end, with children, failed and other exec, an explicit dump, and
// another working directory: one file per process.
// RUN: rm -rf x && mkdir -p x/other && cd x
// RUN: env MEMPROF_OPTIONS=continuous=1 %t end
// RUN: ls *.raw | count 3
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata *.raw | FileCheck %s --check-prefix=END --match-full-lines
//      END: 5 0
// END-NEXT: 6 1
// END-NEXT: 1006 3
// RUN: ls -A other | count 0
// If the file cannot be replaced, it stays as it was, and one message is printed.
// RUN: rm *.raw && env MEMPROF_OPTIONS=continuous=1 %t full 2> err; test $? = 7
// RUN: FileCheck %s --check-prefix=FULL --implicit-check-not=memprof: < err
// FULL: memprof: cannot write the profile {{.*}}: larger than files may be
// RUN: %memprofdata check *.raw
// RUN: ls -A | not grep part
// The profile cannot go to a descriptor while the program runs.
// RUN: not env MEMPROF_OPTIONS=continuous=1:print_text=1:log_path=stderr timeout 300 %t nowhere 2>&1 | FileCheck %s --check-prefix=FD
// FD: memprof: profiles while the program runs need a file, not a descriptor;
// FD: Recorded MIBs
#include <limits.h>
#include <sanitizer/memprof_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *kept[3];

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int run_until_killed(void)
{
    const char *const idle = getenv("THEN_IDLE");
    const long enough = idle != 0 ? atol(idle) : LONG_MAX; /* blocks */
    const double start = now();
    double next = start;
    long blocks = 0;

    kept[0] = malloc(100);
    for (;;) {
        char line[64];
        for (int i = 0; i < 100; i++)
            free(malloc(10));
        blocks += 100;
        if (now() < next)
            continue;
        write(1, line, (size_t)sprintf(line, "%.3f %ld\n", now() - start, blocks));
        next += 0.02;
        if (blocks >= enough)
            pause();
        if (next - start > 600)
            return 1;
    }
}

static void spin(double seconds)
{
    const double start = now();
    volatile int count = 0;

    while (now() - start < seconds)
        count++;
}

static void wait_for_snapshot(void)
{
    char path[64];

    snprintf(path, sizeof(path), "memprof.profraw.%d.raw", (int)getpid());
    for (int i = 0; i < 12000 && access(path, F_OK) != 0; i++)
        spin(0.01);
}

static int run_to_end(void)
{
    int status;

    for (int i = 0; i < 1000; i++)
        free(malloc(10));
    kept[0] = malloc(1);
    wait_for_snapshot();
    if (fork() == 0) {
        for (int i = 0; i < 5; i++)
            free(malloc(5));
        _exit(0);
    }
    wait(&status);
    if (fork() == 0) {
        for (int i = 0; i < 5; i++)
            free(malloc(5));
        kept[1] = malloc(7);
        execl("/nowhere", "nowhere", (char *)0);
        execl("/bin/true", "true", (char *)0);
    }
    wait(&status);
    if (fork() == 0)
        _exit(0); /* nothing recorded, no file */
    wait(&status);
    execl("/nowhere", "nowhere", (char *)0);
    for (int i = 0; i < 3; i++)
        free(malloc(10));
    kept[1] = malloc(2);
    __memprof_profile_dump();
    kept[2] = malloc(3);
    return chdir("other");
}

static int run_full(void)
{
    const struct rlimit small = {600, 600};

    kept[0] = malloc(1);
    wait_for_snapshot();
    syscall(SYS_setrlimit, RLIMIT_FSIZE, &small);
    spin(1.5);
    return 7;
}

/* Messages of the running program come out of a pipe. */
static int run_nowhere(void)
{
    const int saved = dup(2);
    char said[512];
    int ends[2];

    free(malloc(1));
    if (pipe(ends) != 0 || dup2(ends[1], 2) != 2)
        return 0;
    const ssize_t n = read(ends[0], said, sizeof(said));
    dup2(saved, 2);
    return n > 0 && write(2, said, (size_t)n) == n ? 7 : 0;
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return run_until_killed();
    if (strcmp(argv[1], "nowhere") == 0)
        return run_nowhere();
    return strcmp(argv[1], "end") == 0 ? run_to_end() : run_full();
}
