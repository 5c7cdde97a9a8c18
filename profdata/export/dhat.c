/* dhat.c -- the format of valgrind's DHAT, version 2, for dh_view.html: a
 * program point is a call stack, frames leaf first. Each of its three modes is
 * a format of ours. The modes copy and ad-hoc have only bytes and blocks, or
 * weights and events; their leaf is the copying function or the name of the
 * event.
 *
 * The format has one flag for lifetimes and peaks (`bklt`) and one for reads
 * and writes (`bkacc`), each for a whole group of fields. Fields of an
 * incomplete group are written all the same, and viewers skip them, as they
 * skip "memprof", which has the data that the format has no key for.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/export/pieces.h"
#include "profdata/export/json_parts.h"
#include "profdata/query/event_list.h"
#include "shared/abi.h"
#include "shared/index_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION 2
/* Viewers show a count of this value as infinite and reject larger ones. */
#define ACCESSES_MAX 0xffffu
/* valgrind writes no list of accesses for larger blocks. */
#define SIZE_MAX_BYTES 1024u
/* Blocks that live no longer are short-lived: about the time of valgrind's 500
 * instructions, but at least the clock's resolution. */
#define SHORT_LIVED_NS 500u

enum group { ALWAYS, LIFETIMES, READS_WRITES, GROUPS };

/* X(key, field, group): keys of a program point and their MIB fields. */
#define KEYS(X)                         \
    X(tb, TotalSize, ALWAYS)            \
    X(tbk, AllocCount, ALWAYS)          \
    X(tl, TotalLifetimeNs, LIFETIMES)   \
    X(mb, MaxLiveBytes, LIFETIMES)      \
    X(mbk, MaxLiveCount, LIFETIMES)     \
    X(gb, PeakBytes, LIFETIMES)         \
    X(gbk, PeakCount, LIFETIMES)        \
    X(eb, LiveBytes, LIFETIMES)         \
    X(ebk, LiveCount, LIFETIMES)        \
    X(rb, TotalReadBytes, READS_WRITES) \
    X(wb, TotalWriteBytes, READS_WRITES)

/* A mode of DHAT. */
struct mode {
    const char *name;
    const char *verb;
    enum mprof_tag_kind kind; /* of the tagged rows; NONE for the heap */
    bool has_own_units;       /* units other than bytes and blocks */
};

static const struct column {
    const char *key;
    size_t field; /* index in mprof_mib_fields[] */
    enum group group;
} columns[] = {
#define X(key, field, group) {#key, MPROF_MIB_INDEX_##field, group},
    KEYS(X)
#undef X
};
#define COLUMNS MPROF_ARRAY_LEN(columns)

struct writer {
    struct mpdata_json_parts parts;
    const struct mode *mode;
    struct mpdata_event_list list; /* if the mode writes copies or events */
    bool is_held[MPROF_MIB_FIELDS];
    bool is_whole[GROUPS];
};

static void find_columns(struct writer *w, const struct mpdata_export *what)
{
    mpdata_pieces_held(what, w->is_held);
    for (size_t g = 0; g < GROUPS; g++)
        w->is_whole[g] = true;
    for (size_t i = 0; i < COLUMNS; i++)
        w->is_whole[columns[i].group] &= w->is_held[columns[i].field];
}

/* -- accesses by offset ---------------------------------------------------- */

/* A list of numbers; repeated ones are written as -TIMES, NUMBER. */
struct repeats {
    struct mpdata_json_out *json;
    uint64_t value;
    uint64_t times;
};

static void flush_repeats(struct repeats *r)
{
    if (r->times > 1)
        mpdata_json_out_signed(r->json, true, r->times);
    if (r->times > 0)
        mpdata_json_out_number(r->json, r->value);
    r->times = 0;
}

static void add_repeats(struct repeats *r, uint64_t value, uint64_t times)
{
    if (times != 0 && value != r->value)
        flush_repeats(r);
    r->value = times != 0 ? value : r->value;
    r->times += times;
}

/* Writes the count of each byte's cell for blocks of `size` bytes. */
static void put_accesses(struct writer *w, const struct mpdata_context *c,
                         uint64_t size)
{
    struct repeats r = {.json = &w->parts.json};
    struct mpdata_cells_cursor at = MPDATA_VIEW_CELLS(&w->parts.view, c);
    uint64_t done = 0;

    mpdata_json_out_array_of(&w->parts.json, "acc");
    while (done < size && mpdata_cells_next(&at)) {
        const uint64_t start =
            mprof_min_u64(mprof_mul_sat_u64(at.cell, MPROF_CELL_BYTES), size);
        const uint64_t end = mprof_min_u64(start + MPROF_CELL_BYTES, size);

        add_repeats(&r, 0, start - done);
        add_repeats(&r, mprof_min_u64(at.count, ACCESSES_MAX), end - start);
        done = end;
    }
    add_repeats(&r, 0, size - done);
    flush_repeats(&r);
    mpdata_json_out_close_array(&w->parts.json);
}

/* -- program points -------------------------------------------------------- */

/* Members that viewers skip, such as whether shown numbers are too low. */
static void put_ours(struct writer *w, const struct mpdata_context *c,
                     uint64_t accesses)
{
    const bool is_measured = (c->flags & MPROF_CONTEXT_FL_NOT_MEASURED) == 0;

    if (!w->parts.what->held[MPDATA_METRIC_ACCESSES])
        return;
    mpdata_json_out_map_of(&w->parts.json, "memprof");
    if (is_measured)
        mpdata_json_out_number_of(&w->parts.json, "accesses", accesses);
    else
        mpdata_json_out_bool_of(&w->parts.json, "accesses_not_measured", true);
    mpdata_json_out_known_flag(&w->parts.json, "accesses_not_all_seen",
                               (c->flags & MPROF_CONTEXT_FL_NOT_ALL_SEEN) != 0);
    if (is_measured && c->cells.words != NULL) {
        mpdata_json_out_number_of(&w->parts.json, "cell_bytes",
                                  MPROF_CELL_BYTES);
        mpdata_json_out_key(&w->parts.json, "cells");
        mpdata_cells_json(&w->parts.json, c->cells, w->parts.view.unit_cells);
    }
    mpdata_json_out_close_map(&w->parts.json);
}

/* `leaf`: index of a frame to put in front, or 0. */
static void put_stack(struct writer *w, mpdata_ref node, uint32_t leaf)
{
    uint32_t count;
    uint32_t *const stack = mpdata_json_parts_stack(&w->parts, node, &count);

    for (uint32_t i = 0; i < count; i++)
        stack[i]++;
    mpdata_json_out_array_of(&w->parts.json, "fs");
    if (leaf != 0)
        mpdata_json_out_number(&w->parts.json, leaf);
    mpdata_json_out_numbers(&w->parts.json, stack, count);
    if (node == 0 && leaf == 0)
        mpdata_json_out_number(&w->parts.json, w->parts.view.frame_count + 1u);
    mpdata_json_out_close_array(&w->parts.json);
}

static void put_point(struct writer *w, const struct mpdata_context *c)
{
    const struct mprof_mib mib = mpdata_view_mib_of(&w->parts.view, c);
    const bool has_one_size =
        mib.MinSize == mib.MaxSize && mib.MaxSize <= SIZE_MAX_BYTES;

    mpdata_json_out_row(&w->parts.json);
    for (size_t i = 0; i < COLUMNS; i++) {
        if (w->is_held[columns[i].field])
            mpdata_json_out_number_of(&w->parts.json, columns[i].key,
                                      mprof_mib_get(&mib, columns[i].field));
    }
    if (c->cells.words != NULL && has_one_size)
        put_accesses(w, c, mib.MaxSize);
    put_ours(w, c, mib.TotalAccessCount);
    put_stack(w, c->node, 0);
    mpdata_json_out_close_map(&w->parts.json);
}

static void put_contexts(struct writer *w)
{
    const struct mpdata_view *const view = &w->parts.view;

    for (uint32_t i = 0; i < view->context_count; i++) {
        if (w->parts.json.sink->failed)
            break;
        put_point(w, &view->contexts[i]);
    }
}

/* Copies or events; the frames of their names follow those of the profile. */
static void put_parts(struct writer *w)
{
    const struct mpdata_view *const view = &w->parts.view;

    for (uint32_t i = 0; i < w->list.row_count; i++) {
        const struct mpdata_event_row *const row = &w->list.rows[i];

        if (w->parts.json.sink->failed)
            break;
        mpdata_json_out_row(&w->parts.json);
        mpdata_json_out_number_of(&w->parts.json, "tb", row->sum.weight);
        mpdata_json_out_number_of(&w->parts.json, "tbk", row->sum.count);
        put_stack(w, view->tagged_rows[row->tagged].node,
                  view->frame_count + 1u + row->name);
        mpdata_json_out_close_map(&w->parts.json);
    }
}

static void put_points(struct writer *w)
{
    mpdata_json_parts_open_array(&w->parts, "pps");
    if (w->mode->kind != MPROF_TAG_NONE)
        put_parts(w);
    else
        put_contexts(w);
    mpdata_json_out_close_array(&w->parts.json);
}

/* -- frames ---------------------------------------------------------------- */

/* Text of a path, NULL for none; malloc'd. */
static char *path_of(struct writer *w, mpdata_ref path)
{
    char *const text =
        path != 0
            ? mpdata_profile_path_string(w->parts.what->profile, path, NULL)
            : NULL;

    w->parts.failed |= path != 0 && text == NULL;
    return text;
}

static const char *base_name(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* In valgrind's form: "main (app.c:12)", "0x12: ??? (in /lib/libx.so)". Frames
 * with a name have no address in a profile. malloc'd or NULL. */
static char *frame_text(struct writer *w, const struct mpdata_frame *f)
{
    const mpdata_ref binary = f->function == 0 && f->binary != 0
                                  ? w->parts.view.binaries[f->binary - 1].path
                                  : 0;
    char *const name = mpdata_frame_names_text(w->parts.what->names, f);
    char *const path = path_of(w, f->function != 0 ? f->path : binary);
    char *text = NULL;
    int n = 0;

    if (name == NULL)
        n = -1;
    else if (path == NULL)
        text = strdup(name);
    else if (f->function == 0)
        n = asprintf(&text,
                     "0x%" PRIx64 ": ?"
                     "?? (in %s)",
                     f->address, path);
    else if (f->line == 0)
        n = asprintf(&text, "%s (%s)", name, base_name(path));
    else
        n = asprintf(&text, "%s (%s:%" PRIu32 ")", name, base_name(path),
                     f->line);
    free(name);
    free(path);
    w->parts.failed |= n < 0 || text == NULL;
    return n < 0 ? NULL : text;
}

static void put_names(struct writer *w)
{
    for (uint32_t i = 0; i < w->list.name_count; i++) {
        const mpdata_string name = w->list.names[i].name;
        const struct mpdata_str text = w->parts.view.strings[name];

        mpdata_json_out_line(&w->parts.json);
        if (text.size == 0)
            mpdata_json_out_key(&w->parts.json, "[no name]");
        else
            mpdata_json_out_text(&w->parts.json, text.bytes, text.size);
    }
}

static void put_frames(struct writer *w)
{
    const struct mpdata_view *const view = &w->parts.view;

    mpdata_json_parts_open_array(&w->parts, "ftbl");
    mpdata_json_out_key(&w->parts.json, "[root]");
    for (uint32_t i = 0; i < view->frame_count; i++) {
        char *const text = frame_text(w, &view->frames[i]);

        mpdata_json_out_line(&w->parts.json);
        mpdata_json_out_text(&w->parts.json, text != NULL ? text : "",
                             text != NULL ? strlen(text) : 0);
        free(text);
    }
    put_names(w);
    if (w->mode->kind == MPROF_TAG_NONE &&
        mpdata_json_parts_has_unknown(&w->parts)) {
        mpdata_json_out_line(&w->parts.json);
        mpdata_json_out_key(&w->parts.json, MPDATA_FORMATS_UNKNOWN);
    }
    mpdata_json_out_close_array(&w->parts.json);
}

/* -- the document ---------------------------------------------------------- */

static void put_head(struct writer *w, const struct mpdata_run_totals *runs)
{
    struct mpdata_json_parts *const p = &w->parts;

    mpdata_json_out_number_of(&p->json, "dhatFileVersion", VERSION);
    mpdata_json_out_text_of(&p->json, "mode", w->mode->name);
    mpdata_json_out_text_of(&p->json, "verb", w->mode->verb);
    mpdata_json_out_bool_of(&w->parts.json, "bklt", w->is_whole[LIFETIMES]);
    mpdata_json_out_bool_of(&w->parts.json, "bkacc", w->is_whole[READS_WRITES]);
    if (w->mode->has_own_units) {
        mpdata_json_out_text_of(&p->json, "bu", "unit");
        mpdata_json_out_text_of(&p->json, "bsu", "units");
        mpdata_json_out_text_of(&p->json, "bksu", "events");
    }
    mpdata_json_out_text_of(&p->json, "tu", "ns");
    mpdata_json_out_text_of(&p->json, "Mtu", "ms");
    if (w->is_whole[LIFETIMES]) {
        mpdata_json_out_number_of(
            &p->json, "tuth",
            mprof_max_u64(SHORT_LIVED_NS, runs->resolution_ns));
        mpdata_json_out_number_of(&p->json, "tg", runs->peak_ns);
    }
    mpdata_json_out_key(&p->json, "cmd");
    mpdata_json_parts_programs(p);
    mpdata_json_out_number_of(&p->json, "pid", mpdata_json_parts_pid(p));
    mpdata_json_out_number_of(&p->json, "te", runs->duration_ns);
}

static void put_document(struct writer *w, const struct mpdata_run_totals *runs)
{
    mpdata_json_out_open_map(&w->parts.json);
    put_head(w, runs);
    put_points(w);
    put_frames(w);
    mpdata_json_out_close_map(&w->parts.json);
    mpdata_json_out_line(&w->parts.json);
}

static enum mprof_err find_what(struct writer *w,
                                const struct mpdata_export *what)
{
    if (w->mode->kind != MPROF_TAG_NONE)
        return mpdata_event_list_make(&w->list, what->profile, w->mode->kind);
    find_columns(w, what);
    return MPROF_E_OK;
}

static enum mprof_err write_mode(const struct mpdata_export *what,
                                 struct mpdata_sink *sink,
                                 const struct mode *mode)
{
    const struct mpdata_view view = mpdata_profile_view(what->profile);
    struct mpdata_run_totals runs;
    struct writer w = {.mode = mode};
    enum mprof_err err = mpdata_run_totals(&view, &runs);

    if (err == MPROF_E_OK)
        err = find_what(&w, what);
    if (err == MPROF_E_OK) {
        if (mpdata_json_parts_init(&w.parts, what, sink))
            put_document(&w, &runs);
        err = mpdata_json_parts_fini(&w.parts);
    }
    mpdata_event_list_fini(&w.list);
    return err;
}

enum mprof_err mpdata_dhat_write(const struct mpdata_export *what,
                                 struct mpdata_sink *sink)
{
    static const struct mode heap = {.name = "heap", .verb = "Allocated"};

    return write_mode(what, sink, &heap);
}

enum mprof_err mpdata_dhat_copies_write(const struct mpdata_export *what,
                                        struct mpdata_sink *sink)
{
    static const struct mode copy = {"copy", "Copied", MPROF_TAG_COPY, false};

    return write_mode(what, sink, &copy);
}

enum mprof_err mpdata_dhat_events_write(const struct mpdata_export *what,
                                        struct mpdata_sink *sink)
{
    static const struct mode ad_hoc = {"ad-hoc", "Occurred", MPROF_TAG_EVENT,
                                       true};

    return write_mode(what, sink, &ad_hoc);
}
