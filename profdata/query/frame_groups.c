/* frame_groups.c -- groups frames by function, line, file or binary.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/frame_groups.h"
#include "profdata/base/hash.h"
#include "profdata/base/set.h"

#include <stdlib.h>

/* Frames with equal keys are one group. */
struct key {
    uint64_t a;
    uint64_t b;
    uint32_t frame; /* the group's first frame; not compared */
    uint32_t kind;
};

enum {
    KIND_FUNCTION,
    KIND_LINE,
    KIND_FILE,
    KIND_BINARY,
    KIND_ADDRESS,
    KIND_CALL
};

static uint64_t hash_key(const void *key)
{
    const struct key *const k = (const struct key *)key;

    return mpdata_hash_words(mpdata_hash_words(k->a, k->kind), k->b);
}

static bool equal_keys(const void *rows, uint32_t row, const void *key)
{
    const struct key *const a = (const struct key *)rows + row;
    const struct key *const b = (const struct key *)key;

    return a->kind == b->kind && a->a == b->a && a->b == b->b;
}

static const struct mpdata_set_kind keys_kind = {
    .hash = hash_key, .equal = equal_keys, .elem_bytes = sizeof(struct key)};

static struct key key_of(const struct mpdata_view *view, uint32_t frame,
                         enum mpdata_group_by by)
{
    const struct mpdata_frame *const f = &view->frames[frame];

    if (by == MPDATA_GROUP_BY_MODULE ||
        (f->function == 0 && by == MPDATA_GROUP_BY_FILE))
        return (struct key){f->binary, 0, frame, KIND_BINARY};
    if (f->function == 0)
        return (struct key){f->binary, f->address, frame, KIND_ADDRESS};
    if (by == MPDATA_GROUP_BY_CALL)
        return (struct key){(uint64_t)f->function << 32 | f->path, f->line,
                            frame, KIND_CALL};
    if (by == MPDATA_GROUP_BY_LINE && f->path != 0)
        return (struct key){f->path, f->line, frame, KIND_LINE};
    if (by == MPDATA_GROUP_BY_FILE && f->path != 0)
        return (struct key){f->path, 0, frame, KIND_FILE};
    return (struct key){f->function, 0, frame, KIND_FUNCTION};
}

enum mprof_err mpdata_frame_groups_make(struct mpdata_frame_groups *groups,
                                        const struct mpdata_profile *profile,
                                        enum mpdata_group_by by)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct mpdata_set keys;
    bool is_made;

    *groups = (struct mpdata_frame_groups){.count = 0};
    mpdata_set_init(&keys, &keys_kind);
    groups->of_frame = (uint32_t *)mpdata_vec_array(view.frame_count,
                                                    sizeof(*groups->of_frame));
    is_made = groups->of_frame != NULL;
    for (uint32_t i = 0; is_made && i < view.frame_count; i++) {
        const struct key key = key_of(&view, i, by);
        const uint32_t ref = mpdata_set_add(&keys, &key, NULL);

        groups->of_frame[i] = ref - 1;
        is_made = ref != 0;
    }
    if (is_made)
        groups->first = (uint32_t *)mpdata_vec_array(keys.rows.count,
                                                     sizeof(*groups->first));
    is_made = groups->first != NULL;
    groups->count = is_made ? keys.rows.count : 0;
    for (uint32_t i = 0; i < groups->count; i++)
        groups->first[i] = ((const struct key *)keys.rows.data)[i].frame;
    mpdata_set_fini(&keys);
    return is_made ? MPROF_E_OK : MPROF_E_NOMEM;
}

void mpdata_frame_groups_fini(struct mpdata_frame_groups *groups)
{
    free(groups->of_frame);
    free(groups->first);
    *groups = (struct mpdata_frame_groups){.count = 0};
}
