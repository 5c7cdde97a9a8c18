/* A program, and with -DLIBRARY its library: blocks that each of them makes, of
 * sizes that tell them apart, and touches or not. With -DALONE without the library.
 */
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

void *library_make(void);
void library_touch(char *block);

#ifdef LIBRARY
NOINLINE void *library_make(void)
{
    char *volatile block = malloc(1000);

    block[0] = 1;
    return block;
}

NOINLINE void library_touch(char *block)
{
    for (int i = 0; i < 30; i++)
        block[i] = (char)i;
}
#else
NOINLINE static void *make_touched(void)
{
    char *volatile block = malloc(3000);

    block[0] = 1;
    block[1] = 2;
    return block;
}

NOINLINE static void *make_untouched(void)
{
    return malloc(2000);
}

int main(int argc, char **argv)
{
    char *const untouched = make_untouched();
    char *const touched = make_touched();
#ifndef ALONE
    char *const other = library_make();

    library_touch(untouched);
    if (argc > 1)
        memset(other, argv[1][0], 1000);
    free(other);
#endif
    (void)argc, (void)argv;
    free(touched);
    free(untouched);
    return 0;
}
#endif
