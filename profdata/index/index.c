/* index.c -- chooses the reader and the writer of each part of an indexed file.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/index/index.h"
#include "profdata/index/sections.h"
#include "profdata/llvm/llvm.h"

enum mprof_err mpdata_index_read_profile(const struct mpdata_index_file *file,
                                         struct mpdata_profile *into,
                                         struct mprof_diag *diag)
{
    return file->is_ours ? mpdata_sections_read(file, into, diag)
                         : mpdata_llvm_read(file->data, file->size, into, diag);
}

/* Reads the counters first, because they may not fit. */
enum mprof_err mpdata_index_read(const struct mpdata_index_file *file,
                                 struct mpdata_content *into,
                                 struct mprof_diag *diag)
{
    struct mpdata_content beside = {.profile = NULL};

    mpdata_counters_init(&beside.counters);
    enum mprof_err err =
        mpdata_counters_read(file->data, file->size, &beside.counters, diag);
    if (err == MPROF_E_OK)
        err = mpdata_content_fits(into, &beside, 1, diag);
    if (err == MPROF_E_OK)
        err = mpdata_index_read_profile(file, into->profile, diag);
    if (err == MPROF_E_NO_MEMPROF && beside.counters.is_present)
        err = MPROF_E_OK;
    if (err == MPROF_E_OK && beside.counters.is_present)
        mpdata_counters_move(&into->counters, &beside.counters);
    mpdata_counters_fini(&beside.counters);
    return err;
}

enum mprof_err mpdata_index_write(const struct mpdata_content *canonical,
                                  const struct mpdata_index_options *options,
                                  struct mprof_buf *out)
{
    static const struct mpdata_index_options defaults;
    enum mprof_err err = mpdata_profile_status(canonical->profile);

    if (options == NULL)
        options = &defaults;
    if (err != MPROF_E_OK)
        return err;
    err = mpdata_llvm_write(canonical, options, out);
    if (err != MPROF_E_OK || options->llvm_only)
        return err;
    return mpdata_sections_write(canonical->profile, !options->uncompressed,
                                 out);
}
