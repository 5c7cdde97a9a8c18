/* yaml_llvm.c -- LLVM's YAML of memory profiles.
 *
 * Records list contexts and call sites; of each context the record that gives
 * it is settled as for indexed files. A function may be given by its name, of
 * which the GUID is kept, as LLVM does it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/data_access.h"
#include "profdata/llvm/llvm_owners.h"
#include "profdata/llvm/llvm_sites.h"
#include "profdata/text/text_write.h"
#include "profdata/text/yaml_parse.h"
#include "shared/index_format.h"

#include <stdlib.h>
#include <string.h>

struct alloc {
    uint64_t guid;
    mpdata_ref node;
    struct mprof_mib mib;
};

struct call {
    uint64_t guid;
    uint64_t callee; /* where it is one */
    mpdata_ref node;
    bool is_callee;
};

struct records {
    struct mpdata_yaml *y;
    struct mpdata_profile *profile;
    struct mpdata_vec entries; /* mpdata_ref, of the stack at hand */
    struct mpdata_vec allocs;  /* struct alloc */
    struct mpdata_vec calls;   /* struct call */
};

static void *push(struct mpdata_yaml *y, struct mpdata_vec *vec)
{
    void *row = y->err == MPROF_E_OK ? mpdata_vec_push(vec) : NULL;

    if (row == NULL)
        mpdata_yaml_fail(y, MPROF_E_NOMEM, "no memory");
    return row;
}

/* A GUID in hexadecimal digits, or a function's name. Decimal digits are
 * refused, as LLVM refuses them: a name or a number forgotten to be marked? */
static uint64_t read_guid(struct mpdata_yaml *y)
{
    const struct mpdata_str s = mpdata_yaml_string(y);
    uint64_t guid = 0;

    if (y->err != MPROF_E_OK)
        return 0;
    if (strspn(s.bytes, "0123456789") == s.size) {
        mpdata_yaml_fail(y, MPROF_E_VALUE,
                         "a function is a hexadecimal GUID or a name");
        return 0;
    }
    if (s.bytes[0] != '0' || (s.bytes[1] != 'x' && s.bytes[1] != 'X'))
        return mpdata_guid(s.bytes, s.size);
    if (!mpdata_yaml_parse_number(s.bytes, s.size, &guid))
        mpdata_yaml_fail(y, MPROF_E_VALUE, "not a GUID");
    return guid;
}

/* -- call stacks ------------------------------------------------------------- */

static mpdata_ref read_frame(struct records *r)
{
    enum { FUNCTION, LINE_OFFSET, COLUMN, IS_INLINE };
    static const char *const names[] = {"Function", "LineOffset", "Column",
                                        "IsInlineFrame"};
    struct mpdata_yaml_keys keys = {.names = names, .count = 4};
    struct mpdata_function function = {.guid = 0};
    struct mpdata_entry entry = {.line = 0};
    size_t key;

    if (mpdata_yaml_map(r->y)) {
        while (mpdata_yaml_key(r->y, &keys, &key)) {
            if (key == FUNCTION)
                function.guid = read_guid(r->y);
            else if (key == LINE_OFFSET)
                entry.line = (uint32_t)mpdata_yaml_number(r->y, UINT32_MAX);
            else if (key == COLUMN)
                entry.column = (uint32_t)mpdata_yaml_number(r->y, UINT32_MAX);
            else if (mpdata_yaml_bool(r->y))
                entry.flags = MPROF_ENTRY_FL_INLINE;
        }
    }
    mpdata_yaml_need(r->y, &keys, 15);
    if (r->y->err != MPROF_E_OK)
        return 0;
    entry.function = mpdata_profile_function(r->profile, &function);
    return mpdata_profile_entry(r->profile, &entry);
}

/* Frames from the leaf on. */
static mpdata_ref read_stack(struct records *r)
{
    const mpdata_ref *entries;
    mpdata_ref node = 0;

    r->entries.count = 0;
    if (mpdata_yaml_seq(r->y)) {
        while (mpdata_yaml_item(r->y)) {
            const mpdata_ref entry = read_frame(r);
            mpdata_ref *row;

            mpdata_yaml_stack_room(r->y, r->entries.count);
            row = push(r->y, &r->entries);
            if (row != NULL)
                *row = entry;
        }
    }
    entries = r->entries.data;
    for (uint32_t i = r->entries.count; i-- > 0 && r->y->err == MPROF_E_OK;)
        node = mpdata_profile_node(r->profile, node, entries[i]);
    return node;
}

/* -- sites ------------------------------------------------------------------- */

static void read_mib(struct mpdata_yaml *y, struct mprof_mib *mib)
{
    const char *names[MPROF_MIB_FIELDS];
    struct mpdata_yaml_keys keys = {.names = names};
    size_t key;

    while (keys.count < MPROF_MIB_FIELDS &&
           mprof_mib_fields[keys.count].tag <= MPROF_MIB_LLVM_TAG_MAX) {
        names[keys.count] = mprof_mib_fields[keys.count].name;
        keys.count++;
    }
    if (mpdata_yaml_map(y)) {
        while (mpdata_yaml_key(y, &keys, &key)) {
            const uint64_t number = mpdata_yaml_number(y, UINT64_MAX);

            if (mprof_mib_fields[key].merge != MPROF_MERGE_NONE)
                mprof_mib_set(mib, key, number);
        }
    }
    mprof_mib_fill_from_llvm(mib);
}

static void read_alloc(struct records *r)
{
    static const char *const names[] = {"Callstack", "MemInfoBlock"};
    struct mpdata_yaml_keys keys = {.names = names, .count = 2};
    struct alloc alloc = {.guid = 0};
    struct alloc *row;
    size_t key;

    if (mpdata_yaml_map(r->y)) {
        while (mpdata_yaml_key(r->y, &keys, &key)) {
            if (key == 0)
                alloc.node = read_stack(r);
            else
                read_mib(r->y, &alloc.mib);
        }
    }
    mpdata_yaml_need(r->y, &keys, 3);
    row = push(r->y, &r->allocs);
    if (row != NULL)
        *row = alloc;
}

static void read_call(struct records *r)
{
    static const char *const names[] = {"Frames", "CalleeGuids"};
    const uint32_t first = r->calls.count;
    struct mpdata_yaml_keys keys = {.names = names, .count = 2};
    mpdata_ref node = 0;
    struct call *row;
    size_t key;

    push(r->y, &r->calls);
    if (mpdata_yaml_map(r->y)) {
        while (mpdata_yaml_key(r->y, &keys, &key)) {
            if (key == 0) {
                node = read_stack(r);
                continue;
            }
            if (!mpdata_yaml_seq(r->y))
                continue;
            while (mpdata_yaml_item(r->y)) {
                row = push(r->y, &r->calls);
                if (row != NULL)
                    *row = (struct call){.callee = read_guid(r->y),
                                         .is_callee = true};
            }
        }
    }
    mpdata_yaml_need(r->y, &keys, 1);
    row = r->calls.data;
    for (uint32_t i = first; i < r->calls.count; i++)
        row[i].node = node;
}

static void read_record(struct records *r)
{
    enum { GUID, ALLOC_SITES, CALL_SITES };
    static const char *const names[] = {"GUID", "AllocSites", "CallSites"};
    struct mpdata_yaml_keys keys = {.names = names, .count = 3};
    const uint32_t first_alloc = r->allocs.count;
    const uint32_t first_call = r->calls.count;
    uint64_t guid = 0;
    size_t key;

    if (mpdata_yaml_map(r->y)) {
        while (mpdata_yaml_key(r->y, &keys, &key)) {
            if (key == GUID) {
                guid = read_guid(r->y);
            } else if (mpdata_yaml_seq(r->y)) {
                while (mpdata_yaml_item(r->y)) {
                    if (key == ALLOC_SITES)
                        read_alloc(r);
                    else
                        read_call(r);
                }
            }
        }
    }
    mpdata_yaml_need(r->y, &keys, 1);
    for (uint32_t i = first_alloc; i < r->allocs.count; i++)
        ((struct alloc *)r->allocs.data)[i].guid = guid;
    for (uint32_t i = first_call; i < r->calls.count; i++)
        ((struct call *)r->calls.data)[i].guid = guid;
}

/* -- what the records say ----------------------------------------------------- */

/* Alloc sites from `i` on that repeat it because its function is several times
 * in the location: how many to skip. */
static uint32_t count_repeats(const struct records *r,
                              const struct mpdata_view *view, uint32_t i)
{
    const struct alloc *a = (const struct alloc *)r->allocs.data + i;
    const uint32_t most = mpdata_llvm_owners_listings(view, a->node, a->guid);
    uint32_t n = 1;

    while (n < most && i + n < r->allocs.count && a[n].guid == a->guid &&
           a[n].node == a->node &&
           memcmp(&a[n].mib, &a->mib, sizeof(a->mib)) == 0)
        n++;
    return n - 1;
}

static enum mprof_err add_contexts(struct records *r)
{
    const struct mpdata_view view = mpdata_profile_view(r->profile);
    const struct alloc *allocs = r->allocs.data;
    struct mpdata_llvm_owners owners;
    enum mprof_err err = mpdata_profile_status(r->profile);

    mpdata_llvm_owners_init(&owners);
    for (uint32_t i = 0; i < r->allocs.count && err == MPROF_E_OK; i++)
        err = mpdata_llvm_owners_settle(&owners, &view, allocs[i].node,
                                        allocs[i].guid);
    for (uint32_t i = 0; i < r->allocs.count && err == MPROF_E_OK; i++) {
        if (mpdata_llvm_owners_gives(&owners, allocs[i].node, allocs[i].guid))
            mpdata_profile_context(r->profile, allocs[i].node, 0,
                                   &allocs[i].mib, NULL);
        i += count_repeats(r, &view, i);
    }
    mpdata_llvm_owners_fini(&owners);
    return err != MPROF_E_OK ? err : mpdata_profile_status(r->profile);
}

static bool add_sites(const struct records *r, struct mpdata_llvm_sites *sites)
{
    const struct mpdata_view view = mpdata_profile_view(r->profile);
    const struct alloc *allocs = r->allocs.data;
    const struct call *calls = r->calls.data;
    struct mpdata_llvm_sites_map map;
    bool is_done = true;

    mpdata_llvm_sites_map_init(&map, sites);
    for (uint32_t i = 0; i < r->allocs.count && is_done; i++)
        is_done =
            mpdata_llvm_sites_add(&map, &view, allocs[i].node,
                                  MPDATA_LLVM_SITE_ALLOC, allocs[i].guid, 0);
    for (uint32_t i = 0; i < r->calls.count && is_done; i++)
        is_done =
            mpdata_llvm_sites_add(&map, &view, calls[i].node,
                                  calls[i].is_callee ? MPDATA_LLVM_SITE_CALLEE
                                                     : MPDATA_LLVM_SITE_CALL,
                                  calls[i].guid, calls[i].callee);
    mpdata_llvm_sites_map_fini(&map);
    return is_done;
}

void mpdata_yaml_heap_records(struct mpdata_yaml *y,
                              const struct mpdata_yaml_parts *parts)
{
    struct records r = {.y = y,
                        .profile = parts->profile,
                        .entries = {.elem_bytes = sizeof(mpdata_ref)},
                        .allocs = {.elem_bytes = sizeof(struct alloc)},
                        .calls = {.elem_bytes = sizeof(struct call)}};
    enum mprof_err err;

    if (mpdata_yaml_seq(y)) {
        while (mpdata_yaml_item(y))
            read_record(&r);
    }
    if (y->err == MPROF_E_OK) {
        err = add_contexts(&r);
        if (err == MPROF_E_OK && !add_sites(&r, parts->sites))
            err = MPROF_E_NOMEM;
        if (err != MPROF_E_OK)
            mpdata_yaml_fail(y, err, "%s", mprof_err_text(err));
    }
    mpdata_vec_fini(&r.entries);
    mpdata_vec_fini(&r.allocs);
    mpdata_vec_fini(&r.calls);
}

/* -- sites of our form ---------------------------------------------------------- */

static void read_listed(struct records *r, struct mpdata_llvm_sites_map *map)
{
    enum { MPDATA_TEXT_LISTED(MPDATA_TEXT_ID) };
    static const char *const names[] = {MPDATA_TEXT_LISTED(MPDATA_TEXT_KEY)};
    struct mpdata_yaml_keys keys = {.names = names,
                                    .count = MPROF_ARRAY_LEN(names)};
    uint64_t guid = 0;
    uint64_t callee = 0;
    uint64_t kind = 0;
    mpdata_ref node = 0;
    struct mpdata_view view;
    size_t key;

    if (mpdata_yaml_map(r->y)) {
        while (mpdata_yaml_key(r->y, &keys, &key)) {
            if (key == GUID)
                guid = mpdata_yaml_number(r->y, UINT64_MAX);
            else if (key == KIND)
                kind = mpdata_yaml_number(r->y, MPDATA_LLVM_SITE_CALLEE);
            else if (key == CALLEE)
                callee = mpdata_yaml_number(r->y, UINT64_MAX);
            else
                node = read_stack(r);
        }
    }
    if (r->y->err == MPROF_E_OK &&
        mpdata_profile_status(r->profile) != MPROF_E_OK)
        mpdata_yaml_fail(r->y, mpdata_profile_status(r->profile), "too much");
    if (r->y->err != MPROF_E_OK)
        return;
    view = mpdata_profile_view(r->profile);
    if (!mpdata_llvm_sites_add(map, &view, node,
                               (enum mpdata_llvm_site_kind)kind, guid, callee))
        mpdata_yaml_fail(r->y, MPROF_E_NOMEM, "no memory");
}

void mpdata_yaml_listed(struct mpdata_yaml *y, struct mpdata_llvm_sites *sites)
{
    struct records r = {.y = y,
                        .profile = mpdata_profile_new(),
                        .entries = {.elem_bytes = sizeof(mpdata_ref)}};
    struct mpdata_llvm_sites_map map;

    mpdata_llvm_sites_map_init(&map, sites);
    if (r.profile == NULL)
        mpdata_yaml_fail(y, MPROF_E_NOMEM, "no memory");
    if (mpdata_yaml_seq(y)) {
        while (mpdata_yaml_item(y))
            read_listed(&r, &map);
    }
    mpdata_llvm_sites_map_fini(&map);
    mpdata_vec_fini(&r.entries);
    mpdata_profile_free(r.profile);
}

/* -- data accesses ------------------------------------------------------------ */

/* A name of data or a file: any bytes but the one that separates them in LLVM's
 * files. */
static uint32_t read_name(struct mpdata_yaml *y,
                          struct mpdata_data_access *access, bool is_symbol)
{
    const struct mpdata_str s = mpdata_yaml_string(y);
    uint32_t row = 0;

    if (y->err == MPROF_E_OK && s.size != 0 &&
        memchr(s.bytes, MPROF_DATA_ACCESS_SEPARATOR, s.size) != NULL)
        mpdata_yaml_fail(y, MPROF_E_VALUE, "a name with a control character");
    if (y->err == MPROF_E_OK &&
        !(is_symbol ? mpdata_data_access_symbol(access, s.bytes, s.size, &row)
                    : mpdata_data_access_string(access, s.bytes, s.size, &row)))
        mpdata_yaml_fail(y, MPROF_E_NOMEM, "no memory");
    return row;
}

struct location {
    uint32_t file;
    uint32_t line;
};

static void read_locations(struct mpdata_yaml *y,
                           struct mpdata_data_access *access,
                           struct mpdata_vec *locations)
{
    static const char *const names[] = {"FileName", "Line"};

    if (!mpdata_yaml_seq(y))
        return;
    while (mpdata_yaml_item(y)) {
        struct mpdata_yaml_keys keys = {.names = names, .count = 2};
        struct location *row = push(y, locations);
        size_t key;

        if (row != NULL && mpdata_yaml_map(y)) {
            while (mpdata_yaml_key(y, &keys, &key)) {
                if (key == 0)
                    row->file = read_name(y, access, false);
                else
                    row->line = (uint32_t)mpdata_yaml_number(y, UINT32_MAX);
            }
        }
        mpdata_yaml_need(y, &keys, 3);
    }
}

static void read_sampled(struct mpdata_yaml *y,
                         struct mpdata_data_access *access,
                         struct mpdata_vec *locations)
{
    enum { SYMBOL, HASH, ACCESS_COUNT, LOCATIONS };
    static const char *const names[] = {"Symbol", "Hash", "AccessCount",
                                        "Locations"};
    struct mpdata_yaml_keys keys = {.names = names, .count = 4};
    struct mpdata_data_id data = {.is_literal = true};
    const struct location *rows;
    uint64_t count = 0;
    uint32_t record = 0;
    size_t key;

    locations->count = 0;
    if (mpdata_yaml_map(y)) {
        while (mpdata_yaml_key(y, &keys, &key)) {
            if (key == SYMBOL)
                data =
                    (struct mpdata_data_id){.id = read_name(y, access, true)};
            else if (key == HASH)
                data.id = mpdata_yaml_number(y, UINT64_MAX);
            else if (key == ACCESS_COUNT)
                count = mpdata_yaml_number(y, UINT64_MAX);
            else
                read_locations(y, access, locations);
        }
    }
    if ((keys.seen >> SYMBOL & 1) == (keys.seen >> HASH & 1))
        mpdata_yaml_fail(y, MPROF_E_VALUE, "a record has a Symbol or a Hash");
    mpdata_yaml_need(y, &keys, 1u << ACCESS_COUNT);
    if (y->err != MPROF_E_OK)
        return;
    if (!mpdata_data_access_record(access, data, count, &record))
        mpdata_yaml_fail(y, MPROF_E_NOMEM, "no memory");
    rows = locations->data;
    for (uint32_t i = 0; i < locations->count && y->err == MPROF_E_OK; i++) {
        if (!mpdata_data_access_place(access, record, rows[i].file,
                                      rows[i].line))
            mpdata_yaml_fail(y, MPROF_E_NOMEM, "no memory");
    }
}

static void read_cold(struct mpdata_yaml *y, struct mpdata_data_access *access,
                      bool is_literal)
{
    const struct mpdata_data_id data = {
        .id = is_literal ? mpdata_yaml_number(y, UINT64_MAX)
                         : read_name(y, access, true),
        .is_literal = is_literal};

    if (y->err == MPROF_E_OK && !mpdata_data_access_cold(access, data))
        mpdata_yaml_fail(y, MPROF_E_NOMEM, "no memory");
}

void mpdata_yaml_data_access(struct mpdata_yaml *y,
                             struct mpdata_data_access *access)
{
    enum { SAMPLED_RECORDS, COLD_SYMBOLS, COLD_HASHES };
    static const char *const names[] = {"SampledRecords", "KnownColdSymbols",
                                        "KnownColdStrHashes"};
    struct mpdata_yaml_keys keys = {.names = names, .count = 3};
    struct mpdata_vec locations = {.elem_bytes = sizeof(struct location)};
    size_t key;

    if (mpdata_yaml_map(y)) {
        while (mpdata_yaml_key(y, &keys, &key)) {
            if (!mpdata_yaml_seq(y))
                continue;
            while (mpdata_yaml_item(y)) {
                if (key == SAMPLED_RECORDS)
                    read_sampled(y, access, &locations);
                else
                    read_cold(y, access, key == COLD_HASHES);
            }
        }
    }
    mpdata_vec_fini(&locations);
}
