; Options that cannot be combined give an error in one sentence.
; DEFINE: %{run} = not %opt -load-pass-plugin=%plugin -passes=memprof-instrument -disable-output %s
; RUN: %{run} -memprof-histogram-cell-bits=16 2>&1 | FileCheck %s --check-prefix=BITS
; RUN: %{run} -memprof-mapping-granularity=48 2>&1 | FileCheck %s --check-prefix=GRANULE
; RUN: %{run} -memprof-mapping-scale=64 2>&1 | FileCheck %s --check-prefix=SCALE
; RUN: %{run} -memprof-histogram -memprof-mapping-granularity=32 2>&1 | FileCheck %s --check-prefix=HISTOGRAM
; RUN: %{run} -memprof-histogram -memprof-atomic 2>&1 | FileCheck %s --check-prefix=ATOMIC
; RUN: %{run} -memprof-use-callbacks -memprof-atomic 2>&1 | FileCheck %s --check-prefix=ATOMIC
; RUN: %{run} -memprof-merge=all 2>&1 | FileCheck %s --check-prefix=MERGE
; RUN: %{run} -memprof-access=all 2>&1 | FileCheck %s --check-prefix=ACCESS
; RUN: %{run} -memprof-access=rw -memprof-histogram 2>&1 | FileCheck %s --check-prefix=RW
; RUN: %{run} -memprof-access=rw-bytes -memprof-use-callbacks 2>&1 | FileCheck %s --check-prefix=RW
; RUN: %{run} -memprof-access=rw -memprof-instrument-reads=0 2>&1 | FileCheck %s --check-prefix=RW-ALL
; RUN: %{run} -memprof-access=rw -memprof-mapping-scale=2 2>&1 | FileCheck %s --check-prefix=RW-MAP
; RUN: %{run} -memprof-access=fields -memprof-atomic 2>&1 | FileCheck %s --check-prefix=FIELDS
; RUN: %{run} -memprof-access=fields -memprof-use-callbacks 2>&1 | FileCheck %s --check-prefix=FIELDS
; ACCESS: error: memprof: -memprof-access must be total, fields, rw, rw-bytes, threads or none
; RUN: %{run} -memprof-access=threads -memprof-atomic 2>&1 | FileCheck %s --check-prefix=THREADS
; RUN: %{run} -memprof-access=threads -memprof-versions=2 2>&1 | FileCheck %s --check-prefix=THREADS
; THREADS: error: memprof: -memprof-access=threads cannot be combined with -memprof-histogram, -memprof-atomic, -memprof-use-callbacks, -memprof-versions=2, -memprof-instrument-reads=0, -writes=0 or -atomics=0
; FIELDS: error: memprof: -memprof-access=fields cannot be combined with -memprof-atomic or -memprof-use-callbacks
; RW: error: memprof: -memprof-access=rw cannot be combined with -memprof-histogram or -memprof-use-callbacks
; RW-ALL: error: memprof: -memprof-access=rw counts all accesses, so it cannot be combined with -memprof-instrument-reads=0, -writes=0 or -atomics=0
; RW-MAP: error: memprof: -memprof-access=rw works only with the default -memprof-mapping-granularity and -memprof-mapping-scale
; MERGE: error: memprof: -memprof-merge must be none, block or region
; BITS: error: memprof: -memprof-histogram-cell-bits must be 8 or 32
; GRANULE: error: memprof: -memprof-mapping-granularity must be a power of two
; SCALE: error: memprof: -memprof-mapping-scale must be between 0 and 63
; HISTOGRAM: error: memprof: -memprof-histogram works only with the default -memprof-mapping-granularity
; ATOMIC: error: memprof: -memprof-atomic cannot be combined with -memprof-histogram or -memprof-use-callbacks
define void @f() {
  ret void
}
