/* keep.c -- 1000 blocks of 5000 bytes; every fourth stays. Or one grows, too.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>

static char *volatile kept[1000];

__attribute__((noinline)) static char *leaf(size_t bytes)
{
    char *block = malloc(bytes);

    memset(block, 1, bytes);
    return block;
}

__attribute__((noinline)) static void work(void)
{
    for (int i = 0; i < 1000; i++) {
        kept[i] = leaf(5000);
        if (i % 4 != 0) {
            free(kept[i]);
            kept[i] = NULL;
        }
    }
}

__attribute__((noinline)) static void grow(void)
{
    char *volatile text = NULL;

    for (size_t size = 1; size < 20000; size += 999)
        text = realloc(text, size);
    free(text);
}

int main(int argc, char **argv)
{
    (void)argv;
    work();
    if (argc > 1)
        grow();
    return kept[0] == NULL;
}
