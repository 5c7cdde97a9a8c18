/* sections.c -- opens and checks our sections.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/index/sections.h"
#include "profdata/base/vec.h"

/* No table of ours shrinks as much; a larger claim is damage. */
#define DECODED_RATIO_MAX 8192u
#define DECODED_BYTES_MIN 4096u

/* Is the claimed decoded size plausible for the stored bytes? */
static bool is_claim(const struct mprof_section *place)
{
    return place->decoded_bytes <= DECODED_BYTES_MIN ||
           place->decoded_bytes / DECODED_RATIO_MAX <= place->stored_bytes;
}

static enum mprof_err open_section(struct mpdata_sections *s,
                                   const struct mpdata_index_file *file,
                                   uint32_t id, bool is_required,
                                   struct mprof_diag *diag)
{
    const char *const name = mprof_index_section_name(id);
    const struct mprof_section *const place = mprof_dir_find(&file->dir, id);

    s->tables[id].section = name;
    if (place == NULL)
        return is_required ? mprof_err_fail(diag, MPROF_E_MISSING, name,
                                            MPROF_DIAG_NO_OFFSET)
                           : MPROF_E_OK;
    if (!is_claim(place))
        return mprof_err_fail(diag, MPROF_E_VALUE, name, place->offset);
    enum mprof_err err =
        mpdata_section_open(&s->sections[id], file->data, file->size, place,
                            name, file->verify_checksums, diag);
    if (err == MPROF_E_OK)
        err = mpdata_section_table(&s->sections[id], &s->tables[id], diag);
    if (err == MPROF_E_OK && s->tables[id].rows > MPDATA_VEC_ROWS_MAX)
        err = mprof_err_fail(diag, MPROF_E_LIMIT, name, place->offset);
    return err;
}

enum mprof_err mpdata_sections_open(struct mpdata_sections *s,
                                    const struct mpdata_index_file *file,
                                    struct mprof_diag *diag)
{
    static const struct {
        uint32_t id;
        bool is_required;
    } sections[] = {
#define X(id, name, required, help) {id, required},
        MPROF_INDEX_SECTIONS(X)
#undef X
    };
    enum mprof_err err = MPROF_E_OK;

    *s = (struct mpdata_sections){.tables = {{.rows = 0}}};
    /* Skips the first, LLVM's part. */
    for (size_t i = 1; i < MPROF_ARRAY_LEN(sections) && err == MPROF_E_OK; i++)
        err = open_section(s, file, sections[i].id, sections[i].is_required,
                           diag);
    for (int i = 0; i < MPDATA_COLUMNS && err == MPROF_E_OK; i++) {
        const struct mpdata_sections_column *const c =
            &mpdata_sections_columns[i];

        s->columns[i] = mprof_table_column(&s->tables[c->section], c->tag);
    }
    return err == MPROF_E_OK ? mpdata_sections_check(s, diag) : err;
}

void mpdata_sections_close(struct mpdata_sections *s)
{
    for (uint32_t id = 0; id < MPDATA_SECTIONS_END; id++)
        mpdata_section_close(&s->sections[id]);
}
