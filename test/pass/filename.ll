; The profile's file name comes from the module flag that clang sets; this flag also
; requests the instrumentation.
; RUN: %opt -load-pass-plugin=%plugin -passes='default<O1>' -S %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

; CHECK: $__memprof_profile_filename = comdat any
; CHECK: @__memprof_profile_filename = constant [14 x i8] c"dir/memprof.p\00", comdat
; CHECK: define {{.*}} @load(
; CHECK: add i64 {{.*}}, 1
define i32 @load(ptr %p) {
  %v = load i32, ptr %p
  ret i32 %v
}

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"MemProfProfileFilename", !"dir/memprof.p"}
