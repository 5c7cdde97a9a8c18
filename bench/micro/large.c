/* large.c -- allocates and frees a block of 1 MiB repeatedly: untouched (0),
 * one byte of each page written (1), every word written (2), cleared by memset
 * (3).
 *
 * usage: large BLOCKS HOW
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench/micro/bench.h"

#include <string.h>

#define BYTES ((size_t)1 << 20)
#define PAGE_BYTES 4096

BENCH_NOINLINE static unsigned long use(char *block, long how, long i)
{
    unsigned long *const words = (unsigned long *)(void *)block;

    switch (how) {
    case 1:
        for (size_t at = 0; at < BYTES; at += PAGE_BYTES)
            block[at] = (char)i;
        return (unsigned char)block[PAGE_BYTES];
    case 2:
        for (size_t at = 0; at < BYTES / sizeof(*words); at++)
            words[at] = (unsigned long)i + at;
        return words[17];
    case 3:
        memset(block, (int)(i & 0x7f), BYTES);
        return (unsigned char)block[PAGE_BYTES];
    default:
        return 1;
    }
}

BENCH_NOINLINE static unsigned long run(long blocks, long how)
{
    unsigned long result = 0;

    for (long i = 0; i < blocks; i++) {
        char *volatile block = (char *)malloc(BYTES);
        result += use(block, how, i);
        free(block);
    }
    return result;
}

int main(int argc, char **argv)
{
    const long blocks = bench_argument(argc, argv, 1, 5000);
    const long how = bench_argument(argc, argv, 2, 0);

    /* malloc's own threshold for mmap adapts at the first free. */
    run(20, how);
    bench_begin();
    const unsigned long result = run(blocks, how);
    bench_end(blocks);
    bench_result(result);
    return 0;
}
