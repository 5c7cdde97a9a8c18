/* index_lookup.h -- one function's contexts of an indexed file, through the
 * hash table of LLVM's part: a few pages are read, and no checksum.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_INDEX_LOOKUP_H
#define MPDATA_INDEX_LOOKUP_H

#include "profdata/model/profile.h"

/* A context: its call stack is that of `node`. fields: indices of the MIB's
 * fields that the file has. */
typedef void mpdata_index_lookup_fn(void *context,
                                    const struct mpdata_view *view,
                                    mpdata_ref node,
                                    const struct mprof_mib *mib,
                                    const size_t *fields, size_t field_count);

/* Is it an indexed file with a memory profile? Looks at its header. Errors:
 * EMPTY, MAGIC, those of mpdata_llvm_read_header(). */
MPROF_NODISCARD enum mprof_err
mpdata_index_lookup_open(const void *data, size_t size,
                         struct mprof_diag *diag);

/* Visits the contexts in the record of `guid`; *found says whether there is
 * one. */
MPROF_NODISCARD enum mprof_err
mpdata_index_lookup(const void *data, size_t size, uint64_t guid,
                    mpdata_index_lookup_fn *visit, void *context, bool *found,
                    struct mprof_diag *diag);

#endif
