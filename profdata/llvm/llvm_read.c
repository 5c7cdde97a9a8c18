/* llvm_read.c -- reads LLVM's indexed profile into a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/llvm/llvm.h"
#include "profdata/base/diag.h"
#include "profdata/llvm/llvm_stacks.h"
#include "profdata/llvm/llvm_records.h"
#include "shared/container.h"
#include "shared/cursor.h"
#include "shared/index_format.h"
#include "shared/le.h"

#include <inttypes.h>
#include <string.h>

#define SECTION_HEADER "index header"
#define SECTION_MEMPROF "LLVM memprof section"
#define SECTION_RECORDS "LLVM records"

struct reader {
    const void *data;
    size_t size;
    struct mpdata_profile *profile;
    uint64_t version;      /* of the memprof section */
    uint64_t record_table; /* offset */
    size_t schema[MPROF_MIB_FIELDS];
    size_t schema_count;
    size_t mib_bytes;
    struct mpdata_llvm_stacks stacks;
    struct mpdata_vec owners; /* struct owner, by node */
};

/* The record that provides a context: the first one that lists it. LLVM lists a
 * context in the record of every function of its leaf location. */
struct owner {
    uint64_t guid;
    bool is_set;
};

static enum mprof_err read_header(const struct reader *r,
                                  struct mprof_index_llvm *header,
                                  struct mprof_diag *diag)
{
    struct mprof_cursor c =
        mprof_cursor_over(r->data, r->size, 0, SECTION_HEADER);

    mprof_index_llvm_read(header, &c);
    if (c.err == MPROF_E_VERSION)
        return mpdata_diag_fail(diag, MPROF_E_VERSION, SECTION_HEADER,
                                MPROF_INDEX_HEADER_VERSION_OFF,
                                "version %" PRIu64, header->version);
    if (header->version != 0 && !mprof_index_llvm_has_memprof(header))
        return mprof_err_fail(diag, MPROF_E_NO_MEMPROF, SECTION_HEADER,
                              MPROF_INDEX_HEADER_VERSION_OFF);
    return mprof_cursor_status(&c, diag);
}

/* From version 12 on the vtable names are the last part, except for temporal
 * profiles, whose layout we do not know. A file that ends before or after them
 * is truncated, or is one of ours without its end. */
static enum mprof_err check_end(const struct reader *r,
                                const struct mprof_index_llvm *header,
                                struct mprof_diag *diag)
{
    struct mprof_cursor c =
        mprof_cursor_over(r->data, r->size, 0, SECTION_HEADER);

    if (header->version < MPROF_INDEX_VERSION_VTABLES_MIN ||
        header->temporal_off != 0)
        return MPROF_E_OK;
    mprof_cursor_seek(&c, header->vtables_off);
    mprof_cursor_bytes(&c, mprof_cursor_u64(&c));
    if (c.err == MPROF_E_OK && mprof_round_up(c.pos, 8) < r->size)
        return mpdata_diag_fail(diag, MPROF_E_TRUNCATED, SECTION_HEADER,
                                r->size, "a memprof profile without its end");
    return mprof_cursor_status(&c, diag);
}

static void read_schema(struct reader *r, struct mprof_cursor *c)
{
    const uint64_t count = mprof_cursor_u64(c);

    if (count > MPROF_MIB_FIELDS) {
        mprof_cursor_fail(c, MPROF_E_VALUE);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t tag = mprof_cursor_u64(c);
        const size_t field = tag <= MPROF_MIB_LLVM_TAG_MAX
                                 ? mprof_mib_index_of_tag((uint32_t)tag)
                                 : MPROF_MIB_FIELDS;

        if (field == MPROF_MIB_FIELDS) {
            mprof_cursor_fail(c, MPROF_E_UNSUPPORTED);
            return;
        }
        r->schema[r->schema_count++] = field;
        r->mib_bytes += mprof_mib_fields[field].llvm_width;
    }
}

static enum mprof_err open_section(struct reader *r, uint64_t section,
                                   struct mprof_diag *diag)
{
    struct mprof_cursor c =
        mprof_cursor_over(r->data, r->size, 0, SECTION_MEMPROF);
    struct mprof_index_llvm_memprof memprof;

    mprof_index_llvm_read_memprof(&memprof, &c, section);
    if (c.err == MPROF_E_VERSION)
        return mpdata_diag_fail(diag, MPROF_E_VERSION, SECTION_MEMPROF, section,
                                "version %" PRIu64, memprof.version);
    r->version = memprof.version;
    r->record_table = memprof.record_table_off;
    read_schema(r, &c);
    struct mpdata_llvm_frames_place place = (struct mpdata_llvm_frames_place){
        .frames_off = c.pos,
        .frame_table_off = memprof.frame_table_off,
        .stack_table_off = memprof.stack_table_off,
        .stacks_off = memprof.stacks_off,
        .stacks_end = memprof.stacks_end_off};
    if (c.err != MPROF_E_OK)
        return mprof_cursor_status(&c, diag);
    if (r->version < MPROF_MEMPROF_VERSION_ARRAYS_MIN)
        return mpdata_llvm_stacks_tables(&r->stacks, r->profile, r->data,
                                         r->size, &place, diag);
    return mpdata_llvm_stacks_arrays(&r->stacks, r->profile, r->data, r->size,
                                     &place, diag);
}

static struct mprof_mib read_mib(const struct reader *r, const uint8_t *bytes)
{
    struct mprof_mib mib = {.AllocCount = 0};

    for (size_t i = 0; i < r->schema_count; i++) {
        const unsigned width = mprof_mib_fields[r->schema[i]].llvm_width;

        mprof_mib_set(&mib, r->schema[i], mprof_le_load(bytes, width));
        bytes += width;
    }
    mprof_mib_fill_from_llvm(&mib);
    return mib;
}

/* Does this record provide the context of `node`? *failed: no memory. */
static bool is_owner(struct reader *r, mpdata_ref node, uint64_t guid,
                     bool *failed)
{
    struct owner *owner;

    while (r->owners.count <= node) {
        *failed = mpdata_vec_push(&r->owners) == NULL;
        if (*failed)
            return false;
    }
    owner = (struct owner *)r->owners.data + node;
    if (!owner->is_set)
        *owner = (struct owner){.guid = guid, .is_set = true};
    return owner->guid == guid;
}

/* The number of times LLVM lists a context in one function's record: once per
 * occurrence of the function in the leaf location. */
static uint32_t count_listings(const struct mpdata_view *view, mpdata_ref node,
                               uint64_t guid)
{
    uint32_t count = 0;

    for (int i = 0; node != 0 && i < MPDATA_LLVM_LOCATION_FRAMES_MAX; i++) {
        const struct mpdata_node *const n = &view->nodes[node - 1];
        const struct mpdata_frame *const frame = &view->frames[n->frame];

        count += view->functions[frame->function - 1].guid == guid;
        if ((frame->flags & MPROF_ENTRY_FL_INLINE) == 0)
            break;
        node = n->parent;
    }
    return count;
}

/* Skips the repeated listings of a context that count_listings() counts. */
static void skip_repeats(const struct reader *r, struct mprof_cursor *c,
                         mpdata_ref node, uint64_t guid, uint64_t *left)
{
    const struct mpdata_view view = mpdata_profile_view(r->profile);
    const size_t bytes = mpdata_llvm_stacks_id_bytes(&r->stacks) + r->mib_bytes;
    uint32_t repeats = count_listings(&view, node, guid);

    for (; repeats > 1 && *left > 0 && mprof_cursor_left(c) >= bytes;
         repeats--, (*left)--) {
        if (memcmp(c->data + c->pos - bytes, c->data + c->pos, bytes) != 0)
            return;
        mprof_cursor_bytes(c, bytes);
    }
}

static enum mprof_err visit_record(void *context,
                                   const struct mpdata_chash_item *item,
                                   struct mprof_diag *diag)
{
    struct reader *r = context;
    struct mprof_cursor c = mprof_cursor_over(item->data, item->data_size,
                                              item->file_off, SECTION_RECORDS);
    uint64_t left = mprof_cursor_u64(&c);
    bool failed = false;

    if (item->key_size != 8)
        return mprof_err_fail(diag, MPROF_E_VALUE, SECTION_RECORDS,
                              item->file_off);
    uint64_t guid = mprof_le_load64(item->key);
    mprof_cursor_can_hold(
        &c, left, mpdata_llvm_stacks_id_bytes(&r->stacks) + r->mib_bytes);
    while (left > 0 && c.err == MPROF_E_OK) {
        const uint8_t *mib_bytes;
        mpdata_ref node = 0;

        enum mprof_err err =
            mpdata_llvm_stacks_next(&r->stacks, &c, &node, diag);
        if (err != MPROF_E_OK)
            return err;
        mib_bytes = mprof_cursor_bytes(&c, r->mib_bytes);
        left--;
        if (mib_bytes == NULL)
            break;
        skip_repeats(r, &c, node, guid, &left);
        if (is_owner(r, node, guid, &failed)) {
            const struct mprof_mib mib = read_mib(r, mib_bytes);

            mpdata_profile_context(r->profile, node, 0, &mib,
                                   MPDATA_CELLS_NONE);
        }
        if (failed)
            return mprof_err_fail(diag, MPROF_E_NOMEM, SECTION_RECORDS,
                                  item->file_off);
    }
    return mprof_cursor_status(&c, diag);
}

static enum mprof_err read_records(struct reader *r, struct mprof_diag *diag)
{
    struct mpdata_chash table;

    enum mprof_err err = mpdata_chash_open(
        &table, r->data, r->size, r->record_table, 0, 0, SECTION_RECORDS, diag);
    return err == MPROF_E_OK ? mpdata_chash_visit(&table, visit_record, r, diag)
                             : err;
}

/* -- one record for a visitor ---------------------------------------------- */

static enum mprof_err show_record(struct reader *r,
                                  const struct mpdata_chash_item *item,
                                  mpdata_llvm_visit_fn *visit, void *context,
                                  struct mprof_diag *diag)
{
    struct mprof_cursor c = mprof_cursor_over(item->data, item->data_size,
                                              item->file_off, SECTION_RECORDS);
    const uint64_t count = mprof_cursor_u64(&c);

    if (!mprof_cursor_can_hold(
            &c, count, mpdata_llvm_stacks_id_bytes(&r->stacks) + r->mib_bytes))
        return mprof_cursor_status(&c, diag);
    for (uint64_t i = 0; i < count; i++) {
        mpdata_ref node = 0;
        enum mprof_err err =
            mpdata_llvm_stacks_next(&r->stacks, &c, &node, diag);

        if (err != MPROF_E_OK)
            return err;
        const uint8_t *bytes = mprof_cursor_bytes(&c, r->mib_bytes);
        if (bytes == NULL)
            return mprof_cursor_status(&c, diag);
        struct mpdata_view view = mpdata_profile_view(r->profile);
        struct mprof_mib mib = read_mib(r, bytes);
        visit(context, &view, node, &mib, r->schema, r->schema_count);
    }
    return MPROF_E_OK;
}

/* Opens the records; *r must be closed in any case. */
static enum mprof_err open_records(struct reader *r, struct mpdata_chash *table,
                                   struct mprof_diag *diag)
{
    struct mprof_index_llvm header;
    enum mprof_err err = read_header(r, &header, diag);

    if (err != MPROF_E_OK)
        return err;
    r->profile = mpdata_profile_new();
    if (r->profile == NULL)
        return mprof_err_plain(diag, MPROF_E_NOMEM);
    err = open_section(r, header.memprof_off, diag);
    if (err == MPROF_E_OK)
        err = mpdata_chash_open(table, r->data, r->size, r->record_table, 0, 0,
                                SECTION_RECORDS, diag);
    return err;
}

enum mprof_err mpdata_llvm_read_find(const void *data, size_t size,
                                     uint64_t guid, mpdata_llvm_visit_fn *visit,
                                     void *context, bool *found,
                                     struct mprof_diag *diag)
{
    struct reader r = {.data = data, .size = size};
    struct mpdata_chash table;
    struct mpdata_chash_item item;
    uint8_t key[8];
    enum mprof_err err = open_records(&r, &table, diag);

    *found = false;
    mprof_le_store(key, guid, sizeof(key));
    if (err == MPROF_E_OK)
        err = mpdata_chash_find(&table, guid, key, sizeof(key), found, &item,
                                diag);
    if (err == MPROF_E_OK && *found && visit != NULL)
        err = show_record(&r, &item, visit, context, diag);
    if (err == MPROF_E_OK && mpdata_profile_status(r.profile) != MPROF_E_OK)
        err = mprof_err_plain(diag, mpdata_profile_status(r.profile));
    mpdata_llvm_stacks_fini(&r.stacks);
    mpdata_profile_free(r.profile);
    return err;
}

enum mprof_err mpdata_llvm_read_header(const void *data, size_t size,
                                       struct mprof_diag *diag)
{
    const struct reader r = {.data = data, .size = size};
    struct mprof_index_llvm header;

    return read_header(&r, &header, diag);
}

bool mpdata_llvm_read_has_data_access(const void *data, size_t size)
{
    const struct reader r = {.data = data, .size = size};
    struct mprof_index_llvm_memprof memprof;
    struct mprof_index_llvm header;
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, SECTION_HEADER);

    if (read_header(&r, &header, NULL) != MPROF_E_OK)
        return false;
    mprof_index_llvm_read_memprof(&memprof, &c, header.memprof_off);
    return memprof.data_access_off != 0;
}

/* -- records into a profile ------------------------------------------------ */

static void add_run(const struct reader *r)
{
    const struct mpdata_run run = {.run_id = mprof_checksum(r->data, r->size),
                                   .count = 1,
                                   .kind = MPROF_RUN_INDEXED};

    mpdata_profile_run(r->profile, &run);
}

enum mprof_err mpdata_llvm_read(const void *data, size_t size,
                                struct mpdata_profile *into,
                                struct mprof_diag *diag)
{
    struct reader r = {.data = data, .size = size};
    struct mprof_index_llvm header;
    enum mprof_err err = read_header(&r, &header, diag);

    if (err == MPROF_E_OK)
        err = check_end(&r, &header, diag);
    if (err != MPROF_E_OK)
        return err;
    r.owners = (struct mpdata_vec){.elem_bytes = sizeof(struct owner)};
    r.profile = mpdata_profile_new();
    if (r.profile == NULL)
        return mprof_err_plain(diag, MPROF_E_NOMEM);
    err = open_section(&r, header.memprof_off, diag);
    if (err == MPROF_E_OK)
        err = read_records(&r, diag);
    if (err == MPROF_E_OK) {
        add_run(&r);
        err = mpdata_profile_merge(into, r.profile);
        mprof_err_plain(diag, err);
    }
    mpdata_llvm_stacks_fini(&r.stacks);
    mpdata_vec_fini(&r.owners);
    mpdata_profile_free(r.profile);
    return err;
}
