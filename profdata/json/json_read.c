/* json_read.c -- a profile as JSON (form: json_keys.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/json/json_read.h"
#include "profdata/model/run_columns.h"
#include "profdata/base/vec.h"
#include "profdata/json/json_keys.h"
#include "profdata/json/json_source.h"
#include "shared/index_format.h"
#include "shared/part_format.h"

#include <stdlib.h>
#include <string.h>

/* Until when a dump tells of its run. */
struct run_end {
    uint64_t run_id;
    uint64_t ns; /* since its start */
};

struct text {
    struct mpdata_events *e;
    struct mpdata_content *content;
    struct mpdata_profile *profile;
    struct mpdata_vec binaries;  /* mpdata_ref, by number */
    struct mpdata_vec functions; /* mpdata_ref */
    struct mpdata_vec frames;    /* mpdata_ref */
    struct mpdata_vec scratch;   /* mpdata_ref: the stack at hand */
    struct mpdata_vec details;   /* struct mpdata_detail: so too */
    struct mpdata_vec run_ends;  /* struct run_end */
    uint32_t series_count;
    struct mpdata_cells_builder cells; /* the histogram at hand */
    uint64_t cells_end;                /* cell behind what was read of it */
    bool has_cells;
    bool has_all_cells;
};

static uint32_t number32(struct text *t)
{
    return (uint32_t)mpdata_events_number(t->e, UINT32_MAX);
}

static void keep_ref(struct text *t, struct mpdata_vec *refs, mpdata_ref ref)
{
    mpdata_ref *row = t->e->err == MPROF_E_OK ? mpdata_vec_push(refs) : NULL;

    if (row != NULL)
        *row = ref;
    else
        mpdata_events_fail_memory(t->e);
}

/* What a number stands for in one of the lists that came before. */
static mpdata_ref read_ref(struct text *t, const struct mpdata_vec *refs)
{
    const uint64_t i = mpdata_events_number(t->e, UINT32_MAX);

    if (t->e->err != MPROF_E_OK)
        return 0;
    if (i < refs->count)
        return ((const mpdata_ref *)refs->data)[i];
    mpdata_events_fail(t->e, MPROF_E_REFERENCE, "number %u", (unsigned)i);
    return 0;
}

static mpdata_string read_string(struct text *t)
{
    const struct mpdata_str s = mpdata_events_string(t->e);

    return mpdata_profile_string(t->profile, s.bytes, s.size);
}

static mpdata_string read_bytes(struct text *t)
{
    const struct mpdata_str s = mpdata_events_bytes(t->e);

    return mpdata_profile_string(t->profile, s.bytes, s.size);
}

static mpdata_ref read_path(struct text *t)
{
    const struct mpdata_str s = mpdata_events_string(t->e);

    return mpdata_profile_path(t->profile, s.bytes, s.size);
}

/* -- rows of the tables ---------------------------------------------------------- */

/* The value of a column of the RUNS section. */
static uint64_t read_run_value(struct text *t, uint32_t tag)
{
    switch (tag) {
    case MPROF_INDEX_RUNS_EXECUTABLE:
        return read_path(t);
#define X(column, member) case MPROF_INDEX_RUNS_##column:
        MPDATA_INDEX_RUN_STRINGS(X)
#undef X
        return read_string(t);
    case MPROF_INDEX_RUNS_KIND:
    case MPROF_INDEX_RUNS_EPOCH:
    case MPROF_INDEX_RUNS_DUMP:
        return number32(t);
    case MPROF_INDEX_RUNS_LIVE:
    case MPROF_INDEX_RUNS_OTHER_MALLOC:
    case MPROF_INDEX_RUNS_MIDDLE:
        return mpdata_events_number(t->e, 1);
    default:
        return mpdata_events_number(t->e, UINT64_MAX);
    }
}

/* Dumps that have series say which they are. */
static void keep_run_end(struct text *t, const struct mpdata_run *run)
{
    struct run_end *end;

    if (run->dump == 0 || t->e->err != MPROF_E_OK)
        return;
    end = (struct run_end *)mpdata_vec_push(&t->run_ends);
    if (end != NULL)
        *end = (struct run_end){run->run_id, run->duration_ns};
    else
        mpdata_events_fail_memory(t->e);
}

static uint64_t find_run_end(const struct text *t, uint64_t run_id)
{
    const struct run_end *const ends = (const struct run_end *)t->run_ends.data;
    uint64_t ns = 0;

    for (uint32_t i = 0; i < t->run_ends.count; i++) {
        if (ends[i].run_id == run_id)
            ns = mprof_max_u64(ns, ends[i].ns);
    }
    return ns;
}

static void read_run(struct text *t)
{
    static const uint32_t tags[] = {
#define X(column, member) MPROF_INDEX_RUNS_##column,
        MPDATA_INDEX_RUN_COLUMNS(X)
#undef X
    };
    static const char *const names[] = {
#define X(column, member) #column,
        MPDATA_INDEX_RUN_COLUMNS(X)
#undef X
    };
    struct mpdata_events_keys keys = {.names = names,
                                      .count = MPROF_ARRAY_LEN(names)};
    struct mpdata_run run = {.run_id = 0};
    size_t key;

    if (mpdata_events_map(t->e)) {
        while (mpdata_events_key(t->e, &keys, &key)) {
            const uint64_t value = read_run_value(t, tags[key]);

            switch (tags[key]) {
#define X(column, member)                           \
    case MPROF_INDEX_RUNS_##column:                 \
        run.member = (__typeof__(run.member))value; \
        break;
                MPDATA_INDEX_RUN_COLUMNS(X)
#undef X
            default:
                break;
            }
        }
    }
    mpdata_profile_run(t->profile, &run);
    keep_run_end(t, &run);
}

static uint32_t read_flag(struct text *t, uint32_t flag)
{
    return mpdata_events_bool(t->e) ? flag : 0;
}

static void read_binary(struct text *t)
{
    enum { MPDATA_JSON_BINARY(MPDATA_JSON_ID) };
    static const char *const names[] = {MPDATA_JSON_BINARY(MPDATA_JSON_KEY)};
    struct mpdata_events_keys keys = {.names = names,
                                      .count = MPROF_ARRAY_LEN(names)};
    struct mpdata_binary binary = {.path = 0};
    size_t key;

    if (mpdata_events_map(t->e)) {
        while (mpdata_events_key(t->e, &keys, &key)) {
            if (key == PATH)
                binary.path = read_path(t);
            else if (key == BUILD_ID)
                binary.build_id = read_bytes(t);
            else if (key == INSTRUMENTED)
                binary.flags |= read_flag(t, MPROF_BINARY_FL_INSTRUMENTED);
            else
                binary.flags |= read_flag(t, MPROF_BINARY_FL_NOT_INSTRUMENTED);
        }
    }
    keep_ref(t, &t->binaries, mpdata_profile_binary(t->profile, &binary));
}

static void read_function(struct text *t)
{
    enum { MPDATA_JSON_FUNCTION(MPDATA_JSON_ID) };
    static const char *const names[] = {MPDATA_JSON_FUNCTION(MPDATA_JSON_KEY)};
    struct mpdata_events_keys keys = {.names = names,
                                      .count = MPROF_ARRAY_LEN(names)};
    struct mpdata_function function = {.name = 0};
    size_t key;

    if (mpdata_events_map(t->e)) {
        while (mpdata_events_key(t->e, &keys, &key)) {
            if (key == NAME)
                function.name = read_string(t);
            else if (key == GUID)
                function.guid = mpdata_events_number(t->e, UINT64_MAX);
            else if (key == FILE_PATH)
                function.path = read_path(t);
            else
                function.line = number32(t);
        }
    }
    keep_ref(t, &t->functions, mpdata_profile_function(t->profile, &function));
}

static void read_frame(struct text *t)
{
    enum { MPDATA_JSON_FRAME(MPDATA_JSON_ID) };
    static const char *const names[] = {MPDATA_JSON_FRAME(MPDATA_JSON_KEY)};
    struct mpdata_events_keys keys = {.names = names,
                                      .count = MPROF_ARRAY_LEN(names)};
    struct mpdata_frame e = {.function = 0};
    size_t key;

    if (mpdata_events_map(t->e)) {
        while (mpdata_events_key(t->e, &keys, &key)) {
            if (key == FUNCTION)
                e.function = read_ref(t, &t->functions);
            else if (key == FILE_PATH)
                e.path = read_path(t);
            else if (key == LINE)
                e.line = number32(t);
            else if (key == COLUMN)
                e.column = number32(t);
            else if (key == DISCRIMINATOR)
                e.discriminator = number32(t);
            else if (key == INLINE)
                e.flags |= read_flag(t, MPROF_ENTRY_FL_INLINE);
            else if (key == NO_LINES)
                e.flags |= read_flag(t, MPROF_ENTRY_FL_NO_LINES);
            else if (key == BINARY)
                e.binary = read_ref(t, &t->binaries);
            else if (key == TYPE)
                e.type = read_string(t);
            else if (key == TYPE_BYTES)
                e.type_bytes = number32(t);
            else if (key == TYPE_FIELDS)
                e.type_fields = read_string(t);
            else
                e.address = mpdata_events_number(t->e, UINT64_MAX);
        }
    }
    keep_ref(t, &t->frames, mpdata_profile_frame(t->profile, &e));
}

/* -- contexts -------------------------------------------------------------------- */

static mpdata_ref read_stack(struct text *t)
{
    const mpdata_ref *frames;
    mpdata_ref node = 0;

    t->scratch.count = 0;
    if (mpdata_events_list(t->e)) {
        while (mpdata_events_item(t->e))
            keep_ref(t, &t->scratch, read_ref(t, &t->frames));
    }
    frames = t->scratch.data;
    for (uint32_t i = t->scratch.count; i-- > 0 && t->e->err == MPROF_E_OK;)
        node = mpdata_profile_node(t->profile, node, frames[i]);
    return node;
}

static void read_mib(struct text *t, struct mprof_mib *mib)
{
    const char *names[MPROF_MIB_FIELDS];
    struct mpdata_events_keys keys = {.names = names,
                                      .count = MPROF_MIB_FIELDS};
    size_t key;

    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++)
        names[i] = mprof_mib_fields[i].name;
    if (mpdata_events_map(t->e)) {
        while (mpdata_events_key(t->e, &keys, &key))
            mprof_mib_set(mib, key, mpdata_events_number(t->e, UINT64_MAX));
    }
}

static void read_count(struct text *t)
{
    const uint64_t count = mpdata_events_number(t->e, UINT64_MAX);

    if (t->e->err != MPROF_E_OK)
        return;
    mpdata_cells_add(&t->cells, t->cells_end++, count);
    if (t->cells.failed)
        mpdata_events_fail_memory(t->e);
}

static void read_cell_run(struct text *t)
{
    uint64_t first;

    if (!mpdata_events_list(t->e) || !mpdata_events_item(t->e))
        return;
    first = mpdata_events_number(t->e, INT64_MAX);
    if (t->e->err == MPROF_E_OK && first < t->cells_end)
        mpdata_events_fail(t->e, MPROF_E_VALUE,
                           "a run that starts before the end of the last one");
    t->cells_end = first;
    while (mpdata_events_item(t->e))
        read_count(t);
}

/* Runs; or the counts of all cells, as it was written at first. */
static void read_histogram(struct text *t)
{
    t->has_cells = mpdata_events_list(t->e);
    while (t->has_cells && mpdata_events_item(t->e)) {
        t->has_all_cells = t->e->next.kind != MPDATA_EVENT_LIST;
        if (t->has_all_cells)
            read_count(t);
        else
            read_cell_run(t);
    }
}

/* What was read for a context with this MIB. */
static struct mpdata_cells take_histogram(struct text *t,
                                          const struct mprof_mib *mib)
{
    if (t->cells_end > mib->AccessHistogramSize ||
        (t->has_all_cells && t->cells_end != mib->AccessHistogramSize))
        mpdata_events_fail(t->e, MPROF_E_VALUE,
                           "a histogram of another size than its context says");
    if (!t->has_cells)
        return MPDATA_CELLS_NONE;
    return mpdata_cells_of(t->cells.words, 0, t->cells.count);
}

static void begin_histogram(struct text *t)
{
    mpdata_cells_clear(&t->cells);
    t->cells_end = 0;
    t->has_cells = false;
    t->has_all_cells = false;
}

static uint32_t read_kind(struct text *t)
{
    const uint64_t kind =
        mpdata_events_number(t->e, MPROF_DETAIL_KINDS_END - 1);

    if (kind == 0)
        mpdata_events_fail(t->e, MPROF_E_VALUE, "a detail of no kind");
    return (uint32_t)kind;
}

static void read_detail(struct text *t)
{
    enum { MPDATA_JSON_DETAIL(MPDATA_JSON_ID) };
    static const char *const names[] = {MPDATA_JSON_DETAIL(MPDATA_JSON_KEY)};
    struct mpdata_events_keys keys = {.names = names,
                                      .count = MPROF_ARRAY_LEN(names)};
    struct mpdata_detail detail = {.node = 0};
    struct mpdata_detail *row;
    uint32_t bucket = 0;
    uint32_t place = 0;
    mpdata_ref node = 0;
    size_t key;

    if (!mpdata_events_map(t->e))
        return;
    while (mpdata_events_key(t->e, &keys, &key)) {
        if (key == KIND)
            detail.kind = read_kind(t);
        else if (key == BUCKET)
            bucket =
                (uint32_t)mpdata_events_number(t->e, MPROF_DETAIL_BUCKETS - 1);
        else if (key == PLACE)
            place = number32(t);
        else if (key == CALLSTACK)
            node = read_stack(t);
        else if (key == BLOCKS)
            detail.count = mpdata_events_number(t->e, UINT64_MAX);
        else
            detail.bytes = mpdata_events_number(t->e, UINT64_MAX);
    }
    mpdata_events_need(t->e, &keys, UINT64_C(1) << KIND);
    detail.key = mprof_detail_is_stack(detail.kind)    ? node
                 : mprof_detail_is_bucket(detail.kind) ? bucket
                                                       : place;
    row = (struct mpdata_detail *)mpdata_vec_push(&t->details);
    if (row == NULL)
        mpdata_events_fail_memory(t->e);
    else
        *row = detail;
}

static void read_details(struct text *t)
{
    if (!mpdata_events_list(t->e))
        return;
    while (mpdata_events_item(t->e))
        read_detail(t);
}

static void add_details(struct text *t, mpdata_ref node)
{
    struct mpdata_detail *const rows = (struct mpdata_detail *)t->details.data;

    for (uint32_t i = 0; i < t->details.count; i++) {
        rows[i].node = node;
        mpdata_profile_detail(t->profile, &rows[i]);
    }
}

static void read_context(struct text *t)
{
    enum { MPDATA_JSON_CONTEXT(MPDATA_JSON_ID) };
    static const char *const names[] = {MPDATA_JSON_CONTEXT(MPDATA_JSON_KEY)};
    struct mpdata_events_keys keys = {.names = names,
                                      .count = MPROF_ARRAY_LEN(names)};
    struct mprof_mib mib = {.AllocCount = 0};
    mpdata_ref node = 0;
    struct mpdata_cells cells;
    uint32_t flags = 0;
    size_t key;

    begin_histogram(t);
    t->details.count = 0;
    if (mpdata_events_map(t->e)) {
        while (mpdata_events_key(t->e, &keys, &key)) {
            if (key == CALLSTACK)
                node = read_stack(t);
            else if (key == TRUNCATED)
                flags |= read_flag(t, MPROF_CONTEXT_FL_TRUNCATED);
            else if (key == LISTED)
                mpdata_events_skip(t->e);
            else if (key == NOT_MEASURED)
                flags |= read_flag(t, MPROF_CONTEXT_FL_NOT_MEASURED);
            else if (key == NOT_ALL_SEEN)
                flags |= read_flag(t, MPROF_CONTEXT_FL_NOT_ALL_SEEN);
            else if (key == MIB)
                read_mib(t, &mib);
            else if (key == DETAILS)
                read_details(t);
            else
                read_histogram(t);
        }
    }
    cells = take_histogram(t, &mib);
    if (t->e->err == MPROF_E_OK)
        mpdata_profile_context(t->profile, node, flags, &mib, cells);
    if (t->e->err == MPROF_E_OK)
        add_details(t, node);
}

/* -- series ---------------------------------------------------------------------- */

static void read_sample(struct text *t, struct mpdata_series *series)
{
    uint64_t values[5] = {0};
    size_t count = 0;

    if (!mpdata_events_list(t->e))
        return;
    while (mpdata_events_item(t->e)) {
        const uint64_t value = mpdata_events_number(t->e, UINT64_MAX);

        if (count < MPROF_ARRAY_LEN(values))
            values[count++] = value;
    }
    if (series->sample_count == MPDATA_SERIES_SAMPLES_MAX ||
        (series->sample_count != 0 &&
         values[0] <= series->samples[series->sample_count - 1].ns)) {
        mpdata_events_fail(t->e, MPROF_E_VALUE,
                           "samples that do not follow each other");
        return;
    }
    series->samples[series->sample_count++] =
        (struct mpdata_sample){.ns = values[0],
                               .bytes = values[1],
                               .most = values[2],
                               .blocks = values[3],
                               .rss = values[4]};
}

static void read_mark(struct text *t, struct mpdata_series *series)
{
    enum { MPDATA_JSON_MARK(MPDATA_JSON_ID) };
    static const char *const names[] = {MPDATA_JSON_MARK(MPDATA_JSON_KEY)};
    struct mpdata_events_keys keys = {.names = names,
                                      .count = MPROF_ARRAY_LEN(names)};
    struct mpdata_mark mark = {.ns = 0};
    size_t key;

    if (!mpdata_events_map(t->e))
        return;
    while (mpdata_events_key(t->e, &keys, &key)) {
        if (key == NS)
            mark.ns = mpdata_events_number(t->e, UINT64_MAX);
        else if (key == KIND)
            mark.kind = number32(t);
        else if (key == NAME)
            mark.name = read_string(t);
        else
            mark.bytes = mpdata_events_number(t->e, UINT64_MAX);
    }
    if (series->mark_count == MPDATA_SERIES_MARKS_MAX)
        mpdata_events_fail(t->e, MPROF_E_LIMIT, "more marks than are kept");
    else
        series->marks[series->mark_count++] = mark;
}

static void read_series_members(struct text *t, struct mpdata_series *series)
{
    enum { MPDATA_JSON_SERIES(MPDATA_JSON_ID) };
    static const char *const names[] = {MPDATA_JSON_SERIES(MPDATA_JSON_KEY)};
    struct mpdata_events_keys keys = {.names = names,
                                      .count = MPROF_ARRAY_LEN(names)};
    size_t key;

    if (!mpdata_events_map(t->e))
        return;
    while (mpdata_events_key(t->e, &keys, &key)) {
        if (key == RUN)
            series->run_id = mpdata_events_number(t->e, UINT64_MAX);
        else if (key == STEP)
            series->step_ns = mpdata_events_number(t->e, UINT64_MAX);
        else if (key == DROPPED)
            series->dropped_marks = mpdata_events_number(t->e, UINT64_MAX);
        else if (mpdata_events_list(t->e)) {
            while (mpdata_events_item(t->e))
                (key == SAMPLES ? read_sample : read_mark)(t, series);
        }
    }
}

static void read_series(struct text *t)
{
    struct mpdata_series series = {
        .samples = mpdata_vec_array(MPDATA_SERIES_SAMPLES_MAX,
                                    sizeof(*series.samples)),
        .marks =
            mpdata_vec_array(MPDATA_SERIES_MARKS_MAX, sizeof(*series.marks))};

    if (series.samples == NULL || series.marks == NULL)
        mpdata_events_fail_memory(t->e);
    else if (t->series_count++ == MPDATA_SERIES_MAX)
        mpdata_events_fail(t->e, MPROF_E_LIMIT, "more runs than are kept");
    else
        read_series_members(t, &series);
    series.until_ns = find_run_end(t, series.run_id);
    if (t->e->err == MPROF_E_OK)
        mpdata_profile_series(t->profile, &series);
    free(series.samples);
    free(series.marks);
}

/* -- parts ----------------------------------------------------------------------- */

static uint32_t read_part_kind(struct text *t)
{
    const struct mpdata_str s = mpdata_events_string(t->e);

    for (uint32_t kind = 1; kind < MPROF_PART_KINDS_END; kind++) {
        const char *const text = mprof_part_kind_text(kind);

        if (text != NULL && s.size == strlen(text) &&
            memcmp(s.bytes, text, s.size) == 0)
            return kind;
    }
    mpdata_events_fail(t->e, MPROF_E_VALUE, "no kind of part");
    return 0;
}

static void read_part(struct text *t)
{
    enum { MPDATA_JSON_PART(MPDATA_JSON_ID) };
    static const char *const names[] = {MPDATA_JSON_PART(MPDATA_JSON_KEY)};
    struct mpdata_events_keys keys = {.names = names,
                                      .count = MPROF_ARRAY_LEN(names)};
    struct mprof_mib mib = {.AllocCount = 0};
    struct mpdata_part part = {.kind = 0};
    size_t key;

    if (mpdata_events_map(t->e)) {
        while (mpdata_events_key(t->e, &keys, &key)) {
            if (key == KIND)
                part.kind = read_part_kind(t);
            else if (key == NAME)
                part.name = read_string(t);
            else if (key == CALLSTACK)
                part.node = read_stack(t);
            else if (key == TRUNCATED)
                part.flags |= read_flag(t, MPROF_CONTEXT_FL_TRUNCATED);
            else
                read_mib(t, &mib);
        }
    }
    mpdata_events_need(t->e, &keys, 1u << KIND);
    if (t->e->err == MPROF_E_OK && !mprof_part_is_valid(part.kind, part.node))
        mpdata_events_fail(t->e, MPROF_E_VALUE,
                           "what was left out has no call stack");
    if (t->e->err == MPROF_E_OK)
        mpdata_profile_part(t->profile, &part, &mib);
}

/* -- the document ----------------------------------------------------------------- */

static void read_row(struct text *t, size_t key)
{
    enum { MPDATA_JSON_TOP(MPDATA_JSON_ID) };

    switch (key) {
    case RUNS:
        read_run(t);
        break;
    case BINARIES:
        read_binary(t);
        break;
    case FUNCTIONS:
        read_function(t);
        break;
    case FRAMES:
        read_frame(t);
        break;
    case CONTEXTS:
        read_context(t);
        break;
    case SERIES:
        read_series(t);
        break;
    case PARTS:
        read_part(t);
        break;
    default:
        break;
    }
}

static void read_binary_id(struct text *t, struct mpdata_counters *counters)
{
    struct mpdata_bytes *const row = mpdata_vec_push(&counters->binary_ids);
    const struct mpdata_str s = mpdata_events_bytes(t->e);

    if (row == NULL || !mpdata_counters_keep(counters, s.bytes, s.size, row))
        mpdata_events_fail_memory(t->e);
}

static void read_counters_part(struct text *t, struct mpdata_bytes *part)
{
    const struct mpdata_str s = mpdata_events_bytes(t->e);

    if (!mpdata_counters_keep(&t->content->counters, s.bytes, s.size, part))
        mpdata_events_fail_memory(t->e);
}

static void read_counters_value(struct text *t, size_t key)
{
    enum { MPDATA_JSON_COUNTERS(MPDATA_JSON_ID) };
    struct mpdata_counters *const c = &t->content->counters;

    if (key == VERSION)
        c->version = mpdata_events_number(t->e, MPROF_INDEX_VERSION_MAX);
    else if (key == VARIANT)
        c->variant = mpdata_events_number(t->e, UINT64_MAX) &
                     MPROF_INDEX_VARIANT_MASK & ~MPROF_INDEX_VARIANT_MEMPROF;
    else if (key == SUMMARY)
        read_counters_part(t, &c->summary);
    else if (key == TABLE)
        read_counters_part(t, &c->table);
    else if (key == TABLE_OFFSET)
        c->table_off = mpdata_events_number(t->e, UINT64_MAX);
    else if (key == VTABLES)
        read_counters_part(t, &c->vtables);
    else if (key == TEMPORAL)
        read_counters_part(t, &c->temporal);
    else if (mpdata_events_list(t->e)) {
        while (mpdata_events_item(t->e))
            read_binary_id(t, c);
    }
}

/* Held to what the reader of LLVM's indexed files holds them to. */
static void read_counters(struct text *t)
{
    static const char *const names[] = {MPDATA_JSON_COUNTERS(MPDATA_JSON_KEY)};
    struct mpdata_events_keys keys = {.names = names,
                                      .count = MPROF_ARRAY_LEN(names)};
    enum mprof_err err;
    size_t key;

    if (mpdata_events_map(t->e)) {
        while (mpdata_events_key(t->e, &keys, &key))
            read_counters_value(t, key);
    }
    if (t->e->err != MPROF_E_OK)
        return;
    err = mpdata_counters_read_check(&t->content->counters);
    if (err != MPROF_E_OK)
        mpdata_events_fail(t->e, err, "the counters");
}

static void read_value(struct text *t, size_t key)
{
    enum { MPDATA_JSON_TOP(MPDATA_JSON_ID) };

    if (key == COUNTERS) {
        read_counters(t);
    } else if (key == LISTED) {
        mpdata_events_skip(t->e);
    } else if (key != VERSION && mpdata_events_list(t->e)) {
        while (mpdata_events_item(t->e))
            read_row(t, key);
    }
}

/* The version, which comes first, so that what follows is known. */
static void read_version(struct mpdata_events *e,
                         const struct mpdata_events_keys *keys)
{
    enum { MPDATA_JSON_TOP(MPDATA_JSON_ID) };
    uint64_t version;

    if (keys->seen != UINT64_C(1) << VERSION) {
        mpdata_events_fail(e, MPROF_E_VALUE,
                           MPDATA_JSON_VERSION_KEY " must come first");
        return;
    }
    version = mpdata_events_number(e, UINT64_MAX);
    if (e->err == MPROF_E_OK && version != MPDATA_JSON_VERSION)
        mpdata_events_fail(e, MPROF_E_VERSION, "version %llu",
                           (unsigned long long)version);
}

static void read_document(struct text *t)
{
    static const char *const names[] = {MPDATA_JSON_TOP(MPDATA_JSON_KEY)};
    struct mpdata_events_keys keys = {.names = names,
                                      .count = MPROF_ARRAY_LEN(names)};
    struct mpdata_events *const e = t->e;
    size_t key;

    if (mpdata_events_map(e)) {
        for (bool is_first = true; mpdata_events_key(e, &keys, &key);
             is_first = false) {
            if (is_first)
                read_version(e, &keys);
            else
                read_value(t, key);
        }
    }
    mpdata_events_need(e, &keys, 1);
    if (e->err == MPROF_E_OK && e->next.kind != MPDATA_EVENT_END)
        mpdata_events_fail(e, MPROF_E_VALUE, "something follows the profile");
    if (e->err == MPROF_E_OK && mpdata_profile_status(t->profile) != MPROF_E_OK)
        mpdata_events_fail(e, mpdata_profile_status(t->profile), "too much");
}

/* The document, from its first event on, into *content, whose profile is one
 * for this file alone. Failures stay in *e. */
static void read_all(struct mpdata_events *e, struct mpdata_content *content)
{
    struct text t = {.e = e,
                     .content = content,
                     .profile = content->profile,
                     .binaries = {.elem_bytes = sizeof(mpdata_ref)},
                     .functions = {.elem_bytes = sizeof(mpdata_ref)},
                     .frames = {.elem_bytes = sizeof(mpdata_ref)},
                     .scratch = {.elem_bytes = sizeof(mpdata_ref)},
                     .details = {.elem_bytes = sizeof(struct mpdata_detail)},
                     .run_ends = {.elem_bytes = sizeof(struct run_end)}};

    read_document(&t);
    mpdata_vec_fini(&t.binaries);
    mpdata_vec_fini(&t.functions);
    mpdata_vec_fini(&t.frames);
    mpdata_vec_fini(&t.scratch);
    mpdata_vec_fini(&t.details);
    mpdata_vec_fini(&t.run_ends);
    mpdata_cells_fini(&t.cells);
}

enum mprof_err mpdata_json_read(const void *data, size_t size,
                                struct mpdata_content *into,
                                struct mprof_diag *diag)
{
    struct mpdata_json_source source;
    struct mpdata_content own;
    enum mprof_err err = mpdata_content_init(&own);

    if (err != MPROF_E_OK) {
        mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
        goto out;
    }
    mpdata_json_source_open(&source, data, size, diag);
    if (source.events.err == MPROF_E_OK)
        read_all(&source.events, &own);
    err = source.events.err;
    mpdata_json_source_close(&source);
    if (err == MPROF_E_OK)
        err = mpdata_content_merge(into, &own, 1, diag);
out:
    mpdata_content_fini(&own);
    return err;
}
