// heaptrack-diff.cpp -- call stacks through templates, inlined functions and
// operator new, for profiles of two tools.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <vector>

struct node {
    node *next;
    long values[4];
};

static node *volatile keep;
static char *volatile kept;

template <class T> __attribute__((noinline)) T *make(unsigned long count)
{
    T *const made = new T[count];
    return made;
}

__attribute__((noinline)) void leaf(unsigned size)
{
    kept = static_cast<char *>(malloc(size));
    kept[0] = 1;
    free(kept);
}

__attribute__((noinline)) void parse(unsigned count)
{
    std::vector<int> numbers;

    for (unsigned i = 0; i < count; i++)
        leaf(1000 + i);
    leaf(5000);
    keep = make<node>(count);
    for (unsigned i = 0; i < count; i++)
        numbers.push_back(static_cast<int>(i));
    delete[] keep;
}

int main(int argc, char **)
{
    parse(100u * static_cast<unsigned>(argc));
    return 0;
}
