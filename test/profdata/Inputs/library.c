// Allocates inside a shared object.
#include <stdlib.h>

void *library_make(size_t n)
{
    return calloc(1, n);
}
