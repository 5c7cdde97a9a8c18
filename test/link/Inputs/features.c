/* What compilers turn into unusual control flow or unusual accesses. */
#include "program.h"
#include <setjmp.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

static jmp_buf place;

NOINLINE static void jump(volatile char *p)
{
    // Counts that wait in registers must be there when the jump is taken.
    for (int i = 0; i < 100; i++) {
        p[i] = 1;
        if (i == 4)
            longjmp(place, 1);
    }
}

NOINLINE static void jumping(void)
{
    volatile char *const p = malloc(10001);
    volatile int times = 0;

    if (setjmp(place) != 0)
        times++;
    p[0] = 1;
    if (times < 3)
        jump(p);
    p[1] = 2;
    free((void *)p);
}

// Accesses by inline assembly are nobody's; those around it count.
NOINLINE static void assembly(void)
{
    volatile char *const p = malloc(10002);

    p[0] = 1;
    __asm__ volatile("movb $3, 1(%0)" : : "r"(p) : "memory");
    p[2] = 2;
    __asm__ goto("testb $1, (%0)\n\tjnz %l1" : : "r"(p) : "memory" : odd);
    p[3] = 3;
odd:
    p[4] = 4;
    free((void *)p);
}

typedef int lanes __attribute__((vector_size(32)));

NOINLINE static void vectors(void)
{
    volatile lanes *const p = aligned_alloc(64, 10048);
    lanes v = {1, 2, 3, 4, 5, 6, 7, 8};

    for (int i = 0; i < 10; i++)
        p[i] = v + i;
    if (p[3][1] != 5)
        abort();
    free((void *)p);
}

// A tail call that leaves the function with counts.
NOINLINE static int last(volatile int *p, int n)
{
    p[n] = n;
    return n == 0 ? p[0] : last(p, n - 1);
}

NOINLINE static void computed_goto(void)
{
    static void *const targets[] = {&&even, &&odd, &&end};
    volatile char *const p = malloc(10003);
    int i = 0;

next:
    goto *targets[i == 20 ? 2 : i % 2];
even:
    p[i++] = 1;
    goto next;
odd:
    p[i] = 1;
    p[i++] = 2;
    goto next;
end:
    free((void *)p);
}

int main(void)
{
    int *const p = calloc(2501, 4);

    jumping();
    assembly();
    vectors();
    last(p, 9);
    free(p);
    computed_goto();
    return 0;
}
