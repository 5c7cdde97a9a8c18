/* llvm_write.h -- LLVM's part of an indexed file.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/content.h"
#include "profdata/model/index_options.h"
#include "shared/buf.h"

/* Writes the part to the empty *out. Errors: NOMEM, LIMIT, UNSUPPORTED. */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_write(const struct mpdata_content *canonical,
                  const struct mpdata_index_options *options,
                  struct mprof_buf *out);
