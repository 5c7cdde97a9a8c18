/* Functions of across_callee.c are inlined here when linking. */
#include "across.h"
#include <stdlib.h>

int main(void)
{
    long *const list = make(WORDS);
    long *const copy = make(WORDS / 2);

    for (int i = 1; i < WORDS; i++)
        put(list, i);
    for (int i = 1; i < WORDS / 2; i++)
        put(copy, i);
    free(list);
    free(copy);
    return 0;
}
