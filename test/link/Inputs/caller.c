/* A program around the library of second.c. */
#include "program.h"

#ifdef HANDLER
static void at_exit(void)
{
    void *const p = malloc(10005);

    touch(p, 1);
    free(p);
}
#endif

int main(void)
{
    void *const p = malloc(10001);

    touch(p, 6);
    free(p);
#ifdef HANDLER
    atexit(at_exit);
#endif
#ifndef ALONE
    from_second();
#endif
    return 0;
}
