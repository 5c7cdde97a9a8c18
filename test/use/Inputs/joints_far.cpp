/* joints_far.cpp -- what stands between main() and the allocations of joints.cpp
 * in another unit. */
#include "joints.h"

NOINLINE char *far_make()
{
    return new char[10];
}

/* Leaves no frame. */
NOINLINE char *far_tail()
{
    [[clang::musttail]] return far_make();
}

NOINLINE char *far_pass()
{
    char *block = far_make();
    asm volatile("" : "+r"(block));
    return block;
}

extern "C" NOINLINE char *far_target()
{
    char *block = far_make();
    asm volatile("" : "+r"(block));
    return block;
}

char *far_alias() __attribute__((alias("far_target")));

/* Two calls, which callers find cold and hot in other combinations. */
NOINLINE char *far_twice(int which)
{
    char *first = new char[10];
    char *second = new char[11];

    asm volatile("" : "+r"(first), "+r"(second));
    return which == 0 ? first : second;
}
