/* json_write.c -- a profile as JSON that loses nothing (form: json_keys.h).
 *
 * A line is begun for each row of a list, so that it can be looked at and
 * compared line by line.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/json/json_write.h"
#include "profdata/base/heapbuf.h"
#include "profdata/base/json_out.h"
#include "profdata/model/details.h"
#include "profdata/model/counters.h"
#include "profdata/model/run_columns.h"
#include "profdata/json/json_keys.h"
#include "shared/index_format.h"
#include "shared/part_format.h"

#include <stdlib.h>
#include <string.h>

struct writer {
    struct mpdata_json_out json;
    const struct mpdata_profile *profile;
    struct mpdata_view view;
    bool failed;
};

/* -- members, if they say something ----------------------------------------------- */

static void number_member(struct writer *w, const char *key, uint64_t number)
{
    if (number == 0)
        return;
    mpdata_json_out_key(&w->json, key);
    mpdata_json_out_number(&w->json, number);
}

static void id_member(struct writer *w, const char *key, uint64_t number)
{
    if (number == 0)
        return;
    mpdata_json_out_key(&w->json, key);
    mpdata_json_out_id(&w->json, number);
}

static void flag_member(struct writer *w, const char *key, bool is_set)
{
    if (!is_set)
        return;
    mpdata_json_out_key(&w->json, key);
    mpdata_json_out_bool(&w->json, true);
}

/* A reference, as an index. */
static void ref_member(struct writer *w, const char *key, mpdata_ref ref)
{
    if (ref == 0)
        return;
    mpdata_json_out_key(&w->json, key);
    mpdata_json_out_number(&w->json, ref - 1);
}

static void string_member(struct writer *w, const char *key,
                          mpdata_string string)
{
    const struct mpdata_str *s = &w->view.strings[string];

    if (s->size == 0)
        return;
    mpdata_json_out_key(&w->json, key);
    mpdata_json_out_exact(&w->json, s->bytes, s->size);
}

static void bytes_member(struct writer *w, const char *key, const void *bytes,
                         size_t size)
{
    if (size == 0)
        return;
    mpdata_json_out_key(&w->json, key);
    mpdata_json_out_hex(&w->json, bytes, size);
}

static void path_member(struct writer *w, const char *key, mpdata_ref path)
{
    size_t size = 0;
    char *text;

    if (path == 0)
        return;
    text = mpdata_profile_path_string(w->profile, path, &size);
    w->failed |= text == NULL;
    mpdata_json_out_key(&w->json, key);
    mpdata_json_out_exact(&w->json, text != NULL ? text : "", size);
    free(text);
}

/* -- lists with a row a line ------------------------------------------------------ */

static void begin_row(struct writer *w)
{
    mpdata_json_out_line(&w->json);
    mpdata_json_out_open_map(&w->json);
}

static void end_row(struct writer *w)
{
    mpdata_json_out_close_map(&w->json);
}

/* False where there is nothing to list. */
static bool begin_list(struct writer *w, const char *key, uint32_t count)
{
    if (count == 0)
        return false;
    mpdata_json_out_line(&w->json);
    mpdata_json_out_key(&w->json, key);
    mpdata_json_out_open_array(&w->json);
    return true;
}

static void put_run(struct writer *w, const struct mpdata_run *run)
{
    const struct {
        uint32_t tag;
        const char *key;
        uint64_t value;
    } columns[] = {
#define X(column, member) {MPROF_INDEX_RUNS_##column, #column, run->member},
        MPDATA_INDEX_RUN_COLUMNS(X)
#undef X
    };

    begin_row(w);
    for (size_t k = 0; k < MPROF_ARRAY_LEN(columns); k++) {
        const uint64_t value = columns[k].value;

        switch (columns[k].tag) {
        case MPROF_INDEX_RUNS_EXECUTABLE:
            path_member(w, columns[k].key, (mpdata_ref)value);
            break;
#define X(column, member) case MPROF_INDEX_RUNS_##column:
            MPDATA_INDEX_RUN_STRINGS(X)
#undef X
            string_member(w, columns[k].key, (mpdata_string)value);
            break;
        case MPROF_INDEX_RUNS_RUN_ID:
            id_member(w, columns[k].key, value);
            break;
        default:
            number_member(w, columns[k].key, value);
        }
    }
    end_row(w);
}

static void put_binary(struct writer *w, const struct mpdata_binary *binary)
{
    const struct mpdata_str *const id = &w->view.strings[binary->build_id];

    begin_row(w);
    path_member(w, "Path", binary->path);
    bytes_member(w, "BuildId", id->bytes, id->size);
    flag_member(w, "Instrumented",
                (binary->flags & MPROF_BINARY_FL_INSTRUMENTED) != 0);
    flag_member(w, "NotInstrumented",
                (binary->flags & MPROF_BINARY_FL_NOT_INSTRUMENTED) != 0);
    end_row(w);
}

static void put_function(struct writer *w,
                         const struct mpdata_function *function)
{
    begin_row(w);
    string_member(w, "Name", function->name);
    id_member(w, "Guid", function->guid);
    path_member(w, "File", function->path);
    number_member(w, "Line", function->line);
    end_row(w);
}

static void put_frame(struct writer *w, const struct mpdata_frame *e)
{
    begin_row(w);
    ref_member(w, "Function", e->function);
    path_member(w, "File", e->path);
    number_member(w, "Line", e->line);
    number_member(w, "Column", e->column);
    number_member(w, "Discriminator", e->discriminator);
    flag_member(w, "Inline", (e->flags & MPROF_ENTRY_FL_INLINE) != 0);
    flag_member(w, "NoLines", (e->flags & MPROF_ENTRY_FL_NO_LINES) != 0);
    ref_member(w, "Binary", e->binary);
    string_member(w, "Type", e->type);
    number_member(w, "TypeBytes", e->type_bytes);
    string_member(w, "TypeFields", e->type_fields);
    id_member(w, "Address", e->address);
    end_row(w);
}

static void put_histogram(struct writer *w, struct mpdata_cells cells)
{
    struct mpdata_cells_run run;

    if (cells.words == NULL)
        return;
    mpdata_json_out_key(&w->json, "Histogram");
    mpdata_json_out_open_array(&w->json);
    while (mpdata_cells_next_run(&cells, &run)) {
        mpdata_json_out_open_array(&w->json);
        mpdata_json_out_number(&w->json, run.first);
        for (uint64_t i = 0; i < run.count; i++)
            mpdata_json_out_number(&w->json, run.counts[i]);
        mpdata_json_out_close_array(&w->json);
    }
    mpdata_json_out_close_array(&w->json);
}

static void put_callstack(struct writer *w, mpdata_ref node)
{
    const struct mpdata_node *nodes = w->view.nodes;

    mpdata_json_out_key(&w->json, "Callstack");
    mpdata_json_out_open_array(&w->json);
    for (mpdata_ref at = node; at != 0; at = nodes[at - 1].parent)
        mpdata_json_out_number(&w->json, nodes[at - 1].frame);
    mpdata_json_out_close_array(&w->json);
}

static void put_detail(struct writer *w, const struct mpdata_detail *detail)
{
    mpdata_json_out_open_map(&w->json);
    number_member(w, "Kind", detail->kind);
    if (mprof_detail_is_stack(detail->kind))
        put_callstack(w, detail->key);
    else
        number_member(w,
                      mprof_detail_is_bucket(detail->kind) ? "Bucket" : "Place",
                      detail->key);
    number_member(w, "Blocks", detail->count);
    number_member(w, "Bytes", detail->bytes);
    mpdata_json_out_close_map(&w->json);
}

static void put_details(struct writer *w, const struct mpdata_context *c)
{
    bool is_first = true;

    for (uint32_t kind = 1; kind < MPROF_DETAIL_KINDS_END; kind++) {
        const struct mpdata_details details =
            mpdata_details_of(&w->view, c, kind);

        if (details.count != 0 && is_first) {
            mpdata_json_out_key(&w->json, "Details");
            mpdata_json_out_open_array(&w->json);
            is_first = false;
        }
        for (uint32_t i = 0; i < details.count; i++)
            put_detail(w, &details.rows[i]);
    }
    if (!is_first)
        mpdata_json_out_close_array(&w->json);
}

static void put_mib(struct writer *w, const struct mprof_mib *mib)
{
    mpdata_json_out_key(&w->json, "MemInfoBlock");
    mpdata_json_out_open_map(&w->json);
    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++)
        number_member(w, mprof_mib_fields[i].name, mprof_mib_get(mib, i));
    mpdata_json_out_close_map(&w->json);
}

static void put_context(struct writer *w, const struct mpdata_context *c)
{
    const struct mprof_mib mib =
        mpdata_packed_mib_get(&c->mib, w->view.mib_bases);

    begin_row(w);
    put_callstack(w, c->node);
    flag_member(w, "Truncated", (c->flags & MPROF_CONTEXT_FL_TRUNCATED) != 0);
    flag_member(w, "NotMeasured",
                (c->flags & MPROF_CONTEXT_FL_NOT_MEASURED) != 0);
    flag_member(w, "NotAllSeen",
                (c->flags & MPROF_CONTEXT_FL_NOT_ALL_SEEN) != 0);
    put_mib(w, &mib);
    put_histogram(w, c->cells);
    put_details(w, c);
    end_row(w);
}

static void put_sample(struct writer *w, const struct mpdata_sample *sample)
{
    mpdata_json_out_open_array(&w->json);
    mpdata_json_out_number(&w->json, sample->ns);
    mpdata_json_out_number(&w->json, sample->bytes);
    mpdata_json_out_number(&w->json, sample->most);
    mpdata_json_out_number(&w->json, sample->blocks);
    mpdata_json_out_number(&w->json, sample->rss);
    mpdata_json_out_close_array(&w->json);
}

static void put_mark(struct writer *w, const struct mpdata_mark *mark)
{
    mpdata_json_out_open_map(&w->json);
    number_member(w, "Ns", mark->ns);
    number_member(w, "Kind", mark->kind);
    string_member(w, "Name", mark->name);
    number_member(w, "Bytes", mark->bytes);
    mpdata_json_out_close_map(&w->json);
}

static void put_series(struct writer *w, const struct mpdata_series *series)
{
    begin_row(w);
    id_member(w, "Run", series->run_id);
    number_member(w, "Step", series->step_ns);
    number_member(w, "Dropped", series->dropped_marks);
    mpdata_json_out_key(&w->json, "Samples");
    mpdata_json_out_open_array(&w->json);
    for (uint32_t i = 0; i < series->sample_count; i++)
        put_sample(w, &series->samples[i]);
    mpdata_json_out_close_array(&w->json);
    if (series->mark_count != 0) {
        mpdata_json_out_key(&w->json, "Marks");
        mpdata_json_out_open_array(&w->json);
        for (uint32_t i = 0; i < series->mark_count; i++)
            put_mark(w, &series->marks[i]);
        mpdata_json_out_close_array(&w->json);
    }
    end_row(w);
}

static void put_part(struct writer *w, const struct mpdata_part *part)
{
    const char *const kind = mprof_part_kind_text(part->kind);
    const struct mprof_mib mib =
        mpdata_packed_mib_get(&part->mib, w->view.part_bases);

    begin_row(w);
    mpdata_json_out_key(&w->json, "Kind");
    mpdata_json_out_exact(&w->json, kind, strlen(kind));
    string_member(w, "Name", part->name);
    put_callstack(w, part->node);
    flag_member(w, "Truncated",
                (part->flags & MPROF_CONTEXT_FL_TRUNCATED) != 0);
    put_mib(w, &mib);
    end_row(w);
}

static void put_tables(struct writer *w)
{
    const struct mpdata_view *const v = &w->view;

#define LIST(key, rows, count, put)             \
    if (begin_list(w, key, v->count)) {         \
        for (uint32_t i = 0; i < v->count; i++) \
            put(w, &v->rows[i]);                \
        mpdata_json_out_close_array(&w->json);  \
    }
    LIST("Runs", runs, run_count, put_run)
    LIST("Binaries", binaries, binary_count, put_binary)
    LIST("Functions", functions, function_count, put_function)
    LIST("Frames", frames, frame_count, put_frame)
    LIST("Contexts", contexts, context_count, put_context)
    LIST("Series", series, series_count, put_series)
    LIST("Parts", parts, part_count, put_part)
#undef LIST
}

/* -- counters -------------------------------------------------------------------- */

static void put_counters(struct writer *w, const struct mpdata_counters *c)
{
    const struct mpdata_bytes *ids = c->binary_ids.data;
    const uint64_t word = mpdata_counters_write_version(c);

    mpdata_json_out_line(&w->json);
    mpdata_json_out_key(&w->json, "Counters");
    mpdata_json_out_open_map(&w->json);
    number_member(w, "Version", word & ~MPROF_INDEX_VARIANT_MASK);
    id_member(w, "Variant", word & MPROF_INDEX_VARIANT_MASK);
    bytes_member(w, "Summary", c->summary.data, c->summary.size);
    bytes_member(w, "Table", c->table.data, c->table.size);
    number_member(w, "TableOffset", c->table_off);
    bytes_member(w, "VTables", c->vtables.data, c->vtables.size);
    bytes_member(w, "Temporal", c->temporal.data, c->temporal.size);
    if (begin_list(w, "BinaryIds", c->binary_ids.count)) {
        for (uint32_t i = 0; i < c->binary_ids.count; i++)
            mpdata_json_out_hex(&w->json, ids[i].data, ids[i].size);
        mpdata_json_out_close_array(&w->json);
    }
    mpdata_json_out_close_map(&w->json);
}

/* -- the document ------------------------------------------------------------------ */

static void put_document(struct writer *w,
                         const struct mpdata_content *canonical)
{
    mpdata_json_out_open_map(&w->json);
    mpdata_json_out_key(&w->json, MPDATA_JSON_VERSION_KEY);
    mpdata_json_out_number(&w->json, MPDATA_JSON_VERSION);
    put_tables(w);
    if (canonical->counters.is_present)
        put_counters(w, &canonical->counters);
    mpdata_json_out_close_map(&w->json);
    mpdata_json_out_line(&w->json);
}

enum mprof_err mpdata_json_write_content(const struct mpdata_content *canonical,
                                         struct mpdata_sink *out)
{
    struct writer w = {.profile = canonical->profile,
                       .view = mpdata_profile_view(canonical->profile)};

    if (mpdata_profile_status(canonical->profile) != MPROF_E_OK)
        return mpdata_profile_status(canonical->profile);
    if (mpdata_json_out_init(&w.json, out))
        put_document(&w, canonical);
    else
        w.failed = true;
    mpdata_json_out_fini(&w.json);
    return w.failed || out->failed ? MPROF_E_NOMEM : MPROF_E_OK;
}
