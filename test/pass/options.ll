; LLVM's own options have the same meaning for our pass as for LLVM's.
; DEFINE: %{run} = %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-use-callbacks -S %s
; RUN: %{run} | FileCheck %s --check-prefixes=LOADS,STORES,ATOMICS
; RUN: %{run} -memprof-instrument-reads=0 | FileCheck %s --check-prefixes=STORES,ATOMICS --implicit-check-not="@__memprof_load("
; RUN: %{run} -memprof-instrument-writes=0 | FileCheck %s --check-prefixes=LOADS,ATOMICS
; RUN: %{run} -memprof-instrument-atomics=0 | FileCheck %s --check-prefixes=LOADS,STORES
; RUN: %{run} | grep "call void @__memprof_mode_v1(i32 0)"
; RUN: %{run} -memprof-instrument-reads=0 | grep "call void @__memprof_mode_v1(i32 2048)"
; RUN: %{run} -memprof-instrument-writes=0 | grep -c "call.*@__memprof_store" | grep -x 2
; RUN: %{run} -memprof-instrument-atomics=0 | grep -c "call.*@__memprof_store" | grep -x 1
; RUN: %{run} -memprof-debug-func=f | not grep "call.*@__memprof_\(load\|store\)"
; RUN: %{run} -memprof-debug-min=1 -memprof-debug-max=2 | FileCheck %s --check-prefix=RANGE
; RUN: %{run} -memprof-runtime-default-options=print_text=1 | FileCheck %s --check-prefix=DEFAULT
; RUN: %{run} -memprof-guard-against-version-mismatch=0 | not grep version_mismatch
; RUN: %{run} | grep -c "call void @__memprof_version_mismatch_check_v1" | grep -x 2
target triple = "x86_64-unknown-linux-gnu"

; DEFAULT: @__memprof_default_options_str = constant [13 x i8] c"print_text=1\00", comdat

; RANGE-LABEL: define i32 @f(
; RANGE-NEXT: %v = load
; RANGE: call void @__memprof_store
; RANGE-NEXT: store i32 1, ptr %p
; RANGE: call void @__memprof_store
; RANGE-NEXT: atomicrmw
; RANGE-NEXT: cmpxchg
; RANGE-NEXT: call void @llvm.memset
define i32 @f(ptr %p) {
; LOADS: call void @__memprof_load(
; LOADS-NEXT: %v = load i32, ptr %p
  %v = load i32, ptr %p
; STORES: call void @__memprof_store(
; STORES-NEXT: store i32 1, ptr %p
  store i32 1, ptr %p
; ATOMICS: call void @__memprof_store(
; ATOMICS-NEXT: atomicrmw
  %w = atomicrmw add ptr %p, i32 1 seq_cst
; ATOMICS: call void @__memprof_store(
; ATOMICS-NEXT: cmpxchg
  %x = cmpxchg ptr %p, i32 0, i32 1 acq_rel monotonic
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 4, i1 false)
  ret i32 %v
}
