// A module is instrumented once: if the plugin is given twice, by two paths (two copies
// in one process), by -load as well, or runs on its own output.
// RUN: mkdir -p %t.copy && cp %plugin %t.copy/memprof.so && cp $(dirname %plugin)/memprof*.so %t.copy/
// DEFINE: %{cc} = %clang -O2 -fmemory-profile -S -emit-llvm %s
// RUN: %{cc} -fpass-plugin=%plugin -o %t.ll
// RUN: FileCheck %s <%t.ll
// RUN: %{cc} -fpass-plugin=%plugin -fpass-plugin=%plugin -o - | diff %t.ll -
// RUN: %{cc} -fpass-plugin=%plugin -fpass-plugin=%t.copy/memprof.so -o - | diff %t.ll -
// RUN: %{cc} -fpass-plugin=%t.copy/memprof.so -fpass-plugin=%plugin -mllvm -memprof-instrument -o - | diff %t.ll -
// RUN: %{cc} -Xclang -load -Xclang %plugin -fpass-plugin=%plugin -o - | diff %t.ll -
// RUN: %opt -load-pass-plugin=%plugin -passes='default<O1>,memprof-instrument' -memprof-instrument -S %t.ll | FileCheck %s
// RUN: %opt -load-pass-plugin=%plugin -load-pass-plugin=%t.copy/memprof.so -passes='memprof-instrument' -S %t.ll | FileCheck %s
// LLVM's passes do not count what we counted, and we do not count what they counted.
// RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,function(memprof),memprof-module' -S %t.ll | FileCheck %s
// RUN: %clang -O2 -fmemory-profile -S -emit-llvm %s -o %t.llvm.ll
// RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument' -S %t.llvm.ll | FileCheck %s

// CHECK: @llvm.global_ctors = appending global [{{[12]}} x { i32, ptr, ptr }]
// CHECK-LABEL: @read(
// CHECK-COUNT-1: add i64 {{.*}}, 1
// CHECK-NOT: add i64 {{.*}}, 1
// CHECK: ret i32
int read(int *p)
{
    return *p;
}
