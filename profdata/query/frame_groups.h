/* frame_groups.h -- groups the frames of a profile: by function, source line,
 * file, binary or call.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"
#include "profdata/query/by.h"

struct mpdata_frame_groups {
    uint32_t *of_frame; /* owned; by frame: number of its group */
    uint32_t *first;    /* owned; by group: a frame with its name */
    uint32_t count;
};

/* Groups by function, line, file, binary or call. They are numbered in the
 * order of their first frames. Call _fini() even after a failure. Error: NOMEM.
 */
MPROF_NODISCARD enum mprof_err
mpdata_frame_groups_make(struct mpdata_frame_groups *groups,
                         const struct mpdata_profile *profile,
                         enum mpdata_by by);
void mpdata_frame_groups_fini(struct mpdata_frame_groups *groups);
