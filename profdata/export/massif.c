/* massif.c -- massif's file: the blocks live at the end of the run, or live now
 * in mid-run, as a tree by where they were allocated, callers below. For
 * ms_print.
 *
 * Earlier snapshots: the blocks live at the peak, if measured, and for a single
 * run the live bytes over time.
 *
 * Branches with less than a thousandth of all bytes are added up, as massif
 * does with less than a hundredth.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/vec.h"
#include "profdata/export/pieces.h"
#include "profdata/query/run_totals.h"
#include "shared/version.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define THRESHOLD 1000 /* branches below 1/1000 are added up */
#define THRESHOLD_TEXT "0.10"
/* The deepest branch: a line begins with a space for each frame. */
#define DEPTH_MAX 256

/* A call stack with its bytes, and how far up it has been followed. */
struct item {
    mpdata_ref node; /* next frame; 0: the stack has ended */
    uint32_t slot;   /* index + 1 of the branch it goes to; 0: none */
    uint64_t bytes;
};

/* Items that share the frames followed so far: items[first..end). */
struct branch {
    uint32_t first;
    uint32_t end;
    uint32_t depth;
    uint32_t frame; /* the last frame followed */
    uint64_t bytes;
};

struct writer {
    const struct mpdata_export *what;
    struct mpdata_sink *sink;
    struct mpdata_view view;
    struct item *items;
    struct item *sorted;      /* room for all items */
    uint64_t *bytes_of_frame; /* all 0 between calls; the last is "no frame" */
    uint32_t *slot_of_frame;  /* likewise */
    struct mpdata_vec met;    /* uint32_t: frames of a branch's items */
    struct mpdata_vec due;    /* struct branch: a stack of branches to write */
    uint64_t bytes;           /* of all items */
    uint32_t item_count;
};

/* Is the branch below the threshold? */
static bool is_small(const struct writer *w, uint64_t bytes)
{
    return bytes < w->bytes / THRESHOLD;
}

static uint32_t frame_of(const struct writer *w, const struct item *item)
{
    return item->node != 0 ? w->view.nodes[item->node - 1].frame
                           : w->view.frame_count;
}

/* Adds the items' bytes to w->bytes_of_frame, their frames to w->met. */
static bool add_up(struct writer *w, const struct branch *branch)
{
    w->met.count = 0;
    for (uint32_t i = branch->first; i < branch->end; i++) {
        const uint32_t frame = frame_of(w, &w->items[i]);

        if (w->bytes_of_frame[frame] == 0) {
            if (!mpdata_vec_add(&w->met, &frame))
                return false;
        }
        w->bytes_of_frame[frame] =
            mprof_add_sat_u64(w->bytes_of_frame[frame], w->items[i].bytes);
    }
    return true;
}

MPROF_COMPARATOR(compare_branches, struct branch,
                 MPROF_UP(bytes) ?: MPROF_DOWN(frame))

struct rest {
    uint64_t bytes; /* of branches below the threshold */
    uint32_t places;
};

/* Appends the branches above the threshold to w->due, the largest last, and
 * adds up the others in *rest. */
static bool find_branches(struct writer *w, uint32_t depth, struct rest *rest)
{
    const uint32_t *const met = w->met.data;
    const uint32_t start = w->due.count;

    *rest = (struct rest){.bytes = 0};
    for (uint32_t i = 0; i < w->met.count; i++) {
        const uint64_t bytes = w->bytes_of_frame[met[i]];
        const bool is_over = met[i] == w->view.frame_count;

        /* All stacks end here: nothing is below. */
        if (is_over && depth != 0 && w->met.count == 1)
            continue;
        if (is_small(w, bytes)) {
            rest->bytes = mprof_add_sat_u64(rest->bytes, bytes);
            rest->places++;
            continue;
        }
        if (!mpdata_vec_add(&w->due, &(struct branch){.depth = depth + 1,
                                                      .frame = met[i],
                                                      .bytes = bytes}))
            return false;
    }
    if (w->due.count != start)
        qsort((struct branch *)w->due.data + start, w->due.count - start,
              sizeof(struct branch), compare_branches);
    return true;
}

/* Sorts the branch's items by the new branches, from `start` on, and sets their
 * ranges; items of small branches are dropped. Each item moves up one frame. */
static void move_items(struct writer *w, const struct branch *branch,
                       uint32_t start)
{
    struct branch *const branches = w->due.data;
    uint32_t at = branch->first;

    for (uint32_t b = start; b < w->due.count; b++)
        w->slot_of_frame[branches[b].frame] = b - start + 1;
    for (uint32_t i = branch->first; i < branch->end; i++) {
        const uint32_t slot = w->slot_of_frame[frame_of(w, &w->items[i])];

        w->items[i].slot = slot;
        if (slot != 0)
            branches[start + slot - 1].end++;
    }
    for (uint32_t b = start; b < w->due.count; b++) {
        branches[b].first = at;
        at += branches[b].end;
        branches[b].end = branches[b].first;
        w->slot_of_frame[branches[b].frame] = 0;
    }
    for (uint32_t i = branch->first; i < branch->end; i++) {
        struct item item = w->items[i];

        if (item.slot == 0)
            continue;
        if (item.node != 0)
            item.node = w->view.nodes[item.node - 1].parent;
        w->sorted[branches[start + item.slot - 1].end++] = item;
    }
    if (at != branch->first)
        memcpy(w->items + branch->first, w->sorted + branch->first,
               (at - branch->first) * sizeof(*w->items));
}

/* -- writing --------------------------------------------------------------- */

static void indent(struct writer *w, uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++)
        mpdata_sink_char(w->sink, ' ');
}

/* " main (main.c:12)", in massif's form but without addresses: a profile has
 * none for frames with a name. */
static bool write_label(struct writer *w, uint32_t index)
{
    const struct mpdata_frame *const f = &w->view.frames[index];
    const mpdata_ref module = f->function == 0 && f->binary != 0
                                  ? w->view.binaries[f->binary - 1].path
                                  : 0;
    char *name = mpdata_pieces_frame(w->what, index);
    char *path = mpdata_pieces_path(w->what, module != 0 ? module : f->path);
    const bool done = name != NULL && path != NULL;

    if (done && module != 0)
        mpdata_sink_format(w->sink, " 0x%" PRIX64 ": ??? (in ", f->address);
    else if (done) {
        mpdata_sink_char(w->sink, ' ');
        mpdata_sink_text(w->sink, name);
    }
    if (done && module == 0 && path[0] != '\0')
        mpdata_sink_text(w->sink, " (");
    if (done)
        mpdata_sink_text(w->sink, path);
    if (done && module != 0)
        mpdata_sink_char(w->sink, ')');
    else if (done && path[0] != '\0')
        mpdata_sink_format(w->sink, ":%" PRIu32 ")", f->line);
    mpdata_sink_char(w->sink, '\n');
    free(name);
    free(path);
    return done;
}

static bool write_node(struct writer *w, const struct branch *branch,
                       uint32_t children)
{
    indent(w, branch->depth);
    mpdata_sink_format(w->sink, "n%" PRIu32 ": %" PRIu64, children,
                       branch->bytes);
    if (branch->depth == 0)
        mpdata_sink_text(w->sink, " (heap allocation functions) malloc/new/"
                                  "new[], --alloc-fns, etc.\n");
    else if (branch->frame == w->view.frame_count)
        mpdata_sink_text(w->sink, branch->depth == 1
                                      ? " [unknown]\n"
                                      : " [end of the call stack]\n");
    else
        return write_label(w, branch->frame);
    return true;
}

static void write_rest(struct writer *w, uint32_t depth,
                       const struct rest *rest)
{
    indent(w, depth);
    mpdata_sink_format(w->sink,
                       "n0: %" PRIu64 " in %" PRIu32 " place%s, %sbelow "
                       "memprofdata's threshold (" THRESHOLD_TEXT "%%)\n",
                       rest->bytes, rest->places, rest->places == 1 ? "" : "s",
                       rest->places == 1 ? "" : "all ");
}

/* Writes the last branch of w->due and replaces it by its children. */
static bool write_branch(struct writer *w)
{
    const struct branch branch =
        ((const struct branch *)w->due.data)[--w->due.count];
    const uint32_t start = w->due.count;
    struct rest rest;

    if (branch.depth == DEPTH_MAX)
        return write_node(w, &branch, 0);
    bool done = add_up(w, &branch) && find_branches(w, branch.depth, &rest);
    if (done) {
        move_items(w, &branch, start);
        done =
            write_node(w, &branch, w->due.count - start + (rest.places != 0));
    }
    for (uint32_t i = 0; i < w->met.count; i++)
        w->bytes_of_frame[((const uint32_t *)w->met.data)[i]] = 0;
    if (done && rest.places != 0)
        write_rest(w, branch.depth + 1, &rest);
    return done;
}

static bool write_tree(struct writer *w)
{
    bool done = mpdata_vec_add(
        &w->due, &(struct branch){.end = w->item_count, .bytes = w->bytes});

    while (done && w->due.count != 0 && !w->sink->failed)
        done = write_branch(w);
    return done;
}

static void write_snapshot(struct writer *w, int number, uint64_t time_ms,
                           uint64_t bytes, const char *tree)
{
    mpdata_sink_format(w->sink,
                       "#-----------\nsnapshot=%d\n#-----------\n"
                       "time=%" PRIu64 "\nmem_heap_B=%" PRIu64
                       "\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=%s\n",
                       number, time_ms, bytes, tree);
}

static bool write_header(struct writer *w)
{
    char *program = mpdata_pieces_program(w->what);

    if (program == NULL)
        return false;
    mpdata_sink_text(w->sink,
                     "desc: (none: a profile's live blocks, written by "
                     "memprofdata " MPROF_VERSION ")\ncmd: ");
    mpdata_sink_text(w->sink, program);
    mpdata_sink_text(w->sink, "\ntime_unit: ms\n");
    free(program);
    return true;
}

/* -- the document --------------------------------------------------------- */

static bool make(struct writer *w)
{
    const uint32_t count = w->view.context_count;

    w->items = mpdata_vec_array(count, sizeof(*w->items));
    w->sorted = mpdata_vec_array(count, sizeof(*w->sorted));
    w->bytes_of_frame = mpdata_vec_array((size_t)w->view.frame_count + 1,
                                         sizeof(*w->bytes_of_frame));
    w->slot_of_frame = mpdata_vec_array((size_t)w->view.frame_count + 1,
                                        sizeof(*w->slot_of_frame));
    return w->items != NULL && w->sorted != NULL && w->bytes_of_frame != NULL &&
           w->slot_of_frame != NULL;
}

static void find_items(struct writer *w, enum mpdata_metric metric)
{
    w->bytes = 0;
    w->item_count = 0;
    for (uint32_t i = 0; i < w->view.context_count; i++) {
        const struct mpdata_context *const c = &w->view.contexts[i];
        const uint64_t bytes = mpdata_metrics_value(&w->view, i, metric);

        if (bytes == 0)
            continue;
        w->items[w->item_count++] =
            (struct item){.node = c->node, .bytes = bytes};
        w->bytes = mprof_add_sat_u64(w->bytes, bytes);
    }
}

/* Writes the snapshots of live bytes from start_ns to before end_ns. */
static void write_samples(struct writer *w, const struct mpdata_series *series,
                          uint64_t start_ns, uint64_t end_ns, int *number)
{
    for (uint32_t i = 0; series != NULL && i < series->sample_count; i++) {
        const struct mpdata_sample *const sample = &series->samples[i];

        if (sample->ns >= start_ns && sample->ns < end_ns)
            write_snapshot(w, (*number)++, sample->ns / MPROF_NS_PER_MS,
                           sample->most, "empty");
    }
}

static bool write_all(struct writer *w)
{
    const struct mpdata_series *series = NULL;
    struct mpdata_run_totals runs;
    uint64_t peak_ns = 0;
    int number = 0;

    if (!make(w) || mpdata_run_totals(&w->view, &runs) != MPROF_E_OK ||
        !write_header(w))
        return false;
    if (runs.runs == 1 && w->view.series_count == 1)
        series = w->view.series;
    write_snapshot(w, number++, 0, 0, "empty");
    if (w->what->held[MPDATA_METRIC_PEAK]) {
        peak_ns = mprof_min_u64(runs.peak_ns, runs.duration_ns);
        /* The peak's snapshot replaces the sample of its time slot. */
        write_samples(w, series, 0,
                      series != NULL
                          ? mprof_sub_sat_u64(peak_ns, series->step_ns - 1)
                          : 0,
                      &number);
        find_items(w, MPDATA_METRIC_PEAK);
        write_snapshot(w, number++, peak_ns / MPROF_NS_PER_MS, w->bytes,
                       "peak");
        if (!write_tree(w))
            return false;
    }
    write_samples(w, series, peak_ns + 1, runs.duration_ns, &number);
    find_items(w, MPDATA_METRIC_LIVE);
    write_snapshot(w, number, runs.duration_ns / MPROF_NS_PER_MS, w->bytes,
                   "detailed");
    return write_tree(w);
}

enum mprof_err mpdata_massif_write(const struct mpdata_export *what,
                                   struct mpdata_sink *sink)
{
    struct writer w = {.what = what,
                       .sink = sink,
                       .view = mpdata_profile_view(what->profile),
                       .met = {.elem_bytes = sizeof(uint32_t)},
                       .due = {.elem_bytes = sizeof(struct branch)}};

    bool done = write_all(&w);
    free(w.items);
    free(w.sorted);
    free(w.bytes_of_frame);
    free(w.slot_of_frame);
    mpdata_vec_fini(&w.met);
    mpdata_vec_fini(&w.due);
    return done ? MPROF_E_OK : MPROF_E_NOMEM;
}
