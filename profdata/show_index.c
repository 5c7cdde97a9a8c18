/* show_index.c -- indexed profiles in the text form of llvm-profdata 22, byte
 * for byte. LLVM prints this one through its YAML library, whose keys are
 * padded to a column.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/show_index.h"
#include "profdata/index_llvm_read.h"
#include "profdata/show.h"
#include "profdata/vec.h"
#include "shared/index_format.h"
#include "shared/le.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define KEY_COLUMN 16

/* What is being printed, and where in it. */
struct printer {
    FILE *out;
    struct show_summary summary;
    struct mpdata_vec seen; /* bool, by node: the summary counted it */
    const char *section;    /* of the record at hand: its last heading */
    bool has_records;
    bool failed;
};

/* -- the summary ----------------------------------------------------------- */

static void ignore_record(void *context, uint64_t guid)
{
    (void)context;
    (void)guid;
}

static void ignore_call(void *context, const struct mpdata_view *view,
                        mpdata_ref node, const uint8_t *callees,
                        size_t callee_count)
{
    (void)context;
    (void)view;
    (void)node;
    (void)callees;
    (void)callee_count;
}

/* Each context once, though records of several functions list it. */
static void count_alloc(void *context, const struct mpdata_view *view,
                        mpdata_ref node, const struct mprof_mib *mib,
                        const size_t *fields, size_t field_count)
{
    struct printer *const p = (struct printer *)context;
    bool *seen;

    (void)view;
    (void)fields;
    (void)field_count;
    while (p->seen.count <= node) {
        if (mpdata_vec_push(&p->seen) == NULL) {
            p->failed = true;
            return;
        }
    }
    seen = (bool *)p->seen.data + node;
    if (!*seen)
        show_summary_add(&p->summary, mib);
    *seen = true;
}

/* -- the records ----------------------------------------------------------- */

static void print_key(FILE *out, const char *key)
{
    const size_t size = strlen(key);

    fprintf(out, "%s:%*s", key,
            size < KEY_COLUMN ? (int)(KEY_COLUMN - size) : 1, "");
}

static void print_record(void *context, uint64_t guid)
{
    struct printer *const p = (struct printer *)context;

    if (!p->has_records)
        fputs("---\nHeapProfileRecords:\n", p->out);
    p->has_records = true;
    p->section = NULL;
    fputs("  - ", p->out);
    print_key(p->out, "GUID");
    fprintf(p->out, "0x%" PRIx64 "\n", guid);
}

static void print_section(struct printer *p, const char *section)
{
    if (p->section == section)
        return;
    p->section = section;
    fprintf(p->out, "    %s:\n", section);
}

static void print_frames(const struct printer *p,
                         const struct mpdata_view *view, mpdata_ref node)
{
    for (mpdata_ref at = node; at != 0; at = view->nodes[at - 1].parent) {
        const struct mpdata_entry *entry =
            &view->entries[view->nodes[at - 1].entry];

        fprintf(p->out,
                "          - { Function: 0x%" PRIx64 ", LineOffset: %" PRIu32
                ", Column: %" PRIu32 ", IsInlineFrame: %s }\n",
                view->functions[entry->function - 1].guid, entry->line,
                entry->column,
                (entry->flags & MPROF_ENTRY_FL_INLINE) != 0 ? "true" : "false");
    }
}

static void print_alloc(void *context, const struct mpdata_view *view,
                        mpdata_ref node, const struct mprof_mib *mib,
                        const size_t *fields, size_t field_count)
{
    struct printer *const p = (struct printer *)context;

    print_section(p, "AllocSites");
    fputs("      - Callstack:\n", p->out);
    print_frames(p, view, node);
    fputs("        MemInfoBlock:\n", p->out);
    for (size_t i = 0; i < field_count; i++) {
        fputs("          ", p->out);
        print_key(p->out, mprof_mib_fields[fields[i]].name);
        fprintf(p->out, "%" PRIu64 "\n", mprof_mib_get(mib, fields[i]));
    }
}

static void print_call(void *context, const struct mpdata_view *view,
                       mpdata_ref node, const uint8_t *callees,
                       size_t callee_count)
{
    struct printer *const p = (struct printer *)context;

    print_section(p, "CallSites");
    fputs("      - Frames:\n", p->out);
    print_frames(p, view, node);
    if (callee_count == 0)
        return;
    fputs("        CalleeGuids:     [ ", p->out);
    for (size_t i = 0; i < callee_count; i++)
        fprintf(p->out, "%s0x%" PRIx64, i != 0 ? ", " : "",
                mprof_le_load64(callees + 8 * i));
    fputs(" ]\n", p->out);
}

enum mprof_err show_yaml_index(FILE *out, const uint8_t *data, size_t size,
                               struct mprof_diag *diag)
{
    struct printer p = {.out = out, .seen = {.elem_bytes = sizeof(bool)}};
    const struct mpdata_llvm_visitor count = {.context = &p,
                                              .record = ignore_record,
                                              .alloc = count_alloc,
                                              .call = ignore_call};
    const struct mpdata_llvm_visitor print = {.context = &p,
                                              .record = print_record,
                                              .alloc = print_alloc,
                                              .call = print_call};
    enum mprof_err err = mpdata_index_llvm_visit(data, size, &count, diag);

    if (err == MPROF_E_OK && p.failed)
        err = mprof_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
    if (err == MPROF_E_OK) {
        show_summary_print(out, &p.summary);
        err = mpdata_index_llvm_visit(data, size, &print, diag);
    }
    if (err == MPROF_E_OK)
        fputs(p.has_records ? "...\n" : "---\n{}\n...\n", out);
    mpdata_vec_fini(&p.seen);
    return err;
}
