/* What the two files of program.c and second.c share. Blocks have sizes of their
 * own, so that they are told apart without debug information. */
#include <stddef.h>
#include <stdlib.h>

void from_second(void);

static inline void touch(void *block, int times)
{
    volatile char *p = block;

    for (int i = 0; i < times; i++)
        p[i] = (char)i;
}
