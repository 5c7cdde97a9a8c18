/* index_read.c -- which reader each part of an indexed file is for.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/index/index_read.h"
#include "profdata/index/sections.h"
#include "profdata/llvm/llvm_read.h"

/* sites: what LLVM's records list on their own, NULL: nobody asks. */
static enum mprof_err read_profile(const struct mpdata_index_file *file,
                                   struct mpdata_profile *into,
                                   struct mpdata_llvm_sites *sites,
                                   struct mprof_diag *diag)
{
    enum mprof_err err = MPROF_E_OK;

    if (!file->is_ours)
        return mpdata_llvm_read(file->data, file->size, into, sites, diag);
    if (sites != NULL && mprof_dir_find(&file->dir, MPROF_INDEX_LISTED) != NULL)
        err = mpdata_llvm_read_sites(file->data, file->size, sites, diag);
    return err == MPROF_E_OK ? mpdata_sections_read(file, into, diag) : err;
}

enum mprof_err mpdata_index_read_profile(const struct mpdata_index_file *file,
                                         struct mpdata_profile *into,
                                         struct mprof_diag *diag)
{
    return read_profile(file, into, NULL, diag);
}

/* What stands beside the call stacks comes first, because it may not fit. */
enum mprof_err mpdata_index_read(const struct mpdata_index_file *file,
                                 struct mpdata_content *into,
                                 struct mprof_diag *diag)
{
    struct mpdata_content beside = {.profile = NULL};
    enum mprof_err err;

    mpdata_counters_init(&beside.counters);
    mpdata_llvm_sites_init(&beside.sites);
    err = mpdata_counters_read(file->data, file->size, &beside.counters, diag);
    if (err == MPROF_E_OK)
        err = mpdata_content_fits(into, &beside, 1, diag);
    if (err == MPROF_E_OK)
        err = read_profile(file, into->profile, &beside.sites, diag);
    if (err == MPROF_E_NO_MEMPROF && beside.counters.is_present)
        err = MPROF_E_OK;
    if (err == MPROF_E_OK)
        err = mpdata_content_merge_beside(into, &beside, diag);
    mpdata_content_fini(&beside);
    return err;
}
