// Containers, exceptions, placement of every operator new: blocks that end and
// begin again; contexts, counts and sizes must agree.
#include <unordered_map>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

struct alignas(128) Wide {
    long a[20];
};

struct Base {
    virtual ~Base() {}
    long id = 0;
};
struct Derived : Base {
    long more[5] = {};
};

template <typename F> __attribute__((noinline)) static long call(F f)
{
    return f();
}

static long maps()
{
    std::unordered_map<int, long> m; /* std::map's walks count with our pass only */
    for (int i = 0; i < 200; i++)
        m[i * 37 % 101] += i;
    return (long)m.size();
}

static long vectors()
{
    std::vector<std::vector<int>> v;
    for (int i = 0; i < 50; i++)
        v.push_back(std::vector<int>((size_t)i, i));
    return v[20][3];
}

static long objects()
{
    std::vector<std::unique_ptr<Base>> all;
    for (int i = 0; i < 40; i++) {
        if (i % 3)
            all.emplace_back(new Base);
        else
            all.emplace_back(new Derived);
        all.back()->id = i;
    }
    return all[10]->id;
}

static long aligned()
{
    std::unique_ptr<Wide> w(new Wide());
    std::unique_ptr<Wide[]> many(new Wide[3]());
    int *n = new (std::nothrow) int[10];
    n[2] = 5;
    long r = w->a[3] + many[1].a[2] + n[2];
    delete[] n;
    return r;
}

static long thrower(int depth)
{
    std::unique_ptr<long> p(new long(depth));
    if (depth == 0)
        throw std::bad_alloc();
    return thrower(depth - 1) + *p;
}

static long exceptions()
{
    long caught = 0;
    for (int i = 0; i < 5; i++) {
        try {
            thrower(i);
        } catch (const std::bad_alloc &) {
            caught++;
        }
    }
    return caught;
}

volatile long sink;

int main()
{
    sink = call(maps) + call(vectors) + call(objects) + call(aligned) +
           call(exceptions);
    return 0;
}
