/* llvm_listed.h -- the sites that the records of a file list, in terms of a
 * profile: collected record by record, and kept where they say more than the
 * call stacks do.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_LLVM_LISTED_H
#define MPDATA_LLVM_LISTED_H

#include "profdata/model/llvm_sites.h"
#include "profdata/model/profile.h"

/* Adds the stacks of a profile: the node of `sites` for a node of the profile,
 * worked out once. */
struct mpdata_llvm_listing {
    struct mpdata_llvm_sites *sites;
    struct mpdata_vec
        stacks; /* uint32_t, by node: of `sites` + 1; 0: not yet */
    struct mpdata_vec scratch; /* uint32_t */
};

void mpdata_llvm_listed_init(struct mpdata_llvm_listing *map,
                             struct mpdata_llvm_sites *sites);
void mpdata_llvm_listed_fini(struct mpdata_llvm_listing *map);

/* Adds a site; false without memory. Every frame of the stack must have a
 * function. */
bool mpdata_llvm_listed_add(struct mpdata_llvm_listing *map,
                            const struct mpdata_view *view, mpdata_ref node,
                            enum mpdata_llvm_site_kind kind, uint64_t guid,
                            uint64_t callee);

/* Of a file that was read: where what its records list is not just what follows
 * from the call stacks of *profile, replaces that by a copy with all contexts
 * marked and adds *listed to *sites. Errors: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_listed_keep(struct mpdata_llvm_sites *listed,
                        struct mpdata_profile **profile,
                        struct mpdata_llvm_sites *sites);

#endif
