; Options that cannot be used together are an error, in one sentence.
; DEFINE: %{run} = not %opt -load-pass-plugin=%plugin -passes=memprof-instrument -disable-output %s
; RUN: %{run} -memprof-histogram-cell-bits=16 2>&1 | FileCheck %s --check-prefix=BITS
; RUN: %{run} -memprof-mapping-granularity=48 2>&1 | FileCheck %s --check-prefix=GRANULE
; RUN: %{run} -memprof-mapping-scale=64 2>&1 | FileCheck %s --check-prefix=SCALE
; RUN: %{run} -memprof-histogram -memprof-mapping-granularity=32 2>&1 | FileCheck %s --check-prefix=HISTOGRAM
; RUN: %{run} -memprof-histogram -memprof-atomic 2>&1 | FileCheck %s --check-prefix=ATOMIC
; RUN: %{run} -memprof-use-callbacks -memprof-atomic 2>&1 | FileCheck %s --check-prefix=ATOMIC
; RUN: %{run} -memprof-merge=all 2>&1 | FileCheck %s --check-prefix=MERGE
; MERGE: error: memprof: -memprof-merge must be none, block or region
; BITS: error: memprof: -memprof-histogram-cell-bits must be 8 or 32
; GRANULE: error: memprof: -memprof-mapping-granularity must be a power of two
; SCALE: error: memprof: -memprof-mapping-scale must lie between 0 and 63
; HISTOGRAM: error: memprof: -memprof-histogram works with the default -memprof-mapping-granularity only
; ATOMIC: error: memprof: -memprof-atomic cannot be combined with -memprof-histogram or -memprof-use-callbacks
define void @f() {
  ret void
}
