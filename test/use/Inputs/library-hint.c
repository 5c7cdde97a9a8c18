/* ... and its hinted form. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int calls;

static void tell(void)
{
    fprintf(stderr, "library_get hinted %d times\n", calls);
}

void *__memprof_library_get_hint(size_t size, uint8_t hint)
{
    if (hint == 1 && calls++ == 0)
        atexit(tell);
    return malloc(size);
}
