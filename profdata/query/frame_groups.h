/* frame_groups.h -- which frames of a profile are one thing: a function, a line
 * of source, a file.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_FRAME_GROUPS_H
#define MPDATA_FRAME_GROUPS_H

#include "profdata/model/profile.h"

enum mpdata_group_by {
    MPDATA_GROUP_BY_FUNCTION, /* code of no known function: by address */
    MPDATA_GROUP_BY_LINE,     /* of a source file; without one by function */
    MPDATA_GROUP_BY_FILE,     /* without one by function, or by binary */
    MPDATA_GROUP_BY_MODULE,   /* the binary, of profiles that keep it */
    MPDATA_GROUP_BY_CALL      /* by function and line of it */
};

struct mpdata_frame_groups {
    uint32_t *of_frame; /* owned: the number of a frame's group */
    uint32_t *first;    /* owned: of a group, the frame that has its name */
    uint32_t count;
};

/* Numbers ascend by the first frame of each group. Fini is due either way.
 * Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_frame_groups_make(struct mpdata_frame_groups *groups,
                         const struct mpdata_profile *profile,
                         enum mpdata_group_by by);
void mpdata_frame_groups_fini(struct mpdata_frame_groups *groups);

#endif
