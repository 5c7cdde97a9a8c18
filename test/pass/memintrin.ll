; Memory intrinsics become calls of the runtime, also for memory on the stack.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-context-values=false -memprof-merge=none -memprof-instrument-globals -S %s | FileCheck %s -DP=__memprof_
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-context-values=false -memprof-merge=none -memprof-instrument-globals -memprof-histogram -S %s | FileCheck %s -DP=__memprof_
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-context-values=false -memprof-merge=none -memprof-instrument-globals -memprof-memory-access-callback-prefix=my_ -S %s | FileCheck %s -DP=my_
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define void @f(
; CHECK: [[N:%.*]] = zext i32 %n to i64
; CHECK-NEXT: call ptr @[[P]]memcpy(ptr %p, ptr %q, i64 [[N]])
; CHECK-NEXT: call ptr @[[P]]memmove(ptr %p, ptr %q, i64 9)
; CHECK-NEXT: [[B:%.*]] = zext i8 %b to i32
; CHECK-NEXT: call ptr @[[P]]memset(ptr %p, i32 [[B]], i64 10)
; CHECK-NEXT: call ptr @[[P]]memcpy(ptr %p, ptr %q, i64 11)
; CHECK-NEXT: call ptr @[[P]]memset(ptr %p, i32 0, i64 12)
; CHECK-NEXT: %a = alloca
; CHECK-NEXT: call ptr @[[P]]memset(ptr %a, i32 0, i64 13)
; CHECK: call void @__memprof_unseen_v1(ptr %p)
; CHECK: call void @llvm.memcpy.p0.p1.i64(
; CHECK: call void @__memprof_unseen_v1(ptr %q)
; CHECK: call void @llvm.memcpy.element.unordered.atomic
; CHECK-NEXT: ret void
define void @f(ptr %p, ptr %q, i32 %n, i8 %b, ptr addrspace(1) %far) {
  call void @llvm.memcpy.p0.p0.i32(ptr %p, ptr %q, i32 %n, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %q, i64 9, i1 false)
  call void @llvm.memset.p0.i64(ptr %p, i8 %b, i64 10, i1 false)
  call void @llvm.memcpy.inline.p0.p0.i64(ptr %p, ptr %q, i64 11, i1 false)
  call void @llvm.memset.inline.p0.i64(ptr %p, i8 0, i64 12, i1 false)
  %a = alloca [13 x i8]
  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 13, i1 true)
  call void @llvm.memcpy.p0.p1.i64(ptr %p, ptr addrspace(1) %far, i64 14, i1 false)
  call void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr align 4 %p, ptr align 4 %q, i64 16, i32 4)
  ret void
}
declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.inline.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr, ptr, i64, i32)
