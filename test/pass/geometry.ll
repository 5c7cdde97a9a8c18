; The mapping options change mask and shift; those of wide cells are fixed.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -S %s | FileCheck %s -DM=-64 -DS=3
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-mapping-granularity=32 -memprof-mapping-scale=2 -S %s | FileCheck %s -DM=-32 -DS=2
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-histogram -memprof-histogram-cell-bits=8 -memprof-mapping-scale=2 -S %s | FileCheck %s -DM=-8 -DS=2
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-histogram -memprof-mapping-scale=2 -S %s | FileCheck %s -DM=-8 -DS=1
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define i32 @load(
; CHECK: and i64 {{.*}}, [[M]]{{$}}
; CHECK-NEXT: lshr i64 {{.*}}, [[S]]{{$}}
define i32 @load(ptr %p) {
  %v = load i32, ptr %p
  ret i32 %v
}
