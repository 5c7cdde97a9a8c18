// Profiles are written on a signal and periodically, also by a child. The program sees
// nothing of it in its threads, signals, descriptors and children, even if it creates
// namespaces or reads from a pipe.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -O1 -fno-builtin %s -o %t
// RUN: env MEMPROF_OPTIONS=dump_signal=10 %t view > with; %t view > without
// RUN: diff with without && rm *.raw
// RUN: env MEMPROF_OPTIONS=dump_signal=10:dump_at_exit=0 %t signal 2>&1 | count 0
// RUN: ls | grep -x 'memprof[.]profraw[.][0-9]*\([.][12]\)\?[.]raw' | count 6
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata *.raw | FileCheck %s --check-prefix=SIGNAL --match-full-lines
// The block that is kept, and four more that had ended at each dump.
// SIGNAL-COUNT-2: 5 1
// SIGNAL-NEXT: 9 1
// SIGNAL-NEXT: 9 1
// SIGNAL-NEXT: 13 1
// SIGNAL-NEXT: 13 1
// RUN: rm *.raw && env MEMPROF_OPTIONS=dump_interval=1 %t interval
// RUN: ls *.raw | wc -l | FileCheck %s --check-prefix=MANY
// MANY: {{^([3-9]|[1-9][0-9]+)$}}
// RUN: python3 %S/Inputs/ended_blocks.py %memprofdata *.raw | FileCheck %s --check-prefix=ENDED
// ENDED: 500{{$}}
// A signal that the program handles itself; a number that is no signal; a signal that
// cannot be handled.
// RUN: rm *.raw && env MEMPROF_OPTIONS=dump_signal=10 %t handled 2>&1 | FileCheck %s --check-prefix=THEIRS
// THEIRS: memprof: the program handles the signal of dump_signal itself; choose another one
// RUN: env MEMPROF_OPTIONS=dump_signal=99 %t none 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: memprof: dump_signal must be the number of a signal
// RUN: env MEMPROF_OPTIONS=dump_signal=9 %t none 2>&1 | FileCheck %s --check-prefix=KILL
// KILL: memprof: the signal of dump_signal cannot be handled
// The helper has its program's rights after these change. It ends if the program
// executes another one by a direct system call.
// RUN: rm *.raw; env MEMPROF_OPTIONS=dump_interval=1 %t user
// RUN: env MEMPROF_OPTIONS=dump_interval=1 %t exec | FileCheck %s --check-prefix=EXEC
// EXEC: no child
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *kept;

/* Names in a directory of /proc, and the program's own status. */
static int count_names(const char *path)
{
    DIR *const dir = opendir(path);
    int count = 0;

    while (dir && readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static int view(void)
{
    static const char *const wanted[] = {"Threads:", "SigPnd:", "ShdPnd:",
                                         "SigBlk:", "SigIgn:"};
    char line[256];
    int ends[2];
    int status;
    FILE *const file = fopen("/proc/self/status", "r");

    while (fgets(line, sizeof(line), file)) {
        for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
            if (strncmp(line, wanted[i], strlen(wanted[i])) == 0)
                fputs(line, stdout);
        }
    }
    fclose(file);
    printf("%d tasks, %d descriptors\n", count_names("/proc/self/task"),
           count_names("/proc/self/fd"));
    printf("wait %d", wait(&status));
    printf(" %d", errno == ECHILD);
    printf(" %d %d\n", waitpid(-1, &status, WNOHANG), errno == ECHILD);
    /* The other end of the pipe sees that this end is closed. */
    if (pipe(ends))
        return 1;
    close(ends[1]);
    printf("end of pipe %d\n", (int)read(ends[0], line, 1));
    /* Refused while another process shares the memory. */
    printf("sharing %d\n", unshare(CLONE_VM | CLONE_SIGHAND | CLONE_THREAD));
    fflush(stdout);
    return fork() == 0 ? _exit(0), 0 : wait(&status) == -1;
}

/* Waits for the file with this number. */
static void wait_for_file(int number)
{
    static const char *const names[] = {"", ".1", ".2"};
    char path[64];

    snprintf(path, sizeof(path), "memprof.profraw.%d%s.raw", getpid(),
             names[number]);
    for (int i = 0; i < 12000 && access(path, F_OK) != 0; i++)
        usleep(10000);
}

static void ask(int number)
{
    for (int i = 0; i < 4; i++)
        free(malloc(10));
    kill(getpid(), SIGUSR1);
    wait_for_file(number);
}

static int run_signal(void)
{
    int status = 1;

    kept = malloc(20);
    for (int i = 0; i < 3; i++)
        ask(i);
    if (fork() == 0) {
        kept = malloc(20);
        for (int i = 0; i < 3; i++)
            ask(i);
        _exit(0);
    }
    wait(&status);
    return status;
}

static int run_interval(void)
{
    for (int i = 0; i < 500; i++)
        free(malloc(3));
    wait_for_file(1); /* and one more at the end */
    return 0;
}

static int helper(void)
{
    char path[64];
    int pid = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
    file = fopen(path, "r");
    if (file == 0 || fscanf(file, "%d", &pid) != 1)
        return 0;
    fclose(file);
    return pid;
}

/* Needs root; without it there is nothing to see. */
static int change_user(void)
{
    const int before = helper();
    char path[64];
    char line[256];
    unsigned user = 0;
    FILE *file;

    if (getuid() != 0 || setgid(65534) != 0 || setuid(65534) != 0)
        return 0;
    if (before == 0 || helper() == 0 || helper() == before)
        return 1;
    snprintf(path, sizeof(path), "/proc/%d/status", helper());
    file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file)) {
        if (strncmp(line, "Uid:", 4) == 0)
            user = (unsigned)atoi(line + 4);
    }
    return user != 65534;
}

static int exec_by_hand(void)
{
    char *argv[] = {"sh", "-c",
                    "i=0; while [ $((i += 1)) -lt 3000 ]; do\n"
                    "sleep 0.1; read child < /proc/$$/task/$$/children ||\n"
                    "{ echo no child; exit; }; done; echo $child",
                    0};

    free(malloc(3));
    return (int)syscall(SYS_execve, "/bin/sh", argv, environ);
}

static void handle(int number)
{
    (void)number;
}

int main(int argc, char **argv)
{
    (void)argc;
    if (strcmp(argv[1], "view") == 0)
        return view();
    if (strcmp(argv[1], "signal") == 0)
        return run_signal();
    if (strcmp(argv[1], "interval") == 0)
        return run_interval();
    if (strcmp(argv[1], "user") == 0)
        return change_user();
    if (strcmp(argv[1], "exec") == 0)
        return exec_by_hand();
    if (strcmp(argv[1], "handled") == 0) {
        signal(SIGUSR1, handle);
        return raise(SIGUSR1);
    }
    return 0;
}
