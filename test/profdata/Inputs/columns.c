/* Call stacks that differ only by column, and one that differs by line. */
#include <stdlib.h>

__attribute__((noinline)) static void *make(size_t n)
{
    return calloc(1, n);
}

__attribute__((noinline)) static void use(size_t n)
{
    free(make(n));
}

int main(void)
{
    // clang-format off
    use(3000); use(2000);
    // clang-format on
    use(1000);
    return 0;
}
