/* Undefined behaviour, and a block. */
#include <stdlib.h>

int main(int argc, char **argv)
{
    volatile int *const p = (volatile int *)malloc(10001);
    int result;

    (void)argv;
    p[0] = argc;
    p[1] = 3;
    result = 1 << (argc + 31);
    p[2] = result;
    free((void *)p);
    return 0;
}
