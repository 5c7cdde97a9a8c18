// For an invalid base the functions leave the program's end pointer alone, as without
// the profiler.
// RUN: %clang -O1 -fno-builtin %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O1 -fno-builtin -fmemory-profile %ours-rt %s -o %t && env MEMPROF_PROFILE_FILE=%t.raw %t | diff %t.expected -
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

static volatile int bases[] = {0, 1, 10, 16, 37, -1};

#define TRY(call, text)                                                       \
    do {                                                                      \
        void *end = &end;                                                     \
        errno = 0;                                                            \
        const long long value = (long long)(call);                            \
        printf("%s: %lld, %s, errno %d\n", #call, value,                      \
               end == (void *)&end ? "end untouched"                          \
               : end == (void *)(text) ? "end at start" : "end moved", errno); \
    } while (0)

int main(void)
{
    static const char narrow[] = "12x";
    static const wchar_t wide[] = L"12x";

    for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++) {
        const int base = bases[i];

        TRY(strtol(narrow, (char **)&end, base), narrow);
        TRY(strtoll(narrow, (char **)&end, base), narrow);
        TRY(strtoul(narrow, (char **)&end, base), narrow);
        TRY(strtoull(narrow, (char **)&end, base), narrow);
        TRY(strtoimax(narrow, (char **)&end, base), narrow);
        TRY(strtoumax(narrow, (char **)&end, base), narrow);
        TRY(wcstol(wide, (wchar_t **)&end, base), wide);
        TRY(wcstoll(wide, (wchar_t **)&end, base), wide);
        TRY(wcstoul(wide, (wchar_t **)&end, base), wide);
        TRY(wcstoull(wide, (wchar_t **)&end, base), wide);
        TRY(wcstoimax(wide, (wchar_t **)&end, base), wide);
        TRY(wcstoumax(wide, (wchar_t **)&end, base), wide);
    }
    return 0;
}
