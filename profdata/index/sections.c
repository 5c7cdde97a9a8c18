/* sections.c -- our sections of an indexed file, opened one by one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/index/sections.h"
#include "profdata/base/vec.h"

/* More than any of our tables shrinks to; a section that claims more is
 * damaged. */
#define DECODED_RATIO_MAX 8192u
#define DECODED_BYTES_MIN 4096u

void mpdata_sections_init(struct mpdata_sections *s,
                          const struct mpdata_index_file *file)
{
    *s = (struct mpdata_sections){.file = file};
    for (uint32_t id = 0; id < MPDATA_SECTIONS_END; id++)
        s->tables[id].section = mprof_index_section_name(id);
}

void mpdata_sections_fini(struct mpdata_sections *s)
{
    for (uint32_t id = 0; id < MPDATA_SECTIONS_END; id++)
        mpdata_lazy_close(&s->lazy[id]);
}

/* Can what the section claims to decode to come of what it stores? */
static bool is_claim(const struct mprof_section *place)
{
    return place->decoded_bytes <= DECODED_BYTES_MIN ||
           place->decoded_bytes / DECODED_RATIO_MAX <= place->stored_bytes;
}

static bool is_required(uint32_t id)
{
    switch (id) {
#define X(number, name, required, help) \
    case number:                        \
        return (required) != 0;
        MPROF_INDEX_SECTIONS(X)
#undef X
    default:
        return false;
    }
}

enum mprof_err mpdata_sections_open(struct mpdata_sections *s, uint32_t id,
                                    struct mprof_diag *diag)
{
    const char *name = mprof_index_section_name(id);
    const struct mprof_section *place = mprof_dir_find(&s->file->dir, id);
    enum mprof_err err;

    if (s->is_open[id])
        return MPROF_E_OK;
    if (place == NULL && is_required(id))
        return mprof_err_fail(diag, MPROF_E_MISSING, name,
                              MPROF_DIAG_NO_OFFSET);
    if (place == NULL) {
        s->is_open[id] = true;
        return MPROF_E_OK;
    }
    if (!is_claim(place))
        return mprof_err_fail(diag, MPROF_E_VALUE, name, place->offset);
    err = mpdata_lazy_open(&s->lazy[id], s->file->data, s->file->size, place,
                           name, s->file->verify_checksums, diag);
    if (err != MPROF_E_OK)
        return err;
    if (s->lazy[id].table.rows > MPDATA_VEC_ROWS_MAX)
        return mprof_err_fail(diag, MPROF_E_LIMIT, name, place->offset);
    s->tables[id] = s->lazy[id].table;
    s->is_open[id] = true;
    return MPROF_E_OK;
}

enum mprof_err mpdata_sections_need_all(struct mpdata_sections *s, uint32_t id,
                                        struct mprof_diag *diag)
{
    return mpdata_lazy_need(&s->lazy[id], s->tables[id].data,
                            s->tables[id].size, diag);
}

enum mprof_err mpdata_sections_need_column(struct mpdata_sections *s,
                                           uint32_t id, uint32_t tag,
                                           struct mprof_column *column,
                                           struct mprof_diag *diag)
{
    return mpdata_lazy_column(&s->lazy[id], tag, column, diag);
}

enum mprof_err mpdata_sections_need_row(struct mpdata_sections *s, uint32_t id,
                                        uint64_t row, struct mprof_diag *diag)
{
    const struct mprof_table *table = &s->tables[id];
    const uint64_t first = row != 0 ? row - 1 : 0;
    enum mprof_err err = MPROF_E_OK;

    for (uint32_t i = 0; i < table->columns && err == MPROF_E_OK; i++) {
        const struct mprof_column c =
            mprof_table_column(table, mprof_table_tag(table, i));

        if (c.width != 0)
            err = mpdata_lazy_need(&s->lazy[id], c.data + first * c.width,
                                   (row + 1 - first) * c.width, diag);
    }
    return err;
}

enum mprof_err mpdata_sections_need_bytes(struct mpdata_sections *s,
                                          uint32_t id, const uint8_t *bytes,
                                          uint64_t size,
                                          struct mprof_diag *diag)
{
    return mpdata_lazy_need(&s->lazy[id], bytes, size, diag);
}
