/* Blocks that stay and blocks that are freed, of many sizes, below functions that
 * call themselves and each other. */
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define KEEP_FRAME() __asm__ volatile("" ::: "memory")

static void *volatile kept;

NOINLINE static void keep(size_t size)
{
    void **block = malloc(size + sizeof(void *));
    *block = kept;
    kept = block;
    KEEP_FRAME();
}

NOINLINE static void drop(size_t size)
{
    char *volatile block = malloc(size);
    block[0] = 1;
    free(block);
    KEEP_FRAME();
}

NOINLINE static void odd(int depth);

NOINLINE static void even(int depth)
{
    if (depth == 0)
        drop(17);
    else
        odd(depth - 1);
    KEEP_FRAME();
}

NOINLINE static void odd(int depth)
{
    if (depth == 0)
        keep(33);
    else
        even(depth - 1);
    KEEP_FRAME();
}

NOINLINE static void again(int depth)
{
    drop((size_t)depth + 1);
    if (depth != 0)
        again(depth - 1);
    KEEP_FRAME();
}

int main(void)
{
    for (int i = 0; i < 11; i++) {
        keep((size_t)i * i * 10);
        drop((size_t)(i % 4) * 1000 + 3);
        even(i);
    }
    again(5);
    /* The peak, which is a block that is alone in its call stack. */
    drop(5000);
    return kept == NULL;
}
