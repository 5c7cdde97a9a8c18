// __memprof_profile_reset() discards what was recorded: ended blocks are gone, and a
// live block starts anew.
// RUN: %clang -fmemory-profile %ours-rt %s -o %t
// RUN: env MEMPROF_OPTIONS=print_text=1:print_terse=1:log_path=stdout %t \
// RUN:   | FileCheck %s
// CHECK-NOT: MIB:{{.*}}/100.00/
// CHECK: MIB:{{[0-9]+}}/1/40.00/40/40/2.00/2/2/
// CHECK-NOT: MIB:
#include <sanitizer/memprof_interface.h>
#include <stdlib.h>

int main(void)
{
    int *volatile kept = malloc(40);
    char *volatile ended = malloc(100);

    for (int i = 0; i < 7; i++)
        kept[i] = i;
    free(ended);
    __memprof_profile_reset();
    kept[0] = 1;
    kept[1] = 2;
    return 0;
}
