/* phases.c -- a run with phases, marks, a peak, blocks of several sizes, and
 * chains of realloc; it pauses, so that it has several steps.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <memprof.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BLOCKS 400

static void *volatile kept[BLOCKS];

static void pause_a_step(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

static void load(void)
{
    for (int i = 0; i < BLOCKS; i++) {
        void *const block = malloc((size_t)40 << (i % 10));

        memset(block, 1, 40);
        kept[i] = block;
        if (i % 50 == 0)
            pause_a_step();
        if (i == BLOCKS / 2)
            memprof_mark("<b>half</b>");
    }
}

static char *grow(char *text, size_t size)
{
    return realloc(text, size);
}

static void work(void)
{
    for (int i = 0; i < 50; i++) {
        char *text = malloc(10);

        for (size_t size = 100; size < 100000; size *= 3)
            text = grow(text, size);
        text[0] = 1;
        free(text);
        if (i % 10 == 0)
            pause_a_step();
    }
}

static void unload(void)
{
    for (int i = 0; i < BLOCKS; i++)
        free(kept[i]);
}

int main(void)
{
    memprof_phase("load");
    load();
    memprof_phase("work");
    work();
    memprof_phase(NULL);
    unload();
    return 0;
}
