// A program that gives up its rights: the profile goes to its place, also where the program
// could no longer make a file there, and is whole.
// REQUIRES: root
// RUN: rm -rf %t.dir && mkdir -p %t.dir/jail && cd %t.dir && chmod 755 . jail
// RUN: %memprof-clang -O0 -fmemory-profile %s -o %t
// RUN: env MEMPROF_PROFILE_FILE=$PWD/p.raw %t user 2>&1 | count 0
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata p.raw | grep -x '6 1' && rm p.raw
// RUN: env MEMPROF_PROFILE_FILE=$PWD/p.raw %t jail 2>&1 | count 0
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata p.raw | grep -x '6 1' && rm p.raw
// RUN: ls -A jail | count 0
// A place that stays in reach is used as always, and a child has no file to write to.
// RUN: chmod 777 . && env MEMPROF_PROFILE_FILE=$PWD/p.raw %t user 2>&1 | count 0
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata p.raw | grep -x '6 1'
// RUN: stat -c %%u p.raw | grep -x 65534 && rm p.raw && chmod 755 .
// RUN: env MEMPROF_PROFILE_FILE=$PWD/p.raw %t child 2>err && python3 %S/Inputs/blocks_in.py %memprofdata p.raw | grep -x '6 1'
// RUN: FileCheck --input-file=err %s
// CHECK: memprof: cannot write the profile {{.*}}: permission denied{{.*$}}
// CHECK-NOT: {{.}}
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *kept;

int main(int argc, char **argv)
{
    kept = malloc(10);
    if (!strcmp(argv[1], "jail") && chroot("jail") != 0)
        return 1;
    if (setgid(65534) != 0 || setuid(65534) != 0)
        return 1;
    if (!strcmp(argv[1], "child")) {
        if (fork() == 0) {
            free(malloc(30));
            return 0;
        }
        wait(NULL);
    }
    for (int i = 0; i < 5; i++)
        free(malloc(20));
    return 0;
}
