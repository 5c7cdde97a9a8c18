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

#include "profdata/llvm/llvm_records.h"

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

/* Adds the stacks of a profile: the node of `sites` for a node of the profile,
 * worked out once. */
struct mpdata_llvm_sites_map {
    struct mpdata_llvm_sites *sites;
    struct mpdata_vec
        stacks; /* uint32_t, by node: of `sites` + 1; 0: not yet */
    struct mpdata_vec scratch; /* uint32_t */
};

void mpdata_llvm_sites_map_init(struct mpdata_llvm_sites_map *map,
                                struct mpdata_llvm_sites *sites);
void mpdata_llvm_sites_map_fini(struct mpdata_llvm_sites_map *map);

/* Adds a site; false without memory. Every entry of the stack must have a
 * function. */
bool mpdata_llvm_sites_add(struct mpdata_llvm_sites_map *map,
                           const struct mpdata_view *view, mpdata_ref node,
                           enum mpdata_llvm_site_kind kind, uint64_t guid,
                           uint64_t callee);

MPROF_NODISCARD enum mprof_err
mpdata_llvm_sites_merge(struct mpdata_llvm_sites *into,
                        const struct mpdata_llvm_sites *from);

/* The same in the one order that depends on nothing but the content, into an
 * empty *out: frames and call stacks ascend, sites by function, kind, stack and
 * callee; without call stacks that no site has. */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_sites_canonical(const struct mpdata_llvm_sites *sites,
                            struct mpdata_llvm_sites *out);

/* Of a file that was read: where what its records list is not just what follows
 * from the call stacks of *profile, replaces that by a copy with all contexts
 * marked and adds *listed to *sites. Errors: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_sites_keep(struct mpdata_llvm_sites *listed,
                       struct mpdata_profile **profile,
                       struct mpdata_llvm_sites *sites);

#endif
