; Short memory intrinsics count inline, one per word that starts in the range, and
; become the form that is never a call. Those that access no heap block stay as they
; are.
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -S %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

@table = global [64 x i8] zeroinitializer

; CHECK-LABEL: define void @short(
; CHECK: ptrtoint ptr %p to i64
; CHECK: add i64 {{.*}}, 18
; CHECK: ptrtoint ptr %q to i64
; CHECK: add i64 {{.*}}, 2
; CHECK: call void @llvm.memcpy.inline.p0.p0.i64(ptr align 4 %p, ptr %q, i64 9, i1 false)
; CHECK-NEXT: call void @llvm.memset.inline.p0.i64(ptr %p, i8 0, i64 128, i1 true)
; CHECK: call ptr @__memprof_memset(ptr %p, i32 0, i64 129)
; CHECK: call ptr @__memprof_memmove(ptr %p, ptr %q, i64 8)
; CHECK: call ptr @__memprof_memcpy(ptr %p, ptr %q, i64 %n)
; CHECK-NEXT: call void @llvm.memcpy.inline.p0.p0.i64(ptr %p, ptr %q, i64 0, i1 false)
; CHECK-NEXT: ret void
define void @short(ptr %p, ptr %q, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %p, ptr %q, i64 9, i1 false)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 128, i1 true)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 129, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %q, i64 8, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 0, i1 false)
  ret void
}

; CHECK-LABEL: define void @outside(
; CHECK-NEXT: alloca
; CHECK-NEXT: call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 64
; CHECK-NEXT: call void @llvm.memcpy.p0.p0.i64(ptr @table, ptr %a, i64 %n
; CHECK-NEXT: call void @llvm.memmove.p0.p0.i64(ptr %a, ptr %b, i64 %n
; CHECK-NEXT: ret void
define void @outside(ptr byval([64 x i8]) %b, i64 %n) {
  %a = alloca [64 x i8]
  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 64, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr @table, ptr %a, i64 %n, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %a, ptr %b, i64 %n, i1 false)
  ret void
}

; Only one side is in a block: only its words count.
; CHECK-LABEL: define void @half(
; CHECK: ptrtoint ptr %q to i64
; CHECK: add i64 {{.*}}, 8
; CHECK-NOT: add i64
; CHECK: call void @llvm.memcpy.inline
; CHECK-NEXT: call ptr @__memprof_memcpy(ptr @table, ptr %q, i64 %n)
; CHECK-NEXT: ret void
define void @half(ptr %q, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr @table, ptr %q, i64 64, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr @table, ptr %q, i64 %n, i1 false)
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
