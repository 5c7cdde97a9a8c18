/* data_access_text.c -- data accesses in text: LLVM's YAML, and JSON with the
 * same keys.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/text/data_access_text.h"
#include "profdata/base/vec.h"
#include "profdata/model/data_access.h"
#include "shared/index_llvm.h"

#include <string.h>

static void *push(struct mpdata_events *e, struct mpdata_vec *vec)
{
    void *row = e->err == MPROF_E_OK ? mpdata_vec_push(vec) : NULL;

    if (row == NULL)
        mpdata_events_fail_memory(e);
    return row;
}

/* A name of data or a file: any bytes but the one that separates them in LLVM's
 * files. */
static uint32_t read_name(struct mpdata_events *e,
                          struct mpdata_data_access *access, bool is_symbol)
{
    const struct mpdata_str s = mpdata_events_string(e);
    uint32_t row = 0;

    if (e->err == MPROF_E_OK && s.size != 0 &&
        memchr(s.bytes, MPROF_DATA_ACCESS_SEPARATOR, s.size) != NULL)
        mpdata_events_fail(e, MPROF_E_VALUE, "a name with a control character");
    if (e->err == MPROF_E_OK &&
        !(is_symbol ? mpdata_data_access_symbol(access, s.bytes, s.size, &row)
                    : mpdata_data_access_string(access, s.bytes, s.size, &row)))
        mpdata_events_fail_memory(e);
    return row;
}

struct location {
    uint32_t file;
    uint32_t line;
};

static void read_locations(struct mpdata_events *e,
                           struct mpdata_data_access *access,
                           struct mpdata_vec *locations)
{
    static const char *const names[] = {"FileName", "Line"};

    if (!mpdata_events_list(e))
        return;
    while (mpdata_events_item(e)) {
        struct mpdata_events_keys keys = {.names = names, .count = 2};
        struct location *row = push(e, locations);
        size_t key;

        if (row != NULL && mpdata_events_map(e)) {
            while (mpdata_events_key(e, &keys, &key)) {
                if (key == 0)
                    row->file = read_name(e, access, false);
                else
                    row->line = (uint32_t)mpdata_events_number(e, UINT32_MAX);
            }
        }
        mpdata_events_need(e, &keys, 3);
    }
}

static void read_sampled(struct mpdata_events *e,
                         struct mpdata_data_access *access,
                         struct mpdata_vec *locations)
{
    enum { SYMBOL, HASH, ACCESS_COUNT, LOCATIONS };
    static const char *const names[] = {"Symbol", "Hash", "AccessCount",
                                        "Locations"};
    struct mpdata_events_keys keys = {.names = names, .count = 4};
    struct mpdata_data_id data = {.is_literal = true};
    const struct location *rows;
    uint64_t count = 0;
    uint32_t record = 0;
    size_t key;

    locations->count = 0;
    if (mpdata_events_map(e)) {
        while (mpdata_events_key(e, &keys, &key)) {
            if (key == SYMBOL)
                data =
                    (struct mpdata_data_id){.id = read_name(e, access, true)};
            else if (key == HASH)
                data.id = mpdata_events_number(e, UINT64_MAX);
            else if (key == ACCESS_COUNT)
                count = mpdata_events_number(e, UINT64_MAX);
            else
                read_locations(e, access, locations);
        }
    }
    if ((keys.seen >> SYMBOL & 1) == (keys.seen >> HASH & 1))
        mpdata_events_fail(e, MPROF_E_VALUE, "a record has a Symbol or a Hash");
    mpdata_events_need(e, &keys, 1u << ACCESS_COUNT);
    if (e->err != MPROF_E_OK)
        return;
    if (!mpdata_data_access_record(access, data, count, &record))
        mpdata_events_fail_memory(e);
    rows = locations->data;
    for (uint32_t i = 0; i < locations->count && e->err == MPROF_E_OK; i++) {
        if (!mpdata_data_access_location(access, record, rows[i].file,
                                         rows[i].line))
            mpdata_events_fail_memory(e);
    }
}

static void read_cold(struct mpdata_events *e,
                      struct mpdata_data_access *access, bool is_literal)
{
    const struct mpdata_data_id data = {
        .id = is_literal ? mpdata_events_number(e, UINT64_MAX)
                         : read_name(e, access, true),
        .is_literal = is_literal};

    if (e->err == MPROF_E_OK && !mpdata_data_access_cold(access, data))
        mpdata_events_fail_memory(e);
}

void mpdata_data_access_text_read(struct mpdata_events *e,
                                  struct mpdata_data_access *access)
{
    enum { SAMPLED_RECORDS, COLD_SYMBOLS, COLD_HASHES };
    static const char *const names[] = {"SampledRecords", "KnownColdSymbols",
                                        "KnownColdStrHashes"};
    struct mpdata_events_keys keys = {.names = names, .count = 3};
    struct mpdata_vec locations = {.elem_bytes = sizeof(struct location)};
    size_t key;

    if (mpdata_events_map(e)) {
        while (mpdata_events_key(e, &keys, &key)) {
            if (!mpdata_events_list(e))
                continue;
            while (mpdata_events_item(e)) {
                if (key == SAMPLED_RECORDS)
                    read_sampled(e, access, &locations);
                else
                    read_cold(e, access, key == COLD_HASHES);
            }
        }
    }
    mpdata_vec_fini(&locations);
}
