; If the object format has no COMDAT groups, the interface variables are weak. The
; user's definition of one is kept, and the user's declaration gets our definition.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-runtime-default-options=print_text=1 -S %s | FileCheck %s
target triple = "x86_64-apple-macosx10.15.0"

; CHECK-NOT: = comdat
; CHECK: @__memprof_default_options_str = constant [2 x i8] c"x\00"
; CHECK: @__memprof_histogram = weak constant i1 false
; CHECK-NOT: @__memprof_default_options_str.
; CHECK: ret ptr @__memprof_histogram
@__memprof_histogram = external constant i1
@__memprof_default_options_str = constant [2 x i8] c"x\00"

define ptr @f() {
  ret ptr @__memprof_histogram
}
