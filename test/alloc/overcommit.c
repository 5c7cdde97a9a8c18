// Where the kernel lends no memory beyond what there is, jemalloc maps memory first and may
// touch it later. A program that asks for huge pages runs there, too.
// RUN: %clang -O1 -fno-builtin -I%root/inc -I%S/Inputs %s -o %t %alloc-archive
// RUN: echo 2 > %t.two && if unshare -m mount --bind %t.two /proc/sys/vm/overcommit_memory; then unshare -m sh -c "mount --bind %t.two /proc/sys/vm/overcommit_memory && %t"; fi
#include "hints.h"
#include <string.h>

int main(void)
{
    HINTED(huge_pages)(HOT);
    for (int i = 0; i < 8; i++) {
        char *const block = malloc(9 << 20);

        memset(block, i, 9 << 20);
        assert(block[i] == i);
    }
    return 0;
}
