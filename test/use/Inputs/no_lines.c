/* no_lines.c -- a library and a program that have functions of the same names. */
#include <stdlib.h>

__attribute__((noinline)) static char *make(size_t size)
{
    char *p = malloc(size);
    *p = 1;
    return p;
}

#ifdef LIBRARY
__attribute__((noinline)) static char *find(size_t size)
{
    char *p = malloc(size);
    *p = 1;
    return p;
}

char *make_all(void)
{
    free(make(10));
    return find(20);
}
#else
char *make_all(void);

__attribute__((noinline)) static int find(const char *name)
{
    return getenv(name) != NULL;
}

int main(void)
{
    free(make_all());
    free(make(100));
    return find("none");
}
#endif
