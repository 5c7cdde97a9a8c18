// print_text=1 names the functions of the program's frames as LLVM's runtime does
// through its symbolizer. It omits the frame of the allocation function, which LLVM
// prints first.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// DEFINE: %{names} = sed -nE 's/^    #[0-9]+ 0x[0-9a-f]+ in ([a-z_]+) .*/\1/p' | grep -E '^(make|middle|main)$' > 
// RUN: %clang -fmemory-profile %debugflags -Wl,--build-id %s -o llvm
// RUN: env MEMPROF_OPTIONS=print_text=1:log_path=stdout ./llvm | %{names} want
// RUN: %clang -fmemory-profile %ours-rt %debugflags -Wl,--build-id %s -o ours
// RUN: env MEMPROF_OPTIONS=print_text=1:log_path=stdout ./ours > out
// RUN: cat out | %{names} got && diff want got
// RUN: FileCheck --match-full-lines %s < out
// CHECK: Stack for id {{[0-9]+}}:
// CHECK-NEXT: #0 0x{{[0-9a-f]+}} in make ({{.*}}/ours+0x{{[0-9a-f]+}}) (BuildId: {{[0-9a-f]+}})
// CHECK-NEXT: #1 0x{{[0-9a-f]+}} in middle ({{.*}}/ours+0x{{[0-9a-f]+}}) (BuildId: {{[0-9a-f]+}})
// CHECK-NEXT: #2 0x{{[0-9a-f]+}} in main ({{.*}}/ours+0x{{[0-9a-f]+}}) (BuildId: {{[0-9a-f]+}})
// On request without names.
// RUN: env MEMPROF_OPTIONS=symbolize=0:print_text=1:log_path=stdout ./ours | FileCheck --check-prefix=NONE %s
// Without .symtab only exported functions have names, as make has.
// RUN: cp ours stripped && strip stripped
// RUN: env MEMPROF_OPTIONS=print_text=1:log_path=stdout ./stripped | FileCheck --check-prefix=NONE %s
// RUN: %clang -fmemory-profile %ours-rt %debugflags -Wl,--build-id -Wl,--export-dynamic-symbol=make %s -o exported
// RUN: strip exported
// RUN: env MEMPROF_OPTIONS=print_text=1:log_path=stdout ./exported | FileCheck --check-prefix=EXPORTED %s
// NONE: #0 0x{{[0-9a-f]+}}  ({{.*}}+0x
// NONE-NEXT: #1 0x{{[0-9a-f]+}}  ({{.*}}+0x
// EXPORTED: #0 0x{{[0-9a-f]+}} in make ({{.*}}/exported+0x
// EXPORTED-NEXT: #1 0x{{[0-9a-f]+}}  ({{.*}}/exported+0x
// A library whose file was replaced since it was loaded has no names.
// RUN: %clang -shared -fPIC -DLIBRARY -Wl,--build-id %s -o lib.so && cp lib.so old.so
// RUN: %clang -shared -fPIC -DLIBRARY -DOTHER -Wl,--build-id %s -o other.so
// RUN: %clang -fmemory-profile %ours-rt -DUSER %debugflags -Wl,--build-id %s -o user
// RUN: env MEMPROF_OPTIONS=print_text=1:log_path=stdout ./user old.so lib.so | FileCheck --check-prefix=LIBRARY %s
// RUN: env MEMPROF_OPTIONS=print_text=1:log_path=stdout ./user other.so lib.so | FileCheck --check-prefix=REPLACED %s
// LIBRARY: #0 0x{{[0-9a-f]+}} in in_library ({{.*}}/lib.so+0x
// LIBRARY-NEXT: #1 0x{{[0-9a-f]+}} in main ({{.*}}/user+0x
// REPLACED: #0 0x{{[0-9a-f]+}}  ({{.*}}/lib.so+0x
// REPLACED-NEXT: #1 0x{{[0-9a-f]+}} in main ({{.*}}/user+0x
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(LIBRARY)
#ifdef OTHER
int unlike[3] = {1, 2, 3};
#endif
void *in_library(void)
{
    void *volatile p = malloc(10);

    return p;
}
#elif defined(USER)
/* The file of the first argument replaces that of the second after that was
 * loaded. */
int main(int argc, char **argv)
{
    void *const library = dlopen("./lib.so", RTLD_NOW);
    void *(*const function)(void) = (void *(*)(void))dlsym(library, "in_library");

    (void)argc;
    rename(argv[1], argv[2]);
    free(function());
    return 0;
}
#else
__attribute__((noinline)) void *make(void)
{
    void *volatile p = malloc(10);

    return p;
}

__attribute__((noinline)) static void *middle(void)
{
    void *volatile p = make();

    return p;
}

int main(void)
{
    free(middle());
    return 0;
}
#endif
