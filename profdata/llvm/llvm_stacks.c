/* llvm_stacks.c -- frames and call stacks of a memprof section.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/llvm/llvm_stacks.h"
#include "shared/index_format.h"
#include "shared/le.h"

#include <stdlib.h>

#define SECTION_FRAMES "LLVM frames"
#define SECTION_STACKS "LLVM call stacks"

struct id_row {
    uint64_t id;
    mpdata_ref ref; /* frame or node */
};

static void init_ids(struct mpdata_llvm_stacks *stacks)
{
    mpdata_set_init(&stacks->frame_ids, MPDATA_SET_KEY(struct id_row, id),
                    sizeof(struct id_row));
    mpdata_set_init(&stacks->stack_ids, MPDATA_SET_KEY(struct id_row, id),
                    sizeof(struct id_row));
}

/* Adds the frame in MPROF_MEMPROF_FRAME_BYTES bytes; 0 when out of memory. */
static mpdata_ref make_frame(struct mpdata_profile *profile,
                             const uint8_t *bytes)
{
    const struct mpdata_function function = {.guid = mprof_le_load64(bytes)};
    const struct mpdata_frame frame = {
        .function = mpdata_profile_function(profile, &function),
        .line = mprof_le_load32(bytes + 8),
        .column = mprof_le_load32(bytes + 12),
        .flags = bytes[16] != 0 ? MPROF_ENTRY_FL_INLINE : 0};

    return mpdata_profile_frame(profile, &frame);
}

enum mprof_err mpdata_llvm_stacks_arrays(
    struct mpdata_llvm_stacks *stacks, struct mpdata_profile *profile,
    const void *data, size_t size, const struct mpdata_llvm_frames_place *place,
    struct mprof_diag *diag)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, SECTION_FRAMES);

    *stacks = (struct mpdata_llvm_stacks){.profile = profile};
    init_ids(stacks);
    if (place->stacks_off < place->frames_off ||
        place->stacks_end < place->stacks_off || place->stacks_end > size)
        return mprof_err_fail(diag, MPROF_E_OFFSET, SECTION_FRAMES,
                              place->frames_off);
    stacks->frame_count =
        (place->stacks_off - place->frames_off) / MPROF_MEMPROF_FRAME_BYTES;
    mprof_cursor_seek(&c, place->frames_off);
    stacks->frames =
        mprof_cursor_bytes(&c, stacks->frame_count * MPROF_MEMPROF_FRAME_BYTES);
    stacks->frame_refs =
        mpdata_vec_array(stacks->frame_count, sizeof(*stacks->frame_refs));
    if (stacks->frames == NULL || stacks->frame_refs == NULL)
        return mprof_err_fail(diag, MPROF_E_NOMEM, SECTION_FRAMES,
                              place->frames_off);
    enum mprof_err err = mpdata_radix_open(
        &stacks->radix, (const uint8_t *)data + place->stacks_off,
        place->stacks_end - place->stacks_off, place->stacks_off,
        SECTION_STACKS);
    return err == MPROF_E_OK
               ? err
               : mprof_err_fail(diag, err, SECTION_STACKS, place->stacks_off);
}

static enum mprof_err add_id(struct mpdata_set *set, uint64_t id,
                             mpdata_ref ref, struct mprof_diag *diag)
{
    const struct id_row row = {.id = id, .ref = ref};

    if (mpdata_set_add(set, &row, NULL) != 0)
        return MPROF_E_OK;
    return mprof_err_plain(diag, MPROF_E_NOMEM);
}

static bool find_id(const struct mpdata_set *set, uint64_t id, mpdata_ref *ref)
{
    const uint32_t row = mpdata_set_find(set, &(struct id_row){.id = id});

    if (row != 0)
        *ref = ((const struct id_row *)set->rows.data)[row - 1].ref;
    return row != 0;
}

static enum mprof_err visit_frame(void *context,
                                  const struct mpdata_chash_item *item,
                                  struct mprof_diag *diag)
{
    struct mpdata_llvm_stacks *stacks = context;

    if (item->key_size != 8 || item->data_size != MPROF_MEMPROF_FRAME_BYTES)
        return mprof_err_fail(diag, MPROF_E_VALUE, SECTION_FRAMES,
                              item->file_off);
    return add_id(&stacks->frame_ids, mprof_le_load64(item->key),
                  make_frame(stacks->profile, item->data), diag);
}

static enum mprof_err visit_stack(void *context,
                                  const struct mpdata_chash_item *item,
                                  struct mprof_diag *diag)
{
    struct mpdata_llvm_stacks *stacks = context;
    mpdata_ref node = 0;

    if (item->data_size % 8 != 0)
        return mprof_err_fail(diag, MPROF_E_VALUE, SECTION_STACKS,
                              item->file_off);
    for (size_t i = item->data_size / 8; i-- > 0;) {
        mpdata_ref frame;

        if (!find_id(&stacks->frame_ids, mprof_le_load64(item->data + 8 * i),
                     &frame))
            return mprof_err_fail(diag, MPROF_E_REFERENCE, SECTION_STACKS,
                                  item->file_off + 8 * i);
        node = mpdata_profile_node(stacks->profile, node, frame);
    }
    return add_id(&stacks->stack_ids, mprof_le_load64(item->key), node, diag);
}

enum mprof_err mpdata_llvm_stacks_tables(
    struct mpdata_llvm_stacks *stacks, struct mpdata_profile *profile,
    const void *data, size_t size, const struct mpdata_llvm_frames_place *place,
    struct mprof_diag *diag)
{
    struct mpdata_chash table;

    *stacks =
        (struct mpdata_llvm_stacks){.profile = profile, .is_tables = true};
    init_ids(stacks);
    enum mprof_err err = mpdata_chash_open(
        &table, data, size, place->frame_table_off, 0, 0, SECTION_FRAMES, diag);
    if (err == MPROF_E_OK)
        err = mpdata_chash_visit(&table, visit_frame, stacks, diag);
    if (err == MPROF_E_OK)
        err = mpdata_chash_open(&table, data, size, place->stack_table_off, 0,
                                8, SECTION_STACKS, diag);
    if (err == MPROF_E_OK)
        err = mpdata_chash_visit(&table, visit_stack, stacks, diag);
    return err;
}

void mpdata_llvm_stacks_fini(struct mpdata_llvm_stacks *stacks)
{
    free(stacks->frame_refs);
    stacks->frame_refs = NULL;
    mpdata_radix_fini(&stacks->radix);
    mpdata_set_fini(&stacks->frame_ids);
    mpdata_set_fini(&stacks->stack_ids);
}

static uint32_t make_node(void *context, uint32_t parent, uint32_t frame)
{
    struct mpdata_llvm_stacks *stacks = context;

    if (frame >= stacks->frame_count) {
        stacks->make_err = MPROF_E_REFERENCE;
        return 0;
    }
    if (stacks->frame_refs[frame] == 0)
        stacks->frame_refs[frame] = make_frame(
            stacks->profile,
            stacks->frames + (size_t)frame * MPROF_MEMPROF_FRAME_BYTES);
    uint32_t node =
        mpdata_profile_node(stacks->profile, parent, stacks->frame_refs[frame]);
    if (node == 0)
        stacks->make_err = MPROF_E_NOMEM;
    return node;
}

enum mprof_err mpdata_llvm_stacks_next(struct mpdata_llvm_stacks *stacks,
                                       struct mprof_cursor *c, mpdata_ref *node,
                                       struct mprof_diag *diag)
{
    const uint64_t off = c->file_off + c->pos;
    enum mprof_err err;

    if (stacks->is_tables) {
        const uint64_t id = mprof_cursor_u64(c);

        if (c->err == MPROF_E_OK && !find_id(&stacks->stack_ids, id, node))
            return mprof_err_fail(diag, MPROF_E_REFERENCE, c->section, off);
    } else {
        const uint32_t id = mprof_cursor_u32(c);

        if (c->err == MPROF_E_OK) {
            stacks->make_err = MPROF_E_OK;
            err = mpdata_radix_stack(&stacks->radix, id, make_node, stacks,
                                     node, diag);
            if (stacks->make_err != MPROF_E_OK)
                err = mprof_err_fail(diag, stacks->make_err, c->section, off);
            if (err != MPROF_E_OK)
                return err;
        }
    }
    return mprof_cursor_status(c, diag);
}
