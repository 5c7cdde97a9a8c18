/* llvm_sites.h -- what LLVM's records list that does not follow from the call
 * stacks of contexts: call sites on their own, the functions that a call
 * reached indirectly, records of other functions.
 *
 * llvm-profdata makes records of call stacks, as llvm_records.h does it, so a
 * profile of its own needs none of this. Where the records of a file are others
 * (written by hand, or with callees), its contexts are marked
 * MPROF_CONTEXT_FL_LISTED and all of its sites are kept here. Merging is a
 * union.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_LLVM_SITES_H
#define MPDATA_LLVM_SITES_H

#include "profdata/base/set.h"
#include "shared/err.h"

struct mpdata_llvm_frame {
    uint64_t guid;
    uint32_t line_offset; /* masked to 16 bits */
    uint32_t column;
    uint32_t function; /* in records: number of the GUID, by appearance */
    bool is_inline;
};

/* A frame under a parent: call stacks as a forest. */
struct mpdata_llvm_node {
    uint32_t parent; /* index + 1; 0: a root */
    uint32_t frame;
};

/* Of frames, whatever their function's number. */
extern const struct mpdata_set_kind mpdata_llvm_sites_frame_kind;

enum mpdata_llvm_site_kind {
    MPDATA_LLVM_SITE_ALLOC,
    MPDATA_LLVM_SITE_CALL,
    MPDATA_LLVM_SITE_CALLEE /* of the call site with this function and stack */
};

struct mpdata_llvm_listed {
    uint64_t guid;
    uint64_t callee; /* of kind CALLEE, else 0 */
    uint32_t stack;  /* nodes, index + 1; 0: empty */
    uint32_t kind;
};

struct mpdata_llvm_sites {
    struct mpdata_set frames; /* struct mpdata_llvm_frame */
    struct mpdata_set nodes;  /* struct mpdata_llvm_node */
    struct mpdata_set sites;  /* struct mpdata_llvm_listed */
};

void mpdata_llvm_sites_init(struct mpdata_llvm_sites *sites);
void mpdata_llvm_sites_fini(struct mpdata_llvm_sites *sites);

/* Does one of them tell what a call reached indirectly? */
bool mpdata_llvm_sites_has_callees(const struct mpdata_llvm_sites *sites);

/* A frame under a stack (0: a root): the longer stack, or 0 without memory. */
uint32_t mpdata_llvm_sites_extend(struct mpdata_llvm_sites *sites,
                                  uint32_t stack,
                                  const struct mpdata_llvm_frame *frame);

/* Adds a site; false without memory. */
bool mpdata_llvm_sites_add(struct mpdata_llvm_sites *sites,
                           enum mpdata_llvm_site_kind kind, uint64_t guid,
                           uint32_t stack, uint64_t callee);

/* Is it there? Not for kind CALLEE. */
bool mpdata_llvm_sites_has(const struct mpdata_llvm_sites *sites,
                           enum mpdata_llvm_site_kind kind, uint64_t guid,
                           uint32_t stack);

/* Adds call stacks of another forest of frames and nodes: stacks[i] is what its
 * node i is here. False without memory. */
bool mpdata_llvm_sites_map(const struct mpdata_vec *frames,
                           const struct mpdata_vec *nodes,
                           struct mpdata_llvm_sites *into, uint32_t *stacks);

/* Adds all of *from. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_sites_merge(struct mpdata_llvm_sites *into,
                        const struct mpdata_llvm_sites *from);

/* The same in the one order that depends on nothing but the content, into an
 * empty *out: frames and call stacks ascend, sites by function, kind, stack and
 * callee; without call stacks that no site has. */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_sites_canonical(const struct mpdata_llvm_sites *sites,
                            struct mpdata_llvm_sites *out);

#endif
