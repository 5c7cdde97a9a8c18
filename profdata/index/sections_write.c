/* sections_write.c -- writes our sections of an indexed file: each array of the
 * profile as a table (layout: shared/index_format.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/section.h"
#include "profdata/base/vec.h"
#include "profdata/index/sections.h"
#include "shared/raw_format.h"

#include <stdlib.h>
#include <string.h>

#define PATHS_MAX ((UINT32_C(1) << MPROF_PLACE_PATH_BITS) - 1)
#define DISCRIMINATOR_LOW_MASK \
    ((UINT32_C(1) << MPROF_PLACE_DISCRIMINATOR_BITS) - 1)

/* The last row of CELLS read; rows are mostly read in order. */
struct cell_place {
    uint64_t row;
    uint64_t histogram; /* next one */
    struct mpdata_cells_cursor cursor;
    uint64_t skip;
};

/* Sources of the tables' values. Owned, except for the view's arrays. */
struct tables {
    struct mpdata_view view;
    /* The current section: its structs, if it has any, and its first column. */
    const void *rows;
    size_t row_bytes;
    int column;
    uint64_t *string_ends;
    uint8_t *string_bytes;
    uint32_t *histograms; /* contexts with a histogram */
    uint64_t *cell_firsts;
    struct cell_place *place;
    uint32_t histogram_count;
    uint64_t cell_count;
    uint64_t sample_count; /* of all series */
    uint64_t mark_count;
    struct mprof_mib totals;      /* of all contexts */
    struct mprof_mib tagged_rows; /* sum of all tagged rows */
};

#define TAGS_MAX (MPROF_MIB_FIELDS + MPDATA_COLUMNS)

static enum mprof_err make_strings(struct tables *t)
{
    size_t size = 0;

    t->string_ends = mpdata_vec_array(t->view.string_count, sizeof(uint64_t));
    if (t->string_ends == NULL)
        return MPROF_E_NOMEM;
    for (uint32_t i = 0; i < t->view.string_count; i++) {
        size += t->view.strings[i].size;
        t->string_ends[i] = size;
    }
    t->string_bytes = mpdata_vec_array(size, 1);
    if (t->string_bytes == NULL)
        return MPROF_E_NOMEM;
    for (uint32_t i = 0; i < t->view.string_count; i++) {
        const struct mpdata_str *s = &t->view.strings[i];

        memcpy(t->string_bytes + (t->string_ends[i] - s->size), s->bytes,
               s->size);
    }
    return MPROF_E_OK;
}

static uint64_t count_cells(struct mpdata_cells cells)
{
    struct mpdata_cells_cursor cursor = {.rest = cells};
    uint64_t count = 0;

    while (mpdata_cells_next(&cursor))
        count++;
    return count;
}

static enum mprof_err make_histograms(struct tables *t)
{
    const struct mpdata_context *const contexts = t->view.contexts;

    for (uint32_t i = 0; i < t->view.context_count; i++)
        t->histogram_count += contexts[i].cells.words != NULL;
    t->histograms = mpdata_vec_array(t->histogram_count, sizeof(uint32_t));
    t->cell_firsts = mpdata_vec_array(t->histogram_count, sizeof(uint64_t));
    if (t->histograms == NULL || t->cell_firsts == NULL)
        return MPROF_E_NOMEM;
    t->histogram_count = 0;
    for (uint32_t i = 0; i < t->view.context_count; i++) {
        if (contexts[i].cells.words == NULL)
            continue;
        t->histograms[t->histogram_count] = i;
        t->cell_firsts[t->histogram_count++] = t->cell_count;
        t->cell_count += count_cells(contexts[i].cells);
    }
    return MPROF_E_OK;
}

static void add_up_tagged_rows(struct tables *t)
{
    for (uint32_t i = 0; i < t->view.tagged_count; i++) {
        const struct mprof_mib mib = mpdata_view_tagged_mib(&t->view, i);

        mprof_mib_merge(&t->tagged_rows, &mib);
    }
}

static void tables_fini(struct tables *t)
{
    free(t->string_ends);
    free(t->string_bytes);
    free(t->histograms);
    free(t->cell_firsts);
}

static uint64_t get_string(const void *context, uint32_t tag, uint64_t row)
{
    const struct tables *t = context;

    return tag == MPROF_INDEX_STRINGS_END ? t->string_ends[row] : 0;
}

/* The member of *row that stores the column of the current section. */
static uint64_t get_member(const struct tables *t, uint32_t tag,
                           const void *row)
{
    int i = t->column;

    while (mpdata_sections_columns[i].tag != tag)
        i++;
    return mpdata_member_get(mpdata_sections_members[i], row);
}

/* For sections whose rows are structs. */
static uint64_t get_row(const void *context, uint32_t tag, uint64_t row)
{
    const struct tables *t = context;

    return get_member(t, tag, (const uint8_t *)t->rows + row * t->row_bytes);
}

static uint64_t get_frame(const void *context, uint32_t tag, uint64_t row)
{
    const struct tables *t = context;
    const struct mpdata_frame *e = &t->view.frames[row];

    switch (tag) {
    case MPROF_INDEX_ENTRIES_PLACE:
        return mprof_place_pack(e->path, e->line,
                                e->discriminator & DISCRIMINATOR_LOW_MASK);
    case MPROF_INDEX_ENTRIES_DISCRIMINATOR:
        return e->discriminator >> MPROF_PLACE_DISCRIMINATOR_BITS;
    default:
        return get_member(t, tag, e);
    }
}

static uint64_t get_node(const void *context, uint32_t tag, uint64_t row)
{
    const struct tables *t = context;
    const struct mpdata_node *n = &t->view.nodes[row];

    if (tag == MPROF_INDEX_NODES_ENTRY)
        return n->frame;
    return n->parent != 0 ? row + 1 - n->parent : 0;
}

static uint64_t get_context(const void *context, uint32_t tag, uint64_t row)
{
    const struct tables *t = context;
    const struct mpdata_context *c = &t->view.contexts[row];

    switch (tag) {
    case MPROF_INDEX_CONTEXTS_NODE:
        return c->node;
    case MPROF_INDEX_CONTEXTS_FLAGS:
        return c->flags & ~MPROF_CONTEXT_UNSEEN_MASK;
    case MPROF_INDEX_CONTEXTS_UNSEEN:
        return (c->flags & MPROF_CONTEXT_UNSEEN_MASK) >>
               MPROF_CONTEXT_UNSEEN_SHIFT;
    default:
        return mpdata_view_mib_field(&t->view, (uint32_t)row,
                                     mprof_mib_index_of_tag(tag));
    }
}

static uint64_t get_tagged(const void *context, uint32_t tag, uint64_t row)
{
    const struct tables *t = context;
    const size_t field = mprof_mib_index_of_tag(tag);

    return field < MPROF_MIB_FIELDS
               ? mpdata_view_tagged_field(&t->view, (uint32_t)row, field)
               : get_member(t, tag, &t->view.tagged_rows[row]);
}

static uint64_t get_histogram(const void *context, uint32_t tag, uint64_t row)
{
    const struct tables *t = context;

    return tag == MPROF_INDEX_HISTOGRAMS_CONTEXT ? t->histograms[row]
                                                 : t->cell_firsts[row];
}

/* Moves to the next row of CELLS. */
static void next_cell(const struct tables *t)
{
    struct cell_place *const place = t->place;
    uint64_t before = place->cursor.cell + 1;

    place->row++;
    while (!mpdata_cells_next(&place->cursor)) {
        const uint32_t i = t->histograms[place->histogram++];

        place->cursor =
            (struct mpdata_cells_cursor){.rest = t->view.contexts[i].cells};
        before = 0;
    }
    place->skip = place->cursor.cell - before;
}

static uint64_t get_cell(const void *context, uint32_t tag, uint64_t row)
{
    const struct tables *t = context;

    if (row < t->place->row)
        *t->place = (struct cell_place){.row = UINT64_MAX};
    while (t->place->row != row)
        next_cell(t);
    return tag == MPROF_INDEX_CELLS_COUNT ? t->place->cursor.count
                                          : t->place->skip;
}

/* A linear search: there are few series. */
static uint64_t get_sample(const void *context, uint32_t tag, uint64_t row)
{
    const struct tables *t = context;
    const struct mpdata_series *s = t->view.series;

    for (; row >= s->sample_count; s++)
        row -= s->sample_count;
    return get_member(t, tag, &s->samples[row]);
}

static uint64_t get_mark(const void *context, uint32_t tag, uint64_t row)
{
    const struct tables *t = context;
    const struct mpdata_series *s = t->view.series;

    for (; row >= s->mark_count; s++)
        row -= s->mark_count;
    return get_member(t, tag, &s->marks[row]);
}

/* Columns that most profiles lack: newest runs of functions; of runs sample
 * periods, bursts, checks of contexts by value, known leaks, another malloc,
 * dumps in mid-run, moments. Returns the column of the section that must be 0
 * in all rows for this one to be omitted, or 0: never. */
static uint32_t rare_column(uint32_t section, uint32_t tag)
{
    static const struct {
        uint32_t tag;
        uint32_t by; /* the column that must be 0 */
    } rare[] = {
        {MPROF_INDEX_RUNS_SAMPLE_PERIOD, MPROF_INDEX_RUNS_SAMPLE_PERIOD},
        {MPROF_INDEX_RUNS_ACCESS_PERIOD, MPROF_INDEX_RUNS_ACCESS_PERIOD},
        {MPROF_INDEX_RUNS_BURSTS, MPROF_INDEX_RUNS_ACCESS_PERIOD},
        {MPROF_INDEX_RUNS_CONTEXT_CHECKS, MPROF_INDEX_RUNS_CONTEXT_CHECKS},
        {MPROF_INDEX_RUNS_CONTEXT_DIFFERENCES, MPROF_INDEX_RUNS_CONTEXT_CHECKS},
        {MPROF_INDEX_RUNS_KNOWN_LEAKS, MPROF_INDEX_RUNS_KNOWN_LEAKS},
        {MPROF_INDEX_RUNS_OTHER_MALLOC, MPROF_INDEX_RUNS_OTHER_MALLOC},
        {MPROF_INDEX_RUNS_MIDDLE, MPROF_INDEX_RUNS_MIDDLE},
        {MPROF_INDEX_RUNS_ALIVE_NS, MPROF_INDEX_RUNS_ALIVE_NS},
        {MPROF_INDEX_RUNS_AFTER_NS, MPROF_INDEX_RUNS_AFTER_NS},
    };

    if (section == MPROF_INDEX_FUNCTIONS)
        return tag == MPROF_INDEX_FUNCTIONS_NEWEST_NS ? tag : 0;
    for (size_t i = 0; section == MPROF_INDEX_RUNS && i < MPROF_ARRAY_LEN(rare);
         i++) {
        if (rare[i].tag == tag)
            return rare[i].by;
    }
    return 0;
}

static bool is_left_out_column(const struct tables *t, uint32_t section,
                               uint64_t rows, uint32_t tag)
{
    const uint32_t by = rare_column(section, tag);

    for (uint64_t i = 0; by != 0 && i < rows; i++) {
        if (get_row(t, by, i) != 0)
            return false;
    }
    return by != 0;
}

/* Collects the tags of the fields that `sum` holds; returns their number. */
static uint32_t put_fields(const struct mprof_mib *sum, uint32_t *tags)
{
    uint32_t count = 0;

    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++) {
        if (mprof_mib_is_held(sum, i))
            tags[count++] = mprof_mib_fields[i].tag;
    }
    return count;
}

/* Makes a section current and returns its table; tags[TAGS_MAX]. */
static struct mprof_table_source source_of(struct tables *t, uint32_t section,
                                           uint32_t *tags)
{
    const struct mpdata_view *v = &t->view;
    const struct {
        mprof_table_get_fn *get;
        uint64_t count;
        const void *rows;
        size_t row_bytes;
    } sources[] = {
#define ROWS(array, count) {get_row, v->count, v->array, sizeof(*v->array)}
        [MPROF_INDEX_STRINGS] = {get_string, v->string_count, NULL, 0},
        [MPROF_INDEX_PATHS] = ROWS(paths, path_count),
        [MPROF_INDEX_FUNCTIONS] = ROWS(functions, function_count),
        [MPROF_INDEX_ENTRIES] = {get_frame, v->frame_count, NULL, 0},
        [MPROF_INDEX_NODES] = {get_node, v->node_count, NULL, 0},
        [MPROF_INDEX_CONTEXTS] = {get_context, v->context_count, NULL, 0},
        [MPROF_INDEX_HISTOGRAMS] = {get_histogram, t->histogram_count, NULL, 0},
        [MPROF_INDEX_CELLS] = {get_cell, t->cell_count, NULL, 0},
        [MPROF_INDEX_BINARIES] = ROWS(binaries, binary_count),
        [MPROF_INDEX_RUNS] = ROWS(runs, run_count),
        [MPROF_INDEX_DETAILS] = ROWS(details, detail_count),
        [MPROF_INDEX_SERIES] = ROWS(series, series_count),
        [MPROF_INDEX_SAMPLES] = {get_sample, t->sample_count, NULL, 0},
        [MPROF_INDEX_MARKS] = {get_mark, t->mark_count, NULL, 0},
        [MPROF_INDEX_TAGGED] = {get_tagged, v->tagged_count, NULL, 0},
#undef ROWS
    };
    struct mprof_table_source source = {.rows = sources[section].count,
                                        .tags = tags,
                                        .get = sources[section].get,
                                        .context = t};

    t->rows = sources[section].rows;
    t->row_bytes = sources[section].row_bytes;
    t->column = mpdata_sections_columns_first(section);
    if (section == MPROF_INDEX_CONTEXTS || section == MPROF_INDEX_TAGGED)
        source.tag_count = put_fields(
            section == MPROF_INDEX_TAGGED ? &t->tagged_rows : &t->totals, tags);
    for (int i = t->column;
         i < MPDATA_COLUMNS && mpdata_sections_columns[i].section == section;
         i++) {
        const uint32_t tag = mpdata_sections_columns[i].tag;

        if (!is_left_out_column(t, section, source.rows, tag))
            tags[source.tag_count++] = tag;
    }
    if (section == MPROF_INDEX_STRINGS) {
        source.blob_tag = MPROF_INDEX_STRINGS_BYTES;
        source.blob =
            (struct mprof_blob){.data = t->string_bytes,
                                .size = t->string_ends[v->string_count - 1]};
    }
    return source;
}

static enum mprof_err write_table(struct tables *t, uint32_t section,
                                  bool may_compress, struct mprof_buf *out,
                                  struct mprof_dir *dir)
{
    uint32_t tags[TAGS_MAX];
    const struct mprof_table_source source = source_of(t, section, tags);
    /* Ids and times hardly compress, so small blocks lose nothing. */
    const bool is_random = section == MPROF_INDEX_RUNS;

    return mpdata_section_write_table(
        section, &source,
        is_random ? MPDATA_SECTION_SMALL_BLOCK_BYTES : MPROF_ZSTD_BLOCK_BYTES,
        may_compress, out, &dir->sections[dir->section_count++]);
}

static bool is_left_out_section(const struct tables *t, uint32_t id)
{
    switch (id) {
    case MPROF_INDEX_HISTOGRAMS:
    case MPROF_INDEX_CELLS:
        return t->histogram_count == 0;
    case MPROF_INDEX_TAGGED:
        return t->view.tagged_count == 0;
    case MPROF_INDEX_DETAILS:
        return t->view.detail_count == 0;
    case MPROF_INDEX_SERIES:
    case MPROF_INDEX_SAMPLES:
        return t->view.series_count == 0;
    case MPROF_INDEX_MARKS:
        return t->mark_count == 0;
    default:
        return false;
    }
}

/* Adds the section that describes LLVM's part, which is already in *out. */
static void add_llvm_section(struct mprof_buf *out, struct mprof_dir *dir)
{
    mprof_buf_patch(out, MPROF_INDEX_HEADER_UNUSED_OFF, out->size, 8);
    dir->sections[dir->section_count++] = (struct mprof_section){
        .id = MPROF_INDEX_LLVM,
        .codec = MPROF_CODEC_NONE,
        .stored_bytes = out->size,
        .decoded_bytes = out->size,
        .checksum = mprof_checksum(out->data, out->size)};
}

static void write_directory(struct mprof_dir *dir, struct mprof_buf *out)
{
    const size_t bytes = mprof_dir_bytes(dir->section_count);

    mprof_buf_align(out, MPROF_SECTION_ALIGN);
    uint64_t dir_off = out->size;
    uint8_t *to = mprof_buf_extend(out, bytes);
    dir->file_bytes = dir_off + bytes + MPROF_TRAILER_BYTES;
    if (to != NULL)
        mprof_dir_write(dir, to);
    mprof_buf_u64(out, dir_off);
    mprof_buf_u64(out, MPROF_INDEX_EXT_MAGIC);
}

/* Total frames in the call stacks of a section's rows. */
static uint64_t count_frames(const struct mpdata_view *v, uint32_t section,
                             const uint32_t *depths)
{
    uint64_t frames = 0;

    if (section == MPROF_INDEX_CONTEXTS) {
        for (uint32_t i = 0; i < v->context_count; i++)
            frames += depths[v->contexts[i].node];
    } else if (section == MPROF_INDEX_TAGGED) {
        for (uint32_t i = 0; i < v->tagged_count; i++)
            frames += depths[v->tagged_rows[i].node];
    } else {
        for (uint32_t i = 0; i < v->detail_count; i++) {
            if (mprof_detail_is_stack(v->details[i].kind))
                frames += depths[v->details[i].key];
        }
    }
    return frames;
}

/* Would a reader accept the call stacks (sections_check.c), given the sizes of
 * the tables? FRAMES if not. */
static enum mprof_err check_depths(const struct mpdata_view *v,
                                   const struct mprof_dir *dir)
{
    static const uint32_t sections[] = {
        MPROF_INDEX_CONTEXTS, MPROF_INDEX_TAGGED, MPROF_INDEX_DETAILS};
    const uint64_t rows[] = {v->context_count, v->tagged_count,
                             v->detail_count};
    const struct mprof_section *const nodes =
        mprof_dir_find(dir, MPROF_INDEX_NODES);
    uint32_t *const depths = mpdata_profile_depths(v);
    enum mprof_err err = depths != NULL ? MPROF_E_OK : MPROF_E_NOMEM;

    for (size_t i = 0; i < MPROF_ARRAY_LEN(sections) && err == MPROF_E_OK;
         i++) {
        const struct mprof_section *const s = mprof_dir_find(dir, sections[i]);

        if (s != NULL &&
            count_frames(v, sections[i], depths) >
                mpdata_sections_frames_max(v->node_count, nodes->decoded_bytes,
                                           rows[i], s->decoded_bytes))
            err = MPROF_E_FRAMES;
    }
    free(depths);
    return err;
}

enum mprof_err mpdata_sections_write(const struct mpdata_profile *canonical,
                                     bool may_compress, struct mprof_buf *out)
{
    static const uint32_t sections[] = {
#define X(id, name, required, help) (id),
        MPROF_INDEX_SECTIONS(X)
#undef X
    };
    struct cell_place place = {.row = UINT64_MAX};
    struct tables t = {.view = mpdata_profile_view(canonical), .place = &place};
    struct mprof_dir dir = {.magic = MPROF_INDEX_EXT_MAGIC,
                            .version =
                                t.view.unit_cells == 0 ? MPROF_INDEX_EXT_VERSION
                                : t.view.unit_cells == MPROF_RAW_CELLS_MEMBERS
                                    ? MPROF_INDEX_EXT_VERSION_MEMBERS
                                    : MPROF_INDEX_EXT_VERSION_FIELDS};
    enum mprof_err err = MPROF_E_LIMIT;

    if (t.view.path_count > PATHS_MAX)
        goto out;
    err = make_strings(&t);
    if (err == MPROF_E_OK)
        err = make_histograms(&t);
    t.totals = mpdata_profile_totals(&t.view);
    for (uint32_t i = 0; i < t.view.series_count; i++) {
        t.sample_count += t.view.series[i].sample_count;
        t.mark_count += t.view.series[i].mark_count;
    }
    add_up_tagged_rows(&t);
    add_llvm_section(out, &dir);
    for (size_t i = 1; i < MPROF_ARRAY_LEN(sections) && err == MPROF_E_OK;
         i++) {
        const uint32_t id = sections[i];

        if (!is_left_out_section(&t, id))
            err = write_table(&t, id, may_compress, out, &dir);
    }
    if (err == MPROF_E_OK)
        err = check_depths(&t.view, &dir);
    if (err != MPROF_E_OK)
        goto out;
    write_directory(&dir, out);
    err = out->failed ? MPROF_E_NOMEM : MPROF_E_OK;
out:
    tables_fini(&t);
    return err;
}
