/* show_yaml.c -- raw profiles in the text form of llvm-profdata 22, byte for
 * byte but for one number: the address of a histogram in llvm-profdata's own
 * memory, which is 0 here.
 *
 * The records are built as LLVM's reader does it: a context is listed with each
 * function of its innermost address, up to the one that was not inlined; an
 * address of a call stack is listed, once, with each of its functions, but for
 * the allocating one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/map.h"
#include "profdata/base/set.h"
#include "profdata/view/show.h"
#include "profdata/base/vec.h"
#include "shared/container.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* LLVM's defaults: cold is what lived for 200 s on average and had less than 5
 * accesses per 100 bytes and second. */
#define COLD_LIFETIME_MS 200000.0F
#define COLD_DENSITY 0.05F

struct context {
    uint64_t group; /* of dumps whose stack ids mean the same */
    uint64_t id;
    struct mprof_mib mib;
    struct mpdata_vec cells;  /* uint64_t */
    struct mpdata_vec places; /* uint32_t, leaf first */
};

struct record {
    uint64_t guid;
    struct mpdata_vec contexts; /* uint32_t: index */
    struct mpdata_vec calls;    /* uint32_t: place */
};

/* That a function's record has a call site. */
struct call {
    uint64_t guid;
    uint32_t place;
};

struct yaml {
    FILE *out;
    struct mpdata_session *session;
    struct mpdata_view view;
    struct mpdata_vec contexts; /* struct context */
    struct mpdata_map context_map;
    struct mpdata_vec records; /* struct record, in order of appearance */
    struct mpdata_map record_map;
    /* Call sites by function before they join the records. */
    struct mpdata_vec sites;
    struct mpdata_map site_map;
    struct mpdata_set calls; /* struct call */
    struct show_summary summary;
    bool failed;
};

/* -- summary --------------------------------------------------------------- */

void show_summary_add(struct show_summary *summary, const struct mprof_mib *mib)
{
    const float count = (float)mprof_max_u64(mib->AllocCount, 1);
    const bool is_cold =
        (float)mib->TotalLifetimeAccessDensity / count / 100 < COLD_DENSITY &&
        (float)mib->TotalLifetime / count >= COLD_LIFETIME_MS;

    summary->contexts++;
    if (is_cold) {
        summary->cold++;
        summary->max_cold_bytes =
            mprof_max_u64(summary->max_cold_bytes, mib->TotalSize);
    } else {
        summary->max_warm_bytes =
            mprof_max_u64(summary->max_warm_bytes, mib->TotalSize);
    }
}

void show_summary_print(FILE *out, const struct show_summary *s)
{
    fprintf(out,
            "---\n# MemProfSummary:\n"
            "#   Total contexts: %" PRIu64 "\n"
            "#   Total cold contexts: %" PRIu64 "\n"
            "#   Total hot contexts: %" PRIu64 "\n"
            "#   Maximum cold context total size: %" PRIu64 "\n"
            "#   Maximum warm context total size: %" PRIu64 "\n"
            "#   Maximum hot context total size: %" PRIu64 "\n",
            s->contexts, s->cold, s->hot, s->max_cold_bytes, s->max_warm_bytes,
            s->max_hot_bytes);
}

/* -- small helpers --------------------------------------------------------- */

static void push_u32(struct yaml *y, struct mpdata_vec *vec, uint32_t value)
{
    uint32_t *row = (uint32_t *)mpdata_vec_push(vec);

    if (row == NULL)
        y->failed = true;
    else
        *row = value;
}

static const uint32_t *u32s(const struct mpdata_vec *vec)
{
    return (const uint32_t *)vec->data;
}

static const struct mpdata_entry *entry_of(const struct yaml *y, mpdata_ref ref)
{
    return &y->view.entries[ref - 1];
}

static const struct mpdata_function *function_of(const struct yaml *y,
                                                 mpdata_ref ref)
{
    return &y->view.functions[entry_of(y, ref)->function - 1];
}

/* -- contexts -------------------------------------------------------------- */

static bool is_same_context(const void *rows, uint32_t row, const void *key)
{
    const struct context *const a = (const struct context *)rows + row;
    const struct context *const b = (const struct context *)key;

    return a->group == b->group && a->id == b->id;
}

static struct context *find_context(struct yaml *y, uint64_t group, uint64_t id)
{
    const uint64_t words[2] = {group, id};
    const uint64_t hash = mprof_checksum(words, sizeof(words));
    const struct context key = {.group = group, .id = id};
    const uint32_t ref = mpdata_map_find(&y->context_map, hash, is_same_context,
                                         y->contexts.data, &key);
    struct context *context;

    if (ref != 0)
        return (struct context *)y->contexts.data + ref - 1;
    context = (struct context *)mpdata_vec_push(&y->contexts);
    if (context == NULL ||
        !mpdata_map_add(&y->context_map, hash, y->contexts.count)) {
        y->failed = true;
        return NULL;
    }
    *context = (struct context){.group = group,
                                .id = id,
                                .cells = {.elem_bytes = sizeof(uint64_t)},
                                .places = {.elem_bytes = sizeof(uint32_t)}};
    return context;
}

/* The addresses that LLVM keeps: those with debug information that are not its
 * runtime's. */
static void add_places(struct yaml *y, struct context *context,
                       const struct mpdata_raw *raw,
                       const struct mpdata_symbolized *frames, mpdata_ref leaf)
{
    for (mpdata_ref at = leaf; at != 0; at = raw->nodes[at - 1].parent) {
        const struct mpdata_symbolized *frame =
            &frames[raw->nodes[at - 1].frame];

        if (frame->place == 0 || frame->is_runtime ||
            (entry_of(y, frame->entries[0])->flags & MPROF_ENTRY_FL_NO_LINES))
            continue;
        push_u32(y, &context->places, frame->place);
    }
}

static void add_cells(struct yaml *y, struct context *context,
                      const struct mpdata_raw_context *from, uint64_t size)
{
    uint64_t *cells;

    for (uint64_t i = 0; from->cells != NULL && i < size; i++) {
        if (i >= context->cells.count &&
            mpdata_vec_push(&context->cells) == NULL) {
            y->failed = true;
            return;
        }
        cells = (uint64_t *)context->cells.data;
        cells[i] = mprof_add_sat_u64(cells[i], from->cells[i]);
    }
}

/* A later dump's, as LLVM's reader adds it, which leaves the count of migrated
 * blocks as the first dump had it. */
static void append_mib(struct mprof_mib *mib, const struct mprof_mib *later)
{
    const uint64_t migrated = mib->NumMigratedCpu;
    const bool is_first = mib->AllocCount == 0;

    mprof_mib_append(mib, later);
    if (!is_first)
        mib->NumMigratedCpu = migrated;
}

static void add_dump(struct yaml *y, const struct mpdata_raw *raw,
                     const struct mpdata_symbolized *frames, uint64_t group)
{
    y->view = mpdata_profile_view(y->session->profile);
    for (uint32_t i = 0; i < raw->context_count && !y->failed; i++) {
        const struct mpdata_raw_context *from = &raw->contexts[i];
        const struct mprof_mib mib = mpdata_raw_mib(raw, i);
        struct context *context = find_context(y, group, from->id);

        if (context == NULL)
            return;
        if (context->mib.AllocCount == 0)
            add_places(y, context, raw, frames, from->node);
        append_mib(&context->mib, &mib);
        add_cells(y, context, from, mib.AccessHistogramSize);
    }
}

/* -- records --------------------------------------------------------------- */

static bool is_same_record(const void *rows, uint32_t row, const void *key)
{
    return ((const struct record *)rows)[row].guid == *(const uint64_t *)key;
}

static struct record *find_record(struct yaml *y, struct mpdata_vec *records,
                                  struct mpdata_map *map, uint64_t guid)
{
    const uint64_t hash = mprof_checksum(&guid, sizeof(guid));
    const uint32_t ref =
        mpdata_map_find(map, hash, is_same_record, records->data, &guid);
    struct record *record;

    if (ref != 0)
        return (struct record *)records->data + ref - 1;
    record = (struct record *)mpdata_vec_push(records);
    if (record == NULL || !mpdata_map_add(map, hash, records->count)) {
        y->failed = true;
        return NULL;
    }
    *record = (struct record){.guid = guid,
                              .contexts = {.elem_bytes = sizeof(uint32_t)},
                              .calls = {.elem_bytes = sizeof(uint32_t)}};
    return record;
}

static uint64_t hash_call(const void *key)
{
    const struct call *const call = (const struct call *)key;
    const uint64_t words[2] = {call->guid, call->place};

    return mprof_checksum(words, sizeof(words));
}

static bool is_same_call(const void *rows, uint32_t row, const void *key)
{
    const struct call *const a = (const struct call *)rows + row;
    const struct call *const b = (const struct call *)key;

    return a->guid == b->guid && a->place == b->place;
}

static const struct mpdata_set_kind call_kind = {.hash = hash_call,
                                                 .equal = is_same_call,
                                                 .elem_bytes =
                                                     sizeof(struct call)};

static void add_call(struct yaml *y, uint64_t guid, uint32_t place)
{
    const struct call call = {.guid = guid, .place = place};
    struct record *record;
    bool is_new = false;

    if (mpdata_set_add(&y->calls, &call, &is_new) == 0)
        y->failed = true;
    if (!is_new)
        return;
    record = find_record(y, &y->sites, &y->site_map, guid);
    if (record != NULL)
        push_u32(y, &record->calls, place);
}

static void add_calls(struct yaml *y, const struct context *context)
{
    for (uint32_t i = 0; i < context->places.count; i++) {
        const uint32_t place = u32s(&context->places)[i];
        uint32_t count;
        const mpdata_ref *entries =
            mpdata_session_place(y->session, place, &count);

        for (uint32_t k = i == 0; k < count; k++)
            add_call(y, function_of(y, entries[k])->guid, place);
    }
}

static void add_allocations(struct yaml *y, uint32_t index)
{
    const struct context *context =
        (const struct context *)y->contexts.data + index;
    uint32_t count;
    const mpdata_ref *entries =
        mpdata_session_place(y->session, u32s(&context->places)[0], &count);

    for (uint32_t i = 0; i < count; i++) {
        struct record *record = find_record(y, &y->records, &y->record_map,
                                            function_of(y, entries[i])->guid);

        if (record == NULL)
            return;
        push_u32(y, &record->contexts, index);
        if ((entry_of(y, entries[i])->flags & MPROF_ENTRY_FL_INLINE) == 0)
            return;
    }
}

static void build_records(struct yaml *y)
{
    for (uint32_t i = 0; i < y->contexts.count && !y->failed; i++) {
        const struct context *context =
            (const struct context *)y->contexts.data + i;

        if (context->places.count == 0)
            continue;
        add_calls(y, context);
        add_allocations(y, i);
    }
    for (uint32_t i = 0; i < y->sites.count && !y->failed; i++) {
        struct record *site = (struct record *)y->sites.data + i;
        struct record *record =
            find_record(y, &y->records, &y->record_map, site->guid);

        if (record == NULL)
            return;
        record->calls = site->calls;
        site->calls = (struct mpdata_vec){.elem_bytes = sizeof(uint32_t)};
    }
}

/* -- printing -------------------------------------------------------------- */

static uint32_t line_offset(const struct yaml *y, mpdata_ref ref)
{
    return entry_of(y, ref)->line - function_of(y, ref)->line;
}

static void print_frame(const struct yaml *y, mpdata_ref ref)
{
    const struct mpdata_function *function = function_of(y, ref);
    const struct mpdata_str *name = &y->view.strings[function->name];

    fprintf(y->out,
            "      -\n        Function: %" PRIu64
            "\n        SymbolName: %.*s\n        LineOffset: %" PRIu32
            "\n        Column: %" PRIu32 "\n        Inline: %d\n",
            function->guid, (int)mpdata_guid_name_size(name->bytes, name->size),
            name->bytes, line_offset(y, ref), entry_of(y, ref)->column,
            (entry_of(y, ref)->flags & MPROF_ENTRY_FL_INLINE) != 0);
}

static void print_mib(const struct yaml *y, const struct context *context)
{
    fputs("      MemInfoBlock:\n", y->out);
    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++) {
        if (mprof_mib_fields[i].tag <= MPROF_MIB_LLVM_TAG_MAX)
            fprintf(y->out, "        %s: %" PRIu64 "\n",
                    mprof_mib_fields[i].name,
                    mprof_mib_llvm_value(&context->mib, i));
    }
    if (context->cells.count == 0)
        return;
    fputs("        AccessHistogramValues:", y->out);
    for (uint32_t i = 0; i < context->cells.count; i++)
        fprintf(y->out, " %" PRIu64,
                ((const uint64_t *)context->cells.data)[i]);
    fputc('\n', y->out);
}

static void print_allocation(const struct yaml *y,
                             const struct context *context)
{
    fputs("    -\n      Callstack:\n", y->out);
    for (uint32_t i = 0; i < context->places.count; i++) {
        uint32_t count;
        const mpdata_ref *entries =
            mpdata_session_place(y->session, u32s(&context->places)[i], &count);

        for (uint32_t k = 0; k < count; k++)
            print_frame(y, entries[k]);
    }
    print_mib(y, context);
}

static void print_record(const struct yaml *y, const struct record *record)
{
    fprintf(y->out, "  -\n    FunctionGUID: %" PRIu64 "\n", record->guid);
    if (record->contexts.count != 0)
        fputs("    AllocSites:\n", y->out);
    for (uint32_t i = 0; i < record->contexts.count; i++)
        print_allocation(y, (const struct context *)y->contexts.data +
                                u32s(&record->contexts)[i]);
    if (record->calls.count != 0)
        fputs("    CallSites:\n", y->out);
    for (uint32_t i = 0; i < record->calls.count; i++) {
        uint32_t count;
        const mpdata_ref *entries =
            mpdata_session_place(y->session, u32s(&record->calls)[i], &count);

        for (uint32_t k = 0; k < count; k++) {
            fputs("    -\n", y->out);
            print_frame(y, entries[k]);
        }
    }
}

/* LLVM's summary counts contexts with equal frames once. */
static uint64_t hash_frames(const struct yaml *y, const struct context *context)
{
    uint64_t hash = 0;

    for (uint32_t i = 0; i < context->places.count; i++) {
        uint32_t count;
        const mpdata_ref *entries =
            mpdata_session_place(y->session, u32s(&context->places)[i], &count);

        for (uint32_t k = 0; k < count; k++) {
            const uint64_t words[4] = {hash, function_of(y, entries[k])->guid,
                                       line_offset(y, entries[k]),
                                       entry_of(y, entries[k])->column};

            hash = mprof_checksum(words, sizeof(words));
        }
    }
    return hash;
}

static bool is_same_hash(const void *rows, uint32_t row, const void *key)
{
    return ((const uint64_t *)rows)[row] == *(const uint64_t *)key;
}

static void summarize(struct yaml *y)
{
    struct mpdata_vec hashes = {.elem_bytes = sizeof(uint64_t)};
    struct mpdata_map map = {.slots = NULL};

    for (uint32_t i = 0; i < y->contexts.count; i++) {
        const struct context *context =
            (const struct context *)y->contexts.data + i;
        uint64_t *hash;
        uint64_t key;

        if (context->places.count == 0)
            continue;
        key = hash_frames(y, context);
        if (mpdata_map_find(&map, key, is_same_hash, hashes.data, &key) != 0)
            continue;
        hash = (uint64_t *)mpdata_vec_push(&hashes);
        if (hash == NULL || !mpdata_map_add(&map, key, hashes.count)) {
            y->failed = true;
            break;
        }
        *hash = key;
        show_summary_add(&y->summary, &context->mib);
    }
    mpdata_vec_fini(&hashes);
    mpdata_map_fini(&map);
}

static void print_head(const struct yaml *y, uint32_t version,
                       uint32_t segments)
{
    uint64_t mibs = 0;
    uint64_t functions = 0;
    uint64_t stacks = 0;

    for (uint32_t i = 0; i < y->records.count; i++) {
        const struct record *record =
            (const struct record *)y->records.data + i;

        mibs += record->contexts.count;
        functions += record->contexts.count != 0;
    }
    for (uint32_t i = 0; i < y->contexts.count; i++)
        stacks +=
            ((const struct context *)y->contexts.data)[i].places.count != 0;
    fprintf(y->out,
            "MemprofProfile:\n  Summary:\n    Version: %" PRIu32
            "\n    NumSegments: %" PRIu32 "\n    NumMibInfo: %" PRIu64
            "\n    NumAllocFunctions: %" PRIu64
            "\n    NumStackOffsets: %" PRIu64 "\n",
            version, segments, mibs, functions, stacks);
}

static void print_segments(const struct yaml *y, const struct mpdata_raw *raw)
{
    fputs("  Segments:\n", y->out);
    for (uint32_t i = 0; i < raw->segment_count; i++) {
        const struct mpdata_raw_segment *s = &raw->segments[i];
        const struct mpdata_str *id = &raw->modules[s->module].build_id;
        char text[MPDATA_BUILD_ID_TEXT_BYTES];

        fprintf(y->out,
                "  -\n    BuildId: %s\n    Start: 0x%" PRIX64
                "\n    End: 0x%" PRIX64 "\n    Offset: 0x%" PRIX64 "\n",
                id->size == 0 ? "<None>"
                              : mpdata_build_id_text(id->bytes, id->size, text),
                s->start, s->end, s->file_off);
    }
}

/* -- the whole file -------------------------------------------------------- */

static bool is_same_process(const struct mpdata_raw *a,
                            const struct mpdata_raw *b)
{
    return a->segment_count == b->segment_count &&
           memcmp(a->segments, b->segments,
                  a->segment_count * sizeof(*a->segments)) == 0;
}

static enum mprof_err add_dumps(struct yaml *y, struct mpdata_raw_file *raw,
                                const char *file, struct mprof_diag *diag)
{
    for (size_t i = 0; i < raw->count; i++) {
        struct mpdata_symbolized *frames;
        enum mprof_err err = mpdata_symbolize_frames(y->session, &raw->dumps[i],
                                                     file, &frames, diag);

        if (err != MPROF_E_OK)
            return err;
        add_dump(y, &raw->dumps[i], frames,
                 is_same_process(&raw->dumps[0], &raw->dumps[i]) ? 0 : i);
        free(frames);
    }
    return MPROF_E_OK;
}

static void free_all(struct yaml *y)
{
    for (uint32_t i = 0; i < y->contexts.count; i++) {
        struct context *context = (struct context *)y->contexts.data + i;

        mpdata_vec_fini(&context->cells);
        mpdata_vec_fini(&context->places);
    }
    for (uint32_t i = 0; i < y->records.count; i++) {
        struct record *record = (struct record *)y->records.data + i;

        mpdata_vec_fini(&record->contexts);
        mpdata_vec_fini(&record->calls);
    }
    for (uint32_t i = 0; i < y->sites.count; i++)
        mpdata_vec_fini(&((struct record *)y->sites.data)[i].calls);
    mpdata_vec_fini(&y->contexts);
    mpdata_vec_fini(&y->records);
    mpdata_vec_fini(&y->sites);
    mpdata_map_fini(&y->context_map);
    mpdata_map_fini(&y->record_map);
    mpdata_map_fini(&y->site_map);
    mpdata_set_fini(&y->calls);
}

enum mprof_err show_yaml_raw(FILE *out, struct mpdata_session *session,
                             struct mpdata_raw_file *raw, const char *file,
                             struct mprof_diag *diag)
{
    struct yaml y = {.out = out,
                     .session = session,
                     .contexts = {.elem_bytes = sizeof(struct context)},
                     .records = {.elem_bytes = sizeof(struct record)},
                     .sites = {.elem_bytes = sizeof(struct record)}};
    enum mprof_err err = add_dumps(&y, raw, file, diag);

    mpdata_set_init(&y.calls, &call_kind);
    if (err != MPROF_E_OK)
        goto out;
    y.view = mpdata_profile_view(session->profile);
    build_records(&y);
    summarize(&y);
    if (y.failed || mpdata_profile_status(session->profile) != MPROF_E_OK) {
        err = mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
        goto out;
    }
    show_summary_print(out, &y.summary);
    print_head(&y, raw->dumps[0].version, raw->dumps[0].segment_count);
    print_segments(&y, &raw->dumps[0]);
    fputs("  Records:\n", out);
    for (uint32_t i = 0; i < y.records.count; i++)
        print_record(&y, (const struct record *)y.records.data + i);
out:
    free_all(&y);
    return err;
}
