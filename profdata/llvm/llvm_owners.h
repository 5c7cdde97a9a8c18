/* llvm_owners.h -- which record gives a context.
 *
 * LLVM lists a context in the record of every function of its leaf location, so
 * each is taken from one of them: that of the leaf's function, or, where that
 * does not list it (a profile written by hand), that with the smallest GUID. So
 * records are visited twice: to see who gives what, then to take it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_LLVM_OWNERS_H
#define MPDATA_LLVM_OWNERS_H

#include "profdata/model/profile.h"
#include "profdata/base/vec.h"

struct mpdata_llvm_owners {
    struct mpdata_vec rows; /* by node */
};

void mpdata_llvm_owners_init(struct mpdata_llvm_owners *owners);
void mpdata_llvm_owners_fini(struct mpdata_llvm_owners *owners);

/* The record of `guid` lists the context of `node` (0: the empty stack).
 * Errors: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_owners_add(struct mpdata_llvm_owners *owners,
                       const struct mpdata_view *view, mpdata_ref node,
                       uint64_t guid);

/* After all were added: does this record give the context of `node`? */
bool mpdata_llvm_owners_gives(const struct mpdata_llvm_owners *owners,
                              mpdata_ref node, uint64_t guid);

/* How often LLVM lists a context in the record of one function: once for each
 * time that it stands in the leaf location. Looks at no more frames than a
 * location sensibly has. */
uint32_t mpdata_llvm_owners_listings(const struct mpdata_view *view,
                                     mpdata_ref node, uint64_t guid);

#endif
