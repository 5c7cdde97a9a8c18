/* chase.c -- counting only: walks a list of 64-byte nodes in random order in 64
 * MiB; each node is a cache miss.
 *
 * usage: chase HOPS NODES
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench/micro/bench.h"

struct node {
    struct node *next;
    unsigned long value;
    char rest[48];
};

BENCH_NOINLINE static unsigned long chase(const struct node *at, long hops)
{
    unsigned long sum = 0;

    for (; hops > 0; hops--) {
        sum += at->value;
        at = at->next;
    }
    return sum;
}

int main(int argc, char **argv)
{
    const long hops = bench_argument(argc, argv, 1, 2000000);
    const long n = bench_argument(argc, argv, 2, 1l << 20);
    struct node *const nodes =
        (struct node *)malloc((size_t)n * sizeof(*nodes));
    long *const order = (long *)malloc((size_t)n * sizeof(*order));
    unsigned seed = 7;

    for (long i = 0; i < n; i++)
        order[i] = i;
    for (long i = n - 1; i > 0; i--) {
        const long j = (long)(bench_random(&seed) % (unsigned)(i + 1));
        const long t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (long i = 0; i < n; i++) {
        nodes[order[i]].next = &nodes[order[(i + 1) % n]];
        nodes[order[i]].value = (unsigned long)i;
    }
    chase(nodes, 1000);
    bench_begin();
    const unsigned long sum = chase(nodes, hops);
    bench_end(hops);
    bench_result(sum);
    free(order);
    free(nodes);
    return 0;
}
