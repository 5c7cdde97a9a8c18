/* llvm_yaml.c -- LLVM's YAML of memory profiles.
 *
 * Records list contexts and call sites; of each context the record that gives
 * it is settled as for indexed files. A function may be given by its name, of
 * which the GUID is kept, as LLVM does it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/guid.h"
#include "profdata/model/data_access.h"
#include "profdata/llvm/llvm_owners.h"
#include "profdata/llvm/llvm_listed.h"
#include "profdata/text/data_access_text.h"
#include "profdata/text/llvm_yaml.h"
#include "shared/index_format.h"

#include <stdlib.h>
#include <string.h>

struct alloc {
    uint64_t guid;
    uint32_t record; /* which one of the text */
    mpdata_ref node;
    struct mprof_mib mib;
};

struct call {
    uint64_t guid;
    uint32_t record;
    uint64_t callee; /* where it is one */
    mpdata_ref node;
    bool is_callee;
};

struct records {
    struct mpdata_events *e;
    struct mpdata_profile *profile;
    struct mpdata_vec frames; /* mpdata_ref, of the stack at hand */
    struct mpdata_vec allocs; /* struct alloc */
    struct mpdata_vec calls;  /* struct call */
    uint32_t count;           /* records that were read */
};

static void *push(struct mpdata_events *e, struct mpdata_vec *vec)
{
    void *row = e->err == MPROF_E_OK ? mpdata_vec_push(vec) : NULL;

    if (row == NULL)
        mpdata_events_fail_memory(e);
    return row;
}

/* A GUID in hexadecimal digits, or a function's name. Decimal digits are
 * refused, as LLVM refuses them: a name or a number forgotten to be marked? */
static uint64_t read_guid(struct mpdata_events *e)
{
    const struct mpdata_str s = mpdata_events_string(e);
    uint64_t guid = 0;

    if (e->err != MPROF_E_OK)
        return 0;
    if (strspn(s.bytes, "0123456789") == s.size) {
        mpdata_events_fail(e, MPROF_E_VALUE,
                           "a function is a hexadecimal GUID or a name");
        return 0;
    }
    if (s.bytes[0] != '0' || (s.bytes[1] != 'x' && s.bytes[1] != 'X'))
        return mpdata_guid(s.bytes, s.size);
    if (!mpdata_events_parse_number(s.bytes, s.size, &guid))
        mpdata_events_fail(e, MPROF_E_VALUE, "not a GUID");
    return guid;
}

/* -- call stacks ------------------------------------------------------------- */

static mpdata_ref read_frame(struct records *r)
{
    enum { FUNCTION, LINE_OFFSET, COLUMN, IS_INLINE };
    static const char *const names[] = {"Function", "LineOffset", "Column",
                                        "IsInlineFrame"};
    struct mpdata_events_keys keys = {.names = names, .count = 4};
    struct mpdata_function function = {.guid = 0};
    struct mpdata_frame frame = {.line = 0};
    size_t key;

    if (mpdata_events_map(r->e)) {
        while (mpdata_events_key(r->e, &keys, &key)) {
            if (key == FUNCTION)
                function.guid = read_guid(r->e);
            else if (key == LINE_OFFSET)
                frame.line = (uint32_t)mpdata_events_number(r->e, UINT32_MAX);
            else if (key == COLUMN)
                frame.column = (uint32_t)mpdata_events_number(r->e, UINT32_MAX);
            else if (mpdata_events_bool(r->e))
                frame.flags = MPROF_ENTRY_FL_INLINE;
        }
    }
    mpdata_events_need(r->e, &keys, 15);
    if (r->e->err != MPROF_E_OK)
        return 0;
    frame.function = mpdata_profile_function(r->profile, &function);
    return mpdata_profile_frame(r->profile, &frame);
}

/* Frames from the leaf on. */
static mpdata_ref read_stack(struct records *r)
{
    const mpdata_ref *frames;
    mpdata_ref node = 0;

    r->frames.count = 0;
    if (mpdata_events_list(r->e)) {
        while (mpdata_events_item(r->e)) {
            const mpdata_ref frame = read_frame(r);
            mpdata_ref *const row = push(r->e, &r->frames);

            if (row != NULL)
                *row = frame;
        }
    }
    frames = r->frames.data;
    for (uint32_t i = r->frames.count; i-- > 0 && r->e->err == MPROF_E_OK;)
        node = mpdata_profile_node(r->profile, node, frames[i]);
    return node;
}

/* -- sites ------------------------------------------------------------------- */

static void read_mib(struct mpdata_events *e, struct mprof_mib *mib)
{
    const char *names[MPROF_MIB_FIELDS];
    struct mpdata_events_keys keys = {.names = names};
    size_t key;

    while (keys.count < MPROF_MIB_FIELDS &&
           mprof_mib_fields[keys.count].tag <= MPROF_MIB_LLVM_TAG_MAX) {
        names[keys.count] = mprof_mib_fields[keys.count].name;
        keys.count++;
    }
    if (mpdata_events_map(e)) {
        while (mpdata_events_key(e, &keys, &key)) {
            const uint64_t number = mpdata_events_number(e, UINT64_MAX);

            if (mprof_mib_fields[key].merge != MPROF_MERGE_NONE)
                mprof_mib_set(mib, key, number);
        }
    }
    mprof_mib_fill_from_llvm(mib);
}

static void read_alloc(struct records *r)
{
    static const char *const names[] = {"Callstack", "MemInfoBlock"};
    struct mpdata_events_keys keys = {.names = names, .count = 2};
    struct alloc alloc = {.guid = 0};
    struct alloc *row;
    size_t key;

    if (mpdata_events_map(r->e)) {
        while (mpdata_events_key(r->e, &keys, &key)) {
            if (key == 0)
                alloc.node = read_stack(r);
            else
                read_mib(r->e, &alloc.mib);
        }
    }
    mpdata_events_need(r->e, &keys, 3);
    row = push(r->e, &r->allocs);
    if (row != NULL)
        *row = alloc;
}

static void read_call(struct records *r)
{
    static const char *const names[] = {"Frames", "CalleeGuids"};
    const uint32_t first = r->calls.count;
    struct mpdata_events_keys keys = {.names = names, .count = 2};
    mpdata_ref node = 0;
    struct call *row;
    size_t key;

    push(r->e, &r->calls);
    if (mpdata_events_map(r->e)) {
        while (mpdata_events_key(r->e, &keys, &key)) {
            if (key == 0) {
                node = read_stack(r);
                continue;
            }
            if (!mpdata_events_list(r->e))
                continue;
            while (mpdata_events_item(r->e)) {
                row = push(r->e, &r->calls);
                if (row != NULL)
                    *row = (struct call){.callee = read_guid(r->e),
                                         .is_callee = true};
            }
        }
    }
    mpdata_events_need(r->e, &keys, 1);
    row = r->calls.data;
    for (uint32_t i = first; i < r->calls.count; i++)
        row[i].node = node;
}

static void read_record(struct records *r)
{
    enum { GUID, ALLOC_SITES, CALL_SITES };
    static const char *const names[] = {"GUID", "AllocSites", "CallSites"};
    struct mpdata_events_keys keys = {.names = names, .count = 3};
    const uint32_t first_alloc = r->allocs.count;
    const uint32_t first_call = r->calls.count;
    uint64_t guid = 0;
    size_t key;

    if (mpdata_events_map(r->e)) {
        while (mpdata_events_key(r->e, &keys, &key)) {
            if (key == GUID) {
                guid = read_guid(r->e);
            } else if (mpdata_events_list(r->e)) {
                while (mpdata_events_item(r->e)) {
                    if (key == ALLOC_SITES)
                        read_alloc(r);
                    else
                        read_call(r);
                }
            }
        }
    }
    mpdata_events_need(r->e, &keys, 1);
    for (uint32_t i = first_alloc; i < r->allocs.count; i++) {
        struct alloc *const alloc = (struct alloc *)r->allocs.data + i;

        alloc->guid = guid;
        alloc->record = r->count;
    }
    for (uint32_t i = first_call; i < r->calls.count; i++) {
        struct call *const call = (struct call *)r->calls.data + i;

        call->guid = guid;
        call->record = r->count;
    }
    r->count++;
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
        err = mpdata_llvm_owners_add(&owners, &view, allocs[i].node,
                                     allocs[i].guid);
    for (uint32_t i = 0; i < r->allocs.count && err == MPROF_E_OK; i++) {
        if (mpdata_llvm_owners_gives(&owners, allocs[i].node, allocs[i].guid))
            mpdata_profile_context(r->profile, allocs[i].node, 0,
                                   &allocs[i].mib, MPDATA_CELLS_NONE);
        i += count_repeats(r, &view, i);
    }
    mpdata_llvm_owners_fini(&owners);
    return err != MPROF_E_OK ? err : mpdata_profile_status(r->profile);
}

/* In the order of the text: of each record the alloc sites, then the others. */
static bool add_sites(const struct records *r, struct mpdata_llvm_sites *sites)
{
    const struct mpdata_view view = mpdata_profile_view(r->profile);
    const struct alloc *a = r->allocs.data;
    const struct call *c = r->calls.data;
    const struct alloc *const allocs_end = a + r->allocs.count;
    const struct call *const calls_end = c + r->calls.count;
    struct mpdata_llvm_listing map;
    bool is_done = true;

    mpdata_llvm_listed_init(&map, sites);
    for (uint32_t i = 0; i < r->count && is_done; i++) {
        for (; a != allocs_end && a->record == i && is_done; a++)
            is_done = mpdata_llvm_listed_add(
                &map, &view, a->node, MPDATA_LLVM_SITE_ALLOC, a->guid, 0);
        for (; c != calls_end && c->record == i && is_done; c++)
            is_done = mpdata_llvm_listed_add(
                &map, &view, c->node,
                c->is_callee ? MPDATA_LLVM_SITE_CALLEE : MPDATA_LLVM_SITE_CALL,
                c->guid, c->callee);
    }
    mpdata_llvm_listed_fini(&map);
    return is_done;
}

static void read_heap_records(struct mpdata_events *e,
                              struct mpdata_content *content)
{
    struct records r = {.e = e,
                        .profile = content->profile,
                        .frames = {.elem_bytes = sizeof(mpdata_ref)},
                        .allocs = {.elem_bytes = sizeof(struct alloc)},
                        .calls = {.elem_bytes = sizeof(struct call)}};
    enum mprof_err err;

    if (mpdata_events_list(e)) {
        while (mpdata_events_item(e))
            read_record(&r);
    }
    if (e->err == MPROF_E_OK) {
        err = add_contexts(&r);
        if (err == MPROF_E_OK && !add_sites(&r, &content->sites))
            err = MPROF_E_NOMEM;
        if (err != MPROF_E_OK)
            mpdata_events_fail(e, err, "%s", mprof_err_text(err));
    }
    mpdata_vec_fini(&r.frames);
    mpdata_vec_fini(&r.allocs);
    mpdata_vec_fini(&r.calls);
}

/* -- the document ------------------------------------------------------------- */

void mpdata_llvm_yaml_read(struct mpdata_events *e,
                           struct mpdata_content *content)
{
    enum { HEAP_RECORDS, DATA_ACCESS, TEXT_V1 };
    static const char *const names[] = {
        "HeapProfileRecords", "DataAccessProfiles", "MemprofdataText"};
    struct mpdata_events_keys keys = {.names = names, .count = 3};
    size_t key;

    if (!mpdata_events_map(e))
        return;
    while (mpdata_events_key(e, &keys, &key)) {
        if (key == HEAP_RECORDS)
            read_heap_records(e, content);
        else if (key == DATA_ACCESS)
            mpdata_data_access_text_read(e, &content->data_access);
        else
            mpdata_events_fail(e, MPROF_E_VERSION,
                               "text of memprofdata's own is JSON now: make "
                               "it again with merge --text");
    }
}
