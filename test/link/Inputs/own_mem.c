/* A program with functions of its own that the C library calls before the runtime
 * starts, in a static program before there is thread-local storage. */
#include <stdbool.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif
void *memcpy(void *to, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((volatile char *)to)[i] = ((const volatile char *)from)[i];
    return to;
}

void *memmove(void *to, const void *from, size_t n)
{
    for (size_t i = n; i-- > 0;)
        ((volatile char *)to)[i] = ((const volatile char *)from)[i];
    return to;
}

void *memset(void *to, int c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((volatile char *)to)[i] = (char)c;
    return to;
}

size_t strlen(const char *s)
{
    size_t n = 0;

    while (((const volatile char *)s)[n] != 0)
        n++;
    return n;
}
#ifdef __cplusplus
}
#endif

int main(void)
{
    char *const p = (char *)malloc(10000);
    char *const q = (char *)malloc(10001);

    memset(p, 'a', 50);
    memset(p + 50, 0, 1);
    memcpy(q, p, 51);
    memmove(q + 1, q, 40);
    const bool is_right = strlen(p) == 50 && strlen(q) == 50;
    free(p);
    free(q);
    return is_right ? 0 : 1;
}
