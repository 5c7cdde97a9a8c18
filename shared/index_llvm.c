/* index_llvm.c -- reads the headers of LLVM's indexed profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/index_llvm.h"

/* A word that the header has since version `since`; 0 in older versions. */
static uint64_t word_from(struct mprof_cursor *c, uint64_t version,
                          uint64_t since)
{
    return version >= since ? mprof_cursor_u64(c) : 0;
}

void mprof_index_llvm_read(struct mprof_index_llvm *header,
                           struct mprof_cursor *c)
{
    uint64_t magic;
    uint64_t word;

    *header = (struct mprof_index_llvm){.version = 0};
    mprof_cursor_seek(c, 0);
    magic = mprof_cursor_u64(c);
    word = mprof_cursor_u64(c);
    if (c->err == MPROF_E_OK && magic != MPROF_INDEX_MAGIC)
        mprof_cursor_fail(c, MPROF_E_MAGIC);
    if (c->err != MPROF_E_OK)
        return;
    header->version = word & ~MPROF_INDEX_VARIANT_MASK;
    header->variant = word & MPROF_INDEX_VARIANT_MASK;
    if (header->version == 0 || header->version > MPROF_INDEX_VERSION_MAX) {
        mprof_cursor_fail(c, MPROF_E_VERSION);
        return;
    }
    header->llvm_bytes = mprof_cursor_u64(c);
    mprof_cursor_u64(c); /* hash type */
    header->table_off = mprof_cursor_u64(c);
    header->memprof_off =
        word_from(c, header->version, MPROF_INDEX_VERSION_MEMPROF_MIN);
    header->binary_ids_off =
        word_from(c, header->version, MPROF_INDEX_VERSION_BINARY_IDS_MIN);
    header->temporal_off =
        word_from(c, header->version, MPROF_INDEX_VERSION_TEMPORAL_MIN);
    header->vtables_off =
        word_from(c, header->version, MPROF_INDEX_VERSION_VTABLES_MIN);
}

/* Reads an offset, which must lie inside the file. */
static uint64_t read_offset(struct mprof_cursor *c)
{
    const uint64_t off = mprof_cursor_u64(c);

    if (off >= c->size)
        mprof_cursor_fail(c, MPROF_E_OFFSET);
    return off;
}

void mprof_index_llvm_read_memprof(struct mprof_index_llvm_memprof *memprof,
                                   struct mprof_cursor *c, uint64_t off)
{
    *memprof = (struct mprof_index_llvm_memprof){.version = 0};
    mprof_cursor_seek(c, off);
    memprof->version = mprof_cursor_u64(c);
    if (memprof->version < MPROF_MEMPROF_VERSION_MIN ||
        memprof->version > MPROF_MEMPROF_VERSION_MAX) {
        mprof_cursor_fail(c, MPROF_E_VERSION);
        return;
    }
    if (memprof->version < MPROF_MEMPROF_VERSION_ARRAYS_MIN) {
        memprof->record_table_off = read_offset(c);
        read_offset(c); /* frame payload */
        memprof->frame_table_off = read_offset(c);
        read_offset(c); /* call stack payload */
        memprof->stack_table_off = read_offset(c);
        return;
    }
    memprof->stacks_off = read_offset(c);
    memprof->stacks_end_off = read_offset(c);
    memprof->record_table_off = read_offset(c);
    if (memprof->version < MPROF_MEMPROF_VERSION_SUMMARY_MIN)
        return;
    memprof->data_access_off = read_offset(c);
    /* Skip the summary: a count and as many fields. */
    mprof_cursor_bytes(c, (uint64_t)mprof_cursor_u32(c) * 8);
}
