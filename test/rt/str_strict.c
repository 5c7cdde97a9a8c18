// strict_string_checks=1 counts strings to their ends. strict_memcmp=0 counts memcmp up
// to the first difference.
// RUN: %clang -O0 -w -fno-builtin -I%S/Inputs -c %s -o %t.o
// RUN: %clang -fmemory-profile %ours-rt %t.o -o %t
// RUN: env MEMPROF_OPTIONS=strict_string_checks=1:strict_memcmp=0 %t
// RUN: %clang -fmemory-profile %t.o -o %t.llvm
// RUN: env MEMPROF_OPTIONS=strict_string_checks=1:strict_memcmp=0 %t.llvm
// RUN: not %t
#include "counts.h"

int main(void)
{
    make_blocks();
    T(3, 3, memcmp(A, B, 26));
    T(3, 3, bcmp(A, B, 26));
    T(2, 2, memcmp(A, B, 16));
    V(8, 0, free(strndup(A, 10)));
    T(8, 4, strcmp(A, B));
    T(2, 2, strncmp(A, B, 10));
    T(5, 4, strncmp(A, B, 40));
    T(8, 4, strcasecmp(A, B));
    T(5, 4, strncasecmp(A, B, 40));
    T(8, 0, strchr(A, 'j'));
    T(8, 0, strchrnul(A, 'j'));
    T(8, 0, index(A, 'j'));
    T(8, 0, strstr(A, "jkl"));
    T(8, 0, strcasestr(A, "JKL"));
    T(8, 0, strspn(A, "abcdefghij"));
    T(8, 4, strspn(A, B));
    T(8, 0, strpbrk(A, "j"));
    T(5, 4, strpbrk(A + 30, B));
    T(8, 0, strtok(A, "jt"));
    T(0, 0, (strtok(A, "jt"), take(A), strtok(NULL, "jt")));
    T(8, 3, strtok(A, B + 9));
    T(0, 3, (B[8] = 0, strcat(B, B + 8)));
    return finish();
}
