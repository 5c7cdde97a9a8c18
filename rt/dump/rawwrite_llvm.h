/* rawwrite_llvm.h -- LLVM's raw profile (shared/raw_llvm.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/dump/dump.h"

/* Appends one profile to buf. Sets buf->failed without memory. */
void mprt_rawwrite_llvm(struct mprof_buf *buf, const struct mprt_dump *dump);
