// Hot and cold objects from one wrapper, through inlined and outlined callers:
// contexts that the compiler annotates.
#include <stddef.h>
#include <stdlib.h>

struct Node {
    Node *next;
    volatile long value;
    char room[112];
};

// Not by new: what LLVM's runtime counts for it depends on its neighbours, and
// must not show in what the compiler writes.
extern "C" __attribute__((noinline)) void *spacer(size_t n)
{
    return malloc(n);
}

__attribute__((noinline)) static Node *make()
{
    spacer(sizeof(Node));
    return new Node;
}

static inline Node *make_inlined(Node *next)
{
    Node *n = make();
    n->next = next;
    return n;
}

__attribute__((noinline)) static Node *hot_list(int n)
{
    Node *list = nullptr;
    for (int i = 0; i < n; i++)
        list = make_inlined(list);
    for (int round = 0; round < 1000; round++)
        for (Node *p = list; p; p = p->next)
            p->value = p->value + 1;
    return list;
}

Node *volatile keep[64];

__attribute__((noinline)) static void cold_array()
{
    for (int i = 0; i < 64; i++)
        keep[i] = make();
    spacer(sizeof(Node));
}

__attribute__((noinline)) static long *only_cold()
{
    spacer(100 * sizeof(long));
    return new long[100];
}

__attribute__((noinline)) static long only_hot()
{
    spacer(16 * sizeof(long));
    volatile long *p = new long[16];
    spacer(16 * sizeof(long));
    for (int i = 0; i < 5000; i++)
        p[i & 15] = i;
    return p[3];
}

long *volatile cold;
volatile long sum;

int main()
{
    Node *list = hot_list(20);
    cold_array();
    cold = only_cold();
    sum = only_hot() + list->value;
    return 0;
}
