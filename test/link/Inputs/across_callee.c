#include "across.h"
#include <stdlib.h>

static long *volatile made;

static long *make_words(int words)
{
    return malloc(words * sizeof(long));
}

long *make(int words)
{
    long *const list = make_words(words);

    made = list;
    list[0] = 1;
    return list;
}

void put(long *list, int i)
{
    list[i] = list[i - 1] * 3 + i;
}
