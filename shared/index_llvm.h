/* index_llvm.h -- the layout of LLVM's indexed profile, as far as a memory
 * profile needs it.
 *
 *   FILE   := header, summary, instr hash table, memprof section, binary ids,
 *             vtable names [, temporal traces]
 *   header := (offsets count from the start of the file)
 *   OFFSET  SIZE  DESCRIPTION
 *        0     8  magic
 *        8     8  version in the low bits, variant bits on top
 *       16     8  0
 *       24     8  hash type: 0, MD5
 *       32     8  offset of the instr hash table's bucket count
 *       40     8  offset of the memprof section       (from version 8)
 *       48     8  offset of the binary ids            (from version 9)
 *       56     8  offset of the temporal profile      (from version 10)
 *       64     8  offset of the vtable names          (from version 12)
 *
 *   MEMPROF (version 3) :=
 *        0     8  version of the section
 *        8     8  offset of the call stack array
 *       16     8  offset of the record payload
 *       24     8  offset of the record hash table (its bucket count)
 *       32        schema: u64 n, u64 field tag * n
 *                 frames, 17 bytes each: u64 GUID, u32 line offset, u32 column,
 *                 u8 is-inline
 *                 call stack array: u32 elements (radix tree)
 *                 record hash table: key u64 GUID, data:
 *                   u64 n, {u32 call stack id, MIB by schema} * n,
 *                   u64 m, {u32 call stack id} * m
 *   version 2 has frames and call stacks in hash tables:
 *        0     8  version of the section
 *        8     8  offset of the record hash table
 *       16     8  offset of the frame payload
 *       24     8  offset of the frame hash table: key u64 frame id, data: 17
 *                 bytes
 *       32     8  offset of the call stack payload
 *       40     8  offset of the call stack hash table: key u64 call stack id,
 *                 data: u64 frame ids, leaf first; items have no key length
 *       48        schema, then the three tables; records refer to call stacks
 *                 by u64 ids. Ids are arbitrary (LLVM uses content hashes)
 *   version 4 adds, before the schema:
 *       32     8  offset of the data access profile, or 0
 *       40        u32 n, u64 * n: the summary
 *                 call sites are {u32 call stack id, u64 k, u64 GUID * k}
 *
 *   INSTR HASH TABLE := key: function's name, data for each hash of its CFG:
 *                   u64 hash, u64 n, u64 counter * n,
 *                   u64 m, u64 byte of the bitmap * m   (from version 11)
 *                   u32 bytes of the value data from here on, u32 kinds,
 *                   {u32 kind, u32 sites, u8 values * sites, pad to 8,
 *                    {u64 value, u64 count} * values of all sites} * kinds
 *   SUMMARY    := u64 n, u64 cutoffs, u64 field * n,
 *                 {u64 cutoff, u64 smallest count, u64 counts} * cutoffs; a
 *                 second one follows with MPROF_INDEX_VARIANT_CSIR
 *   TEMPORAL   := u64 n, u64 stream size, {u64 weight, u64 m, u64 GUID * m} * n
 *
 *   HASH TABLE := per bucket: u16 n, {u64 hash, u64 key bytes, u64 data bytes,
 *                 key, data} * n; pad to 8; u64 buckets, u64 entries,
 *                 u64 bucket offset * buckets
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/cursor.h"

/* On disk ff 6c 70 72 6f 66 69 81. */
#define MPROF_INDEX_MAGIC UINT64_C(0x8169666f72706cff)

/* MAX: the highest version that LLVM 22 reads. VERSION: the version that we
 * write, which LLVM 19 reads too. *_MIN: the first version with that part. */
#define MPROF_INDEX_VERSION_MAX 13
#define MPROF_INDEX_VERSION 12
#define MPROF_INDEX_VERSION_MEMPROF_MIN 8
#define MPROF_INDEX_VERSION_BINARY_IDS_MIN 9
#define MPROF_INDEX_VERSION_TEMPORAL_MIN 10
#define MPROF_INDEX_VERSION_BITMAP_MIN 11
#define MPROF_INDEX_VERSION_VTABLES_MIN 12

/* Variant bits of the version word that we use
 * (llvm/ProfileData/InstrProf.h). */
#define MPROF_INDEX_VARIANT_MASK UINT64_C(0xffffffff00000000)
#define MPROF_INDEX_VARIANT_TEMPORAL (UINT64_C(1) << 63)
#define MPROF_INDEX_VARIANT_MEMPROF (UINT64_C(1) << 62)
#define MPROF_INDEX_VARIANT_ENTRY_FIRST (UINT64_C(1) << 58)
#define MPROF_INDEX_VARIANT_CSIR (UINT64_C(1) << 57)
#define MPROF_INDEX_VARIANT_IR (UINT64_C(1) << 56)
#define MPROF_INDEX_VARIANT_LOOP_ENTRIES (UINT64_C(1) << 55)

#define MPROF_INDEX_HASH_MD5 0
#define MPROF_INDEX_HEADER_WORDS 9 /* of version 12 and later */
#define MPROF_INDEX_HEADER_VERSION_OFF 8
/* A header word that LLVM's readers skip and LLVM's writers leave 0. In our
 * files it holds the size of LLVM's part. If a file is cut at its end, this
 * number shows that the file was not a plain LLVM profile. */
#define MPROF_INDEX_HEADER_UNUSED_OFF 16

#define MPROF_INDEX_SUMMARY_FIELDS 6
#define MPROF_INDEX_SUMMARY_CUTOFFS 16

/* In units of 1 / 1000000: LLVM's ProfileSummaryBuilder::DefaultCutoffs. */
static const uint32_t mprof_index_summary_cutoffs[] = {
    10000,  100000, 200000, 300000, 400000, 500000, 600000, 700000,
    800000, 900000, 950000, 990000, 999000, 999900, 999990, 999999};

/* Offset of a hash table's bucket offsets from its bucket count. */
#define MPROF_INDEX_BUCKETS_OFF 16

#define MPROF_MEMPROF_VERSION_MIN 2
#define MPROF_MEMPROF_VERSION 3 /* the version that we write by default */
#define MPROF_MEMPROF_VERSION_MAX 4
#define MPROF_MEMPROF_VERSION_ARRAYS_MIN 3  /* arrays of frames and stacks */
#define MPROF_MEMPROF_VERSION_SUMMARY_MIN 4 /* also callees, data accesses */
#define MPROF_MEMPROF_FRAME_BYTES 17
/* The compiler compares only the low 16 bits of a line offset, but LLVM's
 * readers keep all 32. We mask when writing, so that long functions match. */
#define MPROF_MEMPROF_LINE_OFFSET_MASK 0xffffu

/* The schema that LLVM writes by default. */
#define MPROF_MEMPROF_HOT_COLD_SCHEMA(X) \
    X(AllocCount) X(TotalSize) X(TotalLifetime) X(TotalLifetimeAccessDensity)

/* The header of a file. The offset of a part is 0 if the file's version does
 * not have the part. */
struct mprof_index_llvm {
    uint64_t version;
    uint64_t variant;    /* MPROF_INDEX_VARIANT_* */
    uint64_t llvm_bytes; /* size of LLVM's part in our files; 0 in others */
    uint64_t table_off;
    uint64_t memprof_off;
    uint64_t binary_ids_off;
    uint64_t temporal_off;
    uint64_t vtables_off;
};

/* Reads the header at the start of the cursor, and leaves the cursor at the
 * summary. Errors, in the cursor: TRUNCATED, MAGIC; VERSION for a version that
 * LLVM 22 does not read, with header->version set. */
void mprof_index_llvm_read(struct mprof_index_llvm *header,
                           struct mprof_cursor *c);

/* True if the file has a memprof section. */
static inline bool
mprof_index_llvm_has_memprof(const struct mprof_index_llvm *header)
{
    return header->version >= MPROF_INDEX_VERSION_MEMPROF_MIN &&
           (header->variant & MPROF_INDEX_VARIANT_MEMPROF) != 0;
}

/* The header of the memprof section. A member that the section's version does
 * not have is 0. */
struct mprof_index_llvm_memprof {
    uint64_t version;
    uint64_t record_table_off;
    uint64_t frame_table_off; /* version 2 */
    uint64_t stack_table_off; /* version 2 */
    uint64_t stacks_off;      /* since version 3 */
    uint64_t stacks_end_off;  /* since version 3 */
    uint64_t data_access_off; /* since version 4; 0: none */
};

/* Reads the header of the memprof section at `off`, and leaves the cursor at
 * the schema. Errors, in the cursor: TRUNCATED; OFFSET for an offset beyond the
 * end; VERSION for a version that LLVM 22 does not read, with memprof->version
 * set. */
void mprof_index_llvm_read_memprof(struct mprof_index_llvm_memprof *memprof,
                                   struct mprof_cursor *c, uint64_t off);
