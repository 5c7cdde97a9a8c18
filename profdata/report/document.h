/* document.h -- what a page holds of a profile: JSON in columns, which
 * web/src/data.ts reads.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DOCUMENT_H
#define MPDATA_DOCUMENT_H

#include "profdata/export/formats.h"

/* Error: NOMEM; whether all was written, the sink says. */
MPROF_NODISCARD enum mprof_err
mpdata_document_write(const struct mpdata_export *what,
                      struct mpdata_sink *sink);

#endif
