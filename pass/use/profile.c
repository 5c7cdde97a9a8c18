/* profile.c -- finds what an indexed profile contains, and whether LLVM can
 * read its memory profile. LLVM's reader trusts the offsets in a file, so the
 * offsets of tables are checked here first, and the checksum if the file has
 * one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/use/profile.h"

#include "pass/support/message.h"

#include "shared/container.h"
#include "shared/cursor.h"
#include "shared/index_format.h"
#include "shared/index_llvm.h"
#include "shared/le.h"
#include "shared/raw_format.h"
#include "shared/raw_llvm.h"

#include <stdio.h>
#include <string.h>

/* Checks that the buckets of the hash table at `off` are inside the file.
 * Returns the number of entries. */
static uint64_t check_table(struct mprof_cursor *c, uint64_t off)
{
    mprof_cursor_seek(c, off);
    const uint64_t buckets = mprof_cursor_u64(c);
    const uint64_t entries = mprof_cursor_u64(c);
    if (!mprof_cursor_can_hold(c, buckets, sizeof(uint64_t)))
        return 0;
    for (uint64_t i = 0; i < buckets; i++) {
        if (mprof_cursor_u64(c) >= c->size)
            mprof_cursor_fail(c, MPROF_E_OFFSET);
    }
    return entries;
}

/* Checks that the binary ids end inside the file. In most profiles they are the
 * last part, so this detects a truncated file. */
static void check_binary_ids(struct mprof_cursor *c, uint64_t off)
{
    if (off == 0)
        return;
    mprof_cursor_seek(c, off);
    mprof_cursor_bytes(c, mprof_cursor_u64(c));
}

/* Checks that LLVM's part of a file is as 'memprofdata merge' wrote it. Other
 * files have no checksum. */
static enum mprof_err check_sums(const uint8_t *data, size_t size,
                                 struct mprof_diag *diag)
{
    const uint8_t *trailer = data + size - MPROF_TRAILER_BYTES;
    struct mprof_dir dir;

    if (size < MPROF_TRAILER_BYTES ||
        mprof_le_load64(trailer + sizeof(uint64_t)) != MPROF_INDEX_EXT_MAGIC)
        return MPROF_E_OK;
    const enum mprof_err err =
        mprof_dir_read(&dir, data, size, mprof_le_load64(trailer),
                       MPROF_INDEX_EXT_MAGIC, MPROF_INDEX_EXT_VERSION_MIN,
                       MPROF_INDEX_EXT_VERSION, true, "directory", diag);
    if (err != MPROF_E_OK)
        return err;
    const struct mprof_section *const llvm =
        mprof_dir_find(&dir, MPROF_INDEX_LLVM);
    if (llvm != NULL && mprof_checksum(data + llvm->offset,
                                       llvm->stored_bytes) != llvm->checksum)
        return mprof_err_fail(diag, MPROF_E_CHECKSUM,
                              mprof_index_section_name(MPROF_INDEX_LLVM),
                              llvm->offset);
    return MPROF_E_OK;
}

/* Checks the parts that LLVM reads without checking. Returns the number of
 * functions with counters. */
static uint64_t check_parts(struct mprof_cursor *c,
                            const struct mprof_index_llvm *header)
{
    struct mprof_index_llvm_memprof memprof;

    c->section = "function table";
    const uint64_t functions = check_table(c, header->table_off);
    if (c->err == MPROF_E_OK &&
        (header->variant & MPROF_INDEX_VARIANT_MEMPROF) != 0) {
        c->section = "memory profile";
        mprof_index_llvm_read_memprof(&memprof, c, header->memprof_off);
        if (c->err == MPROF_E_OK)
            check_table(c, memprof.record_table_off);
    }
    if (c->err == MPROF_E_OK) {
        c->section = "binary ids";
        check_binary_ids(c, header->binary_ids_off);
    }
    return functions;
}

enum mprof_err mpass_profile_probe(const void *data, size_t size,
                                   struct mpass_profile *out,
                                   struct mprof_diag *diag)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, "header");
    struct mprof_index_llvm header;
    uint64_t functions = 0;

    if (size == 0)
        return mprof_err_plain(diag, MPROF_E_EMPTY);
    if (size < sizeof(uint64_t) || mprof_le_load64(data) != MPROF_INDEX_MAGIC)
        return mprof_err_fail(diag, MPROF_E_MAGIC, "header", 0);
    const enum mprof_err err = check_sums(data, size, diag);
    if (err != MPROF_E_OK)
        return err;
    mprof_index_llvm_read(&header, &c);
    if (c.err == MPROF_E_OK)
        functions = check_parts(&c, &header);
    if (c.err != MPROF_E_OK)
        return mprof_cursor_status(&c, diag);
    *out = (struct mpass_profile){
        .has_memory = (header.variant & MPROF_INDEX_VARIANT_MEMPROF) != 0,
        .has_counters = functions > 0,
        .is_ir = (header.variant & MPROF_INDEX_VARIANT_IR) != 0,
    };
    return MPROF_E_OK;
}

static bool is_raw(const void *data, size_t size)
{
    const uint64_t magic = size < sizeof(uint64_t) ? 0 : mprof_le_load64(data);

    return magic == MPROF_RAW_MAGIC || magic == MPROF_RAW_LLVM_MAGIC;
}

/* What the user can do about the error. */
static const char *advice(enum mprof_err err, bool raw)
{
    if (raw)
        return "it is a raw profile: run 'memprofdata merge' first";
    if (err == MPROF_E_NO_MEMPROF)
        return "was it merged from runs of a program built with "
               "-fmemory-profile?";
    if (err == MPROF_E_VERSION)
        return "write it again with this compiler's or an older 'memprofdata "
               "merge'";
    if (err == MPROF_E_CHECKSUM)
        return "make it again with 'memprofdata merge'";
    return "write it again with 'memprofdata merge'";
}

bool mpass_profile_check(const char *path, const void *data, size_t size,
                         char *message)
{
    const bool raw = is_raw(data, size);
    struct mpass_profile profile = {0};
    struct mprof_diag diag = {.offset = MPROF_DIAG_NO_OFFSET};
    enum mprof_err err = mpass_profile_probe(data, size, &profile, &diag);
    char place[MPASS_MESSAGE_BYTES / 4] = "";

    if (err == MPROF_E_OK && profile.has_memory)
        return true;
    if (err == MPROF_E_OK)
        err = MPROF_E_NO_MEMPROF;
    else if (diag.section != NULL && err != MPROF_E_MAGIC)
        snprintf(place, sizeof(place), "%s at 0x%llx: ", diag.section,
                 (unsigned long long)diag.offset);
    snprintf(message, MPASS_MESSAGE_BYTES, "%s: memory profile '%s': %s%s; %s",
             MPASS_NAME, path, place, mprof_err_text(err), advice(err, raw));
    return false;
}
