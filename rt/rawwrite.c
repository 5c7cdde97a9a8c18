/* rawwrite.c -- our raw profile, as shared/raw_format.h describes it.
 *
 * Distinct code addresses go through a hash table and are sorted by (module,
 * address): the FRAMES. Each context's stack becomes a row of frame numbers,
 * root first; contexts are sorted by these rows, so that neighbours share the
 * longest prefix and the NODES of the tree can be written in one pass with the
 * current path as its only state. The sections are tables; each is made,
 * compressed and appended before the next. O(n log n) in contexts times stack
 * depth.
 *
 * The runs of a program give the same bytes but for META and run-time
 * addresses.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump.h"
#include "shared/raw_format.h"
#include "shared/table.h"
#include "shared/version.h"

/* The contexts that zstd may build in memory of ours. */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

/* Tests of the bytes name a version that does not change. */
#ifndef MPRT_TOOL_TEXT
#define MPRT_TOOL_TEXT "memprof " MPROF_VERSION
#endif

#define ZSTD_LEVEL 3
#define NO_FRAME UINT32_MAX

struct frame {
    uintptr_t pc;
    uint64_t address;     /* link-time */
    uint32_t module_plus; /* MODULES idx + 1, or 0 */
};

/* Open addressing by pc; slots hold frame numbers + 1, 0 is free. */
struct frame_set {
    struct frame *frames;
    uint32_t count;
    uint32_t capacity; /* of frames; half the slots */
    uint32_t *slots;
};

struct node {
    uint32_t up; /* rows back to the parent, 0: a root */
    uint32_t frame;
};

struct writer {
    const struct mprt_dump *dump;
    struct frame_set set;
    uint32_t *ranks;      /* place in FRAMES by number in the set */
    uint32_t *by_rank;    /* and back */
    uint32_t *rows;       /* all stacks, root first, as places in FRAMES */
    uint64_t *row_starts; /* per context, count + 1 */
    uint32_t *order;      /* contexts sorted by stack */
    uint32_t *leaves;     /* NODES idx + 1 by place in order */
    struct node *nodes;
    uint32_t node_count;
    uint64_t pc_count;
    uint32_t with_cells; /* contexts that have a histogram */
    uint64_t cell_count;
    struct mprof_buf strings;
    struct mprof_buf string_ends; /* u64 each */
    struct mprof_dir dir;
    bool failed;
};

static const struct mprt_context *context_at(const struct writer *w,
                                             uint64_t row)
{
    return &w->dump->snapshot->contexts[w->order[row]];
}

/* -- Frames ---------------------------------------------------------------- */

static uint32_t slot_of(uintptr_t pc, uint32_t mask)
{
    return (uint32_t)((pc * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & mask;
}

static uint32_t slots_of(const struct frame_set *set)
{
    return 2 * set->capacity;
}

static void free_set(struct frame_set *set)
{
    mprt_array_free(set->frames, set->capacity, sizeof(*set->frames));
    mprt_array_free(set->slots, slots_of(set), sizeof(*set->slots));
    *set = (struct frame_set){.count = 0};
}

static bool grow_set(struct frame_set *set)
{
    struct frame_set bigger = {
        .count = set->count,
        .capacity = set->capacity != 0 ? 2 * set->capacity : 4096};
    const uint32_t mask = slots_of(&bigger) - 1;

    bigger.frames =
        (struct frame *)mprt_array_new(bigger.capacity, sizeof(*bigger.frames));
    bigger.slots =
        (uint32_t *)mprt_array_new(slots_of(&bigger), sizeof(*bigger.slots));
    if (bigger.frames == NULL || bigger.slots == NULL) {
        free_set(&bigger);
        return false;
    }
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t slot = slot_of(set->frames[i].pc, mask);

        bigger.frames[i] = set->frames[i];
        while (bigger.slots[slot] != 0)
            slot = (slot + 1) & mask;
        bigger.slots[slot] = i + 1;
    }
    free_set(set);
    *set = bigger;
    return true;
}

/* The frame's number in the set, added where it is new; NO_FRAME without
 * memory. */
static uint32_t put_frame(struct frame_set *set, uintptr_t pc)
{
    uint32_t mask;
    uint32_t slot;

    if (set->count == set->capacity && !grow_set(set))
        return NO_FRAME;
    mask = slots_of(set) - 1;
    slot = slot_of(pc, mask);
    while (set->slots[slot] != 0) {
        if (set->frames[set->slots[slot] - 1].pc == pc)
            return set->slots[slot] - 1;
        slot = (slot + 1) & mask;
    }
    set->frames[set->count].pc = pc;
    set->slots[slot] = ++set->count;
    return set->count - 1;
}

static bool is_frame_less(const void *context, uint32_t a, uint32_t b)
{
    const struct frame *const frames = (const struct frame *)context;

    if (frames[a].module_plus != frames[b].module_plus)
        return frames[a].module_plus < frames[b].module_plus;
    return frames[a].address < frames[b].address;
}

static void locate_frames(struct writer *w)
{
    const struct mprt_module_list *const modules = w->dump->modules;

    for (uint32_t i = 0; i < w->set.count; i++) {
        struct frame *const frame = &w->set.frames[i];
        const uint32_t module = mprt_modules_find(modules, frame->pc);
        const bool found = module < modules->count;

        frame->module_plus = found ? module + 1 : 0;
        frame->address =
            frame->pc - (found ? modules->modules[module].bias : 0);
    }
}

static bool sort_frames(struct writer *w)
{
    const size_t count = w->set.count;
    uint32_t *const scratch =
        (uint32_t *)mprt_array_new(count, sizeof(*scratch));

    w->ranks = (uint32_t *)mprt_array_new(count, sizeof(*w->ranks));
    w->by_rank = (uint32_t *)mprt_array_new(count, sizeof(*w->by_rank));
    if (scratch == NULL || w->ranks == NULL || w->by_rank == NULL) {
        mprt_array_free(scratch, count, sizeof(*scratch));
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        w->by_rank[i] = i;
    mprt_sort_u32(w->by_rank, scratch, count, is_frame_less, w->set.frames);
    for (uint32_t i = 0; i < count; i++)
        w->ranks[w->by_rank[i]] = i;
    mprt_array_free(scratch, count, sizeof(*scratch));
    return true;
}

/* Fills rows with numbers in the set, root first. */
static bool collect_rows(struct writer *w)
{
    const struct mprt_snapshot *const snapshot = w->dump->snapshot;
    uint64_t pos = 0;

    for (uint32_t i = 0; i < snapshot->count; i++)
        w->pc_count += mprt_depot_get(snapshot->contexts[i].id).count;
    w->rows = (uint32_t *)mprt_array_new(w->pc_count, sizeof(*w->rows));
    w->row_starts = (uint64_t *)mprt_array_new((size_t)snapshot->count + 1,
                                               sizeof(*w->row_starts));
    if (w->rows == NULL || w->row_starts == NULL)
        return false;
    for (uint32_t i = 0; i < snapshot->count; i++) {
        const struct mprt_stack stack =
            mprt_depot_get(snapshot->contexts[i].id);

        w->row_starts[i] = pos;
        for (size_t k = stack.count; k > 0; k--) {
            const uint32_t frame = put_frame(&w->set, stack.pcs[k - 1]);

            if (frame == NO_FRAME)
                return false;
            w->rows[pos++] = frame;
        }
    }
    w->row_starts[snapshot->count] = pos;
    return true;
}

static bool make_frames(struct writer *w)
{
    if (!collect_rows(w))
        return false;
    locate_frames(w);
    if (!sort_frames(w))
        return false;
    for (uint64_t i = 0; i < w->pc_count; i++)
        w->rows[i] = w->ranks[w->rows[i]];
    return true;
}

/* -- The tree -------------------------------------------------------------- */

static uint64_t depth_of(const struct writer *w, uint32_t context)
{
    return w->row_starts[context + 1] - w->row_starts[context];
}

/* Frames that both stacks share, counted from the root. */
static uint64_t shared_depth(const struct writer *w, uint32_t a, uint32_t b)
{
    const uint64_t max = mprof_min_u64(depth_of(w, a), depth_of(w, b));
    const uint32_t *const row_a = w->rows + w->row_starts[a];
    const uint32_t *const row_b = w->rows + w->row_starts[b];
    uint64_t depth = 0;

    while (depth < max && row_a[depth] == row_b[depth])
        depth++;
    return depth;
}

static bool is_stack_less(const void *context, uint32_t a, uint32_t b)
{
    const struct writer *const w = (const struct writer *)context;
    const uint64_t depth = shared_depth(w, a, b);

    if (depth == depth_of(w, a) || depth == depth_of(w, b))
        return depth_of(w, a) < depth_of(w, b);
    return w->rows[w->row_starts[a] + depth] <
           w->rows[w->row_starts[b] + depth];
}

static bool sort_contexts(struct writer *w)
{
    const size_t count = w->dump->snapshot->count;
    uint32_t *const scratch =
        (uint32_t *)mprt_array_new(count, sizeof(*scratch));

    w->order = (uint32_t *)mprt_array_new(count, sizeof(*w->order));
    if (scratch != NULL && w->order != NULL) {
        for (uint32_t i = 0; i < count; i++)
            w->order[i] = i;
        mprt_sort_u32(w->order, scratch, count, is_stack_less, w);
    }
    mprt_array_free(scratch, count, sizeof(*scratch));
    return scratch != NULL && w->order != NULL;
}

/* path holds the nodes from the root to the last context's leaf. */
static void add_stack(struct writer *w, uint64_t row, uint32_t *path)
{
    const uint32_t context = w->order[row];
    const uint64_t depth = depth_of(w, context);
    uint64_t level = row == 0 ? 0 : shared_depth(w, w->order[row - 1], context);

    for (; level < depth; level++) {
        struct node *const node = &w->nodes[w->node_count];

        node->up = level == 0 ? 0 : w->node_count - path[level - 1];
        node->frame = w->rows[w->row_starts[context] + level];
        path[level] = w->node_count++;
    }
    w->leaves[row] = depth == 0 ? 0 : path[depth - 1] + 1;
}

static bool make_nodes(struct writer *w)
{
    const uint32_t count = w->dump->snapshot->count;
    uint32_t path[MPRT_STACK_FRAMES_MAX + 1];

    if (!sort_contexts(w))
        return false;
    w->nodes = (struct node *)mprt_array_new(w->pc_count, sizeof(*w->nodes));
    w->leaves = (uint32_t *)mprt_array_new(count, sizeof(*w->leaves));
    if (w->nodes == NULL || w->leaves == NULL)
        return false;
    for (uint32_t row = 0; row < count; row++)
        add_stack(w, row, path);
    return true;
}

/* -- Strings --------------------------------------------------------------- */

/* Index of the string; not looked up among those that are there: each is
 * written once. */
static uint64_t put_string(struct writer *w, const void *data, size_t n)
{
    mprof_buf_bytes(&w->strings, data, n);
    mprof_buf_u64(&w->string_ends, w->strings.size);
    return w->string_ends.size / 8 - 1;
}

static uint64_t put_text(struct writer *w, const char *text)
{
    return text[0] == '\0' ? 0 : put_string(w, text, mprt_strlen(text));
}

/* -- Sections -------------------------------------------------------------- */

/* Appends data[0..n) compressed; false where that fails or saves nothing. */
static bool append_zstd(struct mprof_buf *out, const void *data, size_t n)
{
    const size_t workspace_bytes = ZSTD_estimateCCtxSize(ZSTD_LEVEL);
    void *const workspace = mprt_sys_map(workspace_bytes);
    const size_t start = out->size;
    bool done = false;
    uint8_t *to;

    if (workspace == NULL)
        return false;
    to = mprof_buf_extend(out, n);
    if (to != NULL) {
        ZSTD_CCtx *const cctx = ZSTD_initStaticCCtx(workspace, workspace_bytes);
        const size_t stored =
            cctx != NULL ? ZSTD_compressCCtx(cctx, to, n, data, n, ZSTD_LEVEL)
                         : n;

        done = !ZSTD_isError(stored) && stored < n;
        out->size = start + (done ? stored : 0);
    }
    mprt_sys_unmap(workspace, workspace_bytes);
    return done;
}

static void add_section(struct writer *w, struct mprof_buf *out, uint32_t id,
                        const struct mprof_table_source *source)
{
    struct mprof_section *const section =
        &w->dir.sections[w->dir.section_count++];
    struct mprof_buf table;

    mprt_mapbuf_init(&table);
    mprof_table_write(&table, source);
    mprof_buf_align(out, MPROF_SECTION_ALIGN);
    *section = (struct mprof_section){.id = id,
                                      .codec = MPROF_CODEC_ZSTD,
                                      .offset = out->size,
                                      .decoded_bytes = table.size};
    if (!mprt_options.compress || !append_zstd(out, table.data, table.size)) {
        section->codec = MPROF_CODEC_NONE;
        mprof_buf_bytes(out, table.data, table.size);
    }
    section->stored_bytes = out->size - section->offset;
    if (!out->failed)
        section->checksum =
            mprof_checksum(out->data + section->offset, section->stored_bytes);
    w->failed = w->failed || table.failed;
    mprt_mapbuf_free(&table);
}

struct fact {
    uint32_t key;
    uint64_t number;
    uint64_t string;
};

struct facts {
    struct fact facts[32];
    uint32_t count;
};

static void add_fact(struct facts *facts, uint32_t key, uint64_t number,
                     uint64_t string)
{
    if (facts->count < MPROF_ARRAY_LEN(facts->facts))
        facts->facts[facts->count++] =
            (struct fact){.key = key, .number = number, .string = string};
}

static uint64_t count_truncated(const struct mprt_snapshot *snapshot)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < snapshot->count; i++)
        count += mprt_depot_get(snapshot->contexts[i].id).truncated;
    return count;
}

static void gather_facts(struct writer *w, struct facts *facts)
{
    const struct mprt_module_list *const modules = w->dump->modules;
    struct mprt_block_stats stats;
    char host[128];

    mprt_block_stats(&stats);
    mprt_path_host(host, sizeof(host));
#define FACT(name, number) add_fact(facts, MPROF_RAW_META_IS_##name, number, 0)
#define TEXT(name, text) \
    add_fact(facts, MPROF_RAW_META_IS_##name, 0, put_text(w, text))
    FACT(RUN_ID, mprt_sys_random());
    FACT(PID, mprt_sys_pid());
    FACT(START_NS, mprt_clock_start_realtime_ns());
    FACT(DURATION_NS, mprt_clock_now_ns());
    FACT(CLOCK_RESOLUTION_NS, mprt_clock_resolution_ns());
    TEXT(CLOCK, mprt_clock_name());
    TEXT(OPTIONS, mprt_options_given());
    TEXT(EXECUTABLE, modules->count != 0 ? modules->modules[0].path : "");
    TEXT(HOST, host);
    TEXT(TOOL, MPRT_TOOL_TEXT);
    FACT(CELL_BYTES,
         mprt_shadow_mode == MPRT_SHADOW_HISTOGRAM ? MPROF_CELL_BYTES : 0);
    FACT(STACK_DEPTH_MAX,
         mprof_min_u64((uint64_t)mprt_options.malloc_context_size,
                       MPRT_STACK_FRAMES_MAX));
    FACT(TRUNCATED_STACKS, count_truncated(w->dump->snapshot));
    FACT(DROPPED_BLOCKS, stats.dropped_blocks);
    FACT(OWN_MEMORY_BYTES, mprt_own_memory_bytes());
    FACT(FOREIGN_FREES, stats.foreign_frees);
#undef FACT
#undef TEXT
}

static uint64_t get_meta(const void *context, uint32_t tag, uint64_t row)
{
    const struct fact *const fact =
        &((const struct facts *)context)->facts[row];

    switch (tag) {
    case MPROF_RAW_META_KEY:
        return fact->key;
    case MPROF_RAW_META_NUMBER:
        return fact->number;
    default:
        return fact->string;
    }
}

static uint64_t get_string(const void *context, uint32_t tag, uint64_t row)
{
    const struct writer *const w = (const struct writer *)context;

    (void)tag;
    return mprof_le_load64(w->string_ends.data + 8 * row);
}

/* A module with the numbers of its strings. */
struct module_row {
    uint64_t path;
    uint64_t build_id;
    uint64_t bias;
    uint64_t flags;
};

static uint64_t get_module(const void *context, uint32_t tag, uint64_t row)
{
    const struct module_row *const module =
        &((const struct module_row *)context)[row];

    switch (tag) {
    case MPROF_RAW_MODULES_PATH:
        return module->path;
    case MPROF_RAW_MODULES_BUILD_ID:
        return module->build_id;
    case MPROF_RAW_MODULES_BIAS:
        return module->bias;
    default:
        return module->flags;
    }
}

/* Segments of all modules follow each other in the list's memory. */
static uint64_t get_segment(const void *context, uint32_t tag, uint64_t row)
{
    const struct mprt_module_list *const list =
        (const struct mprt_module_list *)context;
    const struct mprt_segment *segment;
    uint32_t module = 0;

    while (row >= list->modules[module].segment_count)
        row -= list->modules[module++].segment_count;
    segment = &list->modules[module].segments[row];
    switch (tag) {
    case MPROF_RAW_SEGMENTS_MODULE:
        return module;
    case MPROF_RAW_SEGMENTS_START:
        return segment->start;
    case MPROF_RAW_SEGMENTS_END:
        return segment->end;
    default:
        return segment->file_off;
    }
}

static uint64_t get_frame(const void *context, uint32_t tag, uint64_t row)
{
    const struct writer *const w = (const struct writer *)context;
    const struct frame *const frame = &w->set.frames[w->by_rank[row]];

    return tag == MPROF_RAW_FRAMES_MODULE ? frame->module_plus : frame->address;
}

static uint64_t get_node(const void *context, uint32_t tag, uint64_t row)
{
    const struct node *const node =
        &((const struct writer *)context)->nodes[row];

    return tag == MPROF_RAW_NODES_UP ? node->up : node->frame;
}

static uint64_t get_context(const void *context, uint32_t tag, uint64_t row)
{
    const struct writer *const w = (const struct writer *)context;
    const struct mprt_context *const c = context_at(w, row);

    switch (tag) {
    case MPROF_RAW_CONTEXTS_NODE:
        return w->leaves[row];
    case MPROF_RAW_CONTEXTS_FLAGS:
        return mprt_depot_get(c->id).truncated ? MPROF_RAW_CONTEXT_FL_TRUNCATED
                                               : 0;
    default:
        return mprof_mib_get(&c->mib, mprof_mib_index_of_tag(tag));
    }
}

/* -- Histograms: both tables from one list of rows ------------------------- */

struct histogram_row {
    uint64_t context; /* CONTEXTS idx */
    uint64_t first;   /* CELLS idx */
};

static bool has_cells(const struct mprt_context *context)
{
    return context->cells != NULL && context->mib.AccessHistogramSize != 0;
}

static uint64_t get_histogram(const void *context, uint32_t tag, uint64_t row)
{
    const struct histogram_row *const histogram =
        &((const struct histogram_row *)context)[row];

    return tag == MPROF_RAW_HISTOGRAMS_CONTEXT ? histogram->context
                                               : histogram->first;
}

static uint64_t get_cell(const void *context, uint32_t tag, uint64_t row)
{
    (void)tag;
    return ((const uint64_t *)context)[row];
}

static void add_cells(struct writer *w, struct mprof_buf *out,
                      const struct histogram_row *rows, uint64_t *cells)
{
    static const uint32_t histogram_tags[] = {MPROF_RAW_HISTOGRAMS_CONTEXT,
                                              MPROF_RAW_HISTOGRAMS_FIRST};
    static const uint32_t cell_tags[] = {MPROF_RAW_CELLS_COUNT};

    for (uint32_t i = 0; i < w->with_cells; i++) {
        const struct mprt_context *const c = context_at(w, rows[i].context);

        mprt_memcpy(cells + rows[i].first, c->cells,
                    c->mib.AccessHistogramSize * sizeof(*cells));
    }
    add_section(w, out, MPROF_RAW_HISTOGRAMS,
                &(struct mprof_table_source){
                    .rows = w->with_cells,
                    .tags = histogram_tags,
                    .tag_count = MPROF_ARRAY_LEN(histogram_tags),
                    .get = get_histogram,
                    .context = rows});
    add_section(
        w, out, MPROF_RAW_CELLS,
        &(struct mprof_table_source){.rows = w->cell_count,
                                     .tags = cell_tags,
                                     .tag_count = MPROF_ARRAY_LEN(cell_tags),
                                     .get = get_cell,
                                     .context = cells});
}

static void count_cells(struct writer *w)
{
    for (uint64_t row = 0; row < w->dump->snapshot->count; row++) {
        const struct mprt_context *const c = context_at(w, row);

        w->with_cells += has_cells(c);
        w->cell_count += has_cells(c) ? c->mib.AccessHistogramSize : 0;
    }
}

static void add_histograms(struct writer *w, struct mprof_buf *out)
{
    struct histogram_row *rows;
    uint64_t *cells;
    uint32_t at = 0;
    uint64_t first = 0;

    count_cells(w);
    if (w->with_cells == 0)
        return;
    rows = (struct histogram_row *)mprt_array_new(w->with_cells, sizeof(*rows));
    cells = (uint64_t *)mprt_array_new(w->cell_count, sizeof(*cells));
    w->failed = w->failed || rows == NULL || cells == NULL;
    for (uint64_t row = 0; !w->failed && row < w->dump->snapshot->count;
         row++) {
        const struct mprt_context *const c = context_at(w, row);

        if (!has_cells(c))
            continue;
        rows[at++] = (struct histogram_row){.context = row, .first = first};
        first += c->mib.AccessHistogramSize;
    }
    if (!w->failed)
        add_cells(w, out, rows, cells);
    mprt_array_free(rows, w->with_cells, sizeof(*rows));
    mprt_array_free(cells, w->cell_count, sizeof(*cells));
}

/* -- The sections in the order of their ids -------------------------------- */

/* Columns of CONTEXTS: fields that are 0 everywhere are left out, as readers
 * take what is not there for 0. */
static uint32_t choose_context_tags(const struct writer *w, uint32_t *tags)
{
    const struct mprt_snapshot *const snapshot = w->dump->snapshot;
    uint32_t count = 0;

    for (size_t field = 0; field < MPROF_MIB_FIELDS; field++) {
        for (uint32_t i = 0; i < snapshot->count; i++) {
            if (mprof_mib_get(&snapshot->contexts[i].mib, field) != 0) {
                tags[count++] = mprof_mib_fields[field].tag;
                break;
            }
        }
    }
    tags[count++] = MPROF_RAW_CONTEXTS_NODE;
    tags[count++] = MPROF_RAW_CONTEXTS_FLAGS;
    return count;
}

static void add_contexts(struct writer *w, struct mprof_buf *out)
{
    uint32_t tags[MPROF_MIB_FIELDS + 2];
    const uint32_t tag_count = choose_context_tags(w, tags);

    add_section(w, out, MPROF_RAW_CONTEXTS,
                &(struct mprof_table_source){.rows = w->dump->snapshot->count,
                                             .tags = tags,
                                             .tag_count = tag_count,
                                             .get = get_context,
                                             .context = w});
}

static void add_stacks(struct writer *w, struct mprof_buf *out)
{
    static const uint32_t frame_tags[] = {MPROF_RAW_FRAMES_MODULE,
                                          MPROF_RAW_FRAMES_ADDRESS};
    static const uint32_t node_tags[] = {MPROF_RAW_NODES_UP,
                                         MPROF_RAW_NODES_FRAME};

    add_section(
        w, out, MPROF_RAW_FRAMES,
        &(struct mprof_table_source){.rows = w->set.count,
                                     .tags = frame_tags,
                                     .tag_count = MPROF_ARRAY_LEN(frame_tags),
                                     .get = get_frame,
                                     .context = w});
    add_section(
        w, out, MPROF_RAW_NODES,
        &(struct mprof_table_source){.rows = w->node_count,
                                     .tags = node_tags,
                                     .tag_count = MPROF_ARRAY_LEN(node_tags),
                                     .get = get_node,
                                     .context = w});
}

static void add_segments(struct writer *w, struct mprof_buf *out)
{
    static const uint32_t tags[] = {
        MPROF_RAW_SEGMENTS_MODULE, MPROF_RAW_SEGMENTS_START,
        MPROF_RAW_SEGMENTS_END, MPROF_RAW_SEGMENTS_FILE_OFF};
    const struct mprt_module_list *const modules = w->dump->modules;
    uint64_t rows = 0;

    for (uint32_t i = 0; i < modules->count; i++)
        rows += modules->modules[i].segment_count;
    add_section(w, out, MPROF_RAW_SEGMENTS,
                &(struct mprof_table_source){.rows = rows,
                                             .tags = tags,
                                             .tag_count = MPROF_ARRAY_LEN(tags),
                                             .get = get_segment,
                                             .context = modules});
}

/* META, STRINGS, MODULES: strings must be complete before they are written. */
static void add_facts(struct writer *w, struct mprof_buf *out,
                      struct module_row *rows)
{
    static const uint32_t meta_tags[] = {
        MPROF_RAW_META_KEY, MPROF_RAW_META_NUMBER, MPROF_RAW_META_STRING};
    static const uint32_t string_tags[] = {MPROF_RAW_STRINGS_END,
                                           MPROF_RAW_STRINGS_BYTES};
    static const uint32_t module_tags[] = {
        MPROF_RAW_MODULES_PATH, MPROF_RAW_MODULES_BUILD_ID,
        MPROF_RAW_MODULES_BIAS, MPROF_RAW_MODULES_FLAGS};
    const struct mprt_module_list *const modules = w->dump->modules;
    struct facts facts = {.count = 0};

    put_string(w, "", 0);
    gather_facts(w, &facts);
    for (uint32_t i = 0; i < modules->count; i++) {
        const struct mprt_module *const m = &modules->modules[i];

        rows[i].path = put_text(w, m->path);
        rows[i].build_id = m->build_id_bytes != 0
                               ? put_string(w, m->build_id, m->build_id_bytes)
                               : 0;
        rows[i].bias = m->bias;
        rows[i].flags = m->flags;
    }
    w->failed = w->failed || w->strings.failed || w->string_ends.failed;
    if (w->failed)
        return;
    add_section(
        w, out, MPROF_RAW_META,
        &(struct mprof_table_source){.rows = facts.count,
                                     .tags = meta_tags,
                                     .tag_count = MPROF_ARRAY_LEN(meta_tags),
                                     .get = get_meta,
                                     .context = &facts});
    add_section(
        w, out, MPROF_RAW_STRINGS,
        &(struct mprof_table_source){
            .rows = w->string_ends.size / 8,
            .tags = string_tags,
            .tag_count = MPROF_ARRAY_LEN(string_tags),
            .get = get_string,
            .context = w,
            .blob_tag = MPROF_RAW_STRINGS_BYTES,
            .blob = {.data = w->strings.data, .size = w->strings.size}});
    add_section(
        w, out, MPROF_RAW_MODULES,
        &(struct mprof_table_source){.rows = modules->count,
                                     .tags = module_tags,
                                     .tag_count = MPROF_ARRAY_LEN(module_tags),
                                     .get = get_module,
                                     .context = rows});
}

#define SECTIONS_MAX 9

static void write_sections(struct writer *w, struct mprof_buf *out)
{
    const size_t modules = w->dump->modules->count;
    struct module_row *const rows =
        (struct module_row *)mprt_array_new(modules, sizeof(*rows));
    const size_t start = out->size;

    if (rows == NULL) {
        w->failed = true;
        return;
    }
    /* Room for the directory of all sections; those that are not written leave
     * unused bytes behind it. */
    mprof_buf_extend(out, mprof_dir_bytes(SECTIONS_MAX));
    add_facts(w, out, rows);
    if (!w->failed) {
        add_segments(w, out);
        add_stacks(w, out);
        add_contexts(w, out);
        add_histograms(w, out);
    }
    mprt_array_free(rows, modules, sizeof(*rows));
    if (w->failed || out->failed)
        return;
    w->dir.magic = MPROF_RAW_MAGIC;
    w->dir.version = MPROF_RAW_VERSION;
    w->dir.file_bytes = out->size - start;
    mprt_memset(out->data + start, 0, mprof_dir_bytes(SECTIONS_MAX));
    mprof_dir_write(&w->dir, out->data + start);
}

static void free_writer(struct writer *w)
{
    const size_t contexts = w->dump->snapshot->count;

    mprt_array_free(w->ranks, w->set.count, sizeof(*w->ranks));
    mprt_array_free(w->by_rank, w->set.count, sizeof(*w->by_rank));
    mprt_array_free(w->rows, w->pc_count, sizeof(*w->rows));
    mprt_array_free(w->row_starts, contexts + 1, sizeof(*w->row_starts));
    mprt_array_free(w->order, contexts, sizeof(*w->order));
    mprt_array_free(w->leaves, contexts, sizeof(*w->leaves));
    mprt_array_free(w->nodes, w->pc_count, sizeof(*w->nodes));
    free_set(&w->set);
    mprt_mapbuf_free(&w->strings);
    mprt_mapbuf_free(&w->string_ends);
}

void mprt_rawwrite(struct mprof_buf *buf, const struct mprt_dump *dump)
{
    struct writer w = {.dump = dump};

    mprt_mapbuf_init(&w.strings);
    mprt_mapbuf_init(&w.string_ends);
    if (make_frames(&w) && make_nodes(&w))
        write_sections(&w, buf);
    else
        w.failed = true;
    buf->failed = buf->failed || w.failed;
    free_writer(&w);
}
