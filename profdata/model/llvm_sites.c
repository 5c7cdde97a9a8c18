/* llvm_sites.c -- what LLVM's records list beside what follows from call
 * stacks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/llvm_sites.h"
#include "profdata/base/hash.h"
#include "profdata/base/tree.h"

#include <stdlib.h>

static uint64_t hash_frame(const void *key)
{
    const struct mpdata_llvm_frame *f = key;
    const uint64_t words[] = {f->guid, f->line_offset, f->column, f->is_inline};

    return mpdata_hash_bytes(words, sizeof(words));
}

static bool equal_frame(const void *rows, uint32_t row, const void *key)
{
    const struct mpdata_llvm_frame *a =
        (const struct mpdata_llvm_frame *)rows + row;
    const struct mpdata_llvm_frame *b = key;

    return a->guid == b->guid && a->line_offset == b->line_offset &&
           a->column == b->column && a->is_inline == b->is_inline;
}

static uint64_t hash_site(const void *key)
{
    const struct mpdata_llvm_listed *s = key;
    const uint64_t words[] = {s->guid, s->callee,
                              (uint64_t)s->stack << 32 | s->kind};

    return mpdata_hash_bytes(words, sizeof(words));
}

static bool equal_site(const void *rows, uint32_t row, const void *key)
{
    const struct mpdata_llvm_listed *a =
        (const struct mpdata_llvm_listed *)rows + row;
    const struct mpdata_llvm_listed *b = key;

    return a->guid == b->guid && a->callee == b->callee &&
           a->stack == b->stack && a->kind == b->kind;
}

static uint64_t hash_node(const void *key)
{
    const struct mpdata_llvm_node *n = key;

    return mpdata_hash_words(n->parent, n->frame);
}

static bool equal_node(const void *rows, uint32_t row, const void *key)
{
    const struct mpdata_llvm_node *a =
        (const struct mpdata_llvm_node *)rows + row;
    const struct mpdata_llvm_node *b = key;

    return a->parent == b->parent && a->frame == b->frame;
}

const struct mpdata_set_kind mpdata_llvm_sites_frame_kind = {
    hash_frame, equal_frame, sizeof(struct mpdata_llvm_frame)};
static const struct mpdata_set_kind site_kind = {
    hash_site, equal_site, sizeof(struct mpdata_llvm_listed)};
static const struct mpdata_set_kind node_kind = {
    hash_node, equal_node, sizeof(struct mpdata_llvm_node)};

void mpdata_llvm_sites_init(struct mpdata_llvm_sites *sites)
{
    mpdata_set_init(&sites->frames, &mpdata_llvm_sites_frame_kind);
    mpdata_set_init(&sites->nodes, &node_kind);
    mpdata_set_init(&sites->sites, &site_kind);
}

void mpdata_llvm_sites_fini(struct mpdata_llvm_sites *sites)
{
    mpdata_set_fini(&sites->frames);
    mpdata_set_fini(&sites->nodes);
    mpdata_set_fini(&sites->sites);
}

bool mpdata_llvm_sites_has_callees(const struct mpdata_llvm_sites *sites)
{
    const struct mpdata_llvm_listed *rows = sites->sites.rows.data;

    for (uint32_t i = 0; i < sites->sites.rows.count; i++) {
        if (rows[i].kind == MPDATA_LLVM_SITE_CALLEE)
            return true;
    }
    return false;
}

uint32_t mpdata_llvm_sites_extend(struct mpdata_llvm_sites *sites,
                                  uint32_t stack,
                                  const struct mpdata_llvm_frame *frame)
{
    const uint32_t ref = mpdata_set_add(&sites->frames, frame, NULL);
    const struct mpdata_llvm_node node = {.parent = stack, .frame = ref - 1};

    return ref != 0 ? mpdata_set_add(&sites->nodes, &node, NULL) : 0;
}

bool mpdata_llvm_sites_add(struct mpdata_llvm_sites *sites,
                           enum mpdata_llvm_site_kind kind, uint64_t guid,
                           uint32_t stack, uint64_t callee)
{
    const struct mpdata_llvm_listed site = {
        .guid = guid, .callee = callee, .stack = stack, .kind = kind};

    return mpdata_set_add(&sites->sites, &site, NULL) != 0;
}

bool mpdata_llvm_sites_has(const struct mpdata_llvm_sites *sites,
                           enum mpdata_llvm_site_kind kind, uint64_t guid,
                           uint32_t stack)
{
    const struct mpdata_llvm_listed site = {
        .guid = guid, .stack = stack, .kind = kind};

    return mpdata_map_find(&sites->sites.map, hash_site(&site), equal_site,
                           sites->sites.rows.data, &site) != 0;
}

/* -- between each other ------------------------------------------------------ */

bool mpdata_llvm_sites_map(const struct mpdata_vec *frames,
                           const struct mpdata_vec *nodes,
                           struct mpdata_llvm_sites *into, uint32_t *stacks)
{
    const struct mpdata_llvm_frame *frame = frames->data;
    const struct mpdata_llvm_node *node = nodes->data;

    for (uint32_t i = 0; i < nodes->count; i++) {
        const uint32_t up = node[i].parent;

        stacks[i] = mpdata_llvm_sites_extend(into, up != 0 ? stacks[up - 1] : 0,
                                             &frame[node[i].frame]);
        if (stacks[i] == 0)
            return false;
    }
    return true;
}

enum mprof_err mpdata_llvm_sites_merge(struct mpdata_llvm_sites *into,
                                       const struct mpdata_llvm_sites *from)
{
    const struct mpdata_llvm_listed *s = from->sites.rows.data;
    uint32_t *stacks =
        mpdata_vec_array(from->nodes.rows.count, sizeof(*stacks));
    bool is_done = stacks != NULL &&
                   mpdata_llvm_sites_map(&from->frames.rows, &from->nodes.rows,
                                         into, stacks);

    for (uint32_t i = 0; i < from->sites.rows.count && is_done; i++)
        is_done = mpdata_llvm_sites_add(
            into, s[i].kind, s[i].guid,
            s[i].stack != 0 ? stacks[s[i].stack - 1] : 0, s[i].callee);
    free(stacks);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}

/* -- order ------------------------------------------------------------------- */

static int compare_frames(const void *left, const void *right)
{
    const struct mpdata_llvm_frame *a = left;
    const struct mpdata_llvm_frame *b = right;

    if (a->guid != b->guid)
        return mprof_compare_u64(a->guid, b->guid);
    if (a->line_offset != b->line_offset)
        return mprof_compare_u64(a->line_offset, b->line_offset);
    if (a->column != b->column)
        return mprof_compare_u64(a->column, b->column);
    return a->is_inline - b->is_inline;
}

static int compare_sites(const void *left, const void *right)
{
    const struct mpdata_llvm_listed *a = left;
    const struct mpdata_llvm_listed *b = right;

    if (a->guid != b->guid)
        return mprof_compare_u64(a->guid, b->guid);
    if (a->kind != b->kind)
        return mprof_compare_u64(a->kind, b->kind);
    if (a->stack != b->stack)
        return mprof_compare_u64(a->stack, b->stack);
    return mprof_compare_u64(a->callee, b->callee);
}

/* keys[]: the frame of each node as a row of out->frames, in order; SKIP for
 * those that no site has. */
static bool order_frames(const struct mpdata_llvm_sites *sites,
                         struct mpdata_llvm_sites *out, uint32_t *keys)
{
    const struct mpdata_llvm_node *nodes = sites->nodes.rows.data;
    const struct mpdata_llvm_frame *frames = sites->frames.rows.data;
    const struct mpdata_llvm_listed *rows = sites->sites.rows.data;
    const uint32_t count = sites->nodes.rows.count;
    struct mpdata_llvm_frame *sorted = mpdata_vec_array(count, sizeof(*sorted));
    uint32_t n = 0;
    bool is_done = sorted != NULL;

    for (uint32_t i = 0; i < count; i++)
        keys[i] = MPDATA_TREE_SKIP;
    for (uint32_t i = 0; i < sites->sites.rows.count; i++) {
        if (rows[i].stack != 0)
            keys[rows[i].stack - 1] = 0;
    }
    for (uint32_t i = count; i-- > 0 && is_done;) {
        if (keys[i] == MPDATA_TREE_SKIP)
            continue;
        if (nodes[i].parent != 0)
            keys[nodes[i].parent - 1] = 0;
        sorted[n++] = frames[nodes[i].frame];
    }
    if (n > 1)
        qsort(sorted, n, sizeof(*sorted), compare_frames);
    for (uint32_t i = 0; i < n && is_done; i++)
        is_done = mpdata_set_add(&out->frames, &sorted[i], NULL) != 0;
    for (uint32_t i = 0; i < count && is_done; i++) {
        if (keys[i] != MPDATA_TREE_SKIP)
            keys[i] =
                mpdata_set_add(&out->frames, &frames[nodes[i].frame], NULL) - 1;
    }
    free(sorted);
    return is_done;
}

/* stacks[]: what each node is in *out, to which all are added in order. */
static bool order_nodes(const struct mpdata_llvm_sites *sites,
                        struct mpdata_llvm_sites *out, uint32_t *stacks)
{
    const struct mpdata_llvm_node *nodes = sites->nodes.rows.data;
    const uint32_t count = sites->nodes.rows.count;
    uint32_t *parents = mpdata_vec_array(count, sizeof(*parents));
    uint32_t *keys = mpdata_vec_array(count, sizeof(*keys));
    uint32_t *order = mpdata_vec_array(count, sizeof(*order));
    uint32_t n = UINT32_MAX;

    if (parents == NULL || keys == NULL || order == NULL ||
        !order_frames(sites, out, keys))
        goto out;
    for (uint32_t i = 0; i < count; i++)
        parents[i] = nodes[i].parent;
    n = mpdata_tree_preorder(
        &(struct mpdata_tree){.parents = {parents, 1},
                              .keys = {keys, 1},
                              .count = count,
                              .key_count = out->frames.rows.count},
        order);
    for (uint32_t i = 0; i < n && n != UINT32_MAX; i++) {
        const uint32_t up = parents[order[i]];
        const struct mpdata_llvm_node node = {
            .parent = up != 0 ? stacks[up - 1] : 0, .frame = keys[order[i]]};

        stacks[order[i]] = mpdata_set_add(&out->nodes, &node, NULL);
        if (stacks[order[i]] == 0)
            n = UINT32_MAX;
    }
out:
    free(order);
    free(keys);
    free(parents);
    return n != UINT32_MAX;
}

enum mprof_err
mpdata_llvm_sites_canonical(const struct mpdata_llvm_sites *sites,
                            struct mpdata_llvm_sites *out)
{
    const uint32_t count = sites->sites.rows.count;
    const struct mpdata_llvm_listed *old = sites->sites.rows.data;
    uint32_t *stacks =
        mpdata_vec_array(sites->nodes.rows.count, sizeof(*stacks));
    struct mpdata_llvm_listed *rows = mpdata_vec_array(count, sizeof(*rows));
    bool is_done =
        stacks != NULL && rows != NULL && order_nodes(sites, out, stacks);

    for (uint32_t i = 0; i < count && is_done; i++) {
        rows[i] = old[i];
        rows[i].stack = old[i].stack != 0 ? stacks[old[i].stack - 1] : 0;
    }
    if (count > 1 && is_done)
        qsort(rows, count, sizeof(*rows), compare_sites);
    for (uint32_t i = 0; i < count && is_done; i++)
        is_done = mpdata_set_add(&out->sites, &rows[i], NULL) != 0;
    free(rows);
    free(stacks);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}
