/* Events of three names, one of them none, some by the same call stack. */
#include <memprof.h>

__attribute__((noinline)) static void happen(const char *name, unsigned weight)
{
    memprof_event(name, weight);
    __asm__ volatile("" ::: "memory");
}

int main(void)
{
    for (unsigned i = 0; i < 5; i++)
        happen("hit", i * i);
    happen("main (ad-hoc.c:12)", 7);
    happen("", 0);
    happen("", 1);
    return 0;
}
