/* symcache.c -- the cache of symbols.
 *
 *   FILE    u64 MPDATA_SYMCACHE_MAGIC, records
 *   RECORD  u64 key, u64 bytes that follow, u64 checksum of these, then
 *     u32 files of split DWARF, of each: u64 stamp (0: it was not there), u32
 *         size of its path, path
 *     u32 size of the strings, strings: a NUL after each, the first is empty
 *     u32 frames, of each the u32 function, file, file that defines the
 * function (offsets into the strings), line, column, the function's first line,
 *         discriminator
 *     u32 locations, of each: u64 address, u32 first frame, u32 frames (at
 * least 1), u32 enum mpdata_symbol_source
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/symcache.h"
#include "profdata/base/file.h"
#include "profdata/base/heapbuf.h"
#include "profdata/symbols/debugfile.h"
#include "shared/container.h"
#include "shared/cursor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HEAD_BYTES 24u

/* -- files of split DWARF -------------------------------------------------- */

void mpdata_symcache_splits_fini(struct mpdata_vec *splits)
{
    struct mpdata_symcache_split *const rows =
        (struct mpdata_symcache_split *)splits->data;

    for (uint32_t i = 0; i < splits->count; i++)
        free(rows[i].path);
    mpdata_vec_fini(splits);
}

static bool push_split(struct mpdata_vec *splits, const char *path, size_t size,
                       uint64_t stamp)
{
    struct mpdata_symcache_split *const row =
        (struct mpdata_symcache_split *)mpdata_vec_push(splits);

    if (row == NULL)
        return false;
    row->path = strndup(path, size);
    row->stamp = stamp;
    return row->path != NULL;
}

bool mpdata_symcache_splits_add(struct mpdata_vec *splits, const char *path)
{
    const struct mpdata_symcache_split *const rows =
        (const struct mpdata_symcache_split *)splits->data;

    for (uint32_t i = 0; i < splits->count; i++) {
        if (strcmp(rows[i].path, path) == 0)
            return true;
    }
    return push_split(splits, path, strlen(path), mpdata_debugfile_stamp(path));
}

static bool are_splits_same(const struct mpdata_vec *splits)
{
    const struct mpdata_symcache_split *const rows =
        (const struct mpdata_symcache_split *)splits->data;

    for (uint32_t i = 0; i < splits->count; i++) {
        if (mpdata_debugfile_stamp(rows[i].path) != rows[i].stamp)
            return false;
    }
    return true;
}

/* -- a record -------------------------------------------------------------- */

static void encode_splits(struct mprof_buf *out,
                          const struct mpdata_vec *splits)
{
    const struct mpdata_symcache_split *const rows =
        (const struct mpdata_symcache_split *)splits->data;

    mprof_buf_u32(out, splits->count);
    for (uint32_t i = 0; i < splits->count; i++) {
        const size_t size = strlen(rows[i].path);

        mprof_buf_u64(out, rows[i].stamp);
        mprof_buf_u32(out, (uint32_t)size);
        mprof_buf_bytes(out, rows[i].path, size);
    }
}

static void encode_symbols(struct mprof_buf *out,
                           const struct mpdata_symbols *symbols)
{
    const struct mpdata_symbol_frame *const f =
        (const struct mpdata_symbol_frame *)symbols->frames.data;
    const struct mpdata_symbol_location *const l =
        (const struct mpdata_symbol_location *)symbols->locations.data;

    mprof_buf_u32(out, (uint32_t)symbols->bytes_size);
    mprof_buf_bytes(out, symbols->bytes, symbols->bytes_size);
    mprof_buf_u32(out, symbols->frames.count);
    for (uint32_t i = 0; i < symbols->frames.count; i++) {
        mprof_buf_u32(out, f[i].function);
        mprof_buf_u32(out, f[i].file);
        mprof_buf_u32(out, f[i].start_file);
        mprof_buf_u32(out, f[i].line);
        mprof_buf_u32(out, f[i].column);
        mprof_buf_u32(out, f[i].start_line);
        mprof_buf_u32(out, f[i].discriminator);
    }
    mprof_buf_u32(out, symbols->locations.count);
    for (uint32_t i = 0; i < symbols->locations.count; i++) {
        mprof_buf_u64(out, l[i].address);
        mprof_buf_u32(out, l[i].first);
        mprof_buf_u32(out, l[i].count);
        mprof_buf_u32(out, l[i].source);
    }
}

static void encode(struct mprof_buf *out,
                   const struct mpdata_symcache_entry *entry)
{
    struct mprof_buf payload;

    mpdata_heapbuf_init(&payload);
    encode_splits(&payload, entry->splits);
    encode_symbols(&payload, entry->symbols);
    out->failed |= payload.failed;
    if (!payload.failed) {
        mprof_buf_u64(out, entry->key);
        mprof_buf_u64(out, payload.size);
        mprof_buf_u64(out, mprof_checksum(payload.data, payload.size));
        mprof_buf_bytes(out, payload.data, payload.size);
    }
    mpdata_heapbuf_fini(&payload);
}

static void decode_splits(struct mprof_cursor *c, struct mpdata_vec *splits)
{
    const uint32_t count = mprof_cursor_u32(c);

    for (uint32_t i = 0; i < count && c->err == MPROF_E_OK; i++) {
        const uint64_t stamp = mprof_cursor_u64(c);
        const uint32_t size = mprof_cursor_u32(c);
        const uint8_t *const path = mprof_cursor_bytes(c, size);

        if (path != NULL &&
            !push_split(splits, (const char *)path, size, stamp))
            mprof_cursor_fail(c, MPROF_E_NOMEM);
    }
}

static void decode_strings(struct mprof_cursor *c, struct mpdata_symbols *s)
{
    const uint32_t size = mprof_cursor_u32(c);
    const uint8_t *const bytes = mprof_cursor_bytes(c, size);

    if (size == 0 || bytes == NULL)
        return;
    if (bytes[0] != 0 || bytes[size - 1] != 0) {
        mprof_cursor_fail(c, MPROF_E_VALUE);
        return;
    }
    s->bytes = (char *)malloc(size);
    if (s->bytes == NULL) {
        mprof_cursor_fail(c, MPROF_E_NOMEM);
        return;
    }
    memcpy(s->bytes, bytes, size);
    s->bytes_size = size;
    s->bytes_capacity = size;
}

/* A text's offset; 0: none. */
static uint32_t decode_text(struct mprof_cursor *c,
                            const struct mpdata_symbols *s)
{
    const uint32_t off = mprof_cursor_u32(c);

    if (off != 0 && off >= s->bytes_size)
        mprof_cursor_fail(c, MPROF_E_REFERENCE);
    return off;
}

static void decode_frames(struct mprof_cursor *c, struct mpdata_symbols *s)
{
    const uint32_t count = mprof_cursor_u32(c);

    for (uint32_t i = 0; i < count && c->err == MPROF_E_OK; i++) {
        struct mpdata_symbol_frame *const row =
            (struct mpdata_symbol_frame *)mpdata_vec_push(&s->frames);

        if (row == NULL) {
            mprof_cursor_fail(c, MPROF_E_NOMEM);
            return;
        }
        row->function = decode_text(c, s);
        row->file = decode_text(c, s);
        row->start_file = decode_text(c, s);
        row->line = mprof_cursor_u32(c);
        row->column = mprof_cursor_u32(c);
        row->start_line = mprof_cursor_u32(c);
        row->discriminator = mprof_cursor_u32(c);
    }
}

static void decode_locations(struct mprof_cursor *c, struct mpdata_symbols *s)
{
    const uint32_t count = mprof_cursor_u32(c);

    for (uint32_t i = 0; i < count && c->err == MPROF_E_OK; i++) {
        struct mpdata_symbol_location l;

        l.address = mprof_cursor_u64(c);
        l.first = mprof_cursor_u32(c);
        l.count = mprof_cursor_u32(c);
        l.source = mprof_cursor_u32(c);
        if (l.first > s->frames.count || l.count > s->frames.count - l.first)
            mprof_cursor_fail(c, MPROF_E_REFERENCE);
        if (l.count == 0 || l.source > MPDATA_SYMBOL_DEBUG)
            mprof_cursor_fail(c, MPROF_E_VALUE);
        if (mpdata_symbols_find(s, l.address) != NULL)
            mprof_cursor_fail(c, MPROF_E_DUPLICATE);
        if (c->err == MPROF_E_OK && !mpdata_symbols_push(s, &l))
            mprof_cursor_fail(c, MPROF_E_NOMEM);
    }
}

static bool decode(const uint8_t *data, size_t size,
                   struct mpdata_symbols *symbols, struct mpdata_vec *splits)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, NULL);

    decode_splits(&c, splits);
    decode_strings(&c, symbols);
    decode_frames(&c, symbols);
    decode_locations(&c, symbols);
    return c.err == MPROF_E_OK && mprof_cursor_left(&c) == 0;
}

/* -- the records of a file ------------------------------------------------- */

struct record {
    const uint8_t *whole; /* with its head */
    uint64_t key;
    uint64_t checksum;
    uint64_t bytes; /* behind the head */
};

/* Steps to the next record; false at the end, or where the rest is damaged. */
static bool next_record(struct mprof_cursor *c, struct record *record)
{
    record->whole = c->data + c->pos;
    record->key = mprof_cursor_u64(c);
    record->bytes = mprof_cursor_u64(c);
    record->checksum = mprof_cursor_u64(c);
    return c->err == MPROF_E_OK && record->bytes <= mprof_cursor_left(c) &&
           mprof_cursor_bytes(c, (size_t)record->bytes) != NULL;
}

static bool is_whole(const struct record *record)
{
    return mprof_checksum(record->whole + HEAD_BYTES, (size_t)record->bytes) ==
           record->checksum;
}

bool mpdata_symcache_find(const uint8_t *data, size_t size, uint64_t key,
                          bool verify, struct mpdata_symbols *symbols,
                          struct mpdata_vec *splits)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, NULL);
    struct record record;

    if (mprof_cursor_u64(&c) == MPDATA_SYMCACHE_MAGIC) {
        while (next_record(&c, &record)) {
            if (record.key == key)
                return (!verify || is_whole(&record)) &&
                       decode(record.whole + HEAD_BYTES, (size_t)record.bytes,
                              symbols, splits);
        }
    }
    return false;
}

/* -- the file -------------------------------------------------------------- */

char *mpdata_symcache_path(void)
{
    const char *const cache = getenv("XDG_CACHE_HOME");
    const char *const home = getenv("HOME");
    const bool is_cache = cache != NULL && cache[0] == '/';
    char *path = NULL;

    if (!is_cache && (home == NULL || home[0] != '/'))
        return NULL;
    return asprintf(&path, "%s%s/memprof/symbols", is_cache ? cache : home,
                    is_cache ? "" : "/.cache") >= 0
               ? path
               : NULL;
}

/* Makes the directories of a path. */
static void make_directories(const char *path)
{
    char *const copy = strdup(path);

    for (char *p = copy; p != NULL && (p = strchr(p + 1, '/')) != NULL;) {
        *p = '\0';
        (void)!mkdir(copy, 0700);
        *p = '/';
    }
    free(copy);
}

bool mpdata_symcache_load(const char *path, uint64_t key,
                          struct mpdata_symbols *symbols,
                          struct mpdata_vec *splits)
{
    struct mpdata_file file;
    bool is_good;

    if (mpdata_file_open(&file, path, NULL) != MPROF_E_OK)
        return false;
    is_good = mpdata_symcache_find(file.data, file.size, key, true, symbols,
                                   splits) &&
              are_splits_same(splits);
    mpdata_file_close(&file);
    if (is_good)
        return true;
    mpdata_symbols_fini(symbols);
    mpdata_symbols_init(symbols);
    mpdata_symcache_splits_fini(splits);
    splits->elem_bytes = sizeof(struct mpdata_symcache_split);
    return false;
}

static bool has_key(const struct mpdata_symcache_entry *entries, size_t count,
                    uint64_t key)
{
    for (size_t i = 0; i < count; i++) {
        if (entries[i].key == key)
            return true;
    }
    return false;
}

/* Adds the whole records of the old file that no entry replaces. */
static void keep_others(struct mprof_buf *out, const char *path,
                        const struct mpdata_symcache_entry *entries,
                        size_t count)
{
    struct mpdata_file file;
    struct mprof_cursor c;
    struct record record;

    if (mpdata_file_open(&file, path, NULL) != MPROF_E_OK)
        return;
    c = mprof_cursor_over(file.data, file.size, 0, NULL);
    if (mprof_cursor_u64(&c) == MPDATA_SYMCACHE_MAGIC) {
        while (next_record(&c, &record) &&
               out->size + HEAD_BYTES + record.bytes <=
                   MPDATA_SYMCACHE_BYTES_MAX) {
            if (!has_key(entries, count, record.key) && is_whole(&record))
                mprof_buf_bytes(out, record.whole,
                                HEAD_BYTES + (size_t)record.bytes);
        }
    }
    mpdata_file_close(&file);
}

void mpdata_symcache_save(const char *path,
                          const struct mpdata_symcache_entry *entries,
                          size_t count)
{
    struct mprof_buf out;

    mpdata_heapbuf_init(&out);
    mprof_buf_u64(&out, MPDATA_SYMCACHE_MAGIC);
    for (size_t i = 0; i < count; i++)
        encode(&out, &entries[i]);
    keep_others(&out, path, entries, count);
    if (!out.failed) {
        make_directories(path);
        (void)mpdata_file_replace(path, out.data, out.size);
    }
    mpdata_heapbuf_fini(&out);
}
