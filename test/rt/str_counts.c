// String functions count as in LLVM's runtime, in normal mode.
// RUN: %clang -O0 -w -fno-builtin -I%S/Inputs -c %s -o %t.o
// RUN: %clang -fmemory-profile %ours-rt %t.o -o %t && %t
// RUN: %clang -O0 -w -fno-builtin -DLLVM_RUNTIME -I%S/Inputs -c %s -o %t.o
// RUN: %clang -fmemory-profile %t.o -o %t.llvm && %t.llvm
#include "counts.h"
#include <time.h>

/* Not in a static program with an older C library. */
#pragma weak __isoc23_strtol
#pragma weak __isoc23_strtoumax
#pragma weak __isoc23_strtoimax
#pragma weak __isoc23_strtoull
#pragma weak __isoc23_strtoul
#pragma weak __isoc23_strtoll
long __isoc23_strtol(const char *, char **, int);
long long __isoc23_strtoll(const char *, char **, int);
unsigned long __isoc23_strtoul(const char *, char **, int);
unsigned long long __isoc23_strtoull(const char *, char **, int);
intmax_t __isoc23_strtoimax(const char *, char **, int);
uintmax_t __isoc23_strtoumax(const char *, char **, int);

static char *rest;
static const struct tm noon = {.tm_mday = 1, .tm_hour = 12, .tm_year = 99};

static void number(const char *text)
{
    memset(A, 0, BLOCK_BYTES);
    for (size_t i = 0; text[i] != '\0'; i++)
        A[i] = text[i];
    take(A);
}

static void duplicates(void)
{
    char *const copies[] = {strdup(B), __strdup(B), strndup(B, 10),
                            strndup(B, 100)};

    take(B);
    for (size_t i = 0; i < sizeof(copies) / sizeof(*copies); i++) {
        /* Writing the copy is not counted. */
        if (take(copies[i]) != 0)
            failures++;
        free(copies[i]);
    }
}

static void count_c23(void)
{
    OURS(2, 1, (number("12345678zzz"), __isoc23_strtol(A, (char **)B, 10)));
    OURS(2, 0, (number("12345678zzz"), __isoc23_strtoll(A, NULL, 10)));
    OURS(2, 0, (number("12345678zzz"), __isoc23_strtoul(A, NULL, 10)));
    OURS(2, 0, (number("12345678zzz"), __isoc23_strtoull(A, NULL, 10)));
    OURS(2, 0, (number("12345678zzz"), __isoc23_strtoimax(A, NULL, 10)));
    OURS(2, 0, (number("12345678zzz"), __isoc23_strtoumax(A, NULL, 10)));
}

int main(void)
{
    make_blocks();
    T(8, 0, strlen(A));
    T(0, 4, strlen(B));
    T(0, 3, strlen(B + 3));
    T(2, 0, strnlen(A, 10));
    T(1, 0, strnlen(A, 8));
    T(0, 4, strnlen(B, 26));
    T(0, 4, strnlen(B, 100));

    T(4, 4, strcpy(A, B));
    T(2, 2, strncpy(A, B, 10));
    T(4, 4, strncpy(A, B, 26));
    T(8, 4, strncpy(A, B, 60));
    T(12, 4, strcat(A, B));
    T(0, 8, strcat(B, B + 18));
    T(9, 1, strcat(A, B + 26));
    T(0, 3, (B[8] = 0, strcat(B, B + 8)));
    T(10, 2, strncat(A, B, 10));
    T(12, 4, strncat(A, B, 100));
    T(9, 0, strncat(A, B, 0));
    V(0, 4, free(strdup(B)));
    V(8, 0, free(strdup(A)));
    V(2, 0, free(strndup(A, 10)));
    V(0, 4, free(strndup(B, 26)));
    V(0, 4, free(strndup(B, 100)));
    V(0, 0, duplicates());

    T(3, 3, strcmp(A, B));
    T(16, 0, strcmp(A, A));
    T(3, 3, strcmp(A + 1, B + 1));
    T(2, 2, strncmp(A, B, 10));
    T(3, 3, strncmp(A, B, 40));
    T(0, 0, strncmp(A, B, 0));
    T(2, 2, strncmp(A, B, 16));
    T(3, 3, strncmp(A, B, 17));
    T(3, 3, strcasecmp(A, B));
    T(2, 2, strncasecmp(A, B, 10));
    T(3, 3, strncasecmp(A, B, 40));

    T(2, 0, strchr(A, 'j'));
    T(2, 0, strchr(A, 'i'));
    T(1, 0, strchr(A, 'h'));
    T(8, 0, strchr(A, '!'));
    T(2, 0, strchrnul(A, 'j'));
    T(0, 4, strchrnul(B, '!'));
    T(8, 0, strrchr(A, 'j'));
    T(0, 4, strrchr(B, '!'));
    T(2, 0, index(A, 'j'));
    T(0, 4, index(B, '!'));
    T(13, 0, strstr(A, A + 30));
    T(8, 4, strstr(A, B));
    T(2, 0, strstr(A, "jkl"));
    T(0, 4, strstr(B, "jkX"));
    T(2, 0, strcasestr(A, "JKL"));
    T(8, 4, strcasestr(A, B));
    T(2, 0, strspn(A, "abcdefghij"));
    T(3, 4, strspn(A, B));
    T(2, 0, strcspn(A, "j"));
    T(0, 4, strcspn(B, "!"));
    T(0, 4, strcspn("!!", B));
    T(2, 0, strpbrk(A, "j"));
    T(0, 4, strpbrk(B, "!"));
    T(3, 4, strpbrk(A + 30, B));

    T(3, 0, strtok(A, "jt"));
    T(3, 1, strtok(A, B + 9));
    T(2, 0, (strtok(A, "jt"), take(A), strtok(NULL, "jt")));

    T(1, 0, (number("  123xyz"), atoi(A)));
    T(1, 0, (number("1234567 123456789012"), atoi(A)));
    T(2, 0, (number("12345678"), atoi(A)));
    T(1, 0, (number("xyz"), atoi(A)));
    T(2, 0, (number("12345678"), atol(A)));
    T(2, 0, (number("12345678"), atoll(A)));
    T(2, 0, (number("12345678zzz"), strtol(A, NULL, 10)));
    T(1, 0, (number("       zzz"), strtol(A, NULL, 10)));
    T(0, 0, (number("12"), strtol(A, NULL, 1)));
    T(2, 1, (number("12345678zzz"), strtol(A, (char **)B, 10)));
    T(2, 0, (number("12345678zzz"), strtoll(A, NULL, 10)));
    OURS(2, 0, (number("1.345e-8zzz"), (long)strtod(A, NULL)));
    OURS(2, 1, (number("1.345e-8zzz"), (long)strtod(A, (char **)B)));
    OURS(2, 0, (number("1.345678zzz"), (long)strtof(A, NULL)));
    OURS(2, 0, (number("1.345678zzz"), (long)strtold(A, NULL)));
    OURS(1, 0, (number("       zzz"), (long)strtod(A, NULL)));
    OURS(2, 0, (number("1.345678zzz"), (long)atof(A)));
    if (__isoc23_strtol != NULL)
        count_c23();
    T(2, 0, (number("12345678zzz"), strtoimax(A, NULL, 10)));
    T(2, 1, (number("12345678zzz"), strtoumax(A, (char **)B, 10)));
    T(4, 4, strxfrm(A, B, 100));
    OURS(8, 4, strcoll(A, B));
    OURS(3, 0, strftime(A, 100, "%Y-%m-%d and so on", &noon));
    OURS(0, 4, strftime(A, 3, B, &noon));
    OURS(0, 7, strftime((char[9]){0}, 9, "%Y", (struct tm *)B));

    OURS(4, 4, stpcpy(A, B));
    OURS(8, 4, stpncpy(A, B, 60));
    OURS(8, 0, rindex(A, 'j'));
    OURS(3, 0, strtok_r(A, "jt", &rest));
    OURS(2, 0, (rest = A, strsep(&rest, "j")));
    OURS(2, 0, (number("12345678zzz"), strtoul(A, NULL, 10)));
    OURS(2, 0, (number("12345678zzz"), strtoull(A, NULL, 10)));
    return finish();
}
