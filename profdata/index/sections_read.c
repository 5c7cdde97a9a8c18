/* sections_read.c -- rows of our sections, as things of a profile.
 *
 * Each thing is made of its row when something first refers to it. What stands
 * above a path or a node does so in an earlier row, so every way up ends.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/index/sections_read.h"
#include "profdata/base/diag.h"
#include "profdata/index/sections_check.h"
#include "profdata/model/mib_columns.h"
#include "profdata/model/profile_store.h"
#include "profdata/model/run_columns.h"
#include "shared/part_format.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct mpdata_sections_reader reader;

/* All columns of all sections, numbered. */
enum {
#define X(section, tag, name, unit, help) COLUMN_##section##_##name,
    MPROF_INDEX_COLUMNS(X)
#undef X
        COLUMNS
};

static const struct {
    uint32_t section;
    uint32_t tag;
} all_columns[COLUMNS] = {
#define X(section, tag, name, unit, help) {MPROF_INDEX_##section, (tag)},
    MPROF_INDEX_COLUMNS(X)
#undef X
};

/* -- rows ------------------------------------------------------------------ */

static void fail(reader *r, enum mprof_err err)
{
    if (r->err == MPROF_E_OK)
        r->err = mprof_err_fail(r->diag, err, NULL, MPROF_DIAG_NO_OFFSET);
}

static void fail_row(reader *r, enum mprof_err err, uint32_t section,
                     uint64_t row)
{
    if (r->err == MPROF_E_OK)
        r->err = mpdata_diag_fail(
            r->diag, err, mprof_index_section_name(section),
            r->sections->tables[section].file_off, "row %" PRIu64, row);
}

static uint64_t rows(const reader *r, uint32_t section)
{
    return r->sections->tables[section].rows;
}

/* Is anything of the profile made of rows of this section by themselves? */
static bool has_ids(uint32_t section)
{
    return section <= MPROF_INDEX_NODES || section == MPROF_INDEX_BINARIES;
}

/* Opens a section: its columns, and room for ids. */
static bool open_section(reader *r, uint32_t section)
{
    if (r->err != MPROF_E_OK || r->is_open[section])
        return r->err == MPROF_E_OK;
    r->err = mpdata_sections_open(r->sections, section, r->diag);
    if (r->err != MPROF_E_OK)
        return false;
    r->is_open[section] = true;
    if (has_ids(section)) {
        r->ids[section] = mpdata_vec_array(rows(r, section), sizeof(uint32_t));
        if (r->ids[section] == NULL)
            fail(r, MPROF_E_NOMEM);
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        if (all_columns[i].section == section)
            r->columns[i] = mprof_table_column(&r->sections->tables[section],
                                               all_columns[i].tag);
    }
    return r->err == MPROF_E_OK;
}

/* Makes a row good for reading: false after an error. */
static bool take_row(reader *r, uint32_t section, uint64_t row)
{
    if (r->is_checked)
        return r->err == MPROF_E_OK;
    if (!open_section(r, section))
        return false;
    r->err = mpdata_sections_check_row(r->sections, section, row, r->diag);
    return r->err == MPROF_E_OK;
}

/* What was made of a row; 0 says that the profile could not. */
static mpdata_ref keep_id(reader *r, uint32_t section, uint64_t row,
                          mpdata_ref id)
{
    if (id == 0 && r->err == MPROF_E_OK)
        fail(r, mpdata_profile_status(r->into));
    return r->ids[section][row] = id;
}

/* Of a row that was taken. */
#define GET(r, section, name, row) \
    mprof_column_get(&(r)->columns[COLUMN_##section##_##name], row)
#define GET32(r, section, name, row) (uint32_t) GET(r, section, name, row)

/* The id of what a reference (row + 1, or 0) stands for, as far as it is known:
 * true for 0, and for what was read. */
static bool is_known(const reader *r, uint32_t section, uint64_t ref,
                     mpdata_ref *id)
{
    const uint32_t *ids = r->ids[section];

    *id = 0;
    if (ref == 0 || r->err != MPROF_E_OK)
        return true;
    if (ids != NULL && ref <= rows(r, section))
        *id = ids[ref - 1];
    return *id != 0;
}

/* -- what contexts and runs refer to --------------------------------------- */

static mpdata_string read_string(reader *r, uint64_t row)
{
    const struct mprof_table *table = &r->sections->tables[MPROF_INDEX_STRINGS];
    struct mprof_blob blob;
    mpdata_string id;
    uint64_t start;
    uint64_t end;

    if (is_known(r, MPROF_INDEX_STRINGS, row + 1, &id) ||
        !take_row(r, MPROF_INDEX_STRINGS, row))
        return id;
    start = row != 0 ? GET(r, STRINGS, END, row - 1) : 0;
    end = GET(r, STRINGS, END, row);
    if (start == end)
        return 0;
    blob = mprof_table_blob(table, MPROF_INDEX_STRINGS_BYTES);
    if (!r->is_checked)
        r->err =
            mpdata_sections_need_bytes(r->sections, MPROF_INDEX_STRINGS,
                                       blob.data + start, end - start, r->diag);
    if (r->err != MPROF_E_OK)
        return 0;
    return keep_id(
        r, MPROF_INDEX_STRINGS, row,
        mpdata_profile_string(r->into, blob.data + start, end - start));
}

static bool push_up(reader *r, uint64_t row)
{
    uint32_t *up = mpdata_vec_push(&r->up);

    if (up == NULL)
        fail(r, MPROF_E_NOMEM);
    else
        *up = (uint32_t)row;
    return up != NULL;
}

/* The row that was pushed last and lies above `start`; false where there is
 * none, and after an error. */
static bool pop_up(reader *r, uint32_t start, uint32_t *row)
{
    if (r->up.count == start || r->err != MPROF_E_OK)
        return false;
    *row = ((const uint32_t *)r->up.data)[--r->up.count];
    return true;
}

/* The node of a path; its directories first. */
static mpdata_ref read_path(reader *r, uint64_t ref)
{
    const uint32_t start = r->up.count;
    struct mpdata_path path;
    uint32_t row;

    while (!is_known(r, MPROF_INDEX_PATHS, ref, &path.parent) &&
           take_row(r, MPROF_INDEX_PATHS, ref - 1) && push_up(r, ref - 1))
        ref = GET(r, PATHS, PARENT, ref - 1);
    while (pop_up(r, start, &row)) {
        path.name = read_string(r, GET(r, PATHS, NAME, row));
        path.parent = mpdata_profile_path_node(r->into, &path);
        keep_id(r, MPROF_INDEX_PATHS, row, path.parent);
    }
    r->up.count = start;
    return path.parent;
}

static mpdata_ref read_function(reader *r, uint64_t ref)
{
    struct mpdata_function function;
    mpdata_ref id;

    if (is_known(r, MPROF_INDEX_FUNCTIONS, ref, &id) ||
        !take_row(r, MPROF_INDEX_FUNCTIONS, ref - 1))
        return id;
    function = (struct mpdata_function){
        .name = read_string(r, GET(r, FUNCTIONS, NAME, ref - 1)),
        .guid = GET(r, FUNCTIONS, GUID, ref - 1),
        .path = read_path(r, GET(r, FUNCTIONS, PATH, ref - 1)),
        .line = GET32(r, FUNCTIONS, LINE, ref - 1)};
    return keep_id(r, MPROF_INDEX_FUNCTIONS, ref - 1,
                   mpdata_profile_function(r->into, &function));
}

static mpdata_ref read_binary(reader *r, uint64_t ref)
{
    struct mpdata_binary binary;
    mpdata_ref id;

    if (is_known(r, MPROF_INDEX_BINARIES, ref, &id) ||
        !take_row(r, MPROF_INDEX_BINARIES, ref - 1))
        return id;
    binary = (struct mpdata_binary){
        .path = read_path(r, GET(r, BINARIES, PATH, ref - 1)),
        .build_id = read_string(r, GET(r, BINARIES, BUILD_ID, ref - 1)),
        .flags = GET32(r, BINARIES, FLAGS, ref - 1)};
    return keep_id(r, MPROF_INDEX_BINARIES, ref - 1,
                   mpdata_profile_binary(r->into, &binary));
}

static mpdata_ref read_frame(reader *r, uint64_t row)
{
    struct mpdata_frame frame;
    uint64_t place;
    mpdata_ref id;

    if (is_known(r, MPROF_INDEX_ENTRIES, row + 1, &id) ||
        !take_row(r, MPROF_INDEX_ENTRIES, row))
        return id;
    place = GET(r, ENTRIES, PLACE, row);
    frame = (struct mpdata_frame){
        .function = read_function(r, GET(r, ENTRIES, FUNCTION, row)),
        .path = read_path(r, mprof_place_path(place)),
        .line = (uint32_t)mprof_place_line(place),
        .column = GET32(r, ENTRIES, COLUMN, row),
        .discriminator = (uint32_t)mprof_place_discriminator_low(place) |
                         GET32(r, ENTRIES, DISCRIMINATOR, row)
                             << MPROF_PLACE_DISCRIMINATOR_BITS,
        .flags = GET32(r, ENTRIES, FLAGS, row),
        .binary = read_binary(r, GET(r, ENTRIES, BINARY, row)),
        .type = read_string(r, GET(r, ENTRIES, TYPE, row)),
        .type_bytes = GET32(r, ENTRIES, TYPE_BYTES, row),
        .type_fields = read_string(r, GET(r, ENTRIES, TYPE_FIELDS, row)),
        .address = GET(r, ENTRIES, ADDRESS, row)};
    return keep_id(r, MPROF_INDEX_ENTRIES, row,
                   mpdata_profile_frame(r->into, &frame));
}

/* The parent of a node that was taken, as a reference. */
static uint64_t parent_of(const reader *r, uint64_t ref)
{
    const uint64_t up = GET(r, NODES, UP, ref - 1);

    return up != 0 ? ref - up : 0;
}

static mpdata_ref add_node(reader *r, uint64_t row, mpdata_ref parent)
{
    return keep_id(
        r, MPROF_INDEX_NODES, row,
        mpdata_profile_node(r->into, parent,
                            read_frame(r, GET(r, NODES, ENTRY, row))));
}

/* The call stack of a node: its rows up to one that is known, then from there
 * down. Where rows are read in order that is the row above. */
static mpdata_ref read_node(reader *r, uint64_t ref)
{
    const uint32_t start = r->up.count;
    mpdata_ref node;
    uint32_t row;

    if (r->is_first)
        return (mpdata_ref)ref;
    if (is_known(r, MPROF_INDEX_NODES, ref, &node) ||
        !take_row(r, MPROF_INDEX_NODES, ref - 1))
        return node;
    if (is_known(r, MPROF_INDEX_NODES, parent_of(r, ref), &node))
        return add_node(r, ref - 1, node);
    while (!is_known(r, MPROF_INDEX_NODES, ref, &node) &&
           take_row(r, MPROF_INDEX_NODES, ref - 1) && push_up(r, ref - 1))
        ref = parent_of(r, ref);
    while (pop_up(r, start, &row))
        node = add_node(r, row, node);
    r->up.count = start;
    return node;
}

/* -- contexts -------------------------------------------------------------- */

/* The row that holds `context`, in a table whose first column says whose each
 * is, ascending; false where there is none. *next is tried first, and moves on.
 */
static bool find_row(reader *r, uint32_t section,
                     const struct mprof_column *owners, uint64_t context,
                     uint64_t *next)
{
    uint64_t low = 0;
    uint64_t high = rows(r, section);

    if (*next < high && take_row(r, section, *next) &&
        mprof_column_get(owners, *next) >= context) {
        if (mprof_column_get(owners, *next) == context)
            return true;
        high = *next;
    }
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (!take_row(r, section, middle))
            return false;
        *next = middle;
        if (mprof_column_get(owners, middle) == context)
            return true;
        if (mprof_column_get(owners, middle) < context)
            low = middle + 1;
        else
            high = middle;
    }
    *next = low;
    return false;
}

/* Makes rows [first, end) of CELLS good for reading. */
static void take_cells(reader *r, uint64_t first, uint64_t end)
{
    static const int columns[] = {COLUMN_CELLS_COUNT, COLUMN_CELLS_SKIP};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(columns) && !r->is_checked; i++) {
        const struct mprof_column *c = &r->columns[columns[i]];

        if (r->err == MPROF_E_OK && (end - first) * c->width != 0)
            r->err = mpdata_sections_need_bytes(
                r->sections, MPROF_INDEX_CELLS, c->data + first * c->width,
                (end - first) * c->width, r->diag);
    }
}

/* Rows [first, end) of CELLS, which are there, to r->cells: a histogram of
 * `size` cells. */
static void build_cells(reader *r, uint64_t first, uint64_t end, uint64_t size)
{
    uint64_t cell = 0;

    mpdata_cells_clear(&r->cells);
    take_cells(r, first, end);
    for (uint64_t i = first; i < end && r->err == MPROF_E_OK; i++) {
        const uint64_t skip = GET(r, CELLS, SKIP, i);

        if (skip >= size - cell) {
            fail_row(r, MPROF_E_REFERENCE, MPROF_INDEX_CELLS, i);
            return;
        }
        cell += skip;
        mpdata_cells_add(&r->cells, cell++, GET(r, CELLS, COUNT, i));
    }
    if (r->cells.failed)
        fail(r, MPROF_E_NOMEM);
}

/* The context's histogram, which stays until the next one is read. */
static struct mpdata_cells read_cells(reader *r, uint64_t context,
                                      uint64_t size)
{
    uint64_t row;
    uint64_t end;

    if (size == 0 || !open_section(r, MPROF_INDEX_HISTOGRAMS) ||
        !open_section(r, MPROF_INDEX_CELLS) ||
        !find_row(r, MPROF_INDEX_HISTOGRAMS,
                  &r->columns[COLUMN_HISTOGRAMS_CONTEXT], context,
                  &r->next_histogram))
        return MPDATA_CELLS_NONE;
    row = r->next_histogram++;
    end = rows(r, MPROF_INDEX_CELLS);
    if (row + 1 < rows(r, MPROF_INDEX_HISTOGRAMS) &&
        take_row(r, MPROF_INDEX_HISTOGRAMS, row + 1))
        end = GET(r, HISTOGRAMS, FIRST, row + 1);
    if (r->err == MPROF_E_OK)
        build_cells(r, GET(r, HISTOGRAMS, FIRST, row), end, size);
    return mpdata_cells_of(r->cells.words, 0, r->cells.count);
}

static bool is_listed(reader *r, uint64_t context)
{
    if (!open_section(r, MPROF_INDEX_LISTED) ||
        !find_row(r, MPROF_INDEX_LISTED, &r->columns[COLUMN_LISTED_CONTEXT],
                  context, &r->next_listed))
        return false;
    r->next_listed++;
    return true;
}

struct mprof_mib mpdata_sections_read_mib(reader *r, uint32_t section,
                                          uint64_t row)
{
    struct mpdata_mib_columns columns;

    if (!take_row(r, section, row))
        return (struct mprof_mib){.AllocCount = 0};
    mpdata_mib_columns_find(&columns, &r->sections->tables[section]);
    return mpdata_mib_columns_get(&columns, row);
}

/* `mib` is that of the row, which was taken. */
static void add_context(reader *r, uint64_t row, const struct mprof_mib *mib)
{
    const struct mpdata_cells cells =
        read_cells(r, row, mib->AccessHistogramSize);
    const mpdata_ref node = read_node(r, GET(r, CONTEXTS, NODE, row));
    uint32_t flags =
        GET32(r, CONTEXTS, FLAGS, row) | GET32(r, CONTEXTS, UNSEEN, row)
                                             << MPROF_CONTEXT_UNSEEN_SHIFT;

    if (is_listed(r, row))
        flags |= MPROF_CONTEXT_FL_LISTED;
    if (r->err != MPROF_E_OK)
        return;
    if (r->is_first)
        mpdata_profile_context_append(r->into, node, flags, mib, cells);
    else
        mpdata_profile_context(r->into, node, flags, mib, cells);
}

/* The rows of DETAILS from `at` on that are of the node, as long as they are.
 */
static void add_details(reader *r, uint64_t at, uint64_t node)
{
    while (at < rows(r, MPROF_INDEX_DETAILS) &&
           take_row(r, MPROF_INDEX_DETAILS, at) &&
           GET(r, DETAILS, NODE, at) == node) {
        const uint64_t kind = GET(r, DETAILS, KIND, at);
        struct mpdata_detail detail = {.kind = (uint32_t)kind,
                                       .key = GET32(r, DETAILS, KEY, at),
                                       .count = GET(r, DETAILS, COUNT, at),
                                       .bytes = GET(r, DETAILS, BYTES, at)};

        at++;
        if (kind >= MPROF_DETAIL_KINDS_END)
            continue; /* of a later version */
        detail.node = read_node(r, node);
        if (mprof_detail_is_stack(detail.kind))
            detail.key = read_node(r, detail.key);
        if (r->err == MPROF_E_OK)
            mpdata_profile_detail(r->into, &detail);
    }
}

/* Of one context. */
static void read_details(reader *r, uint64_t node)
{
    uint64_t low = 0;
    uint64_t high;

    if (!open_section(r, MPROF_INDEX_DETAILS))
        return;
    high = rows(r, MPROF_INDEX_DETAILS);
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (!take_row(r, MPROF_INDEX_DETAILS, middle))
            return;
        if (GET(r, DETAILS, NODE, middle) < node)
            low = middle + 1;
        else
            high = middle;
    }
    add_details(r, low, node);
}

void mpdata_sections_read_context(reader *r, uint64_t row)
{
    const uint32_t count = mpdata_profile_view(r->into).context_count;
    const struct mprof_mib mib =
        mpdata_sections_read_mib(r, MPROF_INDEX_CONTEXTS, row);

    if (r->err != MPROF_E_OK)
        return;
    add_context(r, row, &mib);
    read_details(r, GET(r, CONTEXTS, NODE, row));
    if (r->err == MPROF_E_OK && mpdata_profile_status(r->into) == MPROF_E_OK &&
        mpdata_profile_view(r->into).context_count == count)
        fail_row(r, MPROF_E_DUPLICATE, MPROF_INDEX_CONTEXTS, row);
}

static struct mpdata_sample read_sample(const reader *r, uint64_t row)
{
    return (struct mpdata_sample){.ns = GET(r, SAMPLES, NS, row),
                                  .bytes = GET(r, SAMPLES, BYTES, row),
                                  .most = GET(r, SAMPLES, MOST, row),
                                  .blocks = GET(r, SAMPLES, BLOCKS, row),
                                  .rss = GET(r, SAMPLES, RSS, row)};
}

static struct mpdata_mark read_mark(reader *r, uint64_t row)
{
    return (struct mpdata_mark){.ns = GET(r, MARKS, NS, row),
                                .kind = GET32(r, MARKS, KIND, row),
                                .name =
                                    read_string(r, GET(r, MARKS, NAME, row)),
                                .bytes = GET(r, MARKS, BYTES, row)};
}

/* Until when the last dump of a run tells of it. Dumps that have series say
 * which they are. */
static uint64_t find_end(reader *r, uint64_t run_id)
{
    uint64_t end = 0;

    for (uint64_t i = 0; i < rows(r, MPROF_INDEX_RUNS); i++) {
        if (GET(r, RUNS, RUN_ID, i) == run_id && GET(r, RUNS, DUMP, i) != 0)
            end = mprof_max_u64(end, GET(r, RUNS, DURATION_NS, i));
    }
    return end;
}

/* A row of SERIES, whose samples and marks begin there. */
static void read_one_series(reader *r, uint64_t row, uint64_t sample,
                            uint64_t mark)
{
    struct mpdata_series series = {
        .run_id = GET(r, SERIES, RUN_ID, row),
        .step_ns = GET(r, SERIES, STEP_NS, row),
        .dropped_marks = GET(r, SERIES, DROPPED, row),
        .sample_count = GET32(r, SERIES, SAMPLES, row),
        .mark_count = GET32(r, SERIES, MARKS, row)};

    series.until_ns = find_end(r, series.run_id);
    series.samples =
        mpdata_vec_array(series.sample_count, sizeof(*series.samples));
    series.marks = mpdata_vec_array(series.mark_count, sizeof(*series.marks));
    if (series.samples == NULL || series.marks == NULL) {
        fail(r, MPROF_E_NOMEM);
    } else {
        for (uint32_t i = 0; i < series.sample_count; i++)
            series.samples[i] = read_sample(r, sample + i);
        for (uint32_t i = 0; i < series.mark_count; i++)
            series.marks[i] = read_mark(r, mark + i);
    }
    if (r->err == MPROF_E_OK)
        mpdata_profile_series(r->into, &series);
    free(series.samples);
    free(series.marks);
}

static void read_series(reader *r)
{
    static const uint32_t sections[] = {MPROF_INDEX_SAMPLES, MPROF_INDEX_MARKS,
                                        MPROF_INDEX_SERIES};
    uint64_t sample = 0;
    uint64_t mark = 0;

    for (size_t i = 0; i < MPROF_ARRAY_LEN(sections); i++) {
        if (!open_section(r, sections[i]))
            return;
        if (!r->is_checked)
            r->err =
                mpdata_sections_check_rows(r->sections, sections[i], r->diag);
    }
    for (uint64_t i = 0;
         i < rows(r, MPROF_INDEX_SERIES) && r->err == MPROF_E_OK; i++) {
        read_one_series(r, i, sample, mark);
        sample += GET(r, SERIES, SAMPLES, i);
        mark += GET(r, SERIES, MARKS, i);
    }
}

void mpdata_sections_read_runs(reader *r)
{
    if (!open_section(r, MPROF_INDEX_RUNS))
        return;
    /* Of a table that is read as a whole, in one go. */
    if (!r->is_checked)
        r->err =
            mpdata_sections_check_rows(r->sections, MPROF_INDEX_RUNS, r->diag);
    for (uint64_t i = 0; i < rows(r, MPROF_INDEX_RUNS) && r->err == MPROF_E_OK;
         i++) {
        struct mpdata_run run;

#define X(column, member) \
    run.member = (__typeof__(run.member))GET(r, RUNS, column, i);
        MPDATA_INDEX_RUN_COLUMNS(X)
#undef X
        run.executable = read_path(r, run.executable);
#define X(column, member) run.member = read_string(r, run.member);
        MPDATA_INDEX_RUN_STRINGS(X)
#undef X
        if (r->err == MPROF_E_OK)
            mpdata_profile_run(r->into, &run);
    }
    read_series(r);
}

void mpdata_sections_read_binaries(reader *r)
{
    if (!open_section(r, MPROF_INDEX_BINARIES))
        return;
    if (!r->is_checked)
        r->err = mpdata_sections_check_rows(r->sections, MPROF_INDEX_BINARIES,
                                            r->diag);
    for (uint64_t i = 0;
         i < rows(r, MPROF_INDEX_BINARIES) && r->err == MPROF_E_OK; i++) {
        if (GET(r, BINARIES, FLAGS, i) != 0)
            read_binary(r, i + 1);
    }
}

/* -- all ------------------------------------------------------------------- */

void mpdata_sections_read_begin(reader *r, struct mpdata_sections *sections,
                                struct mpdata_profile *into,
                                struct mprof_diag *diag)
{
    *r = (reader){.sections = sections,
                  .into = into,
                  .diag = diag,
                  .columns = mpdata_vec_array(COLUMNS, sizeof(*r->columns)),
                  .up = {.elem_bytes = sizeof(uint32_t)}};
    if (r->columns == NULL)
        fail(r, MPROF_E_NOMEM);
}

enum mprof_err mpdata_sections_read_end(reader *r)
{
    const enum mprof_err status = mpdata_profile_status(r->into);

    if (status != MPROF_E_OK)
        fail(r, status);
    for (uint32_t id = 0; id < MPDATA_SECTIONS_END; id++)
        free(r->ids[id]);
    free(r->columns);
    mpdata_vec_fini(&r->up);
    mpdata_cells_fini(&r->cells);
    return r->err;
}

/* Into a profile that has none, all nodes of a file that was checked: they
 * differ, so none need be looked for, and their numbers stay. */
static void append_nodes(reader *r)
{
    const uint64_t count = rows(r, MPROF_INDEX_NODES);

    mpdata_profile_reserve_nodes(r->into, (uint32_t)count);
    for (uint64_t i = 0; i < count && r->err == MPROF_E_OK; i++) {
        const mpdata_ref frame = read_frame(r, GET(r, NODES, ENTRY, i));

        if (frame != 0 &&
            mpdata_profile_node_append(r->into, (mpdata_ref)parent_of(r, i + 1),
                                       frame) == 0)
            fail(r, mpdata_profile_status(r->into));
    }
}

/* In the order of the file, also what nothing refers to. */
static void read_tables(reader *r)
{
    for (uint64_t i = 0; i < rows(r, MPROF_INDEX_STRINGS); i++)
        read_string(r, i);
    for (uint64_t i = 1; i <= rows(r, MPROF_INDEX_PATHS); i++)
        read_path(r, i);
    for (uint64_t i = 1; i <= rows(r, MPROF_INDEX_BINARIES); i++)
        read_binary(r, i);
    for (uint64_t i = 1; i <= rows(r, MPROF_INDEX_FUNCTIONS); i++)
        read_function(r, i);
    for (uint64_t i = 0; i < rows(r, MPROF_INDEX_ENTRIES); i++)
        read_frame(r, i);
    if (r->is_first)
        append_nodes(r);
    for (uint64_t i = 1; i <= rows(r, MPROF_INDEX_NODES) && !r->is_first; i++)
        read_node(r, i);
}

static void read_contexts(reader *r)
{
    struct mpdata_mib_columns columns;

    mpdata_mib_columns_find(&columns,
                            &r->sections->tables[MPROF_INDEX_CONTEXTS]);
    for (uint64_t i = 0;
         i < rows(r, MPROF_INDEX_CONTEXTS) && r->err == MPROF_E_OK; i++) {
        const struct mprof_mib mib = mpdata_mib_columns_get(&columns, i);

        add_context(r, i, &mib);
    }
    for (uint64_t i = 0;
         i < rows(r, MPROF_INDEX_DETAILS) && r->err == MPROF_E_OK; i++) {
        const uint64_t node = GET(r, DETAILS, NODE, i);

        if (i == 0 || node != GET(r, DETAILS, NODE, i - 1))
            add_details(r, i, node);
    }
}

/* Of a row that was taken. */
static void add_part(reader *r, uint64_t row, const struct mprof_mib *mib)
{
    const struct mpdata_part part = {
        .kind = GET32(r, PARTS, KIND, row),
        .name = read_string(r, GET(r, PARTS, NAME, row)),
        .node = read_node(r, GET(r, PARTS, NODE, row)),
        .flags = GET32(r, PARTS, FLAGS, row)};

    if (r->err == MPROF_E_OK)
        mpdata_profile_part(r->into, &part, mib);
}

static void read_parts(reader *r)
{
    struct mpdata_mib_columns columns;

    mpdata_mib_columns_find(&columns, &r->sections->tables[MPROF_INDEX_PARTS]);
    for (uint64_t i = 0; i < rows(r, MPROF_INDEX_PARTS) && r->err == MPROF_E_OK;
         i++) {
        const struct mprof_mib mib = mpdata_mib_columns_get(&columns, i);

        add_part(r, i, &mib);
    }
}

/* Parts stand by kind. */
void mpdata_sections_read_left_out(reader *r)
{
    uint64_t low = 0;
    uint64_t high;

    if (!open_section(r, MPROF_INDEX_PARTS))
        return;
    high = rows(r, MPROF_INDEX_PARTS);
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (!take_row(r, MPROF_INDEX_PARTS, middle))
            return;
        if (GET(r, PARTS, KIND, middle) < MPROF_PART_LEFT_OUT)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint64_t i = low; i < rows(r, MPROF_INDEX_PARTS); i++) {
        const struct mprof_mib mib =
            mpdata_sections_read_mib(r, MPROF_INDEX_PARTS, i);

        if (r->err != MPROF_E_OK ||
            GET(r, PARTS, KIND, i) != MPROF_PART_LEFT_OUT)
            return;
        add_part(r, i, &mib);
    }
}

enum mprof_err mpdata_sections_read(struct mpdata_sections *sections,
                                    struct mpdata_profile *into,
                                    struct mprof_diag *diag)
{
    enum mprof_err err = mpdata_sections_check(sections, diag);
    reader r;

    if (err != MPROF_E_OK)
        return err;
    mpdata_sections_read_begin(&r, sections, into, diag);
    for (uint32_t id = MPROF_INDEX_STRINGS; id <= MPROF_INDEX_LISTED; id++)
        open_section(&r, id);
    open_section(&r, MPROF_INDEX_PARTS);
    open_section(&r, MPROF_INDEX_DETAILS);
    r.is_checked = true;
    r.is_first = mpdata_profile_view(into).node_count == 0 &&
                 mpdata_profile_view(into).context_count == 0;
    read_tables(&r);
    read_contexts(&r);
    read_parts(&r);
    mpdata_sections_read_runs(&r);
    return mpdata_sections_read_end(&r);
}
