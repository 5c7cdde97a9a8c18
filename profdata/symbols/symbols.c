/* symbols.c -- frames by address; each string is stored once. Layout as bytes:
 *
 *   u32 number of split DWARF files, for each:
 *       u64 stamp (0: the file was missing), u32 size of path, path
 *   u32 size of strings, strings: each ends with a NUL, the first is empty
 *   u32 number of frames, for each: struct mpdata_symbol_frame
 *   u32 number of locations, for each:
 *       u64 address, u32 first frame, u32 number of frames (at least 1),
 *       u32 enum mpdata_symbol_source
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/symbols.h"
#include "profdata/base/hash.h"

#include <stdlib.h>
#include <string.h>

bool mpdata_symbols_is_mangled(const char *name)
{
    return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

void mpdata_symbols_init(struct mpdata_symbols *symbols)
{
    *symbols = (struct mpdata_symbols){
        .locations = {.elem_bytes = sizeof(struct mpdata_symbol_location)},
        .frames = {.elem_bytes = sizeof(struct mpdata_symbol_frame)},
        .splits = {.elem_bytes = sizeof(struct mpdata_symbol_split)},
        .string_offs = {.elem_bytes = sizeof(uint32_t)}};
}

void mpdata_symbols_fini(struct mpdata_symbols *symbols)
{
    struct mpdata_symbol_split *const splits = symbols->splits.data;

    for (uint32_t i = 0; i < symbols->splits.count; i++)
        free(splits[i].path);
    mpdata_vec_fini(&symbols->splits);
    mpdata_vec_fini(&symbols->locations);
    mpdata_vec_fini(&symbols->frames);
    mpdata_vec_fini(&symbols->string_offs);
    mpdata_map_fini(&symbols->address_map);
    mpdata_map_fini(&symbols->string_map);
    free(symbols->bytes);
    symbols->bytes = NULL;
}

static uint64_t hash_address(uint64_t address)
{
    return mpdata_hash_words(address, 0);
}

static bool is_address(const void *rows, uint32_t row, const void *key)
{
    return ((const struct mpdata_symbol_location *)rows)[row].address ==
           *(const uint64_t *)key;
}

const struct mpdata_symbol_location *
mpdata_symbols_find(const struct mpdata_symbols *symbols, uint64_t address)
{
    const uint32_t ref =
        mpdata_map_find(&symbols->address_map, hash_address(address),
                        is_address, symbols->locations.data, &address);

    return ref != 0 ? (const struct mpdata_symbol_location *)
                              symbols->locations.data +
                          ref - 1
                    : NULL;
}

static const char *text_at(const struct mpdata_symbols *symbols, uint32_t off)
{
    return off != 0 ? symbols->bytes + off : NULL;
}

struct mpdata_symbol mpdata_symbols_frame(const struct mpdata_symbols *symbols,
                                          uint32_t frame)
{
    const struct mpdata_symbol_frame *const f =
        (const struct mpdata_symbol_frame *)symbols->frames.data + frame;

    return (struct mpdata_symbol){.function = text_at(symbols, f->function),
                                  .file = text_at(symbols, f->file),
                                  .start_file = text_at(symbols, f->start_file),
                                  .line = f->line,
                                  .column = f->column,
                                  .start_line = f->start_line,
                                  .discriminator = f->discriminator};
}

/* -- strings --------------------------------------------------------------- */

struct string_key {
    const char *bytes; /* strings of the set */
    const char *text;
};

static bool is_string(const void *rows, uint32_t row, const void *key)
{
    const struct string_key *const k = key;

    return strcmp(k->bytes + ((const uint32_t *)rows)[row], k->text) == 0;
}

static bool reserve_bytes(struct mpdata_symbols *s, size_t more)
{
    size_t capacity = s->bytes_capacity * 2 + 4096;
    char *bytes;

    if (more > UINT32_MAX - s->bytes_size)
        return false;
    if (s->bytes_size + more <= s->bytes_capacity)
        return true;
    if (capacity < s->bytes_size + more)
        capacity = s->bytes_size + more;
    bytes = realloc(s->bytes, capacity);
    if (bytes == NULL)
        return false;
    s->bytes = bytes;
    s->bytes_capacity = capacity;
    if (s->bytes_size == 0)
        s->bytes[s->bytes_size++] = '\0';
    return true;
}

static bool index_string(struct mpdata_symbols *s, uint32_t off)
{
    const char *const text = s->bytes + off;

    return mpdata_vec_add(&s->string_offs, &off) &&
           mpdata_map_add(&s->string_map, mpdata_hash_bytes(text, strlen(text)),
                          s->string_offs.count);
}

/* Strings that were decoded from bytes are indexed before the first addition.
 */
static bool index_strings(struct mpdata_symbols *s)
{
    if (s->string_offs.count != 0)
        return true;
    for (size_t off = 1; off < s->bytes_size; off += strlen(s->bytes + off) + 1)
        if (!index_string(s, (uint32_t)off))
            return false;
    return true;
}

static uint32_t add_string(struct mpdata_symbols *s, const char *text)
{
    const size_t max = s->text_bytes_max != 0 ? s->text_bytes_max : UINT32_MAX;
    const size_t size = text != NULL ? strnlen(text, max + 1) : 0;
    const struct string_key key = {.bytes = s->bytes, .text = text};

    if (size == 0 || size > max)
        return 0;
    if (!index_strings(s)) {
        s->failed = true;
        return 0;
    }
    uint32_t ref =
        mpdata_map_find(&s->string_map, mpdata_hash_bytes(text, size),
                        is_string, s->string_offs.data, &key);
    if (ref != 0)
        return ((const uint32_t *)s->string_offs.data)[ref - 1];
    if (!reserve_bytes(s, size + 2)) {
        s->failed = true;
        return 0;
    }
    ref = (uint32_t)s->bytes_size;
    memcpy(s->bytes + ref, text, size + 1);
    s->bytes_size += size + 1;
    s->failed |= !index_string(s, ref);
    return ref;
}

/* -- additions ------------------------------------------------------------- */

static void add_frame(struct mpdata_symbols *s,
                      const struct mpdata_symbol *symbol)
{
    const struct mpdata_symbol_frame frame = {
        .function = add_string(s, symbol->function),
        .file = add_string(s, symbol->file),
        .start_file = add_string(s, symbol->start_file),
        .line = symbol->line,
        .column = symbol->column,
        .start_line = symbol->start_line,
        .discriminator = symbol->discriminator};

    s->failed |= !mpdata_vec_add(&s->frames, &frame);
}

/* Adds a location whose frames were added. Returns false when out of memory. */
static bool push_location(struct mpdata_symbols *symbols,
                          const struct mpdata_symbol_location *location)
{
    return mpdata_vec_add(&symbols->locations, location) &&
           mpdata_map_add(&symbols->address_map,
                          hash_address(location->address),
                          symbols->locations.count);
}

void mpdata_symbols_add(struct mpdata_symbols *symbols, uint64_t address,
                        enum mpdata_symbol_source source,
                        const struct mpdata_symbol *frames, size_t count)
{
    const uint32_t first = symbols->frames.count;
    const struct mpdata_symbol_location location = {.address = address,
                                                    .first = first,
                                                    .count = (uint32_t)count,
                                                    .source = source};

    for (size_t i = 0; i < count && !symbols->failed; i++)
        add_frame(symbols, &frames[i]);
    if (!symbols->failed)
        symbols->failed = !push_location(symbols, &location);
}

static bool push_split(struct mpdata_symbols *symbols, const char *path,
                       size_t size, uint64_t stamp)
{
    const struct mpdata_symbol_split row = {strndup(path, size), stamp};

    if (row.path != NULL && mpdata_vec_add(&symbols->splits, &row))
        return true;
    free(row.path);
    return false;
}

void mpdata_symbols_add_split(struct mpdata_symbols *symbols, const char *path,
                              uint64_t stamp)
{
    const struct mpdata_symbol_split *const rows = symbols->splits.data;

    for (uint32_t i = 0; i < symbols->splits.count; i++) {
        if (strcmp(rows[i].path, path) == 0)
            return;
    }
    symbols->failed |= !push_split(symbols, path, strlen(path), stamp);
}

void mpdata_symbols_merge(struct mpdata_symbols *into,
                          const struct mpdata_symbols *from)
{
    const struct mpdata_symbol_location *const locations = from->locations.data;
    const struct mpdata_symbol_split *const splits = from->splits.data;
    struct mpdata_symbol *frames = NULL;
    uint32_t room = 0;

    into->failed |= from->failed;
    for (uint32_t i = 0; i < from->locations.count && !into->failed; i++) {
        const struct mpdata_symbol_location *p = &locations[i];

        if (mpdata_symbols_find(into, p->address) != NULL)
            continue;
        if (p->count > room) {
            free(frames);
            room = p->count;
            frames = calloc(room, sizeof(*frames));
            into->failed = frames == NULL;
        }
        for (uint32_t k = 0; k < p->count && !into->failed; k++)
            frames[k] = mpdata_symbols_frame(from, p->first + k);
        if (!into->failed)
            mpdata_symbols_add(into, p->address,
                               (enum mpdata_symbol_source)p->source, frames,
                               p->count);
    }
    free(frames);
    for (uint32_t i = 0; i < from->splits.count && !into->failed; i++)
        mpdata_symbols_add_split(into, splits[i].path, splits[i].stamp);
}

/* -- as bytes -------------------------------------------------------------- */

void mpdata_symbols_encode(const struct mpdata_symbols *symbols,
                           struct mprof_buf *out)
{
    const struct mpdata_symbol_split *const splits = symbols->splits.data;
    const struct mpdata_symbol_location *const l = symbols->locations.data;

    mprof_buf_u32(out, symbols->splits.count);
    for (uint32_t i = 0; i < symbols->splits.count; i++) {
        const size_t size = strlen(splits[i].path);

        mprof_buf_u64(out, splits[i].stamp);
        mprof_buf_u32(out, (uint32_t)size);
        mprof_buf_bytes(out, splits[i].path, size);
    }
    mprof_buf_u32(out, (uint32_t)symbols->bytes_size);
    mprof_buf_bytes(out, symbols->bytes, symbols->bytes_size);
    mprof_buf_u32(out, symbols->frames.count);
    mprof_buf_bytes(out, symbols->frames.data,
                    (size_t)symbols->frames.count * symbols->frames.elem_bytes);
    mprof_buf_u32(out, symbols->locations.count);
    for (uint32_t i = 0; i < symbols->locations.count; i++) {
        mprof_buf_u64(out, l[i].address);
        mprof_buf_u32(out, l[i].first);
        mprof_buf_u32(out, l[i].count);
        mprof_buf_u32(out, l[i].source);
    }
}

static void decode_splits(struct mpdata_symbols *s, struct mprof_cursor *c)
{
    const uint32_t count = mprof_cursor_u32(c);

    for (uint32_t i = 0; i < count && c->err == MPROF_E_OK; i++) {
        const uint64_t stamp = mprof_cursor_u64(c);
        const uint32_t size = mprof_cursor_u32(c);
        const uint8_t *const path = mprof_cursor_bytes(c, size);

        if (path != NULL && !push_split(s, (const char *)path, size, stamp))
            mprof_cursor_fail(c, MPROF_E_NOMEM);
    }
}

static void decode_strings(struct mpdata_symbols *s, struct mprof_cursor *c)
{
    const uint32_t size = mprof_cursor_u32(c);
    const uint8_t *const bytes = mprof_cursor_bytes(c, size);

    if (size == 0 || bytes == NULL)
        return;
    if (bytes[0] != 0 || bytes[size - 1] != 0) {
        mprof_cursor_fail(c, MPROF_E_VALUE);
        return;
    }
    s->bytes = malloc(size);
    if (s->bytes == NULL) {
        mprof_cursor_fail(c, MPROF_E_NOMEM);
        return;
    }
    memcpy(s->bytes, bytes, size);
    s->bytes_size = size;
    s->bytes_capacity = size;
}

static bool has_text(const struct mpdata_symbols *s, uint32_t off)
{
    return off == 0 || off < s->bytes_size;
}

static void decode_frames(struct mpdata_symbols *s, struct mprof_cursor *c)
{
    const size_t row_bytes = s->frames.elem_bytes;
    const uint32_t count = mprof_cursor_u32(c);
    const uint8_t *const bytes =
        mprof_cursor_bytes(c, (uint64_t)count * row_bytes);

    if (bytes == NULL || count == 0)
        return;
    if (!mpdata_vec_reserve(&s->frames, count)) {
        mprof_cursor_fail(c, MPROF_E_NOMEM);
        return;
    }
    memcpy(s->frames.data, bytes, count * row_bytes);
    s->frames.count = count;
    const struct mpdata_symbol_frame *rows = s->frames.data;
    for (uint32_t i = 0; i < count; i++) {
        if (!has_text(s, rows[i].function) || !has_text(s, rows[i].file) ||
            !has_text(s, rows[i].start_file))
            mprof_cursor_fail(c, MPROF_E_REFERENCE);
    }
}

static void decode_locations(struct mpdata_symbols *s, struct mprof_cursor *c)
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
        if (c->err == MPROF_E_OK && !push_location(s, &l))
            mprof_cursor_fail(c, MPROF_E_NOMEM);
    }
}

bool mpdata_symbols_decode(struct mpdata_symbols *symbols,
                           struct mprof_cursor *c)
{
    decode_splits(symbols, c);
    decode_strings(symbols, c);
    decode_frames(symbols, c);
    decode_locations(symbols, c);
    return c->err == MPROF_E_OK && mprof_cursor_left(c) == 0;
}
