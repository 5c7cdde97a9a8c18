// The same as context_values.c in C++: callbacks through libstdc++, exceptions, virtual
// functions, coroutines, tail calls.
// DEFINE: %{how} =
// DEFINE: %{check} = rm -rf %t.dir && mkdir %t.dir && \
// DEFINE:   %memprof-clangxx -std=c++20 -fmemory-profile -mllvm -memprof-context-values %{how} -pthread %s -o %t && \
// DEFINE:   env MEMPROF_OPTIONS=context=both MEMPROF_PROFILE_FILE=%t.dir/raw %t 2> %t.err && \
// DEFINE:   FileCheck --allow-empty --check-prefix=SAME --input-file=%t.err %s && \
// DEFINE:   %memprofdata merge --text %t.dir/raw -o %t.json && \
// DEFINE:   FileCheck --input-file=%t.json %s
// REDEFINE: %{how} = -O0
// RUN: %{check}
// REDEFINE: %{how} = -O1
// RUN: %{check}
// REDEFINE: %{how} = -O2
// RUN: %{check}
// REDEFINE: %{how} = -O3
// RUN: %{check}
// SAME-NOT: {{.}}
// CHECK: "CONTEXT_CHECKS":{{[0-9][0-9][0-9][0-9][0-9]}}
// CHECK-NOT: "CONTEXT_DIFFERENCES"
#include <algorithm>
#include <coroutine>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define NOINLINE __attribute__((noinline))

static volatile int sink;

NOINLINE static void take(size_t size)
{
    char *volatile p = new char[size];
    sink = sink + (p != nullptr);
    delete[] p;
}

struct Shape {
    virtual ~Shape() = default;
    virtual void draw(int deep) = 0;
};
static Shape *shapes[2];
struct Square : Shape {
    NOINLINE void draw(int deep) override
    {
        take(16);
        if (deep != 0)
            shapes[deep & 1]->draw(deep >> 1);
    }
};
struct Circle : Shape {
    NOINLINE void draw(int deep) override
    {
        if (deep != 0)
            shapes[deep & 1]->draw(deep >> 1);
        take(17);
    }
};

struct Throws {
    explicit Throws(int n)
    {
        if (n & 1)
            throw std::runtime_error("odd");
    }
    ~Throws() { take(30); }
};
struct Cleans {
    ~Cleans() { take(31); }
};
NOINLINE void may_throw(int n, int deep)
{
    Cleans cleans;
    if (deep == 0) {
        take(32);
        Throws throws(n);
        return;
    }
    may_throw(n, deep - 1);
    take(33);
}
NOINLINE void catches(int n)
{
    try {
        may_throw(n, n % 5);
        take(34);
    } catch (const std::exception &e) {
        take(35);
    }
    take(36);
}

// libstdc++ calls back, catches, and calls again.
struct Letters : std::streambuf {
    int overflow(int c) override
    {
        take(48);
        if (c == 'x')
            throw 1;
        return c;
    }
    int sync() override
    {
        take(49);
        return 0;
    }
};
NOINLINE void print(int n)
{
    Letters letters;
    std::ostream out(&letters);
    out << "a";
    out << (n & 1 ? "x" : "y") << "z";
    out.clear();
    out << n << std::flush;
}

NOINLINE void call_back(int n)
{
    std::vector<std::function<void()>> list;
    list.emplace_back([] { take(50); });
    list.emplace_back([n] { take(51 + n % 2); });
    for (auto &f : list)
        f();
    std::map<int, std::string> names;
    for (int i = 0; i < 4; i++)
        names[i * n % 7] = std::string(40 + i, 'x');
    std::vector<int> v{5, 2, 8, 1};
    std::sort(v.begin(), v.end(), [](int a, int b) {
        take(52);
        return a < b;
    });
    static std::once_flag flags[100];
    std::call_once(flags[n % 100], [] { take(53); });
}

struct Generator {
    struct promise_type {
        int value = 0;
        Generator get_return_object()
        {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int v)
        {
            take(64);
            value = v;
            return {};
        }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
};
NOINLINE Generator count(int n)
{
    for (int i = 0; i < n; i++) {
        take(65);
        co_yield i;
        take(66);
    }
}
NOINLINE void generate(int n)
{
    Generator g = count(n % 4 + 1);
    while (!g.handle.done()) {
        g.handle.resume();
        take(67);
    }
    g.handle.destroy();
}

NOINLINE int tail_even(int n);
NOINLINE int tail_odd(int n)
{
    take(80);
    if (n == 0)
        return 1;
#if __has_cpp_attribute(clang::musttail)
    [[clang::musttail]]
#endif
    return tail_even(n - 1);
}
NOINLINE int tail_even(int n)
{
    take(81);
    if (n == 0)
        return 0;
#if __has_cpp_attribute(clang::musttail)
    [[clang::musttail]]
#endif
    return tail_odd(n - 1);
}

static void work()
{
    for (int i = 0; i < 200; i++) {
        shapes[0]->draw(i);
        catches(i);
        print(i);
        call_back(i);
        generate(i);
        sink = sink + tail_odd(i % 7);
    }
}

struct Early {
    Early() { take(90); }
    ~Early() { take(91); }
} early;

// A function that only throws leaves no value: the exception is not the call for which
// a call by pointer left the stack pointer.
static char *(*volatile give)(int) = [](int) -> char * { return nullptr; };
NOINLINE static void ask(int size)
{
    auto *p = static_cast<volatile char *>(__builtin_alloca(size));
    p[0] = 1;
    sink = sink + (give(size) != nullptr) + p[0];
}
NOINLINE static void only_throw()
{
    if (sink >= 0)
        throw 1;
    sink = 0;
}
NOINLINE static void throw_here()
{
    only_throw();
    sink = 0;
}
NOINLINE static void throw_there()
{
    only_throw();
    sink = 1;
}
NOINLINE static void throw_after_asking(int size)
{
    for (volatile int i = 0; i < 2; i = i + 1) {
        ask(size);
        try {
            if (i == 0)
                throw_here();
            else
                throw_there();
        } catch (int) {
        }
    }
}

int main()
{
    // Every value that the stack pointer may have had.
    for (int size = 16; size < 512; size += 16)
        throw_after_asking(size);
    shapes[0] = new Square;
    shapes[1] = new Circle;
    work();
    std::thread thread(work);
    thread.join();
    std::async(std::launch::async, work).get();
    delete shapes[0];
    delete shapes[1];
    return 0;
}
