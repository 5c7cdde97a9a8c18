// The checked forms of memory and string functions count the same as the plain
// functions. A failed check ends the program as without the profiler.
// RUN: %clang -O0 -w -fno-builtin -I%S/Inputs -c %s -o %t.o
// RUN: %clang -fmemory-profile %ours-rt %t.o -o %t && %t
// RUN: not --crash %t overflow 2>&1 | grep 'buffer overflow detected'
#include "counts.h"

void *__memcpy_chk(void *, const void *, size_t, size_t);
void *__memmove_chk(void *, const void *, size_t, size_t);
void *__mempcpy_chk(void *, const void *, size_t, size_t);
void *__memset_chk(void *, int, size_t, size_t);
char *__strcpy_chk(char *, const char *, size_t);
char *__stpcpy_chk(char *, const char *, size_t);
char *__strncpy_chk(char *, const char *, size_t, size_t);
char *__strcat_chk(char *, const char *, size_t);
char *__strncat_chk(char *, const char *, size_t, size_t);
char *__stpncpy_chk(char *, const char *, size_t, size_t);
void __explicit_bzero_chk(void *, size_t, size_t);
wchar_t *__wcscpy_chk(wchar_t *to, const wchar_t *from, size_t room);
wchar_t *__wcpcpy_chk(wchar_t *to, const wchar_t *from, size_t room);
wchar_t *__wcsncpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wcpncpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wcscat_chk(wchar_t *to, const wchar_t *from, size_t room);
wchar_t *__wcsncat_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wmemcpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wmemmove_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wmempcpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wmemset_chk(wchar_t *to, wchar_t c, size_t n, size_t room);
size_t __mbstowcs_chk(wchar_t *to, const char *from, size_t max, size_t room);
size_t __wcstombs_chk(char *to, const wchar_t *from, size_t max, size_t room);
size_t __mbsrtowcs_chk(wchar_t *to, const char **from, size_t max, mbstate_t *state, size_t room);
size_t __wcsrtombs_chk(char *to, const wchar_t **from, size_t max, mbstate_t *state, size_t room);
size_t __mbsnrtowcs_chk(wchar_t *to, const char **from, size_t bytes, size_t max, mbstate_t *state, size_t room);
size_t __wcsnrtombs_chk(char *to, const wchar_t **from, size_t n, size_t max, mbstate_t *state, size_t room);
int __wctomb_chk(char *to, wchar_t c, size_t room);
size_t __wcrtomb_chk(char *to, wchar_t c, mbstate_t *state, size_t room);

static const char *narrow;
static const wchar_t *wide;
static mbstate_t state;

int main(int argc, char **argv)
{
    (void)argv;
    make_blocks();
    if (argc > 1)
        memset(__memcpy_chk(A, B, 26, 25), 0, 1);
    T(4, 4, __memcpy_chk(A, B, 26, 100));
    T(4, 4, __memmove_chk(A, B, 30, 100));
    T(4, 4, __mempcpy_chk(A, B, 26, 100));
    T(4, 0, __memset_chk(A, 1, 30, 100));
    T(4, 4, __strcpy_chk(A, B, 100));
    T(4, 4, __stpcpy_chk(A, B, 100));
    T(8, 4, __strncpy_chk(A, B, 60, 100));
    T(12, 4, __strcat_chk(A, B, 100));
    T(10, 2, __strncat_chk(A, B, 10, 100));
    T(8, 4, __stpncpy_chk(A, B, 60, 100));
    V(4, 0, __explicit_bzero_chk(A, 30, 100));
    T(14, 14, __wcscpy_chk(WA, WB, 100));
    T(14, 14, __wcpcpy_chk(WA, WB, 100));
    T(20, 14, __wcsncpy_chk(WA, WB, 40, 100));
    T(20, 14, __wcpncpy_chk(WA, WB, 40, 100));
    T(46, 14, __wcscat_chk(WA, WB, 100));
    T(38, 5, __wcsncat_chk(WA, WB, 10, 100));
    T(13, 13, __wmemcpy_chk(WA, WB, 26, 100));
    T(13, 13, __wmemmove_chk(WA, WB, 26, 100));
    T(13, 13, __wmempcpy_chk(WA, WB, 26, 100));
    T(13, 0, __wmemset_chk(WA, 1, 26, 100));
    T(14, 0, __mbstowcs_chk(WA, B, 100, 100));
    T(5, 0, __mbstowcs_chk(WA, B, 10, 100));
    T(4, 0, __wcstombs_chk(A, WB, 100, 100));
    T(14, 0, (narrow = B, __mbsrtowcs_chk(WA, &narrow, 100, &state, 100)));
    T(13, 4, (narrow = B, __mbsnrtowcs_chk(WA, &narrow, 26, 100, &state, 100)));
    T(4, 0, (wide = WB, __wcsrtombs_chk(A, &wide, 100, &state, 100)));
    T(4, 13, (wide = WB, __wcsnrtombs_chk(A, &wide, 26, 100, &state, 100)));
    T(1, 0, __wctomb_chk(A, L'x', 100));
    T(1, 0, __wcrtomb_chk(A, L'x', &state, 100));
    return finish();
}
