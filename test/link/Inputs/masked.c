/* A loop that is vectorized with masked stores: active lanes count. */
#include <stdlib.h>

__attribute__((noinline)) static void fill(int *restrict p,
                                           const int *restrict wanted, int n)
{
    for (int i = 0; i < n; i++) {
        if (wanted[i] > 0)
            p[i] = i;
    }
}

__attribute__((noinline)) static int collect(const int *restrict from,
                                             const int *restrict which, int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += from[which[i]];
    return sum;
}

int main(void)
{
    static int wanted[2500];
    static int which[2500];
    int *const p = (int *)malloc(10000);
    int *const q = (int *)calloc(2501, 4);
    int sum;

    for (int i = 0; i < 2500; i++) {
        wanted[i] = i % 5 == 0;
        which[i] = i;
    }
    fill(p, wanted, 2500);
    sum = collect(q, which, 2500);
    free(p);
    free(q);
    return sum;
}
