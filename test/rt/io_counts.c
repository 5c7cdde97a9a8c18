// What input and output count: what was transferred, as LLVM's runtime does.
// RUN: %clang -O0 -w -fno-builtin -I%S/Inputs -c %s -o %t.o
// RUN: %clang -fmemory-profile %ours-rt %t.o -o %t && %t
// RUN: %clang -fmemory-profile %t.o -o %t.llvm && %t.llvm
#include "counts.h"
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>

int main(void)
{
    int pipe_ends[2], ends[2];
    struct iovec vector;
    FILE *file;

    make_blocks();
    if (pipe(pipe_ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 1;
    file = tmpfile();
    T(0, 3, write(pipe_ends[1], B, 20));
    T(3, 0, read(pipe_ends[0], A, 100));
    T(0, 0, write(-1, B, 20));
    T(0, 3, (vector = (struct iovec){B, 20}, writev(pipe_ends[1], &vector, 1)));
    T(3, 0, (vector = (struct iovec){A, 100}, readv(pipe_ends[0], &vector, 1)));
    T(0, 3, send(ends[0], B, 20, 0));
    T(3, 0, recv(ends[1], A, 100, 0));
    T(0, 3, sendto(ends[0], B, 20, 0, NULL, 0));
    T(3, 0, recvfrom(ends[1], A, 100, 0, NULL, NULL));
    T(0, 3, pwrite(fileno(file), B, 20, 0));
    T(3, 0, pread(fileno(file), A, 100, 0));
    T(13, 0, getrandom(A, 100, 0));
    T(0, 0, getrandom(A, 100, -1));
    T(3, 0, fread(A, 3, 30, file));
    T(0, 2, fwrite(B, 3, 5, file));
    rewind(file);
    T(5, 0, fgets(A, 100, file));
    T(0, 4, fputs(B, file));
    return finish();
}
