// Reports go to stderr, never into the profile.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt %debugflags %s -o %t
// RUN: env MEMPROF_OPTIONS=atexit=1:print_module_map=1:verbosity=1 %t 2> err
// RUN: FileCheck %s < err
// RUN: %memprofdata show *.raw | grep 'in 2 blocks'
// CHECK: #0 0x{{[0-9a-f]+}} in inner ({{.*}}interface_reports.c.tmp+0x
// CHECK-NEXT: #1 0x{{[0-9a-f]+}} in main ({{.*}}interface_reports.c.tmp+0x
// CHECK: Stats: 3M malloced ({{[0-9]+}}M for overhead) by 2 calls
// CHECK: module main interface_reports.c.tmp
// CHECK: Process memory map follows:
// CHECK-NEXT: 0x{{[0-9a-f]+}}-0x{{[0-9a-f]+}}{{.*}}interface_reports.c.tmp
// CHECK: libc.so
// CHECK: End of process memory map.
// CHECK: memprof: wrote the profile to memprof.profraw
// CHECK: MemProfiler exit stats:
// CHECK-NEXT: Stats: 3M malloced ({{[0-9]+}}M for overhead) by 2 calls
// CHECK-NEXT: Stats: 0M freed by 0 calls
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/memprof_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *volatile kept[2];

__attribute__((noinline)) static void inner(void)
{
    __sanitizer_print_stack_trace();
}

int main(void)
{
    char path[4096];
    void *offset;

    inner();
    kept[0] = malloc(1 << 20);
    kept[1] = malloc(2 << 20);
    __memprof_print_accumulated_stats();
    if (__sanitizer_get_module_and_offset_for_pc((void *)main, path,
                                                 sizeof(path), &offset))
        fprintf(stderr, "module main %s\n", strrchr(path, '/') + 1);
    return 0;
}
