/* pprof.c -- reads heap profiles of pprof's format
 * (profdata/base/pprof_format.h), written by Go, tcmalloc, jemalloc and
 * memprofdata.
 *
 * The bytes are read twice for the tables, which get as many rows as the first
 * pass counted, and once for the samples. The frames of a location are created
 * when a sample first uses it. So the file's size bounds the memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/vec.h"
#include "profdata/import/foreign.h"
#include "profdata/import/pprof_rows.h"
#include "shared/index_format.h"
#include "shared/tag_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECTION "pprof profile"
/* Limit of the frames of all samples, per byte of the file. In the file a
 * location takes at least one byte and each of its frames two. */
#define FRAMES_PER_BYTE 64u

struct frame {
    mpdata_ref ref;
    bool is_dropped;
};

/* The rows of one field of the profile message. */
struct table {
    void *rows;
    uint32_t count;
    uint32_t filled;
};

struct reader {
    struct mpdata_foreign_errors errors;
    size_t size;
    struct mpdata_profile *profile;
    struct mpdata_foreign_string none;              /* "" */
    struct table tables[MPROF_PPROF_FIELD_MAX + 1]; /* by field */
    struct mpdata_pprof_type types[MPDATA_PPROF_TYPES_MAX];
    struct mpdata_pprof_type period_type;
    struct mpdata_pprof_values values;
    struct mpdata_pprof_profile numbers;
    uint64_t program;         /* string: path of the first mapping */
    struct mpdata_vec frames; /* struct frame, frames of all locations */
    struct mpdata_vec stack;  /* mpdata_ref, frames of the current sample */
    /* Number of frames up to the last one that is to be dropped; 0: none. */
    uint32_t last_dropped;
    uint32_t dropped;     /* number of frames dropped from the leaf on */
    uint64_t frames_left; /* frames that all samples together may still have */
    uint64_t nodes_max;
};

/* The tables by field: name of a row in messages (NULL: rows have no id), and
 * size of a row. A row with an id begins with it. */
static const struct {
    const char *what;
    uint32_t row_bytes;
    enum mpdata_pprof_row row;
} kinds[MPROF_PPROF_FIELD_MAX + 1] = {
    [MPROF_PPROF_STRING] = {NULL, sizeof(struct mpdata_foreign_string), 0},
    [MPROF_PPROF_MAPPING] = {"mapping", sizeof(struct mpdata_pprof_mapping),
                             MPDATA_PPROF_ROW_MAPPING},
    [MPROF_PPROF_FUNCTION] = {"function", sizeof(struct mpdata_pprof_function),
                              MPDATA_PPROF_ROW_FUNCTION},
    [MPROF_PPROF_LOCATION] = {"location", sizeof(struct mpdata_pprof_location),
                              MPDATA_PPROF_ROW_LOCATION},
};

/* -- errors ---------------------------------------------------------------- */

/* Records the error of a cursor if it is the first one. */
static void check(struct reader *r, const struct mprof_cursor *c)
{
    if (r->errors.err == MPROF_E_OK && c->err != MPROF_E_OK)
        r->errors.err = mprof_cursor_status(c, r->errors.diag);
}

static struct mprof_cursor over(const struct reader *r)
{
    return mprof_cursor_over(r->errors.data, r->size, 0, SECTION);
}

/* -- tables ------------------------------------------------------------------ */

static void count_message(struct reader *r, struct mpdata_protobuf_field *f)
{
    struct table *const types = &r->tables[MPROF_PPROF_SAMPLE_TYPE];

    if (f->number == MPROF_PPROF_PERIOD_TYPE)
        mpdata_pprof_rows_read(MPDATA_PPROF_ROW_TYPE, &f->bytes,
                               &r->period_type);
    else if (f->number == MPROF_PPROF_SAMPLE_TYPE &&
             types->count == MPDATA_PPROF_TYPES_MAX)
        mpdata_foreign_errors_say(&r->errors, MPROF_E_VALUE, f->bytes.data,
                                  "more than %d types of values",
                                  MPDATA_PPROF_TYPES_MAX);
    else if (f->number == MPROF_PPROF_SAMPLE_TYPE)
        mpdata_pprof_rows_read(MPDATA_PPROF_ROW_TYPE, &f->bytes,
                               &r->types[types->count]);
    check(r, &f->bytes);
    if (f->number <= MPROF_PPROF_FIELD_MAX)
        r->tables[f->number].count++;
}

static void count_all(struct reader *r)
{
    struct mprof_cursor c = over(r);
    struct mpdata_protobuf_field f;

    /* A row takes at least two bytes. */
    if (r->size / 2 > MPDATA_VEC_ROWS_MAX)
        mpdata_foreign_errors_add(&r->errors, MPROF_E_LIMIT, NULL);
    while (r->errors.err == MPROF_E_OK && mpdata_protobuf_next(&c, &f)) {
        if (f.has_bytes)
            count_message(r, &f);
        else
            mpdata_pprof_rows_take(MPDATA_PPROF_ROW_PROFILE, &f, &r->numbers);
    }
    check(r, &c);
}

static void read_row(struct mpdata_protobuf_field *f, void *row)
{
    const struct mpdata_str text = {(const char *)f->bytes.data, f->bytes.size};

    if (f->number == MPROF_PPROF_STRING) {
        ((struct mpdata_foreign_string *)row)->text = text;
        return;
    }
    if (f->number == MPROF_PPROF_LOCATION) {
        ((struct mpdata_pprof_location *)row)->bytes = f->bytes.data;
        ((struct mpdata_pprof_location *)row)->size = f->bytes.size;
    }
    mpdata_pprof_rows_read(kinds[f->number].row, &f->bytes, row);
}

/* Reads the rows that count_all() counted, in file order. */
static void read_tables(struct reader *r)
{
    struct mprof_cursor c = over(r);
    struct mpdata_protobuf_field f;

    while (r->errors.err == MPROF_E_OK && mpdata_protobuf_next(&c, &f)) {
        if (!f.has_bytes || f.number > MPROF_PPROF_FIELD_MAX ||
            kinds[f.number].row_bytes == 0)
            continue;
        struct table *table = &r->tables[f.number];
        read_row(&f, (char *)table->rows +
                         (size_t)table->filled++ * kinds[f.number].row_bytes);
        check(r, &f.bytes);
    }
}

/* Orders rows by id, their first member. */
static int compare_ids(const void *left, const void *right)
{
    return mprof_compare_u64(*(const uint64_t *)left, *(const uint64_t *)right);
}

/* Sorts rows by id; refuses duplicate ids and id 0. */
static void sort_rows(struct reader *r, size_t field)
{
    const struct table *const table = &r->tables[field];
    const char *const what = kinds[field].what;
    uint64_t last = 0;

    if (table->count != 0)
        qsort(table->rows, table->count, kinds[field].row_bytes, compare_ids);
    for (uint32_t i = 0; i < table->count; i++) {
        const uint64_t id = *(
            const uint64_t *)(const void *)((const char *)table->rows +
                                            (size_t)i * kinds[field].row_bytes);

        if (id == 0)
            mpdata_foreign_errors_say(&r->errors, MPROF_E_VALUE, NULL,
                                      "a %s without an id", what);
        else if (id == last)
            mpdata_foreign_errors_say(
                &r->errors, MPROF_E_DUPLICATE, NULL,
                "%s %" PRIu64 "; if the file has two profiles, split it", what,
                id);
        last = id;
    }
}

/* Returns NULL if there is no such row. */
static void *search_row(struct reader *r, size_t field, uint64_t id)
{
    const struct table *const table = &r->tables[field];

    return table->count != 0 ? bsearch(&id, table->rows, table->count,
                                       kinds[field].row_bytes, compare_ids)
                             : NULL;
}

static void *find_row(struct reader *r, size_t field, uint64_t id,
                      const uint8_t *at)
{
    void *const row = search_row(r, field, id);

    if (row == NULL)
        mpdata_foreign_errors_say(&r->errors, MPROF_E_REFERENCE, at,
                                  "%s %" PRIu64, kinds[field].what, id);
    return row;
}

static struct mpdata_foreign_string *string_at(struct reader *r,
                                               uint64_t number)
{
    const struct table *const strings = &r->tables[MPROF_PPROF_STRING];

    if (number < strings->count)
        return (struct mpdata_foreign_string *)strings->rows + number;
    mpdata_foreign_errors_say(&r->errors, MPROF_E_REFERENCE, NULL,
                              "string %" PRIu64 ", and there are %" PRIu32,
                              number, strings->count);
    return &r->none;
}

static void make_tables(struct reader *r)
{
    const struct table *const mappings = &r->tables[MPROF_PPROF_MAPPING];

    for (size_t i = 0; i < MPROF_ARRAY_LEN(kinds); i++) {
        if (kinds[i].row_bytes == 0)
            continue;
        r->tables[i].rows =
            mpdata_vec_array(r->tables[i].count, kinds[i].row_bytes);
        if (r->tables[i].rows == NULL) {
            mpdata_foreign_errors_no_memory(&r->errors);
            return;
        }
    }
    read_tables(r);
    if (r->tables[MPROF_PPROF_STRING].count == 0 ||
        string_at(r, 0)->text.size != 0)
        mpdata_foreign_errors_say(&r->errors, MPROF_E_VALUE, NULL,
                                  "string 0 is not empty");
    if (mappings->count != 0)
        r->program = ((struct mpdata_pprof_mapping *)mappings->rows)->file;
    sort_rows(r, MPROF_PPROF_MAPPING);
    sort_rows(r, MPROF_PPROF_FUNCTION);
    sort_rows(r, MPROF_PPROF_LOCATION);
}

/* Finds the types of values by their names and units. */
static void make_types(struct reader *r)
{
    struct mpdata_pprof_values *const v = &r->values;

    v->count = r->tables[MPROF_PPROF_SAMPLE_TYPE].count;
    for (uint32_t i = 0; i < v->count; i++) {
        v->types[i].name = string_at(r, r->types[i].name)->text;
        v->types[i].unit = string_at(r, r->types[i].unit)->text;
    }
    mpdata_pprof_values_find_roles(v, &r->errors);
}

/* -- frames -------------------------------------------------------------------- */

static void push_frame(struct reader *r, mpdata_ref ref, bool is_dropped)
{
    struct frame *const row =
        mpdata_foreign_errors_push(&r->errors, &r->frames);

    if (row != NULL)
        *row = (struct frame){ref, is_dropped};
    if (row == NULL || ref == 0)
        mpdata_foreign_errors_no_memory(&r->errors);
}

/* Adds a frame to the current sample. A dropped frame takes its callees with
 * it, but only if a frame that is kept follows: a stack is never dropped
 * completely. */
static void push(struct reader *r, const struct frame *frame)
{
    mpdata_ref *const row = mpdata_foreign_errors_push(&r->errors, &r->stack);

    if (row == NULL)
        return;
    *row = frame->ref;
    if (frame->is_dropped)
        r->last_dropped = r->stack.count;
    else
        r->dropped = r->last_dropped;
}

static mpdata_ref binary_of(struct reader *r, struct mpdata_pprof_mapping *m)
{
    struct mpdata_foreign_string *const file = string_at(r, m->file);
    struct mpdata_foreign_string *const build_id = string_at(r, m->build_id);

    if (r->errors.err != MPROF_E_OK || m->binary != 0 ||
        file->text.size + build_id->text.size == 0)
        return m->binary;
    struct mpdata_binary binary = (struct mpdata_binary){
        .path = mpdata_foreign_stack_path(r->profile, file),
        .build_id = mpdata_foreign_stack_build_id(r->profile, build_id)};
    m->binary = mpdata_profile_binary(r->profile, &binary);
    return m->binary;
}

/* Adds a location without a function: its offset in the file, as far as the
 * mapping tells, which may be missing, as pprof accepts. */
static void add_address(struct reader *r, uint64_t mapping, uint64_t address)
{
    struct mpdata_pprof_mapping *const m =
        search_row(r, MPROF_PPROF_MAPPING, mapping);

    if (m != NULL && address >= m->start)
        address = address - m->start + m->offset;
    if (r->errors.err == MPROF_E_OK)
        push_frame(r,
                   mpdata_foreign_stack_address(
                       r->profile, m != NULL ? binary_of(r, m) : 0, address),
                   false);
}

static void add_line(struct reader *r, const struct mpdata_pprof_line *line,
                     bool is_inlined, const uint8_t *at)
{
    struct mpdata_foreign_frame frame = {
        .line = line->line, .column = line->column, .is_inlined = is_inlined};
    const struct mpdata_pprof_function *function =
        find_row(r, MPROF_PPROF_FUNCTION, line->function, at);

    if (function == NULL)
        return;
    frame.name = string_at(r, function->linkage);
    if (frame.name->text.size == 0)
        frame.name = string_at(r, function->name);
    frame.file = string_at(r, function->file);
    frame.first_line = function->line;
    if (r->errors.err != MPROF_E_OK)
        return;
    push_frame(r, mpdata_foreign_stack_frame(r->profile, &frame),
               function->is_dropped);
}

/* Creates the frames of a location: its lines, else its address. */
static void make_frames(struct reader *r,
                        struct mpdata_pprof_location *location)
{
    struct mprof_cursor c = mprof_cursor_over(
        location->bytes, location->size,
        (uint64_t)((const char *)location->bytes - r->errors.data), SECTION);
    struct mpdata_protobuf_field f;
    struct mpdata_pprof_line line = {.line = 0};
    bool has_line = false;

    location->first_frame = r->frames.count;
    while (r->errors.err == MPROF_E_OK && mpdata_protobuf_next(&c, &f)) {
        if (!f.has_bytes || f.number != MPROF_PPROF_LOCATION_LINE)
            continue;
        /* All lines but the last are inlined. */
        if (has_line)
            add_line(r, &line, true, location->bytes);
        line = (struct mpdata_pprof_line){.line = 0};
        mpdata_pprof_rows_read(MPDATA_PPROF_ROW_LINE, &f.bytes, &line);
        check(r, &f.bytes);
        has_line = true;
    }
    if (has_line && r->errors.err == MPROF_E_OK)
        add_line(r, &line, false, location->bytes);
    else if (r->errors.err == MPROF_E_OK)
        add_address(r, location->mapping, location->address);
    location->frame_count = (uint32_t)(r->frames.count - location->first_frame);
}

/* -- samples --------------------------------------------------------------- */

static void add_location(struct reader *r, uint64_t id, const uint8_t *at)
{
    struct mpdata_pprof_location *const location =
        find_row(r, MPROF_PPROF_LOCATION, id, at);

    if (location == NULL)
        return;
    if (location->frame_count == 0)
        make_frames(r, location);
    if (r->errors.err != MPROF_E_OK)
        return;
    if (location->frame_count > r->frames_left ||
        location->frame_count > r->nodes_max - r->stack.count) {
        mpdata_foreign_errors_say(&r->errors, MPROF_E_VALUE, at,
                                  MPDATA_FOREIGN_STACK_TOO_MANY);
        return;
    }
    r->frames_left -= location->frame_count;
    for (uint32_t i = 0; i < location->frame_count; i++)
        push(r,
             (const struct frame *)r->frames.data + location->first_frame + i);
}

static void read_label(struct reader *r, struct mpdata_pprof_sample *s,
                       struct mprof_cursor c)
{
    struct mpdata_pprof_label label = {.key = 0};

    mpdata_pprof_rows_read(MPDATA_PPROF_ROW_LABEL, &c, &label);
    check(r, &c);
    const struct mpdata_pprof_label_text text = {
        .key = string_at(r, label.key)->text,
        .text = label.text != 0 ? string_at(r, label.text) : NULL,
        .number = label.number,
        .unit = string_at(r, label.unit)->text};
    mpdata_pprof_values_label(s, &text, &r->errors);
}

static void add_context(struct reader *r, const struct mpdata_pprof_sample *s)
{
    struct mpdata_vec shown = r->stack;
    mpdata_ref *leaf = shown.data;

    if (r->dropped != 0)
        shown.data = leaf += r->dropped;
    shown.count -= r->dropped;
    if (s->type != NULL && shown.count != 0)
        *leaf = mpdata_foreign_stack_typed(
            r->profile, *leaf, mpdata_foreign_stack_name(r->profile, s->type));
    if (shown.count != 0 && *leaf == 0)
        return;
    const mpdata_ref node =
        mpdata_foreign_stack_node(r->profile, &shown, r->nodes_max);

    mpdata_profile_context(r->profile, node, s->flags, &s->mib,
                           MPDATA_CELLS_NONE);
    if (s->thread == NULL || s->thread->text.size == 0)
        return;
    struct mpdata_tagged tagged = (struct mpdata_tagged){
        .kind = MPROF_TAG_THREAD,
        .name = mpdata_foreign_stack_name(r->profile, s->thread),
        .node = node,
        .flags = s->flags & MPROF_CONTEXT_FL_TRUNCATED};
    mpdata_profile_tagged(r->profile, &tagged, &s->mib);
}

static void read_sample(struct reader *r, struct mprof_cursor c)
{
    struct mpdata_pprof_sample s = {.flags = 0};
    struct mpdata_protobuf_field f;
    uint64_t number;

    r->stack.count = r->last_dropped = r->dropped = 0;
    while (r->errors.err == MPROF_E_OK && mpdata_protobuf_next(&c, &f)) {
        if (f.number == MPROF_PPROF_SAMPLE_LABEL && f.has_bytes)
            read_label(r, &s, f.bytes);
        if (f.number != MPROF_PPROF_SAMPLE_LOCATION &&
            f.number != MPROF_PPROF_SAMPLE_VALUE)
            continue;
        while (r->errors.err == MPROF_E_OK &&
               mpdata_protobuf_next_number(&f, &number))
            f.number == MPROF_PPROF_SAMPLE_LOCATION
                ? add_location(r, number, c.data)
                : mpdata_pprof_values_add(&r->values, &s, number, &r->errors,
                                          c.data);
        check(r, &f.bytes);
    }
    check(r, &c);
    mpdata_pprof_values_fill(&r->values, &s, &r->errors, c.data);
    if (r->errors.err == MPROF_E_OK && s.mib.AllocCount != 0)
        add_context(r, &s);
    mpdata_foreign_errors_add(&r->errors, mpdata_profile_status(r->profile),
                              NULL);
    if (mpdata_profile_view(r->profile).node_count > r->nodes_max)
        mpdata_foreign_errors_say(&r->errors, MPROF_E_VALUE, c.data,
                                  MPDATA_FOREIGN_STACK_TOO_MANY);
}

static void read_samples(struct reader *r)
{
    struct mprof_cursor c = over(r);
    struct mpdata_protobuf_field f;

    while (r->errors.err == MPROF_E_OK && mpdata_protobuf_next(&c, &f)) {
        if (f.number == MPROF_PPROF_SAMPLE && f.has_bytes)
            read_sample(r, f.bytes);
    }
}

/* -- the file -------------------------------------------------------------- */

static void add_run(struct reader *r)
{
    static const char tool[] = "pprof";
    const struct mpdata_run run = {
        .run_id = mprof_checksum(r->errors.data, r->size),
        .count = 1,
        .kind = mpdata_pprof_values_run_kind(&r->values),
        .has_live = r->values.has_role[MPDATA_PPROF_ROLE_LIVE_BLOCKS] ||
                    r->values.has_role[MPDATA_PPROF_ROLE_LIVE_BYTES],
        .start_ns = mpdata_pprof_units_known(r->numbers.time_ns),
        .duration_ns = mpdata_pprof_units_known(r->numbers.duration_ns),
        /* So that lifetimes of 0 are known, too. */
        .clock_resolution_ns = r->values.has_role[MPDATA_PPROF_ROLE_LIFETIME],
        .contexts = r->tables[MPROF_PPROF_SAMPLE].count,
        .sample_period_bytes = mpdata_pprof_units_period(
            r->numbers.period, string_at(r, r->period_type.unit)->text),
        .executable =
            mpdata_foreign_stack_path(r->profile, string_at(r, r->program)),
        .tool = mpdata_profile_string(r->profile, tool, sizeof(tool) - 1)};

    if (r->errors.err == MPROF_E_OK)
        mpdata_profile_run(r->profile, &run);
}

/* Marks functions to drop; matches each name once. */
static enum mprof_err match_functions(struct reader *r,
                                      struct mpdata_pprof_drop *drop)
{
    enum { UNKNOWN, KEPT, DROPPED };
    const struct table *const functions = &r->tables[MPROF_PPROF_FUNCTION];
    uint8_t *const known =
        mpdata_vec_array(r->tables[MPROF_PPROF_STRING].count, 1);
    enum mprof_err err = known != NULL ? MPROF_E_OK : MPROF_E_NOMEM;

    for (uint32_t i = 0; i < functions->count && err == MPROF_E_OK; i++) {
        struct mpdata_pprof_function *const f =
            (struct mpdata_pprof_function *)functions->rows + i;
        const struct mpdata_str name = string_at(r, f->name)->text;

        if (r->errors.err != MPROF_E_OK)
            break;
        if (known[f->name] == UNKNOWN) {
            err = mpdata_pprof_drop_fits(drop, name, &f->is_dropped);
            known[f->name] = f->is_dropped ? DROPPED : KEPT;
        }
        f->is_dropped = known[f->name] == DROPPED;
    }
    free(known);
    return err;
}

/* Finds the functions that the profile asks to drop. */
static void find_dropped(struct reader *r)
{
    const struct mpdata_str drops = string_at(r, r->numbers.drop)->text;
    const struct mpdata_str keeps = string_at(r, r->numbers.keep)->text;
    struct mpdata_pprof_drop *drop = NULL;
    char why[128] = "a match takes too long";
    enum mprof_err err = r->errors.err;

    if (err == MPROF_E_OK)
        err = mpdata_pprof_drop_new(&drop, drops, keeps, why, sizeof(why));
    if (err == MPROF_E_OK && drop != NULL)
        err = match_functions(r, drop);
    mpdata_pprof_drop_free(drop);
    if (err == MPROF_E_NOMEM)
        mpdata_foreign_errors_no_memory(&r->errors);
    else if (err != MPROF_E_OK)
        mpdata_foreign_errors_say(
            &r->errors, err, NULL,
            "its drop_frames or keep_frames cannot be used: %s", why);
}

/* Converts the tables. Also adds binaries that no address lies in. */
static void read_content(struct reader *r)
{
    const struct table *const mappings = &r->tables[MPROF_PPROF_MAPPING];

    make_types(r);
    find_dropped(r);
    read_samples(r);
    for (uint32_t i = 0; i < mappings->count && r->errors.err == MPROF_E_OK;
         i++)
        binary_of(r, (struct mpdata_pprof_mapping *)mappings->rows + i);
    add_run(r);
}

enum mprof_err mpdata_pprof_read(const uint8_t *data, size_t size,
                                 struct mpdata_profile *into,
                                 struct mprof_diag *diag)
{
    struct reader r = {.errors = {.data = (const char *)data,
                                  .section = SECTION,
                                  .diag = diag},
                       .size = size,
                       .profile = into,
                       .none = {.text = {"", 0}},
                       .frames = {.elem_bytes = sizeof(struct frame)},
                       .stack = {.elem_bytes = sizeof(mpdata_ref)},
                       .nodes_max = mpdata_foreign_stack_nodes_max(size),
                       .frames_left = mprof_mul_sat_u64(size, FRAMES_PER_BYTE)};

    count_all(&r);
    if (r.errors.err == MPROF_E_OK)
        make_tables(&r);
    if (r.errors.err == MPROF_E_OK)
        read_content(&r);
    mpdata_foreign_errors_add(&r.errors, mpdata_profile_status(into), NULL);
    mpdata_vec_fini(&r.stack);
    mpdata_vec_fini(&r.frames);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(r.tables); i++)
        free(r.tables[i].rows);
    return r.errors.err;
}
