/* json_read.c -- reads a profile as JSON (json_form.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/json/json.h"
#include "profdata/json/json_form.h"
#include "profdata/json/json_in.h"
#include "shared/detail.h"
#include "shared/tag_format.h"
#include "shared/raw_format.h"

#include <stdlib.h>
#include <string.h>

/* Duration of a run at one of its dumps. */
struct run_end {
    uint64_t run_id;
    uint64_t ns;
};

struct reader {
    struct mpdata_json_in in;
    struct mpdata_content *content;
    struct mpdata_profile *profile;
    struct mpdata_vec binaries;  /* mpdata_ref, by number */
    struct mpdata_vec functions; /* likewise */
    struct mpdata_vec frames;    /* likewise */
    struct mpdata_vec stack;     /* mpdata_ref: of the current call stack */
    struct mpdata_vec details;   /* struct mpdata_detail: of the context */
    struct mpdata_vec run_ends;  /* struct run_end */
    uint32_t series_count;
    struct mpdata_cells_builder cells; /* the current histogram */
    uint64_t cells_end;                /* cell after the last one read */
    bool has_cells;
    bool has_all_cells; /* it lists the counts of all cells: the older form */
};

static void read_members(struct reader *r,
                         const struct mpdata_json_form_row *form, void *row);

static bool is_ok(const struct reader *r)
{
    return r->in.err == MPROF_E_OK;
}

/* A new row of a vector, or NULL after a failure. */
static void *add_row(struct reader *r, struct mpdata_vec *rows)
{
    void *const row = is_ok(r) ? mpdata_vec_push(rows) : NULL;

    if (row == NULL)
        mpdata_json_in_fail_memory(&r->in);
    return row;
}

static void keep_ref(struct reader *r, struct mpdata_vec *refs, mpdata_ref ref)
{
    mpdata_ref *const row = add_row(r, refs);

    if (row != NULL)
        *row = ref;
}

/* -- values ------------------------------------------------------------------ */

/* Reads an index and returns its entry in a list read before. */
static mpdata_ref read_ref(struct reader *r, const struct mpdata_vec *refs)
{
    const uint64_t i = mpdata_json_in_number(&r->in, UINT32_MAX);

    if (!is_ok(r))
        return 0;
    if (i < refs->count)
        return ((const mpdata_ref *)refs->data)[i];
    mpdata_json_in_fail(&r->in, MPROF_E_REFERENCE, "number %u", (unsigned)i);
    return 0;
}

static mpdata_ref read_stack(struct reader *r)
{
    mpdata_ref node = 0;

    r->stack.count = 0;
    mpdata_json_in_array(&r->in);
    while (mpdata_json_in_item(&r->in))
        keep_ref(r, &r->stack, read_ref(r, &r->frames));
    const mpdata_ref *frames = r->stack.data;
    for (uint32_t i = r->stack.count; i-- > 0 && is_ok(r);)
        node = mpdata_profile_node(r->profile, node, frames[i]);
    return node;
}

_Static_assert(MPROF_MIB_FIELDS <= MPDATA_JSON_IN_KEYS_MAX,
               "each field is a key");

static void read_mib(struct reader *r, struct mprof_mib *mib)
{
    struct mpdata_json_in_keys keys = {.first = &mprof_mib_fields[0].name,
                                       .stride = sizeof(mprof_mib_fields[0]),
                                       .count = MPROF_MIB_FIELDS};
    size_t key;

    mpdata_json_in_object(&r->in);
    while (mpdata_json_in_key(&r->in, &keys, &key))
        mprof_mib_set(mib, key, mpdata_json_in_number(&r->in, UINT64_MAX));
}

static void read_count(struct reader *r)
{
    const uint64_t count = mpdata_json_in_number(&r->in, UINT64_MAX);

    if (!is_ok(r))
        return;
    mpdata_cells_add(&r->cells, r->cells_end++, count);
    if (r->cells.failed)
        mpdata_json_in_fail_memory(&r->in);
}

static void read_span(struct reader *r)
{
    if (!mpdata_json_in_array(&r->in) || !mpdata_json_in_item(&r->in))
        return;
    uint64_t first = mpdata_json_in_number(&r->in, INT64_MAX);
    if (is_ok(r) && first < r->cells_end)
        mpdata_json_in_fail(&r->in, MPROF_E_VALUE,
                            "a run that starts before the end of the last one");
    r->cells_end = first;
    while (mpdata_json_in_item(&r->in))
        read_count(r);
}

static void read_histogram(struct reader *r)
{
    r->has_cells = mpdata_json_in_array(&r->in);
    while (r->has_cells && mpdata_json_in_item(&r->in)) {
        r->has_all_cells = r->in.next.kind != MPDATA_JSON_IN_ARRAY;
        if (r->has_all_cells)
            read_count(r);
        else
            read_span(r);
    }
}

static void read_detail(struct reader *r)
{
    struct mpdata_json_form_detail row = {.kind = 0};

    read_members(r, &mpdata_json_form_detail, &row);
    if (is_ok(r) && (row.kind == 0 || row.kind >= MPROF_DETAIL_KINDS_END))
        mpdata_json_in_fail(&r->in, MPROF_E_VALUE, "a detail of no kind");
    if (is_ok(r) && row.bucket != 0 &&
        row.bucket >= mprof_detail_buckets(row.kind))
        mpdata_json_in_fail(&r->in, MPROF_E_VALUE,
                            "a bucket that is too large");
    struct mpdata_detail *detail = add_row(r, &r->details);
    if (detail == NULL)
        return;
    *detail = (struct mpdata_detail){
        .kind = row.kind,
        .key = mprof_detail_is_stack(row.kind)       ? row.node
               : mprof_detail_buckets(row.kind) != 0 ? row.bucket
                                                     : row.place,
        .count = row.blocks,
        .bytes = row.bytes};
}

static uint32_t read_tagged_kind(struct reader *r)
{
    const struct mpdata_str s = mpdata_json_in_string(&r->in);

    for (uint32_t kind = 1; kind < MPROF_TAG_KINDS_END; kind++) {
        const char *const text = mprof_tag_kind_text(kind);

        if (text != NULL && s.size == strlen(text) &&
            memcmp(s.bytes, text, s.size) == 0)
            return kind;
    }
    mpdata_json_in_fail(&r->in, MPROF_E_VALUE, "no kind of part");
    return 0;
}

static void read_sample(struct reader *r, struct mpdata_series *series)
{
    uint64_t values[6] = {0};
    size_t count = 0;

    if (!mpdata_json_in_array(&r->in))
        return;
    while (mpdata_json_in_item(&r->in)) {
        const uint64_t value = mpdata_json_in_number(&r->in, UINT64_MAX);

        if (count < MPROF_ARRAY_LEN(values))
            values[count++] = value;
    }
    if (series->sample_count == MPDATA_SERIES_SAMPLES_MAX ||
        (series->sample_count != 0 &&
         values[0] <= series->samples[series->sample_count - 1].ns)) {
        mpdata_json_in_fail(&r->in, MPROF_E_VALUE,
                            "samples that do not follow each other");
        return;
    }
    series->samples[series->sample_count++] = (struct mpdata_sample){
        values[0], values[1], values[2], values[3], values[4], values[5]};
}

static void read_mark(struct reader *r, struct mpdata_series *series)
{
    struct mpdata_mark mark = {.ns = 0};

    read_members(r, &mpdata_json_form_mark, &mark);
    if (series->mark_count == MPDATA_SERIES_MARKS_MAX)
        mpdata_json_in_fail(&r->in, MPROF_E_LIMIT, "more marks than are kept");
    else
        series->marks[series->mark_count++] = mark;
}

static void read_blob(struct reader *r, struct mpdata_bytes *blob)
{
    const struct mpdata_str s = mpdata_json_in_bytes(&r->in);

    if (!mpdata_counters_keep(&r->content->counters, s.bytes, s.size, blob))
        mpdata_json_in_fail_memory(&r->in);
}

static void read_blobs(struct reader *r, struct mpdata_vec *blobs)
{
    struct mpdata_bytes *row;

    mpdata_json_in_array(&r->in);
    while (mpdata_json_in_item(&r->in)) {
        row = add_row(r, blobs);
        if (row != NULL)
            read_blob(r, row);
    }
}

/* -- members ----------------------------------------------------------------- */

/* Reads the value of a member that holds a number. */
static uint64_t read_number(struct reader *r,
                            const struct mpdata_json_form_field *field)
{
    struct mpdata_str s;

    switch (field->kind) {
    case MPDATA_JSON_FORM_BIT:
        return mpdata_json_in_number(&r->in, 1);
    case MPDATA_JSON_FORM_STRING:
    case MPDATA_JSON_FORM_DIGITS:
        s = field->kind == MPDATA_JSON_FORM_STRING
                ? mpdata_json_in_string(&r->in)
                : mpdata_json_in_bytes(&r->in);
        return mpdata_profile_string(r->profile, s.bytes, s.size);
    case MPDATA_JSON_FORM_PATH:
        s = mpdata_json_in_string(&r->in);
        return mpdata_profile_path(r->profile, s.bytes, s.size);
    case MPDATA_JSON_FORM_FUNCTION:
        return read_ref(r, &r->functions);
    case MPDATA_JSON_FORM_BINARY:
        return read_ref(r, &r->binaries);
    case MPDATA_JSON_FORM_STACK:
        return read_stack(r);
    case MPDATA_JSON_FORM_PART_KIND:
        return read_tagged_kind(r);
    default:
        return mpdata_json_in_number(
            &r->in,
            field->member.bytes == sizeof(uint32_t) ? UINT32_MAX : UINT64_MAX);
    }
}

static void read_rows(struct reader *r, struct mpdata_series *series,
                      void (*read)(struct reader *, struct mpdata_series *))
{
    mpdata_json_in_array(&r->in);
    while (mpdata_json_in_item(&r->in))
        read(r, series);
}

static void read_member(struct reader *r,
                        const struct mpdata_json_form_field *field, void *row)
{
    void *const member = (uint8_t *)row + field->member.offset;

    switch (field->kind) {
    case MPDATA_JSON_FORM_FLAG:
        if (mpdata_json_in_bool(&r->in))
            *(uint32_t *)member |= field->flag;
        break;
    case MPDATA_JSON_FORM_MIB:
        read_mib(r, member);
        break;
    case MPDATA_JSON_FORM_HISTOGRAM:
        read_histogram(r);
        break;
    case MPDATA_JSON_FORM_DETAILS:
        mpdata_json_in_array(&r->in);
        while (mpdata_json_in_item(&r->in))
            read_detail(r);
        break;
    case MPDATA_JSON_FORM_SAMPLES:
        read_rows(r, row, read_sample);
        break;
    case MPDATA_JSON_FORM_MARKS:
        read_rows(r, row, read_mark);
        break;
    case MPDATA_JSON_FORM_BLOB:
        read_blob(r, member);
        break;
    case MPDATA_JSON_FORM_BLOBS:
        read_blobs(r, member);
        break;
    case MPDATA_JSON_FORM_SKIPPED:
        mpdata_json_in_skip(&r->in);
        break;
    default:
        mpdata_member_set(field->member, row, read_number(r, field));
        break;
    }
}

/* Reads an object into *row. */
static void read_members(struct reader *r,
                         const struct mpdata_json_form_row *form, void *row)
{
    struct mpdata_json_in_keys keys = {.first = &form->fields[0].name,
                                       .stride = sizeof(form->fields[0]),
                                       .count = form->count};
    size_t key;

    mpdata_json_in_object(&r->in);
    while (mpdata_json_in_key(&r->in, &keys, &key))
        read_member(r, &form->fields[key], row);
    mpdata_json_in_need(&r->in, &keys, form->needed);
}

/* -- rows of the lists ------------------------------------------------------- */

static void read_run(struct reader *r)
{
    struct mpdata_run run = {.run_id = 0};

    read_members(r, &mpdata_json_form_run, &run);
    mpdata_profile_run(r->profile, &run);
    /* Only dumps with a dump number may have series. */
    if (run.dump == 0)
        return;
    struct run_end *end = add_row(r, &r->run_ends);
    if (end != NULL)
        *end = (struct run_end){run.run_id, run.duration_ns};
}

static void read_binary(struct reader *r)
{
    struct mpdata_binary binary = {.path = 0};

    read_members(r, &mpdata_json_form_binary, &binary);
    keep_ref(r, &r->binaries, mpdata_profile_binary(r->profile, &binary));
}

static void read_function(struct reader *r)
{
    struct mpdata_function function = {.name = 0};

    read_members(r, &mpdata_json_form_function, &function);
    keep_ref(r, &r->functions, mpdata_profile_function(r->profile, &function));
}

static void read_frame(struct reader *r)
{
    struct mpdata_frame frame = {.function = 0};

    read_members(r, &mpdata_json_form_frame, &frame);
    keep_ref(r, &r->frames, mpdata_profile_frame(r->profile, &frame));
}

/* The histogram that was read, for a context with this MIB. */
static struct mpdata_cells take_histogram(struct reader *r,
                                          const struct mprof_mib *mib)
{
    if (r->cells_end > mib->AccessHistogramSize ||
        (r->has_all_cells && r->cells_end != mib->AccessHistogramSize))
        mpdata_json_in_fail(
            &r->in, MPROF_E_VALUE,
            "a histogram of another size than its context says");
    return r->has_cells ? mpdata_cells_of(r->cells.words, 0, r->cells.count)
                        : MPDATA_CELLS_NONE;
}

static void read_context(struct reader *r)
{
    struct mpdata_json_form_context row = {.kind = 0};
    struct mpdata_detail *details;

    mpdata_cells_clear(&r->cells);
    r->cells_end = 0;
    r->has_cells = false;
    r->has_all_cells = false;
    r->details.count = 0;
    read_members(r, &mpdata_json_form_context, &row);
    struct mpdata_cells cells = take_histogram(r, &row.mib);
    if (!is_ok(r))
        return;
    mpdata_profile_context(r->profile, row.node, row.flags, &row.mib, cells);
    details = r->details.data;
    for (uint32_t i = 0; i < r->details.count; i++) {
        details[i].node = row.node;
        mpdata_profile_detail(r->profile, &details[i]);
    }
}

static uint64_t find_run_end(const struct reader *r, uint64_t run_id)
{
    const struct run_end *const ends = r->run_ends.data;
    uint64_t ns = 0;

    for (uint32_t i = 0; i < r->run_ends.count; i++) {
        if (ends[i].run_id == run_id)
            ns = mprof_max_u64(ns, ends[i].ns);
    }
    return ns;
}

static void read_series(struct reader *r)
{
    struct mpdata_series series = {
        .samples = mpdata_vec_array(MPDATA_SERIES_SAMPLES_MAX,
                                    sizeof(*series.samples)),
        .marks =
            mpdata_vec_array(MPDATA_SERIES_MARKS_MAX, sizeof(*series.marks))};

    if (series.samples == NULL || series.marks == NULL)
        mpdata_json_in_fail_memory(&r->in);
    else if (r->series_count++ == MPDATA_SERIES_MAX)
        mpdata_json_in_fail(&r->in, MPROF_E_LIMIT, "more runs than are kept");
    else
        read_members(r, &mpdata_json_form_series, &series);
    series.until_ns = find_run_end(r, series.run_id);
    if (is_ok(r))
        mpdata_profile_series(r->profile, &series);
    free(series.samples);
    free(series.marks);
}

static void read_tagged(struct reader *r)
{
    struct mpdata_json_form_context row = {.kind = 0};

    read_members(r, &mpdata_json_form_tagged, &row);
    if (is_ok(r) && !mprof_tag_is_valid(row.kind, row.node))
        mpdata_json_in_fail(&r->in, MPROF_E_VALUE,
                            "what was left out has no call stack");
    if (!is_ok(r))
        return;
    struct mpdata_tagged tagged = (struct mpdata_tagged){.kind = row.kind,
                                                         .name = row.name,
                                                         .node = row.node,
                                                         .flags = row.flags};
    mpdata_profile_tagged(r->profile, &tagged, &row.mib);
}

/* Checks counters by the rules for LLVM's indexed files. */
static void read_counters(struct reader *r)
{
    struct mpdata_counters *const c = &r->content->counters;

    read_members(r, &mpdata_json_form_counters, c);
    if (is_ok(r) && c->version > MPROF_INDEX_VERSION_MAX)
        mpdata_json_in_fail(&r->in, MPROF_E_VALUE, "too large a version");
    if (!is_ok(r))
        return;
    c->variant &= MPROF_INDEX_VARIANT_MASK & ~MPROF_INDEX_VARIANT_MEMPROF;
    enum mprof_err err = mpdata_counters_read_check(c);
    if (err != MPROF_E_OK)
        mpdata_json_in_fail(&r->in, err, "the counters");
}

/* -- the document ------------------------------------------------------------ */

static const struct {
    const char *name;
    void (*read)(struct reader *r); /* NULL: not read here */
    bool is_list;
} keys_of_document[] = {
    {MPDATA_JSON_FORM_VERSION_KEY, NULL, false},
    {"Runs", read_run, true},
    {"Binaries", read_binary, true},
    {"Functions", read_function, true},
    {"Frames", read_frame, true},
    {"Contexts", read_context, true},
    {"Series", read_series, true},
    {"Parts", read_tagged, true},
    {"Listed", NULL, true},
    {"Counters", read_counters, false},
};

static void read_value(struct reader *r, size_t key)
{
    if (keys_of_document[key].read == NULL) {
        mpdata_json_in_skip(&r->in);
    } else if (!keys_of_document[key].is_list) {
        keys_of_document[key].read(r);
    } else {
        mpdata_json_in_array(&r->in);
        while (mpdata_json_in_item(&r->in))
            keys_of_document[key].read(r);
    }
}

/* The version must come first: it tells the form of the rest. */
static void read_version(struct reader *r, size_t key)
{
    struct mpdata_json_in *const in = &r->in;
    uint64_t version = 0;

    if (key != 0)
        mpdata_json_in_fail(in, MPROF_E_VALUE,
                            MPDATA_JSON_FORM_VERSION_KEY " must come first");
    else
        version = mpdata_json_in_number(in, UINT64_MAX);
    if (in->err == MPROF_E_OK && (version < MPDATA_JSON_FORM_VERSION ||
                                  version > MPDATA_JSON_FORM_VERSION_FIELDS))
        mpdata_json_in_fail(in, MPROF_E_VERSION, "version %llu",
                            (unsigned long long)version);
    (void)!mpdata_profile_take_cells(
        r->profile, version == MPDATA_JSON_FORM_VERSION ? 0
                    : version == MPDATA_JSON_FORM_VERSION_MEMBERS
                        ? MPROF_RAW_CELLS_MEMBERS
                        : MPROF_RAW_CELLS_FIELDS); /* is empty */
}

static void read_document(struct reader *r)
{
    struct mpdata_json_in_keys keys = {.first = &keys_of_document[0].name,
                                       .stride = sizeof(keys_of_document[0]),
                                       .count =
                                           MPROF_ARRAY_LEN(keys_of_document)};
    size_t key;

    mpdata_json_in_object(&r->in);
    for (bool is_first = true; mpdata_json_in_key(&r->in, &keys, &key);
         is_first = false) {
        if (is_first)
            read_version(r, key);
        else
            read_value(r, key);
    }
    mpdata_json_in_need(&r->in, &keys, 1);
    if (is_ok(r) && r->in.next.kind != MPDATA_JSON_IN_END)
        mpdata_json_in_fail(&r->in, MPROF_E_VALUE,
                            "something follows the profile");
    if (is_ok(r) && mpdata_profile_status(r->profile) != MPROF_E_OK)
        mpdata_json_in_fail(&r->in, mpdata_profile_status(r->profile),
                            "too much");
}

/* Reads into *content, which holds only this file. */
static enum mprof_err read_content(const void *data, size_t size,
                                   struct mpdata_content *content,
                                   struct mprof_diag *diag)
{
    struct reader r = {.content = content,
                       .profile = content->profile,
                       .binaries = {.elem_bytes = sizeof(mpdata_ref)},
                       .functions = {.elem_bytes = sizeof(mpdata_ref)},
                       .frames = {.elem_bytes = sizeof(mpdata_ref)},
                       .stack = {.elem_bytes = sizeof(mpdata_ref)},
                       .details = {.elem_bytes = sizeof(struct mpdata_detail)},
                       .run_ends = {.elem_bytes = sizeof(struct run_end)}};

    mpdata_json_in_open(&r.in, data, size, diag);
    if (is_ok(&r))
        read_document(&r);
    mpdata_json_in_close(&r.in);
    mpdata_vec_fini(&r.binaries);
    mpdata_vec_fini(&r.functions);
    mpdata_vec_fini(&r.frames);
    mpdata_vec_fini(&r.stack);
    mpdata_vec_fini(&r.details);
    mpdata_vec_fini(&r.run_ends);
    mpdata_cells_fini(&r.cells);
    return r.in.err;
}

enum mprof_err mpdata_json_read(const void *data, size_t size,
                                struct mpdata_content *into,
                                struct mprof_diag *diag)
{
    struct mpdata_content own;
    enum mprof_err err = mpdata_content_init(&own);

    if (err == MPROF_E_OK)
        err = read_content(data, size, &own, diag);
    else
        mprof_err_plain(diag, err);
    if (err == MPROF_E_OK)
        err = mpdata_content_merge(into, &own, 1, diag);
    mpdata_content_fini(&own);
    return err;
}
