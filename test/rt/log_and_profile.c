// A log and the profiles of the same run count once, whatever is given with what.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -O1 -g -fno-builtin -fmemory-profile %ours-rt %debugflags -I%root/inc %s -o prog
// RUN: env MEMPROF_OPTIONS=log=app.log MEMPROF_PROFILE_FILE=last ./prog
// RUN: env MEMPROF_OPTIONS=log=more.log MEMPROF_PROFILE_FILE=raw ./prog dump
// RUN: %memprofdata merge --text app.log -o app.json
// RUN: %memprofdata merge --text last app.log -o - | grep -c '"AllocCount":10,'
// RUN: %memprofdata merge --text app.log last app.log -o - | grep -c '"AllocCount":10,'
// RUN: %memprofdata merge last -o last.profdata
// RUN: %memprofdata merge --text app.log last.profdata -o - | grep -c '"AllocCount":10,'
// RUN: %memprofdata merge --text raw* more.log -o - | grep -c '"AllocCount":10,'
// RUN: %memprofdata merge more.log -o log.profdata
// RUN: %memprofdata merge --text raw* log.profdata -o - | grep -c '"AllocCount":10,'
// What is merged cannot be taken back.
// RUN: %memprofdata merge raw -o part.profdata
// RUN: not %memprofdata merge more.log part.profdata -o - 2>&1 | FileCheck %s
// RUN: %memprofdata merge app.log -o app.profdata
// RUN: not %memprofdata show app.profdata last 2>&1 | FileCheck %s
// RUN: not %memprofdata merge --failure-mode=all last app.profdata -o - 2>&1 | FileCheck %s
// RUN: cat app.profdata last > both && not %memprofdata show both 2>&1 | FileCheck %s
// The last epoch is not the whole run.
// RUN: env MEMPROF_OPTIONS=log=reset.log MEMPROF_PROFILE_FILE=epoch ./prog dump reset
// RUN: %memprofdata merge epoch.1 -o epoch.profdata
// RUN: not %memprofdata merge epoch.profdata reset.log -o - 2>&1 | FileCheck %s
// CHECK: another dump of the same run is merged already
#include <memprof.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < 10; i++) {
        char *const block = malloc(100);

        memset(block, 1, 100);
        free(block);
        if (i == 4 && argc > 1)
            memprof_dump();
        if (i == 4 && argc > 2)
            memprof_reset();
    }
    return 0;
}
