; With -memprof-access=fields a read counts where it begins, in the first of four
; counters of its 4 bytes, and in the second counter of each further 4 bytes that it
; touches. Writes count in the third and fourth.
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-access=fields -S %s | FileCheck %s
; RUN: not %clang -O1 -x ir -fpass-plugin=%plugin -fmemory-profile -mllvm -memprof-instrument -mllvm -memprof-access=fields %s -o %t 2>&1 | FileCheck %s --check-prefix=LINK
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
; CHECK-DAG: @__memprof_histogram = {{.*}}constant i1 true
; CHECK-DAG: @__memprof_rw_v1 = {{.*}}constant i32 4096
; LINK: undefined reference to `__memprof_fields_shadow_v1'

; 0xffffffffffc: 44 bits of the address, without the lowest two.
; CHECK-LABEL: @four(
; CHECK: %[[BASE:.*]] = load i64, ptr @__memprof_fields_shadow_v1
; CHECK: %[[MASKED:.*]] = and i64 %{{.*}}, 17592186044412
; CHECK: %[[OFFSET:.*]] = shl i64 %[[MASKED]], 2
; CHECK: %[[AT:.*]] = add i64 %[[OFFSET]], %[[BASE]]
; CHECK: %[[PTR:.*]] = inttoptr i64 %[[AT]] to ptr
; CHECK: %[[OLD:.*]] = load i32, ptr %[[PTR]]
; CHECK: icmp ne i32 %[[OLD]], -1
; CHECK: store i32
; CHECK-NOT: store i32
; CHECK: %x = load i32
define i32 @four(ptr %p) {
  %x = load i32, ptr %p, align 4
  ret i32 %x
}

; The second counter of the next 4 bytes is 20 bytes behind the first.
; CHECK-LABEL: @eight(
; CHECK: store i32
; CHECK: add i64 %{{.*}}, 20
; CHECK: store i32
; CHECK-NOT: store i32
; CHECK: %x = load i64
define i64 @eight(ptr %p) {
  %x = load i64, ptr %p, align 4
  ret i64 %x
}

; The third is 8 bytes behind the first, the fourth of the next 4 bytes 28.
; CHECK-LABEL: @write(
; CHECK: add i64 %{{.*}}, 8
; CHECK: store i32
; CHECK: add i64 %{{.*}}, 28
; CHECK: store i32
; CHECK-NOT: store i32
; CHECK: store i64 %x
define void @write(ptr %p, i64 %x) {
  store i64 %x, ptr %p, align 4
  ret void
}

; 2 bytes are in the next 4, too, if the address says so.
; CHECK-LABEL: @unaligned(
; CHECK: store i32
; CHECK: %[[LOW:.*]] = and i64 %{{.*}}, 3{{$}}
; CHECK: icmp ugt i64 %[[LOW]], 2
; CHECK: select i1 %{{.*}}, i32 1, i32 0
; CHECK: store i32
; CHECK-NOT: store i32
; CHECK: %x = load i16
define i16 @unaligned(ptr %p) {
  %x = load i16, ptr %p, align 1
  ret i16 %x
}

; The lanes of a masked access are as aligned as the access.
; CHECK-LABEL: @lanes(
; CHECK: store i32
; CHECK: icmp ugt i64 %{{.*}}, 0
; CHECK: store i32
; CHECK: store i32
; CHECK: icmp ugt i64 %{{.*}}, 0
; CHECK: store i32
; CHECK-NOT: store i32
; CHECK: call void @llvm.masked.store
; CHECK: store i32
; CHECK: store i32
; CHECK-NOT: icmp ugt
; CHECK: call void @llvm.masked.store
define void @lanes(ptr %p, <2 x i32> %x) {
  call void @llvm.masked.store.v2i32.p0(<2 x i32> %x, ptr %p, i32 1, <2 x i1> <i1 true, i1 true>)
  call void @llvm.masked.store.v2i32.p0(<2 x i32> %x, ptr %p, i32 4, <2 x i1> <i1 true, i1 true>)
  ret void
}

; CHECK-LABEL: @lanes_read(
; CHECK: icmp ugt i64 %{{.*}}, 0
; CHECK: call <1 x i32> @llvm.masked.load
define <1 x i32> @lanes_read(ptr %p) {
  %x = call <1 x i32> @llvm.masked.load.v1i32.p0(ptr %p, i32 2, <1 x i1> <i1 true>, <1 x i32> zeroinitializer)
  ret <1 x i32> %x
}

; An access that does both counts as a write and as a read.
; CHECK-LABEL: @both(
; CHECK: icmp ugt i64 %{{.*}}, 0
; CHECK: icmp ugt i64 %{{.*}}, 0
; CHECK-NOT: icmp ugt
; CHECK: %x = atomicrmw
; CHECK: icmp ugt i64 %{{.*}}, 0
; CHECK: icmp ugt i64 %{{.*}}, 0
; CHECK: %y = cmpxchg
define void @both(ptr %p) {
  %x = atomicrmw add ptr %p, i32 1 monotonic, align 2
  %y = cmpxchg ptr %p, i32 0, i32 1 monotonic monotonic, align 2
  ret void
}

declare void @llvm.masked.store.v2i32.p0(<2 x i32>, ptr, i32, <2 x i1>)
declare <1 x i32> @llvm.masked.load.v1i32.p0(ptr, i32, <1 x i1>, <1 x i32>)

; Of a wide access the 2,047 others are added in a loop.
; CHECK-LABEL: @wide(
; CHECK: store i32
; CHECK: phi i64 [ 0,
; CHECK: mul i64 %{{.*}}, 16
; CHECK: add i64 %{{.*}}, 20
; CHECK: store i32
; CHECK: icmp eq i64 %{{.*}}, 2047
; CHECK-NOT: store i32
; CHECK: %x = load <2048 x i32>
define <2048 x i32> @wide(ptr %p) {
  %x = load <2048 x i32>, ptr %p, align 8192
  ret <2048 x i32> %x
}
