/* heaptrack.c -- heaptrack's file, version 3: a list of events, the allocation
 * and the end of each block. A profile knows the number of blocks but not their
 * times, so the order is made up such that the sums of each call stack are
 * right: first the freed blocks, one after the other, then the blocks live at
 * the peak, then the frees of those that end later, and last the blocks that
 * stay. If no peak was measured, heaptrack's peak is as low as possible.
 *
 * "+ N" allocates a block like the "a SIZE STACK" line number N, "- N" frees
 * one. heaptrack takes a free right after "+" of the same N for a temporary
 * allocation. For other blocks "- 0" stands between: it frees a block of size 0
 * without a call stack.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/sink.h"
#include "profdata/base/vec.h"
#include "profdata/export/pieces.h"
#include "profdata/export/heaptrack_blocks.h"
#include "profdata/query/left_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* heaptrack 1.4.0, which writes version 3 of the file. */
#define HEAPTRACK_VERSION "v 10400 3\n"

/* With more blocks, each written block stands for several: heaptrack reads
 * about a million a second. */
#define BLOCKS_MAX 5000000

struct site {
    uint32_t context;
    uint32_t trace; /* number of its call stack in the file */
    uint32_t info;  /* number of its first kind of blocks */
};

enum event { ALLOCATE, RELEASE, ALLOCATE_AND_RELEASE };

struct writer {
    const struct mpdata_export *what;
    struct mpdata_sink *sink;
    struct mpdata_view view;
    struct site *sites;       /* by context, sorted by trace */
    uint32_t *function_names; /* by function: number of its string, or 0 */
    uint32_t *path_names;     /* by path, likewise */
    uint32_t string_count;
    uint64_t scale;   /* number of blocks that a written block stands for */
    uint32_t last;    /* kind that the last event allocated; 0: none */
    uint32_t at_peak; /* kind of which one block is written last */
};

/* -- strings, frames and call stacks --------------------------------------- */

/* Writes "K A B" in hexadecimal, like all numbers of the format. printf() would
 * be too slow for millions of lines. */
static void write_line(struct writer *w, char kind, uint64_t a, bool has_b,
                       uint64_t b)
{
    static const char digits[] = "0123456789abcdef";
    char line[2 * 17 + 2];
    size_t at = sizeof(line);

    line[--at] = '\n';
    if (has_b) {
        do
            line[--at] = digits[b & 15];
        while ((b >>= 4) != 0);
        line[--at] = ' ';
    }
    do
        line[--at] = digits[a & 15];
    while ((a >>= 4) != 0);
    line[--at] = ' ';
    mpdata_sink_char(w->sink, kind);
    mpdata_sink_bytes(w->sink, line + at, sizeof(line) - at);
}

/* Writes and frees a new string; returns its number, or 0 for NULL. */
static uint32_t write_string(struct writer *w, char *text)
{
    if (text == NULL)
        return 0;
    mpdata_sink_format(w->sink, "s %zx ", strlen(text));
    mpdata_sink_text(w->sink, text);
    mpdata_sink_char(w->sink, '\n');
    free(text);
    return ++w->string_count;
}

/* False when out of memory. */
static bool write_path(struct writer *w, mpdata_ref path, uint32_t *string)
{
    uint32_t *const known = &w->path_names[path];

    if (path != 0 && *known == 0)
        *known = write_string(w, mpdata_pieces_path(w->what, path));
    *string = *known;
    return path == 0 || *known != 0;
}

/* Writes what is known of a frame: address, binary, function, file, line. */
static bool write_frame(struct writer *w, uint32_t i)
{
    const struct mpdata_frame *const f = &w->view.frames[i];
    const mpdata_ref module =
        f->binary != 0 ? w->view.binaries[f->binary - 1].path : 0;
    uint32_t module_name;
    uint32_t file_name;

    if (!write_path(w, module, &module_name) ||
        !write_path(w, f->path, &file_name))
        return false;
    if (f->function == 0 && module != 0) {
        write_line(w, 'i', f->address, true, module_name);
        return true;
    }
    /* Frames without a function have names of their own. */
    uint32_t *name = &w->function_names[f->function];
    if (f->function == 0 || *name == 0)
        *name = write_string(w, mpdata_pieces_frame(w->what, i));
    mpdata_sink_format(w->sink, "i %" PRIx64 " %" PRIx32 " %" PRIx32,
                       f->address, module_name, *name);
    if (file_name != 0)
        mpdata_sink_format(w->sink, " %" PRIx32 " %" PRIx32, file_name,
                           f->line);
    else
        mpdata_sink_text(w->sink, " 0 0");
    mpdata_sink_char(w->sink, '\n');
    return *name != 0;
}

/* Writes frames, then call stacks, with the numbers of the profile, and one
 * more for blocks without a call stack. */
static bool write_stacks(struct writer *w)
{
    uint32_t unknown;

    for (uint32_t i = 0; i < w->view.frame_count && !w->sink->failed; i++) {
        if (!write_frame(w, i))
            return false;
    }
    unknown = write_string(w, strdup("[unknown]"));
    mpdata_sink_format(w->sink, "i 0 0 %" PRIx32 " 0 0\n", unknown);
    for (uint32_t i = 0; i < w->view.node_count && !w->sink->failed; i++)
        write_line(w, 't', (uint64_t)w->view.nodes[i].frame + 1, true,
                   w->view.nodes[i].parent);
    write_line(w, 't', (uint64_t)w->view.frame_count + 1, true, 0);
    return unknown != 0;
}

MPROF_COMPARATOR(compare_sites, struct site,
                 MPROF_UP(trace) ?: MPROF_UP(context))

/* In the order of call stacks: heaptrack is slow with any other order. */
static void order_sites(struct writer *w)
{
    for (uint32_t i = 0; i < w->view.context_count; i++) {
        const mpdata_ref node = w->view.contexts[i].node;

        w->sites[i] = (struct site){
            .context = i, .trace = node != 0 ? node : w->view.node_count + 1};
    }
    if (w->view.context_count != 0)
        qsort(w->sites, w->view.context_count, sizeof(*w->sites),
              compare_sites);
}

/* -- events ---------------------------------------------------------------- */

static struct mpdata_heaptrack_blocks blocks_of(const struct writer *w,
                                                const struct site *site)
{
    const struct mprof_mib mib = mpdata_view_mib(&w->view, site->context);

    return mpdata_heaptrack_blocks(&mib, w->what->held, w->scale);
}

/* Number 0 is the separator of events; the kinds of blocks follow. */
static void write_infos(struct writer *w)
{
    uint32_t info = 1;

    write_line(w, 'a', 0, true,
               w->view.context_count != 0 ? w->sites[0].trace : 1);
    for (uint32_t i = 0; i < w->view.context_count && !w->sink->failed; i++) {
        const struct mpdata_heaptrack_blocks blocks =
            blocks_of(w, &w->sites[i]);

        w->sites[i].info = info;
        for (size_t k = 0; k < MPDATA_HEAPTRACK_KINDS; k++) {
            if (blocks.kinds[k].count == 0)
                continue;
            write_line(w, 'a', blocks.kinds[k].size, true, w->sites[i].trace);
            info++;
        }
    }
}

static void allocate(struct writer *w, uint32_t info)
{
    write_line(w, '+', info, false, 0);
    w->last = info;
}

static void release(struct writer *w, uint32_t info, bool is_temporary)
{
    if (w->last == info && !is_temporary)
        write_line(w, '-', 0, false, 0);
    write_line(w, '-', info, false, 0);
    w->last = 0;
}

/* Writes events of `count` blocks, of which `temporary` are temporary. */
static void write_blocks(struct writer *w, enum event event, uint32_t info,
                         uint64_t count, uint64_t temporary)
{
    for (uint64_t n = 0; n < count; n++) {
        if (event != RELEASE)
            allocate(w, info);
        if (event != ALLOCATE)
            release(w, info, n < temporary);
    }
}

/* Writes the events of all blocks with this end. */
static void write_events(struct writer *w, enum mpdata_heaptrack_end end,
                         enum event event)
{
    for (uint32_t i = 0; i < w->view.context_count && !w->sink->failed; i++) {
        const struct mpdata_heaptrack_blocks blocks =
            blocks_of(w, &w->sites[i]);
        uint32_t info = w->sites[i].info;
        uint64_t temporary = blocks.temporary;

        for (size_t k = 0; k < MPDATA_HEAPTRACK_KINDS; k++) {
            const uint64_t count = blocks.kinds[k].count;

            if (count == 0)
                continue;
            if (k / MPDATA_HEAPTRACK_SIZES == (size_t)end) {
                /* One block is allocated after all others, at the peak. */
                write_blocks(w, event, info, count - (w->at_peak == info),
                             temporary);
                temporary = mprof_sub_sat_u64(temporary, count);
            }
            info++;
        }
    }
}

/* Finds a block that was live at the peak and is temporary. It is allocated and
 * freed at the peak, last of all, so there can be only one. */
static uint32_t find_at_peak(const struct writer *w)
{
    for (uint32_t i = 0; i < w->view.context_count; i++) {
        const struct mpdata_heaptrack_blocks blocks =
            blocks_of(w, &w->sites[i]);
        uint32_t info = w->sites[i].info;

        if (!blocks.is_peak_temporary)
            continue;
        for (size_t k = 0; k < MPDATA_HEAPTRACK_KINDS; k++) {
            if (k / MPDATA_HEAPTRACK_SIZES == MPDATA_HEAPTRACK_PEAK &&
                blocks.kinds[k].count != 0)
                return info;
            info += blocks.kinds[k].count != 0;
        }
    }
    return 0;
}

static void write_all_events(struct writer *w)
{
    write_events(w, MPDATA_HEAPTRACK_FREED, ALLOCATE_AND_RELEASE);
    w->at_peak = find_at_peak(w);
    write_events(w, MPDATA_HEAPTRACK_BOTH, ALLOCATE);
    write_events(w, MPDATA_HEAPTRACK_PEAK, ALLOCATE);
    if (w->at_peak != 0) {
        allocate(w, w->at_peak);
        release(w, w->at_peak, true);
    }
    write_events(w, MPDATA_HEAPTRACK_PEAK, RELEASE);
    write_events(w, MPDATA_HEAPTRACK_LIVE, ALLOCATE);
}

/* -- the document --------------------------------------------------------- */

/* Writes a remark to the file and to the user. */
static void say(const struct writer *w, const char *text)
{
    mpdata_sink_text(w->sink, "# ");
    mpdata_sink_text(w->sink, text);
    mpdata_sink_char(w->sink, '\n');
    mpdata_diag_warn(w->what->warn, NULL, "%s", text);
}

/* Writes that values are estimates; the command warns. */
static void write_sampled(const struct writer *w,
                          const struct mpdata_run_totals *runs)
{
    struct mprof_buf line;

    mpdata_heapbuf_init(&line);
    mpdata_notes_sampled(runs, &line);
    if (line.size != 0) {
        mpdata_sink_text(w->sink, "# ");
        mpdata_sink_bytes(w->sink, (const char *)line.data, line.size);
    }
    mpdata_heapbuf_fini(&line);
}

static void write_remarks(const struct writer *w)
{
    char text[160];

    say(w,
        "the order of events is invented: heaptrack's times have no meaning");
    if (!w->what->held[MPDATA_METRIC_PEAK])
        say(w, "the profile does not hold the peak: heaptrack's peak "
               "is the live bytes, or the largest block if that is more");
    if (!w->what->held[MPDATA_METRIC_TEMPORARY])
        say(w, "the profile does not hold temporary allocations: heaptrack "
               "finds none");
    if (!w->what->held[MPDATA_METRIC_LIVE])
        say(w, "the profile does not hold live blocks: heaptrack finds no "
               "leaks");
    if (w->scale > 1) {
        snprintf(text, sizeof(text),
                 "scaled down: each block stands for %" PRIu64
                 " blocks and has the sum of their sizes",
                 w->scale);
        say(w, text);
    }
}

static bool write_header(struct writer *w, const struct mpdata_run_totals *runs)
{
    char *program = mpdata_pieces_program(w->what);

    if (program == NULL)
        return false;
    mpdata_sink_text(w->sink, HEAPTRACK_VERSION);
    write_remarks(w);
    write_sampled(w, runs);
    mpdata_sink_text(w->sink, "X ");
    mpdata_sink_text(w->sink, program);
    mpdata_sink_char(w->sink, '\n');
    free(program);
    return true;
}

static enum mprof_err write_all(struct writer *w)
{
    struct mpdata_run_totals runs;
    enum mprof_err err = mpdata_run_totals(&w->view, &runs);

    w->scale =
        mpdata_heaptrack_blocks_scale(&w->view, w->what->held, BLOCKS_MAX);
    order_sites(w);
    if (err != MPROF_E_OK || !write_header(w, &runs) || !write_stacks(w))
        return MPROF_E_NOMEM;
    write_infos(w);
    write_line(w, 'c', 0, false, 0);
    write_all_events(w);
    if (runs.duration_ns != 0)
        write_line(w, 'c', runs.duration_ns / MPROF_NS_PER_MS, false, 0);
    return MPROF_E_OK;
}

enum mprof_err mpdata_heaptrack_write(const struct mpdata_export *what,
                                      struct mpdata_sink *sink)
{
    struct writer w = {
        .what = what, .sink = sink, .view = mpdata_profile_view(what->profile)};
    enum mprof_err err = MPROF_E_NOMEM;

    w.sites = mpdata_vec_array(w.view.context_count, sizeof(*w.sites));
    w.function_names = mpdata_vec_array((size_t)w.view.function_count + 1,
                                        sizeof(*w.function_names));
    w.path_names =
        mpdata_vec_array((size_t)w.view.path_count + 1, sizeof(*w.path_names));
    if (w.sites != NULL && w.function_names != NULL && w.path_names != NULL)
        err = write_all(&w);
    free(w.sites);
    free(w.function_names);
    free(w.path_names);
    return err;
}
