; A call in tail position stays a call, so that the frame of its function is on the
; stack. The exception are functions that only tail-call each other: they would fill
; the stack.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: %opt -passes=verify -S %t.ll -o /dev/null
; The same without values for call stacks.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-context-values=false -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define ptr @wrapper(
; CHECK-SAME: #[[NONE:[0-9]+]] {{.*}}{
; CHECK: notail call ptr @malloc(
define ptr @wrapper(i64 %size) {
  %p = tail call ptr @malloc(i64 %size)
  ret ptr %p
}

; Optimization at link time may put a call in tail position.
; CHECK-LABEL: define ptr @unmarked(
; CHECK: notail call ptr @wrapper(
define ptr @unmarked(i64 %size) {
  %p = call ptr @wrapper(i64 %size)
  ret ptr %p
}

; Call stacks of copies are shown, too.
; CHECK-LABEL: define void @copies(
; CHECK: notail call void @llvm.memcpy
define void @copies(ptr %p, ptr %q) {
  tail call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 8, i1 false)
  ret void
}

; One path around the cycle is enough, whatever the types are. The block returns
; itself; its accesses are counted before.
; CHECK-LABEL: define internal i64 @even(
; CHECK-SAME: #[[SOME:[0-9]+]] {{.*}}{
; CHECK: go:
; CHECK: store i64
; CHECK: {{^ *%n.*}}tail call i64 @odd(
; CHECK-NEXT: ret i64
; CHECK: {{^ *}}notail call void @outside(
define internal i64 @even(ptr %p, i64 %a) {
  %end = icmp eq ptr %p, null
  br i1 %end, label %done, label %go
go:
  %next = load ptr, ptr %p
  %n = tail call i64 @odd(ptr %next, i64 %a, i32 1)
  br label %return
done:
  tail call void @outside()
  br label %return
return:
  %r = phi i64 [ %n, %go ], [ %a, %done ]
  ret i64 %r
}
; CHECK-LABEL: define internal i64 @odd(
; CHECK: {{^ *%n.*}}tail call i64 @even(
; CHECK-NEXT: ret i64
define internal i64 @odd(ptr %p, i64 %a, i32 %one) {
  %n = tail call i64 @even(ptr %p, i64 %a)
  ret i64 %n
}
; CHECK-LABEL: define i64 @into_circle(
; CHECK: notail call i64 @even(
define i64 @into_circle(ptr %p) {
  %n = tail call i64 @even(ptr %p, i64 0)
  ret i64 %n
}

; States behind a table, and functions that only they call.
@table = global ptr @state
; CHECK-LABEL: define internal void @state(
; CHECK: {{^ *}}notail call void @outside(
; CHECK: {{^ *}}tail call void @dispatch(
; CHECK-NEXT: ret void
define internal void @state(ptr %vm) {
  tail call void @outside()
  tail call void @dispatch(ptr %vm, i32 0)
  ret void
}
; CHECK-LABEL: define internal void @dispatch(
; CHECK: {{^ *}}tail call void %to(
; CHECK-NEXT: ret void
define internal void @dispatch(ptr %vm, i32 %op) {
  %to = load ptr, ptr @table
  tail call void %to(ptr %vm)
  ret void
}
; No pointer leads to it, and nothing that pointers lead to calls it.
; CHECK-LABEL: define internal void @starts(
; CHECK: notail call void %to(
define internal void @starts(ptr %vm) {
  %to = load ptr, ptr @table
  tail call void %to(ptr %vm)
  ret void
}
; CHECK-LABEL: define void @other_type(
; CHECK: notail call void @starts(
define void @other_type(ptr %vm, i32 %n) {
  tail call void @starts(ptr %vm)
  ret void
}

; The code generator makes no jump of a call that passes arguments in memory.
; CHECK-LABEL: define internal void @seven(
; CHECK: notail call void @seven(
define internal void @seven(i32 %a, i32 %b, i32 %c, i32 %d, i32 %e, i32 %f, i32 %g) {
  tail call void @outside()
  tail call void @seven(i32 %b, i32 %a, i32 %d, i32 %c, i32 %f, i32 %e, i32 %g)
  ret void
}

; CHECK-LABEL: define i32 @not_its_result(
; CHECK: notail call i32 @not_its_result(
define i32 @not_its_result(i32 %n) {
  %r = tail call i32 @not_its_result(i32 %n)
  tail call void @outside()
  ret i32 %n
}

; CHECK-LABEL: define void @must(
; CHECK: musttail call void %to(
define void @must(ptr %to) {
  musttail call void %to(ptr %to)
  ret void
}

; The functions of a state machine with a file for each: of the next one only the type
; is known.
; CHECK-LABEL: define i64 @first_state(
; CHECK: {{^ *%n.*}}tail call i64 @next_state(
; CHECK-NEXT: ret i64
define i64 @first_state(ptr %p, i32 %a) {
  %next = load ptr, ptr %p
  %n = tail call i64 @next_state(ptr %next, i32 %a)
  ret i64 %n
}
; No other code knows this function, so nothing leads back to it.
; CHECK-LABEL: define internal i64 @enters(
; CHECK: notail call i64 @next_state(
define internal i64 @enters(ptr %p, i32 %a) {
  %n = tail call i64 @next_state(ptr %p, i32 %a)
  ret i64 %n
}
; CHECK-LABEL: define i64 @of_another_type(
; CHECK: notail call i64 @next_state(
define i64 @of_another_type(ptr %p) {
  %n = tail call i64 @next_state(ptr %p, i32 0)
  ret i64 %n
}
; CHECK-LABEL: define ptr @makes(
; CHECK: notail call ptr @make_node(
define ptr @makes(i64 %size) {
  %p = tail call ptr @make_node(i64 %size)
  ret ptr %p
}
; CHECK-LABEL: define void @releases(
; CHECK: notail call void @free(
define void @releases(ptr %p) {
  tail call void @free(ptr %p)
  ret void
}

; The user wants all frames.
; CHECK-LABEL: define i64 @no_jumps(
; CHECK: notail call i64 @no_jumps(
define i64 @no_jumps(i64 %n) "disable-tail-calls"="true" {
  tail call void @outside()
  %m = tail call i64 @no_jumps(i64 %n)
  ret i64 %m
}

; CHECK-DAG: attributes #[[NONE]] = {{.*}}"disable-tail-calls"="true"
; CHECK-DAG: attributes #[[SOME]] = { "no-builtin
declare ptr @malloc(i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @outside()
declare i64 @next_state(ptr, i32)
declare ptr @make_node(i64)
declare void @free(ptr)
