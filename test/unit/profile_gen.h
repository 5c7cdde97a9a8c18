/* profile_gen.h -- generates profiles from a seed, for tests. All profiles draw
 * from the same few functions and files, so two profiles have much in common.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/guid.h"
#include "profdata/base/sink.h"
#include "profdata/index/index.h"
#include "shared/index_format.h"
#include "shared/tag_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gen {
    uint64_t state;
    bool is_without_dumps;    /* as before runs said which dump they are */
    bool is_series_apart;     /* of runs without a row, which says until when */
    bool is_without_own_time; /* as before runs said what profiling took */
    bool is_without_jumps;    /* ... jumps out of signal handlers */
    bool
        has_all_cells; /* as before histograms left out what was not accessed */
    bool is_without_flags; /* as before it said what is instrumented */
    bool is_without_types; /* as before frames said what they allocate */
    bool is_without_peaks; /* ... what lived at the peak */
    bool is_without_parts; /* ... threads and events */
    bool is_without_details;
    uint32_t detail_kinds_end; /* ... some kinds of details; 0: all of them */
    bool is_without_resident;
    size_t mib_fields; /* as when there were so many; 0: all that there are */
};

/* splitmix64. One draw a statement everywhere: the order within an expression
 * is the compiler's. */
static inline uint64_t gen_next(struct gen *g)
{
    uint64_t z = g->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline uint64_t gen_below(struct gen *g, uint64_t limit)
{
    return gen_next(g) % limit;
}

static inline mpdata_string gen_string(struct mpdata_profile *p, const char *s)
{
    return mpdata_profile_string(p, s, strlen(s));
}

static inline mpdata_ref gen_path(struct gen *g, struct mpdata_profile *p)
{
    const unsigned dir = (unsigned)gen_below(g, 3);
    const unsigned file = (unsigned)gen_below(g, 4);
    char path[64];

    snprintf(path, sizeof(path), "/src/dir%u/file%u.c", dir, file);
    return mpdata_profile_path(p, path, strlen(path));
}

static inline mpdata_ref gen_binary(struct gen *g, struct mpdata_profile *p)
{
    /* Build ids are bytes, zeros among them. */
    const char id[4] = {(char)gen_below(g, 3), 0, 'b', (char)0xff};
    struct mpdata_binary binary = {
        .path = mpdata_profile_path(p, "/usr/bin/app", 12),
        .build_id = mpdata_profile_string(p, id, sizeof(id))};

    if (!g->is_without_flags)
        binary.flags = (uint32_t)gen_below(g, 3);
    return mpdata_profile_binary(p, &binary);
}

static inline mpdata_ref gen_function(struct gen *g, struct mpdata_profile *p)
{
    const unsigned n = (unsigned)gen_below(g, 12);
    char name[32];
    struct mpdata_function f;

    snprintf(name, sizeof(name), "_Z%ufunctionv", n);
    f = (struct mpdata_function){.guid = mpdata_guid(name, strlen(name)),
                                 .line = 10 * n};
    f.name = gen_string(p, name);
    f.path = gen_path(g, p);
    return mpdata_profile_function(p, &f);
}

static inline mpdata_ref gen_frame(struct gen *g, struct mpdata_profile *p)
{
    struct mpdata_frame e = {.line = 0};

    switch (gen_below(g, 8)) {
    case 0:
        e.binary = gen_binary(g, p);
        e.address = 0x1000 + gen_below(g, 5);
        e.flags = MPROF_ENTRY_FL_NO_LINES;
        break;
    case 1:
        e.function = gen_function(g, p);
        e.flags = MPROF_ENTRY_FL_NO_LINES;
        break;
    default:
        e.function = gen_function(g, p);
        e.path = gen_path(g, p);
        e.line = 100 + (uint32_t)gen_below(g, 20);
        e.column = (uint32_t)gen_below(g, 3);
        e.discriminator = (uint32_t)gen_below(g, 2) * 0x12345;
        e.flags = gen_below(g, 3) == 0 ? MPROF_ENTRY_FL_INLINE : 0;
    }
    if (!g->is_without_types && gen_below(g, 3) == 0) {
        e.type = gen_string(p, gen_below(g, 2) == 0 ? "Order" : "char *");
        if (!g->is_without_details) {
            static const char *const fields[] = {"", "0+8 a;8+8 b", "[]0+8 a"};

            e.type_bytes = (uint32_t)gen_below(g, 5) * 8;
            e.type_fields = gen_string(p, fields[gen_below(g, 3)]);
        }
    }
    return mpdata_profile_frame(p, &e);
}

static inline struct mprof_mib gen_mib(struct gen *g)
{
    const size_t fields = g->mib_fields != 0 ? g->mib_fields : MPROF_MIB_FIELDS;
    struct mprof_mib mib = {.AllocCount = 0};

    for (size_t i = 0; i < fields; i++) {
        const uint64_t shift = 8 + gen_below(g, 50);

        mprof_mib_set(&mib, i, gen_next(g) >> shift);
    }
    mib.AllocCount = 1 + gen_below(g, 100);
    mib.AccessHistogram = 0;
    mib.AccessHistogramSize = gen_below(g, 3) == 0 ? gen_below(g, 9) : 0;
    return mib;
}

/* The histogram of these cells, each `step` squared behind the last where they
 * are far; words[] has room for as many runs. */
static inline struct mpdata_cells
gen_cells(uint64_t *words, const uint64_t *counts, size_t n, bool is_far)
{
    struct mpdata_cells_builder b = {.words = NULL};
    struct mpdata_cells cells = {.words = words};

    for (size_t i = 0; i < n; i++)
        mpdata_cells_add(&b, is_far ? i * i : i, counts[i]);
    cells.count = b.count;
    if (b.count != 0)
        memcpy(words, b.words, b.count * sizeof(*words));
    mpdata_cells_fini(&b);
    return cells;
}

static inline void gen_context(struct gen *g, struct mpdata_profile *p)
{
    const uint64_t depth = gen_below(g, 7);
    struct mprof_mib mib = gen_mib(g);
    const uint64_t size = mib.AccessHistogramSize;
    uint64_t counts[9];
    uint64_t words[9 * (MPDATA_CELLS_HEAD_WORDS + 1)];
    struct mpdata_cells cells;
    uint32_t flags;
    mpdata_ref node = 0;

    for (uint64_t i = 0; i < depth; i++)
        node = mpdata_profile_node(p, node, gen_frame(g, p));
    for (size_t i = 0; i < 9; i++)
        counts[i] = gen_below(g, 1000);
    flags = (uint32_t)gen_below(g, 2);
    cells = gen_cells(words, counts, size, !g->has_all_cells);
    if (!g->has_all_cells)
        mib.AccessHistogramSize *= size;
    if (!g->is_without_flags)
        flags |= (uint32_t)gen_below(g, 4) << MPROF_CONTEXT_UNSEEN_SHIFT;
    mpdata_profile_context(p, node, flags, &mib,
                           gen_below(g, 6) != 0 ? cells : MPDATA_CELLS_NONE);
}

static inline void gen_run(struct gen *g, struct mpdata_profile *p)
{
    struct mpdata_run run = {.clock_resolution_ns = 100,
                             .dropped_blocks = 3,
                             .own_memory_bytes = 4096,
                             .foreign_frees = 5,
                             .cell_bytes = 8,
                             .stack_depth_max = 256};

    run.run_id = gen_below(g, 4);
    run.count = 1 + gen_below(g, 3);
    run.kind = (uint32_t)gen_below(g, 3);
    run.pid = gen_below(g, 2);
    run.start_ns = gen_below(g, 2);
    run.duration_ns = gen_below(g, 2);
    run.truncated_stacks = gen_below(g, 2);
    if (!g->is_without_own_time) {
        run.own_time_ns = 1234567;
        run.timed_calls = 9;
        run.contexts = gen_below(g, 2);
    }
    if (!g->is_without_dumps && run.run_id != 0) {
        run.dump = (uint32_t)gen_below(g, 3);
        run.epoch = run.dump != 0 ? (uint32_t)gen_below(g, 2) : 0;
        run.has_live = run.dump != 0 ? (uint32_t)gen_below(g, 2) : 0;
    }
    if (!g->is_without_jumps)
        run.handler_jumps = 6;
    if (!g->is_without_peaks) {
        run.peak_bytes = 777;
        run.peak_ns = gen_below(g, 2);
    }
    if (!g->is_without_resident) {
        run.rss_peak_mapped = 8192;
        run.rss_end_other = 4096;
        run.rss_highest = 12288;
    }
    run.executable = mpdata_profile_path(p, "/usr/bin/app", 12);
    run.host = gen_string(p, "host");
    run.options = gen_string(p, "print_text=0");
    run.tool = gen_string(p, "0.1.0");
    mpdata_profile_run(p, &run);
}

/* Of a context that is there. */
static inline void gen_detail(struct gen *g, struct mpdata_profile *p)
{
    const struct mpdata_view view = mpdata_profile_view(p);
    struct mpdata_detail detail = {.node = 0};

    if (view.context_count == 0)
        return;
    detail.node = view.contexts[gen_below(g, view.context_count)].node;
    detail.kind = 1 + (uint32_t)gen_below(g, (g->detail_kinds_end != 0
                                                  ? g->detail_kinds_end
                                                  : MPROF_DETAIL_KINDS_END) -
                                                 1);
    const uint32_t buckets = mprof_detail_buckets(detail.kind);
    detail.key = (uint32_t)gen_below(g, mprof_detail_is_stack(detail.kind)
                                            ? (uint64_t)view.node_count + 1
                                        : buckets != 0 ? buckets
                                                       : 1000);
    detail.count = 1 + gen_below(g, 1000);
    detail.bytes = gen_below(g, 100000);
    mpdata_profile_detail(p, &detail);
}

static inline void gen_series(struct gen *g, struct mpdata_profile *p)
{
    struct mpdata_sample samples[20];
    struct mpdata_mark marks[5];
    struct mpdata_series series = {.samples = samples, .marks = marks};
    uint64_t ns = 0;
    char name[16];

    series.run_id = 1 + gen_below(g, 40);
    if (g->is_series_apart)
        series.run_id += 40;
    series.step_ns = 1 << 21;
    series.sample_count = (uint32_t)gen_below(g, 20);
    series.mark_count = (uint32_t)gen_below(g, 5);
    series.dropped_marks = gen_below(g, 3);
    for (uint32_t i = 0; i < series.sample_count; i++) {
        ns += series.step_ns * (1 + gen_below(g, 3));
        samples[i] = (struct mpdata_sample){.ns = ns};
        samples[i].bytes = gen_below(g, 1 << 20);
        samples[i].most = samples[i].bytes + gen_below(g, 1 << 20);
        samples[i].blocks = gen_below(g, 1 << 10);
        samples[i].rss = gen_below(g, 1 << 24);
        samples[i].mapped = g->is_without_resident ? 0 : samples[i].most / 2;
    }
    for (uint32_t i = 0; i < series.mark_count; i++) {
        marks[i] = (struct mpdata_mark){.ns = 1000 * i};
        marks[i].kind = 1 + (uint32_t)gen_below(g, 2);
        marks[i].bytes = gen_below(g, 1 << 20);
        snprintf(name, sizeof(name), "phase%u", (unsigned)gen_below(g, 4));
        marks[i].name = gen_string(p, name);
    }
    mpdata_profile_series(p, &series);
}

/* A thread's blocks, or events. */
static inline void gen_part(struct gen *g, struct mpdata_profile *p)
{
    const uint64_t depth = gen_below(g, 4);
    struct mpdata_tagged tagged = {.kind = 1 + (uint32_t)gen_below(g, 3)};
    struct mprof_mib mib = gen_mib(g);
    char name[16];

    snprintf(name, sizeof(name), "name%u", (unsigned)gen_below(g, 4));
    tagged.name = gen_string(p, name);
    tagged.flags = (uint32_t)gen_below(g, 2);
    for (uint64_t i = 0; i < depth; i++)
        tagged.node = mpdata_profile_node(p, tagged.node, gen_frame(g, p));
    if (tagged.kind != MPROF_TAG_THREAD)
        mib = (struct mprof_mib){.AllocCount = mib.AllocCount,
                                 .TotalSize = mib.TotalSize,
                                 .MinSize = mib.MinSize,
                                 .MaxSize = mib.MaxSize};
    mpdata_profile_tagged(p, &tagged, &mib);
}

static inline struct mpdata_profile *gen_profile_of(struct gen g,
                                                    unsigned contexts)
{
    struct mpdata_profile *p = mpdata_profile_new();

    gen_string(p, "a string that nothing reaches");
    gen_binary(&g, p);
    for (unsigned i = 0; i < contexts; i++)
        gen_context(&g, p);
    gen_run(&g, p);
    for (unsigned i = 0; !g.is_without_details && i < 3 * contexts; i++)
        gen_detail(&g, p);
    for (unsigned i = 0; !g.is_without_details && i < 2; i++)
        gen_series(&g, p);
    for (unsigned i = 0; !g.is_without_parts && i < contexts / 4; i++)
        gen_part(&g, p);
    return p;
}

/* A profile of up to that many contexts; the caller frees it. */
static inline struct mpdata_profile *gen_profile(uint64_t seed,
                                                 unsigned contexts)
{
    return gen_profile_of((struct gen){.state = seed}, contexts);
}

/* The same in canonical order. */
static inline struct mpdata_profile *gen_canonical(uint64_t seed,
                                                   unsigned contexts)
{
    struct mpdata_profile *p = gen_profile(seed, contexts);

    if (mpdata_profile_canonical_in_place(p) != MPROF_E_OK)
        abort();
    return p;
}

/* A copy in canonical order; NULL where a profile failed. */
static inline struct mpdata_profile *
gen_in_order(const struct mpdata_profile *profile)
{
    struct mpdata_profile *const copy = mpdata_profile_new();

    if (copy == NULL || mpdata_profile_merge(copy, profile) != MPROF_E_OK ||
        mpdata_profile_canonical_in_place(copy) != MPROF_E_OK) {
        mpdata_profile_free(copy);
        return NULL;
    }
    return copy;
}

/* The profile as a file, canonical; free with mpdata_heapbuf_fini(). */
static inline enum mprof_err gen_write(const struct mpdata_profile *p,
                                       const struct mpdata_index_options *o,
                                       struct mprof_buf *out)
{
    struct mpdata_content content = {.profile = gen_in_order(p)};
    enum mprof_err err = MPROF_E_NOMEM;

    mpdata_heapbuf_init(out);
    if (content.profile != NULL)
        err = mpdata_index_write(&content, o, out);
    mpdata_profile_free(content.profile);
    return err;
}

/* The other direction: the call stacks of a file. */
static inline enum mprof_err gen_read(const void *data, size_t size,
                                      bool verify, struct mpdata_profile *into,
                                      struct mprof_diag *diag)
{
    struct mpdata_index_file file;
    const enum mprof_err err =
        mpdata_index_file_open(&file, data, size, verify, diag);

    return err == MPROF_E_OK ? mpdata_index_read_profile(&file, into, diag)
                             : err;
}
