/* records.c -- finds where a profile ends.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/parse.h"
#include "profdata/base/diag.h"
#include "profdata/json/json_form.h"
#include "shared/index_format.h"
#include "shared/le.h"
#include "shared/raw_format.h"
#include "shared/raw_llvm.h"
#include "shared/record_format.h"

#include <string.h>

/* -- raw ------------------------------------------------------------------- */

/* In both formats. */
#define RAW_SIZE_OFF MPROF_DIR_FILE_SIZE_OFF
#define RAW_BYTES_MIN (RAW_SIZE_OFF + sizeof(uint64_t))

/* The reader of raw profiles judges what is neither a dump nor another kind. */
static size_t find_raw_end(const uint8_t *data, size_t size)
{
    size_t at = 0;

    while (size - at >= RAW_BYTES_MIN) {
        const uint64_t bytes = mprof_le_load64(data + at + RAW_SIZE_OFF);

        if (bytes < RAW_BYTES_MIN || bytes >= size - at)
            break;
        at += (size_t)bytes;
        enum mpdata_kind next = mpdata_detect(data + at, size - at);
        if (next == MPDATA_KIND_INDEXED || next == MPDATA_KIND_TEXT ||
            next == MPDATA_KIND_RECORD)
            return at;
        if (next != MPDATA_KIND_RAW && next != MPDATA_KIND_RAW_LLVM)
            break;
    }
    return size;
}

/* -- indexed ---------------------------------------------------------------- */

static const uint8_t *find_magic(const uint8_t *data, size_t size,
                                 uint64_t magic)
{
    uint8_t bytes[sizeof(magic)];

    mprof_le_store(bytes, magic, sizeof(bytes));
    return memmem(data, size, bytes, sizeof(bytes));
}

/* Does our directory start at data[at]? Then *end is the end of the file,
 * behind directory and trailer. */
static bool ends_file(const uint8_t *data, size_t size, uint64_t at,
                      size_t *end)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, NULL);

    mprof_cursor_seek(&c, at);
    uint64_t bytes = mprof_cursor_u64(&c) == MPROF_INDEX_EXT_MAGIC ? at : size;
    mprof_cursor_u32(&c);
    uint32_t sections = mprof_cursor_u32(&c);
    bytes = mprof_add_sat_u64(bytes,
                              mprof_dir_bytes(sections) + MPROF_TRAILER_BYTES);
    *end = (size_t)bytes;
    return mprof_cursor_u64(&c) == bytes && c.err == MPROF_E_OK &&
           bytes <= size;
}

/* Is the whole file one, as its trailer says? Saves a search. */
static bool is_whole(const uint8_t *data, size_t size)
{
    size_t end;

    return size >= MPROF_TRAILER_BYTES &&
           ends_file(data, size,
                     mprof_le_load64(data + size - MPROF_TRAILER_BYTES),
                     &end) &&
           end == size;
}

static uint64_t llvm_bytes(const uint8_t *data, size_t size)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, NULL);
    struct mprof_index_llvm header;

    mprof_index_llvm_read(&header, &c);
    return c.err == MPROF_E_OK ? header.llvm_bytes : 0;
}

static bool has_other(const uint8_t *data, size_t size)
{
    static const char key[] = "{\"" MPDATA_JSON_FORM_VERSION_KEY "\"";

    return find_magic(data, size, MPROF_INDEX_MAGIC) != NULL ||
           find_magic(data, size, MPROF_RAW_MAGIC) != NULL ||
           find_magic(data, size, MPROF_RAW_LLVM_MAGIC) != NULL ||
           find_magic(data, size, MPROF_RECORD_MAGIC) != NULL ||
           memmem(data, size, key, strlen(key)) != NULL;
}

static enum mprof_err find_index_end(const uint8_t *data, size_t size,
                                     size_t *bytes, struct mprof_diag *diag)
{
    const uint64_t start = llvm_bytes(data, size);
    const uint8_t *at = data + mprof_min_u64(start, size);

    if (is_whole(data, size)) {
        *bytes = size;
        return MPROF_E_OK;
    }
    while ((at = find_magic(at, size - (size_t)(at - data),
                            MPROF_INDEX_EXT_MAGIC)) != NULL) {
        if (ends_file(data, size, (size_t)(at - data), bytes))
            return MPROF_E_OK;
        at++;
    }
    *bytes = size;
    if (start != 0 || !has_other(data + 1, size - 1))
        return MPROF_E_OK;
    return mpdata_diag_text(diag, MPROF_E_UNSUPPORTED,
                            "another profile follows an indexed profile of "
                            "LLVM, which does not say where it ends; merge "
                            "each of LLVM's alone first");
}

/* -- JSON ------------------------------------------------------------------- */

/* Returns the place behind the string that starts at data[at]. */
static size_t skip_string(const uint8_t *data, size_t size, size_t at)
{
    for (at++; at < size && data[at] != '"'; at++)
        at += data[at] == '\\';
    return at < size ? at + 1 : size;
}

static size_t find_text_end(const uint8_t *data, size_t size)
{
    size_t depth = 0;
    size_t at = 0;

    while (at < size) {
        const uint8_t byte = data[at];

        if (byte == '"') {
            at = skip_string(data, size, at);
            continue;
        }
        at++;
        depth += byte == '{' || byte == '[';
        if ((byte == '}' || byte == ']') && (depth == 0 || --depth == 0))
            break;
    }
    while (at < size && strchr(" \t\r\n", data[at]) != NULL && data[at] != 0)
        at++;
    return at;
}

/* -- length-prefixed --------------------------------------------------------- */

static enum mprof_err find_record_end(const uint8_t *data, size_t size,
                                      size_t *bytes, struct mprof_diag *diag)
{
    const size_t room = size - mprof_min_u64(size, MPROF_RECORD_HEADER_BYTES);
    const uint64_t profile_bytes =
        size >= MPROF_RECORD_HEADER_BYTES
            ? mprof_le_load64(data + MPROF_RECORD_SIZE_OFF)
            : UINT64_MAX;

    if (profile_bytes <= room) {
        *bytes = MPROF_RECORD_HEADER_BYTES + (size_t)profile_bytes;
        return MPROF_E_OK;
    }
    return mpdata_diag_fail(diag, MPROF_E_TRUNCATED, "record",
                            MPROF_RECORD_SIZE_OFF,
                            "the record says that it is longer");
}

enum mprof_err mpdata_records_first(const uint8_t *data, size_t size,
                                    enum mpdata_kind kind, size_t *bytes,
                                    struct mprof_diag *diag)
{
    *bytes = size;
    switch (kind) {
    case MPDATA_KIND_RAW:
    case MPDATA_KIND_RAW_LLVM:
        *bytes = find_raw_end(data, size);
        return MPROF_E_OK;
    case MPDATA_KIND_INDEXED:
        return find_index_end(data, size, bytes, diag);
    case MPDATA_KIND_TEXT:
        *bytes = find_text_end(data, size);
        return MPROF_E_OK;
    case MPDATA_KIND_RECORD:
        return find_record_end(data, size, bytes, diag);
    default:
        return MPROF_E_OK;
    }
}
