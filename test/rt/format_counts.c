// What printf and scanf count: the format, the strings that they print, the output
// string and the values that they store, as in LLVM's runtime; and the string that is
// scanned. A format that is not understood works and counts no arguments.
// RUN: %clang -O0 -w -fno-builtin -I%S/Inputs -c %s -o %t.o
// RUN: %clang -fmemory-profile %ours-rt %t.o -o %t && %t
// RUN: %clang -O0 -w -fno-builtin -I%S/Inputs -DLLVM_RUNTIME -c %s -o %t.llvm.o
// RUN: %clang -fmemory-profile %t.llvm.o -o %t.llvm && %t.llvm
// RUN: %clang -fmemory-profile %ours-rt %t.o -o %t
// RUN: env MEMPROF_OPTIONS=check_printf=0 %t plain
#include "counts.h"
#include <errno.h>
#include <locale.h>
#include <stdarg.h>

int __snprintf_chk(char *, size_t, int, size_t, const char *, ...);
int __sprintf_chk(char *, int, size_t, const char *, ...);
int __fprintf_chk(FILE *, int, const char *, ...);
int __printf_chk(int, const char *, ...);
int __asprintf_chk(char **, int, const char *, ...);
int __isoc99_sscanf(const char *, const char *, ...);

static int list(char *s, size_t n, const char *format, ...)
{
    va_list args;
    int done;

    va_start(args, format);
    done = vsnprintf(s, n, format, args);
    /* The va_list is ours and stays usable. */
    if (strcmp(format, "%s") == 0 && va_arg(args, int) != 7)
        failures++;
    va_end(args);
    return done;
}

static int scan_list(const char *s, const char *format, ...)
{
    va_list args;
    int done;

    va_start(args, format);
    done = vsscanf(s, format, args);
    va_end(args);
    return done;
}

static void check_printf(FILE *null)
{
    char text[100];
    int after;

    T(0, 4, fprintf(null, "%s", B));
    T(0, 4, fprintf(null, "%d %s %f\n", 1, B, 2.0));
    T(4, 4, sprintf(A, "%s", B));
    T(4, 4, snprintf(A, 100, "%s", B));
    T(2, 4, snprintf(A, 10, "%s", B));
    T(0, 4, snprintf(NULL, 0, "%s", B));
    T(0, 4, list(text, 100, "%s", B, 7));
    T(4, 4, list(A, 100, "%s%d", B, 7));
    T(6, 4, sprintf(A, "%40s", B));
    T(1, 1, sprintf(A, "%.5s", B));
    /* LLVM's runtime ignores a precision of 0, and everything after an
     * asterisk. */
    OURS(1, 0, sprintf(A, "%.0s", B));
    OURS(1, 1, sprintf(A, "%.*s", 5, B));
    OURS(4, 4, sprintf(A, "%.*s", -1, B));
    T(6, 4, sprintf(A, "%*s", -40, B));
    T(1, 0, sprintf(A, "%d%%", 12));
    OURS(1, 0, sprintf(A, "%s", NULL));
    T(1, 1, (B[0] = '%', B[1] = 'd', B[2] = 0, sprintf(A, B, 5)));
    T(0, 1, sprintf(text, "%d%n", 12, (int *)B));
    T(0, 1, sprintf(text, "%d%hhn", 12, B));
    T(0, 1, sprintf(text, "%Lf %lld %c %p %jd %zu %.3s", 1.0L, 1ll, 'c', B,
                    (intmax_t)1, (size_t)1, B + 6));
    OURS(0, 5, sprintf(text, "%2$.3s%1$s", B, B + 8));
    OURS(0, 14, sprintf(text, "%ls", WB));
    OURS(0, 2, sprintf(text, "%.3ls", WB));
    OURS(0, 4, sprintf(text, "%3$*1$.*2$f %4$s", 8, 3, 1.5, B));
    /* Not defined by C: the rest of the format is ignored. */
    OURS(0, 0, sprintf(text, "%Y %s", B));
    OURS(0, 0, sprintf(text, "%"));
    OURS(0, 0, sprintf(text, "%1$s %d", B, 2));
    OURS(4, 4, __sprintf_chk(A, 1, 100, "%s", B));
    OURS(2, 4, __snprintf_chk(A, 10, 1, 100, "%s", B));
    OURS(0, 4, __fprintf_chk(null, 1, "%s", B));
    errno = 77;
    after = sprintf(text, "%s|%m", B);
    if (errno != 77 || after != strlen(text) ||
        strstr(text, strerror(77)) == NULL)
        failures++;
}

/* A failed call counts nothing. */
static void check_failed(FILE *closed)
{
    OURS(0, 0, fprintf(closed, "%s", B));
    OURS(0, 0, fprintf(closed, "%s", (char *)1));
    OURS(0, 0, dprintf(-1, "%s", B));
}

/* asprintf returns a block like any other. */
static void check_allocated(void)
{
    char *made = NULL;

    OURS(0, 4, asprintf(&made, "%s", B));
    free(made);
    OURS(1, 4, (*(char **)A = NULL, asprintf((char **)A, "%s", B)));
    fill();
    __asprintf_chk(&made, 1, "%s", B);
    if (strcmp(made, "abcdefghijklmnopqrsXuvwxyz") != 0)
        failures++;
    free(made);
}

static void check_scanf(void)
{
    char *made = NULL;
    int n;
    long double wide;
    FILE *file = tmpfile();
    const char *volatile no_format = NULL;

    fputs("12 word 34", file);
    T(1, 0, sscanf("12", "%d", (int *)A));
    T(1, 0, __isoc99_sscanf("12", "%d", (int *)A));
    T(1, 0, sscanf("12", "%ld", (long *)A));
    T(2, 0, sscanf("1.5", "%Lf", (long double *)A));
    T(1, 0, sscanf("1.5", "%lf", (double *)A));
    T(2, 0, sscanf("a word", "a %s", A) + sscanf("word", "%s", A));
    T(2, 0, sscanf("sixteen-letters!", "%15s", A));
    T(2, 0, sscanf("abc def", "%9c", A));
    T(1, 0, sscanf("abc", "%*2s%c", A));
    T(1, 0, sscanf("abc]", "%[]abc]", A));
    T(1, 0, sscanf("abc", "%[^]]", A));
    T(1, 1, sscanf("12 x", "%d %d", (int *)A, (int *)B) * 0 +
                sscanf("13", "%d", (int *)B));
    T(0, 0, sscanf("x", "%d", (int *)A));
    T(0, 0, sscanf("", "%s", A));
    T(0, 1, (rewind(file), fscanf(file, "%d", (int *)B)));
    T(0, 1, fscanf(file, "%s%d", B, &n));
    T(1, 0, scan_list("7 8", "%d%d", (int *)A, &n));
    OURS(1, 4, sscanf(B, "%c", A));
    OURS(1, 0, sscanf("12 13", "%2$d%1$d", (int *)A, &n));
    OURS(0, 0, sscanf("12", "%Y", A));
    OURS(0, 0, sscanf("12", "%[", A));
    OURS(1, 0, (*(char **)A = NULL, sscanf("word", "%ms", (char **)A),
                made = *(char **)A, free(made), 0) + 0 * (n = 0));
    /* Refused, as by the C library. */
    errno = 0;
    if (sscanf("12", no_format) != EOF || errno != EINVAL ||
        fscanf(file, no_format) != EOF)
        failures++;
    if (sscanf("12 word 1.5", "%d%ms%Lf", &n, &made, &wide) != 3 || n != 12 ||
        strcmp(made, "word") != 0 || wide != 1.5L)
        failures++;
    free(made);
}

int main(int argc, char **argv)
{
    FILE *null = fopen("/dev/null", "w");
    FILE *closed = fopen("/dev/null", "r");

    make_blocks();
    if (argc > 1) {
        T(4, 0, sprintf(A, "%s", B));
        return finish();
    }
    check_printf(null);
    check_failed(closed);
    check_allocated();
    check_scanf();
    return finish();
}
