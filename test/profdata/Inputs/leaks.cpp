// Five blocks and one that are lost, the one with eight below it; three that a
// variable, a static and a block hold.
#include <stdlib.h>
#include <string.h>

static char *volatile kept_one;

__attribute__((noinline)) static void lost(int n)
{
    char *volatile p = (char *)malloc(100);
    p[0] = (char)n;
}

__attribute__((noinline)) static char *below(int n)
{
    char *volatile p = (char *)malloc(30);
    memset(p, n, 30);
    return p;
}

__attribute__((noinline)) static char **kept(size_t size)
{
    char **const p = (char **)malloc(size);
    memset(p, 0, size);
    return p;
}

__attribute__((noinline)) static void lose_some()
{
    for (int i = 0; i < 5; i++)
        lost(i);
    // Each holds the next.
    char **const head = (char **)malloc(20);
    char **at = head;
    for (int i = 0; i < 8; i++) {
        char *const p = below(0);
        *at = p;
        at = (char **)p;
    }
}

__attribute__((noinline)) static void call_below(void (*function)())
{
    volatile char stack[4096];

    __asm__ volatile("" : : "r"(stack) : "memory");
    function();
    __asm__ volatile("" : : "r"(stack) : "memory");
}

__attribute__((noinline)) static void forget()
{
    volatile char stack[16384];

    memset((void *)stack, 0, sizeof(stack));
    __asm__ volatile("" : : "r"(stack) : "memory");
}

int main()
{
    static char **volatile kept_two;

    kept_one = (char *)kept(1000) + 500;
    kept_two = kept(2000);
    *kept_two = (char *)kept(3000);
    call_below(lose_some);
    forget();
    return 0;
}
