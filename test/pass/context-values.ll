; Functions that may allocate leave a value for the calls by which they were reached;
; other functions do nothing, and with -memprof-context-values=false none does.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-access=none -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-access=none -memprof-context-values=false -S %s | FileCheck %s --check-prefix=OFF
; OFF-NOT: __memprof_calls
; LLVM declares the intrinsics, in other versions too.
; RUN: %opt -passes=verify -S %t.ll -o /dev/null
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Another runtime does not define the variable: each module has a weak definition, and
; a program has one.
; CHECK-DAG: $__memprof_calls_v1 = comdat any
; CHECK-DAG: @__memprof_calls_v1 = weak dso_local thread_local(localexec) global { i64, i64 } { i64 {{-?[1-9][0-9]*}}, i64 0 }, comdat, align 8
@pointer = global ptr null

; A call of an allocation function also leaves the stack pointer, and needs no number.
; CHECK-LABEL: define ptr @allocates(
; CHECK-NEXT: %[[FOUND:.*]] = load volatile i64, ptr @__memprof_calls_v1
; CHECK-NEXT: %[[OWN:.*]] = mul i64 %[[FOUND]], {{[0-9]+}}
; CHECK-NEXT: %[[RA:.*]] = call ptr @llvm.returnaddress(i32 0)
; CHECK-NEXT: %[[RAI:.*]] = ptrtoint ptr %[[RA]] to i64
; CHECK-NEXT: %[[V:.*]] = add i64 %[[OWN]], %[[RAI]]
; CHECK-NEXT: store volatile i64 %[[V]], ptr @__memprof_calls_v1
; CHECK-NEXT: %[[SP:.*]] = call i64 @llvm.read_register.i64(metadata ![[REG:[0-9]+]])
; CHECK-NEXT: store volatile i64 %[[SP]], ptr getelementptr inbounds ({{.*}} @__memprof_calls_v1, i64 {{1|8}})
; CHECK-NEXT: %p = call ptr @malloc(i64 8)
; CHECK-NEXT: ret ptr %p
define ptr @allocates() {
  %p = call ptr @malloc(i64 8)
  ret ptr %p
}

; CHECK-LABEL: define i64 @leaf(
; CHECK-NOT: @__memprof_calls
; CHECK: ret i64
define i64 @leaf(ptr %p, i64 %n) {
  call void @free(ptr %p)
  %m = call i64 @strlen(ptr %p)
  %k = call i64 @only_leaves(ptr %p, i64 %m)
  call void asm sideeffect "", "~{memory}"()
  ret i64 %k
}
define internal i64 @only_leaves(ptr %p, i64 %n) {
  %again = icmp ult i64 %n, 5
  br i1 %again, label %yes, label %no
yes:
  %m = call i64 @leaf(ptr %p, i64 0)
  ret i64 %m
no:
  ret i64 %n
}

; A function leaves the next value before its next call. Two calls have two numbers,
; added in bits other than the low ones, where return addresses differ by as little.
; CHECK-LABEL: define internal void @inside(
; CHECK: load volatile i64, ptr @__memprof_calls_v1
; CHECK: %[[SUM:.*]] = add i64
; CHECK-NEXT: %[[V:.*]] = call i64 @llvm.bswap.i64(i64 %[[SUM]])
; CHECK-NEXT: store volatile i64 %[[V]], ptr @__memprof_calls_v1
; CHECK-NEXT: call void @outside
; CHECK-NEXT: %[[SECOND:.*]] = add i64 %[[V]], 1
; CHECK-NEXT: store volatile i64 %[[SECOND]], ptr @__memprof_calls_v1
; CHECK-NEXT: call void @outside
; CHECK-NEXT: ret void
define internal void @inside() {
  call void @outside()
  call void @outside()
  ret void
}

; A function whose address is taken may be called by code that leaves nothing: it
; leaves the value that it found. A callee that takes its return address needs no
; number, nor does the only remaining call.
@address = global ptr @calls
; CHECK-LABEL: define void @calls(
; CHECK: %[[V:.*]] = add i64
; CHECK-NEXT: store volatile i64 %[[V]], ptr @__memprof_calls_v1
; CHECK-NEXT: call void @inside()
; CHECK-NEXT: store volatile i64 %[[V]], ptr @__memprof_calls_v1
; CHECK-NEXT: call void %f()
; CHECK-NEXT: store volatile i64 %[[FOUND:.*]], ptr
; CHECK-NEXT: ret void
define void @calls(ptr %f) {
  call void @inside()
  call void %f()
  ret void
}

; A pointer to a function may lead to malloc() itself.
; CHECK-LABEL: define ptr @by_pointer(
; CHECK: call i64 @llvm.read_register.i64(metadata ![[REG]])
; CHECK-NEXT: store volatile i64 {{.*}}, ptr getelementptr
; CHECK-NEXT: call ptr %f(i64 8)
define ptr @by_pointer(ptr %f) {
  %p = call ptr %f(i64 8)
  ret ptr %p
}

; A path that only ends the program costs nothing.
; CHECK-LABEL: define void @fails(
; CHECK-NEXT: br i1 %c
; CHECK: bad:
; CHECK-NEXT: load volatile i64
; CHECK: store volatile i64
; CHECK-NEXT: call void @outside() #[[NORETURN:[0-9]+]]
; CHECK-NOT: store
; CHECK: good:
; CHECK-NEXT: ret void
define void @fails(i1 %c) {
  br i1 %c, label %bad, label %good
bad:
  call void @outside() noreturn
  unreachable
good:
  ret void
}

; The callee of a tail call returns to the caller.
; CHECK-LABEL: define void @tail(
; CHECK: %[[FOUND:.*]] = load volatile i64, ptr @__memprof_calls_v1
; CHECK: call void @outside()
; CHECK-NEXT: store volatile i64 %[[FOUND]], ptr
; CHECK-NEXT: musttail call void @calls(ptr %f)
; CHECK-NEXT: ret void
define void @tail(ptr %f) {
  call void @outside()
  musttail call void @calls(ptr %f)
  ret void
}

; A tail call without a call before it finds the value unchanged.
; CHECK-LABEL: define void @only_tail(
; CHECK-NEXT: musttail call
define void @only_tail(ptr %f) {
  musttail call void @calls(ptr %f)
  ret void
}

; The value is loaded just before a call after which no other follows. If other calls
; may call the function, the found value is left at once.
; CHECK-LABEL: define void @grows(
; CHECK-NEXT: br i1 %full
; CHECK: grow:
; CHECK-NEXT: %[[FOUND:.*]] = load volatile i64, ptr @__memprof_calls_v1
; CHECK: call void @outside()
; CHECK-NEXT: br label
; CHECK: other:
; CHECK-NEXT: load volatile i64, ptr @__memprof_calls_v1
; CHECK: call void @outside()
; CHECK-NEXT: br label
; CHECK: end:
; CHECK-NEXT: ret void
define void @grows(i1 %full, i1 %c) {
  br i1 %full, label %grow, label %next
grow:
  call void @outside()
  br label %end
next:
  br i1 %c, label %other, label %end
other:
  call void @outside()
  br label %end
end:
  ret void
}
@other_address = global ptr @grows_for_others
; CHECK-LABEL: define void @grows_for_others(
; CHECK-NEXT: br i1 %full
; CHECK: %[[FOUND:.*]] = load volatile i64, ptr @__memprof_calls_v1
; CHECK: call void @outside()
; CHECK-NEXT: store volatile i64 %[[FOUND]], ptr @__memprof_calls_v1
; CHECK-NEXT: br label
; CHECK: end:
; CHECK-NEXT: ret void
define void @grows_for_others(i1 %full) {
  br i1 %full, label %grow, label %end
grow:
  call void @outside()
  br label %end
end:
  ret void
}

; A loop repeats its call: the value is loaded on entry.
; CHECK-LABEL: define void @again(
; CHECK-NEXT: load volatile i64, ptr @__memprof_calls_v1
; CHECK: loop:
; CHECK-NOT: load volatile
; CHECK: ret void
define void @again(i1 %c) {
  br label %loop
loop:
  call void @outside()
  br i1 %c, label %loop, label %end
end:
  ret void
}

; The found value is also left if an exception leaves the function.
@third_address = global ptr @unwinds
; CHECK-LABEL: define void @unwinds(
; CHECK: %[[FOUND:.*]] = load volatile i64, ptr @__memprof_calls_v1
; CHECK: store volatile i64
; CHECK-NEXT: invoke void @outside()
; CHECK: store volatile i64 %[[FOUND]], ptr
; CHECK: resume
define void @unwinds() personality ptr @__gxx_personality_v0 {
  invoke void @outside() to label %done unwind label %bad
done:
  ret void
bad:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
}

; Functions without a frame of the program.
; CHECK-LABEL: define void @bare(
; CHECK-NOT: @__memprof_calls
; CHECK: unreachable
define void @bare() naked {
  call void asm sideeffect "call outside", ""()
  unreachable
}

; CHECK-LABEL: define void @by_assembly(
; CHECK: store volatile i64
; CHECK-NEXT: call void asm
define void @by_assembly() {
  call void asm sideeffect "call outside", "~{memory}"()
  ret void
}

; Functions of libstdc++ and libc that call no code of the program.
; CHECK-LABEL: define ptr @looks_up(
; CHECK-NOT: @__memprof_calls
; CHECK: ret ptr
define ptr @looks_up(ptr %node) {
  %next = call ptr @_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(ptr %node)
  %text = call ptr @strerror(i32 2)
  ret ptr %next
}

; A program's own log() is not the C library's.
; CHECK-LABEL: define void @logs(
; CHECK-NEXT: call double @exp(
; CHECK: store volatile i64
; CHECK: call void @log(
define void @logs(double %d, ptr %text) {
  call double @exp(double %d)
  call void @log(ptr %text)
  ret void
}

; A callee that ends in a tail call does not take the return address for the next one.
; CHECK-LABEL: define void @calls_tail(
; CHECK: %[[OWN:.*]] = call i64 @llvm.bswap.i64
; CHECK-NEXT: store volatile i64 %[[OWN]], ptr @__memprof_calls_v1
; CHECK-NEXT: call void @only_tail(
; CHECK-NEXT: %[[CALL:.*]] = add i64 %[[OWN]], 1
; CHECK-NEXT: store volatile i64 %[[CALL]], ptr @__memprof_calls_v1
; CHECK-NEXT: call void @only_tail(
define void @calls_tail(ptr %f) {
  call void @only_tail(ptr %f)
  call void @only_tail(ptr %f)
  ret void
}

; The allocation of an exception must not match the stack pointer that an earlier call
; left.
; CHECK-LABEL: define void @throws(
; CHECK-NEXT: store volatile i64 0, ptr getelementptr inbounds ({{.*}} @__memprof_calls_v1, i64 {{1|8}})
; CHECK-NEXT: call ptr @__cxa_allocate_exception(
; CHECK-NEXT: call void @free(
; CHECK-NEXT: ret void
define void @throws() {
  %e = call ptr @__cxa_allocate_exception(i64 8)
  call void @free(ptr %e)
  ret void
}

; Code that jumps back to setjmp() or throws may have left any value: the value is
; loaded on entry.
; CHECK-LABEL: define void @jumped_to(
; CHECK-NEXT: load volatile i64, ptr @__memprof_calls_v1
; CHECK: call i32 @_setjmp(
; CHECK-NOT: load volatile
; CHECK: ret void
define void @jumped_to(ptr %buffer) {
  %again = call i32 @_setjmp(ptr %buffer) returns_twice
  %c = icmp ne i32 %again, 0
  br i1 %c, label %second, label %first
first:
  call void @outside()
  ret void
second:
  call void @outside()
  ret void
}
; CHECK-LABEL: define void @catches(
; CHECK-NEXT: load volatile i64, ptr @__memprof_calls_v1
; CHECK: invoke void @outside(
; CHECK-NOT: load volatile
; CHECK: ret void
define void @catches() personality ptr @__gxx_personality_v0 {
  invoke void @outside() noreturn to label %never unwind label %bad
never:
  unreachable
bad:
  %e = landingpad { ptr, i32 } catch ptr null
  call void @outside()
  ret void
}

; CHECK: ![[REG]] = !{!"rsp"}
declare ptr @_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(ptr)
declare ptr @strerror(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i64 @strlen(ptr)
declare i32 @_setjmp(ptr)
declare ptr @__cxa_allocate_exception(i64)
declare double @exp(double)
declare void @log(ptr)
declare void @outside()
declare i32 @__gxx_personality_v0(...)
