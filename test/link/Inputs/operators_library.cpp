// A library that replaces two operators.
#include <cstdlib>
#include <new>

long made, gone;

void *operator new(std::size_t n)
{
    made++;
    return static_cast<long *>(std::malloc(n + 16)) + 2;
}

void operator delete(void *p) noexcept
{
    gone++;
    std::free(static_cast<long *>(p) - 2);
}

#ifdef MALLOC
extern "C" void *malloc(std::size_t)
{
    static char block[4096];
    return block;
}
#endif
