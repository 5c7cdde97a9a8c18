/* index_ext_read.h -- our sections of an indexed file, into a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_INDEX_EXT_READ_H
#define MPDATA_INDEX_EXT_READ_H

#include "profdata/index/index_read.h"
#include "shared/container.h"

/* True where the file ends in our trailer; then *dir_off is the place of the
 * directory, not checked yet. */
bool mpdata_sections_find(const void *data, size_t size, uint64_t *dir_off);

/* mpdata_index_read() for such a file. */
MPROF_NODISCARD enum mprof_err
mpdata_sections_read(const void *data, size_t size, uint64_t dir_off,
                     bool verify_checksums, struct mpdata_profile *into,
                     struct mprof_diag *diag);

/* Can what the section claims to decode to come of what it stores? */
bool mpdata_sections_is_claim(const struct mprof_section *place);

#endif
