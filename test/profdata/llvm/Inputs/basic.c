// Two blocks of 10 bytes, each written twice.
#include <stdlib.h>

int main(void)
{
    volatile char *a = malloc(10);
    a[0] = 1;
    a[9] = 1;
    free((void *)a);
    volatile char *b = malloc(10);
    b[0] = 1;
    b[9] = 1;
    free((void *)b);
    return 0;
}
