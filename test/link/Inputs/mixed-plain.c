#include "mixed.h"

void plain_fill(char *block, int bytes)
{
    fill_bytes(block, bytes);
}

/* No tail call: the allocation is this function's. */
char *plain_make(int bytes)
{
    char *volatile block = (char *)malloc(bytes);
    return block;
}
