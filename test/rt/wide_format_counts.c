// wprintf, wscanf and their variants count like printf and scanf (format_counts.c), in
// wide characters. LLVM's runtime counts none of them.
// RUN: %clang -O0 -w -fno-builtin -I%S/Inputs -c %s -o %t.o
// RUN: %clang -fmemory-profile %ours-rt %t.o -o %t && %t
#include "counts.h"
#include <locale.h>
#include <stdarg.h>

int __swprintf_chk(wchar_t *, size_t, int, size_t, const wchar_t *, ...);
int __fwprintf_chk(FILE *, int, const wchar_t *, ...);
int __isoc99_swscanf(const wchar_t *, const wchar_t *, ...);

static int list(wchar_t *s, size_t n, const wchar_t *format, ...)
{
    va_list args;
    int done;

    va_start(args, format);
    done = vswprintf(s, n, format, args);
    va_end(args);
    return done;
}

static int scan_list(const wchar_t *s, const wchar_t *format, ...)
{
    va_list args;
    int done;

    va_start(args, format);
    done = vswscanf(s, format, args);
    va_end(args);
    return done;
}

static void check_printf(FILE *null)
{
    wchar_t text[100];

    /* 26 characters and the terminator: 108 bytes wide, 27 narrow. */
    T(0, 14, fwprintf(null, L"%ls", WB));
    T(0, 14, fwprintf(null, L"%S %d", WB, 7));
    T(0, 4, fwprintf(null, L"%s", B));
    T(14, 14, swprintf(WA, 100, L"%ls", WB));
    T(14, 4, swprintf(WA, 100, L"%s", B));
    /* The room is too small: the call fails. */
    T(0, 0, swprintf(WA, 5, L"%ls", WB));
    /* A precision counts wide characters. */
    T(3, 3, swprintf(WA, 100, L"%.5ls", WB));
    T(3, 1, swprintf(WA, 100, L"%.5s", B));
    T(0, 14, swprintf(text, 100, L"%.100ls", WB));
    T(0, 4, swprintf(text, 100, L"%.100s", B));
    T(0, 2, (strcpy(B, "a\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"), take(B),
             swprintf(text, 100, L"%.5s", B)));
    T(0, 2, (strcpy(B, "a\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"), take(B),
             swprintf(text, 100, L"%.9s", B)));
    T(1, 0, swprintf(WA, 100, L"%d", 2));
    T(14, 14, list(WA, 100, L"%2$ls%1$.0d", 0, WB));
    T(0, 1, swprintf(text, 100, L"12%n\u00e4%d", (int *)B, 3));
    T(0, 2, (wcscpy(WB, L"%d%"), WB[2] = 0, take(WB),
             swprintf(text, 100, WB, 5)));
    T(0, 14, __fwprintf_chk(null, 1, L"%ls", WB));
    T(14, 14, __swprintf_chk(WA, 100, 1, 100, L"%ls", WB));
    T(0, 14, sprintf((char *)text, "%ls", WB));
}

static void check_scanf(void)
{
    int n;

    T(1, 0, swscanf(L"12", L"%d", (int *)A));
    T(1, 0, __isoc99_swscanf(L"12", L"%d", (int *)A));
    T(3, 0, swscanf(L"words", L"%ls", WA));
    T(1, 0, swscanf(L"words", L"%s", A));
    T(1, 0, swscanf(L"words", L"%[^\u00e4]", A));
    T(2, 0, swscanf(L"abx", L"%l[]ab]", WA));
    T(0, 0, swscanf(L"x", L"%[", A));
    T(1, 14, swscanf(WB, L"%c", A));
    T(1, 0, scan_list(L"7 8", L"%d%d", (int *)A, &n));
    T(0, 0, swscanf(L"x", L"%d", (int *)A));
}

int main(void)
{
    FILE *null = fopen("/dev/null", "w");

    if (setlocale(LC_ALL, "C.UTF-8") == NULL)
        return 2;
    make_blocks();
    check_printf(null);
    check_scanf();
    return finish();
}
