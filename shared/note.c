/* note.c -- finds the build id among ELF notes.
 *
 * The descriptor of a note and the next note start at multiples of the
 * alignment, counted from the start of the segment. The alignment is 8 if the
 * segment's is 8, and 4 otherwise. mold puts notes of both alignments into one
 * segment of alignment 8; a note that follows one of alignment 4 is only found
 * with alignment 4. So the search tries 8 and then 4.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/note.h"
#include "shared/cursor.h"

#define HEADER_BYTES 12
#define NAME_GNU "GNU"
#define TYPE_BUILD_ID 3 /* NT_GNU_BUILD_ID */

static void skip_to_multiple(struct mprof_cursor *c, uint64_t align)
{
    mprof_cursor_bytes(c,
                       mprof_min_u64(mprof_cursor_left(c),
                                     mprof_round_up(c->pos, align) - c->pos));
}

/* A damaged note ends the search. */
static const uint8_t *find(struct mprof_cursor c, uint64_t align,
                           size_t *id_bytes)
{
    while (mprof_cursor_left(&c) >= HEADER_BYTES) {
        const uint32_t name_bytes = mprof_cursor_u32(&c);
        const uint32_t desc_bytes = mprof_cursor_u32(&c);
        const uint32_t type = mprof_cursor_u32(&c);
        const uint8_t *const name = mprof_cursor_bytes(&c, name_bytes);

        skip_to_multiple(&c, align);
        const uint8_t *const desc = mprof_cursor_bytes(&c, desc_bytes);
        if (desc != NULL && type == TYPE_BUILD_ID &&
            name_bytes == sizeof(NAME_GNU) &&
            __builtin_memcmp(name, NAME_GNU, sizeof(NAME_GNU)) == 0) {
            *id_bytes = mprof_min_u64(desc_bytes, MPROF_BUILD_ID_BYTES_MAX);
            return desc;
        }
        skip_to_multiple(&c, align);
    }
    return NULL;
}

const uint8_t *mprof_note_build_id(const void *notes, size_t size,
                                   uint64_t align, size_t *id_bytes)
{
    const struct mprof_cursor c =
        mprof_cursor_over(notes, size, 0, "ELF notes");
    const uint8_t *id = NULL;

    if (align == 8)
        id = find(c, 8, id_bytes);
    return id != NULL ? id : find(c, 4, id_bytes);
}
