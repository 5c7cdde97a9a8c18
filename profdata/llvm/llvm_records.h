/* llvm_records.h -- a profile in the form of LLVM's memprof section: frames
 * with line tables, and a record per function.
 *
 * Frames without a function or a line table are dropped. Call stacks that
 * become equal are merged; empty ones are dropped. A location is a frame and
 * the frames it was inlined into: one code address. As in llvm-profdata, the
 * record of each function of the leaf location lists the context. The records
 * of all functions of any other location list this location as a call site; the
 * leaf location is a call site of its functions but the leaf's.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/pairs.h"
#include "profdata/base/set.h"
#include "profdata/model/profile.h"

/* Locations of more frames are split, so that the cost of a hostile profile's
 * chain of inlined frames stays linear in its length. */
#define MPDATA_LLVM_LOCATION_FRAMES_MAX 256

struct mpdata_llvm_frame {
    uint64_t guid;
    uint32_t line_offset; /* masked to 16 bits */
    uint32_t column;
    uint32_t is_inline;
    uint32_t function; /* number of the GUID; not part of the key */
};

/* A frame below its parent: call stacks as a forest. */
struct mpdata_llvm_node {
    uint32_t parent; /* index + 1; 0: a root */
    uint32_t frame;
};

/* All contexts of the profile with the same call stack, as a list. */
struct mpdata_llvm_context {
    uint32_t node;
    uint32_t first; /* index of a context of the profile */
};

/* An entry of a function's record: a context or a node. Sorted by function (the
 * rank of its GUID), then by id. */
struct mpdata_llvm_site {
    uint32_t function;
    uint32_t id;
};

struct mpdata_llvm_record {
    uint64_t guid;
    uint32_t alloc_first; /* in alloc_sites */
    uint32_t alloc_count;
    uint32_t call_first; /* in call_sites */
    uint32_t call_count;
};

/* Owned; the profile is borrowed. */
struct mpdata_llvm_records {
    struct mpdata_view profile;
    struct mpdata_set functions;   /* uint64_t: GUIDs */
    struct mpdata_set frames;      /* struct mpdata_llvm_frame */
    struct mpdata_pairs nodes;     /* struct mpdata_llvm_node */
    struct mpdata_vec contexts;    /* struct mpdata_llvm_context */
    struct mpdata_vec alloc_sites; /* struct mpdata_llvm_site, id: context */
    struct mpdata_pairs calls;     /* function, node: call sites unsorted */
    struct mpdata_vec call_sites;  /* struct mpdata_llvm_site, id: node */
    struct mpdata_vec records;     /* struct mpdata_llvm_record, by GUID */
    uint32_t *next_context;        /* the profile's context -> next + 1 */
    bool failed;
};

/* Error: NOMEM. Fini is due either way. The result depends only on the order of
 * the profile's arrays. */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_records_init(struct mpdata_llvm_records *records,
                         const struct mpdata_profile *profile);
void mpdata_llvm_records_fini(struct mpdata_llvm_records *records);

/* The merged MIB of one of these contexts for LLVM's compiler. If accesses may
 * have been missed, the MIB is changed so that the compiler does not take it
 * for cold. */
void mpdata_llvm_records_mib(const struct mpdata_llvm_records *records,
                             uint32_t context, struct mprof_mib *mib);
