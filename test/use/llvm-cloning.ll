; LLVM's own cloning does the same with the plugin loaded: call stacks through a
; pointer to a function, whose callers cannot be distinguished, and through a tail
; call, which left no frame.
; REQUIRES: llvm-22
; DEFINE: %{clone} = -passes=memprof-context-disambiguation -supports-hot-cold-new -pass-remarks=memprof-context-disambiguation -S %s
; RUN: %opt %{clone} -o %t.alone 2>%t.alone-said
; RUN: %opt -load-pass-plugin=%plugin -memprof-hints=llvm %{clone} -o %t.llvm 2>%t.llvm-said
; RUN: %opt -load-pass-plugin=%plugin %{clone} -o %t.auto 2>%t.auto-said
; RUN: cmp %t.alone %t.llvm && cmp %t.alone-said %t.llvm-said
; RUN: cmp %t.alone %t.auto && cmp %t.alone-said %t.auto-said
; RUN: FileCheck %s <%t.alone

; The whole pipelines, too; before a link, metadata stays for it.
; RUN: %opt -passes='lto<O2>' -enable-memprof-context-disambiguation -supports-hot-cold-new -S %s -o %t.alone
; RUN: %opt -load-pass-plugin=%plugin -memprof-hints=llvm -passes='lto<O2>' -enable-memprof-context-disambiguation -supports-hot-cold-new -S %s -o %t.llvm
; RUN: cmp %t.alone %t.llvm
; RUN: %opt -passes='thinlto-pre-link<O2>' -S %s -o %t.alone
; RUN: %opt -load-pass-plugin=%plugin -memprof-hints=llvm -passes='thinlto-pre-link<O2>' -S %s -o %t.llvm
; RUN: cmp %t.alone %t.llvm && grep '!memprof' %t.llvm

; The plugin makes hints of the clones on request.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-context-disambiguation,memprof-hint -supports-hot-cold-new -S %s | FileCheck %s --check-prefix=HINTS
target triple = "x86_64-unknown-linux-gnu"

declare ptr @malloc(i64) #1

; CHECK-LABEL: define internal ptr @make()
; CHECK: call ptr @malloc(i64 24) #[[NOTCOLD:[0-9]+]]
; HINTS-LABEL: define internal ptr @make()
; HINTS: call ptr @malloc(i64 24)
define internal ptr @make() #0 {
  %block = call ptr @malloc(i64 24) #2, !memprof !0, !callsite !9
  ret ptr %block
}

; CHECK-LABEL: define internal ptr @tail()
; CHECK: call ptr @make()
define internal ptr @tail() #0 {
  %block = tail call ptr @make()
  ret ptr %block
}

; CHECK-LABEL: define internal ptr @pointed()
; CHECK: call ptr @make()
define internal ptr @pointed() #0 {
  %block = call ptr @make(), !callsite !10
  ret ptr %block
}

declare ptr @through(ptr)

; CHECK-LABEL: define void @main()
define void @main() #0 {
  ; CHECK: call ptr @tail()
  %warm = call ptr @tail(), !callsite !11
  ; CHECK: call ptr @tail.memprof.1()
  %cold = call ptr @tail(), !callsite !12
  ; CHECK: call ptr @through(ptr @pointed)
  %either = call ptr @through(ptr @pointed), !callsite !13
  ; CHECK: call ptr @through(ptr @pointed)
  %other = call ptr @through(ptr @pointed), !callsite !14
  ret void
}

; CHECK-LABEL: define internal ptr @make.memprof.1()
; CHECK: call ptr @malloc(i64 24) #[[COLD:[0-9]+]]
; HINTS-LABEL: define internal ptr @make.memprof.1()
; HINTS: call ptr @__memprof_use_malloc(i64 24, i8 {{.*}}1)
; CHECK-LABEL: define internal ptr @tail.memprof.1()
; CHECK: call ptr @make.memprof.1()
; CHECK-NOT: define {{.*}}@pointed.memprof
; CHECK-DAG: attributes #[[NOTCOLD]] = { {{.*}}"memprof"="notcold"
; CHECK-DAG: attributes #[[COLD]] = { {{.*}}"memprof"="cold"

attributes #0 = { noinline }
attributes #1 = { nobuiltin allocsize(0) }
attributes #2 = { builtin allocsize(0) }

!0 = !{!1, !3, !5, !7}
!1 = !{!2, !"notcold"}
!2 = !{i64 1, i64 11}
!3 = !{!4, !"cold"}
!4 = !{i64 1, i64 12}
!5 = !{!6, !"notcold"}
!6 = !{i64 1, i64 2, i64 3, i64 13}
!7 = !{!8, !"cold"}
!8 = !{i64 1, i64 2, i64 3, i64 14}
!9 = !{i64 1}
!10 = !{i64 2}
!11 = !{i64 11}
!12 = !{i64 12}
!13 = !{i64 13}
!14 = !{i64 14}
