; Accesses to memory outside of heap blocks do not count: static and thread-local
; variables, arguments on the stack. -memprof-instrument-globals counts them.
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -S %s | FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -memprof-use-callbacks -S %s | FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -memprof-use-callbacks -memprof-instrument-globals -S %s | FileCheck %s --check-prefix=KEEP
target triple = "x86_64-unknown-linux-gnu"

@constant = constant i32 7
@variable = external global [64 x i32]
@alias = alias [4 x i32], ptr @known
@known = global [4 x i32] zeroinitializer
@tls = thread_local global i32 0

; CHECK-LABEL: define void @static(
; CHECK-NEXT: load i32, ptr @constant
; CHECK-NEXT: getelementptr
; CHECK-NEXT: store i32 1
; CHECK-NEXT: store i32 2, ptr @alias
; CHECK-NEXT: call ptr @llvm.threadlocal.address
; CHECK-NEXT: store i32 3
; CHECK-NEXT: store i32 4, ptr %byval
; CHECK-NEXT: ret void
; KEEP-LABEL: define void @static(
; KEEP-COUNT-5: call void @__memprof_{{load|store}}(
define void @static(ptr byval(i32) %byval, i64 %i) {
  %v = load i32, ptr @constant
  %p = getelementptr i32, ptr @variable, i64 %i
  store i32 1, ptr %p
  store i32 2, ptr @alias
  %t = call ptr @llvm.threadlocal.address.p0(ptr @tls)
  store i32 3, ptr %t
  store i32 4, ptr %byval
  ret void
}
declare ptr @llvm.threadlocal.address.p0(ptr)

; A pointer that steps through an array.
; CHECK-LABEL: define void @sweep(
; CHECK-NOT: load i64
; CHECK: ret void
define void @sweep(ptr %end) {
entry:
  br label %loop
loop:
  %p = phi ptr [ @variable, %entry ], [ %next, %loop ]
  store i32 1, ptr %p
  %next = getelementptr i32, ptr %p, i64 1
  %done = icmp eq ptr %next, %end
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; A global may point to a block, and so may a function's result.
; CHECK-LABEL: define void @heap(
; CHECK: {{add i64|call void @__memprof_store}}
; CHECK: store i32 1, ptr %p
; CHECK: {{add i64|call void @__memprof_store}}
; CHECK: store i32 2, ptr %sret
define void @heap(ptr sret(i32) %sret) {
  %p = load ptr, ptr @variable
  store i32 1, ptr %p
  store i32 2, ptr %sret
  ret void
}
