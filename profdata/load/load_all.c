/* load_all.c -- loads all inputs of a command into one profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/load_all.h"
#include "profdata/model/content.h"

static enum mprof_err load_one(struct mpdata_load_context *load,
                               const struct mpdata_input *input, bool verify,
                               struct mprof_diag *diag)
{
    const enum mprof_err err = mpdata_inputs_error(input, diag);

    return err != MPROF_E_OK
               ? err
               : mpdata_load_weighted(load, input->path, input->weight, verify,
                                      diag);
}

enum mprof_err mpdata_load_all(struct mpdata_load_context *load,
                               const struct mpdata_inputs *inputs,
                               bool verify_checksums, struct mprof_diag *diag)
{
    uint32_t others = 0;
    enum mprof_err err;

    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct mpdata_input *const input = mpdata_inputs_get(inputs, i);

        err = load_one(load, input, verify_checksums, diag);
        if (err != MPROF_E_OK && !mpdata_inputs_is_other(input, diag))
            return err;
        others += err != MPROF_E_OK;
    }
    err = mpdata_load_all_pending(load, verify_checksums, diag);
    if (err != MPROF_E_OK)
        return err;
    if (others == inputs->count)
        return mprof_err_fail(diag, MPROF_E_EMPTY, NULL, MPROF_DIAG_NO_OFFSET);
    err = mpdata_profile_canonical_in_place(load->content->profile);
    return err == MPROF_E_OK
               ? err
               : mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
}
