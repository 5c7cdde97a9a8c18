// qux into foo into bar, which main calls.
#include <cstdlib>

__attribute__((always_inline)) static inline char *qux(int n)
{
    return static_cast<char *>(malloc(static_cast<size_t>(n)));
}

__attribute__((always_inline)) static inline char *foo(int n)
{
    return qux(n + 1);
}

__attribute__((noinline)) char *bar(int n)
{
    return foo(n + 1);
}

int main()
{
    for (int i = 0; i < 2; i++) {
        volatile char *p = bar(8);
        *p = 1;
        free(const_cast<char *>(p));
    }
    return 0;
}
