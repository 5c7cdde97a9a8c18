// Two libraries are loaded in turn at one address. Each allocation is attributed to the
// right one: while it is loaded and afterwards, for blocks that outlive the library, in
// its constructor and in its destructor; instrumented or not.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -O1 -fmemory-profile %debugflags -Wl,--build-id -shared -fPIC -DNAME=alpha -DSIZE=300 %s -o alpha.so
// RUN: %clang -O1 -fmemory-profile %debugflags -Wl,--build-id -shared -fPIC -DNAME=bravo -DSIZE=700 %s -o bravo.so
// RUN: %clang -O1 -fmemory-profile %ours-rt %debugflags -Wl,--build-id %s -o prog
// RUN: ./prog 200 ./alpha.so ./bravo.so > out && grep -q '^one address$' out
// RUN: python3 %S/Inputs/blocks_by_leaf.py %memprofdata *.raw > leaves
// RUN: grep -E '^(alpha|bravo)_|^-' leaves | FileCheck %s
// CHECK: alpha_allocate 200 blocks of 300 B
// CHECK-NEXT: alpha_begin 200 blocks of 301 B
// CHECK-NEXT: alpha_end 200 blocks of 302 B
// CHECK-NEXT: bravo_allocate 200 blocks of 700 B
// CHECK-NEXT: bravo_begin 200 blocks of 701 B
// CHECK-NEXT: bravo_end 200 blocks of 702 B
// CHECK-NOT: {{.}}
//
// RUN: mkdir plain && %clang -O1 %debugflags -Wl,--build-id -shared -fPIC -DNAME=alpha -DSIZE=300 %s -o plain/alpha.so
// RUN: %clang -O1 %debugflags -Wl,--build-id -shared -fPIC -DNAME=bravo -DSIZE=700 %s -o plain/bravo.so
// RUN: env MEMPROF_PROFILE_FILE=plain/file ./prog 200 plain/alpha.so plain/bravo.so | grep -c '^one address$'
// RUN: python3 %S/Inputs/blocks_by_leaf.py %memprofdata plain/file > leaves
// RUN: grep -E '^(alpha|bravo)_|^-' leaves | FileCheck %s
//
// A text profile names unloaded binaries, too.
// RUN: env MEMPROF_OPTIONS=print_text=1:log_path=stderr ./prog 2 ./alpha.so ./bravo.so 2>&1 | FileCheck --check-prefix=TEXT %s
// TEXT-DAG: #0 {{0x[0-9a-f]+}} in alpha_allocate ({{.*}}.dir/alpha.so+{{0x[0-9a-f]+}}) (BuildId:
// TEXT-DAG: #0 {{0x[0-9a-f]+}} in bravo_allocate ({{.*}}.dir/bravo.so+{{0x[0-9a-f]+}}) (BuildId:
//
// LLVM's format cannot express this: it has the allocations of one of the two
// libraries, drops the others with a message, and the program is not affected.
// RUN: env MEMPROF_OPTIONS=raw_format=llvm MEMPROF_PROFILE_FILE=llvm ./prog 200 ./alpha.so ./bravo.so 2> err > out2 && cmp out out2
// RUN: FileCheck --check-prefix=REFUSED %s < err
// REFUSED: {{^}}memprof: LLVM's raw format cannot tell apart modules that were loaded at one address in turn: 600 blocks from 3 call stacks are left out, of {{.*}}/{{alpha|bravo}}.so and others; our own format has them
// REFUSED-NOT: {{.}}
// RUN: python3 %S/Inputs/blocks_by_leaf.py %memprofdata --profiled-binary=prog --profiled-binary=alpha.so --profiled-binary=bravo.so llvm > leaves
// RUN: grep -E '^(alpha|bravo)_|^-' leaves | FileCheck --check-prefix=LLVM %s
// LLVM: [[NAME:alpha|bravo]]_allocate 200 blocks of {{[37]}}00 B
// LLVM-NEXT: [[NAME]]_begin 200 blocks of {{[37]}}01 B
// LLVM-NEXT: [[NAME]]_end 200 blocks of {{[37]}}02 B
// LLVM-NOT: {{.}}
#include <stdlib.h>
#ifdef NAME
#define PASTE(a, b) a##_##b
#define NAMED(a, b) PASTE(a, b)
#define KEEP __attribute__((noinline))

static void *volatile kept;

KEEP void *NAMED(NAME, allocate)(void)
{
    void *volatile p = malloc(SIZE);
    return p;
}

KEEP __attribute__((constructor)) void NAMED(NAME, begin)(void)
{
    kept = malloc(SIZE + 1);
    free(kept);
}

/* Outlives the library. */
KEEP __attribute__((destructor)) void NAMED(NAME, end)(void)
{
    kept = malloc(SIZE + 2);
}

void *allocate(void)
{
    void *volatile p = NAMED(NAME, allocate)();
    return p;
}
#else
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *addresses[2] = {NULL, NULL};
    const int rounds = atoi(argv[1]);

    for (int i = 0; i < 2 * rounds; i++) {
        void *const library = dlopen(argv[2 + i % 2], RTLD_NOW);
        if (library == NULL) {
            puts(dlerror());
            return argc;
        }
        void *(*allocate)(void) = (void *(*)(void))dlsym(library, "allocate");
        addresses[i % 2] = (void *)allocate;
        void *const p = allocate();
        if (i % 4 < 2)
            free(p);
        dlclose(library);
    }
    puts(addresses[0] == addresses[1] ? "one address" : "two addresses");
    return 0;
}
#endif
