; In callback mode each access calls the runtime; an option gives the prefix of the
; function's name.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-context-values=false -memprof-use-callbacks -S %s | FileCheck %s -DP=__memprof_
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-context-values=false -memprof-use-callbacks -memprof-histogram -S %s | FileCheck %s -DP=__memprof_hist_
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-context-values=false -memprof-use-callbacks -memprof-memory-access-callback-prefix=my_ -S %s | FileCheck %s -DP=my_
target triple = "x86_64-unknown-linux-gnu"

; CHECK-NOT: @__memprof_shadow_memory_dynamic_address
; CHECK-LABEL: define i32 @both(
; CHECK-NEXT: [[A:%.*]] = ptrtoint ptr %p to i64
; CHECK-NEXT: call void @[[P]]load(i64 [[A]]), !nosanitize
; CHECK-NEXT: %v = load i32, ptr %p
; CHECK-NEXT: [[B:%.*]] = ptrtoint ptr %p to i64
; CHECK-NEXT: call void @[[P]]store(i64 [[B]]), !nosanitize
; CHECK-NEXT: store i32 1, ptr %p
; CHECK-NEXT: ret i32 %v
define i32 @both(ptr %p) {
  %v = load i32, ptr %p
  store i32 1, ptr %p
  ret i32 %v
}
; CHECK-DAG: declare void @[[P]]load(i64)
; CHECK-DAG: declare void @[[P]]store(i64)
