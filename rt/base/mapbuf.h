/* mapbuf.h -- memory for a dump, directly from the system. Avoid on frequent
 * paths: each growth is a system call.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"
#include "shared/buf.h"

/* Makes an empty buffer. mprt_mapbuf_free() frees it, also after it failed. */
void mprt_mapbuf_init(struct mprof_buf *buf);
void mprt_mapbuf_free(struct mprof_buf *buf);
/* Writes the buffer to stderr, unless it failed, and frees it. */
void mprt_mapbuf_print(struct mprof_buf *buf);

/* Zeroed mapped memory for `count` items of `bytes` bytes, or NULL without
 * memory. Free it by mprt_mapbuf_free_array() with the same numbers; NULL is
 * allowed. */
void *mprt_mapbuf_new_array(size_t count, size_t bytes);
void mprt_mapbuf_free_array(void *array, size_t count, size_t bytes);
