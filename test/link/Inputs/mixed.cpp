// Two objects of one program, with -DSECOND the other one, share inline functions: the
// linker keeps the copies of the object that stands first.
#include <stdlib.h>
#include <string>
#include <vector>

__attribute__((noinline)) inline char *make(int bytes)
{
    char *volatile block = (char *)malloc(bytes);
    return block;
}

__attribute__((noinline)) inline void fill(char *block, int bytes)
{
    for (int i = 0; i < bytes; i++)
        ((volatile char *)block)[i] = 1;
}

char *second(int bytes);

#ifdef SECOND
char *second(int bytes)
{
    char *block = make(bytes);
    fill(block, bytes);
    return block;
}
#else
int main()
{
    char *first = make(1001), *other = second(1003);
    std::string text(1005, 'x');
    fill(first, 1001);
    free(first);
    free(other);
    return text[1000] == 'y';
}
#endif
