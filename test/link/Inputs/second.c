#include "program.h"

__attribute__((weak)) void never_called(void)
{
    touch(malloc(19999), 1);
}

void from_second(void)
{
    void *const p = malloc(10004);

    touch(p, 9);
    free(p);
}
