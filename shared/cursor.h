/* cursor.h -- the only way to look at foreign bytes. buf.h is its counterpart
 * for our own.
 *
 * struct mprof_cursor reads little-endian data from a bounded buffer. The first
 * read beyond the end makes it fail; from then on every read returns 0 and
 * moves nothing, so a reader checks once, after a group of reads. Where it
 * failed is kept as an offset in the file.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_CURSOR_H
#define MPROF_CURSOR_H

#include "shared/err.h"

struct mprof_cursor {
    const uint8_t *data;
    size_t size;
    size_t pos;
    uint64_t file_off;   /* of data[0] in the file, for messages */
    const char *section; /* literal, for messages */
    enum mprof_err err;  /* first failure, MPROF_E_OK until then */
    size_t err_pos;
};

/* A cursor over data[0..size), which stands at file_off in its file. Borrows
 * data and section. */
static inline struct mprof_cursor mprof_cursor_over(const void *data,
                                                    size_t size,
                                                    uint64_t file_off,
                                                    const char *section)
{
    return (struct mprof_cursor){.data = (const uint8_t *)data,
                                 .size = size,
                                 .file_off = file_off,
                                 .section = section};
}

static inline size_t mprof_cursor_left(const struct mprof_cursor *c)
{
    return c->err == MPROF_E_OK ? c->size - c->pos : 0;
}

/* Makes the cursor fail with err at its position, unless it failed before. */
void mprof_cursor_fail(struct mprof_cursor *c, enum mprof_err err);

/* The failure (or MPROF_E_OK) as a value, with its place in *diag. */
enum mprof_err mprof_cursor_status(const struct mprof_cursor *c,
                                   struct mprof_diag *diag);

/* Moves to pos from the start of the buffer; beyond its end fails (OFFSET). */
void mprof_cursor_seek(struct mprof_cursor *c, uint64_t pos);

/* The next n bytes, valid as long as the buffer, or NULL with the cursor
 * failed (TRUNCATED). */
const uint8_t *mprof_cursor_bytes(struct mprof_cursor *c, uint64_t n);

/* Fixed-width little-endian numbers. */
uint16_t mprof_cursor_u16(struct mprof_cursor *c);
uint32_t mprof_cursor_u32(struct mprof_cursor *c);
uint64_t mprof_cursor_u64(struct mprof_cursor *c);

/* Unsigned LEB128, at most 10 bytes; a longer one fails (VALUE). */
uint64_t mprof_cursor_uleb(struct mprof_cursor *c);

/* True when `count` items of at least `min_bytes` (> 0) each can still follow;
 * otherwise fails (TRUNCATED). Asked before anything is allocated by a count
 * that stands in a file. */
bool mprof_cursor_can_hold(struct mprof_cursor *c, uint64_t count,
                           uint64_t min_bytes);

#endif
