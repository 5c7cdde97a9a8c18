/* Dumps in three epochs; epochs.py knows what they hold. */
#include <memprof.h>
#include <stdlib.h>

static void *blocks[16];

__attribute__((noinline)) static void *make(void)
{
    return malloc(1000);
}

static void fill(int from, int to)
{
    for (int i = from; i < to; i++)
        blocks[i] = make();
}

static void empty(int from, int to)
{
    for (int i = from; i < to; i++)
        free(blocks[i]);
}

int main(void)
{
    fill(0, 10);
    memprof_dump(); /* 10 live */
    empty(0, 4);
    memprof_dump(); /* 4 ended, 6 live */
    memprof_reset();
    fill(0, 3);
    memprof_dump(); /* 9 live */
    empty(0, 3);
    empty(4, 10);
    memprof_dump(); /* 9 ended */
    memprof_reset();
    fill(0, 2);
    return 0; /* 2 live */
}
