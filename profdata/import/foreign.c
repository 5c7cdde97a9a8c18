/* foreign.c -- the table of other tools' formats.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/import/foreign.h"
#include "profdata/base/diag.h"
#include "profdata/events/event_choice.h"
#include "profdata/events/foreign_log.h"

#include <inttypes.h>
#include <stdlib.h>

#define X(name, title) {title, mpdata_##name##_is, mpdata_##name##_read},
static const struct mpdata_foreign formats[] = {MPDATA_FOREIGN_FORMATS(X)};
#undef X

const struct mpdata_foreign *mpdata_foreign_find(const uint8_t *data,
                                                 size_t size)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(formats); i++) {
        if (formats[i].is(data, size))
            return &formats[i];
    }
    return NULL;
}

/* Limits the total number of frames: call stacks that share frames take a few
 * bytes each, but much time whenever they are written out. */
static enum mprof_err check_depths(const struct mpdata_view *v,
                                   const struct mpdata_foreign_stacks *stacks,
                                   size_t size, const char *title,
                                   struct mprof_diag *diag)
{
    uint32_t *const depths = mpdata_profile_depths(v);
    uint64_t frames = 0;

    if (depths == NULL)
        return mprof_err_plain(diag, MPROF_E_NOMEM);
    for (uint32_t i = 0; i < v->context_count; i++)
        frames += depths[v->contexts[i].node];
    for (uint32_t i = 0; i < v->tagged_count; i++)
        frames += depths[v->tagged_rows[i].node];
    for (uint32_t i = 0; i < stacks->count; i++)
        frames += depths[stacks->leaves[i]];
    free(depths);
    return frames <= mpdata_profile_frames_max(size)
               ? MPROF_E_OK
               : mpdata_diag_fail(diag, MPROF_E_FRAMES, title,
                                  MPROF_DIAG_NO_OFFSET, "%" PRIu64 " in all",
                                  frames);
}

enum mprof_err mpdata_foreign_read(const uint8_t *data, size_t size,
                                   struct mpdata_profile *into,
                                   struct mprof_diag *diag)
{
    return mpdata_foreign_read_moment(data, size, NULL, into, diag);
}

static enum mprof_err read_moment(const struct mpdata_foreign *format,
                                  const uint8_t *data, size_t size,
                                  struct mpdata_event_choice *choice,
                                  struct mpdata_profile *into,
                                  struct mprof_diag *diag)
{
    if (choice == NULL || (choice->at == NULL && choice->window == NULL) ||
        !mpdata_foreign_log_is(data, size))
        return format->read(data, size, into, diag);
    if (mpdata_luajit_is(data, size))
        return mpdata_luajit_moment(data, size, choice, into, diag);
    if (mpdata_mono_mlpd_is(data, size))
        return mpdata_mono_mlpd_moment(data, size, choice, into, diag);
    return mpdata_diag_text(diag, MPROF_E_USAGE, MPDATA_FOREIGN_NO_ENDS);
}

enum mprof_err mpdata_foreign_read_moment(const uint8_t *data, size_t size,
                                          struct mpdata_event_choice *choice,
                                          struct mpdata_profile *into,
                                          struct mprof_diag *diag)
{
    const struct mpdata_foreign *const format = mpdata_foreign_find(data, size);
    enum mprof_err err = read_moment(format, data, size, choice, into, diag);
    struct mpdata_view view;

    if (err == MPROF_E_OK) {
        view = mpdata_profile_view(into);
        err = check_depths(&view, &(struct mpdata_foreign_stacks){.count = 0},
                           size, format->title, diag);
    }
    return err;
}

enum mprof_err mpdata_foreign_read_stacks(const uint8_t *data, size_t size,
                                          struct mpdata_profile *into,
                                          struct mpdata_foreign_stacks *stacks,
                                          struct mprof_diag *diag)
{
    mpdata_foreign_stacks_fn *const read =
        mpdata_luajit_is(data, size)      ? mpdata_luajit_stacks
        : mpdata_mono_mlpd_is(data, size) ? mpdata_mono_mlpd_stacks
                                          : mpdata_mono_first_stacks;
    enum mprof_err err = read(data, size, into, stacks, diag);

    if (err == MPROF_E_OK)
        err = mpdata_profile_status(into);
    if (err == MPROF_E_NOMEM)
        return mprof_err_plain(diag, err);
    if (err != MPROF_E_OK)
        return err;
    const struct mpdata_view view = mpdata_profile_view(into);
    return check_depths(&view, stacks, size, "log", diag);
}
