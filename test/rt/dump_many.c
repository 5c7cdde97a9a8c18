// A profile whose tables are larger than the compression window and are written in many
// pieces is compressed and read back completely.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -O1 -fno-inline -fmemory-profile %ours-rt %debugflags -Wl,--build-id %s -o prog
// RUN: env MEMPROF_PROFILE_FILE=many ./prog
// RUN: test $(wc -c < many) -lt 400000
// RUN: %memprofdata show --top=1 many | FileCheck %s
//
// 2^15 leaves of 1 to 32,768 bytes, 536,887,296 bytes in all.
// CHECK: allocated 512 MiB in 32,768 blocks, from 32,768 call stacks
// CHECK: in 1 block of 32{{(.0)?}} KiB
#include <stdlib.h>

static void *volatile sink;

static void walk(unsigned levels, unsigned path)
{
    if (levels == 0) {
        sink = malloc(path + 1);
        free(sink);
        return;
    }
    walk(levels - 1, 2 * path);
    walk(levels - 1, 2 * path + 1);
    sink = NULL;
}

int main(void)
{
    walk(15, 0);
    return 0;
}
