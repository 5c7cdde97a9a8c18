/* index_top.h -- the first contexts of one of our indexed files, without
 * reading the rest: the answer to "what takes the memory?".
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_INDEX_TOP_H
#define MPDATA_INDEX_TOP_H

#include "profdata/model/profile.h"

/* More contexts than this are better read as a whole. */
#define MPDATA_INDEX_TOP_MAX 1000

/* What the contexts that were read are a part of. */
struct mpdata_index_top {
    struct mprof_mib totals; /* of all contexts */
    uint64_t context_count;  /* all of them */
    uint64_t listed_count;   /* that have something of the field */
};

/* True where the file data[0..size) has our sections, so that the next function
 * can be asked. */
bool mpdata_index_top_is_possible(const void *data, size_t size);

/* Adds to *into, which is empty, all runs, and the `count` contexts with the
 * most of the MIB's field `field` (index in mprof_mib_fields[]), largest first,
 * those with nothing of it left out; equal ones in the order of the file. Of
 * the other tables only what these refer to. Only the parts of sections that
 * are needed are decoded, and only their checksums are verified. Errors: those
 * of mpdata_index_read(); *into is then good for freeing only. */
MPROF_NODISCARD enum mprof_err
mpdata_index_top_read(const void *data, size_t size, bool verify_checksums,
                      size_t field, uint64_t count, struct mpdata_profile *into,
                      struct mpdata_index_top *top, struct mprof_diag *diag);

#endif
