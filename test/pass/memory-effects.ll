; A function that wrote no memory now writes counters. Its attributes must not deny
; that, or optimization at link time keeps counters in registers across calls.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-context-values=false -S %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

; CHECK-NOT: Attrs:{{.*}}memory(
; CHECK: define i32 @pure(
; CHECK: declare i32 @other(ptr){{$}}
; CHECK: memory(none)
; CHECK-NEXT: declare i64 @llvm.umax.i64
; CHECK-NOT: Attrs:{{.*}}memory(
; CHECK: attributes
; CHECK-COUNT-1: memory(
; CHECK-NOT: memory(
define i32 @pure(ptr %p) nounwind memory(argmem: read) {
  %v = load i32, ptr %p
  ret i32 %v
}
define i32 @caller(ptr %p) {
  %a = call i32 @pure(ptr %p) memory(read)
  %b = call i32 @other(ptr %p) memory(none)
  %c = call i64 @llvm.umax.i64(i64 1, i64 2)
  ret i32 %a
}
declare i32 @other(ptr) memory(read)
declare i64 @llvm.umax.i64(i64, i64)
