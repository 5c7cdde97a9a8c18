/* known_leaks.c -- leaves leaks out, and says which.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/known_leaks.h"
#include "profdata/base/heapbuf.h"
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

/* -- of programs ----------------------------------------------------------- */

/* Patterns times frames: some seconds. A profile may say anything. */
#define LOOKS_MAX (UINT64_C(1) << 24)

static bool is_listed_before(const struct mpdata_view *view, uint32_t run)
{
    for (uint32_t i = 0; i < run; i++) {
        if (view->runs[i].known_leaks == view->runs[run].known_leaks)
            return true;
    }
    return false;
}

/* Appends a list that is one, or says that it is not. */
static enum mprof_err append_list(struct mprof_buf *lists,
                                  const struct mpdata_str *text)
{
    struct mpdata_suppressions list;
    const enum mprof_err err =
        mpdata_suppressions_read(&list, text->bytes, text->size);

    mpdata_suppressions_fini(&list);
    if (err == MPROF_E_VALUE)
        cmd_say("__lsan_default_suppressions(), line %" PRIu32
                ": not \"leak:PATTERN\"; none of its lines is heeded",
                list.bad_line);
    if (err != MPROF_E_OK)
        return err == MPROF_E_VALUE ? MPROF_E_OK : err;
    mprof_buf_bytes(lists, text->bytes, text->size);
    mprof_buf_bytes(lists, "\n", 1);
    return lists->failed ? MPROF_E_NOMEM : MPROF_E_OK;
}

static enum mprof_err gather_lists(struct mprof_buf *lists,
                                   const struct mpdata_view *view)
{
    enum mprof_err err = MPROF_E_OK;

    for (uint32_t i = 0; i < view->run_count && err == MPROF_E_OK; i++) {
        const mpdata_string known = view->runs[i].known_leaks;
        if (known != 0 && !is_listed_before(view, i))
            err = append_list(lists, &view->strings[known]);
    }
    return err;
}

enum mprof_err
known_leaks_leave_out_own(struct mpdata_profile **profile,
                          const struct mpdata_demangler *demangler,
                          uint64_t *bytes, uint64_t *blocks)
{
    const struct mpdata_view view = mpdata_profile_view(*profile);
    struct mpdata_suppressions known = {.text = NULL};
    struct mprof_buf lists;
    enum mprof_err err;

    mpdata_heapbuf_init(&lists);
    err = gather_lists(&lists, &view);
    if (err == MPROF_E_OK)
        err = mpdata_suppressions_read(&known, (const char *)lists.data,
                                       lists.size);
    if (err == MPROF_E_OK && known.rows.count != 0) {
        if (mprof_mul_sat_u64(known.rows.count, view.frame_count) > LOOKS_MAX)
            cmd_say("__lsan_default_suppressions(): %" PRIu32
                    " patterns are too many, and are not heeded",
                    known.rows.count);
        else
            err = known_leaks_leave_out(&known, profile, demangler, bytes,
                                        blocks);
    }
    mpdata_suppressions_fini(&known);
    mpdata_heapbuf_fini(&lists);
    return err;
}
