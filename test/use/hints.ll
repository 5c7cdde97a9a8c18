; Calls with LLVM's attribute become calls of the hinted form, with the function's own
; arguments and the hint after them. Attributes of the allocation stay, and so do
; LLVM's optimizations of them.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-hint -memprof-alloc-fn=arena_get,pool_get -S %s -o %t.ll
; RUN: FileCheck %s <%t.ll
; RUN: %opt -passes=verify,instcombine -S %t.ll | FileCheck %s --check-prefix=FOLDED
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-hint -memprof-hints=all -S %s | FileCheck %s --check-prefix=ALL
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-hint -memprof-hints=off -S %s | FileCheck %s --check-prefix=OFF
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-hint -memprof-hints=llvm -S %s | FileCheck %s --check-prefix=OFF
; OFF-NOT: call {{.*}}@__memprof_
target triple = "x86_64-unknown-linux-gnu"

; The pointer starts at the plain function; the constructor is emitted once.
; CHECK-DAG: @__memprof_use_malloc.form = linkonce_odr hidden global ptr @__memprof_use_malloc.plain, comdat($__memprof_use_malloc)
; CHECK-DAG: @llvm.global_ctors = {{.*}}{ i32 1, ptr @__memprof_use_malloc.find, ptr @__memprof_use_malloc.find }

declare noalias ptr @malloc(i64) #0
declare noalias ptr @calloc(i64, i64) #1
declare noalias ptr @realloc(ptr, i64) #2
declare noalias ptr @reallocarray(ptr, i64, i64)
declare noalias ptr @aligned_alloc(i64 allocalign, i64) #3
declare noalias ptr @memalign(i64, i64)
declare i32 @posix_memalign(ptr, i64, i64)
declare noalias ptr @strdup(ptr)
declare noalias ptr @strndup(ptr, i64)
declare void @free(ptr allocptr) #4
declare ptr @arena_get(ptr, i64)
declare noalias ptr @xmalloc(i64)
declare ptr @plain_function(i64)
declare i64 @llvm.objectsize.i64.p0(ptr, i1, i1, i1)

; CHECK-LABEL: define void @c_functions(
define void @c_functions(ptr %p) {
; CHECK-NEXT: call noalias ptr @__memprof_use_malloc(i64 1, i8 zeroext 1)
  %1 = call noalias ptr @malloc(i64 1) #10
; CHECK-NEXT: call ptr @__memprof_use_calloc(i64 2, i64 3, i8 zeroext -2)
  %2 = call ptr @calloc(i64 2, i64 3) #11
; CHECK-NEXT: call ptr @__memprof_use_realloc(ptr %p, i64 4, i8 zeroext 1)
  %3 = call ptr @realloc(ptr %p, i64 4) #10
; CHECK-NEXT: call ptr @__memprof_use_reallocarray(ptr %p, i64 4, i64 5, i8 zeroext 1)
  %4 = call ptr @reallocarray(ptr %p, i64 4, i64 5) #10
; CHECK-NEXT: call align 64 ptr @__memprof_use_aligned_alloc(i64 64, i64 128, i8 zeroext 1)
  %5 = call align 64 ptr @aligned_alloc(i64 64, i64 128) #10
; CHECK-NEXT: call ptr @__memprof_use_memalign(i64 64, i64 128, i8 zeroext 1)
  %6 = call ptr @memalign(i64 64, i64 128) #10
; CHECK-NEXT: call i32 @__memprof_use_posix_memalign(ptr %p, i64 64, i64 128, i8 zeroext 1)
  %7 = call i32 @posix_memalign(ptr %p, i64 64, i64 128) #10
; CHECK-NEXT: call ptr @__memprof_use_strdup(ptr %p, i8 zeroext 1)
  %8 = call ptr @strdup(ptr %p) #10
; CHECK-NEXT: call ptr @__memprof_use_strndup(ptr %p, i64 9, i8 zeroext 1)
  %9 = call ptr @strndup(ptr %p, i64 9) #10
; Named by the option; declared to return a block; neither.
; CHECK-NEXT: call ptr @__memprof_use_arena_get(ptr %p, i64 10, i8 zeroext 1)
  %10 = call ptr @arena_get(ptr %p, i64 10) #10
; CHECK-NEXT: call ptr @__memprof_use_xmalloc(i64 11, i8 zeroext 1)
  %11 = call ptr @xmalloc(i64 11) #10
; CHECK-NEXT: call ptr @plain_function(i64 12)
  %12 = call ptr @plain_function(i64 12) #10
; CHECK-NEXT: ret void
  ret void
}

; Other functions do not change; with "all" there is a remark.
; CHECK-LABEL: define void @neither(
; ALL-LABEL: define void @neither(
define void @neither() {
; CHECK-NEXT: call ptr @malloc(i64 1)
; ALL-NEXT: call ptr @__memprof_use_malloc(i64 1, i8 zeroext -128)
  %1 = call ptr @malloc(i64 1) "memprof"="notcold"
; CHECK-NEXT: call ptr @malloc(i64 2)
; ALL-NEXT: call ptr @malloc(i64 2)
  %2 = call ptr @malloc(i64 2) "memprof"="ambiguous"
; CHECK-NEXT: call ptr @malloc(i64 3)
  %3 = call ptr @malloc(i64 3)
  ret void
}

; A musttail call cannot have another argument.
; CHECK-LABEL: define ptr @must_tail(
define ptr @must_tail(i64 %size) {
; CHECK: musttail call ptr @malloc(i64 %size)
  %p = musttail call ptr @malloc(i64 %size) #10
  ret ptr %p
}

; The program's own form is called as it is.
; CHECK-LABEL: define void @own(
define void @own() {
; CHECK: call ptr @__memprof_pool_get_hint(i64 1, i8 zeroext 1)
  %1 = call ptr @pool_get(i64 1) #10
  ret void
}
declare ptr @pool_get(i64)
define ptr @__memprof_pool_get_hint(i64 %size, i8 zeroext %hint) {
; CHECK: call ptr @malloc(i64 %size)
  %p = call ptr @malloc(i64 %size) #10
  ret ptr %p
}

; An unused block is removed; its size is known.
; FOLDED-LABEL: define i64 @known(
define i64 @known() {
; FOLDED-NEXT: ret i64 40
  %p = call ptr @malloc(i64 40) #10
  %size = call i64 @llvm.objectsize.i64.p0(ptr %p, i1 false, i1 false, i1 false)
  call void @free(ptr %p)
  ret i64 %size
}

; CHECK-LABEL: define linkonce_odr hidden noalias ptr @__memprof_use_malloc(i64 %0, i8 zeroext %1)
; CHECK-SAME: #[[STUB:[0-9]+]] comdat
; CHECK-NEXT: %[[FORM:.*]] = load ptr, ptr @__memprof_use_malloc.form
; CHECK-NEXT: %[[BLOCK:.*]] = tail call ptr %[[FORM]](i64 %0, i8 zeroext %1)
; CHECK-NEXT: ret ptr %[[BLOCK]]
; CHECK-DAG: declare extern_weak ptr @__memprof_malloc_hint(i64, i8)
; CHECK-DAG: declare extern_weak ptr @dlsym(ptr, ptr)
; CHECK-DAG: attributes #[[STUB]] = { noinline {{.*}}allockind("alloc,uninitialized") allocsize(0) {{.*}}"alloc-family"="malloc"

attributes #0 = { nounwind willreturn allockind("alloc,uninitialized") allocsize(0) memory(inaccessiblemem: readwrite) "alloc-family"="malloc" }
attributes #1 = { nounwind willreturn allockind("alloc,zeroed") allocsize(0,1) memory(inaccessiblemem: readwrite) "alloc-family"="malloc" }
attributes #2 = { nounwind willreturn allockind("realloc") allocsize(1) "alloc-family"="malloc" }
attributes #3 = { nounwind willreturn allockind("alloc,uninitialized,aligned") allocsize(1) "alloc-family"="malloc" }
attributes #4 = { nounwind willreturn allockind("free") "alloc-family"="malloc" }
attributes #10 = { "memprof"="cold" }
attributes #11 = { "memprof"="hot" }
