/* Calls through pointers and copies of several sizes, as its arguments say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *volatile kept;

__attribute__((noinline)) static int one(int n) { return n + 1; }
__attribute__((noinline)) static int two(int n) { return n * 2; }
__attribute__((noinline)) static int three(int n) { return n ^ 3; }

static int (*volatile table[])(int) = {one, two, three};

__attribute__((noinline)) static int call(int which, int n)
{
    return table[which % 3](n);
}

__attribute__((noinline)) static void copy(char *to, const char *from, int n)
{
    memcpy(to, from, (size_t)n);
}

int main(int argc, char **argv)
{
    char from[64] = "text";
    int sum = 0;

    for (int i = 1; i < argc; i++) {
        const int n = atoi(argv[i]);

        kept = malloc(100);
        for (int j = 0; j < n; j++) {
            sum += call(n + j / 3, j);
            copy(kept, from, 1 + (n + j) % 60);
        }
        free(kept);
    }
    return sum == 42;
}
