/* sites.c -- the allocation site of each call stack.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/frames.h"
#include "profdata/base/vec.h"

#include <stdlib.h>

enum mprof_err mpdata_sites_make(struct mpdata_sites *sites,
                                 const struct mpdata_profile *profile,
                                 struct mpdata_frame_names *names)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct mpdata_frame_groups groups;
    enum mprof_err err =
        mpdata_frame_groups_make(&groups, profile, MPDATA_BY_CALL);

    *sites = (struct mpdata_sites){
        .nodes = mpdata_wrappers_callers(profile, names, true),
        .groups = mpdata_vec_array(view.context_count, sizeof(uint32_t))};
    if (sites->nodes == NULL || sites->groups == NULL)
        err = MPROF_E_NOMEM;
    for (uint32_t i = 0; err == MPROF_E_OK && i < view.context_count; i++) {
        const mpdata_ref node = sites->nodes[i];

        sites->groups[i] =
            node != 0 ? groups.of_frame[view.nodes[node - 1].frame] + 1 : 0;
    }
    mpdata_frame_groups_fini(&groups);
    return err;
}

void mpdata_sites_fini(struct mpdata_sites *sites)
{
    free(sites->nodes);
    free(sites->groups);
    *sites = (struct mpdata_sites){.nodes = NULL};
}
