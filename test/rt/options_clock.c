// clock= chooses the clock, and the profile names it. Without a steady time stamp
// counter the clock is monotonic.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt %s -o %t
// RUN: for clock in cached coarse tsc monotonic; do \
// RUN:   env MEMPROF_PROFILE_FILE=$clock.raw MEMPROF_OPTIONS=compress=0:clock=$clock %t || exit 1; \
// RUN:   strings -n 3 $clock.raw | grep -Eo "^($clock|monotonic)" || exit 1; \
// RUN:   done | FileCheck %s
// CHECK: {{cached|monotonic}}
// CHECK: coarse
// CHECK: {{tsc|monotonic}}
// CHECK: monotonic
#include <stdlib.h>

int main(void)
{
    free(malloc(1));
    return 0;
}
