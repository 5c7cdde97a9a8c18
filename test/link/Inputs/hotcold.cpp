// One function allocates for a caller whose blocks are read all the time and for
// one whose blocks lie about.
#include <cstddef>

__attribute__((noinline)) char *make(size_t size)
{
    return new char[size];
}

__attribute__((noinline)) char *make_hot()
{
    return make(100);
}

__attribute__((noinline)) char *make_cold()
{
    return make(1000);
}

int main()
{
    char *cold[10];
    char *const hot = make_hot();

    for (char *&p : cold)
        p = make_cold();
    for (int k = 0; k < 1000000; k++) {
        for (int i = 0; i < 100; i++)
            static_cast<volatile char *>(hot)[i] = 1;
    }
    delete[] hot;
    for (char *p : cold)
        delete[] p;
    return 0;
}
