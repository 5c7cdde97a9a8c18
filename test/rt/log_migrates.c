// The log and the profile agree on the CPU that freed a block, also of a thread that another
// process moves between CPUs all the time.
// RUN: %clang -fmemory-profile %ours-rt -g -O1 -fno-builtin %s -o %t
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d && env MEMPROF_PROFILE_FILE=raw MEMPROF_OPTIONS=log=log %t
// RUN: for f in raw log; do %memprofdata export --format=csv $f -o $f.csv || exit 1; done
// RUN: diff raw.csv log.csv
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOVES 2000

static _Atomic unsigned *moves;

static void move(pid_t pid, const cpu_set_t *allowed)
{
    for (int cpu = 0;; cpu = (cpu + 1) % CPU_SETSIZE) {
        cpu_set_t one;

        if (!CPU_ISSET(cpu, allowed))
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(pid, sizeof(one), &one);
        atomic_fetch_add(moves, 1);
    }
}

int main(void)
{
    const pid_t parent = getpid();
    cpu_set_t allowed;

    moves = mmap(NULL, sizeof(*moves), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sched_getaffinity(0, sizeof(allowed), &allowed);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        move(parent, &allowed);
    }
    /* One block certainly migrates. */
    void *const migrates = malloc(10);
    const int cpu = sched_getcpu();
    while (CPU_COUNT(&allowed) > 1 && sched_getcpu() == cpu) {
    }
    free(migrates);
    while (atomic_load(moves) < MOVES)
        free(malloc(10));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return 0;
}
