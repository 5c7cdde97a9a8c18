/* sections_read.c -- reads our sections into a profile, table by table: each
 * row after the rows it refers to.
 *
 * All sections have been checked, so only memory or ids may run out; the
 * profile's status tells at the end.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/vec.h"
#include "profdata/index/sections.h"
#include "profdata/model/mib_columns.h"
#include "profdata/model/profile_store.h"
#include "shared/raw_format.h"

#include <stdlib.h>

struct reader {
    const struct mprof_table *tables; /* by section id */
    struct mpdata_profile *into;
    bool is_first; /* no nodes or contexts yet: nodes keep their numbers */
    /* By section: row of the file -> id of the profile. */
    uint32_t *ids[MPDATA_SECTIONS_END];
    const struct mprof_column *columns; /* MPDATA_COLUMNS of them */
    struct mpdata_cells_builder cells;  /* of the current context */
    uint64_t histogram;                 /* next row of HISTOGRAMS */
};

static uint64_t rows(const struct reader *r, uint32_t section)
{
    return r->tables[section].rows;
}

#define GET MPDATA_SECTIONS_GET
#define GET32(r, section, name, row) (uint32_t) GET(r, section, name, row)

/* The profile's id of a reference (row + 1, or 0). */
static uint32_t map_ref(const struct reader *r, uint32_t section, uint64_t ref)
{
    if (ref == 0)
        return 0;
    return section == MPROF_INDEX_NODES && r->is_first
               ? (uint32_t)ref
               : r->ids[section][ref - 1];
}

/* The value of a column in the profile's form. */
static uint64_t map_value(const struct reader *r, int column, uint64_t row)
{
    const struct mpdata_sections_column *const c =
        &mpdata_sections_columns[column];
    const uint64_t value = mprof_column_get(&r->columns[column], row);

    if (c->target == 0)
        return value;
    return map_ref(r, c->target, value + (c->below == 0));
}

/* Fills the members of *to that store columns of the section's row. */
static void read_members(const struct reader *r, uint32_t section, uint64_t row,
                         void *to)
{
    for (int i = mpdata_sections_columns_first(section);
         i < MPDATA_COLUMNS && mpdata_sections_columns[i].section == section;
         i++) {
        if (mpdata_sections_members[i].bytes != 0)
            mpdata_member_set(mpdata_sections_members[i], to,
                              map_value(r, i, row));
    }
}

/* -- rows that contexts and runs refer to ---------------------------------- */

static void read_strings(struct reader *r)
{
    const struct mprof_blob blob = mprof_table_blob(
        &r->tables[MPROF_INDEX_STRINGS], MPROF_INDEX_STRINGS_BYTES);
    uint64_t start = 0;

    for (uint64_t i = 1; i < rows(r, MPROF_INDEX_STRINGS); i++) {
        const uint64_t end = GET(r, STRINGS, END, i);

        r->ids[MPROF_INDEX_STRINGS][i] =
            mpdata_profile_string(r->into, blob.data + start, end - start);
        start = end;
    }
}

/* Reads a table whose structs store all its columns. */
static void read_table(struct reader *r, uint32_t section,
                       enum mpdata_kind kind)
{
    for (uint64_t i = 0; i < rows(r, section); i++) {
        union mpdata_row row = {.run = {.run_id = 0}};

        read_members(r, section, i, &row);
        r->ids[section][i] = mpdata_profile_add(r->into, kind, &row);
    }
}

static void read_frames(struct reader *r)
{
    for (uint64_t i = 0; i < rows(r, MPROF_INDEX_ENTRIES); i++) {
        const uint64_t place = GET(r, ENTRIES, PLACE, i);
        struct mpdata_frame frame = {
            .path = map_ref(r, MPROF_INDEX_PATHS, mprof_place_path(place)),
            .line = (uint32_t)mprof_place_line(place),
            .discriminator = (uint32_t)mprof_place_discriminator_low(place) |
                             GET32(r, ENTRIES, DISCRIMINATOR, i)
                                 << MPROF_PLACE_DISCRIMINATOR_BITS};

        read_members(r, MPROF_INDEX_ENTRIES, i, &frame);
        r->ids[MPROF_INDEX_ENTRIES][i] = mpdata_profile_frame(r->into, &frame);
    }
}

/* In an empty profile, nodes need no look-up: they are distinct. */
static void read_nodes(struct reader *r)
{
    const uint64_t count = rows(r, MPROF_INDEX_NODES);
    uint32_t *const ids = r->ids[MPROF_INDEX_NODES];

    if (r->is_first)
        mpdata_profile_reserve_nodes(r->into, (uint32_t)count);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t up = GET(r, NODES, UP, i);
        const uint32_t frame =
            r->ids[MPROF_INDEX_ENTRIES][GET(r, NODES, ENTRY, i)];
        const uint32_t parent =
            map_ref(r, MPROF_INDEX_NODES, up != 0 ? i + 1 - up : 0);

        if (r->is_first)
            mpdata_profile_node_append(r->into, parent, frame);
        else
            ids[i] = mpdata_profile_node(r->into, parent, frame);
    }
}

/* -- contexts -------------------------------------------------------------- */

/* The context's histogram, valid until the next one is read. */
static struct mpdata_cells read_cells(struct reader *r, uint64_t context)
{
    const uint64_t row = r->histogram;
    uint64_t cell = 0;

    if (row == rows(r, MPROF_INDEX_HISTOGRAMS) ||
        GET(r, HISTOGRAMS, CONTEXT, row) != context)
        return MPDATA_CELLS_NONE;
    r->histogram++;
    uint64_t end = row + 1 < rows(r, MPROF_INDEX_HISTOGRAMS)
                       ? GET(r, HISTOGRAMS, FIRST, row + 1)
                       : rows(r, MPROF_INDEX_CELLS);
    mpdata_cells_clear(&r->cells);
    for (uint64_t i = GET(r, HISTOGRAMS, FIRST, row); i < end; i++) {
        cell += GET(r, CELLS, SKIP, i);
        mpdata_cells_add(&r->cells, cell++, GET(r, CELLS, COUNT, i));
    }
    return mpdata_cells_of(r->cells.words, 0, r->cells.count);
}

static void read_contexts(struct reader *r)
{
    struct mpdata_mib_columns columns;

    mpdata_mib_columns_find(&columns, &r->tables[MPROF_INDEX_CONTEXTS]);
    for (uint64_t i = 0; i < rows(r, MPROF_INDEX_CONTEXTS); i++) {
        const struct mprof_mib mib = mpdata_mib_columns_get(&columns, i);
        const struct mpdata_cells cells = read_cells(r, i);
        const uint32_t node =
            map_ref(r, MPROF_INDEX_NODES, GET(r, CONTEXTS, NODE, i));
        const uint32_t flags =
            GET32(r, CONTEXTS, FLAGS, i) | GET32(r, CONTEXTS, UNSEEN, i)
                                               << MPROF_CONTEXT_UNSEEN_SHIFT;

        if (r->is_first)
            mpdata_profile_context_append(r->into, node, flags, &mib, cells);
        else
            mpdata_profile_context(r->into, node, flags, &mib, cells);
    }
}

static void read_details(struct reader *r)
{
    for (uint64_t i = 0; i < rows(r, MPROF_INDEX_DETAILS); i++) {
        struct mpdata_detail detail = {.node = 0};

        if (GET(r, DETAILS, KIND, i) >= MPROF_DETAIL_KINDS_END)
            continue; /* of a later version */
        read_members(r, MPROF_INDEX_DETAILS, i, &detail);
        if (mprof_detail_is_stack(detail.kind))
            detail.key = map_ref(r, MPROF_INDEX_NODES, detail.key);
        mpdata_profile_detail(r->into, &detail);
    }
}

static void read_tagged_rows(struct reader *r)
{
    struct mpdata_mib_columns columns;

    mpdata_mib_columns_find(&columns, &r->tables[MPROF_INDEX_TAGGED]);
    for (uint64_t i = 0; i < rows(r, MPROF_INDEX_TAGGED); i++) {
        const struct mprof_mib mib = mpdata_mib_columns_get(&columns, i);
        struct mpdata_tagged tagged = {.kind = 0};

        read_members(r, MPROF_INDEX_TAGGED, i, &tagged);
        mpdata_profile_tagged(r->into, &tagged, &mib);
    }
}

/* -- runs ------------------------------------------------------------------ */

static void read_runs(struct reader *r)
{
    for (uint64_t i = 0; i < rows(r, MPROF_INDEX_RUNS); i++) {
        struct mpdata_run run = {.run_id = 0};

        read_members(r, MPROF_INDEX_RUNS, i, &run);
        mpdata_profile_run(r->into, &run);
    }
}

/* Duration of a run at its last dump; dumps with series have a number. */
static uint64_t find_end(const struct reader *r, uint64_t run_id)
{
    uint64_t end = 0;

    for (uint64_t i = 0; i < rows(r, MPROF_INDEX_RUNS); i++) {
        if (GET(r, RUNS, RUN_ID, i) == run_id && GET(r, RUNS, DUMP, i) != 0)
            end = mprof_max_u64(end, GET(r, RUNS, DURATION_NS, i));
    }
    return end;
}

/* Reads a row of SERIES; `sample` and `mark` are the first rows of its samples
 * and marks. False when out of memory. */
static bool read_one_series(struct reader *r, uint64_t row, uint64_t sample,
                            uint64_t mark)
{
    struct mpdata_series series = {.run_id = 0};

    read_members(r, MPROF_INDEX_SERIES, row, &series);
    series.until_ns = find_end(r, series.run_id);
    series.samples =
        mpdata_vec_array(series.sample_count, sizeof(*series.samples));
    series.marks = mpdata_vec_array(series.mark_count, sizeof(*series.marks));
    bool is_there = series.samples != NULL && series.marks != NULL;
    for (uint32_t i = 0; is_there && i < series.sample_count; i++)
        read_members(r, MPROF_INDEX_SAMPLES, sample + i, &series.samples[i]);
    for (uint32_t i = 0; is_there && i < series.mark_count; i++)
        read_members(r, MPROF_INDEX_MARKS, mark + i, &series.marks[i]);
    if (is_there)
        mpdata_profile_series(r->into, &series);
    free(series.samples);
    free(series.marks);
    return is_there;
}

static bool read_series(struct reader *r)
{
    uint64_t sample = 0;
    uint64_t mark = 0;

    for (uint64_t i = 0; i < rows(r, MPROF_INDEX_SERIES); i++) {
        if (!read_one_series(r, i, sample, mark))
            return false;
        sample += GET(r, SERIES, SAMPLES, i);
        mark += GET(r, SERIES, MARKS, i);
    }
    return true;
}

/* -- the whole file -------------------------------------------------------- */

/* Allocates the ids of all sections that references name. */
static bool begin(struct reader *r)
{
    for (int i = 0; i < MPDATA_COLUMNS; i++) {
        const struct mpdata_sections_column *const c =
            &mpdata_sections_columns[i];

        if (c->target == 0 || r->ids[c->target] != NULL ||
            c->target == MPROF_INDEX_CONTEXTS)
            continue;
        r->ids[c->target] =
            mpdata_vec_array(rows(r, c->target), sizeof(uint32_t));
        if (r->ids[c->target] == NULL)
            return false;
    }
    return true;
}

static bool read_all(struct reader *r)
{
    if (!begin(r))
        return false;
    read_strings(r);
    read_table(r, MPROF_INDEX_PATHS, MPDATA_KIND_PATH);
    read_table(r, MPROF_INDEX_BINARIES, MPDATA_KIND_BINARY);
    read_table(r, MPROF_INDEX_FUNCTIONS, MPDATA_KIND_FUNCTION);
    read_frames(r);
    read_nodes(r);
    read_contexts(r);
    read_details(r);
    read_tagged_rows(r);
    read_runs(r);
    return read_series(r) && !r->cells.failed;
}

enum mprof_err mpdata_sections_read(const struct mpdata_index_file *file,
                                    struct mpdata_profile *into,
                                    struct mprof_diag *diag)
{
    const struct mpdata_view view = mpdata_profile_view(into);
    struct mpdata_sections sections;
    struct reader r = {.tables = sections.tables,
                       .columns = sections.columns,
                       .into = into,
                       .is_first =
                           view.node_count == 0 && view.context_count == 0};
    enum mprof_err err = mpdata_sections_open(&sections, file, diag);

    if (err == MPROF_E_OK && rows(&r, MPROF_INDEX_CELLS) != 0) {
        err = mpdata_profile_take_cells(
            into, file->dir.version < MPROF_INDEX_EXT_VERSION_MEMBERS ? 0
                  : file->dir.version == MPROF_INDEX_EXT_VERSION_MEMBERS
                      ? MPROF_RAW_CELLS_MEMBERS
                      : MPROF_RAW_CELLS_FIELDS);
        mprof_err_plain(diag, err);
    }
    if (err == MPROF_E_OK) {
        err = read_all(&r) ? mpdata_profile_status(into) : MPROF_E_NOMEM;
        mprof_err_plain(diag, err);
    }
    for (uint32_t id = 0; id < MPDATA_SECTIONS_END; id++)
        free(r.ids[id]);
    mpdata_cells_fini(&r.cells);
    mpdata_sections_close(&sections);
    return err;
}
