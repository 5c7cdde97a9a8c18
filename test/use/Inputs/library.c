/* A library with an allocation function: profiled, but built without the profile. */
#include <stdlib.h>

__attribute__((noinline)) void *library_get(size_t size)
{
    void *block = malloc(size);

    return block != NULL ? block : abort(), block;
}
