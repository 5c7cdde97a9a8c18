#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

int main(void)
{
    free(malloc(1));
    printf("secure %lu\n", getauxval(AT_SECURE));
    return 0;
}
