/* log_blocks.h -- blocks of the log (shared/log_format.h). Under the log's
 * lock, inside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/mapbuf.h"
#include "shared/log_format.h"

/* Append a field. */
void mprt_log_blocks_integer(struct mprof_buf *out, uint64_t n);
void mprt_log_blocks_string(struct mprof_buf *out, const char *text);
/* Begins a block; the result goes to _end(). */
size_t mprt_log_blocks_begin(struct mprof_buf *out, enum mprof_log_block code);
void mprt_log_blocks_end(struct mprof_buf *out, size_t start);

/* The first block, and what is known at the start: binaries, facts. run_id: as
 * in raw profiles. */
void mprt_log_blocks_intro(struct mprof_buf *out, uint64_t run_id);
/* Binaries and marks that are new since the last call; then CLOCK. */
void mprt_log_blocks_news(struct mprof_buf *out);
/* What is known at the end. Takes the loader's lock. */
void mprt_log_blocks_last(struct mprof_buf *out);
/* Makes the next _news() begin anew. */
void mprt_log_blocks_restart(void);
