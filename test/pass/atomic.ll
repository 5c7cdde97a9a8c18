; -memprof-atomic counts with one atomic addition.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-atomic -S %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define i32 @load(
; CHECK: [[P:%.*]] = inttoptr i64
; CHECK-NEXT: atomicrmw add ptr [[P]], i64 1 monotonic, align 8, !nosanitize
; CHECK-NEXT: %v = load i32, ptr %p
define i32 @load(ptr %p) {
  %v = load i32, ptr %p
  ret i32 %v
}
