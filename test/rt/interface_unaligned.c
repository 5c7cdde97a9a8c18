// Unaligned loads and stores work, and each counts as one access.
// RUN: %clang -fmemory-profile %ours-rt %s -o %t
// RUN: env MEMPROF_OPTIONS=print_text=1:print_terse=1:log_path=stdout %t | FileCheck %s
// CHECK: MIB:1/1/128.00/128/128/6.00/6/6/
#include <sanitizer/common_interface_defs.h>
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    char *const p = malloc(128);

    __sanitizer_unaligned_store16(p + 1, 0x1234);
    assert(__sanitizer_unaligned_load16(p + 1) == 0x1234);
    __sanitizer_unaligned_store32(p + 11, 0x12345678);
    assert(__sanitizer_unaligned_load32(p + 11) == 0x12345678);
    __sanitizer_unaligned_store64(p + 61, 0x123456789abcdef0);
    assert(__sanitizer_unaligned_load64(p + 61) == 0x123456789abcdef0);
    free(p);
    return 0;
}
