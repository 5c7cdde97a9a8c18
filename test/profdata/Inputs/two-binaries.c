/* Allocates in the program and, in another place, in a library. */
#include <stdlib.h>

void *library_make(size_t n);

int main(void)
{
    char *volatile own = malloc(50);

    free(own);
    free(library_make(100));
    return 0;
}
