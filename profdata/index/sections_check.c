/* sections_check.c -- the rules of our sections.
 *
 * The table of columns (shared/index_format.h) gives the range of each value.
 * All values of a section are checked against it, then the order of the rows,
 * then the other rules by a check_ function. check->row is the number of the
 * refused row.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/diag.h"
#include "profdata/base/vec.h"
#include "profdata/index/sections.h"
#include "profdata/model/run_columns.h"
#include "profdata/model/series.h"
#include "shared/detail.h"
#include "shared/tag_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PATHS_MAX ((UINT32_C(1) << MPROF_PLACE_PATH_BITS) - 1)

struct check {
    const struct mprof_table *tables;   /* by section id */
    const struct mprof_column *columns; /* MPDATA_COLUMNS of them */
    uint64_t row;
};

#define GET MPDATA_SECTIONS_GET

static uint64_t rows(const struct check *check, uint32_t section)
{
    return check->tables[section].rows;
}

static struct mprof_column column(const struct check *check, uint32_t section,
                                  uint32_t tag)
{
    return mprof_table_column(&check->tables[section], tag);
}

/* -- every column ---------------------------------------------------------- */

static enum mprof_err check_column(struct check *check, int number)
{
    const struct mpdata_sections_column *const rule =
        &mpdata_sections_columns[number];
    const struct mprof_column *const c = &check->columns[number];
    const uint64_t below =
        rule->below + (rule->target != 0 ? rows(check, rule->target) : 0);

    if (rule->target == 0 && below == 0)
        return MPROF_E_OK;
    for (uint64_t i = 0; i < c->rows; i++) {
        if (mprof_column_get(c, i) >= below) {
            check->row = i;
            return rule->target != 0 ? MPROF_E_REFERENCE : MPROF_E_VALUE;
        }
    }
    return MPROF_E_OK;
}

static enum mprof_err check_columns(struct check *check, uint32_t section)
{
    enum mprof_err err = MPROF_E_OK;

    for (int i = mpdata_sections_columns_first(section);
         i < MPDATA_COLUMNS && err == MPROF_E_OK &&
         mpdata_sections_columns[i].section == section;
         i++)
        err = check_column(check, i);
    return err;
}

/* -- order of rows --------------------------------------------------------- */

/* Columns by which the rows of a section ascend, so that all rows differ. */
#define RUN_TAG(column, member, kind) MPROF_INDEX_RUNS_##column,
static const struct {
    uint32_t section;
    uint32_t tags[64]; /* 0: end */
} orders[] = {
    {MPROF_INDEX_PATHS, {MPROF_INDEX_PATHS_PARENT, MPROF_INDEX_PATHS_NAME}},
    {MPROF_INDEX_FUNCTIONS,
     {MPROF_INDEX_FUNCTIONS_NAME, MPROF_INDEX_FUNCTIONS_GUID,
      MPROF_INDEX_FUNCTIONS_PATH, MPROF_INDEX_FUNCTIONS_LINE}},
    {MPROF_INDEX_ENTRIES,
     {MPROF_INDEX_ENTRIES_PLACE, MPROF_INDEX_ENTRIES_FUNCTION,
      MPROF_INDEX_ENTRIES_COLUMN, MPROF_INDEX_ENTRIES_DISCRIMINATOR,
      MPROF_INDEX_ENTRIES_FLAGS, MPROF_INDEX_ENTRIES_BINARY,
      MPROF_INDEX_ENTRIES_ADDRESS}},
    {MPROF_INDEX_HISTOGRAMS, {MPROF_INDEX_HISTOGRAMS_CONTEXT}},
    {MPROF_INDEX_BINARIES,
     {MPROF_INDEX_BINARIES_PATH, MPROF_INDEX_BINARIES_BUILD_ID}},
    {MPROF_INDEX_RUNS, {MPDATA_INDEX_RUN_COLUMNS(RUN_TAG)}},
    {MPROF_INDEX_TAGGED,
     {MPROF_INDEX_TAGGED_KIND, MPROF_INDEX_TAGGED_NAME,
      MPROF_INDEX_TAGGED_NODE}},
    {MPROF_INDEX_DETAILS,
     {MPROF_INDEX_DETAILS_NODE, MPROF_INDEX_DETAILS_KIND,
      MPROF_INDEX_DETAILS_KEY}},
    {MPROF_INDEX_SERIES, {MPROF_INDEX_SERIES_RUN_ID}},
};

/* Finds the columns of one order, without the count of merged runs. */
static size_t find_order(const struct check *check, size_t order,
                         struct mprof_column *columns)
{
    const uint32_t section = orders[order].section;
    size_t count = 0;

    for (size_t i = 0; orders[order].tags[i] != 0; i++) {
        const uint32_t tag = orders[order].tags[i];

        if (section != MPROF_INDEX_RUNS || tag != MPROF_INDEX_RUNS_COUNT)
            columns[count++] = column(check, section, tag);
    }
    return count;
}

static bool is_ascending(struct check *check, size_t order)
{
    struct mprof_column c[MPROF_ARRAY_LEN(orders[0].tags)];
    const size_t count = find_order(check, order, c);

    for (uint64_t row = 1; row < rows(check, orders[order].section); row++) {
        uint64_t before = 0;
        uint64_t after = 0;

        for (size_t i = 0; i < count && before == after; i++) {
            before = mprof_column_get(&c[i], row - 1);
            after = mprof_column_get(&c[i], row);
        }
        if (before >= after) {
            check->row = row;
            return false;
        }
    }
    return true;
}

static enum mprof_err check_order(struct check *check, uint32_t section)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(orders); i++) {
        if (orders[i].section == section && !is_ascending(check, i))
            return MPROF_E_VALUE;
    }
    return MPROF_E_OK;
}

/* -- single sections ------------------------------------------------------- */

/* The first string is empty, each is greater than the one before, and no bytes
 * follow the last. */
static enum mprof_err check_strings(struct check *check)
{
    const uint64_t count = rows(check, MPROF_INDEX_STRINGS);
    const struct mprof_blob blob = mprof_table_blob(
        &check->tables[MPROF_INDEX_STRINGS], MPROF_INDEX_STRINGS_BYTES);
    /* Without a blob only the empty string is possible. */
    const uint8_t *bytes = blob.data != NULL ? blob.data : (const uint8_t *)"";
    uint64_t start = 0;
    uint64_t size_before = 0;

    if (count == 0 || GET(check, STRINGS, END, 0) != 0)
        return MPROF_E_VALUE;
    for (uint64_t i = 1; i < count; i++) {
        const uint64_t end = GET(check, STRINGS, END, i);
        const uint64_t size = end - start;

        check->row = i;
        if (end < start || end > blob.size)
            return MPROF_E_OFFSET;
        int order = memcmp(bytes + start - size_before, bytes + start,
                           mprof_min_u64(size_before, size));
        if (order > 0 || (order == 0 && size_before >= size))
            return MPROF_E_VALUE;
        start = end;
        size_before = size;
    }
    return start == blob.size ? MPROF_E_OK : MPROF_E_OFFSET;
}

/* Is each value at most its row's number? Then it refers to an earlier row, or
 * counts back to one. */
static bool is_earlier(struct check *check, int column)
{
    const struct mprof_column *const c = &check->columns[column];

    for (uint64_t i = 0; i < c->rows; i++) {
        check->row = i;
        if (mprof_column_get(c, i) > i)
            return false;
    }
    return true;
}

static enum mprof_err check_paths(struct check *check)
{
    if (rows(check, MPROF_INDEX_PATHS) > PATHS_MAX)
        return MPROF_E_LIMIT;
    return is_earlier(check, MPDATA_COLUMN_PATHS_PARENT) ? MPROF_E_OK
                                                         : MPROF_E_REFERENCE;
}

static enum mprof_err check_frames(struct check *check)
{
    for (uint64_t i = 0; i < rows(check, MPROF_INDEX_ENTRIES); i++) {
        check->row = i;
        if (mprof_place_path(GET(check, ENTRIES, PLACE, i)) >
            rows(check, MPROF_INDEX_PATHS))
            return MPROF_E_REFERENCE;
    }
    return MPROF_E_OK;
}

/* Preorder with ascending siblings: the parent of each row is the row before or
 * one of its ancestors, and the previous child of this parent is smaller. Each
 * step up leaves a subtree for good, so there are at most as many steps as
 * rows. */
static enum mprof_err check_nodes(struct check *check)
{
    if (!is_earlier(check, MPDATA_COLUMN_NODES_UP))
        return MPROF_E_REFERENCE;
    for (uint64_t i = 0; i < rows(check, MPROF_INDEX_NODES); i++) {
        const uint64_t up = GET(check, NODES, UP, i);
        const uint64_t parent = up != 0 ? i - up + 1 : 0; /* index + 1 */
        uint64_t at = i;                                  /* index + 1 */
        uint64_t child = 0;

        check->row = i;
        while (at > parent) {
            const uint64_t step = GET(check, NODES, UP, at - 1);

            child = at;
            at = step != 0 ? at - step : 0;
        }
        if (at != parent)
            return MPROF_E_VALUE;
        if (child != 0 &&
            GET(check, NODES, ENTRY, child - 1) >= GET(check, NODES, ENTRY, i))
            return MPROF_E_VALUE;
    }
    return MPROF_E_OK;
}

/* Is row i of CONTEXTS in order after row i - 1? */
static bool is_context_order(const struct check *check,
                             const struct mprof_column *sizes,
                             const struct mprof_column *counts, uint64_t i)
{
    const uint64_t size[] = {mprof_column_get(sizes, i - 1),
                             mprof_column_get(sizes, i)};
    const uint64_t count[] = {mprof_column_get(counts, i - 1),
                              mprof_column_get(counts, i)};

    if (size[0] != size[1])
        return size[0] > size[1];
    if (count[0] != count[1])
        return count[0] > count[1];
    return GET(check, CONTEXTS, NODE, i - 1) < GET(check, CONTEXTS, NODE, i);
}

/* The depth of each node, by its number + 1; NULL when out of memory. */
static uint32_t *measure_depths(const struct check *check)
{
    const uint64_t count = rows(check, MPROF_INDEX_NODES);
    uint32_t *const depths = mpdata_vec_array(count + 1, sizeof(*depths));

    for (uint64_t i = 0; depths != NULL && i < count; i++) {
        const uint64_t up = GET(check, NODES, UP, i);

        depths[i + 1] = up != 0 ? depths[i - up + 1] + 1 : 1;
    }
    return depths;
}

/* Later versions may have any kind. */
static bool is_stack_kind(uint64_t kind)
{
    return kind < MPROF_DETAIL_KINDS_END &&
           mprof_detail_is_stack((uint32_t)kind);
}

/* Limits the frames in all call stacks of the section. With `kinds`, only rows
 * whose kind has a call stack count. */
static enum mprof_err check_depths(struct check *check, int column,
                                   const struct mprof_column *kinds)
{
    const struct mprof_table *const tables = check->tables;
    const uint32_t section = mpdata_sections_columns[column].section;
    const struct mprof_column *const nodes = &check->columns[column];
    const uint64_t max = mpdata_sections_frames_max(
        tables[MPROF_INDEX_NODES].rows, tables[MPROF_INDEX_NODES].size,
        tables[section].rows, tables[section].size);
    uint32_t *const depths = measure_depths(check);
    uint64_t frames = 0;

    if (depths == NULL)
        return MPROF_E_NOMEM;
    for (uint64_t i = 0; i < nodes->rows && frames <= max; i++) {
        check->row = i;
        if (kinds == NULL || is_stack_kind(mprof_column_get(kinds, i)))
            frames += depths[mprof_column_get(nodes, i)];
    }
    free(depths);
    return frames <= max ? MPROF_E_OK : MPROF_E_VALUE;
}

/* Checks the order, and that no call stack occurs twice. */
static enum mprof_err check_contexts(struct check *check)
{
    const struct mprof_column sizes =
        column(check, MPROF_INDEX_CONTEXTS, MPROF_MIB_TAG_TotalSize);
    const struct mprof_column counts =
        column(check, MPROF_INDEX_CONTEXTS, MPROF_MIB_TAG_AllocCount);
    uint8_t *const is_seen =
        mpdata_vec_array(rows(check, MPROF_INDEX_NODES) + 1, 1);
    enum mprof_err err = is_seen != NULL ? MPROF_E_OK : MPROF_E_NOMEM;

    for (uint64_t i = 0; i < sizes.rows && err == MPROF_E_OK; i++) {
        uint8_t *const seen = &is_seen[GET(check, CONTEXTS, NODE, i)];

        check->row = i;
        if (*seen)
            err = MPROF_E_DUPLICATE;
        else if (i != 0 && !is_context_order(check, &sizes, &counts, i))
            err = MPROF_E_VALUE;
        *seen = 1;
    }
    free(is_seen);
    return err == MPROF_E_OK
               ? check_depths(check, MPDATA_COLUMN_CONTEXTS_NODE, NULL)
               : err;
}

/* Do the cells of rows [first, end) lie in a histogram of this size? */
static bool is_held(const struct check *check, uint64_t first, uint64_t end,
                    uint64_t size)
{
    uint64_t cell = 0;

    for (uint64_t i = first; i < end; i++) {
        const uint64_t skip = GET(check, CELLS, SKIP, i);

        if (skip >= size - cell)
            return false;
        cell += skip + 1;
    }
    return true;
}

/* The cells of each histogram start where those of the one before end; there
 * may be none. All cells belong to a histogram and lie inside it. */
static enum mprof_err check_histograms(struct check *check)
{
    const struct mprof_column sizes =
        column(check, MPROF_INDEX_CONTEXTS, MPROF_MIB_TAG_AccessHistogramSize);
    const uint64_t count = rows(check, MPROF_INDEX_HISTOGRAMS);
    const uint64_t cells = rows(check, MPROF_INDEX_CELLS);

    check->row = 0;
    if ((count != 0 ? GET(check, HISTOGRAMS, FIRST, 0) : cells) != 0)
        return MPROF_E_REFERENCE;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t size =
            mprof_column_get(&sizes, GET(check, HISTOGRAMS, CONTEXT, i));
        const uint64_t first = GET(check, HISTOGRAMS, FIRST, i);
        const uint64_t end =
            i + 1 < count ? GET(check, HISTOGRAMS, FIRST, i + 1) : cells;

        check->row = i;
        if (size == 0)
            return MPROF_E_VALUE;
        if (end > cells || end < first || !is_held(check, first, end, size))
            return MPROF_E_REFERENCE;
    }
    return MPROF_E_OK;
}

static enum mprof_err check_tagged_rows(struct check *check)
{
    for (uint64_t i = 0; i < rows(check, MPROF_INDEX_TAGGED); i++) {
        check->row = i;
        if (!mprof_tag_is_valid(GET(check, TAGGED, KIND, i),
                                GET(check, TAGGED, NODE, i)))
            return MPROF_E_VALUE;
    }
    return check_depths(check, MPDATA_COLUMN_TAGGED_NODE, NULL);
}

/* Upper bound of the keys of a kind. */
static uint64_t detail_keys(const struct check *check, uint32_t kind)
{
    const uint32_t buckets = mprof_detail_buckets(kind);

    return mprof_detail_is_stack(kind) ? rows(check, MPROF_INDEX_NODES) + 1
           : buckets != 0              ? buckets
                                       : UINT64_C(1) << 32;
}

static enum mprof_err check_details(struct check *check)
{
    for (uint64_t i = 0; i < rows(check, MPROF_INDEX_DETAILS); i++) {
        const uint64_t kind = GET(check, DETAILS, KIND, i);

        check->row = i;
        if (kind >= MPROF_DETAIL_KINDS_END)
            continue; /* of a later version; skipped */
        if (kind == 0 ||
            GET(check, DETAILS, KEY, i) >= detail_keys(check, (uint32_t)kind))
            return MPROF_E_REFERENCE;
    }
    return check_depths(check, MPDATA_COLUMN_DETAILS_KEY,
                        &check->columns[MPDATA_COLUMN_DETAILS_KIND]);
}

static bool is_rising(const struct check *check, uint64_t first, uint64_t end)
{
    for (uint64_t i = first + 1; i < end; i++) {
        if (GET(check, SAMPLES, NS, i) <= GET(check, SAMPLES, NS, i - 1))
            return false;
    }
    return true;
}

static enum mprof_err check_series(struct check *check)
{
    const uint64_t all_marks = rows(check, MPROF_INDEX_MARKS);
    const uint64_t all_samples = rows(check, MPROF_INDEX_SAMPLES);
    uint64_t at = 0;
    uint64_t mark = 0;

    if (rows(check, MPROF_INDEX_SERIES) > MPDATA_SERIES_MAX)
        return MPROF_E_VALUE;
    for (uint64_t i = 0; i < rows(check, MPROF_INDEX_SERIES); i++) {
        const uint64_t count = GET(check, SERIES, SAMPLES, i);
        const uint64_t mark_count = GET(check, SERIES, MARKS, i);

        check->row = i;
        if (count > MPDATA_SERIES_SAMPLES_MAX || count > all_samples - at ||
            mark_count > MPDATA_SERIES_MARKS_MAX ||
            mark_count > all_marks - mark || !is_rising(check, at, at + count))
            return MPROF_E_VALUE;
        at += count;
        mark += mark_count;
    }
    return at == all_samples && mark == all_marks ? MPROF_E_OK : MPROF_E_VALUE;
}

typedef enum mprof_err check_fn(struct check *check);

/* By section. A check may rely on sections with smaller ids. */
static check_fn *const checks[MPDATA_SECTIONS_END] = {
    [MPROF_INDEX_STRINGS] = check_strings,
    [MPROF_INDEX_PATHS] = check_paths,
    [MPROF_INDEX_ENTRIES] = check_frames,
    [MPROF_INDEX_NODES] = check_nodes,
    [MPROF_INDEX_CONTEXTS] = check_contexts,
    [MPROF_INDEX_HISTOGRAMS] = check_histograms,
    [MPROF_INDEX_TAGGED] = check_tagged_rows,
    [MPROF_INDEX_DETAILS] = check_details,
    [MPROF_INDEX_SERIES] = check_series,
};

enum mprof_err mpdata_sections_check(const struct mpdata_sections *of,
                                     struct mprof_diag *diag)
{
    static const uint32_t sections[] = {
#define X(id, name, required, help) (id),
        MPROF_INDEX_SECTIONS(X)
#undef X
    };
    struct check check = {.tables = of->tables, .columns = of->columns};

    for (size_t i = 1; i < MPROF_ARRAY_LEN(sections); i++) {
        const uint32_t id = sections[i];
        enum mprof_err err = check_columns(&check, id);

        check.row = err == MPROF_E_OK ? 0 : check.row;
        if (err == MPROF_E_OK)
            err = check_order(&check, id);
        if (err == MPROF_E_OK && checks[id] != NULL)
            err = checks[id](&check);
        if (err != MPROF_E_OK)
            return mpdata_diag_fail(diag, err, of->tables[id].section,
                                    of->tables[id].file_off, "row %" PRIu64,
                                    check.row);
    }
    return MPROF_E_OK;
}
