; Histogram mode: 8 bytes share a cell. Our cells have 32 bits and a shadow of their
; own; on request they are LLVM's cells of 8 bits. Both stop at their maximum without a
; branch.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-histogram -S %s | FileCheck %s --check-prefixes=ALL,WIDE
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-histogram -memprof-histogram-cell-bits=8 -S %s | FileCheck %s --check-prefixes=ALL,LLVM
target triple = "x86_64-unknown-linux-gnu"

; WIDE-NOT: @__memprof_shadow_memory_dynamic_address
; LLVM-NOT: @__memprof_histogram_wide_shadow_v1
; WIDE: @__memprof_histogram_wide_shadow_v1 = external dso_local global i64
; LLVM: @__memprof_shadow_memory_dynamic_address = external dso_local global i64
; ALL: @__memprof_histogram = constant i1 true, comdat

; ALL-LABEL: define void @store(
; WIDE: [[BASE:%.*]] = load i64, ptr @__memprof_histogram_wide_shadow_v1
; LLVM: [[BASE:%.*]] = load i64, ptr @__memprof_shadow_memory_dynamic_address
; ALL-NEXT: [[A:%.*]] = ptrtoint ptr %p to i64
; ALL-NEXT: [[B:%.*]] = and i64 [[A]], -8
; WIDE-NEXT: [[C:%.*]] = lshr i64 [[B]], 1
; LLVM-NEXT: [[C:%.*]] = lshr i64 [[B]], 3
; ALL-NEXT: [[D:%.*]] = add i64 [[C]], [[BASE]]
; ALL-NEXT: [[E:%.*]] = inttoptr i64 [[D]] to ptr
; WIDE-NEXT: [[F:%.*]] = load i32, ptr [[E]], align 4
; WIDE-NEXT: [[G:%.*]] = icmp ne i32 [[F]], -1
; WIDE-NEXT: [[H:%.*]] = zext i1 [[G]] to i32
; WIDE-NEXT: [[I:%.*]] = add i32 [[F]], [[H]]
; WIDE-NEXT: store i32 [[I]], ptr [[E]], align 4
; LLVM-NEXT: [[F:%.*]] = load i8, ptr [[E]], align 1
; LLVM-NEXT: [[G:%.*]] = icmp ne i8 [[F]], -1
; LLVM-NEXT: [[H:%.*]] = zext i1 [[G]] to i8
; LLVM-NEXT: [[I:%.*]] = add i8 [[F]], [[H]]
; LLVM-NEXT: store i8 [[I]], ptr [[E]], align 1
; ALL-NEXT: store i32 1, ptr %p
; ALL-NEXT: ret void
define void @store(ptr %p) {
  store i32 1, ptr %p
  ret void
}
