/* llvm.h -- LLVM's indexed profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"
#include "profdata/model/content.h"
#include "profdata/model/index_options.h"
#include "shared/buf.h"

/* llvm_read.c -- reads LLVM's indexed profile into a profile. */

/* Adds a file of LLVM's tools (memprof sections of versions 2, 3 and 4) to
 * *into, which is unchanged on failure. Its functions have GUIDs but no names;
 * the run's kind is MPROF_RUN_INDEXED and its id a hash of the file. Call sites
 * are not read: they follow from the call stacks. */
MPROF_NODISCARD enum mprof_err mpdata_llvm_read(const void *data, size_t size,
                                                struct mpdata_profile *into,
                                                struct mprof_diag *diag);

/* Receives a context of a record. The functions of its frames have no name and
 * first line 0, so a frame's line is the line offset. fields: indices of the
 * MIB fields in the file. */
typedef void mpdata_llvm_visit_fn(void *context, const struct mpdata_view *view,
                                  mpdata_ref node, const struct mprof_mib *mib,
                                  const size_t *fields, size_t field_count);

/* Visits the contexts in the record of one function, found in the hash table:
 * reads a few pages and verifies no checksum. *found: is there a record?
 * Without a visitor the record is not read. */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_read_find(const void *data, size_t size, uint64_t guid,
                      mpdata_llvm_visit_fn *visit, void *context, bool *found,
                      struct mprof_diag *diag);

/* Does the indexed file have a memory profile? Reads only the header. Errors:
 * VERSION, NO_MEMPROF, TRUNCATED. */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_read_header(const void *data, size_t size, struct mprof_diag *diag);

/* Does it have a profile of accesses to static data, which is not read? */
bool mpdata_llvm_read_has_data_access(const void *data, size_t size);

/* llvm_write.c -- LLVM's part of an indexed file. */

/* Writes the part to the empty *out. Errors: NOMEM, LIMIT, UNSUPPORTED. */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_write(const struct mpdata_content *canonical,
                  const struct mpdata_index_options *options,
                  struct mprof_buf *out);
