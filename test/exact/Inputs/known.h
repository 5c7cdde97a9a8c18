/* known.h -- a ledger of what the program did to its blocks, by allocating
 * function, printed at the end for exact.py.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SITES_MAX 64

struct site {
    const char *name;
    uint64_t blocks, bytes, accesses, fewest, most;
};

/* Not on the heap, so that the ledger does not count itself. */
static struct site sites[SITES_MAX];

/* Thread-safe: every thread has sites of its own. */
static void ended(int id, const char *name, uint64_t bytes, uint64_t accesses)
{
    struct site *s = &sites[id];

    if (s->blocks == 0 || accesses < s->fewest)
        s->fewest = accesses;
    if (accesses > s->most)
        s->most = accesses;
    s->name = name;
    s->blocks++;
    s->bytes += bytes;
    s->accesses += accesses;
}

static void print_sites(void)
{
    char line[200];

    for (int i = 0; i < SITES_MAX; i++) {
        const struct site *s = &sites[i];
        int n = 0;

        if (s->blocks == 0)
            continue;
        n = snprintf(line, sizeof line, "%s %llu %llu %llu %llu %llu\n",
                     s->name, (unsigned long long)s->blocks,
                     (unsigned long long)s->bytes,
                     (unsigned long long)s->accesses,
                     (unsigned long long)s->fewest,
                     (unsigned long long)s->most);
        if (fwrite(line, 1, (size_t)n, stdout) != (size_t)n)
            exit(3);
    }
}

/* `times` single-byte reads or writes, spread over the block. */
__attribute__((noinline)) static uint64_t touch(void *block, size_t size,
                                                uint64_t times)
{
    volatile unsigned char *p = block;
    size_t at = 0;

    for (uint64_t i = 0; i < times; i++) {
        if (i % 2 == 0)
            p[at] = (unsigned char)i;
        else
            (void)p[at];
        at = (at + 7) % size;
    }
    return times;
}

#define ALLOCATOR(name, expression)                       \
    __attribute__((noinline)) void *name(size_t size)     \
    {                                                     \
        void *volatile p = (expression);                  \
        return p;                                         \
    }
