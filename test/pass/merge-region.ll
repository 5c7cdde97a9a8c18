; Across basic blocks counts stay in a register: in loops, past branches. They are
; added to a counter where the object may die, where its pointer is redefined, at the
; end, and before they exceed 65536.
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -memprof-context-values=false -S %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

; A loop: one addition after it, and a rare one inside. The pending count decides when:
; after 1 access, then after 2, 4 and so on up to 4096, anew in each call.
; CHECK-LABEL: define void @loop(
; CHECK: entry:
; CHECK: [[LIMIT:%.*]] = alloca i64
; CHECK-NEXT: store i64 0, ptr [[LIMIT]]
; CHECK: loop:
; CHECK-NEXT: [[COUNT:%.*]] = phi i64 [ 0, %entry ], [ [[NEXT:%.*]], %
; CHECK-NOT: nosanitize
; CHECK: [[MORE:%.*]] = add i64 [[COUNT]], 1
; CHECK: [[NOW:%.*]] = load i64, ptr [[LIMIT]]
; CHECK-NEXT: icmp ugt i64 [[MORE]], [[NOW]]
; CHECK-NEXT: br i1 {{.*}}, !prof
; CHECK: [[OLD:%.*]] = load i64, ptr [[LIMIT]]
; CHECK-NEXT: [[TWICE:%.*]] = add i64 [[OLD]], [[OLD]]
; CHECK-NEXT: [[GROWN:%.*]] = or i64 [[TWICE]], 1
; CHECK-NEXT: [[BOUNDED:%.*]] = and i64 [[GROWN]], 4095
; CHECK-NEXT: store i64 [[BOUNDED]], ptr [[LIMIT]]
; CHECK: add i64 {{.*}}, [[MORE]]
; CHECK-NEXT: store i64
; CHECK: [[NEXT]] = phi i64 [ 0, {{.*}} ], [ [[MORE]], {{.*}} ]
; CHECK-NEXT: br i1 %done, label %exit, label %loop
; CHECK: exit:
; CHECK: add i64 {{.*}}, [[NEXT]]
; CHECK-NEXT: store i64 {{.*}}, !nosanitize
; CHECK-NEXT: ret void
define void @loop(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr inbounds i32, ptr %p, i64 %i
  store i32 1, ptr %a
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; The same in a loop that is certainly short.
; CHECK-LABEL: define void @short_loop(
; CHECK: store i64 0, ptr
; CHECK: icmp ugt
; CHECK: ret void
; A vectorized access counts once, but stands for several in the source.
; CHECK-LABEL: define void @vector_loop(
; CHECK: store i64 0, ptr
; CHECK: [[MORE:%.*]] = add i64 {{.*}}, 1
; CHECK: and i64 {{.*}}, 511
; CHECK: ret void
define void @short_loop(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr inbounds i32, ptr %p, i64 %i
  store i32 1, ptr %a
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, 9
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

define void @vector_loop(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr inbounds <8 x i32>, ptr %p, i64 %i
  store <8 x i32> zeroinitializer, ptr %a
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, 10000
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; Branches that join: constants meet in a phi, and one addition follows. Every access
; is at a fixed offset, so the origin serves as the address.
; CHECK-LABEL: define void @diamond(
; CHECK: left:
; CHECK-NOT: nosanitize
; CHECK: right:
; CHECK-NOT: nosanitize
; CHECK: join:
; CHECK: phi i64 [ 2, %left ], [ 3, %right ]
; CHECK: add i64 {{.*}}, 1
; CHECK: ptrtoint ptr %p to i64
; CHECK: store i64 {{.*}}, !nosanitize
; CHECK-NEXT: store i32 5, ptr %p
; CHECK-NEXT: ret void
define void @diamond(ptr %p, i1 %c) {
  store i32 1, ptr %p
  br i1 %c, label %left, label %right
left:
  store i32 2, ptr %p
  br label %join
right:
  store i32 3, ptr %p
  %a = getelementptr inbounds i8, ptr %p, i64 4
  store i32 4, ptr %a
  br label %join
join:
  store i32 5, ptr %p
  ret void
}

; A call that may free: counts are added before it.
; CHECK-LABEL: define void @free_in_loop(
; CHECK: rare:
; CHECK: store i64 {{.*}}, !nosanitize
; CHECK-NEXT: call void @anything(ptr %p)
; CHECK-NEXT: br label %next
; CHECK: next:
; CHECK: phi i64 [ 0, %rare ]
define void @free_in_loop(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %next ]
  store i32 1, ptr %p
  %c = icmp eq i64 %i, 77
  br i1 %c, label %rare, label %next, !prof !0
rare:
  call void @anything(ptr %p)
  br label %next
next:
  %j = add i64 %i, 1
  %done = icmp eq i64 %j, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}
declare void @anything(ptr)

; Each iteration has another object.
; CHECK-LABEL: define void @chase(
; CHECK: loop:
; CHECK: add i64 {{.*}}, 2
; CHECK-NEXT: store i64 {{.*}}, !nosanitize
; CHECK: br i1 %done
; CHECK-NOT: nosanitize
; CHECK: ret void
define void @chase(ptr %head) {
entry:
  br label %loop
loop:
  %p = phi ptr [ %head, %entry ], [ %next, %loop ]
  %a = getelementptr inbounds i8, ptr %p, i64 8
  store i32 1, ptr %a
  %next = load ptr, ptr %p
  %done = icmp eq ptr %next, null
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; Two nested loops that step through one object have one origin.
; CHECK-LABEL: define void @nested(
; CHECK: inner:
; CHECK-NOT: nosanitize
; CHECK: icmp ugt i64
; CHECK-NEXT: br i1 {{.*}}, !prof
; CHECK: and i64 {{.*}}, 4095
; CHECK: br i1 %inner_done
; CHECK: exit:
; CHECK: store i64 {{.*}}, !nosanitize
; CHECK-NEXT: ret void
define void @nested(ptr %p, ptr %end) {
entry:
  br label %outer
outer:
  %q = phi ptr [ %p, %entry ], [ %s, %latch ]
  br label %inner
inner:
  %r = phi ptr [ %q, %outer ], [ %s, %inner ]
  store i32 1, ptr %r
  %s = getelementptr inbounds i32, ptr %r, i64 1
  %v = ptrtoint ptr %s to i64
  %w = and i64 %v, 255
  %inner_done = icmp eq i64 %w, 0
  br i1 %inner_done, label %latch, label %inner
latch:
  %done = icmp eq ptr %s, %end
  br i1 %done, label %exit, label %outer
exit:
  ret void
}

; An exception may end the function: counts are added before the call.
; CHECK-LABEL: define void @unwinds(
; CHECK: add i64 {{.*}}, 1
; CHECK: invoke void @anything(
; CHECK: add i64 {{.*}}, 1
; CHECK: ret void
; CHECK: landingpad
; CHECK: add i64 {{.*}}, 1
; CHECK: resume
define void @unwinds(ptr %p) personality ptr @__gxx_personality_v0 {
  store i32 1, ptr %p
  invoke void @anything(ptr %p) to label %normal unwind label %pad
normal:
  store i32 2, ptr %p
  ret void
pad:
  %e = landingpad { ptr, i32 } cleanup
  store i32 3, ptr %p
  resume { ptr, i32 } %e
}
declare i32 @__gxx_personality_v0(...)

; Nothing is pending in a function that setjmp() may return to, or that is not
; optimized.
; CHECK-LABEL: define void @returns_twice(
; CHECK-NOT: phi
; CHECK: ret void
define void @returns_twice(ptr %p, i1 %c) {
  %r = call i32 @setjmp(ptr null)
  store i32 1, ptr %p
  br i1 %c, label %then, label %exit
then:
  store i32 2, ptr %p
  br label %exit
exit:
  store i32 3, ptr %p
  ret void
}
declare i32 @setjmp(ptr) returns_twice

; CHECK-LABEL: define void @unoptimized(
; CHECK-NOT: phi
; CHECK: ret void
define void @unoptimized(ptr %p, i1 %c) noinline optnone {
  store i32 1, ptr %p
  br i1 %c, label %then, label %exit
then:
  store i32 2, ptr %p
  br label %exit
exit:
  store i32 3, ptr %p
  ret void
}

; All cases of a switch with the same target block are one edge.
; CHECK-LABEL: define void @cases(
; CHECK: store i64 {{.*}}, !nosanitize
; CHECK: ret void
define void @cases(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ], [ %j, %loop ]
  store i32 1, ptr %p
  %j = add i32 %i, %n
  switch i32 %j, label %exit [ i32 1, label %loop
                               i32 2, label %loop
                               i32 3, label %other
                               i32 4, label %other ]
other:
  call void @anything(ptr %p)
  ret void
exit:
  ret void
}
!0 = !{!"branch_weights", i32 1, i32 1000}

; Several counts in a loop share one number that decides when to add. Control goes back
; from two places, but counts are added in one: at the loop's start.
; CHECK-LABEL: define void @two_latches(
; CHECK: loop:
; CHECK: add i64 [[TICKS:%.*]], 2
; CHECK-NEXT: load i64
; CHECK-NEXT: icmp ugt i64
; CHECK: and i64 {{.*}}, 32767
; CHECK-COUNT-2: store i64 {{.*}}, !nosanitize
; CHECK-NOT: 32767
; CHECK: exit:
; CHECK-COUNT-2: store i64 {{.*}}, !nosanitize
; CHECK-NEXT: ret void
define void @two_latches(ptr %p, ptr %q, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop.a ], [ %next, %loop.b ]
  %a = getelementptr inbounds i32, ptr %p, i64 %i
  store i32 1, ptr %a
  store i32 2, ptr %a
  %b = getelementptr inbounds i32, ptr %q, i64 %i
  store i32 1, ptr %b
  store i32 2, ptr %b
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %more
more:
  %odd = trunc i64 %i to i1
  br i1 %odd, label %loop.a, label %loop.b
loop.a:
  call void @harmless()
  br label %loop
loop.b:
  br label %loop
exit:
  ret void
}
declare void @harmless() nounwind willreturn nofree nosync memory(none)

; If the origin is in the block whenever an access is, no other address is needed: %p,
; for a loop that goes up. Because the loop's body certainly runs, no select between
; the origin and the stack frame is needed either.
; CHECK-LABEL: define void @upwards(
; CHECK-NOT: select
; CHECK: exit:
; CHECK-NEXT: ptrtoint ptr %p to i64
; CHECK: ret void
define void @upwards(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr inbounds i32, ptr %p, i64 %i
  store i32 1, ptr %a
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 1000
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; Two additions on two paths are no better than one addition before the paths split and
; one after they join, with a count between them: such a region is not used.
; CHECK-LABEL: define void @no_gain(
; CHECK-NOT: phi
; CHECK: ret void
define void @no_gain(ptr %p, i32 %c) {
  store i32 1, ptr %p
  switch i32 %c, label %end [ i32 1, label %one
                              i32 2, label %one ]
one:
  store i32 5, ptr %p
  br label %end
end:
  ret void
}

; The start of the object serves as the address of accesses at a fixed offset from it,
; also if only some iterations reach them: the loop keeps no address.
; CHECK-LABEL: define void @behind(
; CHECK-NOT: phi ptr
; CHECK: exit:
; CHECK-NOT: phi ptr
; CHECK: ptrtoint ptr %p to i64
; CHECK: ret void
define void @behind(ptr %p, i64 %n, i64 %m) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %a = getelementptr inbounds { i64, i64 }, ptr %p, i64 %i
  store i64 1, ptr %a
  %some = icmp ult i64 %i, %m
  br i1 %some, label %then, label %latch
then:
  %b = getelementptr inbounds nuw i8, ptr %a, i64 8
  store i64 2, ptr %b
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; An edge on which one count ends and another stays pending, from a branch that is no
; plain comparison: both are done on the edge, the ending one first.
; CHECK-LABEL: define void @ends_and_waits(
; CHECK: inner.outer_crit_edge:
; CHECK: store i64 {{.*}} !nosanitize
; CHECK: [[TIME:%.*]] = icmp ugt i64
; CHECK-NEXT: br i1 [[TIME]], label %[[RARE:.*]], label %{{.*}}, !prof
; CHECK: [[RARE]]:
; CHECK: store i64 {{.*}} !nosanitize
define void @ends_and_waits(ptr %a, ptr %b, i1 %x, i1 %y) {
entry:
  br label %outer
outer:
  %u = load i32, ptr %a
  br label %wait
wait:
  br i1 %x, label %wait, label %inner
inner:
  store i8 0, ptr %b
  %v = load i32, ptr %a
  br i1 %y, label %inner, label %outer
}
