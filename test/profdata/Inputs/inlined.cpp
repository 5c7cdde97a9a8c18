// Names through specifications and abstract origins: members, templates, lambdas,
// constructors, a class inside of a function.
#include "inlined.h"

namespace shop
{
template <typename T> struct stack {
    T items[16];
    unsigned count = 0;

    void push(T item) { items[count++ & 15] = item; }
    T pop();
};

template <typename T> T stack<T>::pop()
{
    return items[--count & 15];
}

struct base {
    int n;
    explicit base(int k) : n(twice(k)) {}
    virtual ~base() { n = 0; }
    virtual int value() const { return often(n); }
};

struct derived : base {
    explicit derived(int k) : base(k + 1) {}
    int value() const override;
};

int derived::value() const
{
    struct local {
        static int help(int k) { return twice(k) + 5; }
    };
    auto add = [this](int k) { return k + local::help(n); };
    return add(n) + base::value();
}
} // namespace shop

__attribute__((noinline)) static int run(int n)
{
    shop::stack<int> stack;
    shop::stack<long> other_stack;
    for (int i = 0; i < n; i++) {
        stack.push(i);
        other_stack.push(often(i));
    }
    shop::derived d(n);
    const shop::base *b = &d;
    return stack.pop() + static_cast<int>(other_stack.pop()) + b->value();
}

int main(int argc, char **)
{
    return run(argc + 3) & 1;
}
