; Accesses that do not count: other address spaces, swifterror values, PGO counters,
; LLVM's own globals, the stack, bodies that are defined elsewhere, the runtime.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-merge=none -memprof-instrument-globals -memprof-use-callbacks -S %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

@counters = private global [2 x i64] zeroinitializer, section "__llvm_prf_cnts"
@__llvm_gcov_ctr = internal global [2 x i64] zeroinitializer
@plain = global [2 x i64] zeroinitializer, section "mine"

; CHECK-LABEL: define void @compilers_own(
; CHECK-NEXT: store i64 1
; CHECK-NEXT: store i64 2
; CHECK-NEXT: store i64 3
; CHECK-NEXT: call void @__memprof_store(i64 ptrtoint (ptr @plain to i64))
; CHECK-NEXT: store i64 4
define void @compilers_own(ptr addrspace(1) %far) {
  store i64 1, ptr getelementptr inbounds ([2 x i64], ptr @counters, i64 0, i64 1)
  store i64 2, ptr @__llvm_gcov_ctr
  store i64 3, ptr addrspace(1) %far
  store i64 4, ptr @plain
  ret void
}

; CHECK-LABEL: define void @swift(
; CHECK-NOT: call
; CHECK: ret void
define void @swift(ptr swifterror %error) {
  store ptr null, ptr %error
  ret void
}

; CHECK-LABEL: define available_externally void @elsewhere(
; CHECK-NOT: call
; CHECK: ret void
define available_externally void @elsewhere(ptr %p) {
  store i32 1, ptr %p
  ret void
}

; CHECK-LABEL: define void @__memprof_hook(
; CHECK-NOT: call
; CHECK: ret void
define void @__memprof_hook(ptr %p) {
  store i32 1, ptr %p
  ret void
}

; LLVM's pass takes the default of -memprof-debug-func for a nameless function.
; CHECK-LABEL: define void @0(
; CHECK-NOT: call
; CHECK: ret void
define void @0(ptr %p) {
  store i32 1, ptr %p
  ret void
}

; Neither of these prevents counting, as in LLVM's pass.
; CHECK-LABEL: define void @sanitized(
; CHECK: call void @__memprof_store(
define void @sanitized(ptr %p) disable_sanitizer_instrumentation {
  store i32 1, ptr %p, !nosanitize !0
  ret void
}
!0 = !{}
