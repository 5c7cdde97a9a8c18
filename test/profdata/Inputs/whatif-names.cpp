// Blocks of a template function, and of a member of a template.
#include <stdlib.h>

template <class T> struct list {
    T *volatile block;
    __attribute__((noinline)) void grow() { block = (T *)malloc(sizeof(T) * 4); }
};

template <class T> __attribute__((noinline)) T *make(long n)
{
    return (T *)malloc(sizeof(T) * n);
}

int main()
{
    static list<long> longs;
    static int *volatile ints;

    longs.grow();
    ints = make<int>(10);
}
