/* sections_check.c -- the rules of our sections.
 *
 * A check_ function holds the rows of a range against what a row by itself, or
 * together with the one before it, has to keep; a check_all_ function the whole
 * table against the rest. Both leave the number of the row that they refuse in
 * check->row.
 *
 * What a row refers to is in a table that is open, as far as row counts go.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/index/sections_check.h"
#include "profdata/base/diag.h"
#include "profdata/base/vec.h"
#include "profdata/model/mib_columns.h"
#include "profdata/model/profile.h"
#include "profdata/model/run_columns.h"
#include "profdata/model/series.h"
#include "shared/detail.h"
#include "shared/part_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* No section has more than all of them. */
enum {
#define X(section, tag, name, unit, help) +1
    COLUMNS_MAX = 0 MPROF_INDEX_COLUMNS(X)
#undef X
};
#define DISCRIMINATOR_HIGH_MAX (UINT32_MAX >> MPROF_PLACE_DISCRIMINATOR_BITS)
#define ENTRY_FLAGS (MPROF_ENTRY_FL_INLINE | MPROF_ENTRY_FL_NO_LINES)
#define BINARY_FLAGS \
    (MPROF_BINARY_FL_INSTRUMENTED | MPROF_BINARY_FL_NOT_INSTRUMENTED)
#define PATHS_MAX ((UINT32_C(1) << MPROF_PLACE_PATH_BITS) - 1)

struct check {
    const struct mprof_table *tables; /* by section id */
    uint64_t first;                   /* rows from here */
    uint64_t end;                     /* up to here */
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

/* Do all rows of the range lie below limit? */
static bool is_below(struct check *check, uint32_t section, uint32_t tag,
                     uint64_t limit)
{
    const struct mprof_column c = column(check, section, tag);

    for (uint64_t i = check->first; i < check->end; i++) {
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
    for (uint64_t row = mprof_max_u64(1, check->first); row < check->end;
         row++) {
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
    const struct mprof_column ends =
        column(check, MPROF_INDEX_STRINGS, MPROF_INDEX_STRINGS_END);
    const struct mprof_blob blob = mprof_table_blob(
        &check->tables[MPROF_INDEX_STRINGS], MPROF_INDEX_STRINGS_BYTES);

    for (uint64_t i = check->first; i < check->end; i++) {
        const uint64_t end = mprof_column_get(&ends, i);

        check->row = i;
        if (i == 0 && end != 0)
            return MPROF_E_VALUE;
        if (i > 0 && (end < mprof_column_get(&ends, i - 1) || end > blob.size))
            return MPROF_E_OFFSET;
    }
    return MPROF_E_OK;
}

/* The first is empty, each is greater than the one before, and there are no
 * bytes behind the last. */
static enum mprof_err check_all_strings(struct check *check)
{
    const struct mprof_column ends =
        column(check, MPROF_INDEX_STRINGS, MPROF_INDEX_STRINGS_END);
    const struct mprof_blob blob = mprof_table_blob(
        &check->tables[MPROF_INDEX_STRINGS], MPROF_INDEX_STRINGS_BYTES);
    /* Without a blob only the empty string is possible. */
    const uint8_t *bytes = blob.data != NULL ? blob.data : (const uint8_t *)"";
    uint64_t start = 0;
    uint64_t size_before = 0;

    if (ends.rows == 0)
        return MPROF_E_VALUE;
    for (uint64_t i = 1; i < ends.rows; i++) {
        const uint64_t end = mprof_column_get(&ends, i);
        const uint64_t size = end - start;
        const int order = memcmp(bytes + start - size_before, bytes + start,
                                 mprof_min_u64(size_before, size));

        check->row = i;
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
    for (uint64_t i = check->first; i < check->end; i++) {
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

static enum mprof_err check_frames(struct check *check)
{
    static const uint32_t order[] = {
        MPROF_INDEX_ENTRIES_PLACE,  MPROF_INDEX_ENTRIES_FUNCTION,
        MPROF_INDEX_ENTRIES_COLUMN, MPROF_INDEX_ENTRIES_DISCRIMINATOR,
        MPROF_INDEX_ENTRIES_FLAGS,  MPROF_INDEX_ENTRIES_BINARY,
        MPROF_INDEX_ENTRIES_ADDRESS};
    const uint32_t section = MPROF_INDEX_ENTRIES;
    const struct mprof_column places =
        column(check, section, MPROF_INDEX_ENTRIES_PLACE);

    for (uint64_t i = check->first; i < check->end; i++) {
        check->row = i;
        if (mprof_place_path(mprof_column_get(&places, i)) >
            rows(check, MPROF_INDEX_PATHS))
            return MPROF_E_REFERENCE;
    }
    if (!is_below(check, section, MPROF_INDEX_ENTRIES_TYPE,
                  rows(check, MPROF_INDEX_STRINGS)) ||
        !is_below(check, section, MPROF_INDEX_ENTRIES_TYPE_FIELDS,
                  rows(check, MPROF_INDEX_STRINGS)) ||
        !is_ref(check, section, MPROF_INDEX_ENTRIES_FUNCTION,
                MPROF_INDEX_FUNCTIONS) ||
        !is_ref(check, section, MPROF_INDEX_ENTRIES_BINARY,
                MPROF_INDEX_BINARIES))
        return MPROF_E_REFERENCE;
    if (!is_below(check, section, MPROF_INDEX_ENTRIES_COLUMN,
                  UINT64_C(1) << 32) ||
        !is_below(check, section, MPROF_INDEX_ENTRIES_TYPE_BYTES,
                  UINT64_C(1) << 32) ||
        !is_below(check, section, MPROF_INDEX_ENTRIES_DISCRIMINATOR,
                  (uint64_t)DISCRIMINATOR_HIGH_MAX + 1) ||
        !is_below(check, section, MPROF_INDEX_ENTRIES_FLAGS, ENTRY_FLAGS + 1) ||
        !is_ascending(check, section, order, MPROF_ARRAY_LEN(order)))
        return MPROF_E_VALUE;
    return MPROF_E_OK;
}

static enum mprof_err check_nodes(struct check *check)
{
    const struct mprof_column ups =
        column(check, MPROF_INDEX_NODES, MPROF_INDEX_NODES_UP);

    if (!is_below(check, MPROF_INDEX_NODES, MPROF_INDEX_NODES_ENTRY,
                  rows(check, MPROF_INDEX_ENTRIES)))
        return MPROF_E_REFERENCE;
    for (uint64_t i = check->first; i < check->end; i++) {
        check->row = i;
        if (mprof_column_get(&ups, i) > i)
            return MPROF_E_REFERENCE;
    }
    return MPROF_E_OK;
}

/* Preorder with ascending siblings: the parent of each row is the row before or
 * one of its ancestors, and the child that it follows there is smaller. Each
 * step up leaves a subtree for good, so all steps together are no more than
 * there are rows. */
static enum mprof_err check_all_nodes(struct check *check)
{
    const struct mprof_column ups =
        column(check, MPROF_INDEX_NODES, MPROF_INDEX_NODES_UP);
    const struct mprof_column frames =
        column(check, MPROF_INDEX_NODES, MPROF_INDEX_NODES_ENTRY);

    for (uint64_t i = 0; i < ups.rows; i++) {
        const uint64_t up = mprof_column_get(&ups, i);
        const uint64_t parent = up != 0 ? i - up + 1 : 0; /* index + 1 */
        uint64_t at = i;                                  /* index + 1 */
        uint64_t child = 0;

        check->row = i;
        while (at > parent) {
            const uint64_t step = mprof_column_get(&ups, at - 1);

            child = at;
            at = step != 0 ? at - step : 0;
        }
        if (at != parent)
            return MPROF_E_VALUE;
        if (child != 0 && mprof_column_get(&frames, child - 1) >=
                              mprof_column_get(&frames, i))
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

    if (!is_ref(check, section, MPROF_INDEX_CONTEXTS_NODE, MPROF_INDEX_NODES))
        return MPROF_E_REFERENCE;
    if (!is_below(check, section, MPROF_INDEX_CONTEXTS_FLAGS,
                  MPROF_CONTEXT_FL_TRUNCATED + 1) ||
        !is_below(check, section, MPROF_INDEX_CONTEXTS_UNSEEN,
                  (MPROF_CONTEXT_UNSEEN_MASK >> MPROF_CONTEXT_UNSEEN_SHIFT) +
                      1))
        return MPROF_E_VALUE;
    for (uint64_t i = mprof_max_u64(1, check->first); i < check->end; i++) {
        check->row = i;
        if (mprof_column_get(&nodes, i) == mprof_column_get(&nodes, i - 1))
            return MPROF_E_DUPLICATE;
        if (!is_context_order(&sizes, &counts, &nodes, i))
            return MPROF_E_VALUE;
    }
    return MPROF_E_OK;
}

/* Of each node, by its number + 1; NULL without memory. */
static uint32_t *measure_depths(const struct check *check)
{
    const struct mprof_column ups =
        column(check, MPROF_INDEX_NODES, MPROF_INDEX_NODES_UP);
    uint32_t *const depths = mpdata_vec_array(ups.rows + 1, sizeof(*depths));

    for (uint64_t i = 0; depths != NULL && i < ups.rows; i++) {
        const uint64_t up = mprof_column_get(&ups, i);

        depths[i + 1] = up != 0 ? depths[i - up + 1] + 1 : 1;
    }
    return depths;
}

/* Of a later version there may be any number. */
static bool is_stack_kind(uint64_t kind)
{
    return kind < MPROF_DETAIL_KINDS_END &&
           mprof_detail_is_stack((uint32_t)kind);
}

/* Have the rows' call stacks no more frames than such a file may? Those of
 * kinds, where there are kinds, that have one. */
static enum mprof_err check_depths(struct check *check, uint32_t section,
                                   uint32_t tag,
                                   const struct mprof_column *kinds)
{
    const struct mprof_table *const tables = check->tables;
    const struct mprof_column nodes = column(check, section, tag);
    const uint64_t max = mpdata_sections_frames_max(
        tables[MPROF_INDEX_NODES].rows, tables[MPROF_INDEX_NODES].size,
        tables[section].rows, tables[section].size);
    uint32_t *const depths = measure_depths(check);
    uint64_t frames = 0;

    if (depths == NULL)
        return MPROF_E_NOMEM;
    for (uint64_t i = 0; i < nodes.rows && frames <= max; i++) {
        check->row = i;
        if (kinds == NULL || is_stack_kind(mprof_column_get(kinds, i)))
            frames += depths[mprof_column_get(&nodes, i)];
    }
    free(depths);
    return frames <= max ? MPROF_E_OK : MPROF_E_VALUE;
}

/* No call stack is there twice. */
static enum mprof_err check_all_contexts(struct check *check)
{
    const struct mprof_column nodes =
        column(check, MPROF_INDEX_CONTEXTS, MPROF_INDEX_CONTEXTS_NODE);
    uint8_t *is_seen = mpdata_vec_array(rows(check, MPROF_INDEX_NODES) + 1, 1);
    enum mprof_err err = MPROF_E_OK;

    if (is_seen == NULL)
        return MPROF_E_NOMEM;
    for (uint64_t i = 0; i < nodes.rows && err == MPROF_E_OK; i++) {
        uint8_t *seen = &is_seen[mprof_column_get(&nodes, i)];

        check->row = i;
        if (*seen)
            err = MPROF_E_DUPLICATE;
        *seen = 1;
    }
    free(is_seen);
    return err == MPROF_E_OK ? check_depths(check, MPROF_INDEX_CONTEXTS,
                                            MPROF_INDEX_CONTEXTS_NODE, NULL)
                             : err;
}

/* Each histogram's cells start where the last one's end, which may be none. */
static enum mprof_err check_histograms(struct check *check)
{
    static const uint32_t order[] = {MPROF_INDEX_HISTOGRAMS_CONTEXT};
    const uint32_t section = MPROF_INDEX_HISTOGRAMS;
    const struct mprof_column firsts =
        column(check, section, MPROF_INDEX_HISTOGRAMS_FIRST);

    if (!is_below(check, section, MPROF_INDEX_HISTOGRAMS_CONTEXT,
                  rows(check, MPROF_INDEX_CONTEXTS)) ||
        !is_below(check, section, MPROF_INDEX_HISTOGRAMS_FIRST,
                  rows(check, MPROF_INDEX_CELLS) + 1))
        return MPROF_E_REFERENCE;
    for (uint64_t i = mprof_max_u64(1, check->first); i < check->end; i++) {
        check->row = i;
        if (mprof_column_get(&firsts, i) < mprof_column_get(&firsts, i - 1))
            return MPROF_E_REFERENCE;
    }
    return is_ascending(check, section, order, 1) ? MPROF_E_OK : MPROF_E_VALUE;
}

/* Do the cells of rows [first, end) lie in a histogram of that size? */
static bool is_held(const struct mprof_column *skips, uint64_t first,
                    uint64_t end, uint64_t size)
{
    uint64_t cell = 0;

    for (uint64_t i = first; i < end; i++) {
        const uint64_t skip = mprof_column_get(skips, i);

        if (skip >= size - cell)
            return false;
        cell += skip + 1;
    }
    return true;
}

/* All cells belong to a histogram, and lie in it. */
static enum mprof_err check_all_histograms(struct check *check)
{
    const uint32_t section = MPROF_INDEX_HISTOGRAMS;
    const struct mprof_column owners =
        column(check, section, MPROF_INDEX_HISTOGRAMS_CONTEXT);
    const struct mprof_column firsts =
        column(check, section, MPROF_INDEX_HISTOGRAMS_FIRST);
    const struct mprof_column skips =
        column(check, MPROF_INDEX_CELLS, MPROF_INDEX_CELLS_SKIP);
    const struct mprof_column sizes =
        column(check, MPROF_INDEX_CONTEXTS, MPROF_MIB_TAG_AccessHistogramSize);
    const uint64_t cells = rows(check, MPROF_INDEX_CELLS);

    check->row = 0;
    if ((firsts.rows != 0 ? mprof_column_get(&firsts, 0) : cells) != 0)
        return MPROF_E_REFERENCE;
    for (uint64_t i = 0; i < firsts.rows; i++) {
        const uint64_t size =
            mprof_column_get(&sizes, mprof_column_get(&owners, i));
        const uint64_t end =
            i + 1 < firsts.rows ? mprof_column_get(&firsts, i + 1) : cells;

        check->row = i;
        if (size == 0)
            return MPROF_E_VALUE;
        if (!is_held(&skips, mprof_column_get(&firsts, i), end, size))
            return MPROF_E_REFERENCE;
    }
    return MPROF_E_OK;
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
    if (!is_below(check, section, MPROF_INDEX_BINARIES_FLAGS, BINARY_FLAGS + 1))
        return MPROF_E_VALUE;
    return is_ascending(check, section, order, 2) ? MPROF_E_OK : MPROF_E_VALUE;
}

/* Old files have none: the sum of all contexts. */
static enum mprof_err check_all_totals(struct check *check)
{
    const struct mprof_table *table = &check->tables[MPROF_INDEX_TOTALS];
    const struct mprof_table *contexts = &check->tables[MPROF_INDEX_CONTEXTS];
    struct mpdata_mib_columns columns;
    struct mprof_mib sum;

    if (table->data == NULL)
        return MPROF_E_OK;
    if (table->rows != 1)
        return MPROF_E_VALUE;
    mpdata_mib_columns_find(&columns, contexts);
    sum = mpdata_mib_columns_sum(&columns, contexts->rows);
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
#define X(column, member) MPROF_INDEX_RUNS_##column,
    static const uint32_t strings[] = {MPDATA_INDEX_RUN_STRINGS(X)};
    static const uint32_t tags[] = {MPDATA_INDEX_RUN_COLUMNS(X)};
#undef X
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
        !is_below(check, section, MPROF_INDEX_RUNS_EPOCH, UINT64_C(1) << 32) ||
        !is_below(check, section, MPROF_INDEX_RUNS_DUMP, UINT64_C(1) << 32) ||
        !is_below(check, section, MPROF_INDEX_RUNS_LIVE, 2) ||
        !is_below(check, section, MPROF_INDEX_RUNS_OTHER_MALLOC, 2) ||
        !is_below(check, section, MPROF_INDEX_RUNS_MIDDLE, 2) ||
        !is_ascending(check, section, order, n))
        return MPROF_E_VALUE;
    return MPROF_E_OK;
}

static enum mprof_err check_parts(struct check *check)
{
    static const uint32_t order[] = {
        MPROF_INDEX_PARTS_KIND, MPROF_INDEX_PARTS_NAME, MPROF_INDEX_PARTS_NODE};
    const uint32_t section = MPROF_INDEX_PARTS;
    const struct mprof_column kinds =
        column(check, section, MPROF_INDEX_PARTS_KIND);
    const struct mprof_column nodes =
        column(check, section, MPROF_INDEX_PARTS_NODE);

    if (!is_ref(check, section, MPROF_INDEX_PARTS_NODE, MPROF_INDEX_NODES) ||
        !is_below(check, section, MPROF_INDEX_PARTS_NAME,
                  rows(check, MPROF_INDEX_STRINGS)))
        return MPROF_E_REFERENCE;
    for (uint64_t i = check->first; i < check->end; i++) {
        check->row = i;
        if (!mprof_part_is_valid(mprof_column_get(&kinds, i),
                                 mprof_column_get(&nodes, i)))
            return MPROF_E_VALUE;
    }
    if (!is_below(check, section, MPROF_INDEX_PARTS_FLAGS,
                  MPROF_CONTEXT_FL_TRUNCATED + 1) ||
        !is_ascending(check, section, order, MPROF_ARRAY_LEN(order)))
        return MPROF_E_VALUE;
    return MPROF_E_OK;
}

static enum mprof_err check_all_parts(struct check *check)
{
    return check_depths(check, MPROF_INDEX_PARTS, MPROF_INDEX_PARTS_NODE, NULL);
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

/* How many keys there may be. */
static uint64_t detail_keys(const struct check *check, uint32_t kind)
{
    return mprof_detail_is_stack(kind)    ? rows(check, MPROF_INDEX_NODES) + 1
           : mprof_detail_is_bucket(kind) ? MPROF_DETAIL_BUCKETS
                                          : UINT64_C(1) << 32;
}

static enum mprof_err check_details(struct check *check)
{
    static const uint32_t order[] = {MPROF_INDEX_DETAILS_NODE,
                                     MPROF_INDEX_DETAILS_KIND,
                                     MPROF_INDEX_DETAILS_KEY};
    const uint32_t section = MPROF_INDEX_DETAILS;
    const struct mprof_column kinds =
        column(check, section, MPROF_INDEX_DETAILS_KIND);
    const struct mprof_column keys =
        column(check, section, MPROF_INDEX_DETAILS_KEY);

    if (!is_ref(check, section, MPROF_INDEX_DETAILS_NODE, MPROF_INDEX_NODES))
        return MPROF_E_REFERENCE;
    for (uint64_t i = check->first; i < check->end; i++) {
        const uint64_t kind = mprof_column_get(&kinds, i);
        const uint64_t key = mprof_column_get(&keys, i);

        check->row = i;
        if (kind >= MPROF_DETAIL_KINDS_END)
            continue; /* of a later version: left out */
        if (kind == 0 || key >= detail_keys(check, (uint32_t)kind))
            return MPROF_E_REFERENCE;
    }
    return is_ascending(check, section, order, 3) ? MPROF_E_OK : MPROF_E_VALUE;
}

static enum mprof_err check_all_details(struct check *check)
{
    const struct mprof_column kinds =
        column(check, MPROF_INDEX_DETAILS, MPROF_INDEX_DETAILS_KIND);

    return check_depths(check, MPROF_INDEX_DETAILS, MPROF_INDEX_DETAILS_KEY,
                        &kinds);
}

static enum mprof_err check_marks(struct check *check)
{
    return is_below(check, MPROF_INDEX_MARKS, MPROF_INDEX_MARKS_NAME,
                    rows(check, MPROF_INDEX_STRINGS)) &&
                   is_below(check, MPROF_INDEX_MARKS, MPROF_INDEX_MARKS_KIND,
                            UINT64_C(1) << 32)
               ? MPROF_E_OK
               : MPROF_E_REFERENCE;
}

static bool is_rising(const struct mprof_column *times, uint64_t first,
                      uint64_t end)
{
    for (uint64_t i = first + 1; i < end; i++) {
        if (mprof_column_get(times, i) <= mprof_column_get(times, i - 1))
            return false;
    }
    return true;
}

/* All rows: they are few. Those of SAMPLES and MARKS are decoded. */
static enum mprof_err check_series(struct check *check)
{
    static const uint32_t order[] = {MPROF_INDEX_SERIES_RUN_ID};
    const struct mprof_column samples =
        column(check, MPROF_INDEX_SERIES, MPROF_INDEX_SERIES_SAMPLES);
    const struct mprof_column marks =
        column(check, MPROF_INDEX_SERIES, MPROF_INDEX_SERIES_MARKS);
    const struct mprof_column times =
        column(check, MPROF_INDEX_SAMPLES, MPROF_INDEX_SAMPLES_NS);
    const uint64_t all_marks = rows(check, MPROF_INDEX_MARKS);
    const uint64_t all_samples = rows(check, MPROF_INDEX_SAMPLES);
    uint64_t at = 0;
    uint64_t mark = 0;

    if (samples.rows > MPDATA_SERIES_MAX ||
        !is_ascending(check, MPROF_INDEX_SERIES, order, 1))
        return MPROF_E_VALUE;
    for (uint64_t i = 0; i < samples.rows; i++) {
        const uint64_t count = mprof_column_get(&samples, i);
        const uint64_t mark_count = mprof_column_get(&marks, i);

        check->row = i;
        if (count > MPDATA_SERIES_SAMPLES_MAX || count > all_samples - at ||
            mark_count > MPDATA_SERIES_MARKS_MAX ||
            mark_count > all_marks - mark || !is_rising(&times, at, at + count))
            return MPROF_E_VALUE;
        at += count;
        mark += mark_count;
    }
    return at == all_samples && mark == all_marks ? MPROF_E_OK : MPROF_E_VALUE;
}

/* -- which rules a section has --------------------------------------------- */

typedef enum mprof_err check_fn(struct check *check);

/* In the order in which all is checked: what refers comes after what it refers
 * to. */
static const struct {
    uint32_t id;
    check_fn *check;     /* a range of rows; NULL: anything goes */
    check_fn *check_all; /* NULL: nothing more */
    uint32_t targets[4]; /* sections that it refers to; 0: no more */
} rules[] = {
    {MPROF_INDEX_STRINGS, check_strings, check_all_strings, {0}},
    {MPROF_INDEX_PATHS, check_paths, NULL, {MPROF_INDEX_STRINGS}},
    {MPROF_INDEX_FUNCTIONS,
     check_functions,
     NULL,
     {MPROF_INDEX_STRINGS, MPROF_INDEX_PATHS}},
    {MPROF_INDEX_BINARIES,
     check_binaries,
     NULL,
     {MPROF_INDEX_STRINGS, MPROF_INDEX_PATHS}},
    {MPROF_INDEX_ENTRIES,
     check_frames,
     NULL,
     {MPROF_INDEX_STRINGS, MPROF_INDEX_PATHS, MPROF_INDEX_FUNCTIONS,
      MPROF_INDEX_BINARIES}},
    {MPROF_INDEX_NODES, check_nodes, check_all_nodes, {MPROF_INDEX_ENTRIES}},
    {MPROF_INDEX_CONTEXTS,
     check_contexts,
     check_all_contexts,
     {MPROF_INDEX_NODES}},
    {MPROF_INDEX_CELLS, NULL, NULL, {0}},
    {MPROF_INDEX_HISTOGRAMS,
     check_histograms,
     check_all_histograms,
     {MPROF_INDEX_CONTEXTS, MPROF_INDEX_CELLS}},
    {MPROF_INDEX_RUNS,
     check_runs,
     NULL,
     {MPROF_INDEX_STRINGS, MPROF_INDEX_PATHS}},
    {MPROF_INDEX_LISTED, check_listed, NULL, {MPROF_INDEX_CONTEXTS}},
    {MPROF_INDEX_DETAILS,
     check_details,
     check_all_details,
     {MPROF_INDEX_NODES}},
    {MPROF_INDEX_SAMPLES, NULL, NULL, {0}},
    {MPROF_INDEX_MARKS, check_marks, NULL, {MPROF_INDEX_STRINGS}},
    {MPROF_INDEX_SERIES,
     check_series,
     NULL,
     {MPROF_INDEX_SAMPLES, MPROF_INDEX_MARKS}},
    {MPROF_INDEX_TOTALS, NULL, check_all_totals, {MPROF_INDEX_CONTEXTS}},
    {MPROF_INDEX_PARTS,
     check_parts,
     check_all_parts,
     {MPROF_INDEX_STRINGS, MPROF_INDEX_NODES}},
};

static enum mprof_err run_check(const struct mpdata_sections *s, uint32_t id,
                                check_fn *function, uint64_t first,
                                uint64_t end, struct mprof_diag *diag)
{
    const struct mprof_table *table = &s->tables[id];
    struct check check = {.tables = s->tables, .first = first, .end = end};
    const enum mprof_err err = function != NULL ? function(&check) : MPROF_E_OK;

    return err == MPROF_E_OK
               ? err
               : mpdata_diag_fail(diag, err, table->section, table->file_off,
                                  "row %" PRIu64, check.row);
}

enum mprof_err mpdata_sections_check(struct mpdata_sections *s,
                                     struct mprof_diag *diag)
{
    enum mprof_err err = MPROF_E_OK;

    for (size_t i = 0; i < MPROF_ARRAY_LEN(rules) && err == MPROF_E_OK; i++) {
        err = mpdata_sections_open(s, rules[i].id, diag);
        if (err == MPROF_E_OK)
            err = mpdata_sections_need_all(s, rules[i].id, diag);
    }
    for (size_t i = 0; i < MPROF_ARRAY_LEN(rules) && err == MPROF_E_OK; i++) {
        const uint32_t id = rules[i].id;
        const uint64_t end = s->tables[id].rows;

        err = run_check(s, id, rules[i].check, 0, end, diag);
        if (err == MPROF_E_OK)
            err = run_check(s, id, rules[i].check_all, 0, end, diag);
    }
    return err;
}

/* Opens a section and what it refers to; its row of the table in *rule. */
static enum mprof_err open_all(struct mpdata_sections *s, uint32_t id,
                               size_t *rule, struct mprof_diag *diag)
{
    enum mprof_err err = mpdata_sections_open(s, id, diag);

    *rule = 0;
    while (rules[*rule].id != id)
        (*rule)++;
    for (size_t k = 0; k < MPROF_ARRAY_LEN(rules->targets); k++) {
        if (err == MPROF_E_OK && rules[*rule].targets[k] != 0)
            err = mpdata_sections_open(s, rules[*rule].targets[k], diag);
    }
    return err;
}

enum mprof_err mpdata_sections_check_row(struct mpdata_sections *s, uint32_t id,
                                         uint64_t row, struct mprof_diag *diag)
{
    size_t rule;
    enum mprof_err err = open_all(s, id, &rule, diag);

    if (err == MPROF_E_OK && row >= s->tables[id].rows)
        err = mpdata_diag_fail(diag, MPROF_E_REFERENCE, s->tables[id].section,
                               s->tables[id].file_off, "no row %" PRIu64, row);
    if (err == MPROF_E_OK)
        err = mpdata_sections_need_row(s, id, row, diag);
    return err == MPROF_E_OK
               ? run_check(s, id, rules[rule].check, row, row + 1, diag)
               : err;
}

enum mprof_err mpdata_sections_check_rows(struct mpdata_sections *s,
                                          uint32_t id, struct mprof_diag *diag)
{
    size_t rule;
    enum mprof_err err = open_all(s, id, &rule, diag);

    if (err == MPROF_E_OK)
        err = mpdata_sections_need_all(s, id, diag);
    return err == MPROF_E_OK ? run_check(s, id, rules[rule].check, 0,
                                         s->tables[id].rows, diag)
                             : err;
}
