/* keep.c -- 1000 blocks of 5000 bytes, of which every fourth stays.
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

int main(void)
{
    work();
    return kept[0] == NULL;
}
