/* index_lookup.c -- one record of an indexed file.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/index/index_lookup.h"
#include "profdata/index/index_file.h"
#include "profdata/llvm/llvm_read.h"

enum mprof_err mpdata_index_lookup_open(const void *data, size_t size,
                                        struct mprof_diag *diag)
{
    enum mprof_err err = mpdata_index_file_is(data, size, diag);

    return err == MPROF_E_OK ? mpdata_llvm_read_header(data, size, diag) : err;
}

enum mprof_err mpdata_index_lookup(const void *data, size_t size, uint64_t guid,
                                   mpdata_index_lookup_fn *visit, void *context,
                                   bool *found, struct mprof_diag *diag)
{
    const struct mpdata_llvm_visitor visitor = {.context = context,
                                                .alloc = visit};

    return mpdata_llvm_read_find(data, size, guid, &visitor, found, diag);
}
