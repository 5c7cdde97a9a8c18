/* symcache.c -- the cache of symbols. Layout:
 *
 *   FILE    u64 MPDATA_SYMCACHE_MAGIC, records
 *   RECORD  u64 key, u64 size of the symbols, u64 their checksum,
 *           symbols as bytes (symbols.c)
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/symbolizer.h"
#include "profdata/base/file.h"
#include "profdata/base/sink.h"
#include "profdata/symbols/debugfile.h"
#include "shared/container.h"
#include "shared/cursor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HEAD_BYTES 24u

static bool are_splits_same(const struct mpdata_symbols *symbols)
{
    const struct mpdata_symbol_split *const rows = symbols->splits.data;

    for (uint32_t i = 0; i < symbols->splits.count; i++) {
        if (mpdata_debugfile_stamp(rows[i].path) != rows[i].stamp)
            return false;
    }
    return true;
}

static void encode(struct mprof_buf *out,
                   const struct mpdata_symcache_entry *entry)
{
    struct mprof_buf payload;

    mpdata_heapbuf_init(&payload);
    mpdata_symbols_encode(entry->symbols, &payload);
    out->failed |= payload.failed;
    if (!payload.failed) {
        mprof_buf_u64(out, entry->key);
        mprof_buf_u64(out, payload.size);
        mprof_buf_u64(out, mprof_checksum(payload.data, payload.size));
        mprof_buf_bytes(out, payload.data, payload.size);
    }
    mpdata_heapbuf_fini(&payload);
}

/* -- the records of a file ------------------------------------------------- */

struct record {
    const uint8_t *whole; /* the record with its header */
    uint64_t key;
    uint64_t checksum;
    uint64_t bytes; /* size without the header */
};

/* Reads the next record. Returns false at the end or if the rest is damaged. */
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
                          bool verify, struct mpdata_symbols *symbols)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, NULL);
    struct record record;

    if (mprof_cursor_u64(&c) != MPDATA_SYMCACHE_MAGIC)
        return false;
    while (next_record(&c, &record)) {
        if (record.key != key)
            continue;
        c = mprof_cursor_over(record.whole + HEAD_BYTES, (size_t)record.bytes,
                              0, NULL);
        return (!verify || is_whole(&record)) &&
               mpdata_symbols_decode(symbols, &c);
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

/* Creates the parent directories of a path. */
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
                          struct mpdata_symbols *symbols)
{
    struct mpdata_file file;

    if (mpdata_file_open(&file, path, NULL) != MPROF_E_OK)
        return false;
    bool is_good =
        mpdata_symcache_find(file.data, file.size, key, true, symbols) &&
        are_splits_same(symbols);
    mpdata_file_close(&file);
    if (is_good)
        return true;
    mpdata_symbols_fini(symbols);
    mpdata_symbols_init(symbols);
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

/* Appends the undamaged records of the old file that no entry replaces. */
static void keep_others(struct mprof_buf *out, const char *path,
                        const struct mpdata_symcache_entry *entries,
                        size_t count)
{
    struct mpdata_file file;
    struct record record;

    if (mpdata_file_open(&file, path, NULL) != MPROF_E_OK)
        return;
    struct mprof_cursor c = mprof_cursor_over(file.data, file.size, 0, NULL);
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
