#include <map>
#include <string>
#include <vector>
#include <memory>
#include <unistd.h>
#include <cstring>
struct Base {
    virtual ~Base()
    {
    }
    virtual long f() = 0;
};
struct A : Base {
    char b[100];
    long f() override
    {
        long s = 0;
        for (char c : b)
            s += c;
        return s;
    }
};
struct B : Base {
    char b[3000];
    long f() override
    {
        return b[0];
    }
};
template <class T> __attribute__((noinline)) std::unique_ptr<Base> make()
{
    return std::unique_ptr<Base>(new T());
}
static inline char *buf(int n)
{
    return new char[n];
}
__attribute__((noinline)) char *hot()
{
    char *p = buf(64);
    for (int k = 0; k < 100000; k++)
        ((volatile char *)p)[k % 64]++;
    return p;
}
__attribute__((noinline)) char *cold()
{
    char *p = buf(640);
    return p;
}
__attribute__((noinline)) char *shared_(int n)
{
    return new char[n];
}
__attribute__((noinline)) char *hot2()
{
    char *p = shared_(64);
    for (int k = 0; k < 100000; k++)
        ((volatile char *)p)[k % 64]++;
    return p;
}
__attribute__((noinline)) char *cold2()
{
    return shared_(900);
}
long run()
{
    std::map<std::string, std::vector<int>> m;
    for (int i = 0; i < 200; i++) {
        m["key number something " + std::to_string(i % 17)].push_back(i);
    }
    long t = 0;
    for (auto &k : m)
        for (int v : k.second)
            t += v;
    return t;
}
int main()
{
    std::vector<std::unique_ptr<Base>> v;
    for (int i = 0; i < 50; i++) {
        v.push_back(make<A>());
        v.push_back(make<B>());
    }
    long t = run();
    for (auto &p : v)
        t += p->f();
    char *a = hot();
    char *b = cold();
    char *c = hot2();
    char *d = cold2();
    usleep(300000);
    delete[] a;
    delete[] b;
    delete[] c;
    delete[] d;
    return t == 42;
}
