/* launch.c -- run a program and write down what it cost.
 *
 * usage: launch OUT REPEAT PROGRAM [ARGUMENT...]
 *
 * One line per run into the file OUT: wall, user and system time in
 * microseconds, peak resident memory in KiB, exit status (128 + signal). A
 * small process of its own, because a child's peak memory begins with its
 * parent's.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long time_us(struct timeval t)
{
    return (long)t.tv_sec * 1000000 + (long)t.tv_usec;
}

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    FILE *const out = fopen(argv[1], "we");
    if (out == NULL)
        return 2;
    for (long i = atol(argv[2]); i > 0; i--) {
        struct rusage usage;
        int status = 0;
        const double start = now_us();
        const pid_t child = vfork();

        if (child == 0) {
            execvp(argv[3], argv + 3);
            _exit(127);
        }
        if (child < 0 || wait4(child, &status, 0, &usage) != child)
            return 2;
        fprintf(
            out, "%.1f %ld %ld %ld %d\n", now_us() - start,
            time_us(usage.ru_utime), time_us(usage.ru_stime), usage.ru_maxrss,
            WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    }
    return fclose(out) == 0 ? 0 : 2;
}
