/* content.c -- a profile and what stands beside it, taken as one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/content.h"

enum mprof_err mpdata_content_init(struct mpdata_content *content)
{
    content->profile = mpdata_profile_new();
    mpdata_counters_init(&content->counters);
    mpdata_llvm_sites_init(&content->sites);
    return content->profile != NULL ? MPROF_E_OK : MPROF_E_NOMEM;
}

void mpdata_content_fini(struct mpdata_content *content)
{
    mpdata_profile_free(content->profile);
    content->profile = NULL;
    mpdata_counters_fini(&content->counters);
    mpdata_llvm_sites_fini(&content->sites);
}

bool mpdata_content_has_memory(const struct mpdata_content *content)
{
    const struct mpdata_view view = mpdata_profile_view(content->profile);

    return !content->counters.is_present || view.context_count != 0 ||
           view.run_count != 0;
}

/* -- adding ---------------------------------------------------------------- */

/* Adds *part as often as `weight` says: by doubling, so that every rule of a
 * merge is kept. Doubles *part on the way. */
static enum mprof_err add_profile(struct mpdata_profile *into,
                                  struct mpdata_profile **part, uint64_t weight)
{
    enum mprof_err err = MPROF_E_OK;

    while (err == MPROF_E_OK && weight != 0) {
        struct mpdata_profile *twice = NULL;

        if ((weight & 1) != 0)
            err = mpdata_profile_merge(into, *part);
        weight >>= 1;
        if (weight == 0 || err != MPROF_E_OK)
            break;
        twice = mpdata_profile_new();
        if (twice == NULL)
            return MPROF_E_NOMEM;
        err = mpdata_profile_merge(twice, *part);
        if (err == MPROF_E_OK)
            err = mpdata_profile_merge(twice, *part);
        mpdata_profile_free(*part);
        *part = twice;
    }
    return err;
}

static enum mprof_err add_beside(struct mpdata_content *into,
                                 const struct mpdata_content *from,
                                 uint64_t weight)
{
    enum mprof_err err = MPROF_E_OK;

    if (from->counters.is_present)
        err = mpdata_counters_merge(&into->counters, &from->counters, weight);
    if (err == MPROF_E_OK)
        err = mpdata_llvm_sites_merge(&into->sites, &from->sites);
    return err;
}

static enum mprof_err tell(enum mprof_err err, struct mprof_diag *diag)
{
    return err == MPROF_E_OK
               ? err
               : mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
}

enum mprof_err mpdata_content_merge(struct mpdata_content *into,
                                    struct mpdata_content *from,
                                    uint64_t weight, struct mprof_diag *diag)
{
    enum mprof_err err =
        mpdata_counters_match(&into->counters, &from->counters, diag);

    if (err != MPROF_E_OK)
        return err;
    err = add_profile(into->profile, &from->profile, weight);
    if (err == MPROF_E_OK)
        err = add_beside(into, from, weight);
    return tell(err, diag);
}

enum mprof_err mpdata_content_merge_beside(struct mpdata_content *into,
                                           const struct mpdata_content *from,
                                           struct mprof_diag *diag)
{
    return tell(add_beside(into, from, 1), diag);
}

/* -- order ----------------------------------------------------------------- */

enum mprof_err mpdata_content_canonical_in_place(struct mpdata_content *content)
{
    struct mpdata_llvm_sites sites;
    enum mprof_err err = mpdata_profile_canonical_in_place(content->profile);

    mpdata_counters_canonical(&content->counters);
    mpdata_llvm_sites_init(&sites);
    if (err == MPROF_E_OK)
        err = mpdata_llvm_sites_canonical(&content->sites, &sites);
    mpdata_llvm_sites_fini(&content->sites);
    content->sites = sites;
    return err;
}

enum mprof_err mpdata_content_canonical(const struct mpdata_content *content,
                                        struct mpdata_content *out)
{
    enum mprof_err err;

    mpdata_profile_free(out->profile);
    out->profile = mpdata_profile_canonical(content->profile);
    if (out->profile == NULL)
        return MPROF_E_NOMEM;
    err = mpdata_counters_merge(&out->counters, &content->counters, 1);
    mpdata_counters_canonical(&out->counters);
    if (err == MPROF_E_OK)
        err = mpdata_llvm_sites_canonical(&content->sites, &out->sites);
    return err;
}
