; Objective-C runs +load before constructors: the method starts the runtime before it
; reads the shadow's base.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -S %s | FileCheck %s
; With LLVM's passes after ours it still does so once.
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,function(memprof),memprof-module' -S %s | FileCheck %s
target triple = "x86_64-apple-macosx10.15.0"

; CHECK-LABEL: define i32 @"\01+[Foo load]"(
; CHECK-NEXT: call void @__memprof_init()
; CHECK-NEXT: load i64, ptr @__memprof_shadow_memory_dynamic_address
; CHECK-NOT: call void @__memprof_init()
; CHECK: ret i32
define i32 @"\01+[Foo load]"(ptr %p) {
  %v = load i32, ptr %p
  ret i32 %v
}
