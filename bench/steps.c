/* steps.c -- counts the instructions that a program executes between two
 * breakpoints, by address.
 *
 * usage: steps OUT PROGRAM [ARGUMENT...]      (status 77: tracing is not
 * allowed)
 *
 * For programs that use bench/micro/bench.h. The first line of the file OUT is
 * the number of instructions; then follows a line "ADDRESS COUNT" for each
 * instruction address. Counts of a single thread hardly vary between runs.
 * Unlike valgrind, this works for a runtime that reserves 16 TiB of address
 * space for shadow memory. The program's addresses are the same in each run. An
 * instruction with a repeat prefix counts once per repetition.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit status if the system does not allow tracing. */
#define NOT_ALLOWED 77

#define SLOTS (1u << 20)
static struct slot {
    uint64_t address, count;
} slots[SLOTS];

static void count_at(uint64_t address)
{
    uint32_t i = (uint32_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 44);

    while (slots[i].count != 0 && slots[i].address != address)
        i = (i + 1) % SLOTS;
    slots[i].address = address;
    slots[i].count++;
}

static int fail(const char *what)
{
    fprintf(stderr, "steps: %s: %s\n", what, strerror(errno));
    return 2;
}

static void start(char **argv)
{
    /* If this is not allowed, addresses differ between runs. */
    personality(ADDR_NO_RANDOMIZE);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(NOT_ALLOWED);
    if (setenv("BENCH_STEPS", "1", 1) != 0)
        _exit(126);
    execvp(argv[0], argv);
    _exit(127);
}

/* True for errors of systems that do not allow or support tracing. */
static int is_not_allowed(int error)
{
    return error == EPERM || error == EACCES || error == ENOSYS || error == EIO;
}

/* Runs the child to its end. Returns its wait status, or -1. */
static int trace(pid_t child, uint64_t *steps)
{
    int is_counting = 0;
    int status = 0;
    int deliver = 0;

    while (waitpid(child, &status, 0) == child) {
        if (WIFEXITED(status) || WIFSIGNALED(status))
            return status;
        deliver = WSTOPSIG(status);
        if (deliver == SIGTRAP) {
            siginfo_t info;
            if (ptrace(PTRACE_GETSIGINFO, child, NULL, &info) != 0)
                return -1;
            if (info.si_code == SI_KERNEL) { /* int3 */
                is_counting = !is_counting;
            } else if (is_counting) {
                errno = 0;
                const long pc = ptrace(
                    PTRACE_PEEKUSER, child,
                    (void *)offsetof(struct user_regs_struct, rip), NULL);
                if (errno != 0)
                    return -1;
                ++*steps;
                count_at((uint64_t)pc);
            }
            deliver = 0;
        }
        if (ptrace(is_counting ? PTRACE_SINGLESTEP : PTRACE_CONT, child, NULL,
                   (void *)(long)deliver) != 0)
            return -1;
    }
    return -1;
}

int main(int argc, char **argv)
{
    uint64_t steps = 0;

    if (argc < 3)
        return 2;
    FILE *const out = fopen(argv[1], "we");
    if (out == NULL)
        return fail(argv[1]);
    const pid_t child = fork();
    if (child == 0)
        start(argv + 2);
    if (child < 0)
        return fail("fork");
    const int status = trace(child, &steps);
    if (status == -1)
        return is_not_allowed(errno) ? NOT_ALLOWED : fail("ptrace");
    fprintf(out, "%" PRIu64 "\n", steps);
    for (size_t i = 0; i < SLOTS; i++) {
        if (slots[i].count != 0)
            fprintf(out, "%" PRIx64 " %" PRIu64 "\n", slots[i].address,
                    slots[i].count);
    }
    if (fclose(out) != 0)
        return fail(argv[1]);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
