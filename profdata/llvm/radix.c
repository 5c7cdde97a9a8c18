/* radix.c -- call stacks as LLVM's radix array.
 *
 * Writing goes through the stacks in reverse preorder of the forest, so a stack
 * that is a part of another comes after it, and each node is written once. The
 * array is built from its end: for each stack a jump to its nearest node that
 * is written already, then the frames from there towards the leaf, then the
 * length. At the end the whole array is reversed.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/llvm/radix.h"
#include "profdata/base/vec.h"
#include "profdata/model/profile.h"
#include "shared/le.h"

#include <stdlib.h>

#define ELEMENTS_MAX INT32_MAX

/* The array under construction, still reversed: *out from `start` on. */
struct builder {
    const struct mpdata_radix_forest *forest;
    struct mprof_buf *out;
    size_t start;
    uint32_t *places; /* by node: its element's index + 1; 0: none yet */
    uint32_t *path;   /* scratch; room for the longest stack */
};

static uint32_t count_elements(const struct builder *b)
{
    return (uint32_t)((b->out->size - b->start) / sizeof(uint32_t));
}

static void write_stack(struct builder *b, uint32_t node, uint32_t depth)
{
    const struct mpdata_radix_forest *forest = b->forest;
    uint32_t fresh = 0;
    uint32_t up = node + 1;

    while (up != 0 && b->places[up - 1] == 0) {
        b->path[fresh++] = up - 1;
        up = mpdata_numbers_get(forest->parents, up - 1);
    }
    if (up != 0)
        mprof_buf_u32(b->out, b->places[up - 1] - 1 - count_elements(b));
    while (fresh-- > 0) {
        b->places[b->path[fresh]] = count_elements(b) + 1;
        mprof_buf_u32(b->out,
                      mpdata_numbers_get(forest->frames, b->path[fresh]));
    }
    mprof_buf_u32(b->out, depth);
}

/* Counts the frames from each node to its root; returns the maximum. */
static uint32_t measure_depths(const struct mpdata_radix_forest *forest,
                               uint32_t *depths)
{
    uint32_t max = 0;

    for (uint32_t i = 0; i < forest->count; i++) {
        const uint32_t parent = mpdata_numbers_get(forest->parents, i);

        depths[i] = parent != 0 ? depths[parent - 1] + 1 : 1;
        if (depths[i] > max)
            max = depths[i];
    }
    return max;
}

/* Replaces the depths in ids[] by the indices of the written stacks. */
static enum mprof_err write_stacks(struct builder *b, const uint32_t *order,
                                   uint32_t *ids)
{
    const struct mpdata_radix_forest *forest = b->forest;

    for (uint32_t i = forest->count; i-- > 0;) {
        const uint32_t node = order[i];

        if (!forest->is_stack[node])
            continue;
        write_stack(b, node, ids[node]);
        if (b->out->failed)
            return MPROF_E_NOMEM;
        if (b->out->size - b->start > sizeof(uint32_t) * (size_t)ELEMENTS_MAX)
            return MPROF_E_LIMIT;
        ids[node] = count_elements(b) - 1;
    }
    return MPROF_E_OK;
}

static void reverse(const struct builder *b, uint32_t *ids)
{
    uint8_t *const elements = b->out->data + b->start;
    const uint32_t count = count_elements(b);

    for (uint32_t i = 0; i < count / 2; i++) {
        uint8_t *const low = elements + (size_t)i * sizeof(uint32_t);
        uint8_t *const high =
            elements + (size_t)(count - 1 - i) * sizeof(uint32_t);
        const uint32_t was = mprof_le_load32(low);

        mprof_le_store(low, mprof_le_load32(high), sizeof(uint32_t));
        mprof_le_store(high, was, sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < b->forest->count; i++) {
        if (b->forest->is_stack[i])
            ids[i] = count - 1 - ids[i];
    }
}

enum mprof_err mpdata_radix_write(const struct mpdata_radix_forest *forest,
                                  struct mprof_buf *out, uint32_t *ids)
{
    const struct mpdata_tree tree = {.parents = forest->parents,
                                     .keys = forest->frames,
                                     .count = forest->count,
                                     .key_count = forest->frame_count};
    struct builder b = {.forest = forest, .out = out, .start = out->size};
    uint32_t *order = mpdata_vec_array(forest->count, sizeof(*order));
    enum mprof_err err = MPROF_E_NOMEM;

    if (order == NULL || mpdata_tree_preorder(&tree, order) == UINT32_MAX)
        goto out;
    b.places = mpdata_vec_array(forest->count, sizeof(uint32_t));
    b.path = mpdata_vec_array(measure_depths(forest, ids), sizeof(uint32_t));
    if (b.places == NULL || b.path == NULL)
        goto out;
    err = write_stacks(&b, order, ids);
    if (err == MPROF_E_OK)
        reverse(&b, ids);
out:
    free(order);
    free(b.path);
    free(b.places);
    return err;
}

enum mprof_err mpdata_radix_open(struct mpdata_radix *radix, const void *data,
                                 size_t size, uint64_t file_off,
                                 const char *section)
{
    const size_t count = size / sizeof(uint32_t);

    *radix = (struct mpdata_radix){
        .data = data, .file_off = file_off, .section = section};
    if (count > ELEMENTS_MAX)
        return MPROF_E_LIMIT;
    radix->count = (uint32_t)count;
    radix->depths = mpdata_vec_array(count, sizeof(uint32_t));
    radix->nodes = mpdata_vec_array(count, sizeof(uint32_t));
    radix->path = mpdata_vec_array(count, sizeof(uint32_t));
    radix->is_seen = calloc(count + 1, 1);
    radix->frames_left = mpdata_profile_frames_max(size);
    return radix->depths != NULL && radix->nodes != NULL &&
                   radix->path != NULL && radix->is_seen != NULL
               ? MPROF_E_OK
               : MPROF_E_NOMEM;
}

void mpdata_radix_fini(struct mpdata_radix *radix)
{
    free(radix->depths);
    free(radix->nodes);
    free(radix->path);
    free(radix->is_seen);
    *radix = (struct mpdata_radix){.data = NULL};
}

static uint32_t element(const struct mpdata_radix *radix, uint64_t place)
{
    return mprof_le_load32(radix->data + place * sizeof(uint32_t));
}

static enum mprof_err fail_at(const struct mpdata_radix *radix,
                              enum mprof_err err, uint32_t place,
                              struct mprof_diag *diag)
{
    return mprof_err_fail(diag, err, radix->section,
                          radix->file_off + (uint64_t)place * sizeof(uint32_t));
}

/* Fills path[] with the indices of a stack's frames, from the leaf to the first
 * known one or the root. *known: the known one's node, or 0. */
static enum mprof_err find_path(struct mpdata_radix *radix, uint32_t id,
                                uint32_t depth, uint32_t *fresh,
                                uint32_t *known, struct mprof_diag *diag)
{
    uint64_t place = (uint64_t)id + 1;

    *known = 0;
    *fresh = 0;
    for (; depth != 0; depth--, place++) {
        if (place < radix->count && (element(radix, place) >> 31) != 0)
            place += (uint32_t)-element(radix, place);
        if (place >= radix->count || (element(radix, place) >> 31) != 0)
            return fail_at(radix, MPROF_E_VALUE, id, diag);
        if (radix->depths[place] == depth) {
            *known = radix->nodes[place];
            return MPROF_E_OK;
        }
        if (radix->depths[place] != 0)
            return fail_at(radix, MPROF_E_VALUE, (uint32_t)place, diag);
        radix->path[(*fresh)++] = (uint32_t)place;
    }
    return MPROF_E_OK;
}

enum mprof_err mpdata_radix_stack(struct mpdata_radix *radix, uint32_t id,
                                  mpdata_radix_make_fn *make, void *context,
                                  uint32_t *node, struct mprof_diag *diag)
{
    uint32_t fresh;
    uint32_t parent;

    if (id >= radix->count)
        return mprof_err_fail(diag, MPROF_E_REFERENCE, radix->section,
                              radix->file_off);
    uint32_t depth = element(radix, id);
    if (depth >= radix->count ||
        (radix->is_seen[id] == 0 && depth > radix->frames_left))
        return fail_at(radix, MPROF_E_VALUE, id, diag);
    radix->frames_left -= radix->is_seen[id] == 0 ? depth : 0;
    radix->is_seen[id] = 1;
    enum mprof_err err = find_path(radix, id, depth, &fresh, &parent, diag);
    if (err != MPROF_E_OK)
        return err;
    depth -= fresh;
    while (fresh-- > 0) {
        const uint32_t place = radix->path[fresh];

        parent = make(context, parent, element(radix, place));
        if (parent == 0)
            return fail_at(radix, MPROF_E_NOMEM, place, diag);
        radix->nodes[place] = parent;
        radix->depths[place] = ++depth;
    }
    *node = parent;
    return MPROF_E_OK;
}
