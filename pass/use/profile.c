/* profile.c -- which kind of indexed profile a file is, and whether LLVM can be
 * let at its memory profile. LLVM's reader trusts the offsets that it finds, so
 * all that lead to a table are checked here first; and the checksum, where the
 * file has one.
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

/* Words of the file's header. */
enum {
    WORD_MAGIC,
    WORD_VERSION,
    WORD_UNUSED,
    WORD_HASH_TYPE,
    WORD_TABLE,
    WORD_MEMPROF,
    WORD_BINARY_IDS,
    WORD_TEMPORAL,
    WORD_VTABLES
};

/* The section's header: its version, then offsets; where the one of the
 * records' hash table is, and how many there are. Indexed by version. */
static const struct {
    unsigned words;
    unsigned record_table;
} memprof_headers[MPROF_MEMPROF_VERSION_MAX + 1] = {
    [2] = {6, 1},
    [3] = {4, 3},
    [4] = {5, 3},
};

/* Number of entries of the hash table at off; its buckets lie in the file. */
static uint64_t check_table(struct mprof_cursor *c, uint64_t off)
{
    uint64_t buckets;
    uint64_t entries;

    mprof_cursor_seek(c, off);
    buckets = mprof_cursor_u64(c);
    entries = mprof_cursor_u64(c);
    if (!mprof_cursor_can_hold(c, buckets, sizeof(uint64_t)))
        return 0;
    for (uint64_t i = 0; i < buckets; i++) {
        if (mprof_cursor_u64(c) >= c->size)
            mprof_cursor_fail(c, MPROF_E_OFFSET);
    }
    return entries;
}

/* The memprof section at off: a version that LLVM reads, offsets and the record
 * table inside the file. */
static void check_memprof(struct mprof_cursor *c, uint64_t off)
{
    uint64_t words[8] = {0};
    uint64_t version;

    mprof_cursor_seek(c, off);
    version = mprof_cursor_u64(c);
    if (version < MPROF_MEMPROF_VERSION_MIN ||
        version > MPROF_MEMPROF_VERSION_MAX) {
        mprof_cursor_fail(c, MPROF_E_VERSION);
        return;
    }
    for (unsigned i = 1; i < memprof_headers[version].words; i++) {
        words[i] = mprof_cursor_u64(c);
        if (words[i] >= c->size)
            mprof_cursor_fail(c, MPROF_E_OFFSET);
    }
    if (c->err == MPROF_E_OK)
        check_table(c, words[memprof_headers[version].record_table]);
}

/* Number of header words that this version of the file has. */
static unsigned header_words(uint64_t version)
{
    if (version >= MPROF_INDEX_VERSION_VTABLES_MIN)
        return WORD_VTABLES + 1;
    if (version >= MPROF_INDEX_VERSION_TEMPORAL_MIN)
        return WORD_TEMPORAL + 1;
    if (version >= MPROF_INDEX_VERSION_BINARY_IDS_MIN)
        return WORD_BINARY_IDS + 1;
    if (version >= MPROF_INDEX_VERSION_MEMPROF_MIN)
        return WORD_MEMPROF + 1;
    return WORD_TABLE + 1;
}

/* The binary ids end inside the file: the last thing in most profiles, so that
 * this notices a file that was cut. */
static void check_binary_ids(struct mprof_cursor *c, uint64_t off)
{
    if (off == 0)
        return;
    mprof_cursor_seek(c, off);
    mprof_cursor_bytes(c, mprof_cursor_u64(c));
}

static void read_header(struct mprof_cursor *c, uint64_t *words)
{
    words[WORD_MAGIC] = mprof_cursor_u64(c);
    words[WORD_VERSION] = mprof_cursor_u64(c);
    if (c->err == MPROF_E_OK && words[WORD_MAGIC] != MPROF_INDEX_MAGIC)
        mprof_cursor_fail(c, MPROF_E_MAGIC);
    if ((words[WORD_VERSION] & ~MPROF_INDEX_VARIANT_MASK) >
        MPROF_INDEX_VERSION_MAX)
        mprof_cursor_fail(c, MPROF_E_VERSION);
    if (c->err != MPROF_E_OK)
        return;
    for (unsigned i = WORD_UNUSED;
         i < header_words(words[WORD_VERSION] & ~MPROF_INDEX_VARIANT_MASK); i++)
        words[i] = mprof_cursor_u64(c);
}

/* LLVM's part of a file that 'memprofdata merge' wrote is as it was written;
 * other files have no checksum. */
static enum mprof_err check_sums(const uint8_t *data, size_t size,
                                 struct mprof_diag *diag)
{
    const uint8_t *trailer = data + size - MPROF_TRAILER_BYTES;
    const struct mprof_section *llvm;
    struct mprof_dir dir;
    enum mprof_err err;

    if (size < MPROF_TRAILER_BYTES ||
        mprof_le_load64(trailer + sizeof(uint64_t)) != MPROF_INDEX_EXT_MAGIC)
        return MPROF_E_OK;
    err = mprof_dir_read(&dir, data, size, mprof_le_load64(trailer),
                         MPROF_INDEX_EXT_MAGIC, MPROF_INDEX_EXT_VERSION_MIN,
                         MPROF_INDEX_EXT_VERSION, true, "directory", diag);
    if (err != MPROF_E_OK)
        return err;
    llvm = mprof_dir_find(&dir, MPROF_INDEX_LLVM);
    if (llvm != NULL && mprof_checksum(data + llvm->offset,
                                       llvm->stored_bytes) != llvm->checksum)
        return mprof_err_fail(diag, MPROF_E_CHECKSUM,
                              mprof_index_section_name(MPROF_INDEX_LLVM),
                              llvm->offset);
    return MPROF_E_OK;
}

enum mprof_err mpass_profile_probe(const void *data, size_t size,
                                   struct mpass_profile *out,
                                   struct mprof_diag *diag)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, "header");
    uint64_t words[MPROF_INDEX_HEADER_WORDS] = {0};
    uint64_t variant;
    uint64_t functions;
    enum mprof_err err;

    if (size == 0)
        return mprof_err_fail(diag, MPROF_E_EMPTY, NULL, MPROF_DIAG_NO_OFFSET);
    if (size < sizeof(uint64_t) || mprof_le_load64(data) != MPROF_INDEX_MAGIC)
        return mprof_err_fail(diag, MPROF_E_MAGIC, "header", 0);
    err = check_sums(data, size, diag);
    if (err != MPROF_E_OK)
        return err;
    read_header(&c, words);
    variant = words[WORD_VERSION] & MPROF_INDEX_VARIANT_MASK;
    if (c.err == MPROF_E_OK)
        c.section = "function table";
    functions = check_table(&c, words[WORD_TABLE]);
    if (c.err == MPROF_E_OK && (variant & MPROF_INDEX_VARIANT_MEMPROF)) {
        c.section = "memory profile";
        check_memprof(&c, words[WORD_MEMPROF]);
    }
    if (c.err == MPROF_E_OK) {
        c.section = "binary ids";
        check_binary_ids(&c, words[WORD_BINARY_IDS]);
    }
    if (c.err != MPROF_E_OK)
        return mprof_cursor_status(&c, diag);
    *out = (struct mpass_profile){
        .has_memory = (variant & MPROF_INDEX_VARIANT_MEMPROF) != 0,
        .has_counters = functions > 0,
        .is_ir = (variant & MPROF_INDEX_VARIANT_IR) != 0,
    };
    return MPROF_E_OK;
}

static bool is_raw(const void *data, size_t size)
{
    const uint64_t magic = size < sizeof(uint64_t) ? 0 : mprof_le_load64(data);

    return magic == MPROF_RAW_MAGIC || magic == MPROF_RAW_LLVM_MAGIC;
}

/* What the user can do about it. */
static const char *advice(enum mprof_err err, bool raw)
{
    if (raw)
        return "this is what a run wrote; 'memprofdata merge' makes a profile "
               "of it that the compiler can use";
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
