/* launch.c -- runs a program and writes its cost to a file.
 *
 * usage: launch [-a] OUT REPEAT PROGRAM [ARGUMENT...]
 *
 * Writes one line per run to the file OUT: wall, user and system time in
 * microseconds, also of processes that it leaves behind, peak resident memory
 * in KiB, exit status (128 + signal); with
 * -a also the peak of anonymous memory in KiB, sampled every half millisecond.
 * This is a small program, because a child's peak memory starts with that of
 * its parent.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SAMPLE_NS 500000

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

/* RssAnon of a process in KiB; 0 if the process has ended. */
static long anonymous_kib(int status_fd)
{
    char text[4096];
    const ssize_t n = pread(status_fd, text, sizeof(text) - 1, 0);
    const char *line;

    if (n <= 0)
        return 0;
    text[n] = '\0';
    line = strstr(text, "RssAnon:");
    return line != NULL ? strtol(line + strlen("RssAnon:"), NULL, 10) : 0;
}

/* Waits for the child. Returns its largest sample of anonymous memory in KiB.
 */
static long watch(pid_t child, int *status, struct rusage *usage)
{
    const struct timespec pause = {.tv_nsec = SAMPLE_NS};
    char path[64];
    long peak = 0;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)child);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    while (wait4(child, status, WNOHANG, usage) == 0) {
        const long now = anonymous_kib(fd);

        if (now > peak)
            peak = now;
        nanosleep(&pause, NULL);
    }
    if (fd >= 0)
        close(fd);
    return peak;
}

/* Adds the CPU time of processes that the program left behind. */
static void add_orphans(struct rusage *usage)
{
    struct rusage more;

    while (wait4(-1, NULL, 0, &more) > 0) {
        timeradd(&usage->ru_utime, &more.ru_utime, &usage->ru_utime);
        timeradd(&usage->ru_stime, &more.ru_stime, &usage->ru_stime);
    }
}

static int report(pid_t child, double start, int with_anonymous, FILE *out)
{
    struct rusage usage;
    int status = 0;
    long anonymous = 0;
    double wall_us;

    if (with_anonymous)
        anonymous = watch(child, &status, &usage);
    else if (wait4(child, &status, 0, &usage) != child)
        return 0;
    wall_us = now_us() - start;
    add_orphans(&usage);
    fprintf(out, "%.1f %ld %ld %ld %d", wall_us, time_us(usage.ru_utime),
            time_us(usage.ru_stime), usage.ru_maxrss,
            WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    if (with_anonymous)
        fprintf(out, " %ld", anonymous);
    fputc('\n', out);
    return 1;
}

/* Runs the program once. False if no process could be started. */
static int run(char **command, int with_anonymous, FILE *out)
{
    const double start = now_us();
    const pid_t child = vfork();

    if (child == 0) {
        execvp(command[0], command);
        _exit(127);
    }
    return child > 0 && report(child, start, with_anonymous, out);
}

int main(int argc, char **argv)
{
    const int with_anonymous = argc > 1 && strcmp(argv[1], "-a") == 0;
    FILE *out;

    argv += with_anonymous;
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (argc - with_anonymous < 4)
        return 2;
    out = fopen(argv[1], "we");
    if (out == NULL)
        return 2;
    for (long i = atol(argv[2]); i > 0; i--) {
        if (!run(argv + 3, with_anonymous, out))
            return 2;
    }
    return fclose(out) == 0 ? 0 : 2;
}
