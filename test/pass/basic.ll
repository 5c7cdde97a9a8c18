; Each kind of access counts once, at its first byte, before it happens.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-merge=none -memprof-instrument-globals -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK: $__memprof_histogram = comdat any
; CHECK: $__memprof_default_options_str = comdat any
; CHECK: @__memprof_shadow_memory_dynamic_address = external dso_local global i64
; CHECK: @llvm.used = appending global [2 x ptr] [ptr @memprof.module_ctor, ptr @memprof.mode_ctor.link_with_-fmemory-profile_and_no_other_sanitizer]
; CHECK: @llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @memprof.module_ctor, ptr null }, { i32, ptr, ptr } { i32 1, ptr @memprof.mode_ctor.link_with_-fmemory-profile_and_no_other_sanitizer, ptr null }]
; CHECK: @__memprof_histogram = constant i1 false, comdat
; CHECK: @llvm.compiler.used = appending global [1 x ptr] [ptr @__memprof_histogram]
; CHECK: @__memprof_default_options_str = constant [1 x i8] zeroinitializer, comdat
; CHECK-NOT: @__memprof_profile_filename

@constant = constant i32 7
@tls = thread_local global i32 0

; CHECK-LABEL: define i32 @load(
; CHECK-NEXT: [[BASE:%.*]] = load i64, ptr @__memprof_shadow_memory_dynamic_address, align 8, !nosanitize
; CHECK-NEXT: [[A:%.*]] = ptrtoint ptr %p to i64
; CHECK-NEXT: [[B:%.*]] = and i64 [[A]], -64
; CHECK-NEXT: [[C:%.*]] = lshr i64 [[B]], 3
; CHECK-NEXT: [[D:%.*]] = add i64 [[C]], [[BASE]]
; CHECK-NEXT: [[E:%.*]] = inttoptr i64 [[D]] to ptr
; CHECK-NEXT: [[F:%.*]] = load i64, ptr [[E]], align 8, !nosanitize
; CHECK-NEXT: [[G:%.*]] = add i64 [[F]], 1
; CHECK-NEXT: store i64 [[G]], ptr [[E]], align 8, !nosanitize
; CHECK-NEXT: %v = load i32, ptr %p
; CHECK-NEXT: ret i32 %v
define i32 @load(ptr %p) {
  %v = load i32, ptr %p
  ret i32 %v
}

; CHECK-LABEL: define void @store(
; CHECK: add i64 {{.*}}, 1
; CHECK-NEXT: store i64
; CHECK-NEXT: store volatile i8 1, ptr %p
; CHECK-NEXT: ret void
define void @store(ptr %p) {
  store volatile i8 1, ptr %p
  ret void
}

; A wide access counts one, wherever it ends.
; CHECK-LABEL: define <16 x i32> @wide(
; CHECK-COUNT-1: add i64 {{.*}}, 1
; CHECK-NOT: add i64 {{.*}}, 1
; CHECK: ret <16 x i32>
define <16 x i32> @wide(ptr %p) {
  %v = load <16 x i32>, ptr %p, align 4
  ret <16 x i32> %v
}

; Atomic accesses keep their ordering.
; CHECK-LABEL: define i32 @atomics(
; CHECK: add i64 {{.*}}, 1
; CHECK: load atomic i32, ptr %p acquire
; CHECK: add i64 {{.*}}, 1
; CHECK: store atomic i32 1, ptr %p release
; CHECK: add i64 {{.*}}, 1
; CHECK: atomicrmw add ptr %p, i32 1 seq_cst
; CHECK: add i64 {{.*}}, 1
; CHECK: cmpxchg ptr %p, i32 0, i32 1 acq_rel monotonic
; CHECK-NOT: add i64 {{.*}}, 1
; CHECK: ret i32
define i32 @atomics(ptr %p) {
  %v = load atomic i32, ptr %p acquire, align 4
  store atomic i32 1, ptr %p release, align 4
  %w = atomicrmw add ptr %p, i32 1 seq_cst
  %x = cmpxchg ptr %p, i32 0, i32 1 acq_rel monotonic
  ret i32 %v
}

; Globals count, also constants and thread-local variables, and byval arguments.
; CHECK-LABEL: define void @globals(
; CHECK: and i64 ptrtoint (ptr @constant to i64), -64
; CHECK: load i32, ptr @constant
; CHECK: add i64 {{.*}}, 1
; CHECK: load i32, ptr %t
; CHECK: add i64 {{.*}}, 1
; CHECK: load i32, ptr %byval
define void @globals(ptr byval(i32) %byval) {
  %a = load i32, ptr @constant
  %t = call ptr @llvm.threadlocal.address.p0(ptr @tls)
  %b = load i32, ptr %t
  %c = load i32, ptr %byval
  ret void
}
declare ptr @llvm.threadlocal.address.p0(ptr)

; A function without accesses does not change.
; CHECK-LABEL: define void @none(
; CHECK-NEXT: ret void
define void @none() {
  ret void
}

; CHECK: define internal void @memprof.module_ctor()
; CHECK-NEXT: call void @__memprof_init()
; CHECK-NEXT: call void @__memprof_version_mismatch_check_v1()
; CHECK-NEXT: ret void

; The mode of the module, for a runtime that asks.
; CHECK: define internal void @memprof.mode_ctor.link_with_-fmemory-profile_and_no_other_sanitizer()
; CHECK-NEXT: entry:
; CHECK-NEXT: call void @__memprof_version_mismatch_check_v1()
; CHECK-NEXT: icmp ne ptr @__memprof_mode_v1, null
; CHECK: call void @__memprof_mode_v1(i32 0)
; CHECK: !"MemProfInstrumented", i32 1}
