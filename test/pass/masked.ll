; A masked access counts one per selected lane. (The intrinsics have LLVM 22's
; arguments.)
; REQUIRES: llvm-22
; RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -memprof-use-callbacks -S %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

; Constant masks: no branch; undefined lanes count.
; CHECK-LABEL: define void @known(
; CHECK-NEXT: [[A:%.*]] = getelementptr <4 x float>, ptr %p, i64 0, i64 0
; CHECK-NEXT: [[B:%.*]] = ptrtoint ptr [[A]] to i64
; CHECK-NEXT: call void @__memprof_store(i64 [[B]])
; CHECK-NEXT: [[C:%.*]] = getelementptr <4 x float>, ptr %p, i64 0, i64 2
; CHECK-NEXT: [[D:%.*]] = ptrtoint ptr [[C]] to i64
; CHECK-NEXT: call void @__memprof_store(i64 [[D]])
; CHECK-NEXT: [[E:%.*]] = getelementptr <4 x float>, ptr %p, i64 0, i64 3
; CHECK-NEXT: [[F:%.*]] = ptrtoint ptr [[E]] to i64
; CHECK-NEXT: call void @__memprof_store(i64 [[F]])
; CHECK-NEXT: call void @llvm.masked.store
; CHECK-NEXT: call void @llvm.masked.store{{.*}}zeroinitializer
; CHECK-NEXT: ret void
define void @known(ptr %p, <4 x float> %v) {
  call void @llvm.masked.store.v4f32.p0(<4 x float> %v, ptr align 4 %p, <4 x i1> <i1 true, i1 false, i1 true, i1 undef>)
  call void @llvm.masked.store.v4f32.p0(<4 x float> %v, ptr align 4 %p, <4 x i1> zeroinitializer)
  ret void
}

; Masks known at run time: one branch per lane.
; CHECK-LABEL: define <2 x i64> @unknown(
; CHECK-NEXT: [[A:%.*]] = extractelement <2 x i1> %m, i64 0
; CHECK-NEXT: br i1 [[A]], label %[[THEN:.*]], label %[[AFTER:.*]]
; CHECK: [[THEN]]:
; CHECK-NEXT: [[B:%.*]] = getelementptr <2 x i64>, ptr %p, i64 0, i64 0
; CHECK-NEXT: [[C:%.*]] = ptrtoint ptr [[B]] to i64
; CHECK-NEXT: call void @__memprof_load(i64 [[C]])
; CHECK-NEXT: br label %[[AFTER]]
; CHECK: [[AFTER]]:
; CHECK-NEXT: extractelement <2 x i1> %m, i64 1
; CHECK-NEXT: br i1
; CHECK: call void @__memprof_load(
; CHECK: call <2 x i64> @llvm.masked.load
define <2 x i64> @unknown(ptr %p, <2 x i1> %m) {
  %v = call <2 x i64> @llvm.masked.load.v2i64.p0(ptr align 8 %p, <2 x i1> %m, <2 x i64> undef)
  ret <2 x i64> %v
}

; Lanes that cannot be counted one by one, gathers, scatters, and compressing
; instructions: the runtime is told of the block.
; CHECK-LABEL: define <vscale x 2 x i64> @scalable(
; CHECK-NOT: @__memprof_load
; CHECK: call void @__memprof_unseen_v1(ptr %p)
; CHECK: ret
define <vscale x 2 x i64> @scalable(ptr %p, <vscale x 2 x i1> %m) {
  %v = call <vscale x 2 x i64> @llvm.masked.load.nxv2i64.p0(ptr align 8 %p, <vscale x 2 x i1> %m, <vscale x 2 x i64> undef)
  ret <vscale x 2 x i64> %v
}

; CHECK-LABEL: define void @indexed(
; CHECK: call void @__memprof_unseen_v1(ptr %p)
; CHECK: call <2 x i64> @llvm.masked.gather
; CHECK-NOT: __memprof_
; CHECK: ret
define void @indexed(ptr %p, <2 x i64> %i, <2 x i1> %m) {
  %a = getelementptr i64, ptr %p, <2 x i64> %i
  %v = call <2 x i64> @llvm.masked.gather.v2i64.v2p0(<2 x ptr> align 8 %a, <2 x i1> %m, <2 x i64> undef)
  call void @llvm.masked.scatter.v2i64.v2p0(<2 x i64> %v, <2 x ptr> align 8 %a, <2 x i1> %m)
  ret void
}

; CHECK-LABEL: define <2 x i64> @gather(
; CHECK: [[A:%.*]] = extractelement <2 x ptr> %p, i64 0
; CHECK-NEXT: call void @__memprof_unseen_v1(ptr [[A]])
; CHECK-NEXT: [[B:%.*]] = extractelement <2 x ptr> %p, i64 1
; CHECK-NEXT: call void @__memprof_unseen_v1(ptr [[B]])
; CHECK-NOT: __memprof_
; CHECK: ret
define <2 x i64> @gather(<2 x ptr> %p, <2 x i1> %m) {
  %v = call <2 x i64> @llvm.masked.gather.v2i64.v2p0(<2 x ptr> align 8 %p, <2 x i1> %m, <2 x i64> undef)
  ret <2 x i64> %v
}

; CHECK-LABEL: define void @packed(
; CHECK: call void @__memprof_unseen_v1(ptr %p)
; CHECK: call <2 x i64> @llvm.masked.expandload
; CHECK: call void @__memprof_unseen_v1(ptr %q)
; CHECK: call void @llvm.masked.compressstore
define void @packed(ptr %p, ptr %q, <2 x i1> %m) {
  %v = call <2 x i64> @llvm.masked.expandload.v2i64(ptr %p, <2 x i1> %m, <2 x i64> undef)
  call void @llvm.masked.compressstore.v2i64(<2 x i64> %v, ptr %q, <2 x i1> %m)
  ret void
}
