/* llvm_index_text.c -- indexed profiles in the text form of llvm-profdata 22,
 * byte for byte. LLVM prints this one through its YAML library, whose keys are
 * padded to a column.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/text/llvm_index_text.h"
#include "profdata/model/data_access.h"
#include "profdata/llvm/llvm_read.h"
#include "profdata/text/llvm_summary.h"
#include "profdata/text/yaml_scalar.h"
#include "profdata/base/hash.h"
#include "profdata/base/set.h"
#include "shared/index_format.h"
#include "shared/le.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define KEY_COLUMN 16
#define FLOW_COLUMN_MAX 70
#define FRAME_COLUMN_MAX 80 /* found by trying: commas count differently */

/* What is being printed, and where in it. */
struct printer {
    struct mpdata_sink *out;
    struct mpdata_llvm_summary summary;
    struct mpdata_set seen; /* of uint64_t: call stacks that were counted */
    const char *section;    /* of the record at hand: its last heading */
    bool has_records;
    bool failed;
};

/* -- the summary ----------------------------------------------------------- */

static uint64_t hash_stack(const void *key)
{
    return *(const uint64_t *)key;
}

static bool is_same_stack(const void *rows, uint32_t row, const void *key)
{
    return ((const uint64_t *)rows)[row] == *(const uint64_t *)key;
}

static const struct mpdata_set_kind stacks = {
    .hash = hash_stack, .equal = is_same_stack, .elem_bytes = sizeof(uint64_t)};

/* What LLVM tells call stacks apart by here: not by what was inlined. */
static uint64_t key_of(const struct mpdata_view *view, mpdata_ref node)
{
    uint64_t key = 0;

    while (node != 0) {
        const struct mpdata_node *const n = &view->nodes[node - 1];
        const struct mpdata_frame *const f = &view->frames[n->frame];
        const uint64_t guid =
            f->function != 0 ? view->functions[f->function - 1].guid : 0;

        key = mpdata_hash_words(key ^ guid, (uint64_t)f->line << 32 |
                                                (f->column + UINT64_C(1)));
        node = n->parent;
    }
    return key;
}

/* Each context once, though records of several functions list it. */
static void count_alloc(void *context, const struct mpdata_view *view,
                        mpdata_ref node, const struct mprof_mib *mib,
                        const size_t *fields, size_t field_count)
{
    struct printer *const p = (struct printer *)context;
    const uint64_t key = key_of(view, node);
    bool is_new = false;

    (void)fields;
    (void)field_count;
    if (mpdata_set_add(&p->seen, &key, &is_new) == 0)
        p->failed = true;
    if (is_new)
        mpdata_llvm_summary_add(&p->summary, mib);
}

/* -- the records ----------------------------------------------------------- */

static void print_key(struct mpdata_sink *out, const char *key)
{
    const size_t size = strlen(key);

    mpdata_sink_format(out, "%s:%*s", key,
                       size < KEY_COLUMN ? (int)(KEY_COLUMN - size) : 1, "");
}

static void print_record(void *context, uint64_t guid)
{
    struct printer *const p = (struct printer *)context;

    if (!p->has_records)
        mpdata_sink_text(p->out, "---\nHeapProfileRecords:\n");
    p->has_records = true;
    p->section = NULL;
    mpdata_sink_text(p->out, "  - ");
    print_key(p->out, "GUID");
    mpdata_sink_format(p->out, "0x%" PRIx64 "\n", guid);
}

static void print_section(struct printer *p, const char *section)
{
    if (p->section == section)
        return;
    p->section = section;
    mpdata_sink_format(p->out, "    %s:\n", section);
}

static void print_frames(const struct printer *p,
                         const struct mpdata_view *view, mpdata_ref node)
{
    if (node == 0)
        mpdata_sink_text(p->out, " []");
    mpdata_sink_char(p->out, '\n');
    for (mpdata_ref at = node; at != 0; at = view->nodes[at - 1].parent) {
        const struct mpdata_frame *frame =
            &view->frames[view->nodes[at - 1].frame];

        const int column = mpdata_sink_format(
            p->out,
            "          - { Function: 0x%" PRIx64 ", LineOffset: %" PRIu32
            ", Column: %" PRIu32 ", ",
            view->functions[frame->function - 1].guid, frame->line,
            frame->column);

        mpdata_sink_format(
            p->out, "%sIsInlineFrame: %s }\n",
            column > FRAME_COLUMN_MAX ? "\n              " : "",
            (frame->flags & MPROF_ENTRY_FL_INLINE) != 0 ? "true" : "false");
    }
}

/* A list in brackets, after `head`. LLVM's library goes on in the next line
 * where one is longer than FLOW_COLUMN_MAX, commas and the space after not
 * counted. */
static void print_numbers(struct mpdata_sink *out, const char *head,
                          const uint64_t *numbers, size_t count, bool is_hex)
{
    const int start = mpdata_sink_format(out, "%s", head);
    int column = start + mpdata_sink_format(out, "[ ");

    for (size_t i = 0; i < count; i++) {
        if (i != 0)
            mpdata_sink_text(out, ", ");
        if (column > FLOW_COLUMN_MAX)
            column = mpdata_sink_format(out, "\n%*s", start + 2, "") - 1;
        column += is_hex ? mpdata_sink_format(out, "0x%" PRIx64, numbers[i])
                         : mpdata_sink_format(out, "%" PRIu64, numbers[i]);
    }
    mpdata_sink_text(out, " ]\n");
}

static void print_alloc(void *context, const struct mpdata_view *view,
                        mpdata_ref node, const struct mprof_mib *mib,
                        const size_t *fields, size_t field_count)
{
    struct printer *const p = (struct printer *)context;

    print_section(p, "AllocSites");
    mpdata_sink_text(p->out, node != 0 ? "      - Callstack:"
                                       : "      - Callstack:      ");
    print_frames(p, view, node);
    mpdata_sink_text(p->out, "        MemInfoBlock:\n");
    for (size_t i = 0; i < field_count; i++) {
        mpdata_sink_text(p->out, "          ");
        print_key(p->out, mprof_mib_fields[fields[i]].name);
        mpdata_sink_format(p->out, "%" PRIu64 "\n",
                           mprof_mib_get(mib, fields[i]));
    }
}

static void print_call(void *context, const struct mpdata_view *view,
                       mpdata_ref node, const uint8_t *callees,
                       size_t callee_count)
{
    struct printer *const p = (struct printer *)context;
    uint64_t *guids;

    print_section(p, "CallSites");
    mpdata_sink_text(p->out, node != 0 ? "      - Frames:"
                                       : "      - Frames:         ");
    print_frames(p, view, node);
    if (callee_count == 0)
        return;
    guids = mpdata_vec_array(callee_count, sizeof(*guids));
    for (size_t i = 0; guids != NULL && i < callee_count; i++)
        guids[i] = mprof_le_load64(callees + 8 * i);
    if (guids != NULL)
        print_numbers(p->out, "        CalleeGuids:     ", guids, callee_count,
                      true);
    p->failed |= guids == NULL;
    free(guids);
}

/* -- data accesses ----------------------------------------------------------- */

static const struct mpdata_str *name_of(const struct mpdata_data_access *access,
                                        uint64_t row)
{
    return (const struct mpdata_str *)access->strings.rows.data + row;
}

static int compare_names(const void *left, const void *right)
{
    const struct mpdata_str *a = *(const struct mpdata_str *const *)left;
    const struct mpdata_str *b = *(const struct mpdata_str *const *)right;
    const size_t n = a->size < b->size ? a->size : b->size;
    const int order = n != 0 ? memcmp(a->bytes, b->bytes, n) : 0;

    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

static int compare_hashes(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* Most accesses first; else in the order of the file. */
struct ranked {
    uint64_t count;
    uint32_t row;
};

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;

    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* The locations of one record stand together; *next is the first. */
static void print_locations(struct mpdata_sink *out,
                            const struct mpdata_data_access *access,
                            uint32_t record, uint32_t next)
{
    const struct mpdata_data_location *locations = access->locations.rows.data;

    if (next < access->locations.rows.count && locations[next].record == record)
        mpdata_sink_text(out, "      Locations:\n");
    for (; next < access->locations.rows.count &&
           locations[next].record == record;
         next++) {
        mpdata_sink_text(out, "        - ");
        print_key(out, "FileName");
        mpdata_yaml_scalar_llvm(out, name_of(access, locations[next].file));
        mpdata_sink_text(out, "\n          ");
        print_key(out, "Line");
        mpdata_sink_format(out, "%" PRIu32 "\n", locations[next].line);
    }
}

static void print_sampled(struct mpdata_sink *out,
                          const struct mpdata_data_access *access,
                          const struct ranked *order, const uint32_t *firsts)
{
    const uint32_t count = access->records.rows.count;

    if (count != 0)
        mpdata_sink_text(out, "  SampledRecords:\n");
    for (uint32_t i = 0; i < count; i++) {
        const struct mpdata_data_record *r =
            (const struct mpdata_data_record *)access->records.rows.data +
            order[i].row;

        mpdata_sink_text(out, "    - ");
        print_key(out, r->data.is_literal ? "Hash" : "Symbol");
        if (r->data.is_literal)
            mpdata_sink_format(out, "%" PRIu64, r->data.id);
        else
            mpdata_yaml_scalar_llvm(out, name_of(access, r->data.id));
        mpdata_sink_text(out, "\n      ");
        print_key(out, "AccessCount");
        mpdata_sink_format(out, "%" PRIu64 "\n", r->count);
        print_locations(out, access, order[i].row, firsts[order[i].row]);
    }
}

static void print_cold(struct mpdata_sink *out, const struct mpdata_str **names,
                       uint32_t name_count, uint64_t *hashes,
                       uint32_t hash_count)
{
    if (name_count != 0) {
        mpdata_sink_text(out, "  KnownColdSymbols:\n");
        qsort(names, name_count, sizeof(*names), compare_names);
    }
    for (uint32_t i = 0; i < name_count; i++) {
        mpdata_sink_text(out, "    - ");
        mpdata_yaml_scalar_llvm(out, names[i]);
        mpdata_sink_char(out, '\n');
    }
    if (hash_count == 0)
        return;
    qsort(hashes, hash_count, sizeof(*hashes), compare_hashes);
    print_numbers(out, "  KnownColdStrHashes: ", hashes, hash_count, false);
}

static bool print_data_access(struct mpdata_sink *out,
                              const struct mpdata_data_access *access)
{
    const uint32_t count = access->records.rows.count;
    const uint32_t cold_count = access->cold.rows.count;
    const struct mpdata_data_record *records = access->records.rows.data;
    const struct mpdata_data_location *locations = access->locations.rows.data;
    const struct mpdata_data_id *cold = access->cold.rows.data;
    struct ranked *order = mpdata_vec_array(count, sizeof(*order));
    uint32_t *firsts = mpdata_vec_array(count, sizeof(*firsts));
    const struct mpdata_str **names =
        mpdata_vec_array(cold_count, sizeof(*names));
    uint64_t *hashes = mpdata_vec_array(cold_count, sizeof(*hashes));
    const bool is_done =
        order != NULL && firsts != NULL && names != NULL && hashes != NULL;
    uint32_t name_count = 0;
    uint32_t hash_count = 0;

    if (!is_done)
        goto out;
    for (uint32_t i = 0; i < count; i++)
        order[i] = (struct ranked){.count = records[i].count, .row = i};
    if (count != 0)
        qsort(order, count, sizeof(*order), compare_ranked);
    for (uint32_t i = access->locations.rows.count; i-- > 0;)
        firsts[locations[i].record] = i;
    for (uint32_t i = 0; i < cold_count; i++) {
        if (cold[i].is_literal)
            hashes[hash_count++] = cold[i].id;
        else
            names[name_count++] = name_of(access, cold[i].id);
    }
    mpdata_sink_text(out, "DataAccessProfiles:\n");
    print_sampled(out, access, order, firsts);
    print_cold(out, names, name_count, hashes, hash_count);
out:
    free(hashes);
    free(names);
    free(firsts);
    free(order);
    return is_done;
}

/* Lines of the summary, as LLVM counts them. */
static void print_data_summary(struct mpdata_sink *out,
                               const struct mpdata_data_access *access)
{
    const struct mpdata_data_id *cold = access->cold.rows.data;
    uint32_t symbols = 0;

    for (uint32_t i = 0; i < access->cold.rows.count; i++)
        symbols += !cold[i].is_literal;
    mpdata_sink_format(out,
                       "#   Num hot symbols and string literals: %" PRIu32
                       "\n#   Num known cold symbols: %" PRIu32
                       "\n#   Num known cold string literals: %" PRIu32 "\n",
                       access->records.rows.count, symbols,
                       access->cold.rows.count - symbols);
}

/* -- the whole file ---------------------------------------------------------- */

static enum mprof_err print_all(struct printer *p, const uint8_t *data,
                                size_t size,
                                const struct mpdata_data_access *access,
                                struct mprof_diag *diag)
{
    const struct mpdata_llvm_visitor print = {.context = p,
                                              .record = print_record,
                                              .alloc = print_alloc,
                                              .call = print_call};
    enum mprof_err err = mpdata_llvm_read_visit(data, size, &print, diag);

    if (err == MPROF_E_OK && p->failed)
        err = mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
    if (err != MPROF_E_OK)
        return err;
    if (!p->has_records)
        mpdata_sink_text(p->out, "---\n");
    if (!mpdata_data_access_is_empty(access)) {
        if (!print_data_access(p->out, access))
            return mprof_err_fail(diag, MPROF_E_NOMEM, NULL,
                                  MPROF_DIAG_NO_OFFSET);
    } else if (!p->has_records) {
        mpdata_sink_text(p->out, "{}\n");
    }
    mpdata_sink_text(p->out, "...\n");
    return MPROF_E_OK;
}

enum mprof_err mpdata_llvm_index_text_records(struct mpdata_sink *out,
                                              const uint8_t *data, size_t size)
{
    struct printer p = {.out = out};
    struct mpdata_data_access access;
    enum mprof_err err;

    mpdata_data_access_init(&access);
    err = mpdata_llvm_data_access_read(data, size, &access, NULL);
    if (err == MPROF_E_OK)
        err = print_all(&p, data, size, &access, NULL);
    mpdata_data_access_fini(&access);
    return err;
}

enum mprof_err mpdata_llvm_index_text(struct mpdata_sink *out,
                                      const uint8_t *data, size_t size,
                                      struct mprof_diag *diag)
{
    struct printer p = {.out = out};
    const struct mpdata_llvm_visitor count = {.context = &p,
                                              .alloc = count_alloc};
    struct mpdata_data_access access;
    enum mprof_err err;

    mpdata_set_init(&p.seen, &stacks);
    err = mpdata_llvm_read_visit(data, size, &count, diag);
    mpdata_data_access_init(&access);
    if (err == MPROF_E_OK && p.failed)
        err = mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
    if (err == MPROF_E_OK)
        err = mpdata_llvm_data_access_read(data, size, &access, diag);
    if (err == MPROF_E_OK) {
        mpdata_llvm_summary_text(out, &p.summary);
        if (!mpdata_data_access_is_empty(&access))
            print_data_summary(out, &access);
        err = print_all(&p, data, size, &access, diag);
    }
    mpdata_data_access_fini(&access);
    mpdata_set_fini(&p.seen);
    return err;
}
