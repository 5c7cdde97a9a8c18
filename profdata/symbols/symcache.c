/* symcache.c -- symbols on disk.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/symcache.h"
#include "profdata/symbols/debugfile.h"
#include "profdata/symbols/elf.h"
#include "profdata/base/file.h"
#include "profdata/base/heapbuf.h"
#include "profdata/base/section.h"
#include "profdata/base/section_write.h"
#include "profdata/symbols/symcache_trim.h"
#include "shared/symcache_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

bool mpdata_symcache_split_add(struct mpdata_vec *splits, const char *path)
{
    const struct mpdata_symcache_split *const rows =
        (const struct mpdata_symcache_split *)splits->data;

    for (uint32_t i = 0; i < splits->count; i++) {
        if (strcmp(rows[i].path, path) == 0)
            return true;
    }
    return push_split(splits, path, strlen(path), mpdata_file_stamp(path));
}

/* -- writing --------------------------------------------------------------- */

static int compare_places(const void *left, const void *right)
{
    const struct mpdata_symbol_place *const a =
        (const struct mpdata_symbol_place *)left;
    const struct mpdata_symbol_place *const b =
        (const struct mpdata_symbol_place *)right;

    return a->address < b->address ? -1 : a->address > b->address;
}

static void encode_key(struct mprof_buf *out, uint64_t key,
                       const struct mpdata_vec *splits)
{
    const struct mpdata_symcache_split *const rows =
        (const struct mpdata_symcache_split *)splits->data;

    mprof_buf_u64(out, key);
    for (uint32_t i = 0; i < splits->count; i++) {
        const size_t size = strlen(rows[i].path);

        mprof_buf_u64(out, rows[i].stamp);
        mprof_buf_u32(out, (uint32_t)size);
        mprof_buf_bytes(out, rows[i].path, size);
    }
}

static bool encode_places(struct mprof_buf *out,
                          const struct mpdata_symbols *symbols)
{
    const size_t count = symbols->places.count;
    struct mpdata_symbol_place *const rows =
        (struct mpdata_symbol_place *)mpdata_vec_array(count, sizeof(*rows));

    if (rows == NULL)
        return false;
    if (count != 0)
        memcpy(rows, symbols->places.data, count * sizeof(*rows));
    qsort(rows, count, sizeof(*rows), compare_places);
    for (size_t i = 0; i < count; i++) {
        mprof_buf_u64(out, rows[i].address);
        mprof_buf_u32(out, rows[i].first);
        mprof_buf_u32(out, rows[i].count);
        mprof_buf_u32(out, rows[i].source);
    }
    free(rows);
    return !out->failed;
}

static void encode_frames(struct mprof_buf *out,
                          const struct mpdata_symbols *symbols)
{
    const struct mpdata_symbol_frame *const rows =
        (const struct mpdata_symbol_frame *)symbols->frames.data;

    for (uint32_t i = 0; i < symbols->frames.count; i++) {
        const struct mpdata_symbol_frame *f = &rows[i];

        mprof_buf_u32(out, f->function);
        mprof_buf_u32(out, f->file);
        mprof_buf_u32(out, f->start_file);
        mprof_buf_u32(out, f->line);
        mprof_buf_u32(out, f->column);
        mprof_buf_u32(out, f->start_line);
        mprof_buf_u32(out, f->discriminator);
    }
}

enum mprof_err mpdata_symcache_encode(const struct mpdata_symbols *symbols,
                                      uint64_t key,
                                      const struct mpdata_vec *splits,
                                      struct mprof_buf *out)
{
    struct mprof_buf parts[MPROF_SYMCACHE_SECTIONS];
    struct mprof_dir dir = {.magic = MPROF_SYMCACHE_MAGIC,
                            .version = MPROF_SYMCACHE_VERSION,
                            .section_count = MPROF_SYMCACHE_SECTIONS};
    enum mprof_err err = MPROF_E_OK;

    for (uint32_t i = 0; i < MPROF_SYMCACHE_SECTIONS; i++)
        mpdata_heapbuf_init(&parts[i]);
    encode_key(&parts[0], key, splits);
    if (!encode_places(&parts[1], symbols))
        err = MPROF_E_NOMEM;
    encode_frames(&parts[2], symbols);
    mprof_buf_bytes(&parts[3], symbols->bytes_size != 0 ? symbols->bytes : "",
                    symbols->bytes_size != 0 ? symbols->bytes_size : 1);
    if (mprof_buf_extend(out, mprof_dir_bytes(MPROF_SYMCACHE_SECTIONS)) == NULL)
        err = MPROF_E_NOMEM;
    for (uint32_t i = 0; i < MPROF_SYMCACHE_SECTIONS && err == MPROF_E_OK; i++)
        err = parts[i].failed
                  ? MPROF_E_NOMEM
                  : mpdata_section_write(i + 1, parts[i].data, parts[i].size,
                                         false, out, &dir.sections[i]);
    if (err == MPROF_E_OK) {
        dir.file_bytes = out->size;
        mprof_dir_write(&dir, out->data);
    }
    for (uint32_t i = 0; i < MPROF_SYMCACHE_SECTIONS; i++)
        mpdata_heapbuf_fini(&parts[i]);
    return err;
}

/* -- reading --------------------------------------------------------------- */

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

        if (path != NULL &&
            !push_split(d->splits, (const char *)path, size, stamp))
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

static enum mprof_err decode_places(struct decoder *d, struct mprof_diag *diag)
{
    struct mprof_cursor c = cursor_of(d, MPROF_SYMCACHE_PLACES);
    const uint32_t frames = d->symbols->frames.count;
    uint64_t last = 0;

    while (mprof_cursor_left(&c) != 0) {
        struct mpdata_symbol_place p;

        p.address = mprof_cursor_u64(&c);
        p.first = mprof_cursor_u32(&c);
        p.count = mprof_cursor_u32(&c);
        p.source = mprof_cursor_u32(&c);
        if (p.first > frames || p.count > frames - p.first)
            mprof_cursor_fail(&c, MPROF_E_REFERENCE);
        if (p.count == 0 || p.source > MPDATA_SYMBOL_DEBUG)
            mprof_cursor_fail(&c, MPROF_E_VALUE);
        if (d->symbols->places.count != 0 && p.address <= last)
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
        err = decode_places(&d, diag);
    for (uint32_t i = 0; i < MPROF_SYMCACHE_SECTIONS; i++)
        mpdata_section_close(&d.sections[i]);
    return err;
}

/* -- files ----------------------------------------------------------------- */

char *mpdata_symcache_path(const char *build_id, size_t size)
{
    const char *const cache = getenv("XDG_CACHE_HOME");
    const char *const home = getenv("HOME");
    const bool is_cache = cache != NULL && cache[0] == '/';
    char text[MPDATA_BUILD_ID_TEXT_BYTES];
    char *path = NULL;

    if (size < 2 || 2 * size >= sizeof(text) ||
        (!is_cache && (home == NULL || home[0] != '/')))
        return NULL;
    mpdata_build_id_text(build_id, size, text);
    if (asprintf(&path, "%s%s/memprof/symbols/%.2s/%s", is_cache ? cache : home,
                 is_cache ? "" : "/.cache", text, text + 2) < 0)
        return NULL;
    return path;
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

static bool are_splits_same(const struct mpdata_vec *splits)
{
    const struct mpdata_symcache_split *const rows =
        (const struct mpdata_symcache_split *)splits->data;

    for (uint32_t i = 0; i < splits->count; i++) {
        if (mpdata_file_stamp(rows[i].path) != rows[i].stamp)
            return false;
    }
    return true;
}

bool mpdata_symcache_load(const char *path, uint64_t key,
                          struct mpdata_symbols *symbols,
                          struct mpdata_vec *splits)
{
    struct mpdata_file file;
    bool is_good;

    if (mpdata_file_open(&file, path, NULL) != MPROF_E_OK)
        return false;
    is_good = mpdata_symcache_decode(file.data, file.size, key, true, symbols,
                                     splits, NULL) == MPROF_E_OK &&
              are_splits_same(splits);
    mpdata_file_close(&file);
    if (is_good) {
        mpdata_symcache_touch(path);
        return true;
    }
    mpdata_symbols_fini(symbols);
    mpdata_symbols_init(symbols);
    mpdata_symcache_splits_fini(splits);
    splits->elem_bytes = sizeof(struct mpdata_symcache_split);
    return false;
}

void mpdata_symcache_save(const char *path, uint64_t key,
                          const struct mpdata_symbols *symbols,
                          const struct mpdata_vec *splits)
{
    struct mprof_buf out;

    mpdata_heapbuf_init(&out);
    if (mpdata_symcache_encode(symbols, key, splits, &out) == MPROF_E_OK) {
        make_directories(path);
        if (mpdata_file_write(path, out.data, out.size, NULL) == MPROF_E_OK)
            mpdata_symcache_trim(path, MPDATA_SYMCACHE_FOLDER_BYTES);
    }
    mpdata_heapbuf_fini(&out);
}
