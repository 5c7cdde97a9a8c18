/* json_write.h -- a profile as JSON that loses nothing (form: json_keys.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_JSON_WRITE_H
#define MPDATA_JSON_WRITE_H

#include "profdata/model/content.h"
#include "profdata/base/sink.h"

/* Hands the content, in order, to *out. The same content gives the same bytes.
 * Errors: NOMEM, also where *out takes no more. */
MPROF_NODISCARD enum mprof_err
mpdata_json_write_content(const struct mpdata_content *canonical,
                          struct mpdata_sink *out);

#endif
