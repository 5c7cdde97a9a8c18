/* pointer.c -- blocks of a function that is called through a pointer, which
 * hides who asks: one caller's blocks are cold, the other's are not. */
#include <stdio.h>
#include <stdlib.h>

static void *fetch(size_t size)
{
    return malloc(size);
}

static void *(*volatile fetcher)(size_t) = fetch;

__attribute__((noinline)) long *make_cold(void)
{
    return fetcher(256);
}

__attribute__((noinline)) long *make_hot(void)
{
    return fetcher(256);
}

static long *all[2][50];

int main(void)
{
    long sum = 0;

    for (int i = 0; i < 50; i++) {
        all[0][i] = make_cold();
        all[1][i] = make_hot();
        all[1][i][1] = i;
    }
    for (int round = 0; round < 500; round++) {
        for (int i = 0; i < 50; i++)
            sum += all[1][i][1]++;
    }
    printf("%ld\n", sum);
    return 0;
}
