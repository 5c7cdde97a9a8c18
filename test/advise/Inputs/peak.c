/* peak.c -- a program whose peak has blocks of 500, 300 and 200 kB. With an
 * argument it leaves out the largest ones. Then 600 kB that are freed before
 * are the peak.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>

#define N 100

static void *volatile kept[N];

static void *use(void *block, size_t size)
{
    memset(block, 1, size);
    ((volatile char *)block)[1] = ((volatile char *)block)[size - 1];
    return block;
}

static void *make(size_t size)
{
    return use(malloc(size), size);
}

int main(int argc, char **argv)
{
    const int leaves_out = argc > 1;
    void *volatile early, *volatile large, *volatile unused;

    (void)argv;
    early = use(malloc(600000), 600000);
    free(early);
    for (int i = 0; !leaves_out && i < N; i++)
        kept[i] = make(5000); /* most */
    large = use(malloc(200000), 200000);
    unused = malloc(300000); /* more */
    for (int i = 0; i < N; i++)
        free(kept[i]);
    free(large);
    free(unused);
    return 0;
}
