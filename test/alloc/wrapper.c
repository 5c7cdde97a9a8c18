// -fmemprof-alloc of the wrapper: programs get the allocator, libraries do not; a
// library finds the allocator's functions by name in the program.
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{flags} = -O1 -Werror -fno-builtin -I%root/inc -I%S/Inputs -fmemprof-alloc
// RUN: cd %t && %wrapper %{flags} -c %s -o main.o && %wrapper %{flags} main.o -o linked && ./linked
// RUN: cd %t && %wrapper %{flags} %s -o at-once && ./at-once
// RUN: cd %t && %wrapper %{flags} -DSTATIC -static %s -o static && ./static
// RUN: cd %t && %wrapper %{flags} -fPIC -shared -DLIBRARY %s -o lib.so
// RUN: cd %t && not grep -q jemalloc lib.so && %wrapper %{flags} -DLOAD %s -o load && ./load
// RUN: cd %t && %wrapper %{flags} -r %s -o part.o && not grep -q jemalloc part.o
// RUN: cd %t && %wrapper %{flags} -fno-memprof-alloc main.o -o without && not ./without
// RUN: not %wrapper -fmemprof-alloc -fmemory-profile %s -o %t/both 2>&1 | FileCheck %s
// CHECK: -fmemory-profile cannot be combined with -fmemprof-alloc: both define malloc
#include "hints.h"

int main_of_library(void)
{
    void *const cold = HINTED(malloc)(10, COLD), *const hot = HINTED(malloc)(10, HOT);
    assert((char *)hot - (char *)cold > 1 << 20);
    free(cold);
    free(hot);
    return 0;
}

#ifndef LIBRARY
int main(void)
{
#ifdef LOAD
    void *const library = dlopen("./lib.so", RTLD_NOW);
    assert(library != NULL);
    int (*const call)(void) = (int (*)(void))dlsym(library, "main_of_library");
    assert(call != NULL);
    return call();
#else
    return main_of_library();
#endif
}
#endif
