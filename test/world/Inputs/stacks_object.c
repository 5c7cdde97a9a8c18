/* stacks_object.c -- a shared object without frame pointers, whose frames are of
 * many sizes, some of them only known when the program runs. */
#include <alloca.h>

__attribute__((noinline)) static void fixed(int depth, void (*leaf)(void));

__attribute__((noinline)) static void variable(int depth, void (*leaf)(void))
{
    volatile char *bytes = alloca(16 + 24 * (unsigned)depth);

    bytes[0] = 1;
    fixed(depth - 1, leaf);
    bytes[1] = 2;
}

static void fixed(int depth, void (*leaf)(void))
{
    volatile int numbers[40] = {depth};

    if (depth <= 0)
        leaf();
    else if (depth % 3 == 0)
        variable(depth, leaf);
    else
        fixed(depth - 1, leaf);
    numbers[1] = numbers[0];
}

void walk(int depth, void (*leaf)(void));
void walk(int depth, void (*leaf)(void))
{
    fixed(depth, leaf);
}
