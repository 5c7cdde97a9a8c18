/* index_top.h -- the first contexts of one of our indexed files, without
 * reading the rest: the answer to "what takes the memory?".
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_INDEX_TOP_H
#define MPDATA_INDEX_TOP_H

#include "profdata/index/index_file.h"
#include "profdata/model/profile.h"
#include "profdata/model/top.h"

/* More contexts than this are better read as a whole. */
#define MPDATA_INDEX_TOP_MAX 1000

/* Of a file with sections of ours: adds to *into, which is empty, all runs, and
 * the `max` contexts with the most of the MIB's field `field` (index in
 * mprof_mib_fields[]), largest first, those with nothing of it left out; equal
 * ones in the order of the file. Of the other tables only what these refer to.
 * Only the parts of sections that are needed are decoded, checked, and their
 * checksums verified; what the counts in *top say of the rest is the file's
 * word. Errors: those of mpdata_sections_check_row(), DUPLICATE; *into is then
 * good for freeing only. */
MPROF_NODISCARD enum mprof_err
mpdata_index_top_read(const struct mpdata_index_file *file, size_t field,
                      uint64_t max, struct mpdata_profile *into,
                      struct mpdata_top *top, struct mprof_diag *diag);

#endif
