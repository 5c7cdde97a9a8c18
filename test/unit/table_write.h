/* table_write.h -- writes a whole table (shared/table.h) to memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/table.h"

static inline void append_piece(void *to, const void *data, size_t n)
{
    mprof_buf_bytes((struct mprof_buf *)to, data, n);
}

static inline void write_table(struct mprof_buf *buf,
                               const struct mprof_table_source *source)
{
    const size_t start = buf->size;
    const size_t bytes = mprof_table_head(buf, source);
    const size_t used = buf->size;

    /* Room for all of it at once, so that the head stays where it is. */
    if (mprof_buf_extend(buf, bytes - (used - start)) == NULL)
        return;
    buf->size = used;
    mprof_table_data(buf->data + start, source, append_piece, buf);
}
