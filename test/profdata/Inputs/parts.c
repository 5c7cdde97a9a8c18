/* parts.c -- an event, a copy and a pool.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <memprof.h>

#include <stdlib.h>
#include <string.h>

static char area[64];

int main(int argc, char **argv)
{
    const size_t size = 10 + (size_t)argc;
    char *const p = malloc(size);

    (void)argv;
    memcpy(p, area, size);
    memprof_event("hit", 5);
    memprof_pool_create(area, "mine");
    memprof_pool_alloc(area, area + 16, 8);
    area[0] = p[1];
    free(p);
    return 0;
}
