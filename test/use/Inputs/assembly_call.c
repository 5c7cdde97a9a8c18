/* Assembly calls the function that allocates for a list that is walked and for
 * one that is not. */
#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline))

struct node {
    long v[3];
    struct node *next;
};

__attribute__((used)) NOINLINE struct node *inner(long n)
{
    return calloc((size_t)n, sizeof(struct node));
}

NOINLINE static void touch(long n)
{
    __asm__ volatile("" : : "r"(n));
}

NOINLINE static struct node *pick(long n)
{
    struct node *r;
    __asm__ volatile("call inner@PLT"
                     : "=a"(r), "+D"(n)
                     :
                     : "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory",
                       "cc");
    touch(n); /* a call, so that the stack is aligned */
    return r;
}

static inline __attribute__((always_inline)) struct node *list_of(int count)
{
    struct node *list = NULL;

    for (int i = 0; i < count; i++) {
        struct node *const x = pick(1);
        x->next = list;
        list = x;
    }
    return list;
}

NOINLINE static struct node *make(int count)
{
    return list_of(count);
}

NOINLINE static struct node *make_cold(int count)
{
    return list_of(count);
}

int main(void)
{
    struct node *const hot = make(20000);
    struct node *const cold = make_cold(20000);
    long sum = 0;

    for (int round = 0; round < 60; round++) {
        for (struct node *x = hot; x != NULL; x = x->next)
            sum += x->v[round % 3]++;
    }
    printf("%ld %d\n", sum, hot != cold);
    return 0;
}
