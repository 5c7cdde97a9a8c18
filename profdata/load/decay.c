/* decay.c -- weights of inputs by their age.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/load.h"
#include "profdata/base/diag.h"
#include "profdata/model/content.h"

#include <math.h>
#include <stdlib.h>

/* The latest start of the runs in a profile that is not of raw dumps. */
static enum mprof_err find_loaded(struct mpdata_parsed *parsed,
                                  uint64_t *start_ns, struct mprof_diag *diag)
{
    struct mpdata_content content;
    struct mpdata_load_context load = {.content = &content, .no_symbols = true};
    enum mprof_err err = mpdata_content_init(&content);

    if (err == MPROF_E_OK)
        err = mpdata_load_parsed(&load, parsed, "", 1, diag);
    else
        mprof_err_plain(diag, err);
    if (err == MPROF_E_OK) {
        const struct mpdata_view view = mpdata_profile_view(content.profile);

        for (uint32_t i = 0; i < view.run_count; i++)
            *start_ns = mprof_max_u64(*start_ns, view.runs[i].start_ns);
    }
    mpdata_symbolize_fini(&load);
    mpdata_content_fini(&content);
    return err;
}

/* Adds the starts of a parsed profile. */
static enum mprof_err find_parsed(struct mpdata_parsed *parsed,
                                  uint64_t *start_ns, struct mprof_diag *diag)
{
    const struct mpdata_raw_file *const raw = &parsed->raw;

    if (parsed->err != MPROF_E_OK)
        *diag = parsed->diag;
    if (parsed->err != MPROF_E_OK)
        return parsed->err;
    for (size_t i = 0; i < raw->count; i++)
        *start_ns = mprof_max_u64(
            *start_ns, raw->dumps[i].numbers[MPROF_RAW_META_IS_START_NS]);
    return raw->count == 0 ? find_loaded(parsed, start_ns, diag) : MPROF_E_OK;
}

/* The latest start of all runs in a file; 0 if none is known. */
static enum mprof_err find_start(const char *path, bool verify,
                                 uint64_t *start_ns, struct mprof_diag *diag)
{
    struct mpdata_parsed first;

    *start_ns = 0;
    mpdata_parse(&first, path, verify, NULL);
    struct mpdata_parsed at = first;
    enum mprof_err err = find_parsed(&first, start_ns, diag);
    /* find_loaded() has read what follows. */
    while (err == MPROF_E_OK && at.raw.count != 0 && at.rest_bytes != 0) {
        struct mpdata_parsed next;

        mpdata_parse_next(&next, &at);
        at = next;
        err = find_parsed(&next, start_ns, diag);
        mpdata_parse_free(&next);
    }
    mpdata_parse_free(&first);
    return err;
}

#define UNREADABLE UINT64_MAX

/* Fills starts[] by input; *newest is the latest. */
static enum mprof_err find_starts(const struct mpdata_inputs *inputs,
                                  bool verify, uint64_t *starts,
                                  uint64_t *newest, struct mprof_diag *diag)
{
    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct mpdata_input *const input = mpdata_inputs_get(inputs, i);
        enum mprof_err err = mpdata_inputs_error(input, diag);

        if (err == MPROF_E_OK)
            err = find_start(input->path, verify, &starts[i], diag);
        if (err == MPROF_E_NOMEM)
            return err;
        if (err != MPROF_E_OK) {
            starts[i] = UNREADABLE;
            continue;
        }
        if (starts[i] == 0) {
            err = mpdata_diag_text(diag, MPROF_E_UNSUPPORTED,
                                   "it does not say when its runs started, so "
                                   "it has no age for --decay");
            diag->file = input->path;
            return err;
        }
        *newest = mprof_max_u64(*newest, starts[i]);
    }
    return MPROF_E_OK;
}

static void decay(struct mpdata_inputs *inputs, const uint64_t *starts,
                  uint64_t newest, uint64_t half_life_ns)
{
    struct mpdata_input *const files = inputs->files.data;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < inputs->count; i++) {
        const double half_lives =
            (double)(newest - starts[i]) / (double)half_life_ns;
        const uint64_t weight =
            (uint64_t)lround(MPDATA_DECAY_WEIGHT * exp2(-half_lives));

        if (starts[i] != UNREADABLE)
            files[i].weight = mprof_mul_sat_u64(files[i].weight, weight);
        if (files[i].weight != 0)
            files[kept++] = files[i];
        else
            free(files[i].path);
    }
    inputs->files.count = inputs->count = kept;
}

enum mprof_err mpdata_decay(struct mpdata_inputs *inputs, uint64_t half_life_ns,
                            bool verify_checksums, uint32_t *removed,
                            struct mprof_diag *diag)
{
    uint64_t *const starts = mpdata_vec_array(inputs->count, sizeof(*starts));
    const uint32_t count = inputs->count;
    uint64_t newest = 0;

    if (starts == NULL)
        return mprof_err_plain(diag, MPROF_E_NOMEM);
    enum mprof_err err =
        find_starts(inputs, verify_checksums, starts, &newest, diag);
    if (err == MPROF_E_OK)
        decay(inputs, starts, newest, half_life_ns);
    *removed = count - inputs->count;
    free(starts);
    return err;
}
