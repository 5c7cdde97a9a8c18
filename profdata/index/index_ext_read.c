/* index_ext_read.c -- our sections of an indexed file, into a profile.
 *
 * Opened, then checked (index_ext_check.c), then added: the last step cannot
 * fail but for want of memory. Numbers of the file become ids of the profile by
 * maps, because the profile may hold others already.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/index/index_ext_read.h"
#include "profdata/index/index_ext_check.h"
#include "profdata/model/run_columns.h"
#include "profdata/raw/raw.h"
#include "profdata/base/section.h"
#include "profdata/base/vec.h"
#include "shared/cursor.h"
#include "shared/index_format.h"

#include <stdlib.h>

/* What zstd can make of blocks of MPROF_ZSTD_BLOCK_BYTES at best, rounded up. A
 * section that claims more is damaged. */
#define DECODED_RATIO_MAX 8192u
#define DECODED_BYTES_MIN 4096u

struct reader {
    const uint8_t *data;
    size_t size;
    bool verify_checksums;
    struct mprof_dir dir;
    struct mpdata_section sections[MPDATA_INDEX_SECTION_END];
    struct mprof_table tables[MPDATA_INDEX_SECTION_END];
};

/* Row of the file -> id of the profile. Owned. */
struct ids {
    struct mpdata_profile *into;
    const struct mprof_table *tables;
    uint32_t *strings;
    uint32_t *paths;
    uint32_t *binaries;
    uint32_t *functions;
    uint32_t *entries;
    uint32_t *nodes;
};

bool mpdata_index_ext_find(const void *data, size_t size, uint64_t *dir_off)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, NULL);
    uint64_t magic;

    if (size < MPROF_TRAILER_BYTES)
        return false;
    mprof_cursor_seek(&c, size - MPROF_TRAILER_BYTES);
    *dir_off = mprof_cursor_u64(&c);
    magic = mprof_cursor_u64(&c);
    return magic == MPROF_INDEX_EXT_MAGIC;
}

bool mpdata_index_ext_is_claim(const struct mprof_section *place)
{
    return place->decoded_bytes <= DECODED_BYTES_MIN ||
           place->decoded_bytes / DECODED_RATIO_MAX <= place->stored_bytes;
}

static enum mprof_err open_section(struct reader *r, uint32_t id,
                                   bool is_required, struct mprof_diag *diag)
{
    const char *name = mprof_index_section_name(id);
    const struct mprof_section *place = mprof_dir_find(&r->dir, id);
    enum mprof_err err;

    r->tables[id] = (struct mprof_table){.section = name};
    if (place == NULL)
        return is_required ? mprof_err_fail(diag, MPROF_E_MISSING, name,
                                            MPROF_DIAG_NO_OFFSET)
                           : MPROF_E_OK;
    if (!mpdata_index_ext_is_claim(place))
        return mprof_err_fail(diag, MPROF_E_VALUE, name, place->offset);
    err = mpdata_section_open(&r->sections[id], r->data, r->size, place, name,
                              r->verify_checksums, diag);
    if (err != MPROF_E_OK)
        return err;
    return mpdata_section_table(&r->sections[id], &r->tables[id], diag);
}

static enum mprof_err open_sections(struct reader *r, struct mprof_diag *diag)
{
    static const struct {
        uint32_t id;
        bool is_required;
    } all[] = {
#define X(id, name, required, help) {(id), (required) != 0},
        MPROF_INDEX_SECTIONS(X)
#undef X
    };

    for (size_t i = 0; i < MPROF_ARRAY_LEN(all); i++) {
        enum mprof_err err;

        if (all[i].id == MPROF_INDEX_LLVM)
            continue;
        err = open_section(r, all[i].id, all[i].is_required, diag);
        if (err != MPROF_E_OK)
            return err;
    }
    return MPROF_E_OK;
}

/* LLVM's part is not read here, only required to be where LLVM looks for it. */
static enum mprof_err check_llvm(const struct reader *r, uint64_t dir_off,
                                 struct mprof_diag *diag)
{
    const char *name = mprof_index_section_name(MPROF_INDEX_LLVM);
    const struct mprof_section *place =
        mprof_dir_find(&r->dir, MPROF_INDEX_LLVM);

    if (place == NULL)
        return mprof_err_fail(diag, MPROF_E_MISSING, name,
                              MPROF_DIAG_NO_OFFSET);
    if (place->offset != 0 || place->codec != MPROF_CODEC_NONE)
        return mprof_err_fail(diag, MPROF_E_VALUE, name, dir_off);
    return MPROF_E_OK;
}

static bool ids_init(struct ids *ids, const struct reader *r,
                     struct mpdata_profile *into)
{
    const struct mprof_table *t = r->tables;

    *ids = (struct ids){
        .into = into,
        .tables = t,
        .strings =
            mpdata_vec_array(t[MPROF_INDEX_STRINGS].rows, sizeof(uint32_t)),
        .paths = mpdata_vec_array(t[MPROF_INDEX_PATHS].rows, sizeof(uint32_t)),
        .binaries =
            mpdata_vec_array(t[MPROF_INDEX_BINARIES].rows, sizeof(uint32_t)),
        .functions =
            mpdata_vec_array(t[MPROF_INDEX_FUNCTIONS].rows, sizeof(uint32_t)),
        .entries =
            mpdata_vec_array(t[MPROF_INDEX_ENTRIES].rows, sizeof(uint32_t)),
        .nodes = mpdata_vec_array(t[MPROF_INDEX_NODES].rows, sizeof(uint32_t)),
    };
    return ids->strings != NULL && ids->paths != NULL &&
           ids->binaries != NULL && ids->functions != NULL &&
           ids->entries != NULL && ids->nodes != NULL;
}

static void ids_fini(struct ids *ids)
{
    free(ids->strings);
    free(ids->paths);
    free(ids->binaries);
    free(ids->functions);
    free(ids->entries);
    free(ids->nodes);
}

/* A column of 32-bit numbers of row i; checked before, so they fit. */
static uint32_t get32(const struct mprof_column *column, uint64_t row)
{
    return (uint32_t)mprof_column_get(column, row);
}

/* The id for a reference of the file, which is an index + 1 or 0. */
static uint32_t ref_of(const uint32_t *map, uint64_t ref)
{
    return ref != 0 ? map[ref - 1] : 0;
}

#define COLUMN(ids, section, name)                            \
    mprof_table_column(&(ids)->tables[MPROF_INDEX_##section], \
                       MPROF_INDEX_##section##_##name)

static void add_strings(struct ids *ids)
{
    const struct mprof_column ends = COLUMN(ids, STRINGS, END);
    const struct mprof_blob blob = mprof_table_blob(
        &ids->tables[MPROF_INDEX_STRINGS], MPROF_INDEX_STRINGS_BYTES);
    const uint8_t *bytes = blob.data != NULL ? blob.data : (const uint8_t *)"";
    uint64_t start = 0;

    for (uint64_t i = 0; i < ends.rows; i++) {
        const uint64_t end = mprof_column_get(&ends, i);

        ids->strings[i] =
            mpdata_profile_string(ids->into, bytes + start, end - start);
        start = end;
    }
}

static void add_paths(struct ids *ids)
{
    const struct mprof_column parents = COLUMN(ids, PATHS, PARENT);
    const struct mprof_column names = COLUMN(ids, PATHS, NAME);

    for (uint64_t i = 0; i < parents.rows; i++) {
        const struct mpdata_path path = {
            .parent = ref_of(ids->paths, mprof_column_get(&parents, i)),
            .name = ids->strings[mprof_column_get(&names, i)]};

        ids->paths[i] = mpdata_profile_path_node(ids->into, &path);
    }
}

static void add_binaries(struct ids *ids)
{
    const struct mprof_column paths = COLUMN(ids, BINARIES, PATH);
    const struct mprof_column build_ids = COLUMN(ids, BINARIES, BUILD_ID);

    for (uint64_t i = 0; i < paths.rows; i++) {
        const struct mpdata_binary binary = {
            .path = ref_of(ids->paths, mprof_column_get(&paths, i)),
            .build_id = ids->strings[mprof_column_get(&build_ids, i)]};

        ids->binaries[i] = mpdata_profile_binary(ids->into, &binary);
    }
}

static void add_functions(struct ids *ids)
{
    const struct mprof_column names = COLUMN(ids, FUNCTIONS, NAME);
    const struct mprof_column guids = COLUMN(ids, FUNCTIONS, GUID);
    const struct mprof_column paths = COLUMN(ids, FUNCTIONS, PATH);
    const struct mprof_column lines = COLUMN(ids, FUNCTIONS, LINE);

    for (uint64_t i = 0; i < names.rows; i++) {
        const struct mpdata_function function = {
            .name = ids->strings[mprof_column_get(&names, i)],
            .guid = mprof_column_get(&guids, i),
            .path = ref_of(ids->paths, mprof_column_get(&paths, i)),
            .line = get32(&lines, i)};

        ids->functions[i] = mpdata_profile_function(ids->into, &function);
    }
}

static void add_entries(struct ids *ids)
{
    const struct mprof_column places = COLUMN(ids, ENTRIES, PLACE);
    const struct mprof_column functions = COLUMN(ids, ENTRIES, FUNCTION);
    const struct mprof_column columns = COLUMN(ids, ENTRIES, COLUMN);
    const struct mprof_column highs = COLUMN(ids, ENTRIES, DISCRIMINATOR);
    const struct mprof_column flags = COLUMN(ids, ENTRIES, FLAGS);
    const struct mprof_column binaries = COLUMN(ids, ENTRIES, BINARY);
    const struct mprof_column addresses = COLUMN(ids, ENTRIES, ADDRESS);

    for (uint64_t i = 0; i < places.rows; i++) {
        const uint64_t place = mprof_column_get(&places, i);
        const struct mpdata_entry entry = {
            .function = ref_of(ids->functions, mprof_column_get(&functions, i)),
            .path = ref_of(ids->paths, mprof_place_path(place)),
            .line = (uint32_t)mprof_place_line(place),
            .column = get32(&columns, i),
            .discriminator = (uint32_t)mprof_place_discriminator_low(place) |
                             get32(&highs, i) << MPROF_PLACE_DISCRIMINATOR_BITS,
            .flags = get32(&flags, i),
            .binary = ref_of(ids->binaries, mprof_column_get(&binaries, i)),
            .address = mprof_column_get(&addresses, i)};

        ids->entries[i] = mpdata_profile_entry(ids->into, &entry);
    }
}

static void add_nodes(struct ids *ids)
{
    const struct mprof_column ups = COLUMN(ids, NODES, UP);
    const struct mprof_column entries = COLUMN(ids, NODES, ENTRY);

    for (uint64_t i = 0; i < ups.rows; i++) {
        const uint64_t up = mprof_column_get(&ups, i);

        ids->nodes[i] =
            mpdata_profile_node(ids->into, up != 0 ? ids->nodes[i - up] : 0,
                                ids->entries[mprof_column_get(&entries, i)]);
    }
}

/* The cells of the next histogram, if it is this context's: histograms ascend
 * by context and their cells follow each other. Malloc'd, or NULL. */
static uint64_t *read_cells(const struct ids *ids, uint64_t context,
                            uint64_t size, uint64_t *histogram, bool *failed)
{
    const struct mprof_column owners = COLUMN(ids, HISTOGRAMS, CONTEXT);
    const struct mprof_column firsts = COLUMN(ids, HISTOGRAMS, FIRST);
    const struct mprof_column counts = COLUMN(ids, CELLS, COUNT);
    uint64_t first;
    uint64_t *cells;

    if (*histogram == owners.rows ||
        mprof_column_get(&owners, *histogram) != context)
        return NULL;
    first = mprof_column_get(&firsts, (*histogram)++);
    cells = mpdata_vec_array(size, sizeof(*cells));
    *failed = cells == NULL;
    for (uint64_t i = 0; i < size && !*failed; i++)
        cells[i] = mprof_column_get(&counts, first + i);
    return cells;
}

static enum mprof_err add_contexts(struct ids *ids)
{
    const struct mprof_column nodes = COLUMN(ids, CONTEXTS, NODE);
    const struct mprof_column flags = COLUMN(ids, CONTEXTS, FLAGS);
    const struct mprof_column listed = COLUMN(ids, LISTED, CONTEXT);
    struct mpdata_mib_columns mib_columns;
    uint64_t histogram = 0;
    uint64_t next_listed = 0;
    bool failed = false;

    mpdata_mib_columns_find(&mib_columns, &ids->tables[MPROF_INDEX_CONTEXTS]);
    for (uint64_t i = 0; i < nodes.rows; i++) {
        const struct mprof_mib mib = mpdata_mib_columns_get(&mib_columns, i);
        uint64_t *cells =
            read_cells(ids, i, mib.AccessHistogramSize, &histogram, &failed);
        uint32_t context_flags = get32(&flags, i);

        if (failed)
            return MPROF_E_NOMEM;
        if (next_listed < listed.rows &&
            mprof_column_get(&listed, next_listed) == i) {
            context_flags |= MPROF_CONTEXT_FL_LISTED;
            next_listed++;
        }
        mpdata_profile_context(ids->into,
                               ref_of(ids->nodes, mprof_column_get(&nodes, i)),
                               context_flags, &mib, cells);
        free(cells);
    }
    return MPROF_E_OK;
}

static void add_runs(struct ids *ids)
{
    const struct mprof_table *table = &ids->tables[MPROF_INDEX_RUNS];
#define X(column, member)                       \
    const struct mprof_column member##_column = \
        mprof_table_column(table, MPROF_INDEX_RUNS_##column);
    MPDATA_INDEX_RUN_COLUMNS(X)
#undef X

    for (uint64_t i = 0; i < table->rows; i++) {
        struct mpdata_run run;

#define X(column, member) \
    run.member = (__typeof__(run.member))mprof_column_get(&member##_column, i);
        MPDATA_INDEX_RUN_COLUMNS(X)
#undef X
        run.executable = ref_of(ids->paths, run.executable);
        run.host = ids->strings[run.host];
        run.options = ids->strings[run.options];
        run.tool = ids->strings[run.tool];
        mpdata_profile_run(ids->into, &run);
    }
}

static enum mprof_err add_all(const struct reader *r,
                              struct mpdata_profile *into)
{
    struct ids ids;
    enum mprof_err err = MPROF_E_NOMEM;

    if (!ids_init(&ids, r, into))
        goto out;
    add_strings(&ids);
    add_paths(&ids);
    add_binaries(&ids);
    add_functions(&ids);
    add_entries(&ids);
    add_nodes(&ids);
    err = add_contexts(&ids);
    if (err != MPROF_E_OK)
        goto out;
    add_runs(&ids);
    err = mpdata_profile_status(into);
out:
    ids_fini(&ids);
    return err;
}

enum mprof_err mpdata_index_ext_read(const void *data, size_t size,
                                     uint64_t dir_off, bool verify_checksums,
                                     struct mpdata_profile *into,
                                     struct mprof_diag *diag)
{
    struct reader r = {
        .data = data, .size = size, .verify_checksums = verify_checksums};
    enum mprof_err err;

    err = mprof_dir_read(&r.dir, data, size, dir_off, MPROF_INDEX_EXT_MAGIC,
                         MPROF_INDEX_EXT_VERSION_MIN, MPROF_INDEX_EXT_VERSION,
                         verify_checksums, "index directory", diag);
    if (err != MPROF_E_OK)
        return err;
    err = check_llvm(&r, dir_off, diag);
    /* Not read below, but it must not go on into another file damaged. */
    if (err == MPROF_E_OK && verify_checksums)
        err = mpdata_index_verify_llvm(data, size, diag);
    if (err == MPROF_E_OK)
        err = open_sections(&r, diag);
    if (err == MPROF_E_OK)
        err = mpdata_index_ext_check(r.tables, diag);
    if (err == MPROF_E_OK) {
        err = add_all(&r, into);
        if (err != MPROF_E_OK)
            mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
    }
    for (uint32_t id = 0; id < MPDATA_INDEX_SECTION_END; id++)
        mpdata_section_close(&r.sections[id]);
    return err;
}

enum mprof_err mpdata_index_verify_llvm(const void *data, size_t size,
                                        struct mprof_diag *diag)
{
    const char *name = mprof_index_section_name(MPROF_INDEX_LLVM);
    const struct mprof_section *place;
    struct mprof_dir dir;
    uint64_t dir_off;
    enum mprof_err err;

    if (!mpdata_index_ext_find(data, size, &dir_off))
        return MPROF_E_OK;
    err = mprof_dir_read(&dir, data, size, dir_off, MPROF_INDEX_EXT_MAGIC,
                         MPROF_INDEX_EXT_VERSION_MIN, MPROF_INDEX_EXT_VERSION,
                         true, "index directory", diag);
    if (err != MPROF_E_OK)
        return err;
    place = mprof_dir_find(&dir, MPROF_INDEX_LLVM);
    if (place == NULL)
        return mprof_err_fail(diag, MPROF_E_MISSING, name,
                              MPROF_DIAG_NO_OFFSET);
    if (mprof_checksum((const uint8_t *)data + place->offset,
                       place->stored_bytes) != place->checksum)
        return mprof_err_fail(diag, MPROF_E_CHECKSUM, name, place->offset);
    return MPROF_E_OK;
}
