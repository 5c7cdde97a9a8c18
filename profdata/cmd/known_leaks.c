/* known_leaks.c -- leaves leaks out, and says which.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/known_leaks.h"
#include "profdata/cmd/cmd.h"

#include <inttypes.h>

enum mprof_err known_leaks_leave_out(struct mpdata_suppressions *known,
                                     struct mpdata_profile **profile,
                                     const struct mpdata_demangler *demangler,
                                     uint64_t *bytes, uint64_t *blocks)
{
    struct mpdata_frame_names *const names =
        mpdata_frame_names_new(*profile, demangler);
    struct mpdata_profile *const some =
        names != NULL ? mpdata_suppressions_apply(known, *profile, names)
                      : NULL;
    const struct mpdata_suppressions_row *const rows =
        (const struct mpdata_suppressions_row *)known->rows.data;

    mpdata_frame_names_free(names);
    if (some == NULL)
        return MPROF_E_NOMEM;
    mpdata_profile_free(*profile);
    *profile = some;
    for (uint32_t i = 0; i < known->rows.count; i++) {
        *bytes = mprof_add_sat_u64(*bytes, rows[i].bytes);
        *blocks = mprof_add_sat_u64(*blocks, rows[i].blocks);
        if (rows[i].blocks != 0)
            cmd_say("suppressed: leak:%s: %" PRIu64 " bytes in %" PRIu64
                    " block%s",
                    rows[i].pattern, rows[i].bytes, rows[i].blocks,
                    rows[i].blocks == 1 ? "" : "s");
    }
    return MPROF_E_OK;
}
