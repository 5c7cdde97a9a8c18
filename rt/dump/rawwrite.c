/* rawwrite.c -- our raw profile, as shared/raw_format.h describes it.
 *
 * Call stacks, and the order of contexts, come from rawtree.c. The sections are
 * tables; each is made in pieces, compressed and appended before the next.
 *
 * The runs of a program give the same bytes but for META and run-time
 * addresses.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/rawwrite.h"
#include "rt/base/clock.h"
#include "rt/base/identity.h"
#include "rt/base/libc.h"
#include "rt/base/options.h"
#include "rt/base/procfs.h"
#include "rt/base/state.h"
#include "rt/base/overhead.h"
#include "rt/dump/rawdetails.h"
#include "rt/dump/rawpack.h"
#include "rt/dump/rawseries.h"
#include "rt/dump/rawtree.h"
#include "rt/dump/stats.h"
#include "rt/heap/shadow.h"
#include "rt/record/block.h"
#include "rt/record/sample.h"
#include "rt/stack/depot.h"
#include "rt/stack/call_values.h"
#include "rt/stack/jump.h"
#include "rt/stack/names.h"
#include "shared/raw_format.h"
#include "shared/table.h"
#include "shared/version.h"

/* Tests of the bytes name a version that does not change. */
#ifndef MPRT_TOOL_TEXT
#define MPRT_TOOL_TEXT "memprof " MPROF_VERSION
#endif

#define CACHE_LINE_BYTES 64
/* Rows; twice that are on their way. */
#define PREFETCH_ROWS 8
/* Memory for columns of CONTEXTS, enough for most of them at once. */
#define SCRATCH_ROW_BYTES 64

/* In writer.rows: the row is of live blocks. */
#define ROW_LIVE (UINT32_C(1) << 31)

struct writer {
    const struct mprt_dump *dump;
    const struct mprt_rawtree *tree;
    /* Of CONTEXTS, then of PARTS: places in the tree's order, and ROW_LIVE. */
    uint32_t *rows;
    uint32_t row_count; /* of CONTEXTS */
    uint32_t part_count;
    uint32_t *names; /* STRINGS idx by the number of a name; 0: not met */
    struct mprof_buf strings;
    struct mprof_buf string_ends; /* u64 each */
    struct mprof_dir dir;
    struct mprt_rawseries *series;
    bool failed;
};

static uint32_t place_at(const struct writer *w, uint64_t row)
{
    return w->rows[row] & ~ROW_LIVE;
}

static uint32_t id_at(const struct writer *w, uint64_t row)
{
    return w->tree->order[place_at(w, row)];
}

static const struct mprt_context *context_at(const struct writer *w,
                                             uint64_t row)
{
    const struct mprt_snapshot *const snapshot = w->dump->snapshot;

    return (w->rows[row] & ROW_LIVE) != 0 ? &snapshot->live[id_at(w, row)]
                                          : &snapshot->rows[id_at(w, row)];
}

/* A row for the ended blocks of a context, then one for the live ones; of those
 * that are parts, or that are not. Returns how many rows. */
static uint32_t list_rows_of(struct writer *w, uint32_t *rows, bool are_parts)
{
    const struct mprt_snapshot *const snapshot = w->dump->snapshot;
    uint32_t count = 0;

    for (uint32_t i = 0; i < snapshot->count; i++) {
        const uint32_t id = w->tree->order[i];

        if (mprt_depot_is_part(id) != are_parts)
            continue;
        if (mprt_context_has_blocks(&snapshot->rows[id]))
            rows[count++] = i;
        if (mprt_context_has_blocks(&snapshot->live[id]))
            rows[count++] = i | ROW_LIVE;
    }
    return count;
}

static bool list_rows(struct writer *w)
{
    w->rows = (uint32_t *)mprt_mapbuf_new_array(
        2 * (size_t)w->dump->snapshot->count, sizeof(*w->rows));
    if (w->rows == NULL)
        return false;
    w->row_count = list_rows_of(w, w->rows, false);
    w->part_count = list_rows_of(w, w->rows + w->row_count, true);
    return true;
}

/* -- Strings --------------------------------------------------------------- */

/* Index of the string; not looked up among those that are there: each is
 * written once. */
static uint64_t put_string(struct writer *w, const void *data, size_t n)
{
    mprof_buf_bytes(&w->strings, data, n);
    mprof_buf_u64(&w->string_ends, w->strings.size);
    return w->string_ends.size / 8 - 1;
}

static uint64_t put_text(struct writer *w, const char *text)
{
    return text[0] == '\0' ? 0 : put_string(w, text, mprt_libc_strlen(text));
}

static bool has_threads(const struct writer *w)
{
    return w->names[0] != 0;
}

/* An earlier number of the same name, or the number. */
static uint32_t first_number(const struct writer *w, uint32_t number)
{
    for (uint32_t i = 1; i < number; i++) {
        if (w->names[i] != 0 &&
            mprt_libc_strcmp(mprt_names_text(i), mprt_names_text(number)) == 0)
            return i;
    }
    return number;
}

/* The names of parts and, with per_thread=1, of threads. Contexts without one
 * are of the name "" then. */
static void put_names(struct writer *w)
{
    const struct mprt_snapshot *const snapshot = w->dump->snapshot;

    if (mprt_options.per_thread)
        w->names[0] = (uint32_t)put_string(w, "", 0);
    for (uint32_t i = 0; i < snapshot->count; i++) {
        const uint32_t number = mprt_depot_name(snapshot->ids[i]);
        const char *name;
        uint32_t first;

        if (number == 0 || w->names[number] != 0)
            continue;
        first = first_number(w, number);
        name = mprt_names_text(number);
        w->names[number] =
            first != number
                ? w->names[first]
                : (uint32_t)put_string(w, name, mprt_libc_strlen(name));
    }
}

/* The names, each once. */
static void put_marks(struct writer *w)
{
    struct mprt_rawseries *const s = w->series;

    for (uint32_t i = 0; i < s->mark_count; i++) {
        const uint32_t number = s->marks[i].name;

        if (number != 0 && s->names[number] == 0)
            s->names[number] = (uint32_t)put_text(w, mprt_series_name(number));
    }
}

/* -- Sections -------------------------------------------------------------- */

static void add_section(struct writer *w, struct mprof_buf *out, uint32_t id,
                        const struct mprof_table_source *source)
{
    mprt_rawpack_table(out, &w->dir.sections[w->dir.section_count++], id,
                       source);
}

struct fact {
    uint32_t key;
    uint64_t number;
    uint64_t string;
};

struct facts {
    struct fact facts[MPROF_RAW_META_COUNT];
    uint32_t count;
};

/* Once a key. */
static void add_fact(struct facts *facts, uint32_t key, uint64_t number,
                     uint64_t string)
{
    if (facts->count < MPROF_ARRAY_LEN(facts->facts))
        facts->facts[facts->count++] =
            (struct fact){.key = key, .number = number, .string = string};
}

static uint64_t count_truncated(const struct mprt_snapshot *snapshot)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < snapshot->count; i++)
        count += !mprt_depot_is_part(snapshot->ids[i]) &&
                 mprt_depot_is_cut(snapshot->ids[i]);
    return count;
}

static void gather_facts(struct writer *w, struct facts *facts)
{
    const struct mprt_module_list *const modules = w->dump->modules;
    const struct mprt_live_peak *const peak = &w->dump->snapshot->peak;
    const struct mprt_call_values_checks checks = mprt_call_values_checks();
    struct mprt_block_stats stats;
    char host[128];
    uint64_t timed_calls;
    const uint64_t own_time_ns = mprt_overhead_ns(&timed_calls);

    mprt_block_stats(&stats);
    mprt_procfs_read_setting(MPRT_PROCFS_HOST_NAME, host, sizeof(host));
#define FACT(name, number) add_fact(facts, MPROF_RAW_META_IS_##name, number, 0)
#define TEXT(name, text) \
    add_fact(facts, MPROF_RAW_META_IS_##name, 0, put_text(w, text))
    FACT(RUN_ID, w->dump->name.run_id);
    FACT(EPOCH, w->dump->name.epoch);
    FACT(DUMP, w->dump->name.number);
    FACT(IS_LAST, w->dump->name.is_last);
    if (w->dump->name.is_before_exec)
        FACT(BEFORE_EXEC, 1);
    FACT(PID, mprt_identity_pid());
    FACT(START_NS, mprt_clock_start_realtime_ns());
    FACT(DURATION_NS, mprt_clock_now_ns());
    FACT(CLOCK_RESOLUTION_NS, mprt_clock_resolution_ns());
    TEXT(CLOCK, mprt_clock_name());
    TEXT(OPTIONS, mprt_options_given());
    TEXT(EXECUTABLE, modules->count != 0 ? modules->modules[0].path : "");
    TEXT(HOST, host);
    TEXT(TOOL, MPRT_TOOL_TEXT);
    if (w->dump->known_leaks != NULL && w->dump->known_leaks[0] != '\0')
        TEXT(KNOWN_LEAKS, w->dump->known_leaks);
    if (mprt_state_other_malloc)
        FACT(OTHER_MALLOC, 1);
    FACT(CELL_BYTES,
         mprt_shadow_mode == MPRT_SHADOW_HISTOGRAM ? MPROF_CELL_BYTES : 0);
    FACT(STACK_DEPTH_MAX,
         mprof_min_u64((uint64_t)mprt_options.malloc_context_size,
                       MPRT_STACK_FRAMES_MAX));
    FACT(TRUNCATED_STACKS,
         w->tree->has_cut ? count_truncated(w->dump->snapshot) : 0);
    FACT(DROPPED_BLOCKS, stats.dropped_blocks);
    FACT(OWN_MEMORY_BYTES, mprt_stats_memory_bytes());
    FACT(FOREIGN_FREES, stats.foreign_frees);
    if (mprt_jump_count() != 0)
        FACT(HANDLER_JUMPS, mprt_jump_count());
    if (checks.checks != 0) {
        FACT(CONTEXT_CHECKS, checks.checks);
        FACT(CONTEXT_DIFFERENCES, checks.differences);
    }
    if (peak->bytes != 0) {
        FACT(PEAK_BYTES, peak->bytes);
        FACT(PEAK_NS, peak->ns);
    }
    if (w->series->count != 0)
        FACT(SERIES_STEP_NS, w->series->step_ns);
    if (w->series->dropped_marks != 0)
        FACT(DROPPED_MARKS, w->series->dropped_marks);
    if (mprt_sample_period != 0)
        FACT(SAMPLE_PERIOD, mprt_sample_period);
    if (timed_calls != 0) {
        FACT(OWN_TIME_NS, own_time_ns);
        FACT(TIMED_CALLS, timed_calls);
    }
#undef FACT
#undef TEXT
}

static uint64_t get_meta(const void *context, uint32_t tag, uint64_t row)
{
    const struct fact *const fact =
        &((const struct facts *)context)->facts[row];

    switch (tag) {
    case MPROF_RAW_META_KEY:
        return fact->key;
    case MPROF_RAW_META_NUMBER:
        return fact->number;
    default:
        return fact->string;
    }
}

static uint64_t get_string(const void *context, uint32_t tag, uint64_t row)
{
    const struct writer *const w = (const struct writer *)context;

    (void)tag;
    return mprof_le_load64(w->string_ends.data + 8 * row);
}

/* A module with the numbers of its strings. */
struct module_row {
    uint64_t path;
    uint64_t build_id;
    uint64_t bias;
    uint64_t flags;
};

static uint64_t get_module(const void *context, uint32_t tag, uint64_t row)
{
    const struct module_row *const module =
        &((const struct module_row *)context)[row];

    switch (tag) {
    case MPROF_RAW_MODULES_PATH:
        return module->path;
    case MPROF_RAW_MODULES_BUILD_ID:
        return module->build_id;
    case MPROF_RAW_MODULES_BIAS:
        return module->bias;
    default:
        return module->flags;
    }
}

/* Segments of all modules follow each other in the list's memory. */
static uint64_t get_segment(const void *context, uint32_t tag, uint64_t row)
{
    const struct mprt_module_list *const list =
        (const struct mprt_module_list *)context;
    const struct mprt_segment *segment;
    uint32_t module = 0;

    while (row >= list->modules[module].segment_count)
        row -= list->modules[module++].segment_count;
    segment = &list->modules[module].segments[row];
    switch (tag) {
    case MPROF_RAW_SEGMENTS_MODULE:
        return module;
    case MPROF_RAW_SEGMENTS_START:
        return segment->start;
    case MPROF_RAW_SEGMENTS_END:
        return segment->end;
    default:
        return segment->file_off;
    }
}

/* Contexts lie in the order in which they came up, and are read in that of
 * their stacks: what they hold is far from each other, and prefetched. */
static void prefetch_rows(const struct writer *w, uint64_t row)
{
    const uint64_t count = w->row_count + w->part_count;

    if (row + 2 * PREFETCH_ROWS < count)
        __builtin_prefetch(context_at(w, row + 2 * PREFETCH_ROWS));
    if (row + PREFETCH_ROWS < count) {
        const char *const entry =
            (const char *)context_at(w, row + PREFETCH_ROWS)->entry;

        for (size_t i = 0; entry != NULL && i < sizeof(struct mprof_mib);
             i += CACHE_LINE_BYTES)
            __builtin_prefetch(entry + i);
    }
}

/* The columns of CONTEXTS and PARTS that may be: the MIB's fields, then these.
 */
enum {
    COLUMN_NODE = MPROF_MIB_FIELDS,
    COLUMN_FLAGS,
    COLUMN_THREAD, /* of CONTEXTS */
    COLUMN_KIND,   /* of PARTS, as is the next */
    COLUMN_NAME,
    COLUMNS
};

/* A row of CONTEXTS or PARTS, by column. */
union context_row {
    struct mprof_mib mib;
    uint64_t values[COLUMNS];
};

static uint64_t flags_of(const struct writer *w, uint64_t row)
{
    const bool is_cut = w->tree->has_cut && mprt_depot_is_cut(id_at(w, row));

    return (is_cut ? MPROF_RAW_CONTEXT_FL_TRUNCATED : 0) |
           ((w->rows[row] & ROW_LIVE) != 0 ? MPROF_RAW_CONTEXT_FL_LIVE : 0);
}

/* What the format says of parts (part_format.h). */
static void keep_part(struct mprof_mib *mib, enum mprof_part_kind kind)
{
    const struct mprof_mib all = *mib;

    *mib = (struct mprof_mib){.AllocCount = mib->AllocCount,
                              .TotalSize = mib->TotalSize,
                              .MinSize = mib->MinSize,
                              .MaxSize = mib->MaxSize};
    if (kind != MPROF_PART_POOL)
        return;
    mib->AllocTimestamp = all.AllocTimestamp;
    mib->DeallocTimestamp = all.DeallocTimestamp;
    mib->TotalLifetime = all.TotalLifetime;
    mib->MinLifetime = all.MinLifetime;
    mib->MaxLifetime = all.MaxLifetime;
    mib->TotalLifetimeNs = all.TotalLifetimeNs;
    mib->MinLifetimeNs = all.MinLifetimeNs;
    mib->MaxLifetimeNs = all.MaxLifetimeNs;
    mib->LiveCount = all.LiveCount;
    mib->LiveBytes = all.LiveBytes;
}

/* All of a row at once. */
static void get_context(const struct writer *w, uint64_t row,
                        union context_row *out)
{
    const bool is_part = row >= w->row_count;
    const uint32_t number =
        is_part || has_threads(w) ? mprt_depot_name(id_at(w, row)) : 0;

    prefetch_rows(w, row);
    out->mib = context_at(w, row)->entry->mib;
    if (is_part)
        keep_part(&out->mib, mprt_names_kind(number));
    out->values[COLUMN_NODE] = w->tree->leaves[place_at(w, row)];
    out->values[COLUMN_FLAGS] = flags_of(w, row);
    out->values[COLUMN_THREAD] = has_threads(w) ? w->names[number] : 0;
    out->values[COLUMN_KIND] = is_part ? mprt_names_kind(number) : 0;
    out->values[COLUMN_NAME] = w->names[number];
}

/* -- Histograms: both tables from one list of rows ------------------------- */

struct histogram_row {
    uint64_t context; /* CONTEXTS idx */
    uint64_t first;   /* CELLS idx */
};

struct histograms {
    const struct writer *w;
    struct histogram_row *rows;
    uint64_t count;
    uint64_t cells;               /* that were accessed */
    struct mprof_range ranges[2]; /* of the columns of CELLS */
    struct cell_place *place;
};

/* The row of CELLS that was looked at last: they are read one after the other,
 * mostly. */
struct cell_place {
    uint64_t row;
    uint64_t end;       /* of the histogram's rows */
    uint64_t histogram; /* the next one */
    uint64_t cell;
    uint64_t skip;
    uint64_t count;
    struct mprt_cells_reader reader;
};

static void widen(struct mprof_range *range, uint64_t value)
{
    range->low = mprof_min_u64(range->low, value);
    range->high = mprof_max_u64(range->high, value);
}

/* Counts the rows of a histogram. */
static void count_cells(struct histograms *h,
                        const struct mprt_context *context)
{
    struct mprt_cells_reader reader;
    uint64_t cell = 0;
    uint64_t end = 0;
    uint64_t count;

    mprt_context_cells(context, &reader);
    for (; (count = mprt_cells_next(&reader, &cell)) != 0; end = ++cell) {
        widen(&h->ranges[0], count);
        widen(&h->ranges[1], cell - end);
        h->cells++;
    }
}

static uint64_t count_histograms(const struct writer *w)
{
    struct mprt_cells_reader reader;
    uint64_t count = 0;

    for (uint64_t row = 0; row < w->row_count; row++)
        count += mprt_context_cells(context_at(w, row), &reader) != 0;
    return count;
}

static void fill_histograms(struct histograms *h)
{
    struct mprt_cells_reader reader;
    uint64_t at = 0;

    for (uint64_t row = 0; row < h->w->row_count && at < h->count; row++) {
        const struct mprt_context *const c = context_at(h->w, row);

        if (mprt_context_cells(c, &reader) == 0)
            continue;
        h->rows[at++] =
            (struct histogram_row){.context = row, .first = h->cells};
        count_cells(h, c);
    }
    if (h->cells == 0)
        h->ranges[0] = h->ranges[1] = (struct mprof_range){.low = 0};
}

static uint64_t get_histogram(const void *context, uint32_t tag, uint64_t row)
{
    const struct histogram_row *const histogram =
        &((const struct histograms *)context)->rows[row];

    return tag == MPROF_RAW_HISTOGRAMS_CONTEXT ? histogram->context
                                               : histogram->first;
}

static void go_to_next(const struct histograms *h)
{
    struct cell_place *const place = h->place;
    const uint64_t i = place->histogram++;

    place->cell = 0;
    place->end = i + 1 < h->count ? h->rows[i + 1].first : h->cells;
    mprt_context_cells(context_at(h->w, h->rows[i].context), &place->reader);
}

/* Goes on to the next row. */
static void go_on(const struct histograms *h)
{
    struct cell_place *const place = h->place;
    uint64_t before;

    place->row++;
    while (place->row == place->end)
        go_to_next(h);
    before = place->cell;
    place->count = mprt_cells_next(&place->reader, &place->cell);
    place->skip = place->cell++ - before;
}

static uint64_t get_cell(const void *context, uint32_t tag, uint64_t row)
{
    const struct histograms *const h = (const struct histograms *)context;
    struct cell_place *const place = h->place;

    if (row < place->row)
        *place = (struct cell_place){.row = UINT64_MAX};
    while (place->row != row)
        go_on(h);
    return tag == MPROF_RAW_CELLS_COUNT ? place->count : place->skip;
}

/* Ranges are known: to look at all cells takes most of the time. */
static void add_cells(struct writer *w, struct mprof_buf *out,
                      const struct histograms *h)
{
    static const uint32_t tags[] = {MPROF_RAW_CELLS_COUNT,
                                    MPROF_RAW_CELLS_SKIP};
    const struct mprof_table_source source = {.rows = h->cells,
                                              .tags = tags,
                                              .tag_count =
                                                  MPROF_ARRAY_LEN(tags),
                                              .get = get_cell,
                                              .context = h};
    struct mprof_buf head;

    mprt_mapbuf_init(&head);
    const size_t bytes = mprof_table_head_of(&head, &source, h->ranges);
    mprt_rawpack_section(out, &w->dir.sections[w->dir.section_count++],
                         MPROF_RAW_CELLS, &head, &source, bytes);
    mprt_mapbuf_free(&head);
}

static void add_rows(struct writer *w, struct mprof_buf *out,
                     const struct histograms *h)
{
    static const uint32_t tags[] = {MPROF_RAW_HISTOGRAMS_CONTEXT,
                                    MPROF_RAW_HISTOGRAMS_FIRST};

    add_section(w, out, MPROF_RAW_HISTOGRAMS,
                &(struct mprof_table_source){.rows = h->count,
                                             .tags = tags,
                                             .tag_count = MPROF_ARRAY_LEN(tags),
                                             .get = get_histogram,
                                             .context = h});
}

static void add_histograms(struct writer *w, struct mprof_buf *out)
{
    struct cell_place place = {.row = UINT64_MAX};
    struct histograms h = {.w = w,
                           .count = count_histograms(w),
                           .ranges = {{.low = UINT64_MAX}, {.low = UINT64_MAX}},
                           .place = &place};

    if (h.count == 0)
        return;
    h.rows =
        (struct histogram_row *)mprt_mapbuf_new_array(h.count, sizeof(*h.rows));
    if (h.rows == NULL) {
        w->failed = true;
        return;
    }
    fill_histograms(&h);
    add_rows(w, out, &h);
    add_cells(w, out, &h);
    mprt_mapbuf_free_array(h.rows, h.count, sizeof(*h.rows));
}

/* -- The sections in the order of their ids -------------------------------- */

/* Of `rows` rows from the first on. */
static void find_ranges(const struct writer *w, uint32_t first, uint32_t rows,
                        struct mprof_range *ranges)
{
    union context_row row;

    for (size_t i = 0; i < COLUMNS; i++)
        ranges[i] = (struct mprof_range){.low = rows != 0 ? UINT64_MAX : 0};
    for (uint64_t at = first; at < (uint64_t)first + rows; at++) {
        get_context(w, at, &row);
        for (size_t i = 0; i < COLUMNS; i++) {
            ranges[i].low = mprof_min_u64(ranges[i].low, row.values[i]);
            ranges[i].high = mprof_max_u64(ranges[i].high, row.values[i]);
        }
    }
}

static uint32_t tag_of(size_t column)
{
    _Static_assert(MPROF_RAW_CONTEXTS_NODE + 0 == MPROF_RAW_PARTS_NODE + 0 &&
                       MPROF_RAW_CONTEXTS_FLAGS + 0 ==
                           MPROF_RAW_PARTS_FLAGS + 0,
                   "both tables have them");
    switch (column) {
    case COLUMN_NODE:
        return MPROF_RAW_CONTEXTS_NODE;
    case COLUMN_FLAGS:
        return MPROF_RAW_CONTEXTS_FLAGS;
    case COLUMN_THREAD:
        return MPROF_RAW_CONTEXTS_THREAD;
    case COLUMN_KIND:
        return MPROF_RAW_PARTS_KIND;
    case COLUMN_NAME:
        return MPROF_RAW_PARTS_NAME;
    default:
        return mprof_mib_fields[column].tag;
    }
}

static bool has_column(const struct writer *w, bool are_parts, uint32_t column)
{
    switch (column) {
    case COLUMN_THREAD:
        return !are_parts && has_threads(w);
    case COLUMN_KIND:
    case COLUMN_NAME:
        return are_parts;
    default:
        return true;
    }
}

/* Fields that are 0 everywhere are left out, as readers take what is not there
 * for 0. Their ranges move together. */
static uint32_t choose_columns(const struct writer *w, bool are_parts,
                               struct mprof_range *ranges, uint32_t *columns,
                               uint32_t *tags)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < COLUMNS; i++) {
        if (i < MPROF_MIB_FIELDS ? ranges[i].high == 0
                                 : !has_column(w, are_parts, i))
            continue;
        ranges[count] = ranges[i];
        columns[count] = i;
        tags[count++] = tag_of(i);
    }
    return count;
}

/* What get_context_row() needs. */
struct context_table {
    const struct writer *w;
    uint32_t first;            /* row of the writer */
    uint32_t columns[COLUMNS]; /* those that are written */
    uint32_t count;
};

static void get_context_row(const void *context, uint64_t row, uint64_t *values)
{
    const struct context_table *const table =
        (const struct context_table *)context;
    union context_row whole;

    get_context(table->w, table->first + row, &whole);
    for (uint32_t i = 0; i < table->count; i++)
        values[i] = whole.values[table->columns[i]];
}

/* CONTEXTS or PARTS. Many columns at a time: one pass over the contexts for
 * each column took most of a dump. */
static void add_contexts(struct writer *w, struct mprof_buf *out, uint32_t id)
{
    const bool are_parts = id == MPROF_RAW_PARTS;
    const uint32_t rows = are_parts ? w->part_count : w->row_count;
    struct context_table table = {.w = w,
                                  .first = are_parts ? w->row_count : 0};
    struct mprof_range ranges[COLUMNS];
    uint32_t tags[COLUMNS];
    struct mprof_buf head;

    find_ranges(w, table.first, rows, ranges);
    table.count = choose_columns(w, are_parts, ranges, table.columns, tags);
    const struct mprof_table_source source = {
        .rows = rows,
        .tags = tags,
        .tag_count = table.count,
        .get_row = get_context_row,
        .context = &table,
        .scratch = (uint8_t *)mprt_mapbuf_new_array(rows, SCRATCH_ROW_BYTES),
        .scratch_bytes = (uint64_t)rows * SCRATCH_ROW_BYTES};
    mprt_mapbuf_init(&head);
    const size_t bytes = mprof_table_head_of(&head, &source, ranges);
    w->failed = w->failed || source.scratch == NULL;
    if (!w->failed)
        mprt_rawpack_section(out, &w->dir.sections[w->dir.section_count++], id,
                             &head, &source, bytes);
    mprt_mapbuf_free_array(source.scratch, rows, SCRATCH_ROW_BYTES);
    mprt_mapbuf_free(&head);
}

static void add_stacks(struct writer *w, struct mprof_buf *out)
{
    const struct mprof_buf *const stored = &w->tree->stored;
    uint64_t start;

    mprof_buf_align(out, MPROF_SECTION_ALIGN);
    start = out->size;
    mprof_buf_bytes(out, stored->data, stored->size);
    for (size_t i = 0; i < MPRT_RAWTREE_SECTIONS; i++) {
        struct mprof_section *const section =
            &w->dir.sections[w->dir.section_count++];

        *section = w->tree->sections[i];
        section->offset += start;
    }
}

static void add_segments(struct writer *w, struct mprof_buf *out)
{
    static const uint32_t tags[] = {
        MPROF_RAW_SEGMENTS_MODULE, MPROF_RAW_SEGMENTS_START,
        MPROF_RAW_SEGMENTS_END, MPROF_RAW_SEGMENTS_FILE_OFF};
    const struct mprt_module_list *const modules = w->dump->modules;
    uint64_t rows = 0;

    for (uint32_t i = 0; i < modules->count; i++)
        rows += modules->modules[i].segment_count;
    add_section(w, out, MPROF_RAW_SEGMENTS,
                &(struct mprof_table_source){.rows = rows,
                                             .tags = tags,
                                             .tag_count = MPROF_ARRAY_LEN(tags),
                                             .get = get_segment,
                                             .context = modules});
}

/* META, STRINGS, MODULES: strings must be complete before they are written. */
static void add_facts(struct writer *w, struct mprof_buf *out,
                      struct module_row *rows)
{
    static const uint32_t meta_tags[] = {
        MPROF_RAW_META_KEY, MPROF_RAW_META_NUMBER, MPROF_RAW_META_STRING};
    static const uint32_t string_tags[] = {MPROF_RAW_STRINGS_END,
                                           MPROF_RAW_STRINGS_BYTES};
    static const uint32_t module_tags[] = {
        MPROF_RAW_MODULES_PATH, MPROF_RAW_MODULES_BUILD_ID,
        MPROF_RAW_MODULES_BIAS, MPROF_RAW_MODULES_FLAGS};
    const struct mprt_module_list *const modules = w->dump->modules;
    struct facts facts = {.count = 0};

    put_string(w, "", 0);
    gather_facts(w, &facts);
    for (uint32_t i = 0; i < modules->count; i++) {
        const struct mprt_module *const m = &modules->modules[i];

        rows[i].path = put_text(w, m->path);
        rows[i].build_id = m->build_id_bytes != 0
                               ? put_string(w, m->build_id, m->build_id_bytes)
                               : 0;
        rows[i].bias = m->bias;
        rows[i].flags = m->flags;
    }
    put_names(w);
    put_marks(w);
    w->failed = w->failed || w->strings.failed || w->string_ends.failed;
    if (w->failed)
        return;
    add_section(
        w, out, MPROF_RAW_META,
        &(struct mprof_table_source){.rows = facts.count,
                                     .tags = meta_tags,
                                     .tag_count = MPROF_ARRAY_LEN(meta_tags),
                                     .get = get_meta,
                                     .context = &facts});
    add_section(
        w, out, MPROF_RAW_STRINGS,
        &(struct mprof_table_source){
            .rows = w->string_ends.size / 8,
            .tags = string_tags,
            .tag_count = MPROF_ARRAY_LEN(string_tags),
            .get = get_string,
            .context = w,
            .blob_tag = MPROF_RAW_STRINGS_BYTES,
            .blob = {.data = w->strings.data, .size = w->strings.size}});
    add_section(
        w, out, MPROF_RAW_MODULES,
        &(struct mprof_table_source){.rows = modules->count,
                                     .tags = module_tags,
                                     .tag_count = MPROF_ARRAY_LEN(module_tags),
                                     .get = get_module,
                                     .context = rows});
}

_Static_assert(MPROF_RAW_SECTION_COUNT <= MPROF_DIR_SECTIONS_MAX,
               "a directory holds all sections");

static const struct mprt_context *context_of_row(const void *from, uint64_t row,
                                                 bool *is_live)
{
    const struct writer *const w = (const struct writer *)from;

    *is_live = (w->rows[row] & ROW_LIVE) != 0;
    return context_at(w, row);
}

static void write_sections(struct writer *w, struct mprof_buf *out)
{
    const size_t modules = w->dump->modules->count;
    struct module_row *const rows =
        (struct module_row *)mprt_mapbuf_new_array(modules, sizeof(*rows));
    const size_t start = out->size;

    if (rows == NULL) {
        w->failed = true;
        return;
    }
    /* Room for the directory of all sections; those that are not written leave
     * unused bytes behind it. */
    mprof_buf_extend(out, mprof_dir_bytes(MPROF_RAW_SECTION_COUNT));
    add_facts(w, out, rows);
    if (!w->failed) {
        add_segments(w, out);
        add_stacks(w, out);
        add_contexts(w, out, MPROF_RAW_CONTEXTS);
        add_histograms(w, out);
        if (w->part_count != 0)
            add_contexts(w, out, MPROF_RAW_PARTS);
        const struct mprt_rawdetails details = {.snapshot = w->dump->snapshot,
                                                .tree = w->tree,
                                                .context_at = context_of_row,
                                                .from = w,
                                                .rows = w->row_count};
        if (!mprt_rawdetails_add(&details, out, &w->dir))
            w->failed = true;
        mprt_rawseries_add(w->series, out, &w->dir);
    }
    mprt_mapbuf_free_array(rows, modules, sizeof(*rows));
    if (w->failed || out->failed)
        return;
    w->dir.magic = MPROF_RAW_MAGIC;
    w->dir.version = MPROF_RAW_VERSION;
    w->dir.file_bytes = out->size - start;
    mprt_libc_memset(out->data + start, 0,
                     mprof_dir_bytes(MPROF_RAW_SECTION_COUNT));
    mprof_dir_write(&w->dir, out->data + start);
}

void mprt_rawwrite(struct mprof_buf *buf, const struct mprt_dump *dump)
{
    struct writer w = {.dump = dump,
                       .tree = mprt_rawtree_get(dump),
                       .series = mprt_rawseries_new(&dump->snapshot->peak)};

    mprt_mapbuf_init(&w.strings);
    mprt_mapbuf_init(&w.string_ends);
    w.names = (uint32_t *)mprt_mapbuf_new_array(MPRT_NAMES, sizeof(*w.names));
    if (w.tree != NULL && w.series != NULL && w.names != NULL && list_rows(&w))
        write_sections(&w, buf);
    else
        w.failed = true;
    mprt_mapbuf_free_array(w.rows, 2 * (size_t)dump->snapshot->count,
                           sizeof(*w.rows));
    mprt_mapbuf_free_array(w.names, MPRT_NAMES, sizeof(*w.names));
    buf->failed = buf->failed || w.failed;
    mprt_mapbuf_free(&w.strings);
    mprt_mapbuf_free(&w.string_ends);
    mprt_rawseries_free(w.series);
    mprt_rawtree_release();
}
