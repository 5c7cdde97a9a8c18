// What the checking forms of memory and string functions count: what the plain
// ones do. A failed check ends the program as it does without us.
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
    return finish();
}
