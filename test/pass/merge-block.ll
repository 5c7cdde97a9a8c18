; Accesses in one basic block that certainly touch the same object count with one
; addition, at the address of the first; no access moves across a barrier.
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -memprof-context-values=false -S %s | FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -memprof-context-values=false -memprof-merge=block -S %s | FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -memprof-context-values=false -memprof-merge=none -S %s | FileCheck %s --check-prefix=NONE
target triple = "x86_64-unknown-linux-gnu"

; NONE-NOT: add i64 {{.*}}, {{[2-9]}}

; CHECK-LABEL: define void @fields(
; CHECK: ptrtoint ptr %a to i64
; CHECK: add i64 {{.*}}, 3
; CHECK-NEXT: store i64
; CHECK-NEXT: store i32 1, ptr %a
; CHECK-NOT: add i64
; CHECK: ret void
define void @fields(ptr %p, i64 %i) {
  %a = getelementptr inbounds i8, ptr %p, i64 8
  store i32 1, ptr %a
  %b = getelementptr i32, ptr %p, i64 %i
  store i32 2, ptr %b
  %c = getelementptr i32, ptr %b, i64 -1
  store i32 3, ptr %c
  ret void
}

; Two pointers may point into one block, but the pass cannot tell.
; CHECK-LABEL: define void @two(
; CHECK: add i64 {{.*}}, 2
; CHECK: add i64 {{.*}}, 1
; CHECK-NOT: add i64
; CHECK: ret void
define void @two(ptr %p, ptr %q) {
  store i32 1, ptr %p
  store i32 2, ptr %q
  store i32 3, ptr %p
  ret void
}

; A select between pointers is an object of its own.
; CHECK-LABEL: define void @choice(
; CHECK-COUNT-3: add i64 {{.*}}, 1
; CHECK-NOT: add i64
; CHECK: ret void
define void @choice(i1 %c, ptr %p, ptr %q) {
  %r = select i1 %c, ptr %p, ptr %q
  store i32 1, ptr %p
  store i32 2, ptr %q
  store i32 3, ptr %r
  ret void
}

; Null plus an integer may point anywhere: no merging.
; CHECK-LABEL: define void @from_null(
; CHECK-COUNT-2: add i64 {{.*}}, 1
; CHECK-NOT: add i64
; CHECK: ret void
define void @from_null(i64 %x, i64 %y) {
  %p = getelementptr i8, ptr null, i64 %x
  %q = getelementptr i8, ptr null, i64 %y
  store i32 1, ptr %p
  store i32 2, ptr %q
  ret void
}

; Calls that may free, throw, not return or wait for other threads.
; CHECK-LABEL: define void @calls(
; CHECK: add i64 {{.*}}, 3
; CHECK: store i32 1, ptr %p
; CHECK: call void @harmless()
; CHECK: call i32 @reads
; CHECK: call void @anything()
; CHECK: add i64 {{.*}}, 1
; CHECK: call void @may_free()
; CHECK: add i64 {{.*}}, 1
; CHECK: call void @may_throw()
; CHECK: add i64 {{.*}}, 1
; CHECK: call void @may_stay()
; CHECK: add i64 {{.*}}, 1
; CHECK: call void @may_wait()
; CHECK: add i64 {{.*}}, 1
; CHECK: call void asm
; CHECK: add i64 {{.*}}, 1
; CHECK: ret void
define void @calls(ptr %p) {
  store i32 1, ptr %p
  call void @harmless()
  store i32 2, ptr %p
  %r = call i32 @reads(ptr %p)
  store i32 3, ptr %p
  call void @anything()
  store i32 4, ptr %p
  call void @may_free()
  store i32 5, ptr %p
  call void @may_throw()
  store i32 6, ptr %p
  call void @may_stay()
  store i32 7, ptr %p
  call void @may_wait()
  store i32 8, ptr %p
  call void asm sideeffect "", ""() nounwind willreturn nofree nosync
  store i32 9, ptr %p
  ret void
}
declare void @harmless() nounwind willreturn nofree nosync
declare i32 @reads(ptr) nounwind willreturn nofree memory(argmem: read)
declare void @anything()
declare void @may_free() nounwind willreturn nosync
declare void @may_throw() willreturn nofree nosync
declare void @may_stay() nounwind nofree nosync
declare void @may_wait() nounwind willreturn nofree

; An instruction that orders memory lets another thread free the block: counts are
; added before it.
; CHECK-LABEL: define void @orders(
; CHECK: add i64 {{.*}}, 2
; CHECK: store atomic
; CHECK: add i64 {{.*}}, 2
; CHECK: atomicrmw
; CHECK: add i64 {{.*}}, 1
; CHECK: fence
; CHECK: add i64 {{.*}}, 2
; CHECK: store volatile
; CHECK: add i64 {{.*}}, 1
; CHECK: ret void
define void @orders(ptr %p) {
  store i32 1, ptr %p
  store atomic i32 2, ptr %p release, align 4
  store i32 3, ptr %p
  %v = atomicrmw add ptr %p, i32 1 monotonic
  store i32 4, ptr %p
  fence release
  store i32 5, ptr %p
  store volatile i32 6, ptr %p
  store i32 7, ptr %p
  ret void
}

; Two pointers have the same origin if they come from one object on every path; not if
; one path gives two objects.
; CHECK-LABEL: define void @twins(
; CHECK: join:
; CHECK: add i64 {{.*}}, 2
; CHECK-NEXT: store i64 {{.*}}, !nosanitize
; CHECK: add i64 {{.*}}, 1
; CHECK-NEXT: store i64 {{.*}}, !nosanitize
; CHECK-NOT: nosanitize
; CHECK: ret void
define void @twins(ptr %p, ptr %q, i1 %c) {
entry:
  br i1 %c, label %left, label %right
left:
  %a = getelementptr i8, ptr %p, i64 72
  br label %join
right:
  %b = getelementptr i8, ptr %q, i64 80
  br label %join
join:
  %x = phi ptr [ %p, %left ], [ %q, %right ]
  %y = phi ptr [ %a, %left ], [ %b, %right ]
  %z = phi ptr [ %a, %left ], [ %p, %right ]
  store i32 1, ptr %x
  store i32 2, ptr %y
  store i32 3, ptr %z
  ret void
}

; Also if both advance in a loop, or are swapped.
; CHECK-LABEL: define void @twins_in_loop(
; CHECK: loop:
; CHECK: add i64 {{.*}}, 2
; CHECK-NEXT: store i64 {{.*}}, !nosanitize
; CHECK-NOT: nosanitize
; CHECK: br i1
define void @twins_in_loop(ptr %p, ptr %q, i1 %c, i64 %n) {
entry:
  %a = getelementptr i8, ptr %p, i64 72
  %b = getelementptr i8, ptr %q, i64 80
  br i1 %c, label %left, label %loop
left:
  br label %loop
loop:
  %x = phi ptr [ %p, %left ], [ %q, %entry ], [ %y2, %loop ]
  %y = phi ptr [ %a, %left ], [ %b, %entry ], [ %x, %loop ]
  %i = phi i64 [ 0, %left ], [ 0, %entry ], [ %next, %loop ]
  store i32 1, ptr %x
  store i32 2, ptr %y
  %y2 = getelementptr i8, ptr %y, i64 4
  %next = add i64 %i, 1
  call void @other()
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}
declare void @other()
