/* page.h -- a profile, or two, as one page that needs nothing else: the program
 * of web/, and in it the profile's numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PAGE_H
#define MPDATA_PAGE_H

#include "profdata/report/document.h"

/* Writes the page. What the profile does not hold is left out, never written as
 * zero. Nothing of the profile stands in it in clear, so no name in it can be
 * taken for markup. Error: NOMEM; whether all was written, the sink says. */
MPROF_NODISCARD enum mprof_err
mpdata_page_write(const struct mpdata_document *document,
                  struct mpdata_sink *sink);

#endif
