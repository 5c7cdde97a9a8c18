/* page.h -- writes one or two profiles as a self-contained web page: the
 * program of web/ and the data.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/report/document.h"

/* Writes the page. Omits metrics that the profile does not have, instead of
 * writing zeros. The data are encoded, so names in the profile cannot be parsed
 * as markup. Error: NOMEM. The sink records write errors. */
MPROF_NODISCARD enum mprof_err
mpdata_page_write(const struct mpdata_document *document,
                  struct mpdata_sink *sink);
