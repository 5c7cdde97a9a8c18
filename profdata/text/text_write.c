/* text_write.c -- a profile as text that loses nothing (form: text_write.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/text/text_write.h"
#include "profdata/base/heapbuf.h"
#include "profdata/model/run_columns.h"
#include "shared/index_format.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 256

/* Short texts only. */
static void put(struct mprof_buf *out, const char *format, ...)
    MPROF_PRINTF(2, 3);

static void put(struct mprof_buf *out, const char *format, ...)
{
    char text[LINE_BYTES];
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    mprof_buf_bytes(out, text, (size_t)n);
}

/* -- strings ------------------------------------------------------------------ */

/* Bytes of the UTF-8 character at the start of s, if YAML may hold it as it is,
 * or 0. */
static size_t character(const uint8_t *s, size_t left)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t n = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    uint32_t c = n == 1 ? s[0] : s[0] & (0x7fu >> n);

    if (n == 1)
        return c >= 0x20 && c != 0x7f ? 1 : 0;
    if (s[0] < 0xc0 || s[0] > 0xf7 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    /* Controls, surrogates, the byte order mark, line separators. */
    if (c < smallest[n] || c < 0xa0 || (c >= 0xd800 && c < 0xe000) ||
        c == 0xfeff || (c & 0xfffe) == 0xfffe || c > 0x10ffff || c == 0x2028 ||
        c == 0x2029)
        return 0;
    return n;
}

static bool is_plain(const uint8_t *s, size_t size)
{
    for (size_t i = 0; i < size;) {
        const size_t n = character(s + i, size - i);

        if (n == 0)
            return false;
        i += n;
    }
    return true;
}

static void put_hex(struct mprof_buf *out, const uint8_t *bytes, uint64_t size)
{
    put(out, "!hex \"");
    for (uint64_t i = 0; i < size; i++)
        put(out, "%02x", bytes[i]);
    put(out, "\"");
}

/* In double quotes. */
static void put_string(struct mprof_buf *out, const char *bytes, size_t size)
{
    if (!is_plain((const uint8_t *)bytes, size)) {
        put_hex(out, (const uint8_t *)bytes, size);
        return;
    }
    put(out, "\"");
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '"' || bytes[i] == '\\')
            mprof_buf_uint(out, '\\', 1);
        mprof_buf_uint(out, (uint8_t)bytes[i], 1);
    }
    put(out, "\"");
}

/* -- members of a mapping in one line ------------------------------------------ */

struct writer {
    struct mprof_buf *out;
    const struct mpdata_profile *profile;
    struct mpdata_view view;
    bool has_member; /* the mapping at hand is not empty */
    bool failed;
};

static void put_key(struct writer *w, const char *key)
{
    put(w->out, "%s%s: ", w->has_member ? ", " : "", key);
    w->has_member = true;
}

static void begin_row(struct writer *w)
{
    put(w->out, "  - { ");
    w->has_member = false;
}

static void put_number(struct writer *w, const char *key, uint64_t number)
{
    if (number == 0)
        return;
    put_key(w, key);
    put(w->out, "%" PRIu64, number);
}

static void put_id(struct writer *w, const char *key, uint64_t number)
{
    if (number == 0)
        return;
    put_key(w, key);
    put(w->out, "0x%" PRIx64, number);
}

static void put_flag(struct writer *w, const char *key, bool is_set)
{
    if (!is_set)
        return;
    put_key(w, key);
    put(w->out, "true");
}

/* A reference, as an index. */
static void put_ref(struct writer *w, const char *key, mpdata_ref ref)
{
    if (ref == 0)
        return;
    put_key(w, key);
    put(w->out, "%" PRIu32, ref - 1);
}

static void put_text(struct writer *w, const char *key, mpdata_string string)
{
    const struct mpdata_str *s = &w->view.strings[string];

    if (s->size == 0)
        return;
    put_key(w, key);
    put_string(w->out, s->bytes, s->size);
}

static void put_path(struct writer *w, const char *key, mpdata_ref path)
{
    char *text;

    if (path == 0)
        return;
    text = mpdata_profile_path_string(w->profile, path);
    w->failed |= text == NULL;
    put_key(w, key);
    if (text != NULL)
        put_string(w->out, text, strlen(text));
    free(text);
}

/* -- tables -------------------------------------------------------------------- */

static void put_runs(struct writer *w)
{
    if (w->view.run_count != 0)
        put(w->out, "Runs:\n");
    for (uint32_t i = 0; i < w->view.run_count; i++) {
        const struct mpdata_run run = w->view.runs[i];
        const struct {
            uint32_t tag;
            const char *key;
            uint64_t value;
        } columns[] = {
#define X(column, member) {MPROF_INDEX_RUNS_##column, #column, run.member},
            MPDATA_INDEX_RUN_COLUMNS(X)
#undef X
        };

        begin_row(w);
        for (size_t k = 0; k < MPROF_ARRAY_LEN(columns); k++) {
            switch (columns[k].tag) {
            case MPROF_INDEX_RUNS_EXECUTABLE:
                put_path(w, columns[k].key, (mpdata_ref)columns[k].value);
                break;
            case MPROF_INDEX_RUNS_HOST:
            case MPROF_INDEX_RUNS_OPTIONS:
            case MPROF_INDEX_RUNS_TOOL:
                put_text(w, columns[k].key, (mpdata_string)columns[k].value);
                break;
            case MPROF_INDEX_RUNS_RUN_ID:
                put_id(w, columns[k].key, columns[k].value);
                break;
            default:
                put_number(w, columns[k].key, columns[k].value);
            }
        }
        put(w->out, " }\n");
    }
}

static void put_binaries(struct writer *w)
{
    if (w->view.binary_count != 0)
        put(w->out, "Binaries:\n");
    for (uint32_t i = 0; i < w->view.binary_count; i++) {
        const struct mpdata_binary *b = &w->view.binaries[i];
        const struct mpdata_str *id = &w->view.strings[b->build_id];

        begin_row(w);
        put_path(w, "Path", b->path);
        if (id->size != 0) {
            put_key(w, "BuildId");
            put_hex(w->out, (const uint8_t *)id->bytes, id->size);
        }
        put(w->out, " }\n");
    }
}

static void put_functions(struct writer *w)
{
    if (w->view.function_count != 0)
        put(w->out, "Functions:\n");
    for (uint32_t i = 0; i < w->view.function_count; i++) {
        const struct mpdata_function *f = &w->view.functions[i];

        begin_row(w);
        put_text(w, "Name", f->name);
        put_id(w, "Guid", f->guid);
        put_path(w, "File", f->path);
        put_number(w, "Line", f->line);
        put(w->out, " } # %" PRIu32 "\n", i);
    }
}

/* With its number and its function's name, for people. */
static void put_frame(struct writer *w, uint32_t i)
{
    const struct mpdata_entry *e = &w->view.entries[i];
    const struct mpdata_str *name =
        &w->view
             .strings[e->function != 0 ? w->view.functions[e->function - 1].name
                                       : 0];

    begin_row(w);
    put_ref(w, "Function", e->function);
    put_path(w, "File", e->path);
    put_number(w, "Line", e->line);
    put_number(w, "Column", e->column);
    put_number(w, "Discriminator", e->discriminator);
    put_flag(w, "Inline", (e->flags & MPROF_ENTRY_FL_INLINE) != 0);
    put_flag(w, "NoLines", (e->flags & MPROF_ENTRY_FL_NO_LINES) != 0);
    put_ref(w, "Binary", e->binary);
    put_id(w, "Address", e->address);
    put(w->out, " } # %" PRIu32, i);
    if (is_plain((const uint8_t *)name->bytes, name->size)) {
        put(w->out, " ");
        mprof_buf_bytes(w->out, name->bytes, name->size);
    }
    put(w->out, "\n");
}

static void put_frames(struct writer *w)
{
    if (w->view.entry_count != 0)
        put(w->out, "Frames:\n");
    for (uint32_t i = 0; i < w->view.entry_count; i++)
        put_frame(w, i);
}

/* A list of numbers in one line, unless it is empty. */
static void put_numbers(struct writer *w, const char *key,
                        const uint64_t *numbers, uint64_t count)
{
    if (count == 0)
        return;
    put(w->out, "%s: [", key);
    for (uint64_t i = 0; i < count; i++)
        put(w->out, "%s%" PRIu64, i != 0 ? ", " : "", numbers[i]);
    put(w->out, "]\n");
}

static void put_mib(struct writer *w, const struct mprof_mib *mib)
{
    put(w->out, "    MemInfoBlock: { ");
    w->has_member = false;
    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++)
        put_number(w, mprof_mib_fields[i].name, mprof_mib_get(mib, i));
    put(w->out, " }\n");
}

static void put_context(struct writer *w, const struct mpdata_context *c)
{
    const struct mpdata_node *nodes = w->view.nodes;

    put(w->out, "  - Callstack: [");
    for (mpdata_ref at = c->node; at != 0; at = nodes[at - 1].parent)
        put(w->out, "%s%" PRIu32, at != c->node ? ", " : "",
            nodes[at - 1].entry);
    put(w->out, "]\n");
    if ((c->flags & MPROF_CONTEXT_FL_TRUNCATED) != 0)
        put(w->out, "    Truncated: true\n");
    if ((c->flags & MPROF_CONTEXT_FL_LISTED) != 0)
        put(w->out, "    Listed: true\n");
    put_mib(w, &c->mib);
    if (c->cells != NULL) {
        put(w->out, "    ");
        put_numbers(w, "Histogram", c->cells, c->mib.AccessHistogramSize);
    }
}

static void put_contexts(struct writer *w)
{
    if (w->view.context_count != 0)
        put(w->out, "Contexts:\n");
    for (uint32_t i = 0; i < w->view.context_count; i++)
        put_context(w, &w->view.contexts[i]);
}

/* -- listed sites -------------------------------------------------------------- */

static void put_stack(struct mprof_buf *out,
                      const struct mpdata_llvm_sites *sites, uint32_t stack)
{
    const struct mpdata_llvm_node *nodes = sites->nodes.rows.data;
    const struct mpdata_llvm_frame *frames = sites->frames.rows.data;

    for (uint32_t at = stack; at != 0; at = nodes[at - 1].parent) {
        const struct mpdata_llvm_frame *f = &frames[nodes[at - 1].frame];

        put(out,
            "%s\n        { Function: 0x%" PRIx64 ", LineOffset: %" PRIu32
            ", Column: %" PRIu32 ", IsInlineFrame: %s }",
            at != stack ? "," : "", f->guid, f->line_offset, f->column,
            f->is_inline ? "true" : "false");
    }
}

static void put_site(struct mprof_buf *out,
                     const struct mpdata_llvm_sites *sites,
                     const struct mpdata_llvm_listed *site)
{
    put(out, "  - Guid: 0x%016" PRIx64 "\n    Kind: %" PRIu32 "\n", site->guid,
        site->kind);
    if (site->callee != 0)
        put(out, "    Callee: 0x%" PRIx64 "\n", site->callee);
    put(out, "    Frames: [");
    put_stack(out, sites, site->stack);
    put(out, "]\n");
}

static void put_listed(struct mprof_buf *out,
                       const struct mpdata_llvm_sites *sites)
{
    const struct mpdata_llvm_listed *rows = sites->sites.rows.data;

    if (sites->sites.rows.count != 0)
        put(out, "Listed:\n");
    for (uint32_t i = 0; i < sites->sites.rows.count; i++)
        put_site(out, sites, &rows[i]);
}

/* -- data accesses: LLVM's form -------------------------------------------------- */

static void put_name(struct mprof_buf *out, const char *key,
                     const struct mpdata_data_access *access, uint64_t row)
{
    const struct mpdata_str *s =
        (const struct mpdata_str *)access->strings.rows.data + row;

    put(out, "%s", key);
    put_string(out, s->bytes, s->size);
    put(out, "\n");
}

static void put_sampled(struct mprof_buf *out,
                        const struct mpdata_data_access *access, uint32_t i,
                        uint32_t *next)
{
    const struct mpdata_data_record *r =
        (const struct mpdata_data_record *)access->records.rows.data + i;
    const struct mpdata_data_place *places = access->places.rows.data;
    const uint32_t count = access->places.rows.count;

    if (r->data.is_literal)
        put(out, "    - Hash: %" PRIu64 "\n", r->data.id);
    else
        put_name(out, "    - Symbol: ", access, r->data.id);
    put(out, "      AccessCount: %" PRIu64 "\n", r->count);
    if (*next < count && places[*next].record == i)
        put(out, "      Locations:\n");
    for (; *next < count && places[*next].record == i; (*next)++) {
        put_name(out, "        - FileName: ", access, places[*next].file);
        put(out, "          Line: %" PRIu32 "\n", places[*next].line);
    }
}

static void put_cold(struct mprof_buf *out,
                     const struct mpdata_data_access *access, bool is_literal)
{
    const struct mpdata_data_id *cold = access->cold.rows.data;
    bool is_first = true;

    for (uint32_t i = 0; i < access->cold.rows.count; i++) {
        if (cold[i].is_literal != is_literal)
            continue;
        if (is_first)
            put(out, "  %s:\n",
                is_literal ? "KnownColdStrHashes" : "KnownColdSymbols");
        is_first = false;
        if (is_literal)
            put(out, "    - %" PRIu64 "\n", cold[i].id);
        else
            put_name(out, "    - ", access, cold[i].id);
    }
}

static void put_data_access(struct mprof_buf *out,
                            const struct mpdata_data_access *access)
{
    uint32_t next = 0;

    if (mpdata_data_access_is_empty(access))
        return;
    put(out, "DataAccessProfiles:\n");
    if (access->records.rows.count != 0)
        put(out, "  SampledRecords:\n");
    for (uint32_t i = 0; i < access->records.rows.count; i++)
        put_sampled(out, access, i, &next);
    put_cold(out, access, false);
    put_cold(out, access, true);
}

/* -- counters -------------------------------------------------------------------- */

static void put_bytes(struct writer *w, const char *key, const uint8_t *bytes,
                      uint64_t size)
{
    if (size == 0)
        return;
    put(w->out, "  %s: ", key);
    put_hex(w->out, bytes, size);
    put(w->out, "\n");
}

static void put_values(struct writer *w, const struct mpdata_counter_record *r)
{
    bool has_sites = false;

    for (int kind = 0; kind < MPDATA_VALUE_KINDS; kind++)
        has_sites |= r->site_counts[kind] != 0;
    if (!has_sites)
        return;
    put(w->out, "          Values:\n");
    for (int kind = 0; kind < MPDATA_VALUE_KINDS; kind++) {
        put(w->out, "            - [");
        for (uint32_t i = 0; i < r->site_counts[kind]; i++) {
            const struct mpdata_value_site *site = &r->sites[kind][i];

            put(w->out, "%s[", i != 0 ? ", " : "");
            for (uint32_t v = 0; v < site->count; v++)
                put(w->out, "%s0x%" PRIx64 ", %" PRIu64, v != 0 ? ", " : "",
                    site->values[v].value, site->values[v].count);
            put(w->out, "]");
        }
        put(w->out, "]\n");
    }
}

static void put_counter_function(struct writer *w,
                                 const struct mpdata_counter_function *f)
{
    const struct mpdata_counter_record *records = f->records.data;

    put(w->out, "    - Name: ");
    put_string(w->out, f->name, f->name_size);
    put(w->out, "\n      Key: 0x%" PRIx64 "\n", f->key);
    if (f->records.count != 0)
        put(w->out, "      Records:\n");
    for (uint32_t i = 0; i < f->records.count; i++) {
        put(w->out, "        - Hash: 0x%" PRIx64 "\n", records[i].hash);
        if (records[i].count_count != 0)
            put(w->out, "          ");
        put_numbers(w, "Counts", records[i].counts, records[i].count_count);
        if (records[i].bitmap_count != 0)
            put(w->out, "          ");
        put_numbers(w, "Bitmap", records[i].bitmap, records[i].bitmap_count);
        put_values(w, &records[i]);
    }
}

static void put_counters(struct writer *w, const struct mpdata_counters *c)
{
    const struct mpdata_counter_function *f = c->functions.rows.data;
    const struct mpdata_bytes *ids = c->binary_ids.data;
    const uint64_t word = mpdata_counters_write_version(c);
    struct mprof_buf summary;

    mpdata_heapbuf_init(&summary);
    w->failed |= mpdata_counters_write_summary(c, &summary) != MPROF_E_OK;
    put(w->out, "Counters:\n  Version: %" PRIu64 "\n  Variant: 0x%" PRIx64 "\n",
        word & ~MPROF_INDEX_VARIANT_MASK, word & MPROF_INDEX_VARIANT_MASK);
    put_bytes(w, "Summary", summary.data, summary.size);
    mpdata_heapbuf_fini(&summary);
    put_bytes(w, "VTables", c->vtables.data, c->vtables.size);
    put_bytes(w, "Temporal", c->temporal.data, c->temporal.size);
    if (c->binary_ids.count != 0)
        put(w->out, "  BinaryIds:\n");
    for (uint32_t i = 0; i < c->binary_ids.count; i++) {
        put(w->out, "    - ");
        put_hex(w->out, ids[i].data, ids[i].size);
        put(w->out, "\n");
    }
    if (c->functions.rows.count != 0)
        put(w->out, "  Functions:\n");
    for (uint32_t i = 0; i < c->functions.rows.count; i++)
        put_counter_function(w, &f[i]);
}

enum mprof_err mpdata_text_write(const struct mpdata_content *canonical,
                                 struct mprof_buf *out)
{
    struct writer w = {.out = out,
                       .profile = canonical->profile,
                       .view = mpdata_profile_view(canonical->profile)};

    if (mpdata_profile_status(canonical->profile) != MPROF_E_OK)
        return mpdata_profile_status(canonical->profile);
    put(out, "---\n%s: %d\n", MPDATA_YAML_TEXT, MPDATA_TEXT_VERSION);
    put_runs(&w);
    put_binaries(&w);
    put_functions(&w);
    put_frames(&w);
    put_contexts(&w);
    put_listed(out, &canonical->sites);
    put_data_access(out, &canonical->data_access);
    if (canonical->counters.is_present)
        put_counters(&w, &canonical->counters);
    put(out, "...\n");
    return w.failed || out->failed ? MPROF_E_NOMEM : MPROF_E_OK;
}
