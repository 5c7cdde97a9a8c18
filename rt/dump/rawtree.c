/* rawtree.c -- the call stacks of a raw profile as a tree.
 *
 * First the depot's nodes that the contexts need are marked. Their distinct
 * code addresses go into a hash table and are sorted by binary and address:
 * FRAMES. The nodes are sorted by parent and frame and written in preorder:
 * NODES. Contexts are sorted by their leaves. A truncated call stack shares the
 * nodes of complete ones with the same frames. Time: O(n) in nodes and
 * contexts, O(n log n) in frames.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/rawsections.h"
#include "rt/base/libc.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/stack/depot.h"
#include "rt/stack/vm.h"
#include "shared/raw_format.h"
#include "shared/table.h"

/* Flag in builder.same: the node represents itself. The other bits are the next
 * node with the same frame, then the next child of the same parent, or 0. */
#define STANDS (UINT32_C(1) << 31)

struct builder {
    const struct mprt_dump *dump;
    struct mprt_rawtree *tree;
    struct mprt_frameset set;
    uint32_t *ranks;      /* frame number in the set to FRAMES idx */
    uint32_t *by_rank;    /* and the inverse */
    uint32_t depot_count; /* the depot has nodes 1 to depot_count */
    /* by depot node: the node that represents it, or 0 if not needed; NULL: all
     * represent themselves */
    uint32_t *same;
    /* by depot node: frame number in the set; may be NULL */
    uint32_t *numbers;
    uint32_t *places; /* by depot node: NODES idx + 1, or 0 */
    uint32_t *ups;    /* columns UP and FRAME of NODES */
    uint32_t *frames;
    uint32_t node_count;
    bool has_others; /* some nodes are represented by others */
};

/* An array indexed by depot node. */
static uint32_t *new_array(const struct builder *b)
{
    return (uint32_t *)mprt_mapbuf_new_array((size_t)b->depot_count + 1,
                                             sizeof(uint32_t));
}

static void free_array(const struct builder *b, uint32_t **array)
{
    mprt_mapbuf_free_array(*array, (size_t)b->depot_count + 1, sizeof(**array));
    *array = NULL;
}

/* -- frames ---------------------------------------------------------------- */

static bool is_frame_less(const void *context, uint32_t a, uint32_t b)
{
    const struct mprt_frame *const frames = context;

    if (frames[a].module_plus != frames[b].module_plus)
        return frames[a].module_plus < frames[b].module_plus;
    return frames[a].address < frames[b].address;
}

static void locate_frames(struct builder *b)
{
    const struct mprt_module_list *const modules = b->dump->modules;

    for (uint32_t i = 0; i < b->set.count; i++) {
        struct mprt_frame *const frame = &b->set.frames[i];
        const uint32_t module = mprt_modules_find(modules, frame->pc);
        const bool found = module < modules->count;

        frame->module_plus = found ? module + 1 : 0;
        frame->address = mprt_pc_address(frame->pc) -
                         (found ? modules->modules[module].bias : 0);
    }
}

static bool sort_frames(struct builder *b)
{
    const size_t count = b->set.count;
    uint32_t *const scratch =
        (uint32_t *)mprt_mapbuf_new_array(count, sizeof(*scratch));

    b->ranks = mprt_mapbuf_new_array(count, sizeof(*b->ranks));
    b->by_rank = mprt_mapbuf_new_array(count, sizeof(*b->by_rank));
    if (scratch == NULL || b->ranks == NULL || b->by_rank == NULL) {
        mprt_mapbuf_free_array(scratch, count, sizeof(*scratch));
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        b->by_rank[i] = i;
    mprt_sort_u32(b->by_rank, scratch, count, is_frame_less, b->set.frames);
    for (uint32_t i = 0; i < count; i++)
        b->ranks[b->by_rank[i]] = i;
    mprt_mapbuf_free_array(scratch, count, sizeof(*scratch));
    return true;
}

/* Marks the nodes that the contexts need. */
static void mark_nodes(struct builder *b)
{
    const struct mprt_snapshot *const snapshot = b->dump->snapshot;

    b->same[MPRT_DEPOT_ROOT] = MPRT_DEPOT_ROOT;
    b->same[MPRT_DEPOT_ROOT_CUT] = MPRT_DEPOT_ROOT;
    for (uint32_t i = 0; i < snapshot->count; i++) {
        uint32_t node = mprt_depot_leaf(snapshot->ids[i]);

        b->tree->has_cut = b->tree->has_cut || node == MPRT_DEPOT_ROOT_CUT;
        while (b->same[node] == 0) {
            b->same[node] = node;
            mprt_depot_node(node, &node);
        }
    }
}

/* Finds the representative of each node of truncated call stacks, and adds all
 * frames to the set. Parents come before their children. */
static bool collect_frames(struct builder *b)
{
    for (uint32_t node = MPRT_DEPOT_ROOT_CUT + 1; node <= b->depot_count;
         node++) {
        uint32_t parent;
        uint32_t same;
        uint32_t number;

        if (b->same[node] == 0)
            continue;
        const uintptr_t pc = mprt_depot_node(node, &parent);
        if (!mprt_frameset_put(&b->set, pc, &number))
            return false;
        if (b->numbers != NULL)
            b->numbers[node] = number;
        if (b->same[parent] != parent) {
            same = mprt_depot_child(b->same[parent], pc);
            b->has_others = true;
            b->tree->has_cut = true;
            if (same != 0 && same <= b->depot_count) {
                b->same[node] = same;
                if (b->same[same] == 0)
                    b->same[same] = same;
            }
        }
    }
    return true;
}

static bool make_frames(struct builder *b)
{
    b->depot_count = mprt_depot_node_count();
    b->same = new_array(b);
    if (b->same == NULL)
        return false;
    if (mprt_options.continuous)
        b->numbers = new_array(b);
    mark_nodes(b);
    if (!collect_frames(b))
        return false;
    locate_frames(b);
    return sort_frames(b);
}

/* Lists the frames of interpreted functions. */
static void list_script(struct builder *b)
{
    for (uint32_t i = 0; i < b->set.count; i++) {
        const struct mprt_script_frame found = {
            .pc = b->set.frames[b->by_rank[i]].pc, .frame = i};

        if (mprt_vm_is_frame(found.pc))
            mprof_buf_bytes(&b->tree->script, &found, sizeof(found));
    }
}

/* -- nodes ----------------------------------------------------------------- */

/* FRAMES idx of the node's frame. Without `numbers` it is looked up each time,
 * which saves memory for a process that dumps only once. */
static uint32_t rank_of(const struct builder *b, uint32_t node)
{
    uint32_t parent;
    uint32_t number;

    if (b->numbers != NULL)
        number = b->numbers[node];
    else
        number = mprt_frameset_find(&b->set, mprt_depot_node(node, &parent));
    return b->ranks[number];
}

static uint32_t stand_in(const struct builder *b, uint32_t node)
{
    const uint32_t same = b->same != NULL ? b->same[node] : STANDS;

    return (same & STANDS) != 0 ? node : same;
}

static uint32_t parent_of(const struct builder *b, uint32_t node)
{
    uint32_t parent;

    mprt_depot_node(node, &parent);
    return stand_in(b, parent);
}

/* Links the nodes of each frame; heads[frame] is 0 at first. */
static void sort_nodes(struct builder *b, uint32_t *heads)
{
    b->node_count = 0;
    for (uint32_t i = MPRT_DEPOT_ROOT_CUT + 1; i <= b->depot_count; i++) {
        if (b->same[i] != i)
            continue;
        uint32_t *const head = &heads[rank_of(b, i)];
        b->same[i] = STANDS | *head;
        *head = i;
        b->node_count++;
    }
}

/* Links the children of each node in the order of frames. Until a node has its
 * index, `places` holds its first child. */
static void link_nodes(struct builder *b, const uint32_t *heads)
{
    for (uint32_t k = b->set.count; k-- > 0;) {
        uint32_t node = heads[k];

        while (node != 0) {
            uint32_t *const first = &b->places[parent_of(b, node)];
            const uint32_t next = b->same[node] & ~STANDS;

            b->same[node] = STANDS | *first;
            *first = node;
            node = next;
        }
    }
}

/* Numbers the nodes below the root in preorder. */
static void place_nodes(struct builder *b)
{
    uint32_t next[MPRT_STACK_FRAMES_MAX + 2];
    size_t depth = 0;
    uint32_t count = 0;

    next[0] = b->places[MPRT_DEPOT_ROOT];
    b->places[MPRT_DEPOT_ROOT] = 0;
    for (;;) {
        const uint32_t node = next[depth];

        if (node == 0) {
            if (depth-- == 0)
                return;
            continue;
        }
        next[depth++] = b->same[node] & ~STANDS;
        next[depth] = b->places[node];
        b->places[node] = ++count;
    }
}

/* Fills the columns of NODES in the order of the depot. The order of NODES
 * would access the depot at random for each column. */
static bool fill_nodes(struct builder *b)
{
    b->ups = mprt_mapbuf_new_array(b->node_count, sizeof(*b->ups));
    b->frames =
        (uint32_t *)mprt_mapbuf_new_array(b->node_count, sizeof(*b->frames));
    if (b->ups == NULL || b->frames == NULL)
        return false;
    for (uint32_t i = MPRT_DEPOT_ROOT_CUT + 1; i <= b->depot_count; i++) {
        const uint32_t place = b->places[i];

        if (place == 0)
            continue;
        const uint32_t parent = b->places[parent_of(b, i)];
        b->ups[place - 1] = parent != 0 ? place - parent : 0;
        b->frames[place - 1] = rank_of(b, i);
    }
    return true;
}

static void free_columns(struct builder *b)
{
    mprt_mapbuf_free_array(b->ups, b->node_count, sizeof(*b->ups));
    mprt_mapbuf_free_array(b->frames, b->node_count, sizeof(*b->frames));
    b->ups = b->frames = NULL;
}

static bool make_nodes(struct builder *b)
{
    uint32_t *const heads =
        (uint32_t *)mprt_mapbuf_new_array(b->set.count, sizeof(*heads));

    b->places = new_array(b);
    if (heads != NULL && b->places != NULL) {
        sort_nodes(b, heads);
        link_nodes(b, heads);
        place_nodes(b);
    }
    mprt_mapbuf_free_array(heads, b->set.count, sizeof(*heads));
    if (heads == NULL || b->places == NULL)
        return false;
    if (!b->has_others)
        free_array(b, &b->same); /* before the next array of this size */
    return fill_nodes(b);
}

static void free_nodes(struct builder *b)
{
    free_array(b, &b->same);
    free_array(b, &b->numbers);
    free_array(b, &b->places);
    free_columns(b);
}

/* -- contexts -------------------------------------------------------------- */

/* Leaf of each context by its index in the snapshot, as NODES idx + 1. */
static uint32_t *find_leaves(const struct builder *b)
{
    const struct mprt_snapshot *const snapshot = b->dump->snapshot;
    uint32_t *const found =
        (uint32_t *)mprt_mapbuf_new_array(snapshot->count, sizeof(*found));

    for (uint32_t i = 0; found != NULL && i < snapshot->count; i++)
        found[i] = b->places[stand_in(b, mprt_depot_leaf(snapshot->ids[i]))];
    return found;
}

/* Counting sort by leaf, stable. `starts` is zeroed. */
static void put_in_order(struct mprt_rawtree *tree, const uint32_t *ids,
                         const uint32_t *found, uint32_t *starts, size_t slots)
{
    for (uint32_t i = 0; i < tree->count; i++)
        starts[found[i] + 1]++;
    for (size_t slot = 1; slot < slots; slot++)
        starts[slot] += starts[slot - 1];
    for (uint32_t i = 0; i < tree->count; i++) {
        const uint32_t at = starts[found[i]]++;

        tree->order[at] = ids[i];
        tree->leaves[at] = found[i];
    }
}

/* Sorts the contexts by their leaves. */
static bool sort_contexts(struct builder *b)
{
    struct mprt_rawtree *const tree = b->tree;
    const size_t slots = (size_t)b->node_count + 2;
    uint32_t *const found = find_leaves(b);
    uint32_t *starts;

    free_nodes(b); /* before the next array of this size */
    starts = mprt_mapbuf_new_array(slots, sizeof(*starts));
    tree->order =
        (uint32_t *)mprt_mapbuf_new_array(tree->count, sizeof(*tree->order));
    tree->leaves =
        (uint32_t *)mprt_mapbuf_new_array(tree->count, sizeof(*tree->leaves));
    const bool has_room = found != NULL && starts != NULL &&
                          tree->order != NULL && tree->leaves != NULL;
    if (has_room)
        put_in_order(tree, b->dump->snapshot->ids, found, starts, slots);
    mprt_mapbuf_free_array(found, tree->count, sizeof(*found));
    mprt_mapbuf_free_array(starts, slots, sizeof(*starts));
    return has_room;
}

/* -- sections -------------------------------------------------------------- */

static uint64_t get_frame(const void *context, uint32_t tag, uint64_t row)
{
    const struct builder *const b = context;
    const struct mprt_frame *const frame = &b->set.frames[b->by_rank[row]];

    return tag == MPROF_RAW_FRAMES_MODULE ? frame->module_plus : frame->address;
}

static uint64_t get_node(const void *context, uint32_t tag, uint64_t row)
{
    const struct builder *const b = context;

    return tag == MPROF_RAW_NODES_UP ? b->ups[row] : b->frames[row];
}

static void add_sections(struct builder *b)
{
    struct mprt_rawtree *const tree = b->tree;

    mprt_rawpack_table(&tree->stored, &tree->sections[0], MPROF_RAW_FRAMES,
                       &(struct mprof_table_source){
                           MPRT_RAWPACK_TAGS(MPROF_RAW_FRAMES_MODULE,
                                             MPROF_RAW_FRAMES_ADDRESS),
                           .rows = b->set.count, .get = get_frame,
                           .context = b});
    mprt_rawpack_table(
        &tree->stored, &tree->sections[1], MPROF_RAW_NODES,
        &(struct mprof_table_source){
            MPRT_RAWPACK_TAGS(MPROF_RAW_NODES_UP, MPROF_RAW_NODES_FRAME),
            .rows = b->node_count, .get = get_node, .context = b});
}

/* -- the tree -------------------------------------------------------------- */

static void free_tree(struct mprt_rawtree *tree)
{
    mprt_mapbuf_free_array(tree->order, tree->count, sizeof(*tree->order));
    mprt_mapbuf_free_array(tree->leaves, tree->count, sizeof(*tree->leaves));
    mprt_mapbuf_free_array(tree->ids, tree->count, sizeof(*tree->ids));
    mprt_mapbuf_free(&tree->script);
    mprt_mapbuf_free(&tree->stored);
}

static bool build(struct builder *b)
{
    if (!make_frames(b) || !make_nodes(b))
        return false;
    list_script(b);
    add_sections(b);
    free_columns(b);
    return !b->tree->stored.failed && !b->tree->script.failed &&
           sort_contexts(b);
}

static bool make_tree(struct mprt_rawtree *tree, const struct mprt_dump *dump,
                      uint64_t modules)
{
    struct builder b = {.dump = dump, .tree = tree};

    *tree = (struct mprt_rawtree){.count = dump->snapshot->count,
                                  .modules = modules};
    mprt_mapbuf_init(&tree->script);
    mprt_mapbuf_init(&tree->stored);
    const bool made = build(&b);
    free_nodes(&b);
    mprt_mapbuf_free_array(b.ranks, b.set.count, sizeof(*b.ranks));
    mprt_mapbuf_free_array(b.by_rank, b.set.count, sizeof(*b.by_rank));
    mprt_frameset_free(&b.set);
    if (!made)
        free_tree(tree);
    return made;
}

/* -- the kept tree --------------------------------------------------------- */

/* If the last dump was cut short, its unfinished tree is lost. */
static struct mprt_rawtree the_tree;
static _Atomic bool is_there; /* the_tree is complete */

/* A checksum of everything in the list that the sections depend on. */
static uint64_t digest(const struct mprt_module_list *modules)
{
    uint64_t words[5] = {
        modules->mapped_count, modules->seen_count,
        mprof_checksum(modules->of_seen,
                       modules->seen_count * sizeof(*modules->of_seen))};

    for (uint32_t i = 0; i < modules->count; i++) {
        const struct mprt_module *const m = &modules->modules[i];

        words[0] = mprof_checksum(words, sizeof(words));
        words[1] = mprof_checksum(m->path, mprt_libc_strlen(m->path));
        words[2] = mprof_checksum(m->build_id, m->build_id_bytes);
        words[3] = mprof_checksum(m->segments,
                                  m->segment_count * sizeof(*m->segments));
        words[4] = m->bias;
    }
    return mprof_checksum(words, sizeof(words));
}

/* Keeps the ids. Without memory, the tree serves only this dump. */
static void note_ids(struct mprt_rawtree *tree,
                     const struct mprt_snapshot *snapshot)
{
    tree->ids =
        (uint32_t *)mprt_mapbuf_new_array(tree->count, sizeof(*tree->ids));
    if (tree->ids != NULL)
        mprt_libc_memcpy(tree->ids, snapshot->ids,
                         tree->count * sizeof(*tree->ids));
}

static void forget(void)
{
    if (!atomic_load(&is_there))
        return;
    atomic_store(&is_there, false);
    free_tree(&the_tree);
}

const struct mprt_rawtree *mprt_rawtree_get(const struct mprt_dump *dump)
{
    const struct mprt_snapshot *const snapshot = dump->snapshot;
    const uint64_t modules = digest(dump->modules);
    struct mprt_rawtree tree;

    /* A context's call stack in the depot never changes. */
    if (atomic_load(&is_there) && the_tree.ids != NULL &&
        the_tree.modules == modules && the_tree.count == snapshot->count &&
        mprt_libc_memcmp(the_tree.ids, snapshot->ids,
                         snapshot->count * sizeof(*snapshot->ids)) == 0)
        return &the_tree;
    forget();
    if (!make_tree(&tree, dump, modules))
        return NULL;
    if (mprt_options.continuous)
        note_ids(&tree, snapshot);
    the_tree = tree;
    atomic_store(&is_there, true);
    return &the_tree;
}

void mprt_rawtree_release(void)
{
    if (!mprt_options.continuous)
        forget();
}
