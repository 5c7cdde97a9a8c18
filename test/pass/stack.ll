; Accesses to the stack do not count unless requested. As in LLVM's pass, the search
; for the alloca of a pointer goes back at most six steps.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-merge=none -S %s | FileCheck %s --check-prefixes=ALL,SKIP
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-merge=none -memprof-instrument-stack -S %s | FileCheck %s --check-prefixes=ALL,STACK
target triple = "x86_64-unknown-linux-gnu"

; ALL-LABEL: define i32 @local(
; SKIP-NOT: load i64
; STACK-COUNT-2: add i64 {{.*}}, 1
; ALL: ret i32
define i32 @local(i64 %i) {
  %a = alloca [8 x i32]
  %p = getelementptr i32, ptr %a, i64 %i
  store i32 1, ptr %p
  %v = load i32, ptr %a
  ret i32 %v
}

; ALL-LABEL: define i32 @either(
; ALL: add i64 {{.*}}, 1
; ALL: ret i32
define i32 @either(i1 %c, ptr %heap) {
  %a = alloca i32
  %p = select i1 %c, ptr %a, ptr %heap
  %v = load i32, ptr %p
  ret i32 %v
}
