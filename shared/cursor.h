/* cursor.h -- the only way to read untrusted bytes. buf.h is its counterpart
 * for writing.
 *
 * struct mprof_cursor reads little-endian data from a bounded buffer. The first
 * read beyond the end makes the cursor fail. From then on every read returns 0
 * and does not move the cursor, so a reader checks once after a group of reads.
 * The cursor remembers the position of the failure.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/err.h"

struct mprof_cursor {
    const uint8_t *data;
    size_t size;
    size_t pos;
    uint64_t file_off;   /* file offset of data[0], for messages */
    const char *section; /* a literal, for messages */
    enum mprof_err err;  /* first failure, MPROF_E_OK until then */
    size_t err_pos;      /* position of that failure */
};

/* A cursor over data[0..size), which are at file_off of their file. Borrows
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

/* Unread bytes; 0 after a failure. */
static inline size_t mprof_cursor_left(const struct mprof_cursor *c)
{
    return c->err == MPROF_E_OK ? c->size - c->pos : 0;
}

/* Marks the cursor as failed with err at its position, unless it failed
 * before. */
void mprof_cursor_fail(struct mprof_cursor *c, enum mprof_err err);

/* Returns the failure or MPROF_E_OK; describes a failure in *diag (may be
 * NULL). */
enum mprof_err mprof_cursor_status(const struct mprof_cursor *c,
                                   struct mprof_diag *diag);

/* Moves to pos bytes from the start of the buffer; fails (OFFSET) beyond its
 * end. */
void mprof_cursor_seek(struct mprof_cursor *c, uint64_t pos);

/* The next n bytes, which live as long as the buffer. Fails (TRUNCATED) and
 * returns NULL if fewer are left. */
const uint8_t *mprof_cursor_bytes(struct mprof_cursor *c, uint64_t n);

/* Fixed-width little-endian numbers. */
uint16_t mprof_cursor_u16(struct mprof_cursor *c);
uint32_t mprof_cursor_u32(struct mprof_cursor *c);
uint64_t mprof_cursor_u64(struct mprof_cursor *c);

/* Unsigned LEB128; fails (VALUE) if it does not fit 64 bits. */
uint64_t mprof_cursor_uleb(struct mprof_cursor *c);

/* True if the unread bytes can hold `count` items of at least `min_bytes` (> 0)
 * each; fails (TRUNCATED) otherwise. Call it before allocating memory for a
 * count that was read from a file. */
bool mprof_cursor_can_hold(struct mprof_cursor *c, uint64_t count,
                           uint64_t min_bytes);
