; Resolvers of indirect functions run before there are counters: neither they nor the
; functions that they call count. A function that other code calls, too, is copied for
; the resolver; its other calls count as usual.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument,verify -memprof-use-callbacks -S %s -o %t.ll
; RUN: FileCheck %s <%t.ll
; RUN: FileCheck %s --check-prefix=COPIES <%t.ll
; Nothing is copied if nothing counts.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-instrument-reads=0 -memprof-instrument-writes=0 -S %s | FileCheck %s --check-prefix=NONE
; NONE-NOT: .memprof_resolver
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

$inline = comdat any

@pointer = global ptr null
@static = global i32 0
@labels = constant [1 x ptr] [ptr blockaddress(@jumps, %there)]

; CHECK: @chosen = ifunc void (), ptr @resolver
; CHECK-NEXT: @second = ifunc void (), ptr @resolver
; CHECK-NEXT: @exported = ifunc void (), ptr @open_resolver.memprof_resolver
; CHECK-NEXT: @through_alias = ifunc void (), ptr @weak_resolver.memprof_resolver
; CHECK-NEXT: @quiet = ifunc void (), ptr @quiet_resolver
@chosen = ifunc void (), ptr @resolver
@second = ifunc void (), ptr @resolver
@exported = ifunc void (), ptr @open_resolver
@through_alias = ifunc void (), ptr @other_name
@quiet = ifunc void (), ptr @quiet_resolver

@other_name = weak alias ptr (), ptr @weak_resolver
@shared_alias = internal alias i32 (ptr), ptr @shared

; CHECK-LABEL: define internal ptr @resolver(
; CHECK-NEXT: load ptr, ptr @pointer
; CHECK-NEXT: load i32, ptr %p
; CHECK-NEXT: call i32 @alone(ptr %p)
; CHECK-NEXT: call i32 @shared.memprof_resolver(ptr %p)
; CHECK-NEXT: call i32 @shared.memprof_resolver(ptr %p)
; CHECK-NEXT: call i32 @weak(ptr %p)
; CHECK-NEXT: call i32 @jumps(ptr %p)
; CHECK-NEXT: call void @passed.memprof_resolver(ptr @passed)
; CHECK-NEXT: call void @plain()
; CHECK-NEXT: call void @linked.memprof_resolver(ptr %p)
; CHECK-NEXT: call void @llvm.memcpy.
; CHECK-NEXT: ret ptr @shared
define internal ptr @resolver() {
  %p = load ptr, ptr @pointer
  %v = load i32, ptr %p
  %a = call i32 @alone(ptr %p)
  %b = call i32 @shared(ptr %p)
  %c = call i32 @shared_alias(ptr %p)
  %d = call i32 @weak(ptr %p)
  %e = call i32 @jumps(ptr %p)
  call void @passed(ptr @passed)
  call void @plain()
  call void @linked(ptr %p)
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr @static, i64 100, i1 false)
  ret ptr @shared
}

; A cycle that no other code calls.
; CHECK-LABEL: define internal i32 @alone(
; CHECK-NEXT: call i32 @alone_too(
; CHECK-NEXT: load i32, ptr %p
define internal i32 @alone(ptr %p) {
  %a = call i32 @alone_too(ptr %p)
  %v = load i32, ptr %p
  ret i32 %v
}

; CHECK-LABEL: define internal i32 @alone_too(
; CHECK-NEXT: call i32 @alone(
; CHECK-NEXT: load i32, ptr %p
define internal i32 @alone_too(ptr %p) {
  %a = call i32 @alone(ptr %p)
  %v = load i32, ptr %p
  ret i32 %v
}

; Calls itself and a nameless function, and other code calls it.
; CHECK-LABEL: define i32 @shared(
; CHECK: call void @__memprof_load(
; CHECK-NEXT: load i32, ptr %p
; CHECK-NEXT: call i32 @shared(
; CHECK-NEXT: call i32 @below(
define i32 @shared(ptr %p) {
  %v = load i32, ptr %p
  %a = call i32 @shared(ptr %p)
  %b = call i32 @below(ptr %p)
  ret i32 %v
}

; CHECK-LABEL: define internal i32 @below(
; CHECK: call void @__memprof_load(
define internal i32 @below(ptr %p) {
  %v = load i32, ptr %p
  ret i32 %v
}

; The linker may choose another body.
; CHECK-LABEL: define weak i32 @weak(
; CHECK: call void @__memprof_load(
define weak i32 @weak(ptr %p) {
  %v = load i32, ptr %p
  ret i32 %v
}

; A copy would jump into the original function.
; CHECK-LABEL: define i32 @jumps(
; CHECK: call void @__memprof_load(
define i32 @jumps(ptr %p) {
  %to = load ptr, ptr @labels
  indirectbr ptr %to, [label %there]
there:
  %v = load i32, ptr %p
  ret i32 %v
}

; Called, and passed to other code.
; CHECK-LABEL: define internal void @passed(
; CHECK: call void @__memprof_store(
define internal void @passed(ptr %p) {
  store i32 1, ptr %p
  ret void
}

; A function that does not count is not copied.
; CHECK-LABEL: define void @plain(
; CHECK-NEXT: load i32, ptr @static
define void @plain() {
  %v = load i32, ptr @static
  ret void
}

; CHECK-LABEL: define linkonce_odr hidden void @linked(
; CHECK-SAME: comdat($inline)
; CHECK: call void @__memprof_store(
define linkonce_odr hidden void @linked(ptr %p) comdat($inline) {
  store i32 1, ptr %p
  ret void
}

; CHECK-LABEL: define ptr @open_resolver(
; CHECK: call void @__memprof_load(
; CHECK-LABEL: define weak ptr @weak_resolver(
; CHECK: call void @__memprof_load(
define ptr @open_resolver() {
  %p = load ptr, ptr @pointer
  %v = load i32, ptr %p
  ret ptr @shared
}
define weak ptr @weak_resolver() {
  %p = load ptr, ptr @pointer
  %v = load i32, ptr %p
  ret ptr @shared
}

; CHECK-LABEL: define ptr @quiet_resolver(
; CHECK-NEXT: call void @plain()
define ptr @quiet_resolver() {
  call void @plain()
  ret ptr @shared
}

; A call from other code does not change.
; CHECK-LABEL: define i32 @user(
; CHECK-NEXT: call i32 @shared(
; CHECK-NEXT: call ptr @open_resolver(
define i32 @user(ptr %p) {
  %v = call i32 @shared(ptr %p)
  %r = call ptr @open_resolver()
  ret i32 %v
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; COPIES-LABEL: define internal ptr @open_resolver.memprof_resolver()
; COPIES-NOT: __memprof_load
; COPIES-LABEL: define internal ptr @weak_resolver.memprof_resolver()
; COPIES-NOT: __memprof_load
; COPIES-LABEL: define internal i32 @shared.memprof_resolver(ptr %p)
; COPIES-NEXT: load i32, ptr %p
; COPIES-NEXT: call i32 @shared.memprof_resolver(
; COPIES-NEXT: call i32 @below.memprof_resolver(
; COPIES-NEXT: ret
; COPIES-LABEL: define internal void @passed.memprof_resolver(ptr %p)
; COPIES-NEXT: store
; COPIES-LABEL: define internal void @linked.memprof_resolver(ptr %p) {{.*}}{
; COPIES-NEXT: store
; COPIES-LABEL: define internal i32 @below.memprof_resolver(ptr %p)
; COPIES-NEXT: load
; COPIES-NEXT: ret
; COPIES-NOT: .memprof_resolver
