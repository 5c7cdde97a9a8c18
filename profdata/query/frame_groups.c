/* frame_groups.c -- groups frames by function, line, file or binary.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/frames.h"
#include "profdata/base/set.h"

#include <stdlib.h>

/* Frames with equal keys are one group. */
struct key {
    uint64_t a;
    uint64_t b;
    uint32_t kind;
    uint32_t frame; /* the first of them; does not count */
};

enum {
    KIND_FUNCTION,
    KIND_LINE,
    KIND_FILE,
    KIND_BINARY,
    KIND_ADDRESS,
    KIND_CALL
};

static struct key key_of(const struct mpdata_view *view, uint32_t frame,
                         enum mpdata_by by)
{
    const struct mpdata_frame *const f = &view->frames[frame];

    if (by == MPDATA_BY_BINARY || (f->function == 0 && by == MPDATA_BY_FILE))
        return (struct key){f->binary, 0, KIND_BINARY, frame};
    if (f->function == 0)
        return (struct key){f->binary, f->address, KIND_ADDRESS, frame};
    if (by == MPDATA_BY_CALL)
        return (struct key){(uint64_t)f->function << 32 | f->path, f->line,
                            KIND_CALL, frame};
    if (by == MPDATA_BY_LINE && f->path != 0)
        return (struct key){f->path, f->line, KIND_LINE, frame};
    if (by == MPDATA_BY_FILE && f->path != 0)
        return (struct key){f->path, 0, KIND_FILE, frame};
    return (struct key){f->function, 0, KIND_FUNCTION, frame};
}

enum mprof_err mpdata_frame_groups_make(struct mpdata_frame_groups *groups,
                                        const struct mpdata_profile *profile,
                                        enum mpdata_by by)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct mpdata_set keys;

    *groups = (struct mpdata_frame_groups){.count = 0};
    mpdata_set_init(&keys, MPDATA_SET_KEY(struct key, kind),
                    sizeof(struct key));
    groups->of_frame =
        mpdata_vec_array(view.frame_count, sizeof(*groups->of_frame));
    bool is_made = groups->of_frame != NULL;
    for (uint32_t i = 0; is_made && i < view.frame_count; i++) {
        const struct key key = key_of(&view, i, by);
        const uint32_t ref = mpdata_set_add(&keys, &key, NULL);

        groups->of_frame[i] = ref - 1;
        is_made = ref != 0;
    }
    if (is_made)
        groups->first =
            mpdata_vec_array(keys.rows.count, sizeof(*groups->first));
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
