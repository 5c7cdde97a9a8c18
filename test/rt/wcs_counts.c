// Wide string functions count as in LLVM's runtime, in normal mode.
// RUN: %clang -O0 -w -fno-builtin -I%S/Inputs -c %s -o %t.o
// RUN: %clang -fmemory-profile %ours-rt %t.o -o %t && %t
// RUN: %clang -O0 -w -fno-builtin -DLLVM_RUNTIME -I%S/Inputs -c %s -o %t.o
// RUN: %clang -fmemory-profile %t.o -o %t.llvm && %t.llvm
#include "counts.h"
#include <time.h>

static const char *narrow;
static const wchar_t *wide;
static mbstate_t state;
static wchar_t *rest;
static const struct tm noon = {.tm_mday = 1, .tm_hour = 12, .tm_year = 99};

/* Not in a static program with an older C library. */
#define OF_C23(X)                      \
    X(long, wcstol)                    \
    X(long long, wcstoll)              \
    X(unsigned long, wcstoul)          \
    X(unsigned long long, wcstoull)    \
    X(intmax_t, wcstoimax)             \
    X(uintmax_t, wcstoumax)
#define X(type, name) \
    type __isoc23_##name(const wchar_t *, wchar_t **, int) __attribute__((weak));
OF_C23(X)
#undef X

static void duplicate(void)
{
    wchar_t *const copy = wcsdup(WB);

    if (take(copy) != 14)
        failures++;
    free(copy);
}

static void number(const wchar_t *text)
{
    wcscpy(WA, text);
    take(WA);
}

static void count_c23(void)
{
#define X(type, name) \
    OURS(5, 1, (number(L"12345678zzz"), __isoc23_##name(WA, (wchar_t **)WB, 10)));
    OF_C23(X)
#undef X
}

int main(void)
{
    make_blocks();
    T(32, 0, wcslen(WA));
    T(0, 14, wcslen(WB));
    T(5, 0, wcsnlen(WA, 10));
    T(0, 14, wcsnlen(WB, 100));
    T(0, 13, wcsnlen(WB, 26));
    T(46, 14, wcscat(WA, WB));
    T(38, 5, wcsncat(WA, WB, 10));
    T(46, 14, wcsncat(WA, WB, 100));
    V(0, 14, duplicate());
    T(14, 14, wcsxfrm(WA, WB, 100));
    OURS(32, 14, wcscoll(WA, WB));
    OURS(11, 0, wcsftime(WA, 100, L"%Y-%m-%d and so on", &noon));
    OURS(0, 14, wcsftime(WA, 3, WB, &noon));
    OURS(5, 1, (number(L"12345678zzz"), wcstol(WA, (wchar_t **)WB, 10)));
    OURS(2, 0, (number(L"  -z"), wcstol(WA, NULL, 10)));
    OURS(0, 0, (number(L"12"), wcstol(WA, NULL, 1)));
    OURS(5, 0, (number(L"12345678zzz"), wcstoll(WA, NULL, 10)));
    OURS(5, 0, (number(L"12345678zzz"), wcstoul(WA, NULL, 10)));
    OURS(5, 0, (number(L"12345678zzz"), wcstoull(WA, NULL, 10)));
    OURS(5, 0, (number(L"12345678zzz"), wcstoimax(WA, NULL, 10)));
    OURS(5, 0, (number(L"12345678zzz"), wcstoumax(WA, NULL, 10)));
    OURS(5, 1, (number(L"1.345e-8zzz"), (long)wcstod(WA, (wchar_t **)WB)));
    OURS(5, 0, (number(L"1.345678zzz"), (long)wcstof(WA, NULL)));
    OURS(5, 0, (number(L"1.345678zzz"), (long)wcstold(WA, NULL)));
    if (__isoc23_wcstol != NULL)
        count_c23();
    T(14, 0, mbstowcs(WA, B, 100));
    T(5, 0, mbstowcs(WA, B, 10));
    T(0, 0, mbstowcs(NULL, B, 0));
    T(14, 0, (narrow = B, mbsrtowcs(WA, &narrow, 100, &state)));
    T(13, 4, (narrow = B, mbsnrtowcs(WA, &narrow, 26, 100, &state)));
    T(4, 0, wcstombs(A, WB, 100));
    T(1, 0, wcstombs(A, WB, 5));
    T(4, 0, (wide = WB, wcsrtombs(A, &wide, 100, &state)));
    T(1, 0, wctomb(A, L'x'));
    T(1, 0, wcrtomb(A, L'x', &state));
    OURS(14, 14, wcscpy(WA, WB));
    OURS(20, 14, wcsncpy(WA, WB, 40));
    OURS(10, 10, wcscmp(WA, WB));
    OURS(5, 5, wcsncmp(WA, WB, 10));
    OURS(5, 0, wcschr(WA, 'j'));
    OURS(0, 14, wcsrchr(WB, 'j'));
    OURS(13, 13, wmemcpy(WA, WB, 26));
    OURS(13, 13, wmemmove(WA, WB, 26));
    OURS(13, 0, wmemset(WA, 1, 26));
    OURS(13, 13, wmemcmp(WA, WB, 26));
    OURS(5, 0, wmemchr(WA, 'j', 62));
    OURS(14, 14, wcpcpy(WA, WB));
    OURS(20, 14, wcpncpy(WA, WB, 40));
    OURS(13, 13, wmempcpy(WA, WB, 26));
    OURS(10, 10, wcscasecmp(WA, WB));
    OURS(0, 14 + 14, wcscasecmp(WB, WB));
    OURS(10, 10, (WB[3] = 'D', wcscasecmp(WA, WB)));
    OURS(5, 5, wcsncasecmp(WA, WB, 10));
    OURS(10, 10, wcsncasecmp(WA, WB, 40));
    OURS(6, 0, wcsstr(WA, L"jkl"));
    OURS(32, 14, wcsstr(WA, WB));
    OURS(5, 0, wcsspn(WA, L"abcdefghi"));
    OURS(0, 14, wcsspn(L"zz", WB));
    OURS(5, 0, wcscspn(WA, L"j"));
    OURS(5, 0, wcspbrk(WA, L"j"));
    OURS(0, 14, wcspbrk(WB, L"!"));
    OURS(1 + 5 + 1, 0, wcstok(WA, L"jt", &rest));
    OURS(5 + 1, 0, (wcstok(WA, L"jt", &rest), take(WA), wcstok(NULL, L"jt", &rest)));
    return finish();
}
