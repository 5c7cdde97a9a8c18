; Taking the place of LLVM's passes has no other effect: LLVM's instrumentation of a
; module that we have not done is the same as without the plugin, and so is the option
; that we use for it.
; RUN: %opt -passes='function(memprof),memprof-module' -S %s -o %t.1.ll
; RUN: %opt -load-pass-plugin=%plugin -passes='function(memprof),memprof-module' -S %s | diff %t.1.ll -
; RUN: %opt -passes='function(memprof),memprof-module' -memprof-debug-func=g -S %s -o %t.2.ll
; RUN: %opt -load-pass-plugin=%plugin -passes='function(memprof),memprof-module' -memprof-debug-func=g -S %s | diff %t.2.ll -
; Our pass sees the user's value, before and after LLVM's pass.
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,function(memprof),memprof-module' -memprof-debug-func=g -S %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define i32 @f(
; CHECK-COUNT-1: add i64 {{.*}}, 1
; CHECK-NOT: add i64 {{.*}}, 1
; CHECK-LABEL: define i32 @g(
; CHECK-NOT: add i64 {{.*}}, 1
; CHECK: ret i32
define i32 @f(ptr %p) {
  %v = load i32, ptr %p
  ret i32 %v
}
define i32 @g(ptr %p) {
  %v = load i32, ptr %p
  ret i32 %v
}
