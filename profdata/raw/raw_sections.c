/* raw_sections.c -- the tables of a raw dump: opens its sections and checks
 * their columns by the rules of shared/raw_format.h.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/raw/raw_sections.h"
#include "profdata/base/diag.h"
#include "profdata/base/member.h"
#include "profdata/base/vec.h"

#include <inttypes.h>

/* The values that a column may have. */
static const struct {
    uint32_t section;
    uint32_t tag;
    const char *name;
    uint32_t target; /* section of the rows it refers to; 0: it is a number */
    uint64_t below;  /* bound, plus the target's rows; a number with 0: none */
} rules[MPDATA_RAW_COLUMNS] = {
#define REF(of) MPROF_RAW_##of, 1
#define ROW(of) MPROF_RAW_##of, 0
#define U2(of) 0, UINT64_C(1) << 2
#define U4(of) 0, UINT64_C(1) << 4
#define U32(of) 0, UINT64_C(1) << 32
#define U64(of) 0, 0
#define X(section, tag, name, rule, of, help) \
    {MPROF_RAW_##section, tag, #name, rule(of)},
    MPROF_RAW_COLUMNS(X)
#undef X
};

/* X(section, COLUMN, struct, member): columns that a struct stores unchanged.
 */
#define MEMBERS(X)                                      \
    X(MODULES, BIAS, mpdata_raw_module, bias)           \
    X(MODULES, FLAGS, mpdata_raw_module, flags)         \
    X(SEGMENTS, MODULE, mpdata_raw_segment, module)     \
    X(SEGMENTS, START, mpdata_raw_segment, start)       \
    X(SEGMENTS, END, mpdata_raw_segment, end)           \
    X(SEGMENTS, FILE_OFF, mpdata_raw_segment, file_off) \
    X(FRAMES, MODULE, mpdata_raw_frame, module)         \
    X(FRAMES, ADDRESS, mpdata_raw_frame, address)       \
    X(NODES, FRAME, mpdata_raw_node, frame)             \
    X(CONTEXTS, NODE, mpdata_raw_context, node)         \
    X(CONTEXTS, FLAGS, mpdata_raw_context, flags)       \
    X(CONTEXTS, THREAD, mpdata_raw_context, thread)     \
    X(TAGGED, NODE, mpdata_raw_tagged, node)            \
    X(TAGGED, FLAGS, mpdata_raw_tagged, flags)          \
    X(TAGGED, KIND, mpdata_raw_tagged, kind)            \
    X(TAGGED, NAME, mpdata_raw_tagged, name)            \
    X(SERIES, NS, mpdata_sample, ns)                    \
    X(SERIES, BYTES, mpdata_sample, bytes)              \
    X(SERIES, MOST, mpdata_sample, most)                \
    X(SERIES, BLOCKS, mpdata_sample, blocks)            \
    X(SERIES, RSS, mpdata_sample, rss)                  \
    X(SERIES, MAPPED, mpdata_sample, mapped)            \
    X(MARKS, NS, mpdata_mark, ns)                       \
    X(MARKS, KIND, mpdata_mark, kind)                   \
    X(MARKS, NAME, mpdata_mark, name)                   \
    X(MARKS, BYTES, mpdata_mark, bytes)

static const struct mpdata_member members[MPDATA_RAW_COLUMNS] = {
#define X(section, column, type, member) \
    [MPDATA_RAW_COLUMN_##section##_##column] = MPDATA_MEMBER(type, member),
    MEMBERS(X)
#undef X
};

enum mprof_err mpdata_raw_sections_fail(struct mpdata_raw_reader *r,
                                        enum mprof_err err, int column,
                                        uint64_t row)
{
    const uint32_t id = rules[column].section;

    return mpdata_diag_fail(
        r->diag, err, mprof_raw_section_name(id), r->sections[id].file_off,
        "row %" PRIu64 ", column %s: %" PRIu64, row, rules[column].name,
        mprof_column_get(&r->columns[column], row));
}

enum mprof_err mpdata_raw_sections_count(struct mpdata_raw_reader *r,
                                         uint32_t id, uint64_t max,
                                         enum mprof_err err)
{
    const uint64_t rows = r->tables[id].rows;

    return rows <= max
               ? MPROF_E_OK
               : mpdata_diag_fail(r->diag, err, mprof_raw_section_name(id),
                                  r->sections[id].file_off, "%" PRIu64 " rows",
                                  rows);
}

enum mprof_err mpdata_raw_sections_no_memory(struct mpdata_raw_reader *r,
                                             uint32_t id)
{
    return mprof_err_fail(r->diag, MPROF_E_NOMEM, mprof_raw_section_name(id),
                          r->sections[id].file_off);
}

static enum mprof_err open_section(struct mpdata_raw_reader *r, uint32_t id,
                                   bool required)
{
    const struct mprof_section *place = mprof_dir_find(&r->dir, id);
    const char *name = mprof_raw_section_name(id);

    if (place == NULL)
        return required ? mprof_err_fail(r->diag, MPROF_E_MISSING, name,
                                         MPROF_DIAG_NO_OFFSET)
                        : MPROF_E_OK;
    enum mprof_err err = mpdata_section_open(&r->sections[id], r->data, r->size,
                                             place, name, r->verify, r->diag);
    if (err == MPROF_E_OK)
        err = mpdata_section_table(&r->sections[id], &r->tables[id], r->diag);
    if (err == MPROF_E_OK && r->tables[id].rows > MPDATA_VEC_ROWS_MAX)
        err = mpdata_diag_fail(r->diag, MPROF_E_VALUE, name, place->offset,
                               "more rows (%" PRIu64 ") than it can hold",
                               r->tables[id].rows);
    return err;
}

static void find_columns(struct mpdata_raw_reader *r)
{
    for (int i = 0; i < MPDATA_RAW_COLUMNS; i++)
        r->columns[i] =
            mprof_table_column(&r->tables[rules[i].section], rules[i].tag);
}

enum mprof_err mpdata_raw_sections_open(struct mpdata_raw_reader *r)
{
    enum mprof_err err = mprof_dir_read(
        &r->dir, r->data, r->size, 0, MPROF_RAW_MAGIC, MPROF_RAW_VERSION_MIN,
        MPROF_RAW_VERSION_FIELDS, r->verify, "raw directory", r->diag);

#define X(id, name, required, help) \
    if (err == MPROF_E_OK)          \
        err = open_section(r, id, required);
    MPROF_RAW_SECTIONS(X)
#undef X
    if (err == MPROF_E_OK)
        find_columns(r);
    return err;
}

uint64_t mpdata_raw_sections_strings(const struct mpdata_raw_reader *r)
{
    return mprof_max_u64(r->tables[MPROF_RAW_STRINGS].rows, 1);
}

static enum mprof_err check_column(struct mpdata_raw_reader *r, int column)
{
    const struct mprof_column *const c = &r->columns[column];
    const uint32_t target = rules[column].target;
    /* A column without bytes has one value. */
    const uint64_t rows = c->width != 0 ? c->rows : mprof_min_u64(c->rows, 1);
    const uint64_t below =
        rules[column].below + (target == MPROF_RAW_STRINGS
                                   ? mpdata_raw_sections_strings(r)
                               : target != 0 ? r->tables[target].rows
                                             : 0);

    if (target == 0 && below == 0)
        return MPROF_E_OK;
    for (uint64_t row = 0; row < rows; row++) {
        if (mprof_column_get(c, row) >= below)
            return mpdata_raw_sections_fail(
                r, target != 0 ? MPROF_E_REFERENCE : MPROF_E_VALUE, column,
                row);
    }
    return MPROF_E_OK;
}

enum mprof_err mpdata_raw_sections_check(struct mpdata_raw_reader *r)
{
    enum mprof_err err = MPROF_E_OK;

    for (int i = 0; i < MPDATA_RAW_COLUMNS && err == MPROF_E_OK; i++)
        err = check_column(r, i);
    return err;
}

void *mpdata_raw_sections_rows(struct mpdata_raw_reader *r, uint32_t id,
                               size_t row_bytes, uint32_t *count)
{
    const uint64_t rows = r->tables[id].rows;
    uint8_t *const array = mpdata_raw_array(rows, row_bytes);

    for (int i = 0; i < MPDATA_RAW_COLUMNS && array != NULL; i++) {
        uint8_t *to = array;

        if (rules[i].section != id || members[i].bytes == 0)
            continue;
        for (uint64_t row = 0; row < rows; row++, to += row_bytes)
            mpdata_member_set(members[i], to,
                              mprof_column_get(&r->columns[i], row));
    }
    if (array != NULL)
        *count = (uint32_t)rows;
    return array;
}
