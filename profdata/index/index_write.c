/* index_write.c -- an indexed file: LLVM's part, then ours.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/index/index_write.h"
#include "profdata/index/sections.h"
#include "profdata/llvm/llvm_write.h"

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
