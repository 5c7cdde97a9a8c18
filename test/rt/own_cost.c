// Each profile has the cost of profiling, and show prints it: time if calls were timed,
// memory, what was cut or dropped. LLVM's format has none of it, so show prints
// nothing.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -O1 -fmemory-profile %ours-rt %debugflags -Wl,--build-id %s -o prog
// RUN: env MEMPROF_PROFILE_FILE=many ./prog 100000
// RUN: %memprofdata show many | FileCheck --check-prefix=MANY %s
// RUN: %memprofdata merge many -o many.profdata && %memprofdata show many.profdata | FileCheck --check-prefix=MANY %s
// RUN: %memprofdata merge many many -o twice.profdata && %memprofdata show twice.profdata | FileCheck --check-prefix=TWICE %s
// RUN: %memprofdata check many | FileCheck --check-prefix=CHECK %s
// RUN: env MEMPROF_PROFILE_FILE=cut MEMPROF_OPTIONS=malloc_context_size=2 ./prog 100000
// RUN: %memprofdata show cut | FileCheck --check-prefix=CUT %s
// RUN: env MEMPROF_PROFILE_FILE=llvm MEMPROF_OPTIONS=raw_format=llvm ./prog 100000
// RUN: %memprofdata show --profiled-binary=prog llvm | FileCheck --check-prefix=LLVM %s
// RUN: %memprofdata check llvm | FileCheck --check-prefix=LLVM %s
// MANY: profiler     about {{[0-9.]+ .?s}} in malloc, free and related functions ({{[78][0-9][0-9]}} calls timed){{$}}
// MANY-NEXT: {{^}} {{[0-9.]+ .iB}} for call stacks and their sums, nothing cut or dropped
// TWICE: profiler     about {{.*}} calls timed)
// TWICE-NEXT: {{^}} {{.*}} for call stacks and their sums at most, nothing cut
// CHECK: profiler's time     about {{[1-9][0-9.]* .?s}}, {{[1-9][0-9]*}} calls timed
// CHECK: profiler's bytes    {{[1-9]}}
// CHECK: cut stacks          0
// CHECK: dropped blocks      0
// CUT: profiler     about {{.*}} timed)
// CUT-NEXT: {{[0-9] .?i?B}} for call stacks and their sums{{$}}
// CUT-NEXT: note {{.*}} cut at {{[0-9]+}} frames (malloc_context_size={{[0-9]+}})
// LLVM-NOT: profiler
#include <stdlib.h>

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 0;

    for (int i = 0; i < rounds; i++) {
        void *volatile p = malloc(10);
        free(p);
    }
    return 0;
}
