; -memprof-versions=2 copies the loop; the check at its end leads to the other copy.
; What reaches no access exists once.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument,verify -memprof-versions=2 -S %s 2>&1 | FileCheck %s
; CHECK: remark: {{.*}}memprof: functions that cannot have two versions of their code: 1
target triple = "x86_64-unknown-linux-gnu"

; CHECK: @__memprof_counting_v1 = external dso_local global i8
; CHECK-LABEL: define i32 @sum(
; CHECK-NEXT: entry:
; CHECK-NEXT: load volatile i8, ptr @__memprof_counting_v1
; CHECK: br i1 {{.*}}, label %[[ENTER:.*]], label %[[PLAIN:.*]], !prof
; CHECK: loop.back:
; CHECK: load volatile i8, ptr @__memprof_counting_v1
; CHECK: br i1 {{.*}}, label %loop, label %loop.land.plain, !prof
; CHECK: load i64, ptr @__memprof_shadow_memory_dynamic_address
; CHECK: loop.back.plain:
; CHECK: load volatile i8, ptr @__memprof_counting_v1
; CHECK: br i1 {{.*}}, label %loop.land.enter, label %loop.plain, !prof
; CHECK: loop.plain:
; CHECK-NOT: add i64
; CHECK: }
define i32 @sum(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %s = phi i32 [ 0, %entry ], [ %s1, %loop ]
  %q = getelementptr i32, ptr %p, i32 %i
  %v = load volatile i32, ptr %q
  %s1 = add i32 %s, %v
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %s1
}

; Without accesses, and in short loops, there is nothing to check.
; CHECK-LABEL: define i32 @nothing(
; CHECK-NOT: __memprof_counting_v1
; CHECK-LABEL: define i32 @short(
; CHECK: load volatile i8, ptr @__memprof_counting_v1
; CHECK-NOT: loop.back
; CHECK-LABEL: define ptr @presplit(
define i32 @nothing(i32 %n) {
  ret i32 %n
}

define i32 @short(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %q = getelementptr i32, ptr %p, i32 %i
  %v = load volatile i32, ptr %q
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, 8
  br i1 %more, label %loop, label %end
end:
  ret i32 %v
}

; What cannot be copied counts the byte.
; CHECK: load volatile i8, ptr @__memprof_counting_v1
; CHECK: mul i64 1
define ptr @presplit(ptr %p) presplitcoroutine {
  %v = load volatile ptr, ptr %p
  ret ptr %v
}
