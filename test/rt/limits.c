// If the profile cannot be written, the program runs on unchanged, and one message says
// so, which never gets into a file.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt %s -o %t
// RUN: sh -c 'ulimit -f 0; %t plain; test $? = 5' 2>&1 | FileCheck %s --check-prefix=SIZE --implicit-check-not=memprof:
// SIZE: memprof: cannot write the profile {{.*}}: larger than files may be
// RUN: ls -A | count 0
// RUN: env MEMPROF_OPTIONS=log_path=/proc/none/x %t plain 2> err; test $? = 5
// RUN: FileCheck %s --check-prefix=PLACE --implicit-check-not=memprof: < err
// PLACE: memprof: cannot write the profile
// RUN: %t pipe; test $? = 5
// RUN: rm -rf *.raw && %t closed; test $? = 5
// RUN: %memprofdata show *.raw
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int ends[2];

    free(malloc((size_t)argc));
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
