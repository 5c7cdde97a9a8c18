; Only the module flag says that a module is already instrumented.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -S %s -o %t.1.ll
; RUN: %opt -S %s | diff %t.1.ll -
define i32 @f(ptr %p) {
  %v = load i32, ptr %p
  ret i32 %v
}

!llvm.module.flags = !{!0, !1}
!0 = !{i32 1, !"MemProfProfileFilename", !"memprof.profraw"}
!1 = !{i32 2, !"MemProfInstrumented", i32 1}
