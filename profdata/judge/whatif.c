/* whatif.c -- what blocks take at the peak with another layout.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/whatif.h"
#include "profdata/judge/chunk.h"
#include "profdata/judge/verdict.h"
#include "profdata/query/metrics.h"
#include "profdata/query/names.h"
#include "shared/pool_sizes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES ((uint64_t)MPDATA_CACHE_LINE_BYTES)
#define PAGE_BYTES UINT64_C(4096)
#define ALIGN_BYTES 16 /* of blocks */

static uint64_t round_up(uint64_t bytes, uint64_t step)
{
    return mprof_add_sat_u64(bytes, step - 1) / step * step;
}

static uint64_t parts(uint64_t bytes, uint64_t each)
{
    return bytes / each + (bytes % each != 0);
}

/* -- the choice ------------------------------------------------------------ */

static bool start(struct mpdata_whatif *w, const struct mpdata_view *view)
{
    *w = (struct mpdata_whatif){
        .kinds = calloc((size_t)view->context_count + 1, sizeof(*w->kinds)),
        .size = {.least = UINT64_MAX}};
    return w->kinds != NULL;
}

static void add_up(struct mpdata_whatif *w, const struct mpdata_view *view)
{
    for (uint32_t i = 0; i < view->context_count; i++) {
        const struct mprof_mib mib = mpdata_view_mib(view, i);
        struct mpdata_whatif_sum *const sum = &w->sums[w->kinds[i]];

        if (mib.PeakCount == 0)
            continue;
        sum->stacks++;
        sum->blocks = mprof_add_sat_u64(sum->blocks, mib.PeakCount);
        sum->bytes = mprof_add_sat_u64(sum->bytes, mib.PeakBytes);
        if (w->kinds[i] < MPDATA_WHATIF_CHOSEN)
            continue;
        w->size.least = mprof_min_u64(w->size.least, mib.MinSize);
        w->size.most = mprof_max_u64(w->size.most, mib.MaxSize);
    }
}

struct search {
    const struct mpdata_profile *profile;
    struct mpdata_view view;
    struct mpdata_frame_names *names;
    const char *word;
    bool failed; /* out of memory */
};

/* Is the word FILE:LINE of the frame? */
static bool is_at(struct search *s, const struct mpdata_frame *frame)
{
    const char *const colon = strrchr(s->word, ':');
    const size_t size = colon != NULL ? (size_t)(colon - s->word) : 0;
    char line[16];
    size_t path_size;
    bool is_same;
    char *path;

    snprintf(line, sizeof(line), "%" PRIu32, frame->line);
    if (size == 0 || frame->line == 0 || strcmp(colon + 1, line) != 0)
        return false;
    path = mpdata_profile_path_string(s->profile, frame->path, &path_size);
    s->failed |= path == NULL;
    is_same = path != NULL && path_size >= size &&
              memcmp(path + path_size - size, s->word, size) == 0 &&
              (path_size == size || path[path_size - size - 1] == '/');
    free(path);
    return is_same;
}

static bool is_named(struct search *s, mpdata_ref leaf, mpdata_ref site)
{
    const struct mpdata_frame *frame;

    if (mpdata_names_is(s->view.strings[mpdata_types_of(&s->view, leaf)].bytes,
                        s->word))
        return true;
    if (site == 0)
        return false;
    frame = &s->view.frames[s->view.nodes[site - 1].frame];
    return mpdata_names_is(mpdata_frame_names_function(s->names, frame),
                           s->word) ||
           is_at(s, frame);
}

enum mprof_err mpdata_whatif_pool(struct mpdata_whatif *w,
                                  const struct mpdata_profile *profile,
                                  struct mpdata_frame_names *names,
                                  const char *const *words, size_t count,
                                  const char **unknown)
{
    struct search s = {.profile = profile,
                       .view = mpdata_profile_view(profile),
                       .names = names};
    struct mpdata_sites sites;
    enum mprof_err err = mpdata_sites_make(&sites, profile, names);

    *unknown = NULL;
    if (!start(w, &s.view))
        err = MPROF_E_NOMEM;
    for (size_t k = 0; err == MPROF_E_OK && k < count; k++) {
        bool is_known = false;

        s.word = words[k];
        for (uint32_t i = 0; i < s.view.context_count; i++) {
            if (!is_named(&s, s.view.contexts[i].node, sites.nodes[i]))
                continue;
            w->kinds[i] = MPDATA_WHATIF_CHOSEN;
            is_known = true;
        }
        if (!is_known && *unknown == NULL)
            *unknown = words[k];
    }
    mpdata_sites_fini(&sites);
    if (err == MPROF_E_OK)
        add_up(w, &s.view);
    return s.failed ? MPROF_E_NOMEM : err;
}

enum mprof_err mpdata_whatif_hot_cold(struct mpdata_whatif *w,
                                      const struct mpdata_profile *profile)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct mpdata_verdicts verdicts;
    enum mprof_err err =
        mpdata_verdict_make(&verdicts, profile, MPDATA_VERDICT_FITTING);
    bool has_hot = false;

    if (!start(w, &view))
        err = MPROF_E_NOMEM;
    for (uint32_t i = 0; err == MPROF_E_OK && i < view.context_count; i++)
        has_hot |= verdicts.rows[i].kind == MPDATA_VERDICT_HOT &&
                   mpdata_metrics_value(&view, i, MPDATA_METRIC_PEAK_BLOCKS);
    for (uint32_t i = 0; err == MPROF_E_OK && i < view.context_count; i++) {
        const enum mpdata_verdict_kind kind = verdicts.rows[i].kind;

        w->kinds[i] = kind == MPDATA_VERDICT_COLD  ? MPDATA_WHATIF_COLD
                      : kind == MPDATA_VERDICT_HOT ? MPDATA_WHATIF_HOT
                      : has_hot                    ? MPDATA_WHATIF_OTHER
                                                   : MPDATA_WHATIF_CHOSEN;
    }
    mpdata_verdict_fini(&verdicts);
    if (err == MPROF_E_OK)
        add_up(w, &view);
    return err;
}

static enum mprof_err choose_type(struct mpdata_whatif *w,
                                  const struct mpdata_profile *profile,
                                  const struct mpdata_fields *fields,
                                  uint32_t number)
{
    const struct mpdata_fields_type *const type = &fields->types[number];
    struct mpdata_fields_layout layout;
    struct mpdata_reorder reorder = {.rows = NULL};
    enum mprof_err err =
        mpdata_fields_layout_make(&layout, fields, number, profile);

    if (err == MPROF_E_OK)
        err = mpdata_reorder_make(&reorder, type, &layout);
    for (uint32_t i = 0; i < type->count; i++)
        w->kinds[fields->contexts[type->first + i]] = MPDATA_WHATIF_CHOSEN;
    if (reorder.is_better) {
        w->from = type->bytes;
        w->to = reorder.bytes;
        w->lines_before = reorder.lines_before;
        w->lines_after = reorder.lines_after;
    }
    mpdata_reorder_fini(&reorder);
    mpdata_fields_layout_fini(&layout);
    return err;
}

enum mprof_err mpdata_whatif_reorder(struct mpdata_whatif *w,
                                     const struct mpdata_profile *profile,
                                     const char *type, uint32_t *types)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct mpdata_fields fields;
    enum mprof_err err = mpdata_fields_make(&fields, profile);

    *types = 0;
    if (!start(w, &view))
        err = MPROF_E_NOMEM;
    for (uint32_t t = 0; err == MPROF_E_OK && t < fields.count; t++) {
        if (fields.types[t].is_open ||
            strcmp(view.strings[fields.types[t].name].bytes, type) != 0)
            continue;
        ++*types;
        err = choose_type(w, profile, &fields, t);
    }
    mpdata_fields_fini(&fields);
    if (*types > 1)
        w->from = w->to = 0;
    if (err == MPROF_E_OK)
        add_up(w, &view);
    return err;
}

void mpdata_whatif_fini(struct mpdata_whatif *w)
{
    free(w->kinds);
    *w = (struct mpdata_whatif){.kinds = NULL};
}

/* -- the room -------------------------------------------------------------- */

/* Blocks of a call stack at the peak. */
struct blocks {
    uint64_t count, bytes;
    struct mpdata_range size;
};

static bool is_pool(enum mpdata_whatif_layout layout, uint64_t size)
{
    return layout >= MPDATA_WHATIF_POOL && size <= MPROF_POOL_BYTES_MAX;
}

static uint64_t align_in(enum mpdata_whatif_layout layout)
{
    return layout == MPDATA_WHATIF_DENSE ? ALIGN_BYTES / 2 : ALIGN_BYTES;
}

/* What a block takes. A larger one takes no less. */
static uint64_t size_in(enum mpdata_whatif_layout layout, uint64_t size)
{
    if (layout == MPDATA_WHATIF_GLIBC)
        return mpdata_chunk_bytes(size);
    if (!is_pool(layout, size))
        return mpdata_class_bytes(size);
    return round_up(mprof_max_u64(size, MPROF_POOL_BYTES_MIN),
                    align_in(layout));
}

/* What the addresses of the blocks are multiples of. jemalloc lays blocks of
 * one size side by side from the start of a page. */
static uint64_t align_of(enum mpdata_whatif_layout layout,
                         const struct mpdata_range *size)
{
    const uint64_t most = size_in(layout, size->most);

    return layout == MPDATA_WHATIF_CLASSES &&
                   most == size_in(layout, size->least)
               ? mprof_min_u64(most & -most, LINE_BYTES)
               : align_in(layout);
}

/* Least and most bytes that a block takes beyond its own. */
static struct mpdata_range added_in(enum mpdata_whatif_layout layout,
                                    const struct mpdata_range *size)
{
    const uint64_t small = size_in(layout, size->least) - size->least;
    const uint64_t step = is_pool(layout, size->most)
                              ? align_in(layout)
                              : mpdata_class_step(size->most);

    if (layout == MPDATA_WHATIF_GLIBC)
        return (struct mpdata_range){8, mprof_max_u64(23, small)};
    return (struct mpdata_range){0, mprof_max_u64(step - 1, small)};
}

/* Between as many blocks of the smallest and of the largest size, and between
 * the sum of the sizes with the least and the most that may be added. */
static struct mpdata_range bytes_of(enum mpdata_whatif_layout layout,
                                    const struct blocks *b)
{
    const struct mpdata_range added = added_in(layout, &b->size);
    struct mpdata_range r = {
        .least = mprof_max_u64(
            mprof_mul_sat_u64(b->count, size_in(layout, b->size.least)),
            mprof_add_sat_u64(b->bytes,
                              mprof_mul_sat_u64(b->count, added.least))),
        .most = mprof_min_u64(
            mprof_mul_sat_u64(b->count, size_in(layout, b->size.most)),
            mprof_add_sat_u64(b->bytes,
                              mprof_mul_sat_u64(b->count, added.most)))};

    r.most = mprof_max_u64(r.least, r.most); /* of damaged files */
    return r;
}

/* Adds the bytes of blocks, and what spans of a pool take for themselves. */
static void add_range(struct mpdata_range *sum,
                      const struct mpdata_range *bytes, bool is_pooled)
{
    const double times =
        is_pooled ? (double)MPROF_POOL_SPAN_BYTES / MPROF_POOL_SPAN_USABLE : 1;

    sum->least = mprof_add_sat_u64(
        sum->least, mpdata_verdict_whole((double)bytes->least * times));
    sum->most = mprof_add_sat_u64(
        sum->most, mpdata_verdict_whole((double)bytes->most * times));
}

/* The most units that blocks touch if each lies at the worst place. */
static uint64_t most_touched(const struct blocks *b, uint64_t unit,
                             uint64_t align)
{
    const uint64_t last = mprof_max_u64(b->size.most, 1) - 1;

    return mprof_mul_sat_u64(b->count,
                             mprof_add_sat_u64(last, unit - align) / unit + 1);
}

/* Does each line of what such blocks take hold bytes that were asked for? */
static bool fills_lines(enum mpdata_whatif_layout layout, uint64_t size)
{
    return layout == MPDATA_WHATIF_GLIBC || is_pool(layout, size) ||
           mpdata_class_step(size) <= LINE_BYTES;
}

static struct blocks blocks_at(const struct mpdata_whatif *w,
                               const struct mpdata_view *view, uint32_t context,
                               bool is_changed)
{
    const struct mprof_mib mib = mpdata_view_mib(view, context);
    struct blocks b = {.count = mib.PeakCount,
                       .bytes = mib.PeakBytes,
                       .size = {mib.MinSize, mib.MaxSize}};

    if (is_changed && w->from != 0 &&
        w->kinds[context] >= MPDATA_WHATIF_CHOSEN) {
        b.bytes = mprof_mul_sat_u64(b.bytes / w->from, w->to);
        b.size.least = mprof_mul_sat_u64(b.size.least / w->from, w->to);
        b.size.most = mprof_mul_sat_u64(b.size.most / w->from, w->to);
    }
    return b;
}

struct mpdata_whatif_room mpdata_whatif_room(
    const struct mpdata_whatif *w, const struct mpdata_profile *profile,
    enum mpdata_whatif_layout layout, bool is_alone, bool is_changed)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct mpdata_whatif_room room = {.bytes = {0, 0}};
    struct mpdata_range all = {0, 0};    /* bytes of all blocks */
    struct mpdata_range filled = {0, 0}; /* that lie on different lines */

    for (uint32_t i = 0; i < view.context_count; i++) {
        const struct blocks b = blocks_at(w, &view, i, is_changed);
        const struct mpdata_range bytes = bytes_of(layout, &b);
        const uint64_t align = align_of(layout, &b.size);
        const bool is_pooled = is_pool(layout, b.size.least);

        add_range(&all, &bytes, is_pooled);
        if (w->kinds[i] < MPDATA_WHATIF_CHOSEN)
            continue;
        add_range(&room.bytes, &bytes, is_pooled);
        filled.most = mprof_add_sat_u64(filled.most, bytes.most);
        filled.least = mprof_add_sat_u64(
            filled.least,
            fills_lines(layout, b.size.most) ? bytes.least : b.bytes);
        room.lines.most = mprof_add_sat_u64(
            room.lines.most, most_touched(&b, LINE_BYTES, align));
        room.pages.most = mprof_add_sat_u64(
            room.pages.most, most_touched(&b, PAGE_BYTES, align));
    }
    if (is_alone) {
        all = room.bytes;
        room.lines.most =
            mprof_min_u64(room.lines.most, parts(filled.most, LINE_BYTES));
    }
    room.lines.least = parts(filled.least, LINE_BYTES);
    room.pages.least = parts(room.bytes.least, PAGE_BYTES);
    room.pages.most = mprof_max_u64(
        room.pages.least,
        mprof_min_u64(room.pages.most, parts(all.most, PAGE_BYTES)));
    room.lines.most = mprof_max_u64(room.lines.least, room.lines.most);
    return room;
}
