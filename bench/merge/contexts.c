/* contexts.c -- a program with a given number of call stacks, for measuring
 * merges: a chain of calls, then a binary tree of calls whose leaves allocate.
 *
 * usage: contexts LEVELS DEPTH [SEED]
 *
 * It has 2^LEVELS call stacks of LEVELS + DEPTH frames and main's. SEED changes
 * the sizes that the leaves allocate, and skips one leaf in sixteen.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define KEEP_FRAME(x) __asm__ volatile("" : "+r"(x))
/* 64 functions; each calls two others. */
#define ROW(X, n) \
    X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define FUNCTIONS(X) \
    ROW(X, 0)        \
    ROW(X, 1) ROW(X, 2) ROW(X, 3) ROW(X, 4) ROW(X, 5) ROW(X, 6) ROW(X, 7)

static unsigned long seed;

static unsigned long mix(unsigned long x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ul;
    x = (x ^ x >> 27) * 0x94d049bb133111ebul;
    return x ^ x >> 31;
}

/* Allocates one of two kinds of objects; inlined into its callers. */
static inline unsigned long make(unsigned long path)
{
    const unsigned long chance = mix(path * 0x9e3779b97f4a7c15ul + seed);
    unsigned long sum = 0;

    if (seed != 0 && chance % 16 == 0)
        return 0;
    for (unsigned long i = 0; i <= (chance >> 8) % 3; i++) {
        unsigned long *volatile block =
            malloc(sizeof(*block) * (1 + (chance >> 16) % 60));

        *block = path;
        sum += *block;
        free(block);
    }
    return sum;
}

/* Like inserting into a container, which allocates at the end; all inlined. */
static inline unsigned long reserve(unsigned long path)
{
    return make(path) + 1;
}

static inline unsigned long append(unsigned long path)
{
    return reserve(path) ^ path;
}

static inline unsigned long insert(unsigned long path)
{
    return append(path) | 1;
}

typedef unsigned long step_fn(long levels, long depth, unsigned long path);

#define DECLARE(n) static step_fn step_##n;
FUNCTIONS(DECLARE)

#define ENTRY(n) step_##n,
static step_fn *const steps[] = {FUNCTIONS(ENTRY)};
#define STEPS (sizeof(steps) / sizeof(steps[0]))

/* Inlined into its callers, so that an address has two frames. */
static inline unsigned long call(unsigned from, unsigned branch, long levels,
                                 long depth, unsigned long path)
{
    unsigned long sum =
        steps[(5 * from + 7 * branch + 1) % STEPS](levels, depth, path);

    KEEP_FRAME(sum);
    return sum;
}

#define DEFINE(n)                                                   \
    NOINLINE static unsigned long step_##n(long levels, long depth, \
                                           unsigned long path)      \
    {                                                               \
        const unsigned from = 0##n;                                 \
        unsigned long sum;                                          \
                                                                    \
        if (depth > 0)                                              \
            return call(from, 0, levels, depth - 1, path);          \
        if (levels == 0)                                            \
            return insert(path);                                    \
        sum = call(from, 1, levels - 1, 0, 2 * path);               \
        sum += call(from, 2, levels - 1, 0, 2 * path + 1);          \
        KEEP_FRAME(sum);                                            \
        return sum;                                                 \
    }
FUNCTIONS(DEFINE)

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    if (argc > 3)
        seed = strtoul(argv[3], NULL, 10);
    return step_00(atol(argv[1]), atol(argv[2]), 1) == 0;
}
