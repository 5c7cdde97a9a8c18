// Exceptions thrown through frames and caught; blocks of new in all its forms.
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

static void touch(volatile char *p, int times)
{
    for (int i = 0; i < times; i++)
        p[i] = 1;
}

struct Guard {
    char *block;
    explicit Guard(size_t size) : block(new char[size])
    {
    }
    ~Guard()
    {
        touch(block, 2);
        delete[] block;
    }
};

__attribute__((noinline)) static void thrower(volatile char *p, int depth)
{
    Guard guard(10001);

    // Counts that wait in registers must not be lost on the way out.
    for (int i = 0; i < 10; i++) {
        p[i] = 1;
        if (i == 4 && depth == 0)
            throw std::runtime_error("x");
    }
    thrower(p, depth - 1);
}

int main()
{
    std::unique_ptr<char[]> p(new char[10002]);
    volatile size_t too_much = static_cast<size_t>(-1) / 2;
    int caught = 0;

    for (int i = 0; i < 3; i++) {
        try {
            thrower(p.get(), 2);
        } catch (const std::exception &e) {
            caught++;
        }
    }
    std::vector<char> v;
    v.reserve(10003);
    touch(v.data(), 4);
    auto *aligned = new (std::align_val_t(128)) char[10004];
    touch(aligned, 6);
    operator delete[](aligned, std::align_val_t(128));
    try {
        p.reset(new char[too_much]);
    } catch (const std::bad_alloc &) {
        caught++;
    }
    return caught == 4 ? 0 : 1;
}
