/* rawwrite.c -- our raw profile, as shared/raw_format.h describes it.
 *
 * The depot's nodes that the contexts need are marked. Their distinct code
 * addresses go through a hash table and are sorted by (module, address): the
 * FRAMES. The nodes are sorted by (parent, frame) and written in preorder: the
 * NODES; contexts stand in the order of their leaves. A truncated stack shares
 * the nodes of whole ones with the same frames. The sections are tables; each
 * is made in pieces, compressed and appended before the next. O(n) in nodes,
 * O(n log n) in frames.
 *
 * The runs of a program give the same bytes but for META and run-time
 * addresses.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump.h"
#include "rt/frameset.h"
#include "rt/owntime.h"
#include "rt/rawpack.h"
#include "shared/raw_format.h"
#include "shared/table.h"
#include "shared/version.h"

/* Tests of the bytes name a version that does not change. */
#ifndef MPRT_TOOL_TEXT
#define MPRT_TOOL_TEXT "memprof " MPROF_VERSION
#endif

#define CACHE_LINE_BYTES 64
/* Rows; twice that are on their way. */
#define AHEAD 8

/* In writer.same: the node stands for itself; the other bits are the next node
 * with its frame, then the next child of its parent, or 0. */
#define STANDS (UINT32_C(1) << 31)

struct writer {
    const struct mprt_dump *dump;
    struct mprt_frame_set set;
    uint32_t *ranks;      /* place in FRAMES by number in the set */
    uint32_t *by_rank;    /* and back */
    uint32_t depot_count; /* the depot's nodes are 1..depot_count */
    uint32_t *same;       /* by them: the node that stands for it, or 0; NULL
                             where each stands for itself */
    uint32_t *places;     /* by them: NODES idx + 1, or 0 */
    uint32_t *listed;     /* and back */
    uint32_t *order;      /* ids of contexts, sorted by stack */
    uint32_t *leaves;     /* NODES idx + 1 by place in order */
    uint32_t node_count;
    bool has_others; /* nodes that another one stands for */
    bool has_cut;    /* contexts whose stack is truncated */
    /* STRINGS idx by the number of a thread's name; 0: not met */
    uint32_t threads[MPRT_THREADNAMES];
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
    return &w->dump->snapshot->rows[w->order[row]];
}

/* -- Frames ---------------------------------------------------------------- */

static bool is_frame_less(const void *context, uint32_t a, uint32_t b)
{
    const struct mprt_frame *const frames = (const struct mprt_frame *)context;

    if (frames[a].module_plus != frames[b].module_plus)
        return frames[a].module_plus < frames[b].module_plus;
    return frames[a].address < frames[b].address;
}

static void locate_frames(struct writer *w)
{
    const struct mprt_module_list *const modules = w->dump->modules;

    for (uint32_t i = 0; i < w->set.count; i++) {
        struct mprt_frame *const frame = &w->set.frames[i];
        const uint32_t module = mprt_modules_find(modules, frame->pc);
        const bool found = module < modules->count;

        frame->module_plus = found ? module + 1 : 0;
        frame->address = mprt_pc_address(frame->pc) -
                         (found ? modules->modules[module].bias : 0);
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

/* Marks the nodes that the contexts need. */
static void mark_nodes(struct writer *w)
{
    const struct mprt_snapshot *const snapshot = w->dump->snapshot;

    w->same[MPRT_DEPOT_ROOT] = MPRT_DEPOT_ROOT;
    w->same[MPRT_DEPOT_ROOT_CUT] = MPRT_DEPOT_ROOT;
    for (uint32_t i = 0; i < snapshot->count; i++) {
        uint32_t node = mprt_depot_leaf(snapshot->ids[i]);

        w->has_cut = w->has_cut || node == MPRT_DEPOT_ROOT_CUT;
        while (w->same[node] == 0) {
            w->same[node] = node;
            mprt_depot_node(node, &node);
        }
    }
}

/* Finds what stands for each node of truncated stacks; puts the frames into the
 * set. Parents come before their children. */
static bool collect_frames(struct writer *w)
{
    w->depot_count = mprt_depot_node_count();
    w->same = (uint32_t *)mprt_array_new((size_t)w->depot_count + 1,
                                         sizeof(*w->same));
    if (w->same == NULL)
        return false;
    mark_nodes(w);
    for (uint32_t node = MPRT_DEPOT_ROOT_CUT + 1; node <= w->depot_count;
         node++) {
        uint32_t parent;
        uint32_t same;

        if (w->same[node] == 0)
            continue;
        const uintptr_t pc = mprt_depot_node(node, &parent);
        if (!mprt_frame_set_put(&w->set, pc))
            return false;
        if (w->same[parent] != parent) {
            same = mprt_depot_child(w->same[parent], pc);
            w->has_others = true;
            w->has_cut = true;
            if (same != 0 && same <= w->depot_count) {
                w->same[node] = same;
                if (w->same[same] == 0)
                    w->same[same] = same;
            }
        }
    }
    return true;
}

static bool make_frames(struct writer *w)
{
    if (!collect_frames(w))
        return false;
    locate_frames(w);
    return sort_frames(w);
}

/* -- The tree -------------------------------------------------------------- */

static uint32_t rank_of(const struct writer *w, uint32_t node)
{
    uint32_t parent;

    return w
        ->ranks[mprt_frame_set_find(&w->set, mprt_depot_node(node, &parent))];
}

static uint32_t stand_in(const struct writer *w, uint32_t node)
{
    const uint32_t same = w->same != NULL ? w->same[node] : STANDS;

    return (same & STANDS) != 0 ? node : same;
}

static uint32_t parent_of(const struct writer *w, uint32_t node)
{
    uint32_t parent;

    mprt_depot_node(node, &parent);
    return stand_in(w, parent);
}

/* Links the nodes that have one frame; `heads` has a zero for each frame. */
static void sort_nodes(struct writer *w, uint32_t *heads)
{
    w->node_count = 0;
    for (uint32_t i = MPRT_DEPOT_ROOT_CUT + 1; i <= w->depot_count; i++) {
        if (w->same[i] != i)
            continue;
        uint32_t *const head = &heads[rank_of(w, i)];
        w->same[i] = STANDS | *head;
        *head = i;
        w->node_count++;
    }
}

/* Links the children of each node by frame. The first one's place is `places`
 * until the node has its own. */
static void link_nodes(struct writer *w, const uint32_t *heads)
{
    for (uint32_t k = w->set.count; k-- > 0;) {
        uint32_t node = heads[k];

        while (node != 0) {
            uint32_t *const first = &w->places[parent_of(w, node)];
            const uint32_t next = w->same[node] & ~STANDS;

            w->same[node] = STANDS | *first;
            *first = node;
            node = next;
        }
    }
}

/* Numbers the nodes below the root in preorder. */
static void place_nodes(struct writer *w)
{
    uint32_t next[MPRT_STACK_FRAMES_MAX + 2];
    size_t depth = 0;
    uint32_t count = 0;

    next[0] = w->places[MPRT_DEPOT_ROOT];
    w->places[MPRT_DEPOT_ROOT] = 0;
    for (;;) {
        const uint32_t node = next[depth];

        if (node == 0) {
            if (depth-- == 0)
                return;
            continue;
        }
        next[depth++] = w->same[node] & ~STANDS;
        next[depth] = w->places[node];
        w->places[node] = ++count;
    }
}

static void free_same(struct writer *w)
{
    mprt_array_free(w->same, (size_t)w->depot_count + 1, sizeof(*w->same));
    w->same = NULL;
}

static void free_listed(struct writer *w)
{
    mprt_array_free(w->listed, w->node_count, sizeof(*w->listed));
    w->listed = NULL;
}

static bool list_nodes(struct writer *w)
{
    w->listed = (uint32_t *)mprt_array_new(w->node_count, sizeof(*w->listed));
    if (w->listed == NULL)
        return false;
    for (uint32_t i = MPRT_DEPOT_ROOT_CUT + 1; i <= w->depot_count; i++) {
        if (w->places[i] != 0)
            w->listed[w->places[i] - 1] = i;
    }
    return true;
}

static bool is_leaf_less(const void *context, uint32_t a, uint32_t b)
{
    const uint32_t *const leaves = (const uint32_t *)context;

    return leaves[a] < leaves[b];
}

/* The contexts in the order of their leaves. */
static bool sort_contexts(struct writer *w)
{
    const struct mprt_snapshot *const snapshot = w->dump->snapshot;
    const size_t count = snapshot->count;
    uint32_t *const scratch =
        (uint32_t *)mprt_array_new(count, sizeof(*scratch));

    w->order = (uint32_t *)mprt_array_new(count, sizeof(*w->order));
    w->leaves = (uint32_t *)mprt_array_new(count, sizeof(*w->leaves));
    if (scratch != NULL && w->order != NULL && w->leaves != NULL) {
        for (uint32_t i = 0; i < count; i++) {
            w->order[i] = i;
            w->leaves[i] =
                w->places[stand_in(w, mprt_depot_leaf(snapshot->ids[i]))];
        }
        mprt_sort_u32(w->order, scratch, count, is_leaf_less, w->leaves);
        for (uint32_t i = 0; i < count; i++)
            scratch[i] = w->leaves[w->order[i]];
        mprt_memcpy(w->leaves, scratch, count * sizeof(*scratch));
        for (uint32_t i = 0; i < count; i++)
            w->order[i] = snapshot->ids[w->order[i]];
    }
    mprt_array_free(scratch, count, sizeof(*scratch));
    return scratch != NULL && w->order != NULL && w->leaves != NULL;
}

static bool make_nodes(struct writer *w)
{
    uint32_t *const heads =
        (uint32_t *)mprt_array_new(w->set.count, sizeof(*heads));

    w->places = (uint32_t *)mprt_array_new((size_t)w->depot_count + 1,
                                           sizeof(*w->places));
    if (heads != NULL && w->places != NULL) {
        sort_nodes(w, heads);
        link_nodes(w, heads);
        place_nodes(w);
    }
    mprt_array_free(heads, w->set.count, sizeof(*heads));
    if (heads == NULL || w->places == NULL)
        return false;
    if (!w->has_others)
        free_same(w); /* before there is another array of that size */
    return list_nodes(w);
}

static void free_nodes(struct writer *w)
{
    free_same(w);
    free_listed(w);
    mprt_array_free(w->places, (size_t)w->depot_count + 1, sizeof(*w->places));
    w->places = NULL;
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

static bool has_threads(const struct writer *w)
{
    return w->threads[0] != 0;
}

/* An earlier number of the same name, or the number. */
static uint32_t first_number(const struct writer *w, uint32_t number)
{
    for (uint32_t i = 1; i < number; i++) {
        if (w->threads[i] != 0 &&
            mprt_strcmp(mprt_threadname(i), mprt_threadname(number)) == 0)
            return i;
    }
    return number;
}

/* The names of threads, with per_thread=1. Contexts without one are of the name
 * "". */
static void put_threads(struct writer *w)
{
    const struct mprt_snapshot *const snapshot = w->dump->snapshot;

    if (!mprt_options.per_thread)
        return;
    w->threads[0] = (uint32_t)put_string(w, "", 0);
    for (uint32_t i = 0; i < snapshot->count; i++) {
        const uint32_t number = mprt_depot_thread(snapshot->ids[i]);
        const char *name;
        uint32_t first;

        if (w->threads[number] != 0)
            continue;
        first = first_number(w, number);
        name = mprt_threadname(number);
        w->threads[number] =
            first != number ? w->threads[first]
                            : (uint32_t)put_string(w, name, mprt_strlen(name));
    }
}

/* -- Sections -------------------------------------------------------------- */

/* A table of `bytes` bytes, of which `head` holds the beginning; all of it
 * where source is NULL. */
static void store_section(struct writer *w, struct mprof_buf *out, uint32_t id,
                          const struct mprof_buf *head,
                          const struct mprof_table_source *source, size_t bytes)
{
    struct mprof_section *const section =
        &w->dir.sections[w->dir.section_count++];

    mprof_buf_align(out, MPROF_SECTION_ALIGN);
    *section = (struct mprof_section){.id = id,
                                      .codec = MPROF_CODEC_ZSTD,
                                      .offset = out->size,
                                      .decoded_bytes = bytes};
    w->failed = w->failed || head->failed;
    if (!w->failed &&
        (!mprt_options.compress || !mprt_rawpack(out, head, source, bytes))) {
        section->codec = MPROF_CODEC_NONE;
        if (source != NULL)
            mprof_table_write(out, source);
        else
            mprof_buf_bytes(out, head->data, bytes);
    }
    section->stored_bytes = out->size - section->offset;
    if (!out->failed)
        section->checksum =
            mprof_checksum(out->data + section->offset, section->stored_bytes);
}

static void add_section(struct writer *w, struct mprof_buf *out, uint32_t id,
                        const struct mprof_table_source *source)
{
    struct mprof_buf head;

    mprt_mapbuf_init(&head);
    store_section(w, out, id, &head, source, mprof_table_head(&head, source));
    mprt_mapbuf_free(&head);
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

static bool is_truncated(uint32_t id)
{
    uint32_t node = mprt_depot_leaf(id);

    while (node > MPRT_DEPOT_ROOT_CUT)
        mprt_depot_node(node, &node);
    return node == MPRT_DEPOT_ROOT_CUT;
}

static uint64_t count_truncated(const struct mprt_snapshot *snapshot)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < snapshot->count; i++)
        count += is_truncated(snapshot->ids[i]);
    return count;
}

static void gather_facts(struct writer *w, struct facts *facts)
{
    const struct mprt_module_list *const modules = w->dump->modules;
    struct mprt_block_stats stats;
    char host[128];
    uint64_t timed_calls;
    const uint64_t own_time_ns = mprt_owntime_ns(&timed_calls);

    mprt_block_stats(&stats);
    mprt_path_host(host, sizeof(host));
#define FACT(name, number) add_fact(facts, MPROF_RAW_META_IS_##name, number, 0)
#define TEXT(name, text) \
    add_fact(facts, MPROF_RAW_META_IS_##name, 0, put_text(w, text))
    FACT(RUN_ID, mprt_sys_random());
    FACT(PID, mprt_process_pid());
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
    FACT(TRUNCATED_STACKS, w->has_cut ? count_truncated(w->dump->snapshot) : 0);
    FACT(DROPPED_BLOCKS, stats.dropped_blocks);
    FACT(OWN_MEMORY_BYTES, mprt_own_memory_bytes());
    FACT(FOREIGN_FREES, stats.foreign_frees);
    if (timed_calls != 0) {
        FACT(OWN_TIME_NS, own_time_ns);
        FACT(TIMED_CALLS, timed_calls);
    }
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
    const struct mprt_frame *const frame = &w->set.frames[w->by_rank[row]];

    return tag == MPROF_RAW_FRAMES_MODULE ? frame->module_plus : frame->address;
}

static uint64_t get_node(const void *context, uint32_t tag, uint64_t row)
{
    const struct writer *const w = (const struct writer *)context;
    const uint32_t node = w->listed[row];
    uint32_t parent;

    if (tag != MPROF_RAW_NODES_UP)
        return rank_of(w, node);
    parent = w->places[parent_of(w, node)];
    return parent != 0 ? row + 1 - parent : 0;
}

/* Contexts lie in the order in which they came up, and are read in that of
 * their stacks: what they hold is far from each other, and asked for ahead. */
static void fetch_ahead(const struct writer *w, uint64_t row)
{
    const uint64_t count = w->dump->snapshot->count;

    if (row + 2 * AHEAD < count)
        __builtin_prefetch(context_at(w, row + 2 * AHEAD));
    if (row + AHEAD < count) {
        const char *const more = (const char *)context_at(w, row + AHEAD)->more;

        for (size_t i = 0; more != NULL && i < sizeof(struct mprof_mib);
             i += CACHE_LINE_BYTES)
            __builtin_prefetch(more + i);
    }
}

/* The columns of CONTEXTS that may be: the MIB's fields, then these. */
enum { COLUMN_NODE = MPROF_MIB_FIELDS, COLUMN_FLAGS, COLUMN_THREAD, COLUMNS };

/* A row of CONTEXTS, by column. */
union context_row {
    struct mprof_mib mib;
    uint64_t values[COLUMNS];
};

static uint64_t flags_of(const struct writer *w, uint32_t id)
{
    return w->has_cut && is_truncated(id) ? MPROF_RAW_CONTEXT_FL_TRUNCATED : 0;
}

/* All of a row at once: the MIB of a block is made anew each time. */
static void get_context(const struct writer *w, uint64_t row,
                        union context_row *out)
{
    const uint32_t id = w->order[row];

    fetch_ahead(w, row);
    mprt_context_mib(context_at(w, row), &out->mib);
    out->values[COLUMN_NODE] = w->leaves[row];
    out->values[COLUMN_FLAGS] = flags_of(w, id);
    out->values[COLUMN_THREAD] =
        has_threads(w) ? w->threads[mprt_depot_thread(id)] : 0;
}

/* -- Histograms: both tables from one list of rows ------------------------- */

struct histogram_row {
    uint64_t context; /* CONTEXTS idx */
    uint64_t first;   /* CELLS idx */
};

static uint64_t cells_of(const struct mprt_context *context)
{
    uint64_t count;

    mprt_context_cells(context, &count);
    return count;
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

        uint64_t count;
        const uint64_t *const from = mprt_context_cells(c, &count);

        mprt_memcpy(cells + rows[i].first, from, count * sizeof(*cells));
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

        w->with_cells += cells_of(c) != 0;
        w->cell_count += cells_of(c);
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

        if (cells_of(c) == 0)
            continue;
        rows[at++] = (struct histogram_row){.context = row, .first = first};
        first += cells_of(c);
    }
    if (!w->failed)
        add_cells(w, out, rows, cells);
    mprt_array_free(rows, w->with_cells, sizeof(*rows));
    mprt_array_free(cells, w->cell_count, sizeof(*cells));
}

/* -- The sections in the order of their ids -------------------------------- */

static void find_ranges(const struct writer *w, struct mprof_range *ranges)
{
    const uint64_t rows = w->dump->snapshot->count;
    union context_row row;

    for (size_t i = 0; i < COLUMNS; i++)
        ranges[i] = (struct mprof_range){.low = rows != 0 ? UINT64_MAX : 0};
    for (uint64_t at = 0; at < rows; at++) {
        get_context(w, at, &row);
        for (size_t i = 0; i < COLUMNS; i++) {
            ranges[i].low = mprof_min_u64(ranges[i].low, row.values[i]);
            ranges[i].high = mprof_max_u64(ranges[i].high, row.values[i]);
        }
    }
}

static uint32_t tag_of(size_t column)
{
    switch (column) {
    case COLUMN_NODE:
        return MPROF_RAW_CONTEXTS_NODE;
    case COLUMN_FLAGS:
        return MPROF_RAW_CONTEXTS_FLAGS;
    case COLUMN_THREAD:
        return MPROF_RAW_CONTEXTS_THREAD;
    default:
        return mprof_mib_fields[column].tag;
    }
}

/* Columns of CONTEXTS: fields that are 0 everywhere are left out, as readers
 * take what is not there for 0. Their ranges move together. */
static uint32_t choose_columns(const struct writer *w,
                               struct mprof_range *ranges, uint32_t *columns,
                               uint32_t *tags)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < COLUMNS; i++) {
        if (i < MPROF_MIB_FIELDS ? ranges[i].high == 0
                                 : i == COLUMN_THREAD && !has_threads(w))
            continue;
        ranges[count] = ranges[i];
        columns[count] = i;
        tags[count++] = tag_of(i);
    }
    return count;
}

static void put_contexts(const struct writer *w, uint8_t *table,
                         const uint32_t *columns, uint32_t count)
{
    union context_row row;
    uint64_t values[COLUMNS];
    struct mprof_table_rows rows;

    mprof_table_rows_begin(&rows, table);
    for (uint64_t at = 0; at < w->dump->snapshot->count; at++) {
        get_context(w, at, &row);
        for (uint32_t i = 0; i < count; i++)
            values[i] = row.values[columns[i]];
        mprof_table_rows_put(&rows, at, values);
    }
}

/* The table as a whole is in memory: going through the contexts once for each
 * column took most of a dump. */
static void add_contexts(struct writer *w, struct mprof_buf *out)
{
    struct mprof_range ranges[COLUMNS];
    uint32_t columns[COLUMNS];
    uint32_t tags[COLUMNS];
    struct mprof_buf table;

    find_ranges(w, ranges);
    const struct mprof_table_source source = {
        .rows = w->dump->snapshot->count,
        .tags = tags,
        .tag_count = choose_columns(w, ranges, columns, tags)};
    mprt_mapbuf_init(&table);
    const size_t bytes = mprof_table_head_of(&table, &source, ranges);
    if (!table.failed)
        mprof_buf_extend(&table, bytes - table.size);
    if (!table.failed)
        put_contexts(w, table.data, columns, source.tag_count);
    store_section(w, out, MPROF_RAW_CONTEXTS, &table, NULL, bytes);
    mprt_mapbuf_free(&table);
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
    put_threads(w);
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
        free_listed(w);
        w->failed = w->failed || !sort_contexts(w);
        free_nodes(w);
    }
    if (!w->failed) {
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
    free_nodes(w);
    mprt_array_free(w->order, contexts, sizeof(*w->order));
    mprt_array_free(w->leaves, contexts, sizeof(*w->leaves));
    mprt_frame_set_free(&w->set);
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
