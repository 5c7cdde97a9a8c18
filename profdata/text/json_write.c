/* json_write.c -- a profile as JSON that loses nothing (form: json_keys.h).
 *
 * yajl makes the JSON; a line is begun for each row of a list, so that it can
 * be looked at and compared line by line. Nothing is held back: what is made,
 * goes to the buffer.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/text/json_write.h"
#include "profdata/base/heapbuf.h"
#include "profdata/base/vec.h"
#include "profdata/model/counters.h"
#include "profdata/model/data_access.h"
#include "profdata/model/llvm_sites.h"
#include "profdata/model/run_columns.h"
#include "profdata/text/json_keys.h"
#include "profdata/text/json_memory.h"
#include "shared/index_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_gen.h>

struct writer {
    struct mpdata_sink *out;
    yajl_gen gen;
    struct mpdata_json_memory memory;
    const struct mpdata_profile *profile;
    struct mpdata_view view;
    bool failed;
};

static void print(void *context, const char *text, size_t size)
{
    struct writer *const w = (struct writer *)context;

    mpdata_sink_bytes(w->out, text, size);
}

/* -- scalars ------------------------------------------------------------------- */

/* Bytes of the UTF-8 character at the start of s, or 0. */
static size_t character(const uint8_t *s, size_t left)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t n = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    uint32_t c = s[0] & (0x7fu >> n);

    if (n == 1)
        return 1;
    if (s[0] < 0xc0 || s[0] > 0xf7 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    return c < smallest[n] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff ? 0
                                                                          : n;
}

static bool is_utf8(const uint8_t *s, size_t size)
{
    for (size_t i = 0; i < size;) {
        const size_t n = character(s + i, size - i);

        if (n == 0)
            return false;
        i += n;
    }
    return true;
}

static void put_bytes(struct writer *w, const void *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *const from = (const uint8_t *)bytes;
    char *const text = (char *)mpdata_vec_array(size, 2);

    for (size_t i = 0; text != NULL && i < size; i++) {
        text[2 * i] = digits[from[i] >> 4];
        text[2 * i + 1] = digits[from[i] & 15];
    }
    if (text != NULL)
        yajl_gen_string(w->gen, (const unsigned char *)text, 2 * size);
    w->failed |= text == NULL;
    free(text);
}

static void put_key(struct writer *w, const char *key)
{
    yajl_gen_string(w->gen, (const unsigned char *)key, strlen(key));
}

static void put_string(struct writer *w, const char *bytes, size_t size)
{
    if (is_utf8((const uint8_t *)bytes, size)) {
        yajl_gen_string(w->gen, (const unsigned char *)bytes, size);
        return;
    }
    yajl_gen_map_open(w->gen);
    put_key(w, "hex");
    put_bytes(w, bytes, size);
    yajl_gen_map_close(w->gen);
}

static void put_number(struct writer *w, uint64_t number)
{
    char digits[24];
    const int n = snprintf(digits, sizeof(digits), "%" PRIu64, number);

    yajl_gen_number(w->gen, digits, (size_t)n);
}

static void put_id(struct writer *w, uint64_t number)
{
    char digits[24];

    snprintf(digits, sizeof(digits), "0x%" PRIx64, number);
    put_key(w, digits);
}

/* -- members, if they say something ----------------------------------------------- */

static void number_member(struct writer *w, const char *key, uint64_t number)
{
    if (number == 0)
        return;
    put_key(w, key);
    put_number(w, number);
}

static void id_member(struct writer *w, const char *key, uint64_t number)
{
    if (number == 0)
        return;
    put_key(w, key);
    put_id(w, number);
}

static void flag_member(struct writer *w, const char *key, bool is_set)
{
    if (!is_set)
        return;
    put_key(w, key);
    yajl_gen_bool(w->gen, 1);
}

/* A reference, as an index. */
static void ref_member(struct writer *w, const char *key, mpdata_ref ref)
{
    if (ref == 0)
        return;
    put_key(w, key);
    put_number(w, ref - 1);
}

static void string_member(struct writer *w, const char *key,
                          mpdata_string string)
{
    const struct mpdata_str *s = &w->view.strings[string];

    if (s->size == 0)
        return;
    put_key(w, key);
    put_string(w, s->bytes, s->size);
}

static void bytes_member(struct writer *w, const char *key, const void *bytes,
                         size_t size)
{
    if (size == 0)
        return;
    put_key(w, key);
    put_bytes(w, bytes, size);
}

static void path_member(struct writer *w, const char *key, mpdata_ref path)
{
    size_t size = 0;
    char *text;

    if (path == 0)
        return;
    text = mpdata_profile_path_string(w->profile, path, &size);
    w->failed |= text == NULL;
    put_key(w, key);
    put_string(w, text != NULL ? text : "", size);
    free(text);
}

static void numbers_member(struct writer *w, const char *key,
                           const uint64_t *numbers, uint64_t count)
{
    if (count == 0)
        return;
    put_key(w, key);
    yajl_gen_array_open(w->gen);
    for (uint64_t i = 0; i < count; i++)
        put_number(w, numbers[i]);
    yajl_gen_array_close(w->gen);
}

/* -- lists with a row a line ------------------------------------------------------ */

static void begin_row(struct writer *w)
{
    mpdata_sink_char(w->out, '\n');
    yajl_gen_map_open(w->gen);
}

static void end_row(struct writer *w)
{
    yajl_gen_map_close(w->gen);
}

/* False where there is nothing to list. */
static bool begin_list(struct writer *w, const char *key, uint32_t count)
{
    if (count == 0)
        return false;
    mpdata_sink_char(w->out, '\n');
    put_key(w, key);
    yajl_gen_array_open(w->gen);
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
        case MPROF_INDEX_RUNS_HOST:
        case MPROF_INDEX_RUNS_OPTIONS:
        case MPROF_INDEX_RUNS_TOOL:
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
    id_member(w, "Address", e->address);
    end_row(w);
}

static void put_histogram(struct writer *w, struct mpdata_cells cells)
{
    struct mpdata_cells_run run;

    if (cells.words == NULL)
        return;
    put_key(w, "Histogram");
    yajl_gen_array_open(w->gen);
    while (mpdata_cells_next_run(&cells, &run)) {
        yajl_gen_array_open(w->gen);
        put_number(w, run.first);
        for (uint64_t i = 0; i < run.count; i++)
            put_number(w, run.counts[i]);
        yajl_gen_array_close(w->gen);
    }
    yajl_gen_array_close(w->gen);
}

static void put_context(struct writer *w, const struct mpdata_context *c)
{
    const struct mprof_mib mib =
        mpdata_packed_mib_get(&c->mib, w->view.mib_bases);
    const struct mpdata_node *nodes = w->view.nodes;

    begin_row(w);
    put_key(w, "Callstack");
    yajl_gen_array_open(w->gen);
    for (mpdata_ref at = c->node; at != 0; at = nodes[at - 1].parent)
        put_number(w, nodes[at - 1].frame);
    yajl_gen_array_close(w->gen);
    flag_member(w, "Truncated", (c->flags & MPROF_CONTEXT_FL_TRUNCATED) != 0);
    flag_member(w, "Listed", (c->flags & MPROF_CONTEXT_FL_LISTED) != 0);
    flag_member(w, "NotMeasured",
                (c->flags & MPROF_CONTEXT_FL_NOT_MEASURED) != 0);
    flag_member(w, "NotAllSeen",
                (c->flags & MPROF_CONTEXT_FL_NOT_ALL_SEEN) != 0);
    put_key(w, "MemInfoBlock");
    yajl_gen_map_open(w->gen);
    for (size_t f = 0; f < MPROF_MIB_FIELDS; f++)
        number_member(w, mprof_mib_fields[f].name, mprof_mib_get(&mib, f));
    yajl_gen_map_close(w->gen);
    put_histogram(w, c->cells);
    end_row(w);
}

static void put_tables(struct writer *w)
{
    const struct mpdata_view *const v = &w->view;

#define LIST(key, rows, count, put)             \
    if (begin_list(w, key, v->count)) {         \
        for (uint32_t i = 0; i < v->count; i++) \
            put(w, &v->rows[i]);                \
        yajl_gen_array_close(w->gen);           \
    }
    LIST("Runs", runs, run_count, put_run)
    LIST("Binaries", binaries, binary_count, put_binary)
    LIST("Functions", functions, function_count, put_function)
    LIST("Frames", frames, frame_count, put_frame)
    LIST("Contexts", contexts, context_count, put_context)
#undef LIST
}

/* -- listed sites -------------------------------------------------------------- */

static void put_stack(struct writer *w, const struct mpdata_llvm_sites *sites,
                      uint32_t stack)
{
    const struct mpdata_llvm_node *nodes = sites->nodes.rows.data;
    const struct mpdata_llvm_frame *frames = sites->frames.rows.data;

    put_key(w, "Frames");
    yajl_gen_array_open(w->gen);
    for (uint32_t at = stack; at != 0; at = nodes[at - 1].parent) {
        const struct mpdata_llvm_frame *f = &frames[nodes[at - 1].frame];

        yajl_gen_map_open(w->gen);
        put_key(w, "Function");
        put_id(w, f->guid);
        number_member(w, "LineOffset", f->line_offset);
        number_member(w, "Column", f->column);
        flag_member(w, "IsInlineFrame", f->is_inline);
        yajl_gen_map_close(w->gen);
    }
    yajl_gen_array_close(w->gen);
}

static void put_listed(struct writer *w, const struct mpdata_llvm_sites *sites)
{
    const struct mpdata_llvm_listed *rows = sites->sites.rows.data;

    if (!begin_list(w, "Listed", sites->sites.rows.count))
        return;
    for (uint32_t i = 0; i < sites->sites.rows.count; i++) {
        begin_row(w);
        put_key(w, "Guid");
        put_id(w, rows[i].guid);
        number_member(w, "Kind", rows[i].kind);
        id_member(w, "Callee", rows[i].callee);
        put_stack(w, sites, rows[i].stack);
        end_row(w);
    }
    yajl_gen_array_close(w->gen);
}

/* -- data accesses --------------------------------------------------------------- */

static void put_name(struct writer *w, const struct mpdata_data_access *access,
                     uint64_t row)
{
    const struct mpdata_str *const s =
        (const struct mpdata_str *)access->strings.rows.data + row;

    put_string(w, s->bytes, s->size);
}

static void put_sampled(struct writer *w,
                        const struct mpdata_data_access *access, uint32_t i,
                        uint32_t *next)
{
    const struct mpdata_data_record *r =
        (const struct mpdata_data_record *)access->records.rows.data + i;
    const struct mpdata_data_location *locations = access->locations.rows.data;
    const uint32_t count = access->locations.rows.count;

    begin_row(w);
    put_key(w, r->data.is_literal ? "Hash" : "Symbol");
    if (r->data.is_literal)
        put_id(w, r->data.id);
    else
        put_name(w, access, r->data.id);
    put_key(w, "AccessCount");
    put_number(w, r->count);
    if (*next < count && locations[*next].record == i) {
        put_key(w, "Locations");
        yajl_gen_array_open(w->gen);
        for (; *next < count && locations[*next].record == i; (*next)++) {
            yajl_gen_map_open(w->gen);
            put_key(w, "FileName");
            put_name(w, access, locations[*next].file);
            put_key(w, "Line");
            put_number(w, locations[*next].line);
            yajl_gen_map_close(w->gen);
        }
        yajl_gen_array_close(w->gen);
    }
    end_row(w);
}

static void put_cold(struct writer *w, const struct mpdata_data_access *access,
                     bool is_literal)
{
    const struct mpdata_data_id *cold = access->cold.rows.data;
    bool is_first = true;

    for (uint32_t i = 0; i < access->cold.rows.count; i++) {
        if (cold[i].is_literal != is_literal)
            continue;
        if (is_first)
            begin_list(
                w, is_literal ? "KnownColdStrHashes" : "KnownColdSymbols", 1);
        is_first = false;
        if (is_literal)
            put_id(w, cold[i].id);
        else
            put_name(w, access, cold[i].id);
    }
    if (!is_first)
        yajl_gen_array_close(w->gen);
}

static void put_data_access(struct writer *w,
                            const struct mpdata_data_access *access)
{
    uint32_t next = 0;

    if (mpdata_data_access_is_empty(access))
        return;
    mpdata_sink_char(w->out, '\n');
    put_key(w, "DataAccessProfiles");
    yajl_gen_map_open(w->gen);
    if (begin_list(w, "SampledRecords", access->records.rows.count)) {
        for (uint32_t i = 0; i < access->records.rows.count; i++)
            put_sampled(w, access, i, &next);
        yajl_gen_array_close(w->gen);
    }
    put_cold(w, access, false);
    put_cold(w, access, true);
    yajl_gen_map_close(w->gen);
}

/* -- counters -------------------------------------------------------------------- */

static void put_values(struct writer *w, const struct mpdata_counter_record *r)
{
    bool has_sites = false;

    for (int kind = 0; kind < MPDATA_VALUE_KINDS; kind++)
        has_sites |= r->site_counts[kind] != 0;
    if (!has_sites)
        return;
    put_key(w, "Values");
    yajl_gen_array_open(w->gen);
    for (int kind = 0; kind < MPDATA_VALUE_KINDS; kind++) {
        yajl_gen_array_open(w->gen);
        for (uint32_t i = 0; i < r->site_counts[kind]; i++) {
            const struct mpdata_value_site *site = &r->sites[kind][i];

            yajl_gen_array_open(w->gen);
            for (uint32_t v = 0; v < site->count; v++) {
                put_id(w, site->values[v].value);
                put_number(w, site->values[v].count);
            }
            yajl_gen_array_close(w->gen);
        }
        yajl_gen_array_close(w->gen);
    }
    yajl_gen_array_close(w->gen);
}

static void put_counter_function(struct writer *w,
                                 const struct mpdata_counter_function *f)
{
    const struct mpdata_counter_record *records = f->records.data;

    begin_row(w);
    put_key(w, "Name");
    put_string(w, f->name, f->name_size);
    put_key(w, "Key");
    put_id(w, f->key);
    put_key(w, "Records");
    yajl_gen_array_open(w->gen);
    for (uint32_t i = 0; i < f->records.count; i++) {
        yajl_gen_map_open(w->gen);
        put_key(w, "Hash");
        put_id(w, records[i].hash);
        numbers_member(w, "Counts", records[i].counts, records[i].count_count);
        numbers_member(w, "Bitmap", records[i].bitmap, records[i].bitmap_count);
        put_values(w, &records[i]);
        yajl_gen_map_close(w->gen);
    }
    yajl_gen_array_close(w->gen);
    end_row(w);
}

static void put_counters(struct writer *w, const struct mpdata_counters *c)
{
    const struct mpdata_counter_function *f = c->functions.rows.data;
    const struct mpdata_bytes *ids = c->binary_ids.data;
    const uint64_t word = mpdata_counters_write_version(c);
    struct mprof_buf summary;

    mpdata_heapbuf_init(&summary);
    w->failed |= mpdata_counters_write_summary(c, &summary) != MPROF_E_OK;
    mpdata_sink_char(w->out, '\n');
    put_key(w, "Counters");
    yajl_gen_map_open(w->gen);
    number_member(w, "Version", word & ~MPROF_INDEX_VARIANT_MASK);
    id_member(w, "Variant", word & MPROF_INDEX_VARIANT_MASK);
    bytes_member(w, "Summary", summary.data, summary.size);
    mpdata_heapbuf_fini(&summary);
    bytes_member(w, "VTables", c->vtables.data, c->vtables.size);
    bytes_member(w, "Temporal", c->temporal.data, c->temporal.size);
    if (begin_list(w, "BinaryIds", c->binary_ids.count)) {
        for (uint32_t i = 0; i < c->binary_ids.count; i++)
            put_bytes(w, ids[i].data, ids[i].size);
        yajl_gen_array_close(w->gen);
    }
    if (begin_list(w, "Functions", c->functions.rows.count)) {
        for (uint32_t i = 0; i < c->functions.rows.count; i++)
            put_counter_function(w, &f[i]);
        yajl_gen_array_close(w->gen);
    }
    yajl_gen_map_close(w->gen);
}

/* -- the document ------------------------------------------------------------------ */

/* Only this takes memory: what is made is printed at once. */
static yajl_gen make_gen(struct writer *w)
{
    if (setjmp(w->memory.escape) != 0)
        return NULL;
    return yajl_gen_alloc(&w->memory.funcs);
}

static void put_document(struct writer *w,
                         const struct mpdata_content *canonical)
{
    yajl_gen_map_open(w->gen);
    put_key(w, MPDATA_JSON_VERSION_KEY);
    put_number(w, MPDATA_JSON_VERSION);
    put_tables(w);
    put_listed(w, &canonical->sites);
    put_data_access(w, &canonical->data_access);
    if (canonical->counters.is_present)
        put_counters(w, &canonical->counters);
    yajl_gen_map_close(w->gen);
    mpdata_sink_char(w->out, '\n');
}

enum mprof_err mpdata_json_write(const struct mpdata_content *canonical,
                                 struct mpdata_sink *out)
{
    struct writer w = {.out = out,
                       .profile = canonical->profile,
                       .view = mpdata_profile_view(canonical->profile)};

    if (mpdata_profile_status(canonical->profile) != MPROF_E_OK)
        return mpdata_profile_status(canonical->profile);
    mpdata_json_memory_init(&w.memory);
    w.gen = make_gen(&w);
    w.failed = w.gen == NULL;
    if (w.gen != NULL) {
        yajl_gen_config(w.gen, yajl_gen_print_callback, print, &w);
        put_document(&w, canonical);
    }
    mpdata_json_memory_fini(&w.memory);
    return w.failed || out->failed ? MPROF_E_NOMEM : MPROF_E_OK;
}
