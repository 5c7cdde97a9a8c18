/* symcache_decode.c -- symbols read from disk (shared/symcache_format.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/symcache_decode.h"
#include "profdata/base/section.h"
#include "profdata/symbols/symcache_splits.h"
#include "shared/symcache_format.h"

#include <stdlib.h>
#include <string.h>

struct decoder {
    struct mpdata_section sections[MPROF_SYMCACHE_SECTIONS];
    struct mpdata_symbols *symbols;
    struct mpdata_vec *splits;
    uint64_t key;
};

static struct mprof_cursor cursor_of(const struct decoder *d,
                                     enum mprof_symcache_section id)
{
    const struct mpdata_section *const s = &d->sections[id - 1];

    return mprof_cursor_over(s->data, s->size, s->file_off, s->name);
}

static enum mprof_err decode_key(struct decoder *d, struct mprof_diag *diag)
{
    struct mprof_cursor c = cursor_of(d, MPROF_SYMCACHE_KEY);

    if (mprof_cursor_u64(&c) != d->key)
        mprof_cursor_fail(&c, MPROF_E_VALUE);
    while (mprof_cursor_left(&c) != 0) {
        const uint64_t stamp = mprof_cursor_u64(&c);
        const uint32_t size = mprof_cursor_u32(&c);
        const uint8_t *const path = mprof_cursor_bytes(&c, size);

        if (path != NULL && !mpdata_symcache_splits_push(
                                d->splits, (const char *)path, size, stamp))
            return mprof_err_fail(diag, MPROF_E_NOMEM, NULL,
                                  MPROF_DIAG_NO_OFFSET);
    }
    return mprof_cursor_status(&c, diag);
}

static enum mprof_err decode_strings(struct decoder *d, struct mprof_diag *diag)
{
    struct mprof_cursor c = cursor_of(d, MPROF_SYMCACHE_STRINGS);
    const size_t size = mprof_cursor_left(&c);
    const uint8_t *const bytes = mprof_cursor_bytes(&c, size);

    if (size == 0 || size > UINT32_MAX || bytes[0] != 0 || bytes[size - 1] != 0)
        mprof_cursor_fail(&c, MPROF_E_VALUE);
    if (c.err != MPROF_E_OK)
        return mprof_cursor_status(&c, diag);
    d->symbols->bytes = (char *)malloc(size);
    if (d->symbols->bytes == NULL)
        return mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
    memcpy(d->symbols->bytes, bytes, size);
    d->symbols->bytes_size = size;
    d->symbols->bytes_capacity = size;
    return MPROF_E_OK;
}

static enum mprof_err decode_frames(struct decoder *d, struct mprof_diag *diag)
{
    struct mprof_cursor c = cursor_of(d, MPROF_SYMCACHE_FRAMES);
    const size_t strings = d->symbols->bytes_size;

    while (mprof_cursor_left(&c) != 0) {
        struct mpdata_symbol_frame f;
        struct mpdata_symbol_frame *row;

        f.function = mprof_cursor_u32(&c);
        f.file = mprof_cursor_u32(&c);
        f.start_file = mprof_cursor_u32(&c);
        f.line = mprof_cursor_u32(&c);
        f.column = mprof_cursor_u32(&c);
        f.start_line = mprof_cursor_u32(&c);
        f.discriminator = mprof_cursor_u32(&c);
        if (f.function >= strings || f.file >= strings ||
            f.start_file >= strings)
            mprof_cursor_fail(&c, MPROF_E_REFERENCE);
        if (c.err != MPROF_E_OK)
            break;
        row =
            (struct mpdata_symbol_frame *)mpdata_vec_push(&d->symbols->frames);
        if (row == NULL)
            return mprof_err_fail(diag, MPROF_E_NOMEM, NULL,
                                  MPROF_DIAG_NO_OFFSET);
        *row = f;
    }
    return mprof_cursor_status(&c, diag);
}

static enum mprof_err decode_locations(struct decoder *d,
                                       struct mprof_diag *diag)
{
    struct mprof_cursor c = cursor_of(d, MPROF_SYMCACHE_PLACES);
    const uint32_t frames = d->symbols->frames.count;
    uint64_t last = 0;

    while (mprof_cursor_left(&c) != 0) {
        struct mpdata_symbol_location p;

        p.address = mprof_cursor_u64(&c);
        p.first = mprof_cursor_u32(&c);
        p.count = mprof_cursor_u32(&c);
        p.source = mprof_cursor_u32(&c);
        if (p.first > frames || p.count > frames - p.first)
            mprof_cursor_fail(&c, MPROF_E_REFERENCE);
        if (p.count == 0 || p.source > MPDATA_SYMBOL_DEBUG)
            mprof_cursor_fail(&c, MPROF_E_VALUE);
        if (d->symbols->locations.count != 0 && p.address <= last)
            mprof_cursor_fail(&c, MPROF_E_DUPLICATE);
        if (c.err != MPROF_E_OK)
            break;
        last = p.address;
        if (!mpdata_symbols_push(d->symbols, &p))
            return mprof_err_fail(diag, MPROF_E_NOMEM, NULL,
                                  MPROF_DIAG_NO_OFFSET);
    }
    return mprof_cursor_status(&c, diag);
}

static enum mprof_err open_sections(struct decoder *d, const uint8_t *data,
                                    size_t size, bool verify_checksums,
                                    struct mprof_diag *diag)
{
    static const char *const names[MPROF_SYMCACHE_SECTIONS] = {
        "key", "places", "frames", "strings"};
    struct mprof_dir dir;
    enum mprof_err err = mprof_dir_read(
        &dir, data, size, 0, MPROF_SYMCACHE_MAGIC, MPROF_SYMCACHE_VERSION,
        MPROF_SYMCACHE_VERSION, verify_checksums, "symbol cache", diag);

    for (uint32_t i = 0; i < MPROF_SYMCACHE_SECTIONS && err == MPROF_E_OK;
         i++) {
        const struct mprof_section *const place = mprof_dir_find(&dir, i + 1);

        if (place == NULL)
            return mprof_err_fail(diag, MPROF_E_MISSING, names[i],
                                  MPROF_DIAG_NO_OFFSET);
        err = mpdata_section_open(&d->sections[i], data, size, place, names[i],
                                  verify_checksums, diag);
    }
    return err;
}

enum mprof_err mpdata_symcache_decode(const uint8_t *data, size_t size,
                                      uint64_t key, bool verify_checksums,
                                      struct mpdata_symbols *symbols,
                                      struct mpdata_vec *splits,
                                      struct mprof_diag *diag)
{
    struct decoder d = {.symbols = symbols, .splits = splits, .key = key};
    enum mprof_err err = open_sections(&d, data, size, verify_checksums, diag);

    if (err == MPROF_E_OK)
        err = decode_key(&d, diag);
    if (err == MPROF_E_OK)
        err = decode_strings(&d, diag);
    if (err == MPROF_E_OK)
        err = decode_frames(&d, diag);
    if (err == MPROF_E_OK)
        err = decode_locations(&d, diag);
    for (uint32_t i = 0; i < MPROF_SYMCACHE_SECTIONS; i++)
        mpdata_section_close(&d.sections[i]);
    return err;
}
