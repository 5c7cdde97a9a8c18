; What a function of libstdc++ reads of hashed keys counts; not what functions access in
; nodes of trees, and not what lies on the stack.
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -memprof-context-values=false -memprof-use-callbacks -S %s | FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -memprof-context-values=false -memprof-access=rw-bytes -S %s | FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -memprof-context-values=false -memprof-access=none -S %s | FileCheck %s --check-prefix=NONE
; NONE-NOT: call void @__memprof_{{load|store|read}}
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i64 @_ZSt11_Hash_bytesPKvmm(ptr, i64, i64)
declare ptr @_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(ptr)

; CHECK-LABEL: define i64 @hash(
; CHECK: icmp ne ptr @__memprof_read_v1, null
; CHECK: call void @__memprof_read_v1(ptr %key, i64 %n)
; CHECK-NOT: __memprof
; CHECK: call i64 @_ZSt11_Hash_bytesPKvmm(
define i64 @hash(ptr %key, i64 %n) {
  %hash = call i64 @_ZSt11_Hash_bytesPKvmm(ptr %key, i64 %n, i64 7)
  ret i64 %hash
}

; CHECK-LABEL: define i64 @on_stack(
; CHECK-NOT: __memprof
; CHECK: ret i64
define i64 @on_stack() {
  %key = alloca i64
  %hash = call i64 @_ZSt11_Hash_bytesPKvmm(ptr %key, i64 8, i64 7)
  ret i64 %hash
}

; CHECK-LABEL: define ptr @next(
; CHECK-NOT: __memprof
; CHECK: ret ptr
define ptr @next(ptr %node) {
  %next = call ptr @_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(ptr %node)
  ret ptr %next
}
