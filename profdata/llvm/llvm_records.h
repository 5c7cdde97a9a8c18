/* llvm_records.h -- a profile as LLVM's memprof section shows it: frames that
 * have line tables, and a record for each function.
 *
 * Frames without a function or a line table are left out, and call stacks that
 * become equal are one; a stack of which nothing remains is not there. A
 * location is what one code address stands for: a frame and the frames that it
 * was inlined into. As llvm-profdata makes them, a context is listed in the
 * record of each function of its leaf location, and every other location in the
 * records of all its functions, the leaf location in those of the functions
 * behind the leaf.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_LLVM_RECORDS_H
#define MPDATA_LLVM_RECORDS_H

#include "profdata/base/pairs.h"
#include "profdata/base/set.h"
#include "profdata/model/profile.h"

/* Locations of more frames are cut into several, so that what a hostile profile
 * makes of one chain of inlined frames stays in proportion to it. */
#define MPDATA_LLVM_LOCATION_FRAMES_MAX 256

struct mpdata_llvm_frame {
    uint64_t guid;
    uint32_t line_offset; /* masked to 16 bits */
    uint32_t column;
    uint32_t is_inline;
    uint32_t function; /* number of the GUID, by appearance; tells no frames
                          apart */
};

/* A frame under a parent: call stacks as a forest. */
struct mpdata_llvm_node {
    uint32_t parent; /* index + 1; 0: a root */
    uint32_t frame;
};

/* All contexts of the profile with one call stack, as a list. */
struct mpdata_llvm_context {
    uint32_t node;
    uint32_t first; /* index of a context of the profile */
};

/* Something in the record of a function: a context or a node. Sorted by
 * function, whose number is its GUID's rank, then by id. */
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
    struct mpdata_set functions;   /* uint64_t: distinct GUIDs */
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

/* The MIB of all blocks that one of these contexts stands for, as LLVM's
 * compiler is to see it: where accesses were not seen, it calls none cold. */
void mpdata_llvm_records_mib(const struct mpdata_llvm_records *records,
                             uint32_t context, struct mprof_mib *mib);

#endif
