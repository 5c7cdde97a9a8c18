/* content.c -- a profile with its counters.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/content.h"
#include "profdata/base/diag.h"

enum mprof_err mpdata_content_init(struct mpdata_content *content)
{
    content->profile = mpdata_profile_new();
    mpdata_counters_init(&content->counters);
    return content->profile != NULL ? MPROF_E_OK : MPROF_E_NOMEM;
}

void mpdata_content_fini(struct mpdata_content *content)
{
    mpdata_profile_free(content->profile);
    content->profile = NULL;
    mpdata_counters_fini(&content->counters);
}

bool mpdata_content_has_memory(const struct mpdata_content *content)
{
    const struct mpdata_view view = mpdata_profile_view(content->profile);

    return !content->counters.is_present || view.context_count != 0 ||
           view.run_count != 0;
}

enum mprof_err mpdata_content_fits(const struct mpdata_content *into,
                                   const struct mpdata_content *from,
                                   uint64_t weight, struct mprof_diag *diag)
{
    const char *what = NULL;

    if (from->counters.is_present && into->counters.is_present)
        what = "it holds PGO counters, as another input does; sum the counters "
               "first: llvm-profdata merge A B -o C";
    else if (from->counters.is_present && weight != 1)
        what =
            "it holds PGO counters, which have no weight here; name the file "
            "without a weight, or run llvm-profdata merge "
            "--weighted-input=N,FILE -o C first";
    return what == NULL
               ? MPROF_E_OK
               : mpdata_diag_text(diag, MPROF_E_UNSUPPORTED, "%s", what);
}

enum mprof_err mpdata_content_merge(struct mpdata_content *into,
                                    struct mpdata_content *from,
                                    uint64_t weight, struct mprof_diag *diag)
{
    enum mprof_err err = mpdata_content_fits(into, from, weight, diag);

    if (err != MPROF_E_OK)
        return err;
    err = mpdata_profile_merge_weighted(into->profile, from->profile, weight);
    if (err != MPROF_E_OK)
        return mprof_err_plain(diag, err);
    if (from->counters.is_present)
        mpdata_counters_move(&into->counters, &from->counters);
    return MPROF_E_OK;
}
