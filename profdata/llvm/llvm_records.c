/* llvm_records.c -- a profile in the form of LLVM's memprof section.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/llvm/llvm_records.h"
#include "shared/index_format.h"

#include <stdlib.h>

static const struct mpdata_llvm_node *
node_at(const struct mpdata_llvm_records *r, uint32_t node)
{
    return (const struct mpdata_llvm_node *)r->nodes.rows.data + node;
}

static const struct mpdata_llvm_frame *
frame_of(const struct mpdata_llvm_records *r, uint32_t node)
{
    return (const struct mpdata_llvm_frame *)r->frames.rows.data +
           node_at(r, node)->frame;
}

static uint32_t add_row(struct mpdata_llvm_records *r, struct mpdata_set *set,
                        const void *key)
{
    const uint32_t ref = mpdata_set_add(set, key, NULL);

    r->failed |= ref == 0;
    return ref;
}

static uint32_t add_node(struct mpdata_llvm_records *r, uint32_t parent,
                         uint32_t frame)
{
    const uint32_t ref = mpdata_pairs_add(&r->nodes, parent, frame);

    r->failed |= ref == 0;
    return ref;
}

static void add_alloc_site(struct mpdata_llvm_records *r, uint32_t function,
                           uint32_t context)
{
    r->failed |= !mpdata_vec_add(
        &r->alloc_sites,
        &(struct mpdata_llvm_site){.function = function, .id = context});
}

/* LLVM's form of a frame with a function. */
static struct mpdata_llvm_frame convert_frame(const struct mpdata_view *view,
                                              const struct mpdata_frame *frame)
{
    const struct mpdata_function *f = &view->functions[frame->function - 1];

    return (struct mpdata_llvm_frame){
        .guid = f->guid,
        .line_offset = (frame->line - f->line) & MPROF_MEMPROF_LINE_OFFSET_MASK,
        .column = frame->column,
        .is_inline = (frame->flags & MPROF_ENTRY_FL_INLINE) != 0};
}

/* Returns the number of a frame + 1, or 0 for a dropped frame. */
static uint32_t add_frame(struct mpdata_llvm_records *r, uint32_t index)
{
    const struct mpdata_frame *e = &r->profile.frames[index];

    if (e->function == 0 || (e->flags & MPROF_ENTRY_FL_NO_LINES) != 0)
        return 0;
    struct mpdata_llvm_frame frame = convert_frame(&r->profile, e);
    uint32_t function = add_row(r, &r->functions, &frame.guid);
    if (function == 0)
        return 0;
    frame.function = function - 1;
    return add_row(r, &r->frames, &frame);
}

/* Fills nodes[]: the profile's node -> ours + 1, or 0 for an empty stack. */
static bool add_nodes(struct mpdata_llvm_records *r, uint32_t *nodes)
{
    const struct mpdata_view *view = &r->profile;
    uint32_t *frames = mpdata_vec_array(view->frame_count, sizeof(*frames));

    if (frames == NULL)
        return false;
    for (uint32_t i = 0; i < view->frame_count; i++)
        frames[i] = add_frame(r, i);
    for (uint32_t i = 0; i < view->node_count && !r->failed; i++) {
        const mpdata_ref up = view->nodes[i].parent;
        const uint32_t parent = up != 0 ? nodes[up - 1] : 0;
        const uint32_t frame = frames[view->nodes[i].frame];

        nodes[i] = parent;
        if (frame != 0)
            nodes[i] = add_node(r, parent, frame - 1);
    }
    free(frames);
    return !r->failed;
}

/* Lists the contexts by our nodes; contexts with the same node are merged. */
static bool add_contexts(struct mpdata_llvm_records *r, const uint32_t *nodes)
{
    const struct mpdata_view *view = &r->profile;
    uint32_t *lasts = mpdata_vec_array(r->nodes.rows.count, sizeof(*lasts));

    if (lasts == NULL)
        return false;
    for (uint32_t i = 0; i < view->context_count; i++) {
        const mpdata_ref leaf = view->contexts[i].node;
        const uint32_t node = leaf != 0 ? nodes[leaf - 1] : 0;
        struct mpdata_llvm_context *context;

        if (node == 0)
            continue;
        if (lasts[node - 1] != 0) {
            r->next_context[lasts[node - 1] - 1] = i + 1;
        } else {
            context = mpdata_vec_push(&r->contexts);
            if (context == NULL) {
                r->failed = true;
                break;
            }
            *context =
                (struct mpdata_llvm_context){.node = node - 1, .first = i};
        }
        lasts[node - 1] = i + 1;
    }
    free(lasts);
    return !r->failed;
}

/* Finds the nodes of the location at `node`; returns their number. */
static uint32_t find_location(const struct mpdata_llvm_records *r,
                              uint32_t node, uint32_t *location)
{
    uint32_t n = 0;

    for (;;) {
        const uint32_t parent = node_at(r, node)->parent;

        location[n++] = node;
        if (!frame_of(r, node)->is_inline || parent == 0 ||
            n == MPDATA_LLVM_LOCATION_FRAMES_MAX)
            return n;
        node = parent - 1;
    }
}

static void add_call_site(struct mpdata_llvm_records *r, uint32_t function,
                          uint32_t node)
{
    r->failed |= mpdata_pairs_add(&r->calls, function, node) == 0;
}

/* Lists a location in the records of its functions from number `skip` on. In
 * LLVM's call sites, a location is a call stack of its own. */
static void add_call_sites(struct mpdata_llvm_records *r,
                           const uint32_t *location, uint32_t n, uint32_t skip)
{
    uint32_t stack = 0;

    if (skip == n)
        return;
    for (uint32_t i = n; i-- > 0 && !r->failed;)
        stack = add_node(r, stack, node_at(r, location[i])->frame);
    for (uint32_t i = skip; i < n && !r->failed; i++)
        add_call_site(r, frame_of(r, location[i])->function, stack - 1);
}

/* Adds all sites of one context. is_seen[]: nodes whose location was listed;
 * the locations above such a node were listed, too. */
static void add_sites(struct mpdata_llvm_records *r, uint32_t context,
                      uint8_t *is_seen)
{
    const struct mpdata_llvm_context *contexts = r->contexts.data;
    uint32_t location[MPDATA_LLVM_LOCATION_FRAMES_MAX];
    uint32_t node = contexts[context].node;
    uint32_t n = find_location(r, node, location);
    uint32_t up;

    for (uint32_t i = 0; i < n; i++)
        add_alloc_site(r, frame_of(r, location[i])->function, context);
    add_call_sites(r, location, n, 1);
    for (;;) {
        up = node_at(r, location[n - 1])->parent;
        if (up == 0 || is_seen[up - 1] || r->failed)
            return;
        node = up - 1;
        is_seen[node] = 1;
        n = find_location(r, node, location);
        add_call_sites(r, location, n, 0);
    }
}

struct ranked {
    uint64_t guid;
    uint32_t function;
};

MPROF_COMPARATOR(compare_guids, struct ranked, MPROF_UP(guid))

/* Sorts the functions by GUID. ranks[]: their new numbers. */
static bool rank_functions(struct mpdata_llvm_records *r, uint32_t *ranks)
{
    const uint32_t count = r->functions.rows.count;
    uint64_t *guids = r->functions.rows.data;
    struct ranked *sorted = mpdata_vec_array(count, sizeof(*sorted));

    if (sorted == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = (struct ranked){.guid = guids[i], .function = i};
    qsort(sorted, count, sizeof(*sorted), compare_guids);
    for (uint32_t i = 0; i < count; i++) {
        guids[i] = sorted[i].guid;
        ranks[sorted[i].function] = i;
    }
    free(sorted);
    return true;
}

MPROF_COMPARATOR(compare_sites, struct mpdata_llvm_site,
                 MPROF_UP(function) ?: MPROF_UP(id))

/* Call sites are distinct and few. */
static void sort_call_sites(struct mpdata_llvm_records *r,
                            const uint32_t *ranks)
{
    struct mpdata_llvm_site *rows;

    r->call_sites = r->calls.rows;
    r->calls.rows = (struct mpdata_vec){.elem_bytes = sizeof(*rows)};
    rows = r->call_sites.data;
    for (uint32_t i = 0; i < r->call_sites.count; i++)
        rows[i].function = ranks[rows[i].function];
    if (r->call_sites.count != 0)
        qsort(rows, r->call_sites.count, sizeof(*rows), compare_sites);
}

/* Alloc sites are sorted by context, so a counting sort by function suffices.
 * Drops duplicates: a function inlined into itself is in a location more than
 * once. */
static bool sort_alloc_sites(struct mpdata_llvm_records *r,
                             const uint32_t *ranks)
{
    struct mpdata_llvm_site *rows = r->alloc_sites.data;
    const uint32_t count = r->alloc_sites.count;
    const uint32_t functions = r->functions.rows.count;
    uint32_t *next = mpdata_vec_array((size_t)functions + 1, sizeof(*next));
    struct mpdata_llvm_site *sorted = mpdata_vec_array(count, sizeof(*sorted));
    const bool is_done = next != NULL && sorted != NULL;
    uint32_t n = 0;

    if (!is_done)
        goto out;
    for (uint32_t i = 0; i < count; i++) {
        rows[i].function = ranks[rows[i].function];
        next[rows[i].function + 1]++;
    }
    for (uint32_t i = 0; i < functions; i++)
        next[i + 1] += next[i];
    for (uint32_t i = 0; i < count; i++)
        sorted[next[rows[i].function]++] = rows[i];
    for (uint32_t i = 0; i < count; i++) {
        if (n == 0 || compare_sites(&rows[n - 1], &sorted[i]) != 0)
            rows[n++] = sorted[i];
    }
    r->alloc_sites.count = n;
out:
    free(sorted);
    free(next);
    return is_done;
}

static bool sort_sites(struct mpdata_llvm_records *r)
{
    uint32_t *ranks = mpdata_vec_array(r->functions.rows.count, sizeof(*ranks));
    bool is_done = ranks != NULL && rank_functions(r, ranks);

    if (is_done) {
        sort_call_sites(r, ranks);
        is_done = sort_alloc_sites(r, ranks);
    }
    free(ranks);
    return is_done;
}

/* Counts the function's sites from *at on; moves *at past them. */
static uint32_t take_sites(const struct mpdata_vec *sites, uint32_t function,
                           uint32_t *at)
{
    const struct mpdata_llvm_site *rows = sites->data;
    const uint32_t first = *at;

    while (*at < sites->count && rows[*at].function == function)
        (*at)++;
    return *at - first;
}

static void make_records(struct mpdata_llvm_records *r)
{
    const uint64_t *guids = r->functions.rows.data;
    uint32_t alloc = 0;
    uint32_t call = 0;

    for (uint32_t i = 0; i < r->functions.rows.count; i++) {
        struct mpdata_llvm_record record = {
            .guid = guids[i], .alloc_first = alloc, .call_first = call};

        record.alloc_count = take_sites(&r->alloc_sites, i, &alloc);
        record.call_count = take_sites(&r->call_sites, i, &call);
        if (record.alloc_count == 0 && record.call_count == 0)
            continue;
        r->failed |= !mpdata_vec_add(&r->records, &record);
    }
}

enum mprof_err mpdata_llvm_records_init(struct mpdata_llvm_records *r,
                                        const struct mpdata_profile *profile)
{
    uint32_t *nodes;
    uint8_t *is_seen = NULL;

    *r = (struct mpdata_llvm_records){
        .profile = mpdata_profile_view(profile),
        .contexts = {.elem_bytes = sizeof(struct mpdata_llvm_context)},
        .alloc_sites = {.elem_bytes = sizeof(struct mpdata_llvm_site)},
        .call_sites = {.elem_bytes = sizeof(struct mpdata_llvm_site)},
        .records = {.elem_bytes = sizeof(struct mpdata_llvm_record)},
        .failed = true,
    };
    mpdata_set_init(&r->frames,
                    MPDATA_SET_KEY(struct mpdata_llvm_frame, is_inline),
                    sizeof(struct mpdata_llvm_frame));
    mpdata_set_init(&r->functions, sizeof(uint64_t), sizeof(uint64_t));
    mpdata_pairs_init(&r->nodes);
    mpdata_pairs_init(&r->calls);
    r->next_context =
        mpdata_vec_array(r->profile.context_count, sizeof(uint32_t));
    nodes = mpdata_vec_array(r->profile.node_count, sizeof(*nodes));
    if (r->next_context == NULL || nodes == NULL)
        goto out;
    r->failed = false;
    if (!add_nodes(r, nodes) || !add_contexts(r, nodes)) {
        r->failed = true;
        goto out;
    }
    /* Contexts' locations start at present nodes; call sites add others. */
    is_seen = mpdata_vec_array(r->nodes.rows.count, 1);
    r->failed = is_seen == NULL;
    for (uint32_t i = 0; i < r->contexts.count && !r->failed; i++)
        add_sites(r, i, is_seen);
    if (!r->failed && sort_sites(r))
        make_records(r);
    else
        r->failed = true;
    mpdata_pairs_seal(&r->nodes);
out:
    free(is_seen);
    free(nodes);
    return r->failed ? MPROF_E_NOMEM : MPROF_E_OK;
}

void mpdata_llvm_records_fini(struct mpdata_llvm_records *r)
{
    mpdata_set_fini(&r->frames);
    mpdata_set_fini(&r->functions);
    mpdata_pairs_fini(&r->nodes);
    mpdata_pairs_fini(&r->calls);
    mpdata_vec_fini(&r->contexts);
    mpdata_vec_fini(&r->alloc_sites);
    mpdata_vec_fini(&r->call_sites);
    mpdata_vec_fini(&r->records);
    free(r->next_context);
    r->next_context = NULL;
}

static bool is_all_seen(const struct mpdata_context *context,
                        const struct mprof_mib *mib)
{
    return mib->UnseenCount == 0 &&
           (context->flags & MPROF_CONTEXT_FL_NOT_MEASURED) == 0 &&
           ((context->flags & MPROF_CONTEXT_FL_NOT_ALL_SEEN) == 0 ||
            mib->TotalAccessCount != 0);
}

void mpdata_llvm_records_mib(const struct mpdata_llvm_records *r,
                             uint32_t context, struct mprof_mib *mib)
{
    const struct mpdata_llvm_context *contexts = r->contexts.data;
    uint32_t i = contexts[context].first;

    *mib = mpdata_view_mib(&r->profile, i);
    bool is_known = is_all_seen(&r->profile.contexts[i], mib);
    while (r->next_context[i] != 0) {
        i = r->next_context[i] - 1;
        const struct mprof_mib next = mpdata_view_mib(&r->profile, i);

        is_known &= is_all_seen(&r->profile.contexts[i], &next);
        mprof_mib_merge(mib, &next);
    }
    mib->AccessHistogramSize =
        mpdata_view_cells(&r->profile, mib->AccessHistogramSize);
    if (!is_known)
        mprof_mib_keep_from_cold(mib);
}
