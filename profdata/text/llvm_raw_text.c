/* llvm_raw_text.c -- raw profiles in the text form of llvm-profdata 22, byte
 * for byte but for one number: the address of a histogram in llvm-profdata's
 * own memory, which is 0 here.
 *
 * The records are built as LLVM's reader does it: a context is listed with each
 * function of its innermost address, up to the one that was not inlined; an
 * address of a call stack is listed, once, with each of its functions, but for
 * the allocating one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/guid.h"
#include "profdata/base/hash.h"
#include "profdata/base/map.h"
#include "profdata/base/set.h"
#include "profdata/model/cell_sums.h"
#include "profdata/text/llvm_raw_text.h"
#include "profdata/text/llvm_summary.h"
#include "profdata/text/yaml_scalar.h"
#include "profdata/base/vec.h"
#include "profdata/base/build_id.h"
#include "shared/index_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct context {
    uint64_t group; /* of dumps whose stack ids mean the same */
    uint64_t id;
    struct mprof_mib mib;
    struct mpdata_cells cells;   /* owned */
    struct mpdata_vec locations; /* uint32_t, leaf first */
};

struct record {
    uint64_t guid;
    struct mpdata_vec contexts; /* uint32_t: index */
    struct mpdata_vec calls;    /* uint32_t: location */
};

/* That a function's record has a call site. */
struct call {
    uint64_t guid;
    uint32_t location;
};

struct yaml {
    struct mpdata_sink *out;
    const struct mpdata_llvm_names *names;
    struct mpdata_view view;
    struct mpdata_vec contexts; /* struct context */
    struct mpdata_map context_map;
    struct mpdata_cell_sums *cell_sums; /* by index of the context; owned */
    struct mpdata_vec records; /* struct record, in order of appearance */
    struct mpdata_map record_map;
    /* Call sites by function before they join the records. */
    struct mpdata_vec sites;
    struct mpdata_map site_map;
    struct mpdata_set calls; /* struct call */
    struct mpdata_llvm_summary summary;
    bool failed;
};

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

/* The frames of a location that was looked up. */
static const mpdata_ref *locate(const struct yaml *y, uint32_t location,
                                uint32_t *count)
{
    return y->names->locate(y->names->context, location, count);
}

static const struct mpdata_frame *frame_of(const struct yaml *y, mpdata_ref ref)
{
    return &y->view.frames[ref - 1];
}

static const struct mpdata_function *function_of(const struct yaml *y,
                                                 mpdata_ref ref)
{
    return &y->view.functions[frame_of(y, ref)->function - 1];
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
    const uint64_t hash = mpdata_hash_bytes(words, sizeof(words));
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
                                .locations = {.elem_bytes = sizeof(uint32_t)}};
    return context;
}

/* The addresses that LLVM keeps: those with debug information that are not its
 * runtime's. */
static void add_locations(struct yaml *y, struct context *context,
                          const struct mpdata_raw *raw,
                          const uint32_t *locations, mpdata_ref leaf)
{
    for (mpdata_ref at = leaf; at != 0; at = raw->nodes[at - 1].parent) {
        const uint32_t location = locations[raw->nodes[at - 1].frame];
        const mpdata_ref *frames;
        uint32_t count;

        if (location == 0)
            continue;
        frames = locate(y, location, &count);
        if (count == 0 ||
            (frame_of(y, frames[0])->flags & MPROF_ENTRY_FL_NO_LINES) != 0)
            continue;
        push_u32(y, &context->locations, location);
    }
}

static void add_cells(struct yaml *y, struct context *context,
                      struct mpdata_cells cells)
{
    const uint32_t number =
        (uint32_t)(context - (struct context *)y->contexts.data);

    if (cells.words != NULL && context->cells.words != NULL) {
        mpdata_cell_sums_add(y->cell_sums, number, &context->cells, cells);
    } else if (cells.words != NULL) {
        context->cells = mpdata_cells_copy(cells);
        y->failed |= context->cells.words == NULL;
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
                     const uint32_t *locations, uint64_t group)
{
    y->view = mpdata_profile_view(y->names->profile);
    for (uint32_t i = 0; i < raw->context_count && !y->failed; i++) {
        const struct mpdata_raw_context *from = &raw->contexts[i];
        const struct mprof_mib mib = mpdata_raw_mib(raw, i);
        struct context *context = find_context(y, group, from->id);

        if (context == NULL)
            return;
        if (context->mib.AllocCount == 0)
            add_locations(y, context, raw, locations, from->node);
        append_mib(&context->mib, &mib);
        add_cells(y, context, mpdata_raw_cells(raw, i));
    }
}

static void flush_cells(struct yaml *y)
{
    struct context *const contexts = (struct context *)y->contexts.data;

    if (contexts == NULL)
        return;
    mpdata_cell_sums_flush(y->cell_sums, &contexts->cells, sizeof(*contexts));
    y->failed |= mpdata_cell_sums_failed(y->cell_sums);
}

/* -- records --------------------------------------------------------------- */

static bool is_same_record(const void *rows, uint32_t row, const void *key)
{
    return ((const struct record *)rows)[row].guid == *(const uint64_t *)key;
}

static struct record *find_record(struct yaml *y, struct mpdata_vec *records,
                                  struct mpdata_map *map, uint64_t guid)
{
    const uint64_t hash = mpdata_hash_bytes(&guid, sizeof(guid));
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
    const uint64_t words[2] = {call->guid, call->location};

    return mpdata_hash_bytes(words, sizeof(words));
}

static bool is_same_call(const void *rows, uint32_t row, const void *key)
{
    const struct call *const a = (const struct call *)rows + row;
    const struct call *const b = (const struct call *)key;

    return a->guid == b->guid && a->location == b->location;
}

static const struct mpdata_set_kind call_kind = {.hash = hash_call,
                                                 .equal = is_same_call,
                                                 .elem_bytes =
                                                     sizeof(struct call)};

static void add_call(struct yaml *y, uint64_t guid, uint32_t location)
{
    const struct call call = {.guid = guid, .location = location};
    struct record *record;
    bool is_new = false;

    if (mpdata_set_add(&y->calls, &call, &is_new) == 0)
        y->failed = true;
    if (!is_new)
        return;
    record = find_record(y, &y->sites, &y->site_map, guid);
    if (record != NULL)
        push_u32(y, &record->calls, location);
}

static void add_calls(struct yaml *y, const struct context *context)
{
    for (uint32_t i = 0; i < context->locations.count; i++) {
        const uint32_t location = u32s(&context->locations)[i];
        uint32_t count;
        const mpdata_ref *frames = locate(y, location, &count);

        for (uint32_t k = i == 0; k < count; k++)
            add_call(y, function_of(y, frames[k])->guid, location);
    }
}

static void add_allocations(struct yaml *y, uint32_t index)
{
    const struct context *context =
        (const struct context *)y->contexts.data + index;
    uint32_t count;
    const mpdata_ref *frames = locate(y, u32s(&context->locations)[0], &count);

    for (uint32_t i = 0; i < count; i++) {
        struct record *record = find_record(y, &y->records, &y->record_map,
                                            function_of(y, frames[i])->guid);

        if (record == NULL)
            return;
        push_u32(y, &record->contexts, index);
        if ((frame_of(y, frames[i])->flags & MPROF_ENTRY_FL_INLINE) == 0)
            return;
    }
}

static void build_records(struct yaml *y)
{
    for (uint32_t i = 0; i < y->contexts.count && !y->failed; i++) {
        const struct context *context =
            (const struct context *)y->contexts.data + i;

        if (context->locations.count == 0)
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
    return frame_of(y, ref)->line - function_of(y, ref)->line;
}

static void print_frame(const struct yaml *y, mpdata_ref ref)
{
    const struct mpdata_function *function = function_of(y, ref);
    const struct mpdata_str *name = &y->view.strings[function->name];

    mpdata_sink_format(
        y->out, "      -\n        Function: %" PRIu64 "\n        SymbolName: ",
        function->guid);
    /* LLVM writes the bytes as they are; what is no YAML then is for none to
     * read. */
    mpdata_yaml_scalar_bare(y->out, name->bytes,
                            mpdata_guid_name_size(name->bytes, name->size));
    mpdata_sink_format(y->out,
                       "\n        LineOffset: %" PRIu32
                       "\n        Column: %" PRIu32 "\n        Inline: %d\n",
                       line_offset(y, ref), frame_of(y, ref)->column,
                       (frame_of(y, ref)->flags & MPROF_ENTRY_FL_INLINE) != 0);
}

static void print_zeros(const struct yaml *y, uint64_t count)
{
    static const char zeros[] = " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
                                " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0";
    const uint64_t at_once = (sizeof(zeros) - 1) / 2;

    for (; count > at_once && !y->out->failed; count -= at_once)
        mpdata_sink_bytes(y->out, zeros, sizeof(zeros) - 1);
    mpdata_sink_bytes(y->out, zeros, 2 * (size_t)mprof_min_u64(count, at_once));
}

/* All of them: the form has no shorter way to say that there were no accesses.
 */
static void print_cells(const struct yaml *y, struct mpdata_cells cells,
                        uint64_t size)
{
    struct mpdata_cells_run run;
    uint64_t end = 0;

    mpdata_sink_text(y->out, "        AccessHistogramValues:");
    while (mpdata_cells_next_run(&cells, &run)) {
        print_zeros(y, run.first - end);
        for (uint64_t i = 0; i < run.count; i++)
            mpdata_sink_format(y->out, " %" PRIu64, run.counts[i]);
        end = run.first + run.count;
    }
    print_zeros(y, size - mprof_min_u64(end, size));
    mpdata_sink_char(y->out, '\n');
}

static void print_mib(const struct yaml *y, const struct context *context)
{
    mpdata_sink_text(y->out, "      MemInfoBlock:\n");
    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++) {
        if (mprof_mib_fields[i].tag <= MPROF_MIB_LLVM_TAG_MAX)
            mpdata_sink_format(y->out, "        %s: %" PRIu64 "\n",
                               mprof_mib_fields[i].name,
                               mprof_mib_llvm_value(&context->mib, i));
    }
    if (context->cells.words != NULL)
        print_cells(y, context->cells,
                    mprof_mib_llvm_value(&context->mib,
                                         MPROF_MIB_INDEX_AccessHistogramSize));
}

static void print_allocation(const struct yaml *y,
                             const struct context *context)
{
    mpdata_sink_text(y->out, "    -\n      Callstack:\n");
    for (uint32_t i = 0; i < context->locations.count; i++) {
        uint32_t count;
        const mpdata_ref *frames =
            locate(y, u32s(&context->locations)[i], &count);

        for (uint32_t k = 0; k < count; k++)
            print_frame(y, frames[k]);
    }
    print_mib(y, context);
}

static void print_record(const struct yaml *y, const struct record *record)
{
    mpdata_sink_format(y->out, "  -\n    FunctionGUID: %" PRIu64 "\n",
                       record->guid);
    if (record->contexts.count != 0)
        mpdata_sink_text(y->out, "    AllocSites:\n");
    for (uint32_t i = 0; i < record->contexts.count; i++)
        print_allocation(y, (const struct context *)y->contexts.data +
                                u32s(&record->contexts)[i]);
    if (record->calls.count != 0)
        mpdata_sink_text(y->out, "    CallSites:\n");
    for (uint32_t i = 0; i < record->calls.count; i++) {
        uint32_t count;
        const mpdata_ref *frames = locate(y, u32s(&record->calls)[i], &count);

        for (uint32_t k = 0; k < count; k++) {
            mpdata_sink_text(y->out, "    -\n");
            print_frame(y, frames[k]);
        }
    }
}

/* LLVM's summary counts contexts with equal frames once. */
static uint64_t hash_frames(const struct yaml *y, const struct context *context)
{
    uint64_t hash = 0;

    for (uint32_t i = 0; i < context->locations.count; i++) {
        uint32_t count;
        const mpdata_ref *frames =
            locate(y, u32s(&context->locations)[i], &count);

        for (uint32_t k = 0; k < count; k++) {
            const uint64_t words[4] = {hash, function_of(y, frames[k])->guid,
                                       line_offset(y, frames[k]),
                                       frame_of(y, frames[k])->column};

            hash = mpdata_hash_bytes(words, sizeof(words));
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

        if (context->locations.count == 0)
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
        mpdata_llvm_summary_add(&y->summary, &context->mib);
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
            ((const struct context *)y->contexts.data)[i].locations.count != 0;
    mpdata_sink_format(y->out,
                       "MemprofProfile:\n  Summary:\n    Version: %" PRIu32
                       "\n    NumSegments: %" PRIu32
                       "\n    NumMibInfo: %" PRIu64
                       "\n    NumAllocFunctions: %" PRIu64
                       "\n    NumStackOffsets: %" PRIu64 "\n",
                       version, segments, mibs, functions, stacks);
}

static void print_segments(const struct yaml *y, const struct mpdata_raw *raw)
{
    mpdata_sink_text(y->out, "  Segments:\n");
    for (uint32_t i = 0; i < raw->segment_count; i++) {
        const struct mpdata_raw_segment *s = &raw->segments[i];
        const struct mpdata_str *id = &raw->modules[s->module].build_id;
        char text[MPDATA_BUILD_ID_TEXT_BYTES];

        mpdata_sink_format(
            y->out,
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
                                struct mprof_diag *diag)
{
    enum mprof_err err = MPROF_E_OK;

    for (size_t i = 0; i < raw->count && err == MPROF_E_OK; i++) {
        struct mpdata_raw *const dump = &raw->dumps[i];
        uint32_t *locations =
            mpdata_vec_array(dump->frame_count, sizeof(*locations));

        err = locations != NULL
                  ? y->names->find(y->names->context, dump, locations, diag)
                  : mprof_err_fail(diag, MPROF_E_NOMEM, NULL,
                                   MPROF_DIAG_NO_OFFSET);
        if (err == MPROF_E_OK)
            add_dump(y, dump, locations,
                     is_same_process(&raw->dumps[0], dump) ? 0 : i);
        free(locations);
    }
    return err;
}

static void free_all(struct yaml *y)
{
    for (uint32_t i = 0; i < y->contexts.count; i++) {
        struct context *context = (struct context *)y->contexts.data + i;

        free(context->cells.words);
        mpdata_vec_fini(&context->locations);
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
    mpdata_cell_sums_free(y->cell_sums);
    mpdata_map_fini(&y->context_map);
    mpdata_map_fini(&y->record_map);
    mpdata_map_fini(&y->site_map);
    mpdata_set_fini(&y->calls);
}

enum mprof_err mpdata_llvm_raw_text(struct mpdata_sink *out,
                                    struct mpdata_raw_file *raw,
                                    const struct mpdata_llvm_names *names,
                                    struct mprof_diag *diag)
{
    struct yaml y = {.out = out,
                     .names = names,
                     .contexts = {.elem_bytes = sizeof(struct context)},
                     .records = {.elem_bytes = sizeof(struct record)},
                     .cell_sums = mpdata_cell_sums_new(),
                     .sites = {.elem_bytes = sizeof(struct record)}};
    enum mprof_err err =
        y.cell_sums != NULL
            ? add_dumps(&y, raw, diag)
            : mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);

    mpdata_set_init(&y.calls, &call_kind);
    if (err != MPROF_E_OK)
        goto out;
    flush_cells(&y);
    y.view = mpdata_profile_view(names->profile);
    build_records(&y);
    summarize(&y);
    if (y.failed || mpdata_profile_status(names->profile) != MPROF_E_OK) {
        err = mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
        goto out;
    }
    mpdata_llvm_summary_text(out, &y.summary);
    print_head(&y, raw->dumps[0].version, raw->dumps[0].segment_count);
    print_segments(&y, &raw->dumps[0]);
    mpdata_sink_text(out, "  Records:\n");
    for (uint32_t i = 0; i < y.records.count; i++)
        print_record(&y, (const struct record *)y.records.data + i);
out:
    free_all(&y);
    return err;
}
