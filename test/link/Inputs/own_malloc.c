/* A program with a malloc of its own, but not all of its kin. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#ifndef WITHOUT
static _Alignas(16) char memory[1 << 20];
static size_t used;

void *malloc(size_t size)
{
    void *const p = memory + used;

    used += (size + 15) / 16 * 16;
    return used <= sizeof(memory) ? p : NULL;
}

void free(void *p)
{
    if (p != NULL && !((char *)p >= memory && (char *)p < memory + used))
        abort();
}

void *calloc(size_t count, size_t size)
{
    return malloc(count * size);
}

void *realloc(void *p, size_t size)
{
    char *const q = (char *)malloc(size);

    for (size_t i = 0; p != NULL && i < size && (char *)p + i < memory + used; i++)
        q[i] = ((char *)p)[i];
    return q;
}
#endif

#ifdef ADDRESS
void *(*volatile address)(size_t) = malloc;
#endif

#ifdef WRAPPED
void *__real_malloc(size_t size);
void __real_free(void *p);
static int calls, frees;

void *__wrap_malloc(size_t size)
{
    calls++;
    return __real_malloc(size);
}

void __wrap_free(void *p)
{
    frees++;
    __real_free(p);
}
#endif

int main(int argc, char **argv)
{
    void *p = malloc(10);

    *(char *)p = 1;
    free(p);
    /* Copies by the C library are blocks of the program's malloc. */
    free(strdup(argv[0]));
    free(strndup(argv[0], 3));
    free(wcsdup(L"wide"));
    if (asprintf((char **)&p, "%d", argc) > 0)
        free(p);
    /* The C library's reallocarray() calls the program's realloc(). */
    free(reallocarray(reallocarray(NULL, 3, 5), 6, 5));
#ifdef WRAPPED
    if (calls != 1 || frees != 6)
        return 1;
#endif
    return argc > 1 && posix_memalign(&p, 64, 100) != 0;
}
