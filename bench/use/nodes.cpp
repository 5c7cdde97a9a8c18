/* nodes.cpp -- as nodes.c, in C++: each node has notes, behind a
 * std::unique_ptr, that are hardly ever read.
 *
 * usage: nodes COUNT WALKS
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "bench/use/walk.h"
#ifdef HINTS
#include "inc/memprof_hints.h"
#define COLD (static_cast<__hot_cold_t>(MEMPROF_HINT_COLD))
#define HOT (static_cast<__hot_cold_t>(MEMPROF_HINT_HOT))
#else
#define COLD
#define HOT
#endif

namespace
{

/* As large as a node, as an allocator sees it. */
struct Note {
    Note(unsigned long key, Note *rest) : next(rest)
    {
        std::memset(text, 'a' + static_cast<int>(key % 26), sizeof(text));
    }
    ~Note()
    {
        delete next;
    }
    Note *next;
    char text[32];
};

Note *notes(unsigned long key)
{
    Note *first = nullptr;

    for (int i = 0; i < 7; i++)
        first = new COLD Note(key, first);
    return first;
}

struct Node {
    explicit Node(unsigned long k) : key(k), note(notes(k))
    {
    }
    Node *next = nullptr;
    unsigned long key;
    std::unique_ptr<Note> note;
    unsigned long flags[2] = {};
};

unsigned long walk(const Node *first)
{
    unsigned long sum = 0;

    for (const Node *n = first; n != nullptr; n = n->next)
        sum += n->key % 4096 == 4095
                   ? static_cast<unsigned long>(n->note->text[0])
                   : n->key;
    return sum;
}

} // namespace

int main(int argc, char **argv)
{
    const unsigned long count =
        argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
    const int walks = argc > 2 ? std::atoi(argv[2]) : 1;
    Node *first = nullptr, **end = &first;
    unsigned long sum = 0;

    for (unsigned long key = 0; key < count; key++) {
        *end = new HOT Node(key);
        end = &(*end)->next;
    }
    const double begin = walk_now_us();
    for (int i = 0; i < walks; i++)
        sum += walk(first);
    const double us = walk_now_us() - begin;

    walk_forget_pages();
    sum += walk(first);
    walk_report(us, sum);
    while (first != nullptr) {
        Node *const next = first->next;
        delete first;
        first = next;
    }
}
