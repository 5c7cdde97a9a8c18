/* rawwrite.h -- our raw profile (shared/raw_format.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_RAWWRITE_H
#define MPRT_RAWWRITE_H

#include "rt/dump/dump.h"

/* Appends one profile to buf. Sets buf->failed without memory. */
void mprt_rawwrite(struct mprof_buf *buf, const struct mprt_dump *dump);

#endif
