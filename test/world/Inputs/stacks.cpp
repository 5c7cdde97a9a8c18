// stacks.cpp -- allocates where a stack is hard to follow: in callbacks of qsort and
// std::sort, below a shared object without frame pointers, in a signal handler.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <vector>

extern "C" void walk(int depth, void (*leaf)(void));

static void *volatile sink;

static void allocate()
{
    sink = malloc(32);
    free(sink);
}

static int compare(const void *a, const void *b)
{
    allocate();
    return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

static void handle(int)
{
    walk(3, allocate);
}

static void interrupted()
{
    raise(SIGUSR1);
}

int main()
{
    std::vector<int> numbers;

    signal(SIGUSR1, handle);
    for (int round = 0; round < 40; round++) {
        numbers.clear();
        for (int i = 0; i < 16; i++)
            numbers.push_back((i * 7919 + round) % 31);
        qsort(numbers.data(), numbers.size(), sizeof(int), compare);
        std::sort(numbers.begin(), numbers.end(), [](int a, int b) {
            allocate();
            return a % 7 < b % 7;
        });
        for (int depth = 1; depth < 12; depth++)
            walk(depth, allocate);
        walk(4, interrupted);
        raise(SIGUSR1);
    }
    return 0;
}
