// Coroutines: frames on the heap, blocks that live across suspensions.
#include <coroutine>
#include <cstdlib>
#include <exception>

struct Task {
    struct promise_type {
        int value = 0;
        Task get_return_object()
        {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() noexcept
        {
            return {};
        }
        std::suspend_always final_suspend() noexcept
        {
            return {};
        }
        std::suspend_always yield_value(int v)
        {
            value = v;
            return {};
        }
        void return_void()
        {
        }
        void unhandled_exception()
        {
            std::terminate();
        }
    };
    std::coroutine_handle<promise_type> handle;
};

Task generate(int n)
{
    volatile char *const p = static_cast<volatile char *>(malloc(10001));

    for (int i = 0; i < n; i++) {
        p[i] = 1;
        co_yield i;
        p[i] = 2;
    }
    free(const_cast<char *>(p));
}

int main()
{
    Task a = generate(5);
    Task b = generate(7);
    int resumed = 0;

    while (!a.handle.done() || !b.handle.done()) {
        if (!a.handle.done())
            a.handle.resume();
        if (!b.handle.done())
            b.handle.resume();
        resumed++;
    }
    a.handle.destroy();
    b.handle.destroy();
    return resumed == 8 ? 0 : 1;
}
