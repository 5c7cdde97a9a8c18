; Inline assembly and intrinsics: memory operands count, and the runtime is told of
; other blocks that they may access.
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -memprof-context-values=false -S %s | FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -memprof-context-values=false -memprof-use-callbacks -S %s | FileCheck %s --check-prefix=CALLS
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -memprof-context-values=false -memprof-access=rw -S %s | FileCheck %s --check-prefix=RW
; RUN: %opt -load-pass-plugin=%plugin -passes='memprof-instrument,verify' -memprof-context-values=false -memprof-access=none -S %s | FileCheck %s --check-prefix=NONE
; NONE-NOT: __memprof_unseen_v1
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CALLS-LABEL: define void @operands(
; CALLS-NEXT: ptrtoint ptr %w
; CALLS-NEXT: call void @__memprof_store(
; CALLS-NEXT: ptrtoint ptr %b
; CALLS-NEXT: call void @__memprof_store(
; CALLS-NEXT: ptrtoint ptr %r
; CALLS-NEXT: call void @__memprof_load(
; CALLS-NEXT: call void asm
define void @operands(ptr %w, ptr %b, ptr %r) {
  call void asm sideeffect "some $0 $1 $2", "=*m,=*m,*m,*m"(ptr elementtype(i64) %w, ptr elementtype(i32) %b, ptr elementtype(i32) %b, ptr elementtype(i16) %r)
  ret void
}

; Counted with other accesses to the block.
; CHECK-LABEL: define i64 @merged(
; CHECK: add i64 {{.*}}, 2
; CHECK-NOT: __memprof
; CHECK: ret i64
define i64 @merged(ptr %p) {
  %v = load i64, ptr %p
  call void asm "lock; incq $0", "=*m,*m"(ptr elementtype(i64) %p, ptr elementtype(i64) %p)
  ret i64 %v
}

; CHECK-LABEL: define void @registers(
; CHECK: [[HAS:%.*]] = icmp ne ptr @__memprof_unseen_v1, null
; CHECK-NEXT: br i1 [[HAS]], label %[[TELL:.*]], label %[[ON:.*]]
; CHECK: [[TELL]]:
; CHECK-NEXT: call void @__memprof_unseen_v1(ptr %p)
; CHECK-NEXT: br label %[[ON]]
; CHECK: [[ON]]:
; CHECK: call void @__memprof_unseen_v1(ptr %q)
; CHECK-NOT: __memprof
; CHECK: ret void
define void @registers(ptr %p, ptr %q, i64 %n) {
  %end = getelementptr i8, ptr %p, i64 %n
  %number = ptrtoint ptr %q to i64
  call void asm sideeffect "rep movsb", "r,r,r,r"(ptr %end, ptr %p, i64 %number, i64 %n)
  call void asm sideeffect "again", "r"(ptr %p)
  ret void
}

; Assembly that does not say what it accesses may access whatever any operand points
; to; not if it has memory operands.
; CHECK-LABEL: define void @numbers(
; CHECK: inttoptr i64 %n to ptr
; CHECK-NEXT: call void @__memprof_unseen_v1(
; CHECK-NOT: unseen
; CHECK: ret void
define void @numbers(ptr %p, i64 %n, i64 %m, i32 %i) {
  call void asm sideeffect "syscall", "{ax},r,r,~{memory}"(i64 3, i64 %n, i32 %i)
  call void asm sideeffect "lock; xaddq $1, $0", "=*m,r,*m,~{memory}"(ptr elementtype(i64) %p, i64 %m, ptr elementtype(i64) %p)
  ret void
}

; The pointers that a memory operand holds, if the assembly has a memory clobber and does not write the
; operand.
; CHECK-LABEL: define void @in_memory(
; CHECK: [[IN:%.*]] = load ptr, ptr %in
; CHECK-NEXT: call void @__memprof_unseen_v1(ptr [[IN]])
; CHECK: [[GLOBAL:%.*]] = load ptr, ptr @kept
; CHECK-NEXT: call void @__memprof_unseen_v1(ptr [[GLOBAL]])
; CHECK: [[FIRST:%.*]] = load ptr, ptr %job
; CHECK-NEXT: call void @__memprof_unseen_v1(ptr [[FIRST]])
; CHECK: [[AT:%.*]] = getelementptr i8, ptr %task, i64 16
; CHECK: [[BEHIND:%.*]] = getelementptr i8, ptr %task, i64 32
; CHECK: [[SECOND:%.*]] = load ptr, ptr [[AT]]
; CHECK-NEXT: call void @__memprof_unseen_v1(ptr [[SECOND]])
; CHECK: [[THIRD:%.*]] = load ptr, ptr [[BEHIND]]
; CHECK-NEXT: call void @__memprof_unseen_v1(ptr [[THIRD]])
; CHECK-NOT: unseen
; CHECK: ret void
define void @in_memory(ptr %p, ptr %job, ptr %task) {
  %in = alloca ptr
  store ptr %p, ptr %in
  call void asm sideeffect "some $0", "*m,~{memory}"(ptr elementtype(ptr) %in)
  call void asm sideeffect "some $0", "*m,~{memory}"(ptr elementtype(ptr) @kept)
  call void asm sideeffect "some $0", "*m,~{memory}"(ptr elementtype({ptr, i64}) %job)
  call void asm sideeffect "some $0", "*m,~{memory}"(ptr elementtype({i64, [2 x {i64, ptr}]}) %task)
  call void asm sideeffect "some $0", "*m"(ptr elementtype(ptr) %in)
  call void asm sideeffect "some $0", "=*m,*m,~{memory}"(ptr elementtype(ptr) %in, ptr elementtype(ptr) %in)
  ret void
}
@kept = global ptr null

; Copies between the heap and a segment.
; CHECK-LABEL: define void @segment(
; CHECK: call void @__memprof_unseen_v1(ptr %to)
; CHECK: call void @__memprof_unseen_v1(ptr %from)
; CHECK-NOT: unseen
; CHECK: ret void
define void @segment(ptr %to, ptr %from, ptr addrspace(256) %gs) {
  call void @llvm.memcpy.p0.p256.i64(ptr %to, ptr addrspace(256) %gs, i64 24, i1 false)
  call void @llvm.memmove.p256.p0.i64(ptr addrspace(256) %gs, ptr %from, i64 24, i1 false)
  ret void
}

; A list of arguments in a heap block.
; CHECK-LABEL: define void @arguments(
; CHECK: call void @__memprof_unseen_v1(ptr %list)
; CHECK: call void @llvm.va_start
; CHECK-NOT: unseen
; CHECK: ret void
define void @arguments(ptr %list, ...) {
  %local = alloca [24 x i8]
  call void @llvm.va_start.p0(ptr %list)
  call void @llvm.va_start.p0(ptr %local)
  ret void
}
declare void @llvm.va_start.p0(ptr)

; Empty, pure, or with pointers to no block: no call.
; CHECK-LABEL: define void @nothing(
; CHECK-NOT: __memprof
; CHECK: ret void
define void @nothing(ptr %p, ptr %q) {
  %local = alloca i64
  call void asm sideeffect "", "r,~{memory}"(ptr %p)
  call void asm sideeffect "# kept", "r,~{memory}"(ptr %p)
  call void asm sideeffect " \0A", "=*m,*m,~{memory}"(ptr elementtype(i64) %p, ptr elementtype(i64) %p)
  %n = call i64 asm "bsr $1, $0", "=r,r"(ptr %p) memory(none)
  call void asm sideeffect "mfence", "~{memory}"()
  call void asm sideeffect "some $0", "r,i,~{memory}"(ptr %local, ptr @global)
  call void @llvm.x86.sse2.clflush(ptr %p)
  call void @llvm.prefetch.p0(ptr %p, i32 0, i32 3, i32 1)
  ret void
}
@global = global i64 0

; CHECK-LABEL: define i64 @jumps(
; CHECK: call void @__memprof_unseen_v1(ptr %q)
; CHECK: add i64 {{.*}}, 1
; CHECK: callbr void asm
; CHECK: add i64 {{.*}}, 1
; CHECK-NOT: unseen
define i64 @jumps(ptr %p, ptr %q) {
  callbr void asm sideeffect "lock; decq $0; js ${2:l}", "*m,r,!i,~{memory}"(ptr elementtype(i64) %p, ptr %q) to label %on [label %negative]
on:
  %v = load i64, ptr %p
  ret i64 %v
negative:
  ret i64 0
}

; Reads and writes apart.
; RW-LABEL: define void @both(
; RW: add i64 %{{.*}}, 1
; RW: add i64 %{{.*}}, 1
; RW: ret void
define void @both(ptr %p) {
  call void asm "lock; incq $0", "=*m,*m"(ptr elementtype(i64) %p, ptr elementtype(i64) %p)
  ret void
}

; CHECK-LABEL: define <8 x i32> @vectors(
; CHECK: call void @__memprof_unseen_v1(ptr %table)
; CHECK: call <8 x i32> @llvm.x86.avx2.gather.d.d.256
; CHECK: call void @__memprof_unseen_v1(ptr %p)
; CHECK: call <16 x i8> @llvm.x86.sse3.ldu.dq(
; CHECK: call void @__memprof_unseen_v1(ptr %q)
; CHECK: call void @llvm.x86.sse2.maskmov.dqu(
; CHECK-NOT: unseen
; CHECK: ret <8 x i32>
define <8 x i32> @vectors(ptr %table, ptr %p, ptr %q, <8 x i32> %i, <16 x i8> %m) {
  %base = getelementptr i8, ptr %table, i64 -4
  %g = call <8 x i32> @llvm.x86.avx2.gather.d.d.256(<8 x i32> undef, ptr %base, <8 x i32> %i, <8 x i32> %i, i8 4)
  %l = call <16 x i8> @llvm.x86.sse3.ldu.dq(ptr %p)
  call void @llvm.x86.sse2.maskmov.dqu(<16 x i8> %l, <16 x i8> %m, ptr %q)
  ret <8 x i32> %g
}

; Without a base, the lanes are addresses.
; CHECK-LABEL: define <2 x i64> @lanes(
; CHECK: [[A:%.*]] = extractelement <2 x i64> %a, i64 0
; CHECK: [[P:%.*]] = inttoptr i64 [[A]] to ptr
; CHECK: call void @__memprof_unseen_v1(ptr [[P]])
; CHECK: extractelement <2 x i64> %a, i64 1
; CHECK: call void @__memprof_unseen_v1(
; CHECK: call <2 x i64> @llvm.x86.avx2.gather.q.q(
; CHECK: extractelement <8 x i64> %b, i64 7
; CHECK: call void @__memprof_unseen_v1(
; CHECK: call void @llvm.x86.avx512.mask.scatter.qpq.512(
define <2 x i64> @lanes(<2 x i64> %a, <2 x i64> %m, <8 x i64> %b, <8 x i1> %k) {
  %g = call <2 x i64> @llvm.x86.avx2.gather.q.q(<2 x i64> %m, ptr null, <2 x i64> %a, <2 x i64> %m, i8 1)
  call void @llvm.x86.avx512.mask.scatter.qpq.512(ptr null, <8 x i1> %k, <8 x i64> %b, <8 x i64> %b, i32 1)
  ret <2 x i64> %g
}

; Functions that resolvers of indirect functions call do not change.
; CHECK-LABEL: define internal ptr @resolve(
; CHECK-NOT: unseen
; CHECK: ret ptr
@indirect = ifunc i64 (ptr, ptr), ptr @resolve
define internal ptr @resolve(ptr %features) {
  call void asm sideeffect "cpuid", "r,~{memory}"(ptr %features)
  ret ptr @jumps
}

declare void @llvm.x86.sse2.clflush(ptr)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare <2 x i64> @llvm.x86.avx2.gather.q.q(<2 x i64>, ptr, <2 x i64>, <2 x i64>, i8)
declare void @llvm.x86.avx512.mask.scatter.qpq.512(ptr, <8 x i1>, <8 x i64>, <8 x i64>, i32)
declare <8 x i32> @llvm.x86.avx2.gather.d.d.256(<8 x i32>, ptr, <8 x i32>, <8 x i32>, i8)
declare <16 x i8> @llvm.x86.sse3.ldu.dq(ptr)
declare void @llvm.x86.sse2.maskmov.dqu(<16 x i8>, <16 x i8>, ptr)

; Without optimization, blocks that the C++ library may access.
declare i64 @_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4sizeEv(ptr)
declare i64 @_ZN4mine4sizeEv(ptr)
; CHECK-LABEL: define i64 @unoptimized(
; CHECK: call void @__memprof_unseen_v1(ptr %s)
; CHECK-NOT: unseen
; CHECK: ret i64
define i64 @unoptimized(ptr %s, ptr %t) noinline optnone {
  %n = call i64 @_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4sizeEv(ptr %s)
  %m = call i64 @_ZN4mine4sizeEv(ptr %t)
  ret i64 %n
}
; CHECK-LABEL: define i64 @optimized(
; CHECK-NOT: unseen
; CHECK: ret i64
define i64 @optimized(ptr %s) {
  %n = call i64 @_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4sizeEv(ptr %s)
  ret i64 %n
}

; Objects of classes of which all members may be compiled in the library.
declare void @_ZNSt6localeC1ERKS_(ptr, ptr)
declare ptr @_ZNSo5flushEv(ptr)
declare void @_ZNSt8__detail15_List_node_base7_M_hookEPS0_(ptr, ptr)
; CHECK-LABEL: define void @objects(
; CHECK: call void @__memprof_unseen_v1(ptr %l)
; CHECK: call void @__memprof_unseen_v1(ptr %o)
; CHECK-NOT: unseen
; CHECK: ret void
define void @objects(ptr %l, ptr %from, ptr %o, ptr %node) {
  call void @_ZNSt6localeC1ERKS_(ptr %l, ptr %from)
  %same = call ptr @_ZNSo5flushEv(ptr %o)
  call void @_ZNSt8__detail15_List_node_base7_M_hookEPS0_(ptr %node, ptr %from)
  ret void
}

; Characters that a member of std::string reads one by one.
declare i64 @_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5rfindEcm(ptr, i8, i64)
declare i64 @_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4findEcm(ptr, i8, i64)
; CHECK-LABEL: define i64 @searches(
; CHECK-NOT: unseen
; CHECK: 4findEcm(
; CHECK: [[AT:%.*]] = load ptr, ptr %s
; CHECK-NEXT: call void @__memprof_unseen_v1(ptr [[AT]])
; CHECK: 5rfindEcm(
define i64 @searches(ptr %s) {
  %found = call i64 @_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4findEcm(ptr %s, i8 0, i64 7)
  %last = call i64 @_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5rfindEcm(ptr %s, i8 0, i64 %found)
  ret i64 %last
}

; Where writes are counted apart, characters that libstdc++ changes.
declare void @_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6resizeEmc(ptr, i64, i8)
declare void @_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1ERKS4_(ptr, ptr)
; CHECK-LABEL: define void @changes(
; CHECK-NOT: unseen
; CHECK: ret void
; CHECK: declare extern_weak void @__memprof_unseen_v1(ptr)
; RW-LABEL: define void @changes(
; RW-NOT: unseen
; RW: call void @_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1ERKS4_(
; RW: [[AT:%.*]] = load ptr, ptr %s
; RW-NEXT: call void @__memprof_unseen_v1(ptr [[AT]])
; RW: call void @_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6resizeEmc(
define void @changes(ptr %s, ptr %from) {
  call void @_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1ERKS4_(ptr %s, ptr %from)
  call void @_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6resizeEmc(ptr %s, i64 3, i8 0)
  ret void
}
