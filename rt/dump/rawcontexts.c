/* rawcontexts.c -- CONTEXTS and TAGGED of a raw profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/rawsections.h"
#include "rt/base/mapbuf.h"
#include "rt/stack/depot.h"
#include "rt/stack/names.h"
#include "shared/raw_format.h"
#include "shared/table.h"

#define CACHE_LINE_BYTES 64
#define PREFETCH_ROWS 8
/* Memory for columns of CONTEXTS, per row. Most columns fit into it at once. */
#define SCRATCH_ROW_BYTES 64

struct source {
    const struct mprt_rawrows *rows;
    const uint32_t *names; /* STRINGS idx by number of a name */
};

/* Prefetches the entry of a row, because entries of neighbouring rows lie far
 * from each other. */
static void prefetch_entry(const struct source *s, uint64_t row)
{
    if (row >= s->rows->context_count + s->rows->tagged_count)
        return;
    const char *const entry = (const char *)s->rows->rows[row].context.entry;

    for (size_t i = 0; i < sizeof(struct mprof_mib); i += CACHE_LINE_BYTES)
        __builtin_prefetch(entry + i);
}

/* Possible columns of CONTEXTS and TAGGED: the fields of the MIB, then these.
 */
enum {
    COLUMN_NODE = MPROF_MIB_FIELDS,
    COLUMN_FLAGS,
    COLUMN_THREAD, /* only CONTEXTS */
    COLUMN_KIND,   /* only TAGGED, like the next */
    COLUMN_NAME,
    COLUMNS
};

/* A row of CONTEXTS or TAGGED, by column. */
union context_row {
    struct mprof_mib mib;
    uint64_t values[COLUMNS];
};

static bool has_threads(const struct source *s)
{
    return s->names[0] != 0;
}

static uint64_t flags_of(const struct source *s, const struct mprt_rawrow *row)
{
    const bool is_cut = s->rows->tree->has_cut && mprt_depot_is_cut(row->id);

    return (is_cut ? MPROF_RAW_CONTEXT_FL_TRUNCATED : 0) |
           (row->is_live ? MPROF_RAW_CONTEXT_FL_LIVE : 0);
}

void mprt_rawcontexts_keep_tagged(struct mprof_mib *mib,
                                  enum mprof_tag_kind kind)
{
    const struct mprof_mib all = *mib;

    *mib = (struct mprof_mib){.AllocCount = mib->AllocCount,
                              .TotalSize = mib->TotalSize,
                              .MinSize = mib->MinSize,
                              .MaxSize = mib->MaxSize};
    if (kind != MPROF_TAG_POOL)
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
    mib->PeakCount = all.PeakCount;
    mib->PeakBytes = all.PeakBytes;
}

/* Gets all columns of a row at once. */
static void get_context(const struct source *s, uint64_t index,
                        union context_row *out)
{
    const struct mprt_rawrow *const row = &s->rows->rows[index];
    const bool is_tagged = index >= s->rows->context_count;
    const uint32_t number =
        is_tagged || has_threads(s) ? mprt_depot_name(row->id) : 0;

    prefetch_entry(s, index + PREFETCH_ROWS);
    out->mib = row->context.entry->mib;
    if (mprt_shadow_has_fields && !s->rows->has_fields)
        out->mib.AccessHistogramSize =
            (out->mib.AccessHistogramSize + 7) / 8; /* cells of 8 bytes */
    if (is_tagged)
        mprt_rawcontexts_keep_tagged(&out->mib, mprt_names_kind(number));
    out->values[COLUMN_NODE] = row->leaf;
    out->values[COLUMN_FLAGS] = flags_of(s, row);
    out->values[COLUMN_THREAD] = has_threads(s) ? s->names[number] : 0;
    out->values[COLUMN_KIND] = is_tagged ? mprt_names_kind(number) : 0;
    out->values[COLUMN_NAME] = s->names[number];
}

/* Finds the range of each column's values in `rows` rows from the first on. */
static void find_ranges(const struct source *s, uint32_t first, uint32_t rows,
                        struct mprof_range *ranges)
{
    union context_row row;

    for (size_t i = 0; i < COLUMNS; i++)
        ranges[i] = (struct mprof_range){.low = rows != 0 ? UINT64_MAX : 0};
    for (uint64_t at = first; at < (uint64_t)first + rows; at++) {
        get_context(s, at, &row);
        for (size_t i = 0; i < COLUMNS; i++) {
            ranges[i].low = mprof_min_u64(ranges[i].low, row.values[i]);
            ranges[i].high = mprof_max_u64(ranges[i].high, row.values[i]);
        }
    }
}

static uint32_t tag_of(size_t column)
{
    _Static_assert(MPROF_RAW_CONTEXTS_NODE + 0 == MPROF_RAW_TAGGED_NODE + 0 &&
                       MPROF_RAW_CONTEXTS_FLAGS + 0 ==
                           MPROF_RAW_TAGGED_FLAGS + 0,
                   "both tables have them");
    switch (column) {
    case COLUMN_NODE:
        return MPROF_RAW_CONTEXTS_NODE;
    case COLUMN_FLAGS:
        return MPROF_RAW_CONTEXTS_FLAGS;
    case COLUMN_THREAD:
        return MPROF_RAW_CONTEXTS_THREAD;
    case COLUMN_KIND:
        return MPROF_RAW_TAGGED_KIND;
    case COLUMN_NAME:
        return MPROF_RAW_TAGGED_NAME;
    default:
        return mprof_mib_fields[column].tag;
    }
}

static bool has_column(const struct source *s, bool are_tagged_rows,
                       uint32_t column)
{
    switch (column) {
    case COLUMN_THREAD:
        return !are_tagged_rows && has_threads(s);
    case COLUMN_KIND:
    case COLUMN_NAME:
        return are_tagged_rows;
    default:
        return true;
    }
}

/* Chooses the columns to write. Fields that are 0 in all rows are left out,
 * because readers use 0 for missing columns. Moves their ranges, too. */
static uint32_t choose_columns(const struct source *s, bool are_tagged_rows,
                               struct mprof_range *ranges, uint32_t *columns,
                               uint32_t *tags)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < COLUMNS; i++) {
        if (i < MPROF_MIB_FIELDS ? ranges[i].high == 0
                                 : !has_column(s, are_tagged_rows, i))
            continue;
        ranges[count] = ranges[i];
        columns[count] = i;
        tags[count++] = tag_of(i);
    }
    return count;
}

struct context_table {
    const struct source *source;
    uint32_t first;            /* first row */
    uint32_t columns[COLUMNS]; /* columns that are written */
    uint32_t count;
};

static void get_context_row(const void *context, uint64_t row, uint64_t *values)
{
    const struct context_table *const table =
        (const struct context_table *)context;
    union context_row whole;

    get_context(table->source, table->first + row, &whole);
    for (uint32_t i = 0; i < table->count; i++)
        values[i] = whole.values[table->columns[i]];
}

/* The scratch memory holds many columns at a time, because one pass over the
 * contexts per column would dominate the time of a dump. */
bool mprt_rawcontexts_add(const struct mprt_rawrows *rows,
                          const uint32_t *names, uint32_t id,
                          struct mprof_buf *out, struct mprof_dir *dir)
{
    const bool are_tagged_rows = id == MPROF_RAW_TAGGED;
    const uint32_t count =
        are_tagged_rows ? rows->tagged_count : rows->context_count;
    const struct source s = {.rows = rows, .names = names};
    struct context_table table = {
        .source = &s, .first = are_tagged_rows ? rows->context_count : 0};
    struct mprof_range ranges[COLUMNS];
    uint32_t tags[COLUMNS];
    struct mprof_buf head;

    find_ranges(&s, table.first, count, ranges);
    table.count =
        choose_columns(&s, are_tagged_rows, ranges, table.columns, tags);
    const struct mprof_table_source source = {
        .rows = count,
        .tags = tags,
        .tag_count = table.count,
        .get_row = get_context_row,
        .context = &table,
        .scratch = mprt_mapbuf_new_array(count, SCRATCH_ROW_BYTES),
        .scratch_bytes = (uint64_t)count * SCRATCH_ROW_BYTES};
    const bool has_room = source.scratch != NULL;
    mprt_mapbuf_init(&head);
    const size_t bytes = mprof_table_head_of(&head, &source, ranges);
    if (has_room)
        mprt_rawpack_section(out, &dir->sections[dir->section_count++], id,
                             &head, &source, bytes);
    mprt_mapbuf_free_array(source.scratch, count, SCRATCH_ROW_BYTES);
    mprt_mapbuf_free(&head);
    return has_room;
}
