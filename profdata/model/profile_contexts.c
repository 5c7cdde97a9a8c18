/* profile_contexts.c -- the contexts of a profile, each found through its node,
 * and their call stacks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/profile_store.h"

#include <stdlib.h>
#include <string.h>

/* Owners of nodes are cleared this many ahead. */
#define OWNERS_AT_ONCE 1024

/* Adds the bucket that the MIB alone determines for a kind; the merged MIB will
 * not determine it. */
static void add_only(struct mpdata_profile *profile, mpdata_ref node,
                     uint32_t kind, const struct mprof_mib *mib)
{
    const uint32_t bucket = mprof_detail_only(mib, kind);

    if (bucket != MPROF_DETAIL_BUCKETS)
        mpdata_profile_detail(
            profile, &(struct mpdata_detail){.node = node,
                                             .kind = kind,
                                             .key = bucket,
                                             .count = mib->AllocCount});
}

static void add_only_of(struct mpdata_profile *profile, mpdata_ref node,
                        const struct mprof_mib *a, const struct mprof_mib *b)
{
    static const uint32_t bucket_kinds[] = {MPROF_DETAIL_SIZE,
                                            MPROF_DETAIL_LIFETIME};
    struct mprof_mib sum = *a;

    mprof_mib_merge(&sum, b);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(bucket_kinds); i++) {
        if (mprof_detail_only(&sum, bucket_kinds[i]) != MPROF_DETAIL_BUCKETS)
            continue;
        add_only(profile, node, bucket_kinds[i], a);
        add_only(profile, node, bucket_kinds[i], b);
    }
}

/* Adds a histogram of cells after *context's MIB has been merged; had_size is
 * the size of its histogram before. A histogram of only some blocks would
 * mislead, so a size without a histogram removes it for good, which makes
 * merging associative. */
static void add_cells(struct mpdata_profile *profile,
                      struct mpdata_context *context, uint64_t had_size,
                      struct mpdata_cells cells)
{
    struct mpdata_cells sum = MPDATA_CELLS_NONE;

    if (cells.words != NULL && context->cells.words != NULL &&
        mpdata_cells_add_within(context->cells, cells))
        return;
    if (cells.words != NULL && had_size == 0)
        sum = mpdata_cells_copy(cells);
    else if (cells.words != NULL && context->cells.words != NULL)
        sum = mpdata_cells_sum(context->cells, cells);
    else
        cells = MPDATA_CELLS_NONE;
    if (cells.words != NULL && sum.words == NULL)
        mpdata_profile_fail(profile, MPROF_E_NOMEM);
    free(context->cells.words);
    context->cells = sum;
    profile->has_cells |= sum.words != NULL;
    profile->has_accessed_cells |= sum.count != 0;
}

/* Makes room for the owner of each node; new nodes have none. An empty list is
 * first filled from the contexts. Memory beyond the rows stays untouched until
 * it is needed. */
static bool reserve_owners(struct mpdata_profile *profile)
{
    struct mpdata_vec *owners = &profile->owners;
    const struct mpdata_context *rows = profile->contexts.data;
    const uint32_t had = owners->count;
    const uint64_t needed = (uint64_t)profile->nodes.rows.count + 1;

    if (had >= needed)
        return true;
    if (needed > owners->capacity &&
        !mpdata_vec_reserve(
            owners,
            (uint32_t)mprof_min_u64(needed + needed / 2, MPDATA_VEC_ROWS_MAX)))
        return false;
    owners->count =
        (uint32_t)mprof_min_u64(needed + OWNERS_AT_ONCE, owners->capacity);
    memset((uint32_t *)owners->data + had, 0,
           (size_t)(owners->count - had) * sizeof(uint32_t));
    for (uint32_t i = 0; had == 0 && i < profile->contexts.count; i++)
        ((uint32_t *)owners->data)[rows[i].node] = i + 1;
    return true;
}

/* Finds or makes the context of a node; NULL after a failure. */
static struct mpdata_context *find_context(struct mpdata_profile *profile,
                                           mpdata_ref node)
{
    if (profile->status != MPROF_E_OK)
        return NULL;
    if (!reserve_owners(profile))
        return mpdata_profile_fail(profile, MPROF_E_NOMEM);
    uint32_t *owner = (uint32_t *)profile->owners.data + node;
    if (*owner != 0)
        return (struct mpdata_context *)profile->contexts.data + *owner - 1;
    struct mpdata_context *row = mpdata_vec_push(&profile->contexts);
    if (row == NULL)
        return mpdata_profile_fail_rows(profile, &profile->contexts);
    row->node = node;
    *owner = profile->contexts.count;
    return row;
}

/* Adds more blocks to a context. */
static void add_blocks(struct mpdata_profile *profile,
                       struct mpdata_context *row, const struct mprof_mib *mib,
                       struct mpdata_cells cells)
{
    uint64_t cells_before = 0;

    if (mib->AllocCount == 0)
        return;
    if (!mpdata_packed_mib_is_empty(&row->mib)) {
        const struct mprof_mib before =
            mpdata_packed_mib_get(&row->mib, profile->mib_bases.rows.data);

        add_only_of(profile, row->node, &before, mib);
        cells_before = before.AccessHistogramSize;
    }
    if (!mpdata_packed_mib_merge(&row->mib, &profile->mib_bases, mib))
        mpdata_profile_fail(profile, MPROF_E_NOMEM);
    if (mib->AccessHistogramSize != 0)
        add_cells(profile, row, cells_before, cells);
}

void mpdata_profile_context(struct mpdata_profile *profile, mpdata_ref node,
                            uint32_t flags, const struct mprof_mib *mib,
                            struct mpdata_cells cells)
{
    struct mpdata_context *row = find_context(profile, node);

    if (row == NULL)
        return;
    row->flags |= flags;
    add_blocks(profile, row, mib, cells);
}

void mpdata_profile_context_append(struct mpdata_profile *profile,
                                   mpdata_ref node, uint32_t flags,
                                   const struct mprof_mib *mib,
                                   struct mpdata_cells cells)
{
    if (profile->status != MPROF_E_OK)
        return;
    struct mpdata_context *row = mpdata_vec_push(&profile->contexts);
    if (row == NULL) {
        mpdata_profile_fail_rows(profile, &profile->contexts);
        return;
    }
    /* The owners are listed again when needed. */
    profile->owners.count = 0;
    row->node = node;
    row->flags = flags;
    add_blocks(profile, row, mib, cells);
}

/* Moves rows[order[i]] to i along cycles; marks finished rows in order[]. */
static void permute(struct mpdata_context *rows, uint32_t *order,
                    uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct mpdata_context first = rows[i];
        uint32_t at = i;

        while (order[at] != i) {
            const uint32_t next = order[at];

            rows[at] = rows[next];
            order[at] = at;
            at = next;
        }
        rows[at] = first;
        order[at] = at;
    }
}

void mpdata_profile_take_contexts(struct mpdata_profile *into,
                                  struct mpdata_profile *from, uint32_t *order,
                                  const mpdata_ref *nodes)
{
    struct mpdata_context *rows;

    if (mpdata_profile_status(from) != MPROF_E_OK)
        mpdata_profile_fail(into, mpdata_profile_status(from));
    into->contexts = from->contexts;
    from->contexts = (struct mpdata_vec){.elem_bytes = sizeof(*rows)};
    mpdata_packed_mib_bases_fini(&into->mib_bases);
    into->mib_bases = from->mib_bases;
    from->mib_bases = (struct mpdata_mib_bases){.far_count = 0};
    into->has_cells = from->has_cells;
    into->has_accessed_cells = from->has_accessed_cells;
    into->unit_cells = from->unit_cells;
    mpdata_arena_splice(&into->arena, &from->arena);
    rows = into->contexts.data;
    permute(rows, order, into->contexts.count);
    for (uint32_t i = 0; i < into->contexts.count; i++)
        rows[i].node = mpdata_profile_map_ref(nodes, rows[i].node);
}

void mpdata_profile_keep_contexts(struct mpdata_profile *profile,
                                  const uint8_t *keep)
{
    struct mpdata_context *const rows = profile->contexts.data;
    const uint32_t count = profile->contexts.count;

    profile->contexts.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (keep[i]) {
            rows[profile->contexts.count++] = rows[i];
            continue;
        }
        mpdata_packed_mib_free(&rows[i].mib);
        if (profile->has_cells)
            free(rows[i].cells.words);
    }
    mpdata_vec_fini(&profile->owners);
}

/* Calls `map` for each ref of a call stack. */
static void each_stack(struct mpdata_profile *profile,
                       void (*map)(mpdata_ref *ref, mpdata_ref *refs),
                       mpdata_ref *refs)
{
    struct mpdata_context *const contexts = profile->contexts.data;
    struct mpdata_set *const details = &profile->sets[MPDATA_KIND_DETAIL];
    struct mpdata_tagged *const tagged_rows =
        profile->sets[MPDATA_KIND_TAGGED].rows.data;

    for (uint32_t i = 0; i < profile->contexts.count; i++)
        map(&contexts[i].node, refs);
    for (uint32_t i = 0; i < details->rows.count; i++) {
        struct mpdata_detail *const detail =
            (struct mpdata_detail *)details->rows.data + i;

        map(&detail->node, refs);
        if (mprof_detail_is_stack(detail->kind))
            map(&detail->key, refs);
    }
    for (uint32_t i = 0; i < profile->sets[MPDATA_KIND_TAGGED].rows.count; i++)
        map(&tagged_rows[i].node, refs);
}

static void map_ref(mpdata_ref *ref, mpdata_ref *refs)
{
    *ref = refs[*ref];
}

static void mark_ref(mpdata_ref *ref, mpdata_ref *refs)
{
    refs[*ref] = 1;
}

bool mpdata_profile_reparent(struct mpdata_profile *profile,
                             mpdata_ref *callers, mpdata_ref *leaves)
{
    struct mpdata_node *const nodes = profile->nodes.rows.data;
    const uint32_t count = profile->nodes.rows.count;
    mpdata_ref *const refs = mpdata_vec_array((size_t)count + 1, sizeof(*refs));
    uint32_t kept = 0;

    if (refs == NULL)
        return false;
    profile->has_equal_nodes = true;
    each_stack(profile, map_ref, leaves);
    each_stack(profile, mark_ref, refs);
    for (uint32_t i = 0; i < count; i++)
        nodes[i].parent = callers[nodes[i].parent];
    for (uint32_t i = count; i-- > 0;)
        if (refs[i + 1] != 0)
            refs[nodes[i].parent] = 1;
    refs[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (refs[i + 1] == 0)
            continue;
        nodes[kept].frame = nodes[i].frame;
        nodes[kept].parent = refs[nodes[i].parent];
        refs[i + 1] = ++kept;
    }
    profile->nodes.rows.count = kept;
    each_stack(profile, map_ref, refs);
    free(refs);
    mpdata_profile_seal(profile);
    mpdata_profile_order_details(profile);
    return true;
}
