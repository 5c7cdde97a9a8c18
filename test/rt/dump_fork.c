// A forked child writes a file of its own, even if its name is the same as the parent's
// and the format would append to the parent's file.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt %s -o %t
// RUN: %t && ls | count 4
// RUN: env MEMPROF_PROFILE_FILE=x %t && ls | grep -x 'x\(\.[123]\)\?' | count 4
// RUN: env MEMPROF_PROFILE_FILE=l MEMPROF_OPTIONS=raw_format=llvm %t
// RUN: ls | grep -x 'l\(\.1\)\?' | count 2
#include <sanitizer/memprof_interface.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int status;

    free(malloc(1000));
    __memprof_profile_dump();
    if (fork() == 0) {
        free(malloc(7));
        __memprof_profile_dump();
        _exit(0);
    }
    wait(&status);
    return status;
}
