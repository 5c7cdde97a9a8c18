/* A program that gives names of the C library to functions and variables of its own, as
 * ISO C leaves them to it. second.c, by -DSECOND, uses them from another object. */
#ifndef SECOND
#include <stdio.h>
#include <stdlib.h>

int index = 3;
int daemon = 4;
int recv; /* common with -fcommon */

int getline(char *s, int limit)
{
    int i = 0;

    for (int c; i < limit - 1 && (c = getchar()) != EOF && c != '\n'; i++)
        s[i] = (char)c;
    s[i] = 0;
    return i;
}

int send(int a)
{
    return a + index;
}

/* 10 accesses for each call. */
unsigned long strnlen(const char *s, unsigned long n)
{
    unsigned long sum = 0;

    for (int i = 0; i < 10; i++)
        sum += (unsigned char)((const volatile char *)s)[i] + n;
    return sum;
}

int second(char *p);

int main(void)
{
    char *const p = (char *)malloc(10000);
    const int n = getline(p, 100);

    recv++;
    printf("%d %s %d %d\n", n, p, send(1), daemon);
    printf("%d %d\n", second(p), recv);
    free(p);
    return 0;
}
#else
extern int index, daemon;
int send(int a);
unsigned long strnlen(const char *s, unsigned long n);
int getline(char *s, int limit);

int vprintf(int a, int b)
{
    return a - b;
}

int second(char *p)
{
    strnlen(p, 0);
    strnlen(p, 0);
    return send(index) + daemon + getline(p, 10) + vprintf(3, 2);
}
#endif
