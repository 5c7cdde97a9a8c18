; Operator new in all forms for which LLVM has hinted ones, also where it may throw.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-hint -S %s -o %t.ll
; RUN: FileCheck %s <%t.ll
; RUN: %opt -passes=verify,instcombine -S %t.ll | FileCheck %s --check-prefix=FOLDED
target triple = "x86_64-unknown-linux-gnu"

declare noalias nonnull ptr @_Znwm(i64) #0
declare noalias nonnull ptr @_Znam(i64)
declare noalias ptr @_ZnwmRKSt9nothrow_t(i64, ptr)
declare noalias ptr @_ZnamRKSt9nothrow_t(i64, ptr)
declare noalias nonnull ptr @_ZnwmSt11align_val_t(i64, i64)
declare noalias nonnull ptr @_ZnamSt11align_val_t(i64, i64)
declare noalias ptr @_ZnwmSt11align_val_tRKSt9nothrow_t(i64, i64, ptr)
declare noalias ptr @_ZnamSt11align_val_tRKSt9nothrow_t(i64, i64, ptr)
declare { ptr, i64 } @__size_returning_new(i64)
declare { ptr, i64 } @__size_returning_new_aligned(i64, i64)
declare void @_ZdlPv(ptr) #2
declare i32 @__gxx_personality_v0(...)

; CHECK-LABEL: define void @forms(
define void @forms(ptr %n) {
; CHECK-NEXT: call ptr @__memprof_use__Znwm(i64 1, i8 zeroext 1)
  %1 = call ptr @_Znwm(i64 1) #10
; CHECK-NEXT: call ptr @__memprof_use__Znam(i64 2, i8 zeroext 1)
  %2 = call ptr @_Znam(i64 2) #10
; CHECK-NEXT: call ptr @__memprof_use__ZnwmRKSt9nothrow_t(i64 3, ptr %n, i8 zeroext 1)
  %3 = call ptr @_ZnwmRKSt9nothrow_t(i64 3, ptr %n) #10
; CHECK-NEXT: call ptr @__memprof_use__ZnamRKSt9nothrow_t(i64 4, ptr %n, i8 zeroext 1)
  %4 = call ptr @_ZnamRKSt9nothrow_t(i64 4, ptr %n) #10
; CHECK-NEXT: call ptr @__memprof_use__ZnwmSt11align_val_t(i64 5, i64 64, i8 zeroext 1)
  %5 = call ptr @_ZnwmSt11align_val_t(i64 5, i64 64) #10
; CHECK-NEXT: call ptr @__memprof_use__ZnamSt11align_val_t(i64 6, i64 64, i8 zeroext 1)
  %6 = call ptr @_ZnamSt11align_val_t(i64 6, i64 64) #10
; CHECK-NEXT: call ptr @__memprof_use__ZnwmSt11align_val_tRKSt9nothrow_t(i64 7, i64 64, ptr %n, i8 zeroext 1)
  %7 = call ptr @_ZnwmSt11align_val_tRKSt9nothrow_t(i64 7, i64 64, ptr %n) #10
; CHECK-NEXT: call ptr @__memprof_use__ZnamSt11align_val_tRKSt9nothrow_t(i64 8, i64 64, ptr %n, i8 zeroext 1)
  %8 = call ptr @_ZnamSt11align_val_tRKSt9nothrow_t(i64 8, i64 64, ptr %n) #10
; CHECK-NEXT: call { ptr, i64 } @__memprof_use___size_returning_new(i64 9, i8 zeroext 1)
  %9 = call { ptr, i64 } @__size_returning_new(i64 9) #10
; CHECK-NEXT: call { ptr, i64 } @__memprof_use___size_returning_new_aligned(i64 10, i64 64, i8 zeroext 1)
  %10 = call { ptr, i64 } @__size_returning_new_aligned(i64 10, i64 64) #10
  ret void
}

; CHECK-LABEL: define void @may_throw(
define void @may_throw() personality ptr @__gxx_personality_v0 {
; CHECK: invoke ptr @__memprof_use__Znwm(i64 1, i8 zeroext 1)
; CHECK-NEXT: to label %done unwind label %lost
  %p = invoke ptr @_Znwm(i64 1) #10 to label %done unwind label %lost
done:
  ret void
lost:
  %l = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %l
}

; FOLDED-LABEL: define void @unused(
define void @unused() {
; FOLDED-NEXT: ret void
  %p = call ptr @_Znwm(i64 1) #11
  call void @_ZdlPv(ptr %p) #12
  ret void
}

; The stub looks for LLVM's name.
; CHECK-DAG: declare extern_weak ptr @_Znwm12__hot_cold_t(i64, i8)
; CHECK-DAG: declare extern_weak ptr @_Znam12__hot_cold_t(i64, i8)
; CHECK-DAG: declare extern_weak ptr @_ZnwmRKSt9nothrow_t12__hot_cold_t(i64, ptr, i8)
; CHECK-DAG: declare extern_weak ptr @_ZnamRKSt9nothrow_t12__hot_cold_t(i64, ptr, i8)
; CHECK-DAG: declare extern_weak ptr @_ZnwmSt11align_val_t12__hot_cold_t(i64, i64, i8)
; CHECK-DAG: declare extern_weak ptr @_ZnamSt11align_val_t12__hot_cold_t(i64, i64, i8)
; CHECK-DAG: declare extern_weak ptr @_ZnwmSt11align_val_tRKSt9nothrow_t12__hot_cold_t(i64, i64, ptr, i8)
; CHECK-DAG: declare extern_weak ptr @_ZnamSt11align_val_tRKSt9nothrow_t12__hot_cold_t(i64, i64, ptr, i8)
; CHECK-DAG: declare extern_weak { ptr, i64 } @__size_returning_new_hot_cold(i64, i8)
; CHECK-DAG: declare extern_weak { ptr, i64 } @__size_returning_new_aligned_hot_cold(i64, i64, i8)

attributes #0 = { nobuiltin allocsize(0) }
attributes #2 = { nobuiltin nounwind }
attributes #10 = { "memprof"="cold" }
attributes #11 = { builtin "memprof"="cold" }
attributes #12 = { builtin }
