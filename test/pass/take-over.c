// The plugin takes over -fmemory-profile at every level and before link-time
// optimization: accesses count once, by our pass, and each symbol that a module needs
// exists once.
// DEFINE: %{check} = FileCheck %s
// RUN: %clang -fpass-plugin=%plugin -fmemory-profile -O0 -S -emit-llvm %s -o - | %{check}
// RUN: %clang -fpass-plugin=%plugin -fmemory-profile -O1 -S -emit-llvm %s -o - | %{check}
// RUN: %clang -fpass-plugin=%plugin -fmemory-profile -O2 -S -emit-llvm %s -o - | %{check}
// RUN: %clang -fpass-plugin=%plugin -fmemory-profile -O3 -S -emit-llvm %s -o - | %{check}
// RUN: %clang -fpass-plugin=%plugin -fmemory-profile -Os -S -emit-llvm %s -o - | %{check}
// RUN: %clang -fpass-plugin=%plugin -fmemory-profile -Oz -S -emit-llvm %s -o - | %{check}
// RUN: %clang -fpass-plugin=%plugin -fmemory-profile -O2 -flto -S -emit-llvm %s -o - | %{check}
// RUN: %clang -fpass-plugin=%plugin -fmemory-profile -O2 -flto=thin -S -emit-llvm %s -o - | %{check}
// RUN: %clang -fpass-plugin=%plugin -mllvm -memprof-instrument -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=FORCED
// RUN: %clang -fpass-plugin=%plugin -fmemory-profile -fno-memory-profile -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OFF

// CHECK-DAG: @llvm.used = appending global [2 x ptr] [ptr @memprof.mode_ctor.link_with_-fmemory-profile_and_no_other_sanitizer, ptr @memprof.module_ctor]
// CHECK-DAG: @llvm.global_ctors = appending global [2 x { i32, ptr, ptr }]
// CHECK-DAG: @__memprof_profile_filename = constant [16 x i8] c"memprof.profraw\00", comdat
// CHECK-DAG: @__memprof_histogram = constant i1 false, comdat
// CHECK-DAG: @llvm.compiler.used = appending global [1 x ptr] [ptr @__memprof_histogram]
// CHECK-DAG: @__memprof_default_options_str = constant [1 x i8] zeroinitializer
// CHECK-LABEL: @read(
// CHECK-COUNT-1: load i64, ptr @__memprof_shadow_memory_dynamic_address
// CHECK-COUNT-1: add i64 {{.*}}, 1
// CHECK-NOT: add i64 {{.*}}, 1
// CHECK: ret i32
// CHECK: define internal void @memprof.module_ctor()
// CHECK-COUNT-1: call void @__memprof_init()
// CHECK-COUNT-1: call void @__memprof_version_mismatch_check_v1()
// CHECK-NOT: define {{.*}}@memprof.module_ctor
// CHECK: !"MemProfInstrumented"

// FORCED: @llvm.global_ctors = appending global [2 x { i32, ptr, ptr }]
// FORCED-NOT: @__memprof_profile_filename
// FORCED: @__memprof_histogram = constant i1 false, comdat
// FORCED-LABEL: @read(
// FORCED-COUNT-1: add i64 {{.*}}, 1
// FORCED: ret i32
// FORCED: "disable-tail-calls"="true" "frame-pointer"="non-leaf"

// OFF-NOT: __memprof_
int read(int *p)
{
    return *p;
}
