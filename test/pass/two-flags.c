// -fpass-plugin and -fmemory-profile are enough: line tables with the names that
// profiles use, frame pointers in every function that calls, no calls turned into
// jumps. (Before 22, clang must be told to load the front-end action: -load.)
// REQUIRES: llvm-19
// RUN: %clang -O2 -fpass-plugin=%plugin -fmemory-profile -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=ALL,TABLES
// RUN: %clang -O2 -fpass-plugin=%plugin -fmemory-profile -c %s -o %t.o && llvm-readelf -S %t.o | FileCheck %s --check-prefix=SECTIONS
// RUN: %clang -O2 -fpass-plugin=%plugin -fmemory-profile -S %s -o - | FileCheck %s --check-prefix=ASM
// Values are tracked through code generation only for variables' locations.
// RUN: %clang -O2 -fpass-plugin=%plugin -fmemory-profile -S -mllvm -stop-after=finalize-isel %s -o - | FileCheck %s --check-prefix=UNFOLLOWED
// RUN: %clang -O2 -g -fpass-plugin=%plugin -fmemory-profile -S -mllvm -stop-after=finalize-isel %s -o - | FileCheck %s --check-prefix=FOLLOWED
// RUN: %clang -O2 -fpass-plugin=%plugin -fmemory-profile -mllvm -experimental-debug-variable-locations=true -S -mllvm -stop-after=finalize-isel %s -o - | FileCheck %s --check-prefix=FOLLOWED
// Debug information that the user requested is not reduced.
// RUN: %clang -O2 -g -fpass-plugin=%plugin -fmemory-profile -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=ALL,FULL
// RUN: %clang -O2 -gdwarf-4 -gline-tables-only -fpass-plugin=%plugin -fmemory-profile -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=ALL,TABLES,FOUR
// Modules that clang's front end has not seen get the function attributes.
// RUN: %clang -O0 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -load-pass-plugin=%plugin -passes='default<O1>' -memprof-instrument -S %t.ll | FileCheck %s --check-prefix=ALL
// RUN: %opt -load-pass-plugin=%plugin -passes='default<O0>' -memprof-instrument -S %t.ll | FileCheck %s --check-prefix=ALL

// ALL: attributes #0 = {{.*}}"disable-tail-calls"="true" "frame-pointer"="{{all|non-leaf}}"
// TABLES: attributes #1 = {{.*}}"disable-tail-calls"="true" "frame-pointer"="non-leaf"
// TABLES: emissionKind: LineTablesOnly,{{.*}} debugInfoForProfiling: true
// FOUR: !"Dwarf Version", i32 4}
// FULL: emissionKind: FullDebug,{{.*}} debugInfoForProfiling: true
// SECTIONS: .debug_line
// FOLLOWED: debugInstrRef: true
// UNFOLLOWED: debugInstrRef: false
// ASM-LABEL: leaf:
// ASM-NOT: pushq
// ASM-LABEL: caller:
// ASM: pushq %rbp
// ASM: callq callee
// ASM-NOT: jmp callee
int callee(int *);
int leaf(int *p)
{
    return *p;
}
int caller(int *p, int n)
{
    return callee(p + n);
}
