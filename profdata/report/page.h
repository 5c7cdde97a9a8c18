/* page.h -- a profile as one page that needs nothing else: the program of web/,
 * and in it the profile's numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PAGE_H
#define MPDATA_PAGE_H

#include "profdata/export/formats.h"

/* Writes the page. What the profile does not hold is left out, never written as
 * zero. Nothing of the profile stands in it in clear, so no name in it can be
 * taken for markup. Error: NOMEM; whether all was written, the sink says. */
MPROF_NODISCARD enum mprof_err
mpdata_page_write(const struct mpdata_export *what, struct mpdata_sink *sink);

#endif
