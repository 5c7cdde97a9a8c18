// __sanitizer_set_report_path() and __sanitizer_set_report_fd() choose the file.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt %s -o %t
// RUN: %t > fd-3 3> by-fd
// RUN: ls | FileCheck %s
// RUN: test "$(head -c 6 by-fd | tail -c 5)" = mpraw
// CHECK: by-fd
// CHECK-NEXT: fd-3
// CHECK-NEXT: memprof.profraw.{{[0-9]+}}.raw
// CHECK-NEXT: sub
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/memprof_interface.h>
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char expected[64];

    snprintf(expected, sizeof(expected), "memprof.profraw.%d.raw", getpid());
    assert(strcmp(__sanitizer_get_report_path(), expected) == 0);
    assert(__memprof_profile_dump() == 0);
    assert(access(expected, R_OK) == 0);

    __sanitizer_set_report_path("sub/dir/other");
    snprintf(expected, sizeof(expected), "sub/dir/other.%d.raw", getpid());
    assert(strcmp(__sanitizer_get_report_path(), expected) == 0);
    __memprof_profile_dump();
    assert(access(expected, R_OK) == 0);

    __sanitizer_set_report_fd((void *)3);
    return 0;
}
