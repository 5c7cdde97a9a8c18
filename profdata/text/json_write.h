/* json_write.h -- a profile as JSON that loses nothing (form: json_keys.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_JSON_WRITE_H
#define MPDATA_JSON_WRITE_H

#include "profdata/model/content.h"
#include "shared/buf.h"

/* Appends the content, in order, to *out, which must be empty. The same content
 * gives the same bytes. Errors: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_json_write(const struct mpdata_content *canonical,
                  struct mprof_buf *out);

#endif
