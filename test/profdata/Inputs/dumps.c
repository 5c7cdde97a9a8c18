// Two dumps in one file, in LLVM's format. Blocks of both are freed on another
// processor than they were allocated on, where there are two.
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>

int __memprof_profile_dump(void);

static cpu_set_t all;

static void move(int turn)
{
    cpu_set_t one;
    int cpu = 0;

    for (int left = CPU_COUNT(&all) > 1 ? turn : 0;; cpu++) {
        if (CPU_ISSET(cpu, &all) && left-- == 0)
            break;
    }
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof(one), &one);
}

__attribute__((noinline)) static void *make(size_t n)
{
    return malloc(n);
}

int main(void)
{
    void *volatile first;
    void *volatile second;

    sched_getaffinity(0, sizeof(all), &all);
    move(0);
    first = make(1000);
    __memprof_profile_dump();
    second = make(3000);
    move(1);
    free(first);
    free(second);
    return 0;
}
