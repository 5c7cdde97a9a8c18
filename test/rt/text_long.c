// print_text=1 prints in LLVM's words. A text dump does not empty the profile.
// RUN: %clang -fmemory-profile %ours-rt %s -o %t
// RUN: env MEMPROF_OPTIONS=print_text=1:log_path=stdout %t > %t.out
// RUN: FileCheck --match-full-lines --strict-whitespace %s < %t.out
// RUN: grep -c 'Memory allocation stack id' %t.out | grep -x 4
//      CHECK:Recorded MIBs (incl. live on exit):
// CHECK-NEXT:Memory allocation stack id = 1
// CHECK-NEXT:	alloc_count 3, size (ave/min/max) 20.33 / 10 / 31
// CHECK-NEXT:	access_count (ave/min/max): 1.66 / 1 / 2
// CHECK-NEXT:	lifetime (ave/min/max): {{[0-9]+}}.{{[0-9][0-9]}} / {{[0-9]+}} / {{[0-9]+}}
// CHECK-NEXT:	num migrated: {{[0-9]+}}, num lifetime overlaps: 0, num same alloc cpu: {{[0-9]+}}, num same dealloc_cpu: {{[0-9]+}}
// CHECK-NEXT:AccessCountHistogram[0]: 
// CHECK-NEXT:Memory allocation stack id = 2
// CHECK-NEXT:	alloc_count 1, size (ave/min/max) 100.00 / 100 / 100
// CHECK-NEXT:	access_count (ave/min/max): 13.00 / 13 / 13
//      CHECK:Stack for id 1:
// CHECK-NEXT:    #0 0x{{[0-9a-f]+}} in main ({{.*}}text_long.c.tmp+0x{{[0-9a-f]+}}){{.*}}
//      CHECK:Recorded MIBs (incl. live on exit):
// CHECK-NEXT:Memory allocation stack id = 1
// CHECK-NEXT:	alloc_count 3, size (ave/min/max) 20.33 / 10 / 31
#include <sanitizer/memprof_interface.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *volatile kept;

    for (int i = 0; i < 3; i++) {
        int *const p = malloc(i == 2 ? 31 : 10 * (i + 1));

        p[0] = 1;
        if (i > 0)
            p[1] = 2;
        free(p);
    }
    kept = malloc(100);
    memset(kept, 0, 100);
    return __memprof_profile_dump();
}
