/* heapbuf.h -- struct mprof_buf on the heap.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/buf.h"

/* Makes an empty buffer that grows by realloc(). */
void mpdata_heapbuf_init(struct mprof_buf *buf);
/* Frees the bytes and leaves the buffer empty. */
void mpdata_heapbuf_fini(struct mprof_buf *buf);
