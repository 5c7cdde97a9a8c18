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
#include "profdata/raw/raw_sections.h"
#include "shared/le.h"
#include "shared/tag_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The value of a column in a row. */
#define GET(r, section, name, row) \
    mprof_column_get(&(r)->columns[MPDATA_RAW_COLUMN_##section##_##name], row)

/* Fails because of the value of a column in a row. */
#define FAIL_ROW(r, section, name, row)            \
    mpdata_raw_sections_fail(r, MPROF_E_REFERENCE, \
                             MPDATA_RAW_COLUMN_##section##_##name, row)

/* A row of MODULES, FRAMES or CONTEXTS takes up to 72 bytes of memory but may
 * take one byte in the file if rows are equal. Real rows differ more. */
#define NARROW_ROWS_MAX (UINT64_C(1) << 19)
#define ROW_BYTES_MIN 3

static enum mprof_err check_rows(struct mpdata_raw_reader *r, uint32_t id)
{
    return mpdata_raw_sections_count(
        r, id,
        mprof_max_u64(NARROW_ROWS_MAX, r->tables[id].size / ROW_BYTES_MIN),
        MPROF_E_VALUE);
}

/* Copies all strings, each with a NUL at its end. */
static enum mprof_err read_strings(struct mpdata_raw_reader *r)
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
        return mpdata_raw_sections_no_memory(r, MPROF_RAW_STRINGS);
    for (uint64_t row = 0; row < table->rows; row++) {
        const uint64_t end = GET(r, STRINGS, END, row);
        char *out = raw->strings + start + row;

        if (end < start || end > blob.size)
            return FAIL_ROW(r, STRINGS, END, row);
        if (end != start)
            memcpy(out, blob.data + start, (size_t)(end - start));
        out[end - start] = '\0';
        raw->string_table[row] =
            (struct mpdata_str){.bytes = out, .size = (size_t)(end - start)};
        start = end;
    }
    if (table->rows == 0)
        raw->string_table[0] = (struct mpdata_str){.bytes = "", .size = 0};
    raw->string_count = (uint32_t)mpdata_raw_sections_strings(r);
    return MPROF_E_OK;
}

/* Checks the numbers that identify the run and the dump. */
static enum mprof_err check_name(struct mpdata_raw_reader *r)
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

static enum mprof_err read_meta(struct mpdata_raw_reader *r)
{
    for (uint32_t key = 0; key < MPDATA_RAW_METAS; key++)
        r->raw.texts[key] = (struct mpdata_str){.bytes = "", .size = 0};
    for (uint64_t row = 0; row < r->tables[MPROF_RAW_META].rows; row++) {
        const uint64_t key = GET(r, META, KEY, row);

        if (key >= MPDATA_RAW_METAS)
            continue;
        r->raw.numbers[key] = GET(r, META, NUMBER, row);
        r->raw.texts[key] = r->raw.string_table[GET(r, META, STRING, row)];
    }
    return check_name(r);
}

/* Reads a string of a binary. Rows may share a string, but each is looked up,
 * so its length is limited. */
static enum mprof_err read_module_string(struct mpdata_raw_reader *r,
                                         int column, const char *name,
                                         uint32_t row, struct mpdata_str *out)
{
    *out = r->raw.string_table[mprof_column_get(&r->columns[column], row)];
    if (out->size <= MPROF_RAW_MODULE_STRING_BYTES_MAX)
        return MPROF_E_OK;
    return mpdata_diag_fail(
        r->diag, MPROF_E_VALUE, mprof_raw_section_name(MPROF_RAW_MODULES),
        r->sections[MPROF_RAW_MODULES].file_off,
        "row %" PRIu32 ", column %s: %zu bytes", row, name, out->size);
}

static enum mprof_err read_modules(struct mpdata_raw_reader *r)
{
    struct mpdata_raw *raw = &r->raw;
    enum mprof_err err = check_rows(r, MPROF_RAW_MODULES);

    if (err != MPROF_E_OK)
        return err;
    raw->modules = mpdata_raw_sections_rows(
        r, MPROF_RAW_MODULES, sizeof(*raw->modules), &raw->module_count);
    if (raw->modules == NULL)
        return mpdata_raw_sections_no_memory(r, MPROF_RAW_MODULES);
    for (uint32_t i = 0; i < raw->module_count && err == MPROF_E_OK; i++) {
        err = read_module_string(r, MPDATA_RAW_COLUMN_MODULES_PATH, "PATH", i,
                                 &raw->modules[i].path);
        if (err == MPROF_E_OK)
            err = read_module_string(r, MPDATA_RAW_COLUMN_MODULES_BUILD_ID,
                                     "BUILD_ID", i, &raw->modules[i].build_id);
    }
    return err;
}

static enum mprof_err read_segments(struct mpdata_raw_reader *r)
{
    r->raw.segments = mpdata_raw_sections_rows(
        r, MPROF_RAW_SEGMENTS, sizeof(*r->raw.segments), &r->raw.segment_count);
    return r->raw.segments != NULL
               ? MPROF_E_OK
               : mpdata_raw_sections_no_memory(r, MPROF_RAW_SEGMENTS);
}

static enum mprof_err read_frames(struct mpdata_raw_reader *r)
{
    const enum mprof_err err = check_rows(r, MPROF_RAW_FRAMES);

    if (err != MPROF_E_OK)
        return err;
    r->raw.frames = mpdata_raw_sections_rows(
        r, MPROF_RAW_FRAMES, sizeof(*r->raw.frames), &r->raw.frame_count);
    return r->raw.frames != NULL
               ? MPROF_E_OK
               : mpdata_raw_sections_no_memory(r, MPROF_RAW_FRAMES);
}

static enum mprof_err read_nodes(struct mpdata_raw_reader *r)
{
    struct mpdata_raw *raw = &r->raw;

    raw->nodes = mpdata_raw_sections_rows(
        r, MPROF_RAW_NODES, sizeof(*raw->nodes), &raw->node_count);
    if (raw->nodes == NULL)
        return mpdata_raw_sections_no_memory(r, MPROF_RAW_NODES);
    for (uint32_t row = 0; row < raw->node_count; row++) {
        const uint64_t up = GET(r, NODES, UP, row);

        if (up > row)
            return FAIL_ROW(r, NODES, UP, row);
        raw->nodes[row].parent = up != 0 ? (mpdata_ref)(row - up + 1) : 0;
    }
    return MPROF_E_OK;
}

static enum mprof_err read_contexts(struct mpdata_raw_reader *r)
{
    const struct mprof_table *const table = &r->tables[MPROF_RAW_CONTEXTS];
    const struct mprof_column blocks =
        mprof_table_column(table, MPROF_MIB_TAG_AllocCount);
    struct mpdata_raw *raw = &r->raw;
    const enum mprof_err err = check_rows(r, MPROF_RAW_CONTEXTS);

    if (err != MPROF_E_OK)
        return err;
    raw->has_threads = mprof_table_has_column(table, MPROF_RAW_CONTEXTS_THREAD);
    raw->contexts = mpdata_raw_sections_rows(
        r, MPROF_RAW_CONTEXTS, sizeof(*raw->contexts), &raw->context_count);
    raw->mib_columns = malloc(sizeof(*raw->mib_columns));
    if (raw->contexts == NULL || raw->mib_columns == NULL)
        return mpdata_raw_sections_no_memory(r, MPROF_RAW_CONTEXTS);
    raw->has_live = raw->numbers[MPROF_RAW_META_IS_PEAK_BYTES] != 0;
    for (uint32_t i = 0; i < raw->context_count; i++) {
        raw->contexts[i].id = i;
        raw->contexts[i].blocks = mprof_column_get(&blocks, i);
        raw->has_live |=
            (raw->contexts[i].flags & MPROF_RAW_CONTEXT_FL_LIVE) != 0;
        raw->stack_count += !mpdata_raw_is_second(raw, i);
    }
    raw->sample_period_bytes = raw->numbers[MPROF_RAW_META_IS_SAMPLE_PERIOD];
    mpdata_mib_columns_find(raw->mib_columns, table);
    return MPROF_E_OK;
}

static enum mprof_err read_tagged_rows(struct mpdata_raw_reader *r)
{
    struct mpdata_raw *raw = &r->raw;

    if (r->tables[MPROF_RAW_TAGGED].rows == 0)
        return MPROF_E_OK;
    raw->tagged_rows = mpdata_raw_sections_rows(
        r, MPROF_RAW_TAGGED, sizeof(*raw->tagged_rows), &raw->tagged_count);
    raw->tagged_columns = malloc(sizeof(*raw->tagged_columns));
    if (raw->tagged_rows == NULL || raw->tagged_columns == NULL)
        return mpdata_raw_sections_no_memory(r, MPROF_RAW_TAGGED);
    mpdata_mib_columns_find(raw->tagged_columns, &r->tables[MPROF_RAW_TAGGED]);
    for (uint32_t i = 0; i < raw->tagged_count; i++) {
        const uint32_t kind = raw->tagged_rows[i].kind;

        if (mprof_tag_kind_text(kind) == NULL || kind == MPROF_TAG_LEFT_OUT)
            return FAIL_ROW(r, TAGGED, KIND, i);
        raw->tagged_rows[i].row = i;
    }
    return MPROF_E_OK;
}

/* Reads rows [first, end) of CELLS, a histogram of `size` cells. */
static enum mprof_err read_cells(struct mpdata_raw_reader *r,
                                 struct mpdata_cells_builder *cells,
                                 uint64_t first, uint64_t end, uint64_t size)
{
    uint64_t cell = 0;

    for (uint64_t i = first; i < end; i++) {
        const uint64_t skip = GET(r, CELLS, SKIP, i);

        if (skip >= size - cell)
            return FAIL_ROW(r, CELLS, SKIP, i);
        cell += skip;
        mpdata_cells_add(cells, cell++, GET(r, CELLS, COUNT, i));
    }
    return MPROF_E_OK;
}

/* Reads a row of HISTOGRAMS; its cells end where the next row's begin. sizes:
 * numbers of cells, by context. */
static enum mprof_err read_histogram(struct mpdata_raw_reader *r,
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

    if (row != 0 && context <= GET(r, HISTOGRAMS, CONTEXT, row - 1))
        return FAIL_ROW(r, HISTOGRAMS, CONTEXT, row);
    if (first > end || end > rows)
        return FAIL_ROW(r, HISTOGRAMS, FIRST, row);
    struct mpdata_raw_context *c = &r->raw.contexts[context];
    c->has_cells = true;
    c->cells_first = mpdata_cells_begin(cells);
    enum mprof_err err =
        read_cells(r, cells, first, end, mprof_column_get(sizes, context));
    c->cells_count = cells->count - c->cells_first;
    return err;
}

static enum mprof_err read_histograms(struct mpdata_raw_reader *r)
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
        err = mpdata_raw_sections_no_memory(r, MPROF_RAW_CELLS);
    return err;
}

static bool is_detail_key(const struct mpdata_raw_reader *r, uint64_t kind,
                          uint64_t key)
{
    const uint32_t buckets = mprof_detail_buckets((uint32_t)kind);

    return mprof_detail_is_stack((uint32_t)kind) ? key <= r->raw.node_count
           : buckets != 0                        ? key < buckets
                                                 : key <= UINT32_MAX;
}

/* Skips unknown kinds of distributions: the MIBs have their totals. */
static enum mprof_err read_detail(struct mpdata_raw_reader *r, uint64_t row)
{
    const uint64_t context = GET(r, DETAILS, CONTEXT, row);
    const uint64_t kind = GET(r, DETAILS, KIND, row);
    const uint64_t key = GET(r, DETAILS, KEY, row);

    if (row != 0 && context < GET(r, DETAILS, CONTEXT, row - 1))
        return FAIL_ROW(r, DETAILS, CONTEXT, row);
    if (kind == 0 || kind >= MPROF_DETAIL_KINDS_END)
        return MPROF_E_OK;
    if (!is_detail_key(r, kind, key))
        return FAIL_ROW(r, DETAILS, KEY, row);
    struct mpdata_raw_context *c = &r->raw.contexts[context];
    if (c->detail_count++ == 0)
        c->details_first = r->raw.detail_count;
    r->raw.details[r->raw.detail_count++] =
        (struct mpdata_detail){.kind = (uint32_t)kind,
                               .key = (uint32_t)key,
                               .count = GET(r, DETAILS, COUNT, row),
                               .bytes = GET(r, DETAILS, BYTES, row)};
    return MPROF_E_OK;
}

static enum mprof_err read_details(struct mpdata_raw_reader *r)
{
    enum mprof_err err = MPROF_E_OK;

    r->raw.details = mpdata_raw_array(r->tables[MPROF_RAW_DETAILS].rows,
                                      sizeof(*r->raw.details));
    if (r->raw.details == NULL)
        return mpdata_raw_sections_no_memory(r, MPROF_RAW_DETAILS);
    for (uint64_t row = 0;
         row < r->tables[MPROF_RAW_DETAILS].rows && err == MPROF_E_OK; row++)
        err = read_detail(r, row);
    return err;
}

static enum mprof_err read_samples(struct mpdata_raw_reader *r)
{
    struct mpdata_series *const series = &r->raw.series;
    const enum mprof_err err = mpdata_raw_sections_count(
        r, MPROF_RAW_SERIES, MPDATA_SERIES_SAMPLES_MAX, MPROF_E_LIMIT);

    if (err != MPROF_E_OK)
        return err;
    series->run_id = r->raw.numbers[MPROF_RAW_META_IS_RUN_ID];
    series->step_ns = r->raw.numbers[MPROF_RAW_META_IS_SERIES_STEP_NS];
    series->until_ns = r->raw.numbers[MPROF_RAW_META_IS_DURATION_NS];
    series->dropped_marks = r->raw.numbers[MPROF_RAW_META_IS_DROPPED_MARKS];
    series->samples = mpdata_raw_sections_rows(
        r, MPROF_RAW_SERIES, sizeof(*series->samples), &series->sample_count);
    if (series->samples == NULL)
        return mpdata_raw_sections_no_memory(r, MPROF_RAW_SERIES);
    for (uint32_t i = 1; i < series->sample_count; i++) {
        if (series->samples[i].ns <= series->samples[i - 1].ns)
            return FAIL_ROW(r, SERIES, NS, i);
    }
    return MPROF_E_OK;
}

static enum mprof_err read_marks(struct mpdata_raw_reader *r)
{
    struct mpdata_series *const series = &r->raw.series;
    const enum mprof_err err = mpdata_raw_sections_count(
        r, MPROF_RAW_MARKS, MPDATA_SERIES_MARKS_MAX, MPROF_E_LIMIT);

    if (err != MPROF_E_OK)
        return err;
    series->marks = mpdata_raw_sections_rows(
        r, MPROF_RAW_MARKS, sizeof(*series->marks), &series->mark_count);
    return series->marks != NULL
               ? MPROF_E_OK
               : mpdata_raw_sections_no_memory(r, MPROF_RAW_MARKS);
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

static enum mprof_err check_depths(struct mpdata_raw_reader *r)
{
    const struct mpdata_raw *const raw = &r->raw;
    uint32_t *const depths = measure_depths(raw);
    uint64_t frames = 0;
    uint64_t bytes = 0;

    if (depths == NULL)
        return mpdata_raw_sections_no_memory(r, MPROF_RAW_NODES);
    for (uint32_t i = 0; i < raw->context_count; i++)
        frames += depths[raw->contexts[i].node];
    for (uint32_t i = 0; i < raw->tagged_count; i++)
        frames += depths[raw->tagged_rows[i].node];
    for (uint32_t i = 0; i < raw->detail_count; i++) {
        if (mprof_detail_is_stack(raw->details[i].kind))
            frames += depths[raw->details[i].key];
    }
    free(depths);
    for (uint32_t id = 0; id < MPDATA_RAW_SECTIONS; id++)
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
static enum mprof_err read_script(struct mpdata_raw_reader *r)
{
    struct mpdata_raw *const raw = &r->raw;

    if (r->tables[MPROF_RAW_SCRIPT].rows == 0)
        return MPROF_E_OK;
    raw->frame_names =
        mpdata_raw_array(raw->frame_count, sizeof(*raw->frame_names));
    if (raw->frame_names == NULL)
        return mpdata_raw_sections_no_memory(r, MPROF_RAW_SCRIPT);
    for (uint64_t row = 0; row < r->tables[MPROF_RAW_SCRIPT].rows; row++)
        raw->frame_names[GET(r, SCRIPT, FRAME, row)] = (struct mpdata_raw_name){
            .function = raw->string_table[GET(r, SCRIPT, FUNCTION, row)],
            .file = raw->string_table[GET(r, SCRIPT, FILE, row)],
            .line = GET(r, SCRIPT, LINE, row),
            .start_line = GET(r, SCRIPT, START_LINE, row)};
    return MPROF_E_OK;
}

static enum mprof_err read_all(struct mpdata_raw_reader *r)
{
    static enum mprof_err (*const steps[])(struct mpdata_raw_reader *) = {
        read_strings,     mpdata_raw_sections_check,
        read_meta,        read_modules,
        read_segments,    read_frames,
        read_script,      read_nodes,
        read_contexts,    read_histograms,
        read_tagged_rows, read_details,
        check_depths,     read_samples,
        read_marks};
    enum mprof_err err = mpdata_raw_sections_open(r);

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
    struct mpdata_raw_reader r = {.data = data,
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
    for (uint32_t id = 0; id < MPDATA_RAW_SECTIONS; id++)
        mpdata_section_close(&r.sections[id]);
    return err;
}
