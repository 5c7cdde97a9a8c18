/* main.cpp -- the callers. */
#include "kinds.h"

#include <cstdio>
#include <cstring>

enum { NODES = 600, ROUNDS = 60 };

static node *push(node *n, node *head, long *sum)
{
    *sum += n->v[1];
    memset(n->v, 0, sizeof(n->v));
    n->next = head;
    return n;
}

#define CALLERS(name)                                         \
    NOINLINE node *hot_##name(long *sum)                      \
    {                                                         \
        node *head = nullptr;                                 \
        for (int i = 0; i < NODES; i++)                       \
            head = push(pick_##name(1), head, sum);           \
        return head;                                          \
    }                                                         \
    NOINLINE node *cold_##name(long *sum)                     \
    {                                                         \
        node *head = nullptr;                                 \
        for (int i = 0; i < NODES; i++)                       \
            head = push(pick_##name(2), head, sum);           \
        return head;                                          \
    }                                                         \
    NOINLINE void run_##name()                                \
    {                                                         \
        long sum = 0;                                         \
        node *hot = hot_##name(&sum), *cold = cold_##name(&sum); \
        for (int round = 0; round < ROUNDS; round++)          \
            for (node *n = hot; n != nullptr; n = n->next)    \
                sum += n->v[round % 3]++;                     \
        std::printf(#name " %ld %d\n", sum, hot != cold);     \
    }
KINDS(CALLERS)

int main()
{
#define RUN(name) run_##name();
    KINDS(RUN)
    return 0;
}
