; -memprof-access counts accesses; reads and writes apart; these and their bytes; or
; nothing.
; DEFINE: %{run} = %opt -load-pass-plugin=%plugin -passes=memprof-instrument -S %s
; RUN: %{run} -memprof-access=rw | FileCheck %s --check-prefixes=RW,WORDS --implicit-check-not=@__memprof_shadow_memory --implicit-check-not=@__memprof_rw_bytes
; RUN: %{run} -memprof-access=rw-bytes | FileCheck %s --check-prefixes=RW,BYTES --implicit-check-not=@__memprof_shadow_memory
; RUN: %{run} -memprof-access=total > %t.total && %{run} > %t.default && diff %t.total %t.default
; RUN: %{run} -memprof-access=none | FileCheck %s --check-prefix=NONE --implicit-check-not=shadow --implicit-check-not=@__memprof_mode
; RUN: %{run} -memprof-access=rw-bytes -memprof-atomic | FileCheck %s --check-prefix=ATOMIC
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; BYTES: @__memprof_rw_bytes_shadow_v1 = external dso_local global i64
; RW-LABEL: define i32 @load(
; RW: [[BASE:%.*]] = load i64, ptr @__memprof_rw_shadow_v1, align 8, !nosanitize
; RW: [[A:%.*]] = ptrtoint ptr %p to i64
; RW-NEXT: [[B:%.*]] = and i64 [[A]], -64
; RW-NEXT: [[C:%.*]] = lshr i64 [[B]], 2
; RW-NEXT: [[D:%.*]] = add i64 [[C]], [[BASE]]
; RW-NEXT: [[E:%.*]] = inttoptr i64 [[D]] to ptr
; RW-NEXT: [[F:%.*]] = load i64, ptr [[E]], align 8, !nosanitize
; RW-NEXT: [[G:%.*]] = add i64 [[F]], 1
; RW-NEXT: store i64 [[G]], ptr [[E]], align 8, !nosanitize
; BYTES-NEXT: [[D2:%.*]] = add i64 [[C]], {{%.*}}
; BYTES-NEXT: [[E2:%.*]] = inttoptr i64 [[D2]] to ptr
; BYTES-NEXT: [[F2:%.*]] = load i64, ptr [[E2]]
; BYTES-NEXT: [[G2:%.*]] = add i64 [[F2]], 4
; BYTES-NEXT: store i64 [[G2]], ptr [[E2]]
; RW-NEXT: %v = load i32, ptr %p
; NONE-LABEL: define i32 @load(
; NONE-NEXT: %v = load i32, ptr %p
; ATOMIC-LABEL: define i32 @load(
; ATOMIC: atomicrmw add ptr {{.*}}, i64 1 monotonic
; ATOMIC: atomicrmw add ptr {{.*}}, i64 4 monotonic
; ATOMIC-NEXT: %v = load i32, ptr %p
define i32 @load(ptr %p) {
  %v = load i32, ptr %p
  ret i32 %v
}

; The second counter of a granule.
; RW-LABEL: define void @store(
; RW: [[C:%.*]] = lshr
; RW: [[D:%.*]] = add i64 {{%.*}}, 8
; RW-NEXT: inttoptr i64 [[D]]
; WORDS: add i64 {{%.*}}, 1{{$}}
; BYTES: [[D2:%.*]] = add i64 {{%.*}}, 8{{$}}
; BYTES: add i64 {{%.*}}, 10{{$}}
; RW: store x86_fp80
define void @store(ptr %p, x86_fp80 %v) {
  store x86_fp80 %v, ptr %p
  ret void
}

; An instruction that reads and writes counts as both; as one access if they are not
; counted apart.
; RW-LABEL: define i32 @both(
; RW-COUNT-2: inttoptr
; RW: atomicrmw add ptr %p, i32 1 seq_cst
define i32 @both(ptr %p) {
  %v = atomicrmw add ptr %p, i32 1 seq_cst
  ret i32 %v
}

; Accesses of one object are counted together, reads and writes separately.
; RW-LABEL: define void @together(
; WORDS: add i64 {{%.*}}, 2{{$}}
; WORDS: add i64 {{%.*}}, 3{{$}}
; WORDS-NOT: inttoptr
; BYTES: add i64 {{%.*}}, 2{{$}}
; BYTES: add i64 {{%.*}}, 12{{$}}
; BYTES: add i64 {{%.*}}, 3{{$}}
; BYTES: add i64 {{%.*}}, 7{{$}}
; RW-LABEL: define void @copy(
define void @together(ptr %p) {
  %a = load i64, ptr %p
  %q = getelementptr i8, ptr %p, i64 8
  %b = load i32, ptr %q
  store i32 %b, ptr %p
  %r = getelementptr i8, ptr %p, i64 12
  store i16 1, ptr %r
  %s = getelementptr i8, ptr %p, i64 14
  store i8 1, ptr %s
  ret void
}

; Two started words, nine bytes.
; BYTES: add i64 {{%.*}}, 2{{$}}
; BYTES: add i64 {{%.*}}, 9{{$}}
; BYTES: add i64 {{%.*}}, 2{{$}}
; BYTES: add i64 {{%.*}}, 9{{$}}
define void @copy(ptr %to, ptr %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 9, i1 false)
  ret void
}

; NONE-LABEL: define void @long(
; NONE-NEXT: call void @llvm.memset
define void @long(ptr %to) {
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 1000, i1 false)
  ret void
}

; RW-LABEL: define internal void @memprof.mode_ctor.link_with_-fmemory-profile_and_no_other_sanitizer()
; WORDS: call void @__memprof_mode_v1(i32 256)
; BYTES: call void @__memprof_mode_v1(i32 512)
; NONE-LABEL: define internal void @memprof.mode_ctor.link_with_-fmemory-profile_and_no_other_sanitizer()
; NONE: call void @__memprof_uncounted_v1(i32 0)
