/* index_ext_check.c -- whole-profile validation of our sections.
 *
 * Each check_ function looks at one table and leaves the number of the row that
 * it refuses in check->row.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/index/sections_check.h"
#include "profdata/base/diag.h"
#include "profdata/model/run_columns.h"
#include "profdata/raw/raw.h"
#include "profdata/base/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 20
#define DISCRIMINATOR_HIGH_MAX (UINT32_MAX >> MPROF_PLACE_DISCRIMINATOR_BITS)
#define ENTRY_FLAGS (MPROF_ENTRY_FL_INLINE | MPROF_ENTRY_FL_NO_LINES)
#define PATHS_MAX ((UINT32_C(1) << MPROF_PLACE_PATH_BITS) - 1)

struct check {
    const struct mprof_table *tables;
    uint64_t row;
};

static uint64_t rows(const struct check *check, uint32_t section)
{
    return check->tables[section].rows;
}

static struct mprof_column column(const struct check *check, uint32_t section,
                                  uint32_t tag)
{
    return mprof_table_column(&check->tables[section], tag);
}

/* Do all rows from 0 on lie below limit? */
static bool is_below(struct check *check, uint32_t section, uint32_t tag,
                     uint64_t limit)
{
    const struct mprof_column c = column(check, section, tag);

    for (uint64_t i = 0; i < c.rows; i++) {
        if (mprof_column_get(&c, i) >= limit) {
            check->row = i;
            return false;
        }
    }
    return true;
}

/* References are an index + 1, or 0. */
static bool is_ref(struct check *check, uint32_t section, uint32_t tag,
                   uint32_t target)
{
    return is_below(check, section, tag, rows(check, target) + 1);
}

/* Is each row greater than the one before, by these columns? Then there are no
 * two equal ones. */
static bool is_ascending(struct check *check, uint32_t section,
                         const uint32_t *tags, size_t count)
{
    struct mprof_column c[COLUMNS_MAX];

    for (size_t i = 0; i < count; i++)
        c[i] = column(check, section, tags[i]);
    for (uint64_t row = 1; row < rows(check, section); row++) {
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

static enum mprof_err check_strings(struct check *check)
{
    const struct mprof_table *table = &check->tables[MPROF_INDEX_STRINGS];
    const struct mprof_column ends =
        mprof_table_column(table, MPROF_INDEX_STRINGS_END);
    const struct mprof_blob blob =
        mprof_table_blob(table, MPROF_INDEX_STRINGS_BYTES);
    /* Without a blob only the empty string is possible. */
    const uint8_t *bytes = blob.data != NULL ? blob.data : (const uint8_t *)"";
    uint64_t start = 0;
    uint64_t size_before = 0;

    if (table->rows == 0 || mprof_column_get(&ends, 0) != 0)
        return MPROF_E_VALUE;
    for (uint64_t i = 1; i < table->rows; i++) {
        const uint64_t end = mprof_column_get(&ends, i);
        const uint64_t size = end - start;
        int order;

        check->row = i;
        if (end < start || end > blob.size)
            return MPROF_E_OFFSET;
        order = memcmp(bytes + start - size_before, bytes + start,
                       mprof_min_u64(size_before, size));
        if (order > 0 || (order == 0 && size_before >= size))
            return MPROF_E_VALUE;
        start = end;
        size_before = size;
    }
    return start == blob.size ? MPROF_E_OK : MPROF_E_OFFSET;
}

static enum mprof_err check_paths(struct check *check)
{
    static const uint32_t order[] = {MPROF_INDEX_PATHS_PARENT,
                                     MPROF_INDEX_PATHS_NAME};
    const struct mprof_column parents =
        column(check, MPROF_INDEX_PATHS, MPROF_INDEX_PATHS_PARENT);

    if (parents.rows > PATHS_MAX)
        return MPROF_E_LIMIT;
    for (uint64_t i = 0; i < parents.rows; i++) {
        check->row = i;
        if (mprof_column_get(&parents, i) > i)
            return MPROF_E_REFERENCE;
    }
    if (!is_below(check, MPROF_INDEX_PATHS, MPROF_INDEX_PATHS_NAME,
                  rows(check, MPROF_INDEX_STRINGS)))
        return MPROF_E_REFERENCE;
    return is_ascending(check, MPROF_INDEX_PATHS, order, 2) ? MPROF_E_OK
                                                            : MPROF_E_VALUE;
}

static enum mprof_err check_functions(struct check *check)
{
    static const uint32_t order[] = {
        MPROF_INDEX_FUNCTIONS_NAME, MPROF_INDEX_FUNCTIONS_GUID,
        MPROF_INDEX_FUNCTIONS_PATH, MPROF_INDEX_FUNCTIONS_LINE};
    const uint32_t section = MPROF_INDEX_FUNCTIONS;

    if (!is_below(check, section, MPROF_INDEX_FUNCTIONS_NAME,
                  rows(check, MPROF_INDEX_STRINGS)) ||
        !is_ref(check, section, MPROF_INDEX_FUNCTIONS_PATH, MPROF_INDEX_PATHS))
        return MPROF_E_REFERENCE;
    if (!is_below(check, section, MPROF_INDEX_FUNCTIONS_LINE,
                  UINT64_C(1) << 32) ||
        !is_ascending(check, section, order, 4))
        return MPROF_E_VALUE;
    return MPROF_E_OK;
}

static enum mprof_err check_entries(struct check *check)
{
    static const uint32_t order[] = {
        MPROF_INDEX_ENTRIES_PLACE,  MPROF_INDEX_ENTRIES_FUNCTION,
        MPROF_INDEX_ENTRIES_COLUMN, MPROF_INDEX_ENTRIES_DISCRIMINATOR,
        MPROF_INDEX_ENTRIES_FLAGS,  MPROF_INDEX_ENTRIES_BINARY,
        MPROF_INDEX_ENTRIES_ADDRESS};
    const uint32_t section = MPROF_INDEX_ENTRIES;
    const struct mprof_column places =
        column(check, section, MPROF_INDEX_ENTRIES_PLACE);

    for (uint64_t i = 0; i < places.rows; i++) {
        check->row = i;
        if (mprof_place_path(mprof_column_get(&places, i)) >
            rows(check, MPROF_INDEX_PATHS))
            return MPROF_E_REFERENCE;
    }
    if (!is_ref(check, section, MPROF_INDEX_ENTRIES_FUNCTION,
                MPROF_INDEX_FUNCTIONS) ||
        !is_ref(check, section, MPROF_INDEX_ENTRIES_BINARY,
                MPROF_INDEX_BINARIES))
        return MPROF_E_REFERENCE;
    if (!is_below(check, section, MPROF_INDEX_ENTRIES_COLUMN,
                  UINT64_C(1) << 32) ||
        !is_below(check, section, MPROF_INDEX_ENTRIES_DISCRIMINATOR,
                  (uint64_t)DISCRIMINATOR_HIGH_MAX + 1) ||
        !is_below(check, section, MPROF_INDEX_ENTRIES_FLAGS, ENTRY_FLAGS + 1) ||
        !is_ascending(check, section, order, MPROF_ARRAY_LEN(order)))
        return MPROF_E_VALUE;
    return MPROF_E_OK;
}

/* Preorder with ascending siblings: the parent of each row is the row before or
 * one of its ancestors, and the child that it follows there is smaller. Each
 * step up leaves a subtree for good, so all steps together are no more than
 * there are rows. */
static enum mprof_err check_nodes(struct check *check)
{
    const struct mprof_column ups =
        column(check, MPROF_INDEX_NODES, MPROF_INDEX_NODES_UP);
    const struct mprof_column entries =
        column(check, MPROF_INDEX_NODES, MPROF_INDEX_NODES_ENTRY);

    if (!is_below(check, MPROF_INDEX_NODES, MPROF_INDEX_NODES_ENTRY,
                  rows(check, MPROF_INDEX_ENTRIES)))
        return MPROF_E_REFERENCE;
    for (uint64_t i = 0; i < ups.rows; i++) {
        const uint64_t up = mprof_column_get(&ups, i);
        const uint64_t parent = up != 0 ? i - up + 1 : 0; /* index + 1 */
        uint64_t at = i;                                  /* index + 1 */
        uint64_t child = 0;

        check->row = i;
        if (up > i)
            return MPROF_E_REFERENCE;
        while (at > parent) {
            const uint64_t step = mprof_column_get(&ups, at - 1);

            child = at;
            at = step != 0 ? at - step : 0;
        }
        if (at != parent)
            return MPROF_E_VALUE;
        if (child != 0 && mprof_column_get(&entries, child - 1) >=
                              mprof_column_get(&entries, i))
            return MPROF_E_VALUE;
    }
    return MPROF_E_OK;
}

/* Is row i of CONTEXTS in its place after row i - 1? */
static bool is_context_order(const struct mprof_column *sizes,
                             const struct mprof_column *counts,
                             const struct mprof_column *nodes, uint64_t i)
{
    const uint64_t size[] = {mprof_column_get(sizes, i - 1),
                             mprof_column_get(sizes, i)};
    const uint64_t count[] = {mprof_column_get(counts, i - 1),
                              mprof_column_get(counts, i)};

    if (size[0] != size[1])
        return size[0] > size[1];
    if (count[0] != count[1])
        return count[0] > count[1];
    return mprof_column_get(nodes, i - 1) < mprof_column_get(nodes, i);
}

static enum mprof_err check_contexts(struct check *check)
{
    const uint32_t section = MPROF_INDEX_CONTEXTS;
    const struct mprof_column nodes =
        column(check, section, MPROF_INDEX_CONTEXTS_NODE);
    const struct mprof_column sizes =
        column(check, section, MPROF_MIB_TAG_TotalSize);
    const struct mprof_column counts =
        column(check, section, MPROF_MIB_TAG_AllocCount);
    uint8_t *is_seen;
    enum mprof_err err = MPROF_E_OK;

    if (!is_ref(check, section, MPROF_INDEX_CONTEXTS_NODE, MPROF_INDEX_NODES))
        return MPROF_E_REFERENCE;
    if (!is_below(check, section, MPROF_INDEX_CONTEXTS_FLAGS,
                  MPROF_CONTEXT_FL_TRUNCATED + 1))
        return MPROF_E_VALUE;
    is_seen = mpdata_vec_array(rows(check, MPROF_INDEX_NODES) + 1, 1);
    if (is_seen == NULL)
        return MPROF_E_NOMEM;
    for (uint64_t i = 0; i < nodes.rows && err == MPROF_E_OK; i++) {
        uint8_t *seen = &is_seen[mprof_column_get(&nodes, i)];

        check->row = i;
        if (*seen)
            err = MPROF_E_DUPLICATE;
        else if (i > 0 && !is_context_order(&sizes, &counts, &nodes, i))
            err = MPROF_E_VALUE;
        *seen = 1;
    }
    free(is_seen);
    return err;
}

/* Cells belong to one histogram each, so no more of them are read than there
 * are. */
static enum mprof_err check_histograms(struct check *check)
{
    static const uint32_t order[] = {MPROF_INDEX_HISTOGRAMS_CONTEXT};
    const uint32_t section = MPROF_INDEX_HISTOGRAMS;
    const struct mprof_column owners =
        column(check, section, MPROF_INDEX_HISTOGRAMS_CONTEXT);
    const struct mprof_column firsts =
        column(check, section, MPROF_INDEX_HISTOGRAMS_FIRST);
    const struct mprof_column sizes =
        column(check, MPROF_INDEX_CONTEXTS, MPROF_MIB_TAG_AccessHistogramSize);
    const uint64_t cells = rows(check, MPROF_INDEX_CELLS);
    uint64_t done = 0;

    if (!is_below(check, section, MPROF_INDEX_HISTOGRAMS_CONTEXT,
                  rows(check, MPROF_INDEX_CONTEXTS)))
        return MPROF_E_REFERENCE;
    if (!is_ascending(check, section, order, 1))
        return MPROF_E_VALUE;
    for (uint64_t i = 0; i < owners.rows; i++) {
        const uint64_t size =
            mprof_column_get(&sizes, mprof_column_get(&owners, i));

        check->row = i;
        if (mprof_column_get(&firsts, i) != done || size > cells - done)
            return MPROF_E_REFERENCE;
        if (size == 0)
            return MPROF_E_VALUE;
        done += size;
    }
    return done == cells ? MPROF_E_OK : MPROF_E_VALUE;
}

static enum mprof_err check_binaries(struct check *check)
{
    static const uint32_t order[] = {MPROF_INDEX_BINARIES_PATH,
                                     MPROF_INDEX_BINARIES_BUILD_ID};
    const uint32_t section = MPROF_INDEX_BINARIES;

    if (!is_ref(check, section, MPROF_INDEX_BINARIES_PATH, MPROF_INDEX_PATHS) ||
        !is_below(check, section, MPROF_INDEX_BINARIES_BUILD_ID,
                  rows(check, MPROF_INDEX_STRINGS)))
        return MPROF_E_REFERENCE;
    return is_ascending(check, section, order, 2) ? MPROF_E_OK : MPROF_E_VALUE;
}

/* Old files have none. */
static enum mprof_err check_totals(struct check *check)
{
    const struct mprof_table *table = &check->tables[MPROF_INDEX_TOTALS];
    const struct mprof_table *contexts = &check->tables[MPROF_INDEX_CONTEXTS];
    struct mpdata_mib_columns columns;
    struct mprof_mib sum = {.AllocCount = 0};

    if (table->data == NULL)
        return MPROF_E_OK;
    if (table->rows != 1)
        return MPROF_E_VALUE;
    mpdata_mib_columns_find(&columns, contexts);
    for (uint64_t i = 0; i < contexts->rows; i++) {
        const struct mprof_mib mib = mpdata_mib_columns_get(&columns, i);

        mprof_mib_merge(&sum, &mib);
    }
    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++) {
        const struct mprof_column total =
            column(check, MPROF_INDEX_TOTALS, mprof_mib_fields[i].tag);

        if (mprof_column_get(&total, 0) != mprof_mib_get(&sum, i))
            return MPROF_E_VALUE;
    }
    return MPROF_E_OK;
}

static enum mprof_err check_runs(struct check *check)
{
    static const uint32_t strings[] = {
        MPROF_INDEX_RUNS_HOST, MPROF_INDEX_RUNS_OPTIONS, MPROF_INDEX_RUNS_TOOL};
    static const uint32_t tags[] = {
#define X(column, member) MPROF_INDEX_RUNS_##column,
        MPDATA_INDEX_RUN_COLUMNS(X)
#undef X
    };
    const uint32_t section = MPROF_INDEX_RUNS;
    uint32_t order[MPROF_ARRAY_LEN(tags)];
    size_t n = 0;

    if (!is_ref(check, section, MPROF_INDEX_RUNS_EXECUTABLE, MPROF_INDEX_PATHS))
        return MPROF_E_REFERENCE;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(strings); i++) {
        if (!is_below(check, section, strings[i],
                      rows(check, MPROF_INDEX_STRINGS)))
            return MPROF_E_REFERENCE;
    }
    for (size_t i = 0; i < MPROF_ARRAY_LEN(tags); i++) {
        if (tags[i] != MPROF_INDEX_RUNS_COUNT)
            order[n++] = tags[i];
    }
    if (!is_below(check, section, MPROF_INDEX_RUNS_KIND, UINT64_C(1) << 32) ||
        !is_ascending(check, section, order, n))
        return MPROF_E_VALUE;
    return MPROF_E_OK;
}

static enum mprof_err check_listed(struct check *check)
{
    static const uint32_t order[] = {MPROF_INDEX_LISTED_CONTEXT};
    const uint32_t section = MPROF_INDEX_LISTED;

    if (!is_below(check, section, MPROF_INDEX_LISTED_CONTEXT,
                  rows(check, MPROF_INDEX_CONTEXTS)))
        return MPROF_E_REFERENCE;
    return is_ascending(check, section, order, 1) ? MPROF_E_OK : MPROF_E_VALUE;
}

enum mprof_err mpdata_sections_check(const struct mprof_table *tables,
                                     struct mprof_diag *diag)
{
    static const struct {
        uint32_t section;
        enum mprof_err (*check)(struct check *check);
    } checks[] = {
        {MPROF_INDEX_STRINGS, check_strings},
        {MPROF_INDEX_PATHS, check_paths},
        {MPROF_INDEX_FUNCTIONS, check_functions},
        {MPROF_INDEX_BINARIES, check_binaries},
        {MPROF_INDEX_ENTRIES, check_entries},
        {MPROF_INDEX_NODES, check_nodes},
        {MPROF_INDEX_CONTEXTS, check_contexts},
        {MPROF_INDEX_HISTOGRAMS, check_histograms},
        {MPROF_INDEX_RUNS, check_runs},
        {MPROF_INDEX_LISTED, check_listed},
        {MPROF_INDEX_TOTALS, check_totals},
    };

    for (size_t i = 0; i < MPROF_ARRAY_LEN(checks); i++) {
        const struct mprof_table *table = &tables[checks[i].section];
        struct check check = {.tables = tables};
        const enum mprof_err err = table->rows > MPDATA_VEC_ROWS_MAX
                                       ? MPROF_E_LIMIT
                                       : checks[i].check(&check);

        if (err != MPROF_E_OK)
            return mpdata_diag_fail(diag, err, table->section, table->file_off,
                                    "row %" PRIu64, check.row);
    }
    return MPROF_E_OK;
}
