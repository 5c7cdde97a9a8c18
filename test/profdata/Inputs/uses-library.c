#include <stdlib.h>

void *library_make(size_t n);

int main(void)
{
    for (int i = 0; i < 10; i++)
        free(library_make(100));
    return 0;
}
