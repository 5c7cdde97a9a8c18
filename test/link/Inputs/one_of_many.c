/* A library of which many-libraries.test loads copies. */
#include <stdlib.h>

__attribute__((noinline)) long sum_of(int count)
{
    volatile long *const p = malloc((size_t)count * sizeof(*p));
    long sum = 0;

    for (int i = 0; i < count; i++)
        p[i] = 1;
    for (int i = 0; i < count; i++)
        sum += p[i];
    free((void *)p);
    return sum;
}
