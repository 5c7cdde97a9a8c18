; -memprof-versions=2 copies the loop; the check at its end leads to the other copy.
; What reaches no access exists once.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument,verify -memprof-versions=2 -S %s 2>&1 | FileCheck %s
; CHECK: remark: {{.*}}memprof: functions that cannot have two versions of their code: 1
target triple = "x86_64-unknown-linux-gnu"

; CHECK: @__memprof_checks_v1 = weak dso_local thread_local(localexec) global i32 -4097
; A function that calls nothing only tests the word when it is entered.
; CHECK-LABEL: define i32 @sum(
; CHECK-NEXT: entry:
; CHECK-NEXT: br label %[[CHECK:.*]]
; CHECK: [[CHECK]]:
; CHECK-NEXT: %[[WORD:.*]] = call {{.*}}@llvm.threadlocal.address.p0(ptr {{.*}}@__memprof_checks_v1)
; CHECK-NEXT: %[[OLD:.*]] = load i32, ptr %[[WORD]]
; CHECK-NEXT: %[[IS_PLAIN:.*]] = icmp sgt i32 %[[OLD]], -1
; CHECK-NEXT: br i1 %[[IS_PLAIN]], label %[[PLAIN:.*]], label %[[BURST:.*]], !prof
; CHECK: [[BURST]]:
; CHECK: icmp slt i32 {{.*}}, -4096
; CHECK-NEXT: br i1 {{.*}}, label %[[OVER:.*]], label %[[ENTER:.*]], !prof
; CHECK: loop.back:
; CHECK: load i64, ptr @__memprof_shadow_memory_dynamic_address
; The loop reaches its check in every sixteenth iteration.
; CHECK: loop.back.plain:
; CHECK-NEXT: %[[ROUNDS:.*]] = sub i32 %[[LEFT:.*]], 1
; CHECK-NEXT: %[[NONE:.*]] = icmp eq i32 %[[ROUNDS]], 0
; CHECK-NEXT: br i1 %[[NONE]], label %[[SLOW:.*]], label %loop.plain, !prof
; CHECK: [[SLOW]]:
; CHECK: sub i32 {{.*}}, 16
; CHECK: loop.plain:
; CHECK-NEXT: %[[LEFT]] = phi i32
; CHECK-NOT: add i64
; CHECK-NOT: store
; CHECK: [[OVER]]:
; CHECK: call preserve_mostcc void @__memprof_next_burst_v1(
; CHECK: sub i32 {{.*}}, 1
; CHECK-NEXT: store i32
; CHECK-NEXT: br label %[[CHECK]]
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

; A function that calls decrements the word.
; CHECK-LABEL: define void @may_call(
; CHECK: %[[NEW:.*]] = sub i32 {{.*}}, 1
; CHECK-NEXT: store i32 %[[NEW]]
; CHECK-NEXT: icmp sgt i32 %[[NEW]], -1
; CHECK: back.plain:
; CHECK-NOT: store
; CHECK: sub i32 {{.*}}, 16
; CHECK: {{^}}}
declare void @other()
define void @may_call(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %back ]
  %q = getelementptr i32, ptr %p, i32 %i
  %v = load volatile i32, ptr %q
  %odd = icmp eq i32 %v, 0
  br i1 %odd, label %cold, label %back
cold:
  call void @other()
  br label %back
back:
  %i1 = add i32 %i, 1
  switch i32 %i1, label %loop [ i32 17, label %end
                                i32 19, label %end ]
end:
  ret void
}

; A loop that only calls decrements the word, because callees may only test it.
; CHECK-LABEL: define void @only_calls(
; CHECK: loop:
; CHECK: call void @other()
; CHECK: %[[LESS:.*]] = sub i32 {{.*}}, 1
; CHECK-NEXT: store i32 %[[LESS]]
; CHECK: icmp slt i32 %[[LESS]], 0
; CHECK: call preserve_mostcc void @__memprof_next_burst_v1(
; CHECK: {{^}}}
define void @only_calls(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  call void @other()
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Without accesses, and in short loops, there is nothing to check.
; CHECK-LABEL: define i32 @nothing(
; CHECK-NOT: __memprof_checks_v1
; CHECK-LABEL: define i32 @short(
; CHECK: @llvm.threadlocal.address.p0(ptr {{.*}}@__memprof_checks_v1)
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

; What cannot be copied counts the sign of the word.
; CHECK: load volatile i32, ptr @__memprof_checks_v1
; CHECK: mul i64 1
define ptr @presplit(ptr %p) presplitcoroutine {
  %v = load volatile ptr, ptr %p
  ret ptr %v
}

; Without checks there is no word: libtool takes all symbols of an object for ordinary variables.
; RUN: echo 'define void @nothing() { ret void }' | %opt -load-pass-plugin=%plugin -passes=memprof-instrument,verify -memprof-versions=2 -S - | FileCheck %s --check-prefix=NOTHING --implicit-check-not=__memprof_checks_v1
; NOTHING: define void @nothing
