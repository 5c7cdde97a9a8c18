/* mapbuf.h -- memory for a dump, straight from the system. Not for signal
 * handlers' common path: each growth is a system call.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_MAPBUF_H
#define MPRT_MAPBUF_H

#include "rt/base/rt.h"
#include "shared/buf.h"

/* An empty buffer. Freed by mprt_mapbuf_free(), also after it failed. */
void mprt_mapbuf_init(struct mprof_buf *buf);
void mprt_mapbuf_free(struct mprof_buf *buf);
/* Writes it to stderr, unless it failed, and frees it. */
void mprt_mapbuf_print(struct mprof_buf *buf);

/* An array of count items of bytes each in mapped memory, zero; NULL without
 * memory. Freed by mprt_mapbuf_free_array() with the same numbers; NULL is
 * allowed. */
void *mprt_mapbuf_new_array(size_t count, size_t bytes);
void mprt_mapbuf_free_array(void *array, size_t count, size_t bytes);

#endif
