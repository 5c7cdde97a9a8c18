// What exports have to tell apart: blocks of one size whose bytes are accessed
// unevenly, one of them more often than DHAT's format counts; blocks that stay;
// recursion; names with quotes, templates and operators; an inlined caller.
#include <cstdlib>
#include <cstring>

#define NOINLINE __attribute__((noinline))

template <typename T> struct pool {
    NOINLINE T *take(std::size_t n)
    {
        return static_cast<T *>(std::malloc(n * sizeof(T)));
    }
    static inline T *inner(std::size_t n)
    {
        return static_cast<T *>(std::malloc(n * sizeof(T)));
    }
};

struct text {
    char *bytes;
    explicit text(std::size_t n) : bytes(new char[n]) {}
    text operator+(int n) const
    {
        return text(std::strlen(bytes) + static_cast<std::size_t>(n));
    }
};

static char *volatile kept[8];

NOINLINE static void *tree(int depth)
{
    void **node = static_cast<void **>(std::malloc(2 * sizeof(void *)));

    node[0] = depth > 0 ? tree(depth - 1) : nullptr;
    node[1] = depth > 1 ? tree(depth - 2) : nullptr;
    return node;
}

NOINLINE static void hot()
{
    volatile char *block = pool<char>().take(200);

    for (int i = 0; i < 70000; i++)
        block[64] = 1;
    for (int i = 0; i < 30; i++)
        block[8 * (i % 3)] = 1;
    std::free(const_cast<char *>(block));
}

int main()
{
    text empty(24);

    empty.bytes[0] = '\0';
    for (int i = 0; i < 8; i++)
        kept[i] = pool<char>::inner(100 + static_cast<std::size_t>(i));
    for (int i = 0; i < 5; i++)
        hot();
    delete[] (empty + 40).bytes;
    delete[] empty.bytes;
    return tree(6) == nullptr;
}
