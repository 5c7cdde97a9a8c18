/* json_write.h -- writes a profile as lossless JSON (form: json_form.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_JSON_WRITE_H
#define MPDATA_JSON_WRITE_H

#include "profdata/model/content.h"
#include "profdata/base/sink.h"

/* Writes the canonical content to *out. Equal content gives equal bytes.
 * Errors: NOMEM, also if *out fails. */
MPROF_NODISCARD enum mprof_err
mpdata_json_write_content(const struct mpdata_content *canonical,
                          struct mpdata_sink *out);

#endif
