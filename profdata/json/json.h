/* json.h -- reads and writes a profile as lossless JSON (form: json_form.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/sink.h"
#include "profdata/model/content.h"

/* Adds the text data[0..size) to *into, which is unchanged on failure, for
 * example if its counters do not fit. diag may be NULL. */
MPROF_NODISCARD enum mprof_err mpdata_json_read(const void *data, size_t size,
                                                struct mpdata_content *into,
                                                struct mprof_diag *diag);

/* Writes the canonical content to *out. Equal content gives equal bytes.
 * Errors: NOMEM, also if *out fails. */
MPROF_NODISCARD enum mprof_err
mpdata_json_write_content(const struct mpdata_content *canonical,
                          struct mpdata_sink *out);
