// Options may be given in the environment; the command line overrides it.
// DEFINE: %{cc} = %clang -O1 -fpass-plugin=%plugin -S -emit-llvm %s -o -
// RUN: env MEMPROF_PASS_OPTIONS="-memprof-instrument  --memprof-histogram=true -memprof-histogram-cell-bits=8" %{cc} | FileCheck %s --check-prefix=CELLS
// RUN: env MEMPROF_PASS_OPTIONS="-memprof-instrument -memprof-memory-access-callback-prefix=my_ -memprof-use-callbacks" %{cc} | FileCheck %s --check-prefix=PREFIX
// RUN: env MEMPROF_PASS_OPTIONS="-memprof-instrument=1 -memprof-use-callbacks" %{cc} -mllvm -memprof-use-callbacks=0 | FileCheck %s --check-prefix=INLINE
// RUN: env MEMPROF_PASS_OPTIONS="-memprof-use-callbacks" %{cc} | FileCheck %s --check-prefix=OFF
// RUN: env MEMPROF_PASS_OPTIONS="-memprof-use-callbacks" %{cc} -fmemory-profile | FileCheck %s --check-prefix=CALLBACK
// CELLS: load i8, ptr
// PREFIX: call void @my_load(
// INLINE: add i64 {{.*}}, 1
// OFF-NOT: __memprof
// CALLBACK: call void @__memprof_load(
// CALLBACK-NOT: call void @__memprof_load(

// A wrong option gives one message, also if the plugin is loaded twice.
// RUN: mkdir -p %t.copy && cp %plugin %t.copy/memprof.so
// RUN: not env MEMPROF_PASS_OPTIONS="-memprof-instrumet -memprof-atomic=perhaps -memprof-mapping-scale=" %{cc} -o %t.ll -fpass-plugin=%t.copy/memprof.so 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: memprof: MEMPROF_PASS_OPTIONS: unknown option '-memprof-instrumet'; 'perhaps' is not a value of option '-memprof-atomic'; '' is not a value of option '-memprof-mapping-scale'
// WRONG-NEXT: 1 error generated.
int read(int *p)
{
    return *p;
}
