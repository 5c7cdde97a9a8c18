/* llvm_read.h -- LLVM's indexed profile, into a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_LLVM_READ_H
#define MPDATA_LLVM_READ_H

#include "profdata/model/profile.h"

/* Adds a file that is LLVM's alone to *into, which stays as it was where the
 * file is refused: memprof sections of versions 2, 3 and 4. Functions have no
 * names there, only GUIDs; the run's kind is MPROF_RUN_INDEXED and its id a
 * hash of the file. Call sites are not read: they follow from the call stacks.
 */
MPROF_NODISCARD enum mprof_err mpdata_llvm_read(const void *data, size_t size,
                                                struct mpdata_profile *into,
                                                struct mprof_diag *diag);

/* A context of a record. The function of a frame has no name and first line 0,
 * so that the frame's line is the line offset. fields: indices of the MIB's
 * fields that the file has. */
typedef void mpdata_llvm_visit_fn(void *context, const struct mpdata_view *view,
                                  mpdata_ref node, const struct mprof_mib *mib,
                                  const size_t *fields, size_t field_count);

/* Visits the contexts in the record of one function, which it looks up in the
 * hash table: it reads a few pages and verifies no checksum. *found says
 * whether there is a record. Without a visitor the record is not read. */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_read_find(const void *data, size_t size, uint64_t guid,
                      mpdata_llvm_visit_fn *visit, void *context, bool *found,
                      struct mprof_diag *diag);

/* Has the indexed file a memory profile? Reads the header only. Errors:
 * VERSION, NO_MEMPROF, TRUNCATED. */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_read_header(const void *data, size_t size, struct mprof_diag *diag);

/* Has it a data access profile, of static data? It is not read. */
bool mpdata_llvm_read_has_data_access(const void *data, size_t size);

#endif
