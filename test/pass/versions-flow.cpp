/* Two versions of code, where control takes unusual ways: a loop that runs long, an
 * interpreter with computed goto, recursion, setjmp, exceptions, coroutines, tail calls,
 * signal handlers, and threads that are born in a burst. accesses=all counts each access
 * as code of one version does; accesses=1/N estimates them. */
// RUN: rm -rf %t.*
// RUN: %memprof-clangxx -std=c++20 -O2 -fmemory-profile -pthread %s -o %t.one
// RUN: %memprof-clangxx -std=c++20 -O2 -fmemory-profile -pthread -mllvm -memprof-versions=2 %s -o %t.two
// RUN: env MEMPROF_PROFILE_FILE=%t.one.raw %t.one
// RUN: env MEMPROF_PROFILE_FILE=%t.all.raw %t.two
// RUN: env MEMPROF_PROFILE_FILE=%t.4.raw MEMPROF_OPTIONS=accesses=1/4:sample_seed=5 %t.two
// RUN: env MEMPROF_PROFILE_FILE=%t.32.raw MEMPROF_OPTIONS=accesses=1/32:sample_seed=5 %t.two
// RUN: for f in one all 4 32; do %memprofdata export --format=csv %t.$f.raw > %t.$f.csv || exit 1; done
// RUN: python3 %S/Inputs/flow.py %t.one.csv %t.all.csv %t.4.csv %t.32.csv
#include <coroutine>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <pthread.h>

#define OWN __attribute__((noinline))

using numbers = volatile unsigned;

OWN static void long_loop()
{
    auto *const p = (numbers *)malloc(4096);

    for (unsigned i = 0; i < 8000000; i++)
        p[i & 1023] = p[i * 7 & 1023] + i;
    free((void *)p);
}

OWN static void interpreter()
{
    static void *const labels[] = {&&add, &&store, &&skip, &&again};
    static const unsigned char code[] = {0, 1, 0, 2, 1, 0, 1, 3};
    auto *const p = (numbers *)malloc(4096);
    unsigned at = 0, sum = 0, rounds = 0;

#define NEXT goto *labels[code[at++]]
    NEXT;
add:
    sum += p[rounds & 1023];
    NEXT;
store:
    p[sum & 1023] = sum;
    NEXT;
skip:
    at += rounds & 1;
    NEXT;
again:
    at = 0;
    if (++rounds < 1000000)
        NEXT;
    free((void *)p);
}

OWN static unsigned descend(numbers *p, unsigned depth)
{
    p[depth & 1023] = depth;
    if (depth == 0)
        return p[0];
    return descend(p, depth - 1) + p[depth * 3 & 1023];
}

OWN static void recursion()
{
    auto *const p = (numbers *)malloc(4096);

    for (unsigned i = 0; i < 400; i++)
        descend(p, 9000);
    free((void *)p);
}

static jmp_buf back;

OWN static void leave(numbers *p, unsigned depth)
{
    p[depth]++;
    if (depth == 0)
        longjmp(back, 1);
    leave(p, depth - 1);
    p[depth] += 2;
}

OWN static void jumps()
{
    auto *const p = (numbers *)malloc(4096);
    volatile unsigned round = 0;

    setjmp(back);
    p[round & 1023]++;
    if (round < 400000) {
        round = round + 1;
        leave(p, round % 13);
    }
    free((void *)p);
}

OWN static unsigned throws(numbers *p, unsigned i)
{
    p[i & 1023]++;
    if (i % 5 == 0)
        throw i;
    return p[i * 3 & 1023];
}

OWN static void exceptions()
{
    auto *const p = (numbers *)malloc(4096);

    for (unsigned i = 0; i < 1000000; i++) {
        try {
            p[2] = throws(p, i);
        } catch (unsigned caught) {
            p[caught & 1023] += 3;
        }
    }
    free((void *)p);
}

struct generator {
    struct promise_type {
        unsigned value;
        generator get_return_object()
        {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(unsigned v)
        {
            value = v;
            return {};
        }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
};

OWN static generator generate(numbers *p, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        p[i & 1023] = i;
        co_yield p[i * 5 & 1023];
        p[(i + 1) & 1023]++;
    }
}

OWN static void coroutine()
{
    auto *const p = (numbers *)malloc(4096);
    const generator g = generate(p, 1000000);

    for (; !g.handle.done(); g.handle.resume())
        p[3] = p[3] + 1;
    g.handle.destroy();
    free((void *)p);
}

OWN static unsigned odd(numbers *p, unsigned n);
OWN static unsigned even(numbers *p, unsigned n)
{
    p[n & 1023]++;
    if (n == 0)
        return 0;
    [[clang::musttail]] return odd(p, n - 1);
}
OWN static unsigned odd(numbers *p, unsigned n)
{
    p[n * 3 & 1023] += 2;
    if (n == 0)
        return 1;
    [[clang::musttail]] return even(p, n - 1);
}

OWN static void tail_calls()
{
    auto *const p = (numbers *)malloc(4096);

    for (unsigned i = 0; i < 100; i++)
        even(p, 30000 + i);
    free((void *)p);
}

static numbers *handled;

static void handle(int number)
{
    for (unsigned i = 0; i < 1000; i++)
        handled[(unsigned)number + i & 1023]++;
}

OWN static void handlers()
{
    handled = (numbers *)malloc(4096);
    signal(SIGUSR1, handle);
    for (unsigned i = 0; i < 2000; i++) {
        handled[i & 1023]++;
        raise(SIGUSR1);
        handled[i * 3 & 1023]++;
    }
    free((void *)handled);
}

static void *run(void *argument)
{
    auto *const p = (numbers *)argument;

    for (unsigned i = 0; i < 200; i++)
        p[i] += i;
    return nullptr;
}

OWN static void threads()
{
    auto *const p = (numbers *)malloc(4096);

    for (unsigned i = 0; i < 2000; i++) {
        pthread_t thread;
        for (unsigned k = 0; k < 100; k++)
            p[k] += k;
        if (pthread_create(&thread, nullptr, run, (void *)p) != 0)
            abort();
        pthread_join(thread, nullptr);
    }
    free((void *)p);
}

int main()
{
    long_loop();
    interpreter();
    recursion();
    jumps();
    exceptions();
    coroutine();
    tail_calls();
    handlers();
    threads();
    return 0;
}
