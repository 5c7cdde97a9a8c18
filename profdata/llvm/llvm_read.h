/* llvm_read.h -- LLVM's indexed profile, into a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_LLVM_READ_H
#define MPDATA_LLVM_READ_H

#include "profdata/model/llvm_sites.h"
#include "profdata/model/profile.h"

/* Adds a file that is LLVM's alone to *into, which stays as it was where the
 * file is refused: memprof sections of versions 2, 3 and 4. Functions have no
 * names there, only GUIDs; the run's kind is MPROF_RUN_INDEXED and its id a
 * hash of the file. Where the records do not follow from the contexts, these
 * are marked and all that is listed is added to *sites, unless that is NULL. */
MPROF_NODISCARD enum mprof_err mpdata_llvm_read(const void *data, size_t size,
                                                struct mpdata_profile *into,
                                                struct mpdata_llvm_sites *sites,
                                                struct mprof_diag *diag);

/* Adds all that the records of LLVM's part list to *sites. */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_read_sites(const void *data, size_t size,
                       struct mpdata_llvm_sites *sites,
                       struct mprof_diag *diag);

/* Who wants to see the records as they stand, in the order of the file. A
 * node's function has no name and first line 0, so that a frame's line is the
 * frame's line offset. What is NULL is not reported. */
struct mpdata_llvm_visitor {
    void *context;
    void (*record)(void *context, uint64_t guid);
    /* fields: indices of the schema's fields. */
    void (*alloc)(void *context, const struct mpdata_view *view,
                  mpdata_ref node, const struct mprof_mib *mib,
                  const size_t *fields, size_t field_count);
    /* callees: GUIDs as they stand in the file, 8 bytes each. */
    void (*call)(void *context, const struct mpdata_view *view, mpdata_ref node,
                 const uint8_t *callees, size_t callee_count);
};

/* The record of one function alone, through the hash table; *found says whether
 * there is one. With a visitor NULL the record is not read. */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_read_find(const void *data, size_t size, uint64_t guid,
                      const struct mpdata_llvm_visitor *visitor, bool *found,
                      struct mprof_diag *diag);

/* Has the indexed file a memory profile? Reads the header only. Errors:
 * VERSION, NO_MEMPROF, TRUNCATED. */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_read_header(const void *data, size_t size, struct mprof_diag *diag);

/* Has it a data access profile, of static data? It is not read. */
bool mpdata_llvm_read_has_data_access(const void *data, size_t size);

#endif
