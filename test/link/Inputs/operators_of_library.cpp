#include <cstdio>
#include <new>

extern long made, gone;

int main()
{
    int *volatile a = new int;
    int *volatile b = new int[3];
    int *volatile c = new (std::nothrow) int;
    int *volatile d = new (std::nothrow) int[3];
    delete a;
    delete[] b;
    delete c;
    delete[] d;
    std::printf("%ld %ld\n", made, gone);
    return 0;
}
