// Memory functions count as in LLVM's runtime, in normal mode.
// RUN: %clang -O0 -w -fno-builtin -I%S/Inputs -c %s -o %t.o
// RUN: %clang -fmemory-profile %ours-rt %t.o -o %t && %t
// RUN: %clang -O0 -w -fno-builtin -DLLVM_RUNTIME -I%S/Inputs -c %s -o %t.o
// RUN: %clang -fmemory-profile %t.o -o %t.llvm && %t.llvm
#include "counts.h"

int main(void)
{
    make_blocks();
    T(4, 4, memcpy(A, B, 26));
    T(0, 0, memcpy(A, B, 0));
    T(1, 1, memcpy(A + 4, B + 4, 8));
    T(1, 1, memcpy(A + 7, B + 8, 2));
    T(8, 8, memcpy(A, B, 64));
    T(9, 9, memcpy(A, B, 65));
    T(2, 2, memcpy(A + 60, B + 61, 10));
    T(4, 4, memmove(A, B, 30));
    T(8, 0, memmove(A, A + 8, 30));
    T(4, 0, memset(A, 1, 30));
    T(4, 0, memset(A + 5, 1, 30));
    V(4, 0, bzero(A, 26));
    T(4, 4, memcmp(A, B, 26));
    T(0, 0, memcmp(A, B, 0));
    T(4, 4, bcmp(A, B, 26));
    T(2, 0, memchr(A, 'j', 40));
    T(5, 0, memchr(A, '!', 40));
    T(5, 0, memrchr(A, 'j', 40));
    T(8, 2, memmem(A, 62, B, 10));
    T(8, 4, memmem(A, 62, B, 26));
    OURS(2, 0, rawmemchr(A, 'j'));
    OURS(4, 4, mempcpy(A, B, 26));
    OURS(2, 2, memccpy(A, B, 'j', 26));
    OURS(4, 4, (bcopy(B, A, 26), 0));
    OURS(4, 0, (explicit_bzero(A, 26), 0));
    return finish();
}
