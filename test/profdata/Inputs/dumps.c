// Two dumps in one file, in LLVM's format.
#include <stdlib.h>

int __memprof_profile_dump(void);

__attribute__((noinline)) static void *make(size_t n)
{
    return malloc(n);
}

int main(void)
{
    void *volatile first = make(1000);
    __memprof_profile_dump();
    void *volatile second = make(3000);
    free(first);
    free(second);
    return 0;
}
