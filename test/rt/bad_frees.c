// A free of a pointer to no live block prints one message on stderr, never into the
// profile (LLVM's defect D5), and the program goes on.
// RUN: %clang %ours-rt -fmemory-profile -O0 -g -fno-builtin %s -o %t
// RUN: rm -f %t.raw.*
// RUN: env MEMPROF_OPTIONS=log_path=%t.raw:raw_format=llvm %t 2>&1 | FileCheck %s
// RUN: %llvm-profdata-v5 show --memory %t.raw.* --profiled-binary %t | FileCheck --check-prefix=PROFILE %s
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(void)
{
    char *p = malloc(100);
    char *q = malloc(100);
    char on_stack[64];
    char *mapped = mmap(0, 4096, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    free(p);
    // CHECK: memprof: free of 0x{{[0-9a-f]+}}: this block has been freed already
    free(p);
    free(p);
    // CHECK-NEXT: memprof: free of 0x{{[0-9a-f]+}}: this is no start of a block
    free(q + 32);
    free(q + 1);
    // CHECK-NEXT: memprof: free of 0x{{[0-9a-f]+}}: this was not allocated here
    free(mapped);
    free(on_stack + 32);
    if (realloc(mapped + 64, 10) != NULL)
        return 1;
    // CHECK-NEXT: alive
    free(q);
    puts("alive");
    return 0;
}
// PROFILE: NumSegments
