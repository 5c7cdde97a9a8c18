/* rawwrite.h -- our raw profile (shared/raw_format.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/dump/dump.h"

/* Appends one profile to buf. Sets buf->failed without memory. */
void mprt_rawwrite(struct mprof_buf *buf, const struct mprt_dump *dump);
