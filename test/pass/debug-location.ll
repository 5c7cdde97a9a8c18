; Inserted instructions have the location of the access, or line 0 if it has none: the
; verifier demands a location on calls of functions with debug information.
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -memprof-use-callbacks -S %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

define void @__memprof_load(i64 %p) !dbg !5 {
  ret void, !dbg !6
}
; CHECK-LABEL: define i32 @f(
; CHECK: call void @__memprof_load({{.*}}), !dbg [[ZERO:![0-9]+]]
; CHECK: call void @__memprof_load({{.*}}), !dbg [[SEVEN:![0-9]+]]
; CHECK-DAG: [[ZERO]] = !DILocation(line: 0, scope:
; CHECK-DAG: [[SEVEN]] = !DILocation(line: 7, column: 3, scope:
define i32 @f(ptr %p) !dbg !7 {
  %v = load i32, ptr %p
  %w = load i32, ptr %p, !dbg !8
  ret i32 %w, !dbg !8
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "a.c", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !{})
!5 = distinct !DISubprogram(name: "__memprof_load", file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DILocation(line: 1, scope: !5)
!7 = distinct !DISubprogram(name: "f", file: !1, line: 5, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!8 = !DILocation(line: 7, column: 3, scope: !7)
