// per_thread=1: thread names beyond the limit count as one name, and a message says so.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -O1 -fmemory-profile -fno-builtin %ours-rt %debugflags %s -o %t
// RUN: env MEMPROF_PROFILE_FILE=raw MEMPROF_OPTIONS=per_thread=1 %t 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: too many thread names
// SAID-NOT: too many
// RUN: %memprofdata check raw | FileCheck %s --check-prefix=NAMES
// NAMES: names of threads {{ *}}1,023{{$}}
// RUN: %memprofdata merge '--thread=^n[0-9]*$' raw -o named
// RUN: python3 %S/Inputs/blocks_by_leaf.py %memprofdata named | FileCheck %s --check-prefix=NAMED --match-full-lines
// NAMED: main 1022 blocks of 100 B
// RUN: %memprofdata merge '--thread=^other$' raw -o other
// RUN: python3 %S/Inputs/blocks_by_leaf.py %memprofdata other | FileCheck %s --check-prefix=OTHER --match-full-lines
// OTHER: main 78 blocks of 100 B
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

int main(void)
{
    char name[16];

    for (int i = 0; i < 1100; i++) {
        snprintf(name, sizeof(name), "n%d", i);
        prctl(PR_SET_NAME, name);
        free(malloc(100));
    }
    return 0;
}
