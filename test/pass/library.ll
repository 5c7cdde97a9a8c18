; What functions of libstdc++ access for templates counts, but no range on the stack.
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -memprof-context-values=false -memprof-use-callbacks -S %s | FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -memprof-context-values=false -memprof-access=rw-bytes -S %s | FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -memprof-context-values=false -memprof-access=none -S %s | FileCheck %s --check-prefix=NONE
; NONE-NOT: call void @__memprof_{{load|store|read|tree|list}}
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
; CHECK: icmp ne ptr @__memprof_tree_next_v1, null
; CHECK: call void @__memprof_tree_next_v1(ptr %node)
; CHECK: call ptr @_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(
define ptr @next(ptr %node) {
  %next = call ptr @_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(ptr %node)
  ret ptr %next
}

; A function of the program's own counts by itself.
; CHECK-LABEL: define void @_ZNSt8__detail15_List_node_base7_M_hookEPS0_(
; CHECK-NOT: __memprof_list
; CHECK-LABEL: define void @links(
; CHECK-NOT: __memprof_list
; CHECK: ret void
define void @_ZNSt8__detail15_List_node_base7_M_hookEPS0_(ptr %node, ptr %behind) {
  ret void
}
define void @links(ptr %node, ptr %behind) {
  call void @_ZNSt8__detail15_List_node_base7_M_hookEPS0_(ptr %node, ptr %behind)
  ret void
}
