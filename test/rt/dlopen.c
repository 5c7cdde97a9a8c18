// Allocations of libraries that are opened and closed are recorded, with both linkers
// and without PIE. Checks only sizes and counts: see docs/runtime.md on closed
// libraries.
// RUN: %clang -shared -fPIC -DLIBRARY=one %s -o %t.one.so
// RUN: %clang -shared -fPIC -DLIBRARY=two %s -o %t.two.so
// RUN: %clang %ours-rt -fmemory-profile %s -o %t
// RUN: env MEMPROF_OPTIONS=print_text=1:print_terse=1:log_path=stderr %t %t.one.so %t.two.so 2>&1 | FileCheck %s
// RUN: %clang %ours-rt -fmemory-profile -fuse-ld=lld %s -o %t.lld
// RUN: env MEMPROF_OPTIONS=print_text=1:print_terse=1:log_path=stderr %t.lld %t.one.so %t.two.so 2>&1 | FileCheck %s
// RUN: %clang %ours-rt -fmemory-profile -no-pie %s -o %t.nopie
// RUN: env MEMPROF_OPTIONS=print_text=1:print_terse=1:log_path=stderr %t.nopie %t.one.so %t.two.so 2>&1 | FileCheck %s
// CHECK: MIB:[[#]]/{{[0-9]+}}/321.00/321/321/
#include <stdlib.h>
#ifdef LIBRARY
void *library_allocate(size_t size)
{
    void *volatile p = malloc(size);
    return p;
}
#else
#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    for (int i = 0; i < 40; i++) {
        void *library = dlopen(argv[1 + i % 2], RTLD_NOW);
        if (library == NULL) {
            puts(dlerror());
            return argc;
        }
        void *(*allocate)(size_t) =
            (void *(*)(size_t))dlsym(library, "library_allocate");
        void *p = allocate(321);
        if (malloc_usable_size(p) != 321)
            return 1;
        free(p);
        dlclose(library);
    }
    return 0;
}
#endif
