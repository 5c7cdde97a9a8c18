; A structure that is passed by value is read by the call: one access for each 8 bytes.
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -memprof-context-values=false -S %s | FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -memprof-context-values=false -memprof-access=rw-bytes -S %s | FileCheck %s --check-prefix=BYTES
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -memprof-context-values=false -memprof-instrument-reads=false -S %s | FileCheck %s --check-prefix=NONE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%struct = type { [20 x i64], i8 }
%empty = type {}

; CHECK-LABEL: define void @called(
; CHECK: add i64 %{{.*}}, 21
; CHECK: call void @take(ptr
; CHECK: add i64 %{{.*}}, 21
; CHECK: invoke void @take(ptr
; BYTES-LABEL: define void @called(
; BYTES: add i64 %{{.*}}, 168
; BYTES: call void @take(ptr
; NONE-LABEL: define void @called(
; NONE-NOT: add i64
; NONE: ret void
define void @called(ptr %p) personality ptr @personality {
  call void @take(ptr byval(%struct) align 8 %p)
  invoke void @take(ptr byval(%struct) align 8 %p) to label %on unwind label %on2
on:
  ret void
on2:
  %l = landingpad { ptr, i32 } cleanup
  ret void
}

; Nothing of what the caller got by value itself, of local variables, or of no bytes.
; CHECK-LABEL: define void @outside(
; CHECK-NOT: add i64
; CHECK: ret void
define void @outside(ptr byval(%struct) %p, ptr %q) {
  %local = alloca %struct
  call void @take(ptr byval(%struct) %p)
  call void @take(ptr byval(%struct) %local)
  call void @take_nothing(ptr byval(%empty) %q)
  ret void
}

declare void @take(ptr byval(%struct))
declare void @take_nothing(ptr byval(%empty))
declare i32 @personality(...)
