/* raw_read.c -- reads our raw format (shared/raw_format.h) into struct
 * mpdata_raw.
 *
 * All sections are opened first; then each table is copied into the dump's
 * arrays, and every row number in it is checked. A column whose rows are all
 * equal takes no space, so a table may claim rows without bytes. Therefore the
 * number of rows is compared with the size of the table before memory is
 * allocated.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/diag.h"
#include "profdata/raw/raw.h"
#include "profdata/base/vec.h"
#include "profdata/base/section.h"
#include "shared/le.h"
#include "shared/tag_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One more than the highest section id. */
enum {
    SECTIONS = sizeof(union {
#define X(id, name, required, help) char name[(id) + 1];
        MPROF_RAW_SECTIONS(X)
#undef X
    })
};

/* All columns of all sections, numbered. */
enum {
#define X(section, tag, name, unit, help) COLUMN_##section##_##name,
    MPROF_RAW_COLUMNS(X)
#undef X
        COLUMNS
};

struct reader {
    const uint8_t *data;
    size_t size;
    bool verify;
    struct mprof_diag *diag;
    struct mprof_dir dir;
    struct mpdata_section sections[SECTIONS];
    struct mprof_table tables[SECTIONS];
    struct mprof_column columns[COLUMNS];
    struct mpdata_raw raw;
};

static enum mprof_err fail_row(struct reader *r, uint32_t id, uint64_t row,
                               const char *column, uint64_t value)
{
    return mpdata_diag_fail(
        r->diag, MPROF_E_REFERENCE, mprof_raw_section_name(id),
        r->sections[id].file_off, "row %" PRIu64 ", column %s: %" PRIu64, row,
        column, value);
}

static enum mprof_err fail_rows(struct reader *r, uint32_t id, uint64_t rows,
                                enum mprof_err err)
{
    return mpdata_diag_fail(r->diag, err, mprof_raw_section_name(id),
                            r->sections[id].file_off, "%" PRIu64 " rows", rows);
}

/* A row of MODULES, FRAMES or CONTEXTS takes up to 72 bytes of memory but may
 * take one byte in the file if rows are equal. Real rows differ more. */
#define NARROW_ROWS_MAX (UINT64_C(1) << 19)
#define ROW_BYTES_MIN 3

static enum mprof_err check_rows(struct reader *r, uint32_t id)
{
    const struct mprof_table *const table = &r->tables[id];

    return table->rows <= NARROW_ROWS_MAX ||
                   table->rows <= table->size / ROW_BYTES_MIN
               ? MPROF_E_OK
               : fail_rows(r, id, table->rows, MPROF_E_VALUE);
}

/* Reads flags of a row; only those in `known` are allowed. */
static enum mprof_err read_flags(struct reader *r, uint32_t id, uint64_t row,
                                 uint64_t flags, uint32_t known, uint32_t *out)
{
    *out = (uint32_t)flags;
    return (flags & ~(uint64_t)known) == 0
               ? MPROF_E_OK
               : mpdata_diag_fail(
                     r->diag, MPROF_E_VALUE, mprof_raw_section_name(id),
                     r->sections[id].file_off,
                     "row %" PRIu64 ", column FLAGS: %" PRIu64, row, flags);
}

static enum mprof_err no_memory(struct reader *r, uint32_t id)
{
    return mprof_err_fail(r->diag, MPROF_E_NOMEM, mprof_raw_section_name(id),
                          r->sections[id].file_off);
}

static enum mprof_err open_section(struct reader *r, uint32_t id, bool required)
{
    const struct mprof_section *place = mprof_dir_find(&r->dir, id);
    const char *name = mprof_raw_section_name(id);
    enum mprof_err err;

    if (place == NULL)
        return required ? mprof_err_fail(r->diag, MPROF_E_MISSING, name,
                                         MPROF_DIAG_NO_OFFSET)
                        : MPROF_E_OK;
    err = mpdata_section_open(&r->sections[id], r->data, r->size, place, name,
                              r->verify, r->diag);
    if (err == MPROF_E_OK)
        err = mpdata_section_table(&r->sections[id], &r->tables[id], r->diag);
    if (err == MPROF_E_OK && r->tables[id].rows > MPDATA_VEC_ROWS_MAX)
        err = mpdata_diag_fail(r->diag, MPROF_E_VALUE, name, place->offset,
                               "more rows (%" PRIu64 ") than it can hold",
                               r->tables[id].rows);
    return err;
}

static enum mprof_err open_sections(struct reader *r)
{
    enum mprof_err err = mprof_dir_read(
        &r->dir, r->data, r->size, 0, MPROF_RAW_MAGIC, MPROF_RAW_VERSION_MIN,
        MPROF_RAW_VERSION, r->verify, "raw directory", r->diag);

#define X(id, name, required, help) \
    if (err == MPROF_E_OK)          \
        err = open_section(r, id, required);
    MPROF_RAW_SECTIONS(X)
#undef X
    return err;
}

/* The value of a column in a row. */
#define GET(r, section, name, row) \
    mprof_column_get(&(r)->columns[COLUMN_##section##_##name], row)

static void find_columns(struct reader *r)
{
#define X(section, tag, name, unit, help)   \
    r->columns[COLUMN_##section##_##name] = \
        mprof_table_column(&r->tables[MPROF_RAW_##section], tag);
    MPROF_RAW_COLUMNS(X)
#undef X
}

/* Copies all strings, each with a NUL at its end. */
static enum mprof_err read_strings(struct reader *r)
{
    const struct mprof_table *table = &r->tables[MPROF_RAW_STRINGS];
    const struct mprof_blob blob =
        mprof_table_blob(table, MPROF_RAW_STRINGS_BYTES);
    struct mpdata_raw *raw = &r->raw;
    uint64_t start = 0;

    raw->strings = malloc((size_t)(blob.size + table->rows + 1));
    raw->string_table =
        mpdata_raw_array(table->rows, sizeof(*raw->string_table));
    if (raw->strings == NULL || raw->string_table == NULL)
        return no_memory(r, MPROF_RAW_STRINGS);
    for (uint64_t row = 0; row < table->rows; row++) {
        const uint64_t end = GET(r, STRINGS, END, row);
        char *out = raw->strings + start + row;

        if (end < start || end > blob.size)
            return fail_row(r, MPROF_RAW_STRINGS, row, "END", end);
        if (end != start)
            memcpy(out, blob.data + start, (size_t)(end - start));
        out[end - start] = '\0';
        raw->string_table[row] =
            (struct mpdata_str){.bytes = out, .size = (size_t)(end - start)};
        start = end;
    }
    r->raw.string_count = (uint32_t)table->rows;
    return MPROF_E_OK;
}

/* String 0 is "" even in an empty table. */
static bool get_string(const struct reader *r, uint64_t index,
                       struct mpdata_str *out)
{
    if (index < r->raw.string_count)
        *out = r->raw.string_table[index];
    else
        *out = (struct mpdata_str){.bytes = "", .size = 0};
    return index == 0 || index < r->raw.string_count;
}

/* Checks the numbers that identify the run and the dump. */
static enum mprof_err check_name(struct reader *r)
{
    const uint64_t *const n = r->raw.numbers;

    if (n[MPROF_RAW_META_IS_EPOCH] <= UINT32_MAX &&
        n[MPROF_RAW_META_IS_DUMP] <= UINT32_MAX &&
        (n[MPROF_RAW_META_IS_DUMP] == 0 || n[MPROF_RAW_META_IS_RUN_ID] != 0))
        return MPROF_E_OK;
    return mpdata_diag_fail(
        r->diag, MPROF_E_VALUE, mprof_raw_section_name(MPROF_RAW_META),
        r->sections[MPROF_RAW_META].file_off, "which dump of which run it is");
}

static enum mprof_err read_meta(struct reader *r)
{
    const uint64_t rows = r->tables[MPROF_RAW_META].rows;

    for (uint32_t key = 0; key < MPDATA_RAW_METAS; key++)
        r->raw.texts[key] = (struct mpdata_str){.bytes = "", .size = 0};
    for (uint64_t row = 0; row < rows; row++) {
        const uint64_t key = GET(r, META, KEY, row);
        const uint64_t text = GET(r, META, STRING, row);
        struct mpdata_str str;

        if (!get_string(r, text, &str))
            return fail_row(r, MPROF_RAW_META, row, "STRING", text);
        if (key >= MPDATA_RAW_METAS)
            continue;
        r->raw.numbers[key] = GET(r, META, NUMBER, row);
        r->raw.texts[key] = str;
    }
    return check_name(r);
}

/* Reads a string of a binary. Rows may share a string, but each is looked up,
 * so its length is limited. */
static enum mprof_err read_module_string(struct reader *r, uint64_t row,
                                         const char *column, uint64_t index,
                                         struct mpdata_str *out)
{
    if (!get_string(r, index, out))
        return fail_row(r, MPROF_RAW_MODULES, row, column, index);
    if (out->size > MPROF_RAW_MODULE_STRING_BYTES_MAX)
        return mpdata_diag_fail(
            r->diag, MPROF_E_VALUE, mprof_raw_section_name(MPROF_RAW_MODULES),
            r->sections[MPROF_RAW_MODULES].file_off,
            "row %" PRIu64 ", column %s: %zu bytes", row, column, out->size);
    return MPROF_E_OK;
}

/* An array for a section's rows; NULL when out of memory. */
static void *make_rows(struct reader *r, uint32_t id, size_t row_bytes)
{
    return mpdata_raw_array(r->tables[id].rows, row_bytes);
}

static enum mprof_err read_module(struct reader *r, uint64_t row,
                                  struct mpdata_raw_module *module)
{
    enum mprof_err err = read_module_string(
        r, row, "PATH", GET(r, MODULES, PATH, row), &module->path);

    if (err == MPROF_E_OK)
        err = read_module_string(r, row, "BUILD_ID",
                                 GET(r, MODULES, BUILD_ID, row),
                                 &module->build_id);
    if (err != MPROF_E_OK)
        return err;
    module->bias = GET(r, MODULES, BIAS, row);
    return read_flags(r, MPROF_RAW_MODULES, row, GET(r, MODULES, FLAGS, row),
                      MPROF_RAW_MODULE_FL_ALL, &module->flags);
}

static enum mprof_err read_modules(struct reader *r)
{
    const uint64_t rows = r->tables[MPROF_RAW_MODULES].rows;
    struct mpdata_raw *raw = &r->raw;
    enum mprof_err err = check_rows(r, MPROF_RAW_MODULES);

    if (err != MPROF_E_OK)
        return err;
    raw->modules = make_rows(r, MPROF_RAW_MODULES, sizeof(*raw->modules));
    if (raw->modules == NULL)
        return no_memory(r, MPROF_RAW_MODULES);
    for (uint64_t row = 0; row < rows && err == MPROF_E_OK; row++)
        err = read_module(r, row, &raw->modules[row]);
    raw->module_count = (uint32_t)rows;
    return err;
}

static enum mprof_err read_segments(struct reader *r)
{
    const uint64_t rows = r->tables[MPROF_RAW_SEGMENTS].rows;
    struct mpdata_raw *raw = &r->raw;

    raw->segments = make_rows(r, MPROF_RAW_SEGMENTS, sizeof(*raw->segments));
    if (raw->segments == NULL)
        return no_memory(r, MPROF_RAW_SEGMENTS);
    for (uint64_t row = 0; row < rows; row++) {
        const uint64_t module = GET(r, SEGMENTS, MODULE, row);

        if (module >= raw->module_count)
            return fail_row(r, MPROF_RAW_SEGMENTS, row, "MODULE", module);
        raw->segments[row] = (struct mpdata_raw_segment){
            .module = (uint32_t)module,
            .start = GET(r, SEGMENTS, START, row),
            .end = GET(r, SEGMENTS, END, row),
            .file_off = GET(r, SEGMENTS, FILE_OFF, row)};
    }
    raw->segment_count = (uint32_t)rows;
    return MPROF_E_OK;
}

static enum mprof_err read_frames(struct reader *r)
{
    const uint64_t rows = r->tables[MPROF_RAW_FRAMES].rows;
    struct mpdata_raw *raw = &r->raw;
    const enum mprof_err err = check_rows(r, MPROF_RAW_FRAMES);

    if (err != MPROF_E_OK)
        return err;
    raw->frames = make_rows(r, MPROF_RAW_FRAMES, sizeof(*raw->frames));
    if (raw->frames == NULL)
        return no_memory(r, MPROF_RAW_FRAMES);
    for (uint64_t row = 0; row < rows; row++) {
        const uint64_t module = GET(r, FRAMES, MODULE, row);

        if (module > raw->module_count)
            return fail_row(r, MPROF_RAW_FRAMES, row, "MODULE", module);
        raw->frames[row] =
            (struct mpdata_raw_frame){.module = (mpdata_ref)module,
                                      .address = GET(r, FRAMES, ADDRESS, row)};
    }
    raw->frame_count = (uint32_t)rows;
    return MPROF_E_OK;
}

static enum mprof_err read_nodes(struct reader *r)
{
    const uint64_t rows = r->tables[MPROF_RAW_NODES].rows;
    struct mpdata_raw *raw = &r->raw;

    raw->nodes = make_rows(r, MPROF_RAW_NODES, sizeof(*raw->nodes));
    if (raw->nodes == NULL)
        return no_memory(r, MPROF_RAW_NODES);
    for (uint64_t row = 0; row < rows; row++) {
        const uint64_t up = GET(r, NODES, UP, row);
        const uint64_t frame = GET(r, NODES, FRAME, row);

        if (up > row)
            return fail_row(r, MPROF_RAW_NODES, row, "UP", up);
        if (frame >= raw->frame_count)
            return fail_row(r, MPROF_RAW_NODES, row, "FRAME", frame);
        raw->nodes[row] = (struct mpdata_raw_node){
            .parent = up != 0 ? (mpdata_ref)(row - up + 1) : 0,
            .frame = (uint32_t)frame};
    }
    raw->node_count = (uint32_t)rows;
    return MPROF_E_OK;
}

static enum mprof_err read_context(struct reader *r, uint64_t row,
                                   const struct mprof_column *blocks,
                                   struct mpdata_raw_context *context)
{
    const uint64_t node = GET(r, CONTEXTS, NODE, row);
    const uint64_t thread = GET(r, CONTEXTS, THREAD, row);

    if (node > r->raw.node_count)
        return fail_row(r, MPROF_RAW_CONTEXTS, row, "NODE", node);
    if (r->raw.has_threads && thread >= r->raw.string_count)
        return fail_row(r, MPROF_RAW_CONTEXTS, row, "THREAD", thread);
    context->thread = (uint32_t)thread;
    context->id = row;
    context->node = (mpdata_ref)node;
    context->blocks = mprof_column_get(blocks, row);
    return read_flags(r, MPROF_RAW_CONTEXTS, row, GET(r, CONTEXTS, FLAGS, row),
                      MPROF_RAW_CONTEXT_FL_ALL, &context->flags);
}

static enum mprof_err read_contexts(struct reader *r)
{
    const struct mprof_table *const table = &r->tables[MPROF_RAW_CONTEXTS];
    const struct mprof_column blocks =
        mprof_table_column(table, MPROF_MIB_TAG_AllocCount);
    struct mpdata_raw *raw = &r->raw;
    enum mprof_err err = check_rows(r, MPROF_RAW_CONTEXTS);

    if (err != MPROF_E_OK)
        return err;
    raw->has_threads = mprof_table_has_column(table, MPROF_RAW_CONTEXTS_THREAD);
    raw->contexts = make_rows(r, MPROF_RAW_CONTEXTS, sizeof(*raw->contexts));
    raw->mib_columns = malloc(sizeof(*raw->mib_columns));
    if (raw->contexts == NULL || raw->mib_columns == NULL)
        return no_memory(r, MPROF_RAW_CONTEXTS);
    for (uint64_t row = 0; row < table->rows && err == MPROF_E_OK; row++)
        err = read_context(r, row, &blocks, &raw->contexts[row]);
    if (err != MPROF_E_OK)
        return err;
    raw->context_count = (uint32_t)table->rows;
    raw->has_live = raw->numbers[MPROF_RAW_META_IS_PEAK_BYTES] != 0;
    for (uint32_t i = 0; i < raw->context_count; i++) {
        raw->has_live |=
            (raw->contexts[i].flags & MPROF_RAW_CONTEXT_FL_LIVE) != 0;
        raw->stack_count += !mpdata_raw_is_second(raw, i);
    }
    raw->sample_period_bytes = raw->numbers[MPROF_RAW_META_IS_SAMPLE_PERIOD];
    mpdata_mib_columns_find(raw->mib_columns, table);
    return MPROF_E_OK;
}

static enum mprof_err read_tagged(struct reader *r, uint64_t row,
                                  struct mpdata_raw_tagged *tagged)
{
    const uint64_t node = GET(r, TAGGED, NODE, row);
    const uint64_t kind = GET(r, TAGGED, KIND, row);
    const uint64_t name = GET(r, TAGGED, NAME, row);

    if (node > r->raw.node_count)
        return fail_row(r, MPROF_RAW_TAGGED, row, "NODE", node);
    if (mprof_tag_kind_text(kind) == NULL || kind == MPROF_TAG_LEFT_OUT)
        return fail_row(r, MPROF_RAW_TAGGED, row, "KIND", kind);
    if (name != 0 && name >= r->raw.string_count)
        return fail_row(r, MPROF_RAW_TAGGED, row, "NAME", name);
    *tagged = (struct mpdata_raw_tagged){.node = (mpdata_ref)node,
                                         .kind = (uint32_t)kind,
                                         .name = (uint32_t)name,
                                         .row = (uint32_t)row};
    return read_flags(r, MPROF_RAW_TAGGED, row, GET(r, TAGGED, FLAGS, row),
                      MPROF_RAW_CONTEXT_FL_ALL, &tagged->flags);
}

static enum mprof_err read_tagged_rows(struct reader *r)
{
    const uint64_t rows = r->tables[MPROF_RAW_TAGGED].rows;
    struct mpdata_raw *raw = &r->raw;
    enum mprof_err err = MPROF_E_OK;

    if (rows == 0)
        return MPROF_E_OK;
    raw->tagged_rows =
        make_rows(r, MPROF_RAW_TAGGED, sizeof(*raw->tagged_rows));
    raw->tagged_columns = malloc(sizeof(*raw->tagged_columns));
    if (raw->tagged_rows == NULL || raw->tagged_columns == NULL)
        return no_memory(r, MPROF_RAW_TAGGED);
    mpdata_mib_columns_find(raw->tagged_columns, &r->tables[MPROF_RAW_TAGGED]);
    for (uint64_t row = 0; row < rows && err == MPROF_E_OK; row++)
        err = read_tagged(r, row, &raw->tagged_rows[row]);
    raw->tagged_count = (uint32_t)rows;
    return err;
}

/* Reads rows [first, end) of CELLS, a histogram of `size` cells. */
static enum mprof_err read_cells(struct reader *r,
                                 struct mpdata_cells_builder *cells,
                                 uint64_t first, uint64_t end, uint64_t size)
{
    uint64_t cell = 0;

    for (uint64_t i = first; i < end; i++) {
        const uint64_t skip = GET(r, CELLS, SKIP, i);

        if (skip >= size - cell)
            return fail_row(r, MPROF_RAW_CELLS, i, "SKIP", skip);
        cell += skip;
        mpdata_cells_add(cells, cell++, GET(r, CELLS, COUNT, i));
    }
    return MPROF_E_OK;
}

/* Reads a row of HISTOGRAMS; its cells end where the next row's begin. sizes:
 * numbers of cells, by context. */
static enum mprof_err read_histogram(struct reader *r,
                                     const struct mprof_column *sizes,
                                     struct mpdata_cells_builder *cells,
                                     uint64_t row)
{
    const uint64_t rows = r->tables[MPROF_RAW_CELLS].rows;
    const uint64_t context = GET(r, HISTOGRAMS, CONTEXT, row);
    const uint64_t first = GET(r, HISTOGRAMS, FIRST, row);
    const uint64_t end = row + 1 < r->tables[MPROF_RAW_HISTOGRAMS].rows
                             ? GET(r, HISTOGRAMS, FIRST, row + 1)
                             : rows;
    struct mpdata_raw_context *c;
    enum mprof_err err;

    if (context >= r->raw.context_count ||
        (row != 0 && context <= GET(r, HISTOGRAMS, CONTEXT, row - 1)))
        return fail_row(r, MPROF_RAW_HISTOGRAMS, row, "CONTEXT", context);
    if (first > end || end > rows)
        return fail_row(r, MPROF_RAW_HISTOGRAMS, row, "FIRST", first);
    c = &r->raw.contexts[context];
    c->has_cells = true;
    c->cells_first = mpdata_cells_begin(cells);
    err = read_cells(r, cells, first, end, mprof_column_get(sizes, context));
    c->cells_count = cells->count - c->cells_first;
    return err;
}

static enum mprof_err read_histograms(struct reader *r)
{
    const struct mprof_column sizes = mprof_table_column(
        &r->tables[MPROF_RAW_CONTEXTS], MPROF_MIB_TAG_AccessHistogramSize);
    struct mpdata_cells_builder cells = {.words = NULL};
    enum mprof_err err = MPROF_E_OK;

    for (uint64_t row = 0;
         row < r->tables[MPROF_RAW_HISTOGRAMS].rows && err == MPROF_E_OK; row++)
        err = read_histogram(r, &sizes, &cells, row);
    r->raw.cell_words = cells.words;
    if (err == MPROF_E_OK && cells.failed)
        err = no_memory(r, MPROF_RAW_CELLS);
    return err;
}

static bool is_detail_key(const struct reader *r, uint64_t kind, uint64_t key)
{
    return mprof_detail_is_stack((uint32_t)kind)    ? key <= r->raw.node_count
           : mprof_detail_is_bucket((uint32_t)kind) ? key < MPROF_DETAIL_BUCKETS
                                                    : key <= UINT32_MAX;
}

/* Skips unknown kinds of distributions: the MIBs have their totals. */
static enum mprof_err read_detail(struct reader *r, uint64_t row)
{
    const uint64_t context = GET(r, DETAILS, CONTEXT, row);
    const uint64_t kind = GET(r, DETAILS, KIND, row);
    const uint64_t key = GET(r, DETAILS, KEY, row);
    struct mpdata_raw_context *c;

    if (context >= r->raw.context_count ||
        (row != 0 && context < GET(r, DETAILS, CONTEXT, row - 1)))
        return fail_row(r, MPROF_RAW_DETAILS, row, "CONTEXT", context);
    if (kind == 0 || kind >= MPROF_DETAIL_KINDS_END)
        return MPROF_E_OK;
    if (!is_detail_key(r, kind, key))
        return fail_row(r, MPROF_RAW_DETAILS, row, "KEY", key);
    c = &r->raw.contexts[context];
    if (c->detail_count++ == 0)
        c->details_first = r->raw.detail_count;
    r->raw.details[r->raw.detail_count++] =
        (struct mpdata_detail){.kind = (uint32_t)kind,
                               .key = (uint32_t)key,
                               .count = GET(r, DETAILS, COUNT, row),
                               .bytes = GET(r, DETAILS, BYTES, row)};
    return MPROF_E_OK;
}

static enum mprof_err read_details(struct reader *r)
{
    enum mprof_err err = MPROF_E_OK;

    r->raw.details = make_rows(r, MPROF_RAW_DETAILS, sizeof(*r->raw.details));
    if (r->raw.details == NULL)
        return no_memory(r, MPROF_RAW_DETAILS);
    for (uint64_t row = 0;
         row < r->tables[MPROF_RAW_DETAILS].rows && err == MPROF_E_OK; row++)
        err = read_detail(r, row);
    return err;
}

static enum mprof_err check_series(struct reader *r, uint32_t id, uint64_t rows,
                                   uint64_t max)
{
    return rows <= max ? MPROF_E_OK : fail_rows(r, id, rows, MPROF_E_LIMIT);
}

static enum mprof_err read_samples(struct reader *r)
{
    const uint64_t rows = r->tables[MPROF_RAW_SERIES].rows;
    struct mpdata_series *const series = &r->raw.series;
    const enum mprof_err err =
        check_series(r, MPROF_RAW_SERIES, rows, MPDATA_SERIES_SAMPLES_MAX);

    if (err != MPROF_E_OK)
        return err;
    series->run_id = r->raw.numbers[MPROF_RAW_META_IS_RUN_ID];
    series->step_ns = r->raw.numbers[MPROF_RAW_META_IS_SERIES_STEP_NS];
    series->until_ns = r->raw.numbers[MPROF_RAW_META_IS_DURATION_NS];
    series->dropped_marks = r->raw.numbers[MPROF_RAW_META_IS_DROPPED_MARKS];
    series->samples = make_rows(r, MPROF_RAW_SERIES, sizeof(*series->samples));
    if (series->samples == NULL)
        return no_memory(r, MPROF_RAW_SERIES);
    for (uint64_t row = 0; row < rows; row++) {
        const uint64_t ns = GET(r, SERIES, NS, row);

        if (row != 0 && ns <= series->samples[row - 1].ns)
            return fail_row(r, MPROF_RAW_SERIES, row, "NS", ns);
        series->samples[row] =
            (struct mpdata_sample){.ns = ns,
                                   .bytes = GET(r, SERIES, BYTES, row),
                                   .most = GET(r, SERIES, MOST, row),
                                   .blocks = GET(r, SERIES, BLOCKS, row),
                                   .rss = GET(r, SERIES, RSS, row)};
    }
    series->sample_count = (uint32_t)rows;
    return MPROF_E_OK;
}

static enum mprof_err read_marks(struct reader *r)
{
    const uint64_t rows = r->tables[MPROF_RAW_MARKS].rows;
    struct mpdata_series *const series = &r->raw.series;
    const enum mprof_err err =
        check_series(r, MPROF_RAW_MARKS, rows, MPDATA_SERIES_MARKS_MAX);

    if (err != MPROF_E_OK)
        return err;
    series->marks = make_rows(r, MPROF_RAW_MARKS, sizeof(*series->marks));
    if (series->marks == NULL)
        return no_memory(r, MPROF_RAW_MARKS);
    for (uint64_t row = 0; row < rows; row++) {
        const uint64_t name = GET(r, MARKS, NAME, row);
        struct mpdata_str text;

        if (!get_string(r, name, &text))
            return fail_row(r, MPROF_RAW_MARKS, row, "NAME", name);
        series->marks[row] =
            (struct mpdata_mark){.ns = GET(r, MARKS, NS, row),
                                 .kind = (uint32_t)GET(r, MARKS, KIND, row),
                                 .name = (uint32_t)name,
                                 .bytes = GET(r, MARKS, BYTES, row)};
    }
    series->mark_count = (uint32_t)rows;
    return MPROF_E_OK;
}

/* The depth of each node, by its number + 1; NULL when out of memory. */
static uint32_t *measure_depths(const struct mpdata_raw *raw)
{
    uint32_t *const depths =
        mpdata_raw_array((uint64_t)raw->node_count + 1, sizeof(*depths));

    for (uint32_t i = 0; depths != NULL && i < raw->node_count; i++)
        depths[i + 1] = depths[raw->nodes[i].parent] + 1;
    return depths;
}

static enum mprof_err check_depths(struct reader *r)
{
    const struct mpdata_raw *const raw = &r->raw;
    uint32_t *const depths = measure_depths(raw);
    uint64_t frames = 0;
    uint64_t bytes = 0;

    if (depths == NULL)
        return no_memory(r, MPROF_RAW_NODES);
    for (uint32_t i = 0; i < raw->context_count; i++)
        frames += depths[raw->contexts[i].node];
    for (uint32_t i = 0; i < raw->tagged_count; i++)
        frames += depths[raw->tagged_rows[i].node];
    for (uint32_t i = 0; i < raw->detail_count; i++) {
        if (mprof_detail_is_stack(raw->details[i].kind))
            frames += depths[raw->details[i].key];
    }
    free(depths);
    for (uint32_t id = 0; id < SECTIONS; id++)
        bytes += r->tables[id].size;
    return frames <= mpdata_profile_frames_max(bytes)
               ? MPROF_E_OK
               : mpdata_diag_fail(r->diag, MPROF_E_VALUE,
                                  mprof_raw_section_name(MPROF_RAW_NODES),
                                  r->sections[MPROF_RAW_NODES].file_off,
                                  "call stacks of %" PRIu64 " frames in all",
                                  frames);
}

/* Reads the names of interpreted functions. */
static enum mprof_err read_script(struct reader *r)
{
    const uint64_t rows = r->tables[MPROF_RAW_SCRIPT].rows;
    struct mpdata_raw *const raw = &r->raw;

    if (rows == 0)
        return MPROF_E_OK;
    raw->frame_names =
        mpdata_raw_array(raw->frame_count, sizeof(*raw->frame_names));
    if (raw->frame_names == NULL)
        return no_memory(r, MPROF_RAW_SCRIPT);
    for (uint64_t row = 0; row < rows; row++) {
        const uint64_t frame = GET(r, SCRIPT, FRAME, row);
        const uint64_t function = GET(r, SCRIPT, FUNCTION, row);
        const uint64_t file = GET(r, SCRIPT, FILE, row);
        struct mpdata_raw_name *name;

        if (frame >= raw->frame_count)
            return fail_row(r, MPROF_RAW_SCRIPT, row, "FRAME", frame);
        name = &raw->frame_names[frame];
        if (!get_string(r, function, &name->function))
            return fail_row(r, MPROF_RAW_SCRIPT, row, "FUNCTION", function);
        if (!get_string(r, file, &name->file))
            return fail_row(r, MPROF_RAW_SCRIPT, row, "FILE", file);
        name->line = GET(r, SCRIPT, LINE, row);
        name->start_line = GET(r, SCRIPT, START_LINE, row);
    }
    return MPROF_E_OK;
}

static enum mprof_err read_all(struct reader *r)
{
    static enum mprof_err (*const steps[])(struct reader *) = {
        read_strings,    read_meta,        read_modules, read_segments,
        read_frames,     read_script,      read_nodes,   read_contexts,
        read_histograms, read_tagged_rows, read_details, check_depths,
        read_samples,    read_marks};
    enum mprof_err err = open_sections(r);

    if (err == MPROF_E_OK)
        find_columns(r);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(steps) && err == MPROF_E_OK; i++)
        err = steps[i](r);
    return err;
}

/* Size of the first dump in data[0..size), as its header states it. */
static size_t dump_bytes(const uint8_t *data, size_t size)
{
    uint64_t bytes = 0;

    if (size >= MPROF_DIR_HEADER_BYTES)
        bytes = mprof_le_load64(data + MPROF_DIR_FILE_SIZE_OFF);
    return bytes >= MPROF_DIR_HEADER_BYTES && bytes < size ? (size_t)bytes
                                                           : size;
}

enum mprof_err mpdata_raw_read_dump(const uint8_t *data, size_t size,
                                    bool verify_checksums,
                                    struct mpdata_raw *raw,
                                    struct mprof_dir *dir,
                                    struct mprof_diag *diag)
{
    struct reader r = {.data = data,
                       .size = dump_bytes(data, size),
                       .verify = verify_checksums,
                       .diag = diag};
    const enum mprof_err err = read_all(&r);

    if (err == MPROF_E_OK) {
        r.raw.kind = MPROF_RUN_MEMPROF;
        r.raw.version = r.dir.version;
        r.raw.mib_section = r.sections[MPROF_RAW_CONTEXTS];
        r.sections[MPROF_RAW_CONTEXTS] = (struct mpdata_section){.data = NULL};
        r.raw.tagged_section = r.sections[MPROF_RAW_TAGGED];
        r.sections[MPROF_RAW_TAGGED] = (struct mpdata_section){.data = NULL};
        *raw = r.raw;
        *dir = r.dir;
    } else {
        mpdata_raw_free(&r.raw);
    }
    for (uint32_t id = 0; id < SECTIONS; id++)
        mpdata_section_close(&r.sections[id]);
    return err;
}
