; Link-time optimization instruments the functions that wait, each with the options of
; its compile, and no others, and removes what makes linking fail.
; RUN: %opt -load-pass-plugin=%plugin -passes='lto<O1>' -S %s | FileCheck %s
; RUN: sed 's/memprof-access=rw/memprof-access=wr/' %s | not %opt -load-pass-plugin=%plugin -passes='lto<O1>' -S 2>&1 | FileCheck %s --check-prefix=OTHER
; RUN: sed 's/memprof-access=rw/memprof-unknown=1/' %s | not %opt -load-pass-plugin=%plugin -passes='lto<O1>' -S 2>&1 | FileCheck %s --check-prefix=OTHER
; OTHER: error: {{.*}}memprof: an object was compiled for counting at link time by another version of memprof, or is damaged; compile it again
target triple = "x86_64-unknown-linux-gnu"

; CHECK-NOT: not_counted
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @memprof.waiting_ctor, ptr null }]
@llvm.used = appending global [1 x ptr] [ptr @memprof.waiting_ctor], section "llvm.metadata"

; CHECK-LABEL: @plain(
; CHECK-NOT: nosanitize
; CHECK: ret
define void @plain(ptr %p) noinline {
  store i64 1, ptr %p
  ret void
}

; CHECK-LABEL: @total(
; CHECK: load i64, ptr @__memprof_shadow_memory_dynamic_address
; CHECK: store i64 {{.*}}!nosanitize
; CHECK: ret
define void @total(ptr %p) noinline "memprof-waiting"="memprof-count-at-link=1
" {
  store i64 1, ptr %p
  ret void
}

; CHECK-LABEL: @rw(
; CHECK: load i64, ptr @__memprof_rw_shadow_v1
; CHECK: ret
define void @rw(ptr %p) noinline "memprof-waiting"="memprof-access=rw
" {
  store i64 1, ptr %p
  ret void
}

; CHECK-LABEL: @none(
; CHECK-NOT: __memprof_calls_v1
; CHECK-NOT: nosanitize
; CHECK: call {{.*}}@malloc
define ptr @none(ptr %p) noinline "memprof-waiting"="memprof-access=none
memprof-context-values=0
" {
  store i64 1, ptr %p
  %block = call ptr @malloc(i64 9)
  ret ptr %block
}

; CHECK-NOT: memprof-waiting
; CHECK-NOT: not_counted
declare ptr @malloc(i64)

define internal void @memprof.waiting_ctor() {
  call void @"memprof.not_counted.link_with_memprof-clang_-flto_-fuse-ld=lld"()
  ret void
}
declare void @"memprof.not_counted.link_with_memprof-clang_-flto_-fuse-ld=lld"()
