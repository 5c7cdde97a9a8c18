/* raw_llvm.h -- the layout of LLVM's raw MemProf profile, versions 3 to 5.
 *
 *   FILE     := DUMP+
 *   DUMP     := header SEGMENTS MIBS STACKS  (offsets are within the dump)
 *   SEGMENTS := u64 count, SEGMENT * count
 *   MIBS     := u64 count, (u64 stack id, MIB, HISTOGRAM) * count, pad to 8
 *   STACKS   := u64 count, (u64 stack id, u64 n, u64 pc * n) * count
 *   MIB      := the fields of MIBDef.inc with LLVM's tags, ascending, packed,
 *               with LLVM's widths; tags 1..25 in version 3, 1..27 later
 *   HISTOGRAM:= AccessHistogramSize cells: none in version 3, u64 in version 4,
 *               u16 codes (histcount.h) in version 5
 *   header :=
 *   OFFSET  SIZE  DESCRIPTION
 *        0     8  magic
 *        8     8  version
 *       16     8  size of the dump in bytes, a multiple of 8
 *       24     8  offset of SEGMENTS
 *       32     8  offset of MIBS
 *       40     8  offset of STACKS
 *   SEGMENT :=
 *        0     8  start address
 *        8     8  end address
 *       16     8  load address of the binary
 *       24     8  size of the build id
 *       32    32  build id, padded with zeros
 *
 * PCs are run-time return addresses - 1, leaf first.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/mib.h"

/* On disk 81 72 66 6f 72 70 6d ff. */
#define MPROF_RAW_LLVM_MAGIC UINT64_C(0xff6d70726f667281)
#define MPROF_RAW_LLVM_VERSION 5
#define MPROF_RAW_LLVM_VERSION_MIN 3

#define MPROF_RAW_LLVM_HEADER_BYTES 48
#define MPROF_RAW_LLVM_SEGMENT_BYTES 64
#define MPROF_RAW_LLVM_BUILD_ID_BYTES 32
#define MPROF_RAW_LLVM_ALIGN 8

/* Size of a packed MIB in version 3, and in versions 4 and 5. */
/* clang-format off */
enum {
    MPROF_RAW_LLVM_MIB_BYTES_V3 = 0
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    + ((tag) <= MPROF_MIB_LLVM_V3_TAG_MAX ? MPROF_MIB_WIDTH_##type : 0)
#include "shared/MIBDef.inc"
    ,
    MPROF_RAW_LLVM_MIB_BYTES = 0
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    + ((tag) <= MPROF_MIB_LLVM_TAG_MAX ? MPROF_MIB_WIDTH_##type : 0)
#include "shared/MIBDef.inc"
};
/* clang-format on */

_Static_assert(MPROF_RAW_LLVM_MIB_BYTES_V3 == 132 &&
                   MPROF_RAW_LLVM_MIB_BYTES == 144,
               "the sizes of LLVM's MemInfoBlock");
