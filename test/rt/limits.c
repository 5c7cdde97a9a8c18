// If the profile cannot be written, the program runs on unchanged, and one message says
// so, which never gets into a file.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt %s -o %t
// RUN: %t size 2> err; test $? = 5
// RUN: FileCheck %s --check-prefix=SIZE --implicit-check-not=memprof: < err
// SIZE: memprof: cannot write the profile {{.*}}: larger than files may be
// RUN: ls -A | count 1
// RUN: env MEMPROF_OPTIONS=log_path=/proc/none/x %t plain 2> err; test $? = 5
// RUN: FileCheck %s --check-prefix=PLACE --implicit-check-not=memprof: < err
// PLACE: memprof: cannot write the profile
// RUN: %t pipe; test $? = 5
// RUN: rm -rf *.raw && %t closed; test $? = 5
// RUN: %memprofdata show *.raw
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const struct rlimit small = {200, 200};
    int ends[2];

    free(malloc((size_t)argc));
    if (!strcmp(argv[1], "size"))
        setrlimit(RLIMIT_FSIZE, &small);
    if (!strcmp(argv[1], "closed")) {
        close(0);
        close(1);
        close(2);
        malloc(7);
        free(malloc(0) - 4096); /* has something to say */
    }
    if (!strcmp(argv[1], "pipe")) {
        if (pipe(ends))
            return 1;
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        free((char *)malloc(1) + 3);
    }
    return 5;
}
