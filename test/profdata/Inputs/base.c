/* Two dumps of one run. Before the first one, only one of two calls of make() in round()
 * is made; after it, the other one allocates as much as the first one had by then. */
#include <memprof.h>
#include <stdlib.h>

static void *volatile last;

static __attribute__((noinline)) void make(void)
{
    last = malloc(100);
}

static __attribute__((noinline)) void round_of(int first, int second)
{
    for (int i = 0; i < first; i++)
        make(); /* first */
    for (int i = 0; i < second; i++)
        make(); /* second */
}

int main(void)
{
    for (int i = 0; i < 2; i++) {
        round_of(10 + 10 * i, 10 * i);
        if (i == 0)
            memprof_dump();
    }
    return 0;
}
