/* llvm_write.c -- an indexed profile for LLVM's compiler and tools (layout:
 * shared/index_llvm.h).
 *
 * Written front to back; offsets are patched when they are known. Header
 * version 12 is the newest that LLVM 19 reads; only newer front-end counters
 * need 13.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/llvm/llvm.h"
#include "profdata/llvm/chash.h"
#include "profdata/llvm/llvm_records.h"
#include "profdata/llvm/radix.h"
#include "shared/container.h"
#include "shared/index_llvm.h"

#include <stdlib.h>
#include <string.h>

/* The patched words of the header. */
#define HEADER_WORD(n) ((size_t)8 * (n))
#define HEADER_HASH_TABLE HEADER_WORD(4)
#define HEADER_MEMPROF HEADER_WORD(5)
#define HEADER_BINARY_IDS HEADER_WORD(6)
#define HEADER_TEMPORAL HEADER_WORD(7)
#define HEADER_VTABLES HEADER_WORD(8)

/* Indices in mprof_mib_fields[]. */
static const uint32_t hot_cold_schema[] = {
#define X(name) MPROF_MIB_INDEX_##name,
    MPROF_MEMPROF_HOT_COLD_SCHEMA(X)
#undef X
};
static const uint32_t full_schema[] = {
#define MPROF_MIB(tag, name, type, ...) \
    (tag) <= MPROF_MIB_LLVM_TAG_MAX ? MPROF_MIB_INDEX_##name : UINT32_MAX,
#include "shared/MIBDef.inc"
#undef MPROF_MIB
};

/* The default thresholds of LLVM's compiler for cold contexts: fewer than 0.05
 * accesses per byte and second (densities are times 100), and an average
 * lifetime of at least 200 s. */
#define COLD_DENSITY_BELOW 5u
#define COLD_LIFETIME_MS 200000u

#define MEMPROF_SUMMARY_FIELDS 6 /* of version 4 */

/* All that records refer to. */
struct section {
    uint32_t version;
    struct mpdata_llvm_records records;
    const uint32_t *schema;
    uint32_t schema_count;
    uint32_t *stack_ids; /* by node; in version 2 index + 1 in stacks[] */
    uint32_t *stacks;    /* version 2: first nodes of the stacks */
    uint32_t stack_count;
    bool random_hotness;
    uint64_t random_seed;
};

/* The counters to write beside the memory profile, or NULL. */
static const struct mpdata_counters *
counters_of(const struct mpdata_content *content)
{
    return content->counters.is_present ? &content->counters : NULL;
}

static void write_header(const struct mpdata_counters *counters,
                         bool with_memprof, struct mprof_buf *out)
{
    uint64_t version = MPROF_INDEX_VERSION;

    if (counters != NULL)
        version = mpdata_counters_write_version(counters);
    if (with_memprof)
        version |= MPROF_INDEX_VARIANT_MEMPROF;
    mprof_buf_u64(out, MPROF_INDEX_MAGIC);
    mprof_buf_u64(out, version);
    mprof_buf_u64(out, 0);
    mprof_buf_u64(out, MPROF_INDEX_HASH_MD5);
    for (int i = 4; i < MPROF_INDEX_HEADER_WORDS; i++)
        mprof_buf_u64(out, 0);
}

static void write_summary(const struct mpdata_counters *counters,
                          struct mprof_buf *out)
{
    if (counters != NULL) {
        mprof_buf_bytes(out, counters->summary.data, counters->summary.size);
        return;
    }
    mprof_buf_u64(out, MPROF_INDEX_SUMMARY_FIELDS);
    mprof_buf_u64(out, MPROF_INDEX_SUMMARY_CUTOFFS);
    for (int i = 0; i < MPROF_INDEX_SUMMARY_FIELDS; i++)
        mprof_buf_u64(out, 0);
    for (size_t i = 0; i < MPROF_INDEX_SUMMARY_CUTOFFS; i++) {
        mprof_buf_u64(out, mprof_index_summary_cutoffs[i]);
        mprof_buf_u64(out, 0);
        mprof_buf_u64(out, 0);
    }
}

/* The table of functions with counters. */
static enum mprof_err write_counters(const struct mpdata_counters *counters,
                                     struct mprof_buf *out)
{
    const struct mpdata_chash_source none = {.count = 0};
    uint64_t table_off = 0;
    enum mprof_err err = MPROF_E_OK;

    if (counters != NULL)
        mpdata_counters_write_table(counters, out, &table_off);
    else
        err = mpdata_chash_write(&none, out, &table_off);
    mprof_buf_patch(out, HEADER_HASH_TABLE, table_off, 8);
    return err;
}

static int compare_ids(const void *left, const void *right)
{
    const struct mpdata_bytes *a = left;
    const struct mpdata_bytes *b = right;
    const uint64_t n = mprof_min_u64(a->size, b->size);
    const int order = n != 0 ? memcmp(a->data, b->data, n) : 0;

    if (order != 0)
        return order;
    return a->size < b->size ? -1 : a->size > b->size;
}

/* Collects the build ids of the profile and of the counters in ids[]; returns
 * their number. */
static uint32_t collect_ids(const struct mpdata_view *view,
                            const struct mpdata_vec *others,
                            struct mpdata_bytes *ids)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < view->binary_count; i++) {
        const struct mpdata_str *id =
            &view->strings[view->binaries[i].build_id];

        if (id->size != 0)
            ids[n++] = (struct mpdata_bytes){.data = (const uint8_t *)id->bytes,
                                             .size = id->size};
    }
    for (uint32_t i = 0; others != NULL && i < others->count; i++)
        ids[n++] = ((const struct mpdata_bytes *)others->data)[i];
    return n;
}

/* Writes each build id once, ascending. */
static enum mprof_err write_binary_ids(const struct mpdata_view *view,
                                       const struct mpdata_counters *counters,
                                       struct mprof_buf *out)
{
    const size_t start = out->size;
    const struct mpdata_vec *others =
        counters != NULL ? &counters->binary_ids : NULL;
    struct mpdata_bytes *ids = mpdata_vec_array(
        (size_t)view->binary_count + (others != NULL ? others->count : 0),
        sizeof(*ids));

    if (ids == NULL)
        return MPROF_E_NOMEM;
    uint32_t count = collect_ids(view, others, ids);
    if (count > 1)
        qsort(ids, count, sizeof(*ids), compare_ids);
    mprof_buf_patch(out, HEADER_BINARY_IDS, start, 8);
    mprof_buf_u64(out, 0);
    for (uint32_t i = 0; i < count; i++) {
        if (i != 0 && compare_ids(&ids[i - 1], &ids[i]) == 0)
            continue;
        mprof_buf_u64(out, ids[i].size);
        mprof_buf_bytes(out, ids[i].data, ids[i].size);
        mprof_buf_align(out, 8);
    }
    mprof_buf_patch(out, start, out->size - start - 8, 8);
    free(ids);
    return MPROF_E_OK;
}

static void write_vtables(const struct mpdata_counters *counters,
                          struct mprof_buf *out)
{
    mprof_buf_patch(out, HEADER_VTABLES, out->size, 8);
    mprof_buf_u64(out, counters != NULL ? counters->vtables.size : 0);
    if (counters != NULL)
        mprof_buf_bytes(out, counters->vtables.data, counters->vtables.size);
    mprof_buf_align(out, 8);
}

static void write_temporal(const struct mpdata_counters *counters,
                           struct mprof_buf *out)
{
    if (counters == NULL || counters->temporal.size == 0)
        return;
    mprof_buf_patch(out, HEADER_TEMPORAL, out->size, 8);
    mprof_buf_bytes(out, counters->temporal.data, counters->temporal.size);
}

static void write_schema(const struct section *s, struct mprof_buf *out)
{
    mprof_buf_u64(out, s->schema_count);
    for (uint32_t i = 0; i < s->schema_count; i++)
        mprof_buf_u64(out, mprof_mib_fields[s->schema[i]].tag);
}

static void write_frame(const struct section *s, uint64_t i,
                        struct mprof_buf *out)
{
    const struct mpdata_llvm_frame *frame =
        (const struct mpdata_llvm_frame *)s->records.frames.rows.data + i;

    mprof_buf_u64(out, frame->guid);
    mprof_buf_u32(out, frame->line_offset);
    mprof_buf_u32(out, frame->column);
    mprof_buf_uint(out, frame->is_inline, 1);
}

static void write_frames(const struct section *s, struct mprof_buf *out)
{
    for (uint32_t i = 0; i < s->records.frames.rows.count; i++)
        write_frame(s, i, out);
}

/* is_stack[node] = 1 where a call stack of a context or a call site starts. */
static void mark_stacks(const struct section *s, uint8_t *is_stack)
{
    const struct mpdata_llvm_records *r = &s->records;
    const struct mpdata_llvm_context *contexts = r->contexts.data;
    const struct mpdata_llvm_site *calls = r->call_sites.data;

    for (uint32_t i = 0; i < r->contexts.count; i++)
        is_stack[contexts[i].node] = 1;
    for (uint32_t i = 0; i < r->call_sites.count; i++)
        is_stack[calls[i].id] = 1;
}

/* Writes the call stacks as an array; fills s->stack_ids. */
static enum mprof_err write_stacks(struct section *s, struct mprof_buf *out)
{
    const struct mpdata_llvm_records *r = &s->records;
    const void *nodes = r->nodes.rows.data;
    const uint32_t count = r->nodes.rows.count;
    uint8_t *is_stack = mpdata_vec_array(count, 1);
    enum mprof_err err = MPROF_E_NOMEM;

    s->stack_ids = mpdata_vec_array(count, sizeof(*s->stack_ids));
    if (is_stack == NULL || s->stack_ids == NULL)
        goto out;
    mark_stacks(s, is_stack);
    err = mpdata_radix_write(
        &(struct mpdata_radix_forest){
            .parents = mpdata_numbers_of_pairs(nodes, 0),
            .frames = mpdata_numbers_of_pairs(nodes, 1),
            .is_stack = is_stack,
            .count = count,
            .frame_count = r->frames.rows.count},
        out, s->stack_ids);
out:
    free(is_stack);
    return err;
}

static uint64_t hash_record(const void *context, uint64_t i)
{
    const struct section *s = context;

    return ((const struct mpdata_llvm_record *)s->records.records.data)[i].guid;
}

/* For tests of compilers, random_hotness makes a random half of the contexts
 * cold and the others not. Only in LLVM's part: ours keeps the measured
 * values. */
static void read_mib(const struct section *s, uint32_t context,
                     struct mprof_mib *mib)
{
    const uint64_t key[] = {s->random_seed, context};

    mpdata_llvm_records_mib(&s->records, context, mib);
    if (!s->random_hotness)
        return;
    bool make_cold = (mprof_checksum(key, sizeof(key)) & 1) != 0;
    mib->TotalLifetimeAccessDensity = make_cold ? 0 : UINT64_MAX;
    mib->TotalLifetime = make_cold ? UINT64_MAX : 0;
}

static void write_mib(const struct section *s, uint32_t context,
                      struct mprof_buf *out)
{
    struct mprof_mib mib;

    read_mib(s, context, &mib);
    for (uint32_t i = 0; i < s->schema_count; i++)
        mprof_buf_uint(out, mprof_mib_llvm_value(&mib, s->schema[i]),
                       mprof_mib_fields[s->schema[i]].llvm_width);
}

static void write_stack_id(const struct section *s, uint32_t node,
                           struct mprof_buf *out)
{
    mprof_buf_uint(out, s->stack_ids[node],
                   s->version < MPROF_MEMPROF_VERSION_ARRAYS_MIN ? 8 : 4);
}

static void write_record_data(const struct section *s,
                              const struct mpdata_llvm_record *record,
                              struct mprof_buf *out)
{
    const struct mpdata_llvm_site *allocs = s->records.alloc_sites.data;
    const struct mpdata_llvm_site *calls = s->records.call_sites.data;
    const struct mpdata_llvm_context *contexts = s->records.contexts.data;

    mprof_buf_u64(out, record->alloc_count);
    for (uint32_t i = 0; i < record->alloc_count; i++) {
        const uint32_t context = allocs[record->alloc_first + i].id;

        write_stack_id(s, contexts[context].node, out);
        write_mib(s, context, out);
    }
    mprof_buf_u64(out, record->call_count);
    for (uint32_t i = 0; i < record->call_count; i++) {
        write_stack_id(s, calls[record->call_first + i].id, out);
        if (s->version >= MPROF_MEMPROF_VERSION_SUMMARY_MIN)
            mprof_buf_u64(out, 0); /* no callee GUIDs */
    }
}

static void write_record(const void *context, uint64_t i, struct mprof_buf *out)
{
    const struct section *s = context;
    const struct mpdata_llvm_record *record =
        (const struct mpdata_llvm_record *)s->records.records.data + i;

    size_t lengths = out->size;
    mprof_buf_u64(out, 8); /* bytes of the key */
    mprof_buf_u64(out, 0); /* bytes of the data */
    mprof_buf_u64(out, record->guid);
    size_t start = out->size;
    write_record_data(s, record, out);
    mprof_buf_patch(out, lengths + 8, out->size - start, 8);
}

static bool is_cold(const struct mprof_mib *mib)
{
    return mib->TotalLifetimeAccessDensity <
               mprof_mul_sat_u64(mib->AllocCount, COLD_DENSITY_BELOW) &&
           mib->TotalLifetime >=
               mprof_mul_sat_u64(mib->AllocCount, COLD_LIFETIME_MS);
}

/* Numbers of all, cold and hot contexts, then the largest total size of a cold,
 * warm and hot one. By default LLVM's compiler calls nothing hot. */
static void write_memprof_summary(const struct section *s,
                                  struct mprof_buf *out)
{
    uint64_t cold = 0;
    uint64_t cold_size_max = 0;
    uint64_t warm_size_max = 0;

    for (uint32_t i = 0; i < s->records.contexts.count; i++) {
        struct mprof_mib mib;

        read_mib(s, i, &mib);
        if (is_cold(&mib)) {
            cold++;
            cold_size_max = mprof_max_u64(cold_size_max, mib.TotalSize);
        } else {
            warm_size_max = mprof_max_u64(warm_size_max, mib.TotalSize);
        }
    }
    mprof_buf_u32(out, MEMPROF_SUMMARY_FIELDS);
    mprof_buf_u64(out, s->records.contexts.count);
    mprof_buf_u64(out, cold);
    mprof_buf_u64(out, 0);
    mprof_buf_u64(out, cold_size_max);
    mprof_buf_u64(out, warm_size_max);
    mprof_buf_u64(out, 0);
}

static enum mprof_err write_records(const struct section *s,
                                    struct mprof_buf *out, uint64_t *table_off)
{
    const struct mpdata_chash_source records = {
        .count = s->records.records.count,
        .context = s,
        .hash = hash_record,
        .write = write_record,
    };

    return mpdata_chash_write(&records, out, table_off);
}

/* -- version 2: frames and call stacks in hash tables ------------------------ */

/* LLVM's ids are hashes, but its readers only look them up: numbers from 1 on
 * do not collide. */
static uint64_t hash_number(const void *context, uint64_t i)
{
    (void)context;
    return i + 1;
}

static void write_frame_item(const void *context, uint64_t i,
                             struct mprof_buf *out)
{
    mprof_buf_u64(out, 8); /* bytes of the key */
    mprof_buf_u64(out, MPROF_MEMPROF_FRAME_BYTES);
    mprof_buf_u64(out, hash_number(context, i));
    write_frame(context, i, out);
}

static void write_stack_item(const void *context, uint64_t i,
                             struct mprof_buf *out)
{
    const struct section *s = context;
    const struct mpdata_llvm_node *nodes = s->records.nodes.rows.data;
    const size_t length = out->size;

    mprof_buf_u64(out, 0); /* bytes of the data */
    mprof_buf_u64(out, hash_number(context, i));
    for (uint32_t at = s->stacks[i] + 1; at != 0; at = nodes[at - 1].parent)
        mprof_buf_u64(out, hash_number(s, nodes[at - 1].frame));
    mprof_buf_patch(out, length, out->size - length - 16, 8);
}

/* Numbers the call stacks: s->stacks, s->stack_ids. */
static enum mprof_err number_stacks(struct section *s)
{
    const uint32_t count = s->records.nodes.rows.count;
    uint8_t *is_stack = mpdata_vec_array(count, 1);

    s->stack_ids = mpdata_vec_array(count, sizeof(*s->stack_ids));
    s->stacks = mpdata_vec_array(count, sizeof(*s->stacks));
    if (is_stack == NULL || s->stack_ids == NULL || s->stacks == NULL) {
        free(is_stack);
        return MPROF_E_NOMEM;
    }
    mark_stacks(s, is_stack);
    for (uint32_t i = 0; i < count; i++) {
        if (is_stack[i]) {
            s->stacks[s->stack_count++] = i;
            s->stack_ids[i] = s->stack_count;
        }
    }
    free(is_stack);
    return MPROF_E_OK;
}

static enum mprof_err write_memprof_tables(struct section *s,
                                           struct mprof_buf *out)
{
    const size_t header = out->size + 8;
    const struct mpdata_chash_source frames = {.count =
                                                   s->records.frames.rows.count,
                                               .context = s,
                                               .hash = hash_number,
                                               .write = write_frame_item};
    struct mpdata_chash_source stacks = {
        .context = s, .hash = hash_number, .write = write_stack_item};
    uint64_t offsets[5] = {0};
    enum mprof_err err = number_stacks(s);

    if (err != MPROF_E_OK)
        return err;
    stacks.count = s->stack_count;
    mprof_buf_patch(out, HEADER_MEMPROF, out->size, 8);
    mprof_buf_u64(out, s->version);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(offsets); i++)
        mprof_buf_u64(out, 0);
    write_schema(s, out);
    err = write_records(s, out, &offsets[0]);
    offsets[1] = out->size;
    if (err == MPROF_E_OK)
        err = mpdata_chash_write(&frames, out, &offsets[2]);
    offsets[3] = out->size;
    if (err == MPROF_E_OK)
        err = mpdata_chash_write(&stacks, out, &offsets[4]);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(offsets); i++)
        mprof_buf_patch(out, header + 8 * i, offsets[i], 8);
    return err;
}

/* -- versions 3 and 4: frames and call stacks in arrays -------------------- */

static enum mprof_err write_memprof_arrays(struct section *s,
                                           struct mprof_buf *out)
{
    const size_t header = out->size + 8;
    uint64_t table_off;

    mprof_buf_patch(out, HEADER_MEMPROF, out->size, 8);
    mprof_buf_u64(out, s->version);
    for (int i = 0; i < 3; i++)
        mprof_buf_u64(out, 0);
    if (s->version >= MPROF_MEMPROF_VERSION_SUMMARY_MIN) {
        mprof_buf_u64(out, 0); /* no data access profile */
        write_memprof_summary(s, out);
    }
    write_schema(s, out);
    write_frames(s, out);
    mprof_buf_patch(out, header, out->size, 8);
    enum mprof_err err = write_stacks(s, out);
    if (err != MPROF_E_OK)
        return err;
    mprof_buf_patch(out, header + 8, out->size, 8);
    err = write_records(s, out, &table_off);
    mprof_buf_patch(out, header + 16, table_off, 8);
    return err;
}

static void choose_schema(struct section *s, bool is_full)
{
    s->schema = hot_cold_schema;
    s->schema_count = MPROF_ARRAY_LEN(hot_cold_schema);
    if (is_full) {
        s->schema = full_schema;
        s->schema_count = 0;
        while (s->schema_count < MPROF_ARRAY_LEN(full_schema) &&
               full_schema[s->schema_count] != UINT32_MAX)
            s->schema_count++;
    }
}

enum mprof_err mpdata_llvm_write(const struct mpdata_content *canonical,
                                 const struct mpdata_index_options *options,
                                 struct mprof_buf *out)
{
    const struct mpdata_counters *counters = counters_of(canonical);
    /* If false, the header has no memprof bit: readers of counters accept
     * it. */
    const bool with_memprof = mpdata_content_has_memory(canonical);
    struct section s = {.version = options->memprof_version,
                        .random_hotness = options->random_hotness,
                        .random_seed = options->random_seed};

    if (s.version == 0)
        s.version = MPROF_MEMPROF_VERSION;
    if (s.version < MPROF_MEMPROF_VERSION_MIN ||
        s.version > MPROF_MEMPROF_VERSION_MAX)
        return MPROF_E_UNSUPPORTED;
    choose_schema(&s, options->full_schema);
    enum mprof_err err =
        mpdata_llvm_records_init(&s.records, canonical->profile);
    if (err != MPROF_E_OK)
        goto out;
    write_header(counters, with_memprof, out);
    write_summary(counters, out);
    err = write_counters(counters, out);
    if (err == MPROF_E_OK && with_memprof)
        err = s.version < MPROF_MEMPROF_VERSION_ARRAYS_MIN
                  ? write_memprof_tables(&s, out)
                  : write_memprof_arrays(&s, out);
    if (err != MPROF_E_OK)
        goto out;
    mprof_buf_align(out, 8);
    err = write_binary_ids(&s.records.profile, counters, out);
    if (err != MPROF_E_OK)
        goto out;
    write_vtables(counters, out);
    write_temporal(counters, out);
    err = out->failed ? MPROF_E_NOMEM : MPROF_E_OK;
out:
    free(s.stacks);
    free(s.stack_ids);
    mpdata_llvm_records_fini(&s.records);
    return err;
}
