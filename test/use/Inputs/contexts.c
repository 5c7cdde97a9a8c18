/* Allocation calls of each kind of context. Blocks from cold_...() are written
 * once, those from hot_...() are read in every round. */
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

static long *all[8][100];
static long sum;

/* One call, cold alone; one, hot alone. */
NOINLINE long *only_cold(void) { return malloc(100); }
NOINLINE long *only_hot(void) { return malloc(104); }

/* A wrapper that is inlined: each caller has a call of its own. */
static inline __attribute__((always_inline)) long *inlined(void)
{
    return malloc(108);
}
NOINLINE long *cold_inlined(void) { return inlined(); }
NOINLINE long *hot_inlined(void) { return inlined(); }

/* One that is not: the cold caller gets a clone. */
NOINLINE long *shared(void)
{
    long *block = malloc(112);
    if (block == NULL)
        abort();
    return block;
}
NOINLINE long *cold_shared(void) { return shared(); }
NOINLINE long *hot_shared(void) { return shared(); }

/* Through a recursion. */
NOINLINE long *deep(int depth)
{
    long *block = depth == 0 ? malloc(116) : deep(depth - 1);
    if (block == NULL)
        abort();
    return block;
}
NOINLINE long *cold_deep(void) { return deep(2); }
NOINLINE long *hot_deep(void) { return deep(3); }

/* Jumps to a label whose address is taken: cannot be cloned. */
NOINLINE long *labels(int way)
{
    static void *const where[] = {&&one, &&two};
    long *block = malloc(120);
    goto *where[way];
one:
    block[0] = 1;
    return block;
two:
    block[0] = 2;
    return block;
}
NOINLINE long *cold_labels(void) { return labels(0); }
NOINLINE long *hot_labels(void) { return labels(1); }

int main(void)
{
    for (int i = 0; i < 100; i++) {
        only_cold()[0] = i;
        cold_inlined()[0] = i;
        cold_shared()[0] = i;
        cold_deep()[0] = i;
        cold_labels()[0] = i;
        all[0][i] = only_hot();
        all[1][i] = hot_inlined();
        all[2][i] = hot_shared();
        all[3][i] = hot_deep();
        all[4][i] = hot_labels();
    }
    for (int round = 0; round < 2000; round++) {
        for (int kind = 0; kind < 5; kind++) {
            for (int i = 0; i < 100; i++)
                sum += all[kind][i][1] += round;
        }
    }
    printf("%ld\n", sum);
    return 0;
}
