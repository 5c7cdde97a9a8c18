// help=1 lists every option with its text, its default, and whether it has an effect.
// The program runs on.
// RUN: %clang -fmemory-profile %ours-rt %s -o %t
// RUN: env MEMPROF_OPTIONS=help=1:dump_at_exit=0 %t 2>%t.err | grep -x ran
// RUN: FileCheck %s < %t.err
// RUN: grep -c "^	[a-z]" %t.err > %t.count
// RUN: grep -c '^MPROF_OPTION(' %root/shared/options.inc | diff %t.count -
// CHECK: dump_at_exit
// CHECK-NEXT: (default: true)
// CHECK: malloc_context_size
// CHECK-NEXT: (default: 30)
// CHECK: demangle
// CHECK-NEXT: (no effect; default: true)
// CHECK: raw_format
// CHECK-NEXT: (default: "memprof")
#include <stdio.h>

int main(void)
{
    puts("ran");
    return 0;
}
