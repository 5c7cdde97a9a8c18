// A dump of a program that grows during the dump has no more live bytes than the peak,
// both by call stack and in the run's own count. It is marked as a dump in the middle
// of a run.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -O1 -fno-builtin %s -o %t
// RUN: %t
// RUN: ls *.raw | count 5
// RUN: for f in *.raw; do %memprofdata merge --text $f -o $f.json && python3 %S/Inputs/peak_of.py $f.json || exit 1; done
// RUN: %memprofdata show --sort=live --details --tree *.1.raw | FileCheck %s --check-prefix=NOW
// NOW: live now {{.*}} of what was allocated
// NOW: Call tree by bytes live now
// NOW: 64 B a block now
// RUN: %memprofdata show --sort=live *.4.raw | FileCheck %s --check-prefix=END
// END: live at end
// END: by bytes live at the end
// RUN: %memprofdata diff --sort=live-blocks *.1.raw *.2.raw | FileCheck %s --check-prefix=DIFF
// DIFF: bytes live now
// DIFF: by blocks live now
// RUN: %memprofdata report --diff *.1.raw *.4.raw -o - | python3 %S/../report/Inputs/data.py > page
// RUN: grep -q 'bytes live now' page && not grep 'live at the end' page
// RUN: %memprofdata merge *.1.raw -o one && %memprofdata merge --text one -o one.json && %memprofdata merge one.json -o again && cmp one again
// RUN: %memprofdata show again | FileCheck %s --check-prefix=NOW-TOO
// NOW-TOO: live now
// RUN: %memprofdata merge *.raw -o all 2>&1 && %memprofdata show all | FileCheck %s --check-prefix=END-TOO
// END-TOO: live at end
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sanitizer/memprof_interface.h>

enum { DUMPS = 4, BLOCKS = 20000, MORE = 5 * BLOCKS };
static atomic_int limit = BLOCKS;
static atomic_int grown;

static void *grow(void *unused)
{
    while (grown < BLOCKS + DUMPS * MORE) {
        if (grown < limit) {
            void *volatile p = malloc(64);
            (void)p;
            grown++;
        }
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, grow, NULL);
    for (int i = 0; i < DUMPS; i++) {
        while (grown < limit)
            ;
        limit += MORE;
        __memprof_profile_dump();
    }
    return pthread_join(thread, NULL);
}
