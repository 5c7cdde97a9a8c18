/* Sorts large elements by number, which counts each once whatever the C library
 * calls, and copies a block's text, which is read once, to the environment. */
#include "counts.h"

#define ELEMENT_BYTES 64

static int compare(const void *a, const void *b)
{
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

int main(void)
{
    make_blocks();
    T(BLOCK_BYTES / 8, 0, (qsort(A, BLOCK_BYTES / ELEMENT_BYTES, ELEMENT_BYTES, compare), 0));
    T(0, 4, setenv("NAME", B, 1));
    return finish();
}
