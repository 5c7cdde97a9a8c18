/* Blocks that are read all the time and others that are not, both from functions whose
 * calls the optimizer changes: one does not use an argument, one reads a pointer. */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000 };

__attribute__((noinline)) long *get(int unused)
{
    return malloc(40);
}

__attribute__((noinline)) static long *make(const long *size, int unused)
{
    long *const block = malloc((size_t)*size);

    if (block == NULL)
        abort();
    return block;
}

__attribute__((noinline)) void fill(long **hot, long size)
{
    for (int i = 0; i < COUNT; i++)
        *(hot[i] = i % 2 ? get(1) : make(&size, 1)) = i;
}

__attribute__((noinline)) void keep(long **cold, long size)
{
    for (int i = 0; i < COUNT; i++)
        *(cold[i] = i % 2 ? get(2) : make(&size, 2)) = i;
}

int main(void)
{
    static long *hot[COUNT], *cold[COUNT];
    long sum = 0;

    fill(hot, 48);
    keep(cold, 56);
    for (int round = 0; round < 20000; round++) {
        for (int i = 0; i < COUNT; i++)
            sum += (*hot[i])++;
    }
    for (int i = 0; i < COUNT; i++)
        free(cold[i]);
    printf("%ld\n", sum);
    return 0;
}
