// Inlining at several depths, a cold part, a function that the linker drops, and
// one in another unit.
#include "inlined.h"

__attribute__((noinline, cold)) static int rare(int n)
{
    return often(n) / (n | 1);
}

static inline __attribute__((always_inline)) int deep(int n)
{
    if (__builtin_expect(n == 77, 0))
        return rare(n) + often(n + 1);
    return often(n) + twice(n);
}

int dropped(int n)
{
    return deep(n) + rare(n + 2);
}

__attribute__((noinline)) int kept(int n)
{
    switch (n & 7) {
    case 0: return deep(n); case 1: return twice(deep(n + 1));
    case 2: return rare(n) - 3;
    default: break;
    }
    return n * deep(n - 1);
}

int main(int argc, char **argv)
{
    (void)argv;
    return (kept(argc) + other(argc)) & 1;
}
