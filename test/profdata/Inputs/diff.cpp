// diff.cpp -- what diff.test edits and builds anew: call stacks of several kinds.
#include <cstdlib>
#include <vector>

#define KEEP __attribute__((noinline))

void *volatile sink;

template <class T> KEEP static void fill(int n)
{
    std::vector<T> all;

    for (int i = 0; i < n; i++)
        all.push_back(T());
    sink = &all[0];
}

KEEP static void *make(unsigned long size)
{
    char *p = static_cast<char *>(malloc(size));

    p[0] = 1;
    return p;
}

static inline void *make_inlined(unsigned long size)
{
    return make(size + 1);
}

KEEP static void parse(int n)
{
    for (int i = 0; i < n; i++) {
        sink = make(16);
        free(sink);
        sink = make(100);
        free(sink);
        sink = make_inlined(200);
        free(sink);
    }
}

KEEP static void read_all(int n)
{
    sink = malloc(1000 * n);
    free(sink);
    if (n > 1)
        read_all(n - 1);
}

int main()
{
    parse(10);
    read_all(4);
    fill<int>(1000);
    return 0;
}
