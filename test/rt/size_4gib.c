// Blocks of 4 GiB and more are recorded with their size (LLVM's defect D1).
// RUN: %clang %ours-rt -fmemory-profile -O0 %s -o %t
// RUN: env MEMPROF_OPTIONS=print_text=1:print_terse=1:log_path=stderr %t 2>&1 | FileCheck %s
#include <malloc.h>
#include <stdlib.h>

static __attribute__((noinline)) void *get(size_t size)
{
    return malloc(size);
}

int main(void)
{
    const size_t size = (size_t)1 << 32;
    // CHECK: MIB:[[#]]/1/4294967296.00/4294967296/4294967296/1.00/1/1/
    char *p = get(size);
    p[size - 1] = 1;
    if (malloc_usable_size(p) != size)
        abort();
    free(p);
    // CHECK: MIB:[[#]]/1/4294967297.00/4294967297/4294967297/2.00/2/2/
    p = get(size + 1);
    p[0] = 1;
    p[size] = 1;
    free(p);
    // An untouched block costs nothing to look through.
    // CHECK: MIB:[[#]]/1/5368709120.00/5368709120/5368709120/0.00/0/0/
    free(get((size_t)5 << 30));
    return 0;
}
